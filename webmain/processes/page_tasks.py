"""Tasks on the pages of a crawl, as records that a worker process can run.

Documents are cached for a while, so that a page is parsed once although discovery, comparison with its site's model and
extraction are separate tasks. The first task carries the whole page, later ones the page without its body.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from webmain.discovery.page_summary import PageSummary, summarise
from webmain.extraction import Options, errors_as_rejections, extract_page, read, warm_up
from webmain.extractors.base import SiteExtractor
from webmain.items import Article, Page
from webmain.processes.fork_server import trim_memory
from webmain.sites.fitting import LearningResult, LearningTask
from webmain.sites.learning import PageResemblance, page_resemblance
from webmain.text.shingles import Signature, signature

if TYPE_CHECKING:
    from webmain.extractors.base import Extractor
    from webmain.html.document import Document

MAX_DOCUMENTS: Final = 16
MAX_DOCUMENT_CHARS: Final = 4 << 20
"""Maximum number and total characters of cached documents; a document takes many times the memory of its page."""

MAX_EXTRACTORS: Final = 100
"""Maximum cached extractors: there is one for each learned site."""


@dataclass(frozen=True, slots=True)
class PickledExtractor:
    """A pickled extractor and its number: a worker that has the number cached does not unpickle it again."""

    number: int
    pickled: bytes


@dataclass(frozen=True, slots=True)
class SentPage:
    """A page with its key; without `body` and `html` if the worker should have read it already."""

    page: Page
    key: int


@dataclass(frozen=True, slots=True)
class Task:
    """A task on one page."""

    sent: SentPage
    keep: bool = field(default=True, kw_only=True)
    """Whether the document is cached for the next task."""

    def run(self, reader: Reader) -> Any:
        """Return the result; None if the page has to be sent whole."""
        document = reader.document(self.sent, keep=self.keep)
        return self.work(reader, document) if document is not None else None

    def work(self, reader: Reader, document: Document) -> Any:
        """Return the result for the page's document."""
        raise NotImplementedError


class Reader:
    """Runs tasks, with a cache of the documents and extractors used last."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._documents: OrderedDict[int, Document] = OrderedDict()
        self._extractors: OrderedDict[int, Extractor] = OrderedDict()

    def __call__(self, task: Task) -> Any:
        """Return the result of a task.

        Raises
        ------
        Rejected
            With the reason; `INTERNAL_ERROR` for an unexpected error.
        """
        with errors_as_rejections(task.sent.page.url):
            return task.run(self)

    def document(self, sent: SentPage, *, keep: bool = True) -> Document | None:
        """Return a page as a document; None if it came without its body and is not cached.

        Pass `keep=False` for pages that will not be needed again: cached documents take most of the memory.
        """
        document, page = self._documents.pop(sent.key, None), sent.page
        if document is not None:
            read_of = document.page
            document.page = replace(page, body=read_of.body, html=read_of.html, rendering=read_of.rendering)
        elif page.body is None and page.html is None:
            return None
        else:
            document = read(page, self.options)
        if keep:
            self._documents[sent.key] = document
        n_chars = sum(len(each.html) for each in self._documents.values())
        while len(self._documents) > 1 and (len(self._documents) > MAX_DOCUMENTS or n_chars > MAX_DOCUMENT_CHARS):
            n_chars -= len(self._documents.popitem(last=False)[1].html)
        return document

    def extractor(self, sent: PickledExtractor) -> Extractor:
        """Return an extractor that was sent, from the cache if it is there."""
        if sent.number not in self._extractors:
            self._extractors[sent.number] = pickle.loads(sent.pickled)  # noqa: S301 - from the crawl's own process
            while len(self._extractors) > MAX_EXTRACTORS:
                self._extractors.popitem(last=False)
        self._extractors.move_to_end(sent.number)
        return self._extractors[sent.number]


def reader(extractor: Extractor, options: Options, n_processes: int) -> Reader:
    """Return the reader that runs the tasks in each process, with everything loaded."""
    warm_up(extractor, n_processes=n_processes)
    return Reader(options)


@dataclass(frozen=True, slots=True)
class SummarisePage(Task):
    """Read what discovery needs of a page."""

    def work(self, reader: Reader, document: Document) -> PageSummary:
        """Return the record."""
        return summarise(document)


@dataclass(frozen=True, slots=True)
class ExtractedArticle:
    """An article, and the signature of its text if requested."""

    article: Article
    signature: Signature | None = None


@dataclass(frozen=True, slots=True)
class Extract(Task):
    """Extract the article of a page and its continuation pages."""

    extractor: PickledExtractor
    count_words: bool
    sign: bool
    keep: bool = field(default=False, kw_only=True)

    def work(self, reader: Reader, document: Document) -> ExtractedArticle:
        """Return the article."""
        options = reader.options if self.count_words else replace(reader.options, top_words=None)
        article = extract_page(document, reader.extractor(self.extractor), options)
        return ExtractedArticle(article, signature(article.text) if self.sign else None)


@dataclass(frozen=True, slots=True)
class Compare(Task):
    """Find a page's site, and its resemblance to the pages that the site's model was learned from."""

    extractor: PickledExtractor | None

    def work(self, reader: Reader, document: Document) -> PageResemblance:
        """Return the record."""
        fitted = reader.extractor(self.extractor) if self.extractor else None
        return page_resemblance(document, fitted if isinstance(fitted, SiteExtractor) else None)


@dataclass(frozen=True, slots=True)
class Learn(Task):
    """Learn a site from pages held on disk."""

    learning_task: LearningTask

    def run(self, reader: Reader) -> LearningResult:
        """Return the outcome."""
        try:
            return self.learning_task.run(partial(read, options=reader.options))
        finally:
            trim_memory()
