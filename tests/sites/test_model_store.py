"""Models on disk: what is written is read again, and nothing else is ever used."""

import hashlib
import json
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, ClassVar, Self

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.extractors.base import Learned, SiteExtractor
from webmain.extractors.line_block import LineBlock
from webmain.html.document import Document
from webmain.items import Page
from webmain.sites import model_file as shelves
from webmain.sites.model_file import (
    DamagedModelError,
    ForeignModelError,
    ModelError,
    NewerModelError,
    OutdatedModelError,
    UnsavableModelError,
)
from webmain.sites.model_store import ModelStore, site_of

SITE = "news.example"


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Toy(SiteExtractor):
    """Learns nothing; what it has learned is given."""

    name: ClassVar[str] = "toy"
    version: ClassVar[int] = 3
    min_pages: int = 5
    share: float = 0.5
    colour: Colour = Colour.RED
    tags: tuple[str, ...] = ("p", "div")
    cache: int = field(default=0, compare=False)
    usual: float = field(default=0.0, repr=False)
    learned: Learned | None = None

    def segment(self, document):
        return LineBlock().segment(document)

    def judge(self, segmentation):
        return LineBlock().judge(segmentation)

    def fit(self, documents: Sequence[Document]) -> Self:
        return self

    def restored(self, learned: Learned) -> Self:
        if "w" not in learned.weights:
            raise ValueError("there is no w")
        return replace(self, learned=learned)

    def resemblance(self, document: Document) -> float:
        return 1.0


def learned(**weights: Any) -> Learned:
    return Learned(
        n_pages=20,
        columns=("length", "path ไทย"),
        weights=weights or {"w": [0.1, -2.5e-300, 3]},
        quality=0.93,
        resemblance=0.8,
    )


@pytest.fixture
def shelf(tmp_path):
    return ModelStore(tmp_path / "models" / "sites")


def files(shelf):
    return sorted(path.name for path in shelf.folder.iterdir())


def saved(shelf, **weights):
    return shelf.save(Toy(learned=learned(**weights)), SITE)


# ---- There and back


def test_what_was_learned_is_read_again(shelf):
    first, last = datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 11, 20, 5, 6, tzinfo=UTC)
    toy = Toy(learned=learned(), share=0.25)
    path = shelf.save(toy, SITE, first_page=first, last_page=last)
    assert shelf.load(Toy(share=0.25), SITE) == toy
    (model,) = shelf.models().models
    assert (model.site, model.method, model.version, model.n_pages) == (SITE, "toy", 3, 20)
    assert (model.first_page, model.last_page, model.quality, model.resemblance) == (first, last, 0.93, 0.8)
    assert model.options == {"share": 0.25, "colour": "red", "tags": ["p", "div"]}
    assert model.columns == ("length", "path ไทย")
    assert model.path == path
    assert model.trained_at.tzinfo is not None
    assert model.webmain
    assert path.name == "news.example.toy.json"
    assert json.loads(path.read_bytes())["weights"] == {"w": [0.1, -2.5e-300, 3]}


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=30,
)  # fmt: skip


@given(weights=st.dictionaries(st.text(max_size=8), PLAIN, max_size=4))
def test_plain_values_come_back_as_they_were(tmp_path_factory, weights):
    shelf = ModelStore(tmp_path_factory.mktemp("m"))
    toy = Toy(learned=learned(w=weights))
    shelf.save(toy, SITE)
    assert shelf.load(Toy(), SITE) == toy


def test_without_a_model_there_is_none(shelf):
    assert shelf.load(Toy(), SITE) is None
    assert shelf.models().models == ()
    assert shelf.forget(SITE) == ()
    assert shelf.set_aside(SITE, "toy") is None
    assert not shelf.folder.exists()


def test_options_that_do_not_decide_what_is_learned_may_differ(shelf):
    saved(shelf)
    assert shelf.load(Toy(min_pages=99, cache=7, usual=0.5), SITE) is not None


def test_a_saved_model_replaces_the_old_one_and_the_one_set_aside(shelf):
    path = saved(shelf)
    aside = shelf.set_aside(SITE, "toy")
    assert aside is not None
    assert aside.name == "news.example.toy.json.previous"
    assert shelf.load(Toy(), SITE) is None
    assert aside.exists()
    saved(shelf, w=[1])
    assert files(shelf) == [path.name]


# ---- What cannot be used


def test_every_cut_is_noticed(shelf):
    path = saved(shelf)
    whole = path.read_bytes()
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        with pytest.raises(ModelError):
            shelf.load(Toy(), SITE)


def test_every_flipped_byte_is_noticed(shelf):
    path = saved(shelf)
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(ModelError):
            shelf.load(Toy(), SITE)


def reformed(path, **changes):
    """Write a model's file with other values and a right checksum."""
    content = {**json.loads(path.read_bytes()), **changes}
    del content["format"], content["sha256"]
    path.write_bytes(signed(json.dumps(content)[1:].encode()))


@pytest.mark.parametrize(
    ("content", "kind", "told"),
    [
        (b"", DamagedModelError, "cannot be read"),
        (b"\x80\x04\x95 a pickle", ForeignModelError, "is no model"),
        (b'{"format": "webmain site model"}', DamagedModelError, "checksum"),
        (b'{"format": "webmain site model", "format_version": 2}', NewerModelError, "format version 2"),
        (b'{"format": "webm', DamagedModelError, "cannot be read"),
    ],
)
def test_what_is_no_model_is_told_by_its_kind(shelf, content, kind, told):
    path = saved(shelf)
    path.write_bytes(content)
    with pytest.raises(kind, match=told) as raised:
        shelf.load(Toy(), SITE)
    assert str(path) in str(raised.value)


def signed(body: bytes) -> bytes:
    """Return a file with a right checksum, whatever stands in it."""
    digest = hashlib.sha256(body).hexdigest().encode()
    return b'{"format": "webmain site model", "sha256": "%s",\n' % digest + body


@pytest.mark.parametrize(
    ("body", "told"),
    [(b'"x": NaN}', "NaN"), (b'"x": ' + b"[" * 100_000, "cannot be read"), (b'"x": 1}', "format version None")],
)
def test_what_cannot_be_parsed_under_a_right_checksum_is_damaged(shelf, body, told):
    path = saved(shelf)
    path.write_bytes(signed(body))
    with pytest.raises(DamagedModelError, match=told):
        shelf.load(Toy(), SITE)


@pytest.mark.parametrize(
    ("content", "kind"),
    [(b'{"format": "webmain site model", "sha256": "' + b"0" * 64 + b'",\n"x": [[],[]]}', DamagedModelError)],
)
def test_nothing_is_parsed_before_the_checksum_is_right(shelf, monkeypatch, content, kind):
    def parse(*_args, **_options):
        raise AssertionError("parsed")

    path = saved(shelf)
    path.write_bytes(content)
    monkeypatch.setattr(json, "loads", parse)
    with pytest.raises(kind):
        shelf.load(Toy(), SITE)


def test_a_file_of_an_older_webmain_is_read_without_what_it_does_not_hold(shelf):
    path = saved(shelf)
    content = json.loads(path.read_bytes())
    for name in ("format", "sha256", "pages_given", "after_change"):
        del content[name]
    path.write_bytes(signed(json.dumps(content)[1:].encode()))
    found = shelf.find(Toy(), SITE)
    assert found is not None
    assert (found[1].pages_given, found[1].after_change) == (20, False)


@pytest.mark.parametrize(("given", "told"), [(None, 20), (8, 20), (20, 20), (25, 25)])
def test_the_pages_that_were_given_are_told_beside_those_learned_from(shelf, given, told):
    shelf.save(Toy(learned=learned()), SITE, pages_given=given, after_change=True)
    (model,) = shelf.models().models
    assert (model.n_pages, model.pages_given, model.after_change) == (20, told, True)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"format_version": 0}, DamagedModelError),
        ({"format_version": True}, DamagedModelError),
        ({"n_pages": 0}, DamagedModelError),
        ({"pages_given": None}, DamagedModelError),
        ({"after_change": 1}, DamagedModelError),
        ({"trained_at": "2026-11-20T05:06:07"}, DamagedModelError),
        ({"format_version": 2}, NewerModelError),
        ({"version": 4}, OutdatedModelError),
        ({"options": {"share": 0.75, "colour": "red", "tags": ["p", "div"]}}, OutdatedModelError),
        ({"site": "other.example"}, ForeignModelError),
        ({"method": "svm"}, ForeignModelError),
        ({"weights": {"v": 1}}, ForeignModelError),
        ({"weights": [1]}, DamagedModelError),
        ({"n_pages": True}, DamagedModelError),
        ({"resemblance": 1.5}, DamagedModelError),
        ({"quality": -0.1}, DamagedModelError),
        ({"columns": [1]}, DamagedModelError),
        ({"trained_at": "yesterday"}, DamagedModelError),
    ],
)
def test_a_wrong_field_under_a_right_checksum_is_told(shelf, changes, kind):
    path = saved(shelf)
    reformed(path, **changes)
    with pytest.raises(kind):
        shelf.load(Toy(), SITE)


def test_values_nested_too_deeply_are_refused_though_python_could_read_them(shelf):
    path = saved(shelf)
    deep: Any = 1
    for _ in range(shelves.MAX_DEPTH):
        deep = [deep]
    reformed(path, weights={"w": deep})
    with pytest.raises(DamagedModelError, match="nested"):
        shelf.load(Toy(), SITE)


def test_numbers_that_overflow_are_refused(shelf):
    path = saved(shelf)
    path.write_bytes(signed(path.read_bytes().replace(b"-2.5e-300", b"-2.5e+999").split(b"\n", 1)[1]))
    with pytest.raises(DamagedModelError, match="not finite"):
        shelf.load(Toy(), SITE)


def test_a_huge_file_is_not_read(shelf, monkeypatch):
    path = saved(shelf)
    monkeypatch.setattr(shelves, "MAX_BYTES", path.stat().st_size)
    assert shelf.load(Toy(), SITE) is not None
    monkeypatch.setattr(shelves, "MAX_BYTES", path.stat().st_size - 1)
    with pytest.raises(DamagedModelError, match="more than"):
        shelf.load(Toy(), SITE)


def test_what_is_no_file_is_not_waited_for(shelf):
    path = saved(shelf)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ForeignModelError):
        shelf.load(Toy(), SITE)
    path.unlink()
    path.mkdir()
    with pytest.raises(ModelError):
        shelf.load(Toy(), SITE)


def test_a_file_that_cannot_be_used_is_kept_aside_under_its_kind(shelf):
    path = saved(shelf)
    path.write_bytes(b"{")
    with pytest.raises(ModelError) as raised:
        shelf.load(Toy(), SITE)
    aside = shelf.set_aside(SITE, "toy", because=raised.value)
    assert aside is not None
    assert aside.name == f"{path.name}.damaged"
    assert aside.read_bytes() == b"{"
    saved(shelf)
    assert shelf.load(Toy(), SITE) is not None
    assert aside.exists()


def test_damaged_files_are_listed_beside_the_others(shelf):
    saved(shelf)
    (shelf.folder / "other.example.toy.json").write_bytes(b"{}")
    (shelf.folder / "notes.txt").write_text("mine")
    listing = shelf.models()
    assert [m.site for m in listing.models] == [SITE]
    assert [type(e) for e in listing.errors] == [ForeignModelError]


def test_a_copy_under_the_name_of_another_site_is_listed_as_of_no_use(shelf):
    path = saved(shelf)
    copy = shelf.folder / "other.example.toy.json"
    copy.write_bytes(path.read_bytes())
    listing = shelf.models()
    assert [m.path for m in listing.models] == [path]
    assert [str(e) for e in listing.errors] == [f"{copy}: holds toy for {SITE}, whose file is {path.name}"]


# ---- What cannot be written


@pytest.mark.parametrize("value", [np.float64(1.0), object(), {1: 2}, [[float("nan")]]])
def test_what_is_no_plain_value_is_refused_and_what_was_there_stays(shelf, value):
    path = saved(shelf)
    before = path.read_bytes()
    with pytest.raises(UnsavableModelError):
        saved(shelf, w=value)
    assert path.read_bytes() == before
    assert files(shelf) == [path.name]


def test_a_model_that_is_too_large_is_refused(shelf, monkeypatch):
    monkeypatch.setattr(shelves, "MAX_BYTES", 2_000)
    with pytest.raises(UnsavableModelError, match="allowed are"):
        saved(shelf, w="x" * 2_000)


def test_what_has_learned_nothing_is_refused(shelf):
    with pytest.raises(UnsavableModelError, match="learned nothing"):
        shelf.save(Toy(), SITE)


def test_a_write_that_fails_leaves_the_old_model_and_no_rubbish(shelf, monkeypatch):
    path = saved(shelf)
    before = path.read_bytes()

    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UnsavableModelError, match="No space left"):
        saved(shelf, w=[9])
    assert path.read_bytes() == before
    assert files(shelf) == [path.name]


def test_readers_see_a_whole_model_while_others_write(shelf):
    saved(shelf)
    problems = []

    def write():
        for n in range(60):
            saved(shelf, w=[n] * 500)

    def read():
        for _ in range(120):
            try:
                assert shelf.load(Toy(), SITE) is not None
            except Exception as error:  # whatever it is, it is told below
                problems.append(error)

    threads = [threading.Thread(target=f) for f in (write, write, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert files(shelf) == ["news.example.toy.json"]


# ---- Names


HOSTILE = [
    "",
    "..",
    "/etc/passwd",
    "a\\b",
    "a\0b",
    "a:8080",
    "News.Example",
    "x" * 500,
    "ข่าว.example",
    "\ud800",
    "a.json",
]


def test_hostile_names_stay_inside_the_folder_and_apart(shelf):
    names = [*HOSTILE, "news.example", "NEWS.example", "a:8081", "a_8080", "x" * 501, "a_b", "foo.json"]
    paths = [shelf.path(name, "toy") for name in names]
    toy = Toy(learned=learned())
    for name in HOSTILE[1:]:
        shelf.save(toy, name)
        assert shelf.load(Toy(), name) == toy
    assert all(p.parent == shelf.folder and p.name.isascii() and len(p.name) < 120 for p in paths)
    assert all(p.resolve().parent == shelf.folder.resolve() for p in paths)
    assert len({p.name.lower() for p in paths}) == len(names)


@given(a=st.text(max_size=30), b=st.text(max_size=30), m=st.text(max_size=10), k=st.text(max_size=10))
def test_names_are_apart_also_where_files_have_no_case(tmp_path_factory, a, b, m, k):
    shelf = ModelStore("models")
    one, two = shelf.path(a, m), shelf.path(b, k)
    assert (one.name.casefold() == two.name.casefold()) == ((a, m) == (b, k))
    assert one.parent == shelf.folder


@pytest.mark.parametrize("site", ["con", "CON.example", "nul.", "com9.x" * 30])
def test_no_file_is_called_like_a_device(shelf, site):
    name = shelf.path(site, "toy").name
    assert name.partition(".")[0] not in {"con", "nul", "com9"}
    assert name.count(".") == 2


def test_forgetting_takes_all_of_a_site_or_one_method(shelf):
    @dataclass(frozen=True)
    class Other(Toy):
        name: ClassVar[str] = "other"

    saved(shelf)
    shelf.set_aside(SITE, "toy")
    shelf.save(Other(learned=learned()), SITE)
    saved_again = ModelStore(shelf.folder)
    assert [p.name for p in saved_again.forget(SITE, "other")] == ["news.example.other.json"]
    assert [p.name for p in saved_again.forget(SITE)] == ["news.example.toy.json.previous"]
    assert files(shelf) == []


@pytest.mark.parametrize(
    ("url", "head", "site"),
    [
        ("https://www.bbc.co.uk/news/1", "", "bbc.co.uk"),
        (None, '<link rel="canonical" href="https://www.dw.com/en/1">', "dw.com"),
        ("file:///tmp/a.html", '<link rel="canonical" href="https://www.dw.com/en/1">', "dw.com"),
        ("file:///tmp/a.html", "", ""),
    ],
)
def test_a_page_belongs_to_the_site_of_its_address_or_of_its_canonical_one(url, head, site):
    html = f"<html><head>{head}</head><body><p>Text</p></body></html>"
    assert site_of(Document(Page(url=url, html=html), html=html)) == site
