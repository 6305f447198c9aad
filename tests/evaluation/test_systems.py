"""The table of systems: names become systems, and wrong names are told what is allowed."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import pytest

from webmain.evaluation import peers, systems, worker
from webmain.evaluation.records import GoldPage
from webmain.evaluation.systems import Mode, UnknownSystem, describe, names, resolve, split
from webmain.evaluation.texts import as_page
from webmain.extractors import page_model
from webmain.extractors.base import EXTRACTORS, SiteExtractor
from webmain.extractors.line_block import LineBlock

pytestmark = pytest.mark.usefixtures("less_garbage")
PARAGRAPH = "The harbour master said that the tide would reach the upper quay before noon, and so it did, twice. "
HTML = (
    "<html lang=en><head><title>Tide reaches quay</title>"
    "<meta name=description content='The tide reached the upper quay before noon, said the harbour master'></head><body>"
    "<nav><ul>" + "".join(f"<li><a href=/{n}>Section {n}</a></li>" for n in range(8)) + "</ul></nav>"
    "<article><h1>Tide reaches quay</h1>" + "".join(f"<p>{n}. {PARAGRAPH * 3}</p>" for n in range(8)) + "</article>"
    "<div style='display:none'>SECRET</div><script>var code = 1</script><footer><a href=/i>Imprint</a></footer></body></html>"
)
GOLD = GoldPage(id="a", dataset="d", html=HTML, text=PARAGRAPH, url="https://courier.example/tide", language="en")

IN_DEV = ("justext", "readability_lxml", "resiliparse", "trafilatura", "trafilatura_precision")
"""Peers that the tests' own environment has; the others are tried where they are installed."""


def ask(name, *pages):
    loaded = describe(name).load()
    answers = loaded.answer([loaded.prepare(page) for page in pages or (GOLD,)])
    return [answer[0] if isinstance(answer, tuple) else answer for answer in answers]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a", ["a"]),
        ("a,b", ["a", "b"]),
        ("a:x=1,y=2,b", ["a:x=1,y=2", "b"]),
        ("m:C:x=1,y=2,trafilatura:focus=recall", ["m:C:x=1,y=2", "trafilatura:focus=recall"]),
        (" a , ,b@site", ["a", "b@site"]),
        ("", []),
        ("a:x=b:c,d", ["a:x=b:c", "d"]),
    ],
)
def test_lists_of_systems_are_divided_without_tearing_options(text, parts):
    assert split(text) == parts


@pytest.mark.parametrize("name", EXTRACTORS)
def test_every_extractor_is_a_system(name):
    assert describe(name).mode is Mode.PAGE
    (text,) = ask(name)
    assert "upper quay" in text


def test_all_stands_for_ours_then_all_text_then_the_installed_peers():
    found, missing = resolve(["all"])
    ours_then_peers = [name for name in names() if name not in missing]
    assert [s.name for s in found] == ours_then_peers[: len(found)]
    assert {s.name for s in found} >= {*EXTRACTORS, "all_text", *IN_DEV} - {
        n for n in EXTRACTORS if f"{n}@site" in names()
    }


def without(monkeypatch, module):
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == module else real(name, *rest))


def test_a_missing_peer_is_left_out_of_all_and_named(monkeypatch):
    without(monkeypatch, "trafilatura")
    found, missing = resolve(["peers"])
    assert missing[:2] == ["trafilatura", "trafilatura_precision"]
    assert "trafilatura" not in {s.name for s in found}


def test_a_missing_peer_asked_for_by_name_says_how_to_install_it(monkeypatch):
    without(monkeypatch, "resiliparse")
    with pytest.raises(UnknownSystem, match=re.escape("resiliparse is not installed: pip install webmain[peers]")):
        resolve(["resiliparse"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nope", "got 'nope', allowed are learned, line_block"),
        ("pab@site", "learns nothing from a site"),
        ("trafilatura@site", "learns nothing from a site"),
        ("all_text@crossfit", "learns nothing from a site"),
        ("pab@often", "allowed are @site and @crossfit"),
        ("trafilatura:foo=1", "allowed are focus=..., comments=..."),
        ("trafilatura:focus=much", "allowed are balanced, precision, recall"),
        ("trafilatura:comments=maybe", "allowed are true, false"),
        ("readability_lxml:x=1", "allowed are none"),
        ("line_block:zzz=1", "zzz"),
        ("no.such.module:thing", "cannot import"),
        ("os:system", "is not an extractor"),
        ("subprocess:Popen", "is not an extractor"),
        ("os.path:exists", "is not an extractor"),
    ],
)
def test_wrong_names_are_told_what_is_allowed(name, message):
    with pytest.raises(UnknownSystem, match=re.escape(message)):
        resolve([name])


def test_all_text_is_what_is_shown():
    (text,) = ask("all_text")
    assert PARAGRAPH.strip() in text
    assert "Imprint" in text
    assert "SECRET" not in text
    assert "var code" not in text


@pytest.mark.parametrize("name", IN_DEV)
def test_peers_give_the_article_without_the_navigation(name):
    (text,) = ask(name)
    assert text.count("upper quay") >= 8 * 3
    assert "Section 3" not in text


@pytest.mark.filterwarnings("ignore")  # these libraries warn at their import
@pytest.mark.parametrize("name", [n for n in peers.PEERS if n not in IN_DEV])
def test_peers_outside_the_tests_environment_give_the_article_or_say_that_they_are_not_installed(name):
    if systems.is_installed(name):
        (text,) = ask(name)
        assert text.count("upper quay") >= 8
    else:
        with pytest.raises(UnknownSystem, match="not installed"):
            describe(name)


@pytest.mark.parametrize("name", IN_DEV)
@pytest.mark.parametrize("html", ["", "<p>" * 300])
def test_peers_give_a_text_or_an_error_for_broken_pages(name, html):
    broken = GoldPage(id="x", dataset="d", html=html, text="")
    (outcome,) = worker.measure(describe(name).load(), [broken], worker.Meter())
    assert isinstance(outcome.text, str)
    assert outcome.error == "" or outcome.text == ""


def test_peers_are_given_decoded_text_and_ours_the_raw_bytes():
    raw = "<html><head><meta charset='windows-874'></head><body><p>น้ำขึ้นสูงกว่าทุกปี</p></body></html>".encode("cp874")
    page = GoldPage(id="t", dataset="d", html=raw, text="", language="th")
    assert "น้ำขึ้น" in systems._peer_page(page).html
    assert as_page(page).body == raw
    assert as_page(page).html is None


def test_justext_reads_languages_without_a_stop_list_in_its_language_independent_mode():
    thai = (
        "<html><body>"
        + "".join(f"<p>{n} {'ชาวบ้านริมคลองกล่าวว่าน้ำขึ้นสูงกว่าทุกปี ' * 6}</p>" for n in range(5))
        + "</body></html>"
    )
    page = peers.PeerPage(html=thai, url=None, language="th")
    assert "ชาวบ้าน" in peers.justext(page)
    assert "ชาวบ้าน" not in peers.justext(page, language="en")


def test_trafilatura_focus_reaches_the_library(monkeypatch):
    import trafilatura

    seen = {}
    monkeypatch.setattr(trafilatura, "extract", lambda html, **options: seen.update(options))
    assert peers.trafilatura_precision(peers.PeerPage(html="x", url=None, language="")) == ""
    assert seen["favor_precision"] is True
    assert seen["favor_recall"] is False
    assert seen["include_comments"] is False
    ask("trafilatura:focus=recall,comments=true")
    assert (seen["favor_precision"], seen["favor_recall"], seen["include_comments"]) == (False, True, True)


def test_a_systems_version_changes_with_our_source_and_with_yours(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    module = tmp_path / "own_function_module.py"
    module.write_text("def read(html, url):\n    return 'one'\n", encoding="utf-8")
    first = describe("own_function_module:read").version
    assert ask("own_function_module:read") == ["one"]
    module.write_text("def read(html, url):\n    return 'another'\n", encoding="utf-8")
    assert describe("own_function_module:read").version != first
    assert re.fullmatch(r"webmain \S+ \([0-9a-f]{12}\)", describe("pab").version)
    del sys.modules["own_function_module"]


def test_a_systems_version_changes_with_a_file_that_an_option_names(tmp_path):
    file = tmp_path / "me@work" / "model.json"
    file.parent.mkdir()
    name = f"learned:profile=news,model={file}@site"
    shipped = Path(page_model.__file__).with_name(page_model.FILE).read_bytes()
    file.write_bytes(shipped)
    first = describe(name).version
    assert describe(name.removesuffix("@site")).mode is Mode.PAGE
    file.write_bytes(shipped + b"\n")
    assert describe(name).version != first


class Fitted(LineBlock, SiteExtractor):
    """Counts how many pages it has learned from; its text is not looked at."""

    name: ClassVar[str] = "fitted"
    version: ClassVar[int] = 1
    min_pages = 2
    seen: ClassVar[list[tuple[str, ...]]] = []
    learned = None

    def fit(self, documents):
        Fitted.seen.append(tuple(d.url for d in documents))
        return self

    def restored(self, learned):
        return self

    def resemblance(self, document):
        return 1.0


def test_crossfitting_never_judges_a_page_by_what_was_learned_from_it():
    Fitted.seen.clear()
    pages = [
        as_page(GoldPage(id=str(n), dataset="d", html=HTML, text="", url=f"https://a.example/{n}")) for n in range(10)
    ]
    answers = systems._crossfit(Fitted(), pages)
    assert len(answers) == 10
    assert all("upper quay" in text for text, _confidence in answers)
    judged = [{page.url for page in pages} - set(fit) for fit in Fitted.seen]
    assert sorted(url for fold in judged for url in fold) == sorted(page.url for page in pages)
    assert max(map(len, judged)) - min(map(len, judged)) <= 1


def test_too_few_pages_are_judged_by_the_extractor_as_it_comes():
    Fitted.seen.clear()
    page = as_page(GOLD)
    assert len(systems._crossfit(Fitted(), [page])) == 1
    assert Fitted.seen == []


def test_importing_the_table_imports_no_peer():
    code = (
        "import sys, webmain.evaluation.systems as s; s.resolve(['all'])\n"
        "print([p.module for p in s.PEERS.values() if p.module in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
