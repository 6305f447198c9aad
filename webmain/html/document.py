"""`Document`: one page, parsed once; every view of it is computed on first access."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from webmain.clock import Deadline
from webmain.html.tree import Elements, Leaves, Tree, read_tree
from webmain.items import Page, Reason, Rejected
from webmain.text.normal import replace_surrogates
from webmain.urls import join, site_key

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.html.lines import Lines

DEFAULT_MAX_BYTES = 10 * 1024 * 1024

T = TypeVar("T")


def view(read: Callable[[Document], T]) -> Callable[[Document], T]:
    """Return a function of a document that is computed once per document and counts against the page's time limit.

    Used as a decorator by higher-level modules: metadata, links, embedded texts. Threads do not lock: two concurrent
    callers both compute the value, and get the same object.
    """
    name = f"{read.__module__}.{read.__qualname__}"

    @wraps(read)
    def remembered(document: Document) -> T:
        views = document.views
        if name not in views:
            with document.deadline:
                found = read(document)
                document.check_time()
            views.setdefault(name, found)
        value: T = views[name]
        return value

    return remembered


class Document:
    """One decoded page; its tree and source lines are computed on first access.

    Line-Block uses only `lines` and so never builds a tree; the tree methods never split lines. Other modules add views as
    functions with the decorator `view`.

    Parameters
    ----------
    page : Page
        The page as received.
    source : bytes or None
        The markup as UTF-8.
    html : str or None
        The markup as text; one of `source` and `html` is given.
    charset, charset_source : str
        Encoding of the page's bytes and how it was determined; "" for pages given as text.
    deadline : Deadline or None
        Limit on the CPU time spent on the page; None for no limit.

    Raises
    ------
    Rejected
        `TOO_SLOW`, from any view that passes the deadline.
    """

    def __init__(
        self,
        page: Page,
        *,
        source: bytes | None = None,
        html: str | None = None,
        charset: str = "",
        charset_source: str = "",
        deadline: Deadline | None = None,
    ) -> None:
        self.page = page
        self.url = replace_surrogates(page.url) if page.url else page.url
        self.charset = charset
        self.charset_source = charset_source
        self.deadline = deadline or Deadline()
        self.recurring: frozenset[str] = frozenset()
        """Parts of titles that recur on the site's pages, folded; set only if a site's pages are processed together."""
        self.views: dict[str, Any] = {}
        """Views computed so far, by the functions' full names."""
        self._source = source
        self._html = html

    def __repr__(self) -> str:
        return f"Document(url={self.url!r})"

    def check_time(self) -> None:
        """Raise `Rejected(TOO_SLOW)` if the page has used up its time."""
        if self.deadline.has_passed():
            raise Rejected(Reason.TOO_SLOW, f"more than {self.deadline.limit_s:g} s of CPU time", url=self.url)

    @property
    @view
    def html(self) -> str:
        """The markup as text."""
        if self._html is None:
            assert self._source is not None
            self._html = self._source.decode("utf-8", "replace")
        return self._html

    @property
    @view
    def source(self) -> bytes:
        """The markup as UTF-8."""
        if self._source is None:
            assert self._html is not None
            self._source = self._html.encode("utf-8", "replace")
        return self._source

    @property
    @view
    def tree(self) -> Tree:
        """Leaves and elements: one parse, one walk."""
        return read_tree(self.source, deadline=self.deadline)

    @property
    def leaves(self) -> Leaves:
        """Text runs in document order."""
        return self.tree.leaves

    @property
    def elements(self) -> Elements:
        """Elements in preorder."""
        return self.tree.elements

    @property
    @view
    def title(self) -> str:
        """Text of the `title` element."""
        return self.tree.title

    @property
    @view
    def site(self) -> str:
        """Site key of the page's URL: the registered domain with private suffixes; "" without a URL."""
        return site_key(self.url) if self.url else ""

    @property
    @view
    def lines(self) -> Lines:
        """Lines of the source (Line-Block); never builds a tree."""
        from webmain.html.lines import source_lines

        return source_lines(self.html)

    @property
    @view
    def has_data(self) -> bool:
        """Whether the page may have embedded data: a script, or an attribute that may be JSON."""
        return (
            bool(self.tree.data)
            or b"<script" in self.source
            or b"<script" in self.source.lower()
            or any(
                value and value.lstrip()[:1] in ("{", "[")
                for attributes in self.elements.attributes
                for value in attributes.values()
            )
        )

    @property
    @view
    def base_url(self) -> str | None:
        """The base of relative URLs: `<base href>` or the page's URL."""
        elements = self.elements
        for i, tag in enumerate(elements.tags):
            if tag == "base" and (href := elements.attributes[i].get("href")):
                return join(self.url or "", href) or self.url
            if tag == "body":
                break
        return self.url

    @property
    @view
    def anchors(self) -> NDArray[np.int32]:
        """Indices of the `a` elements that have an `href`."""
        elements = self.elements
        links = elements.of_tags(["a"])
        found = [i for i, each in zip(links, elements.attributes_of(links), strict=True) if "href" in each]
        return np.array(found, dtype=np.int32)
