"""`Document`: one page read once; every view of it is made when first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

import numpy as np

from webmain.clock import Deadline
from webmain.html.tree import Elements, Leaves, Tree, read_tree
from webmain.items import Page, Reason, Rejected

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.discovery.links import Link
    from webmain.embedded.articles import Embedded
    from webmain.html.blocks import Segmentation
    from webmain.html.lines import Lines
    from webmain.items import Metadata

DEFAULT_MAX_BYTES = 10 * 1024 * 1024

T = TypeVar("T")


class _View(Generic[T]):
    """A view of a page, made when first asked for, in the page's time; threads never wait for each other's."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, document: None, kind: type) -> Self: ...

    @overload
    def __get__(self, document: Document, kind: type) -> T: ...

    def __get__(self, document: Document | None, kind: type) -> Self | T:
        if document is None:
            return self
        with document.deadline:
            made = self._make(document)
            document.check_time()
        return document.__dict__.setdefault(self._name, made)  # type: ignore[no-any-return]


class Document:
    """One page, decoded; its tree, source lines, blocks, metadata and links are lazy views.

    Line-Block asks for `lines` only and so never builds a tree; the tree methods never split lines.

    Parameters
    ----------
    page : Page
        What came.
    source : bytes or None
        The markup as UTF-8 where it already is that.
    html : str or None
        The markup as text; one of `source` and `html` is given.
    charset, charset_source : str
        Encoding of the page's bytes and what decided it; "" for pages that came as text.
    deadline : Deadline or None
        What measures the CPU time of the work with the page, and ends it; None for no limit.

    Raises
    ------
    Rejected
        `TOO_SLOW`, from whichever view meets the deadline.
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
        self.url = page.url
        self.charset = charset
        self.charset_source = charset_source
        self.deadline = deadline or Deadline()
        self.recurring: frozenset[str] = frozenset()
        """Pieces of titles that recur on the site's pages, folded; known only where pages of a site come together."""
        self._source = source
        self._html = html

    def __repr__(self) -> str:
        return f"Document(url={self.url!r})"

    def check_time(self) -> None:
        """Raise `Rejected(TOO_SLOW)` if the page has used up its time."""
        if self.deadline.has_passed():
            raise Rejected(Reason.TOO_SLOW, f"more than {self.deadline.limit_s:g} s of CPU time", url=self.url)

    @_View
    def html(self) -> str:
        """The markup as text."""
        if self._html is None:
            assert self._source is not None
            self._html = self._source.decode("utf-8", "replace")
        return self._html

    @_View
    def source(self) -> bytes:
        """The markup as UTF-8."""
        if self._source is None:
            assert self._html is not None
            self._source = self._html.encode("utf-8", "replace")
        return self._source

    @_View
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

    @_View
    def title(self) -> str:
        """Text of the `title` element."""
        return self.tree.title

    @_View
    def site(self) -> str:
        """Site key of the page's URL: the registered domain with private suffixes; "" without a URL."""
        from webmain.urls import site_key

        return site_key(self.url) if self.url else ""

    @_View
    def lines(self) -> Lines:
        """Lines of the source (Line-Block); never builds a tree."""
        from webmain.html.lines import source_lines

        return source_lines(self.html)

    @_View
    def blocks(self) -> Segmentation:
        """The default segmentation: what a reader sees as one unit."""
        from webmain.html.blocks import segment

        return segment(self)

    @_View
    def metadata(self) -> Metadata:
        """What the page says of itself."""
        from webmain.metadata.read import read_metadata

        return read_metadata(self)

    @_View
    def embedded(self) -> Embedded | None:
        """The article that the page carries as data for its scripts (JSON-LD, state of frameworks), if there is one."""
        from webmain.embedded.articles import embedded_text

        return embedded_text(self)

    @_View
    def links(self) -> tuple[Link, ...]:
        """Anchors with absolute URLs, in document order."""
        from webmain.discovery.links import read_links

        return read_links(self)

    @_View
    def base_url(self) -> str | None:
        """What relative URLs are relative to: `<base href>` or the page's URL."""
        from webmain.urls import join

        elements = self.elements
        for i, tag in enumerate(elements.tags):
            if tag == "base" and (href := elements.attributes[i].get("href")):
                return join(self.url or "", href) or self.url
            if tag == "body":
                break
        return self.url

    @_View
    def anchors(self) -> NDArray[np.int32]:
        """Indices of the `a` elements that have an `href`."""
        elements = self.elements
        found = [i for i, t in enumerate(elements.tags) if t == "a" and "href" in elements.attributes[i]]
        return np.array(found, dtype=np.int32)
