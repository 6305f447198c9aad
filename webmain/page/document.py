"""`Document`: one page read once; every view of it is made when first asked for."""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from webmain.items import Page, Reason, Rejected
from webmain.page.tree import Elements, Leaves, Tree, read_tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.items import Metadata
    from webmain.page.blocks import Segmentation
    from webmain.page.embedded import Embedded
    from webmain.page.lines import Lines
    from webmain.page.links import Link

DEFAULT_MAX_BYTES = 10 * 1024 * 1024


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
    deadline : float or None
        `time.monotonic()` value after which reading gives up.

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
        deadline: float | None = None,
    ) -> None:
        self.page = page
        self.url = page.url
        self.charset = charset
        self.charset_source = charset_source
        self.deadline = deadline
        self._source = source
        self._html = html

    def __repr__(self) -> str:
        return f"Document(url={self.url!r})"

    def check_time(self) -> None:
        """Raise `Rejected(TOO_SLOW)` if the page has used up its time."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise Rejected(Reason.TOO_SLOW, "the time limit for one page has passed", url=self.url)

    def restart(self, timeout_s: float | None) -> None:
        """Let the page's time begin now; what was read of it stays. None for no limit."""
        self.deadline = None if timeout_s is None else time.monotonic() + timeout_s

    @cached_property
    def html(self) -> str:
        """The markup as text."""
        if self._html is None:
            assert self._source is not None
            self._html = self._source.decode("utf-8", "replace")
        return self._html

    @cached_property
    def source(self) -> bytes:
        """The markup as UTF-8."""
        if self._source is None:
            assert self._html is not None
            self._source = self._html.encode("utf-8", "replace")
        return self._source

    @cached_property
    def tree(self) -> Tree:
        """Leaves and elements: one parse, one walk."""
        tree = read_tree(self.source, deadline=self.deadline)
        self.check_time()
        return tree

    @property
    def leaves(self) -> Leaves:
        """Text runs in document order."""
        return self.tree.leaves

    @property
    def elements(self) -> Elements:
        """Elements in preorder."""
        return self.tree.elements

    @cached_property
    def title(self) -> str:
        """Text of the `title` element; from the source lines where no tree has been built yet."""
        return self.tree.title if "tree" in self.__dict__ or "lines" not in self.__dict__ else self.lines.title

    @cached_property
    def site(self) -> str:
        """Site key of the page's URL: the registered domain with private suffixes; "" without a URL."""
        from webmain.page.urls import site_key

        return site_key(self.url) if self.url else ""

    @cached_property
    def lines(self) -> Lines:
        """Lines of the source (Line-Block); never builds a tree."""
        from webmain.page.lines import source_lines

        lines = source_lines(self.html)
        self.check_time()
        return lines

    @cached_property
    def blocks(self) -> Segmentation:
        """The default segmentation: what a reader sees as one unit."""
        from webmain.page.blocks import segment

        return segment(self)

    @cached_property
    def metadata(self) -> Metadata:
        """What the page says of itself."""
        from webmain.page.metadata import read_metadata

        metadata = read_metadata(self)
        self.check_time()
        return metadata

    @cached_property
    def embedded(self) -> Embedded | None:
        """The article that the page carries as data for its scripts (JSON-LD, state of frameworks), if there is one."""
        from webmain.page.embedded import embedded_text

        embedded = embedded_text(self)
        self.check_time()
        return embedded

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Anchors with absolute URLs, in document order."""
        from webmain.page.links import read_links

        return read_links(self)

    @cached_property
    def base_url(self) -> str | None:
        """What relative URLs are relative to: `<base href>` or the page's URL."""
        from webmain.page.urls import join

        elements = self.elements
        for i, tag in enumerate(elements.tags):
            if tag == "base" and (href := elements.attributes[i].get("href")):
                return join(self.url or "", href) or self.url
            if tag == "body":
                break
        return self.url

    @cached_property
    def anchors(self) -> NDArray[np.int32]:
        """Indices of the `a` elements that have an `href`."""
        elements = self.elements
        found = [i for i, t in enumerate(elements.tags) if t == "a" and "href" in elements.attributes[i]]
        return np.array(found, dtype=np.int32)
