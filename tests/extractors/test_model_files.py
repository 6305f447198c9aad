"""A page model in a file of its own: chosen by an option, read in each process, never mixed with another."""

import json
import pickle
from dataclasses import replace

import pytest

import webmain
from webmain.cli import exits, main
from webmain.extractors.base import UnknownExtractor, create
from webmain.extractors.learned import LearnedExtractor
from webmain.extractors.page_model import CONFIDENCE_COLUMNS, PageModelError, page_model, written
from webmain.features.trees import Trees
from webmain.html.document import Document
from webmain.items import Page
from webmain.sites.model_file import OutdatedModelError
from webmain.sites.model_store import ModelStore

TEXT = "The ferry to the upper quay left an hour late on Monday, and the harbour master said so twice before noon. "
HTML = f"<title>Ferry</title><p>{TEXT * 3}</p>"


def trained(confidence):
    """Return the bytes of a model that differs from the shipped one in the confidence that it gives to every page."""
    used = list(CONFIDENCE_COLUMNS)
    trees = Trees.from_plain({"base": 0.0, "columns": used, "trees": [[[confidence]]]}, used)
    return written(replace(page_model(), confidence=trees))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(trained(0.125))
    return path


def test_a_model_is_chosen_by_an_option(path, monkeypatch):
    assert webmain.extract(HTML, extractor=f"learned:profile=news,model={path}").confidence == 0.125
    assert webmain.extract(HTML).confidence > 0.125
    monkeypatch.chdir(path.parent)
    assert webmain.extract(HTML, extractor=LearnedExtractor(model="model.json")).confidence == 0.125


def test_an_extractor_with_a_model_is_sent_to_other_processes_by_its_path(path):
    made = create(f"learned:model={path}")
    sent = pickle.dumps(made)
    assert len(sent) < 1_000
    assert pickle.loads(sent) == made
    assert webmain.extract(HTML, extractor=pickle.loads(sent)).confidence == 0.125


@pytest.mark.parametrize("jobs", ["0", "2"])
def test_commands_use_the_model_in_worker_processes_too(path, tmp_path, capsys, jobs):
    for n in range(2):
        (tmp_path / f"{n}.html").write_text(HTML)
    pages = [str(tmp_path / f"{n}.html") for n in range(2)]
    assert main(["extract", "-f", "json", "-j", jobs, "-e", f"learned:model={path}", *pages]) == exits.OK
    assert [json.loads(line)["confidence"] for line in capsys.readouterr().out.splitlines()] == [0.125] * 2


def test_explain_tells_what_the_model_says(path, tmp_path, capsys):
    changed = json.loads(path.read_bytes())
    changed["blocks"] = {"base": -3.0, "columns": changed["blocks"]["columns"], "trees": [[[-1.0]]]}
    path.write_text(json.dumps(changed))
    (tmp_path / "page.html").write_text(HTML)
    arguments = ["explain", "-f", "json", "-e", f"learned:model={path}", str(tmp_path / "page.html")]
    assert main(arguments) == exits.OK
    told = json.loads(capsys.readouterr().out)
    assert [block["raw"] for block in told["blocks"] if block["raw"] is not None] == [-4.0]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "model.json cannot be read: No such file or directory"),
        (b"\x80\x04K\x01.", "model.json is not JSON"),  # a pickle
        (b"[]", "model.json is not a page model"),
        (b'{"format": "webmain site model"}', "model.json is not a page model"),
        (trained(0.5).replace(b'"format_version":2', b'"format_version":3'), "has format version 3, 2 is needed"),
        (trained(0.5).replace(b'"columns_version":2', b'"columns_version":1'), "has columns of version 1, not 2"),
    ],
)
def test_what_is_no_model_is_refused_in_a_line(tmp_path, capsys, content, told):
    path = tmp_path / "model.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UnknownExtractor, match=told):
        create(f"learned:model={path}")
    with pytest.raises(SystemExit, match="2"):
        main(["extract", "-e", f"learned:model={path}", __file__])
    assert capsys.readouterr().err.startswith(f"webmain: extractor learned: option model: {path} ")


def test_a_model_that_changes_between_two_processes_is_not_used(path):
    made = create(f"learned:model={path}")
    path.write_bytes(trained(0.25))
    other = create(f"learned:model={path}")
    assert webmain.extract(HTML, extractor=other).confidence == 0.25
    never_read = replace(made.model, sha256="0" * 64)
    with pytest.raises(PageModelError, match="was changed"):
        never_read.model()


def test_what_was_learned_of_a_site_is_used_with_the_same_model_alone(path, tmp_path):
    htmls = [f"<title>Day {n}</title><p>{TEXT * 3}</p><p>{n} boats came. {n}.</p>" for n in range(3)]
    documents = [Document(Page(html=html), html=html) for html in htmls]
    store = ModelStore(tmp_path / "sites")
    own, shipped = create(f"learned:model={path}"), create("learned")
    store.save(own.fit(documents), "tide.example")
    copy = path.with_name("copy.json")
    copy.write_bytes(path.read_bytes())
    assert store.load(create(f"learned:model={copy}"), "tide.example").learned is not None
    path.write_bytes(trained(0.25))
    for other in (shipped, create(f"learned:model={path}")):
        with pytest.raises(OutdatedModelError, match="learned with other options: model=sha256:"):
            store.load(other, "tide.example")
    store.save(shipped.fit(documents), "tide.example")
    with pytest.raises(OutdatedModelError):
        store.load(own, "tide.example")
    assert store.load(shipped, "tide.example").learned is not None


def test_a_site_that_was_learned_before_there_was_the_option_stays_known(tmp_path, monkeypatch):
    htmls = [f"<title>Day {n}</title><p>{TEXT * 3}</p><p>{n} boats came. {n}.</p>" for n in range(3)]
    store = ModelStore(tmp_path / "sites")
    with monkeypatch.context() as patched:
        patched.setattr("webmain.sites.model_store.options_of", lambda _: {"profile": "auto"})
        store.save(create("learned").fit([Document(Page(html=html), html=html) for html in htmls]), "tide.example")
    assert store.load(create("learned"), "tide.example").learned is not None
