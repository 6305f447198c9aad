"""What is done with the pages of a crawl, as records that another process can carry out.

A document that was read for one task is kept for a while, so that a page is parsed once though it is looked at, compared with
others of its site and extracted. Its page goes along whole with the first task, and without its body with the next ones.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from webmain import extraction as stages
from webmain.article.words import with_words
from webmain.discovery.look import Look, look
from webmain.extractors.base import SiteExtractor
from webmain.html.document import DEFAULT_MAX_BYTES
from webmain.items import Article, Page
from webmain.keep import DEFAULT_KEEP, Keep
from webmain.sites.learning import Likeness, likeness
from webmain.sites.lesson import Learnt, Lesson

if TYPE_CHECKING:
    from webmain.extractors.base import Extractor
    from webmain.html.document import Document

MAX_DOCUMENTS: Final = 16
MAX_DOCUMENT_CHARS: Final = 4 << 20
"""Documents that are kept at most, and their characters; a document takes many times the memory of its page."""

MAX_JUDGES: Final = 100
"""Extractors that are kept at most: one for each site that was learned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """How the pages of a crawl are read and judged.

    Attributes
    ----------
    extractor : Extractor
        The crawl's method; what it needs is loaded before the first page.
    max_bytes, timeout_s
        Bounds on one page.
    top_words : int or None
        Words of an article's tag cloud; None where they are not counted.
    stopwords : mapping or None
        The user's own.
    """

    extractor: Extractor
    keep: Keep = DEFAULT_KEEP
    max_bytes: int = DEFAULT_MAX_BYTES
    timeout_s: float | None = stages.DEFAULT_TIMEOUT_S
    top_words: int | None = None
    stopwords: Mapping[str, frozenset[str]] | None = None


@dataclass(frozen=True, slots=True)
class Judge:
    """An extractor, pickled, and its number: a worker that knows the number does not read it again."""

    number: int
    pickled: bytes


@dataclass(frozen=True, slots=True)
class Sent:
    """A page with its key; without body and html where the worker is thought to have read it already."""

    page: Page
    key: int


class Task(Protocol):
    """What is to be done with one page."""

    @property
    def sent(self) -> Sent:
        """The page."""
        ...

    def run(self, reader: Reader) -> Any:
        """Do it; None where the page has to be sent whole."""
        ...


class Reader:
    """Carries out tasks, and keeps the documents that it has read last."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._documents: OrderedDict[int, Document] = OrderedDict()
        self._judges: OrderedDict[int, Extractor] = OrderedDict()

    def __call__(self, task: Task) -> Any:
        """Answer a task.

        Raises
        ------
        Rejected
            With the reason; `INTERNAL_ERROR` for whatever was not foreseen.
        """
        with stages.errors_as_rejections(task.sent.page.url):
            return task.run(self)

    def document(self, sent: Sent) -> Document | None:
        """Return a page as a document; None where it has come without its body and is not known."""
        document, page = self._documents.pop(sent.key, None), sent.page
        if document is not None:
            document.page = replace(page, body=document.page.body, html=document.page.html)
        elif page.body is None and page.html is None:
            return None
        else:
            document = stages.read(page, max_bytes=self.config.max_bytes, timeout_s=self.config.timeout_s)
        self._documents[sent.key] = document
        n_chars = sum(len(each.html) for each in self._documents.values())
        while len(self._documents) > 1 and (len(self._documents) > MAX_DOCUMENTS or n_chars > MAX_DOCUMENT_CHARS):
            n_chars -= len(self._documents.popitem(last=False)[1].html)
        return document

    def extractor(self, judge: Judge) -> Extractor:
        """Return an extractor that was sent."""
        if judge.number not in self._judges:
            self._judges[judge.number] = pickle.loads(judge.pickled)  # noqa: S301 - by the crawl's own process
            while len(self._judges) > MAX_JUDGES:
                self._judges.popitem(last=False)
        self._judges.move_to_end(judge.number)
        return self._judges[judge.number]


def reader(config: Config) -> Reader:
    """Return what answers the tasks, with everything loaded."""
    stages.warm_up(config.extractor)
    return Reader(config)


@dataclass(frozen=True, slots=True)
class LookAt:
    """Read what discovery needs of a page."""

    sent: Sent

    def run(self, reader: Reader) -> Look | None:
        """Return the record."""
        document = reader.document(self.sent)
        return look(document) if document is not None else None


@dataclass(frozen=True, slots=True)
class Extract:
    """Make a page, with those that continue it, into an article."""

    sent: Sent
    judge: Judge

    def run(self, reader: Reader) -> Article | None:
        """Return the article, its words counted where that is wanted."""
        document, config = reader.document(self.sent), reader.config
        if document is None:
            return None
        article = stages.extract_document(
            document,
            reader.extractor(self.judge),
            keep=config.keep,
            max_bytes=config.max_bytes,
            timeout_s=config.timeout_s,
        )
        if config.top_words is None:
            return article
        return with_words(article, top=config.top_words, own_stopwords=config.stopwords)


@dataclass(frozen=True, slots=True)
class Compare:
    """Find out to which site a page belongs, and how much it looks like the pages that a model was learned from."""

    sent: Sent
    judge: Judge | None

    def run(self, reader: Reader) -> Likeness | None:
        """Return the record."""
        document = reader.document(self.sent)
        if document is None:
            return None
        fitted = reader.extractor(self.judge) if self.judge else None
        return likeness(document, fitted if isinstance(fitted, SiteExtractor) else None)


@dataclass(frozen=True, slots=True)
class Learn:
    """Learn a site from pages that wait on disk."""

    sent: Sent
    lesson: Lesson

    def run(self, reader: Reader) -> Learnt:
        """Return what came of it."""
        config = reader.config
        return self.lesson.run(partial(stages.read, max_bytes=config.max_bytes, timeout_s=config.timeout_s))
