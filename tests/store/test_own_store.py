"""A store that is not webmain's own: one class in one file, given by its import path."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from webmain.article.identity import content_mark, identify
from webmain.files import StoreFaultError
from webmain.items import Article
from webmain.store.multiple_stores import Stores
from webmain.store.protocol import Outcome, Store, Stored, StoreError, StoreSpecError
from webmain.store.registry import open_store, open_stores

Make = Callable[..., Article]


class FolderStore(Store):
    """A folder with a JSON file an article."""

    def commit(self) -> tuple[Stored, ...]:
        self._check_usable()
        done = []
        for article in self._buffer:
            name, mark = identify(article), content_mark(article)
            before = self.get(name)
            if is_new := before is None or content_mark(before) != mark:
                self.path.mkdir(exist_ok=True)
                record = replace(article, id=name, fingerprint=mark).to_json()
                (self.path / f"{name}.json").write_text(record)
            outcome = Outcome.UNCHANGED if not is_new else Outcome.CHANGED if before else Outcome.NEW
            done.append(Stored(id=name, url=article.url, outcome=outcome, revision=1))
        self._buffer.clear()
        return tuple(done)

    def articles(self) -> Iterator[Article]:
        for path in sorted(self.path.glob("*.json")):
            yield Article.from_dict(json.loads(path.read_text()))

    def _release(self) -> None:
        """Nothing is open."""


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """The class under a name that can be imported."""
    import sys
    from types import ModuleType

    module = ModuleType("folder_store")
    monkeypatch.setattr(FolderStore, "__module__", "folder_store")
    module.FolderStore = FolderStore  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "folder_store", module)


def test_own_store_keeps_articles_with_no_more_than_its_class(tmp_path, make_article: Make) -> None:
    spec = f"folder_store:FolderStore:{tmp_path}/news"
    with open_store(spec) as store:
        store.add(make_article())
        assert [stored.outcome for stored in store.commit()] == [Outcome.NEW]
        store.add(make_article())
    with open_store(store.spec, read_only=True) as store:
        article = make_article()
        assert (store.count(), store.get(article.id), store.has("no such id")) == (1, article, False)
        assert list(store.fingerprints()) == [(article.id, article.fingerprint)]
        assert [revision.article for revision in store.revisions(article.id)] == [article]
        with pytest.raises(StoreError, match="reading only"):
            store.add(article)
    with pytest.raises(StoreError, match="closed"):
        store.add(article)


def test_own_store_beside_one_of_webmains(tmp_path, make_article: Make) -> None:
    with open_stores(f"sqlite:{tmp_path}/a.db,folder_store:FolderStore:{tmp_path}/news") as stores:
        assert isinstance(stores, Stores)
        stores.add(make_article())
        assert [stored.outcome for stored in stores.commit()] == [Outcome.NEW]
        assert [store.count() for store in stores] == [1, 1]


@pytest.mark.parametrize(
    ("method", "call"),
    [
        ("__init__", lambda _: None),
        ("add", lambda stores: stores.add(None)),
        ("due", lambda stores: stores.due(0.0)),
        ("commit", Stores.commit),
        ("articles", lambda stores: stores.get("x")),
        ("articles", lambda stores: list(stores.fingerprints())),
        ("articles", Stores.count),
        ("articles", Stores.places),
        ("mark_gone", lambda stores: stores.mark_gone("x", when=None, status=404)),
        ("close", Stores.close),
        ("_release", Stores.close),
    ],
)
@pytest.mark.parametrize(
    ("error", "kind", "reason"),
    [(OSError(28, "No space left"), StoreError, "No space left"), (KeyError("x"), StoreFaultError, "KeyError: 'x'")],
)
def test_whatever_an_own_store_raises_is_a_store_error_that_names_it(
    tmp_path, monkeypatch, method, call, error, kind, reason
) -> None:
    def fail(*_args: object, **_options: object) -> None:
        raise error

    monkeypatch.setattr(FolderStore, method, fail)
    spec = f"folder_store:FolderStore:{tmp_path}/news"
    with pytest.raises(StoreError) as caught:
        call(open_stores(spec))
    assert (type(caught.value), str(caught.value)) == (kind, f"store {spec}: {reason}")
    assert caught.value.__cause__ is error


@pytest.mark.parametrize(
    "spec", ["folder_store:Other:x", "no_such_module:FolderStore:x", "mysql:x", "folder store:F:x"]
)
def test_class_that_is_not_there_is_named(spec) -> None:
    with pytest.raises(StoreSpecError, match="jsonl:PATH or sqlite:PATH") as caught:
        open_store(spec)
    assert repr(spec) in str(caught.value)
