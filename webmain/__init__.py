"""webmain: news pages in, clean articles out.

The public door: `extract` for one page, `extract_site` for pages of one site, `extract_many` for any number of pages, and the
records they take and give. Importing it costs next to nothing; parsers and models are loaded when first needed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable, Iterator
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

    from webmain.extraction import Options
    from webmain.extractors.base import Extractor
    from webmain.items import Article, ArticleBlock, Hints, Image, Kind, Page, Reason, Rejected, TextLink, WordCount
    from webmain.items.keep import Keep
    from webmain.processes.batch import BatchResult

if "numpy" not in sys.modules:  # its idle threads else compute .1 s for nothing: 2**26 cycles, in place of 2**20
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")

__version__ = "0.1.0"
__all__ = [
    "Article",
    "ArticleBlock",
    "Hints",
    "Image",
    "Keep",
    "Kind",
    "Page",
    "Reason",
    "Rejected",
    "TextLink",
    "WordCount",
    "extract",
    "extract_many",
    "extract_site",
]

MAX_BYTES = 10 * 1024 * 1024
TIMEOUT_S = 10.0
MAX_NOTES = 20
TOP_WORDS = 50


def __getattr__(name: str) -> object:
    """Return a record's type: all are loaded when one is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from webmain import items

    found: object = getattr(items, name)
    globals()[name] = found
    return found


def extract(
    html_or_bytes: str | bytes,
    *,
    url: str | None = None,
    extractor: str | Extractor | None = None,
    parts: Literal["article", "text"] = "article",
    keep: Keep | str | Iterable[str] | None = None,
    timeout_s: float | None = TIMEOUT_S,
    max_bytes: int = MAX_BYTES,
    models: str | Path | None = None,
    sites: str | Path | None = None,
    words: bool = False,
    require: str | None = None,
) -> Article:
    """Extract the article from one page.

    Parameters
    ----------
    html_or_bytes : str or bytes
        The page's markup; bytes are decoded by what they are rather than by what they claim to be.
    url : str or None
        Where it came from; needed to tell inner links from outer ones and to make links absolute.
    extractor : str, Extractor or None
        A method's name ("pab"), with options ("line_block:decision=sigma"), an import path ("mine.module:Class"), or an
        extractor; None is the default method.
    parts : {"article", "text"}
        "text" leaves out metadata, language and identity, and is several times faster.
    keep : Keep, str or iterable of str
        What beside running text is kept: a `Keep`, or names of its fields such as {"links", "captions", "no-tables"}, also in
        one string separated by commas.
    timeout_s : float or None
        Seconds of CPU time, of the work with this page alone, after which it is given up: no waiting, no first loading of
        models and dictionaries. None for no limit.
    max_bytes : int
        Largest page accepted.
    models : str, Path or None
        A folder of models of sites (`webmain learn`): for a method that learns, the one of the page's site is used, if there
        is one; None looks nowhere.
    sites : str, Path or None
        A file of rules for single sites (`sites.toml`).
    words : bool
        Count the words of the text: `Article.words`, the 50 most frequent ones without stop words, and `Article.n_words`.
    require : str or None
        The kind of page that is wanted: "article", "listing", "forum", "product", "documentation" or "other". A page of
        another kind is rejected (`NOT_ARTICLE`). `Article.page_type` is the kind with `parts="text"`, too, then.

    Raises
    ------
    Rejected
        The page cannot give an article; see its `reason`. A ValueError. An unforeseen error, of a method of your own for
        one, is its `__cause__` (`INTERNAL_ERROR`).
    ModelError
        The site's model cannot be used. A ValueError.
    TypeError
        The page is neither str nor bytes.
    ValueError
        An option has a value that is not allowed, or the file of rules has a mistake (`SitesError`).

    Examples
    --------
    >>> webmain.extract("<p>Ice is back on the lake.</p>" * 3).text  # doctest: +SKIP
    """
    from webmain.extraction import extract_page
    from webmain.extractors.base import create
    from webmain.items import Bytes, Page

    if url is not None and not isinstance(url, str):
        raise TypeError(f"url: got {url!r}, allowed is a string, or None")
    options = _options(parts, keep, timeout_s, max_bytes, words, sites, models, require)
    given: object = html_or_bytes
    if not isinstance(given, str | Bytes):
        hint = "; extract_site and extract_many take pages" if isinstance(given, Page) else ""
        hint = "; read the file first: path.read_bytes()" if isinstance(given, PathLike) else hint
        raise TypeError(f"the page must be str or bytes, not {type(given).__name__}{hint}")
    method, choose = create(extractor), None
    if models is not None:
        from webmain.sites.model_store import ModelStore, with_model

        choose = partial(with_model, method, ModelStore(models))
    return extract_page(Page(url=url, html=html_or_bytes), method, options, choose=choose)


def extract_site(
    pages: Iterable[Page],
    *,
    extractor: str | Extractor | None = None,
    parts: Literal["article", "text"] = "article",
    keep: Keep | str | Iterable[str] | None = None,
    timeout_s: float | None = TIMEOUT_S,
    max_bytes: int = MAX_BYTES,
    models: str | Path | None = None,
    sites: str | Path | None = None,
    words: bool = False,
    require: str | None = None,
) -> list[Article | Rejected]:
    """Extract the articles from pages of one site, so that extractors which learn from a site can learn from all of them.

    Where nothing can be learned from the pages (too few, no descriptions for `svm`), and on pages that look unlike those
    learned from, the default method judges, unless the extractor does well as it comes (`lbda`); so does a crawl. A warning
    is logged then, and `Article.extractor` names the method.

    Parameters
    ----------
    pages : iterable of Page
        `Page(url=..., html=...)` or `Page(url=..., body=...)`.
    extractor, parts, keep, timeout_s, max_bytes, sites, words, require
        As for `extract`; the time limit holds for each page.
    models : str, Path or None
        As for `extract`: where there is a model of the site it is used, and nothing is learned from the pages.

    Returns
    -------
    list of Article or Rejected
        One answer for each page, in order.
    """
    from webmain.extraction import extract_pages
    from webmain.extractors.base import create
    from webmain.sites.model_store import ModelStore

    options = _options(parts, keep, timeout_s, max_bytes, words, sites, models, require)
    store = None if models is None else ModelStore(models)
    return extract_pages(list(_checked(pages)), create(extractor), options, models=store, default=create(None))


def extract_many(
    pages: Iterable[Page],
    *,
    jobs: int | None = None,
    extractor: str | Extractor | None = None,
    parts: Literal["article", "text"] = "article",
    keep: Keep | str | Iterable[str] | None = None,
    timeout_s: float | None = TIMEOUT_S,
    max_bytes: int = MAX_BYTES,
    models: str | Path | None = None,
    sites: str | Path | None = None,
    words: bool = False,
    require: str | None = None,
) -> Iterator[Article | Rejected]:
    """Extract the articles from any number of pages of any sites, on several cores.

    Pages are taken one after the other as there is room for them, and answers come in the same order: memory is bounded
    (`AHEAD`, `MAX_AHEAD_BYTES` in `webmain.processes.batch`) however many there are. No page stops the others: one that takes
    too long, raises an error in the method or crashes its process is answered with the reason. Each page is judged by itself,
    or by its site's model where there is one in `models`; nothing is learned.

    Parameters
    ----------
    pages : iterable of Page
        `Page(url=..., body=...)` or `Page(url=..., html=...)`; may be endless.
    jobs : int or None
        Worker processes; None for one on each core; 0 does the work in this process, and only the time limit between steps
        holds. They are started anew, and ended with the iterator.
    extractor, parts, keep, timeout_s, max_bytes, models, sites, words, require
        As for `extract`; the time limit holds for each page. An extractor of your own must be one that can be pickled;
        a script that defines it itself has to call this under `if __name__ == "__main__":`.

    Yields
    ------
    Article or Rejected
        One answer for each page, in order.

    Raises
    ------
    PoolError
        Worker processes cannot be started. A RuntimeError.
    ValueError, TypeError
        As for `extract`.
    Exception
        What `pages` raises, after the answers for the pages before.

    Examples
    --------
    >>> for page, answer in zip(pages, webmain.extract_many(pages)):  # doctest: +SKIP
    ...     print(page.url, answer.reason if isinstance(answer, webmain.Rejected) else answer.title)
    """
    from webmain.extractors.base import create
    from webmain.processes.batch import BatchOptions, cores, run_batch

    options = _options(parts, keep, timeout_s, max_bytes, words, sites, models, require)
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 0):
        raise ValueError(
            f"jobs: got {jobs!r}, allowed are whole numbers from 0, and None for as many as there are cores"
        )
    create(extractor)
    walk = BatchOptions(extractor=extractor, options=options, models=None if models is None else str(models))
    return _logged(run_batch(_checked(pages), walk, jobs=cores() if jobs is None else jobs))


def _logged(found: Generator[BatchResult, None, None]) -> Iterator[Article | Rejected]:
    """Yield what was found, and log notes on models, once each."""
    import logging

    noted: set[str] = set()
    try:
        for answer in found:
            if answer.note and answer.note not in noted and len(noted) < MAX_NOTES:
                noted.add(answer.note)
                logging.getLogger("webmain").warning("%s", answer.note)
            yield answer.found
    finally:
        found.close()


def _checked(pages: Iterable[Page]) -> Iterator[Page]:
    """Yield pages; raise TypeError at what is none."""
    from webmain.items import Bytes, Page

    if isinstance(pages, Page | str | Bytes):
        raise TypeError(
            f"pages must be an iterable of webmain.Page, not {type(pages).__name__}: [Page(url=..., html=...)]"
        )
    for number, page in enumerate(pages):
        if not isinstance(page, Page):
            raise TypeError(
                f"pages[{number}] must be a webmain.Page, not {type(page).__name__}: Page(url=..., html=...)"
            )
        yield page


def _options(
    parts: object,
    keep: Keep | str | Iterable[str] | None,
    timeout_s: float | None,
    max_bytes: int,
    words: bool,
    sites: str | Path | None,
    models: str | Path | None,
    require: str | None,
) -> Options:
    """Return the options; raise ValueError or TypeError, naming the option, what was given and what is allowed."""
    from webmain.extraction import Options
    from webmain.items.keep import DEFAULT_KEEP, Keep

    if parts not in ("article", "text"):
        raise ValueError(f"parts: got {parts!r}, allowed are 'article' and 'text'")
    if timeout_s is not None and not _is_positive(timeout_s):
        raise ValueError(f"timeout_s: got {timeout_s!r}, allowed is a positive number of seconds, or None")
    if not _is_positive(max_bytes):
        raise ValueError(f"max_bytes: got {max_bytes!r}, allowed is a positive number of bytes")
    for name, path in (("sites", sites), ("models", models)):
        if path is not None and not isinstance(path, str | PathLike):
            raise TypeError(f"{name}: got {path!r}, allowed is a path, or None")
    rules = None
    if sites is not None:
        from webmain.sites.rules import read_sites

        rules = read_sites(sites)
    return Options(
        metadata=parts == "article",
        keep=DEFAULT_KEEP if keep is None else Keep.of(keep),
        max_bytes=max_bytes,
        timeout_s=timeout_s,
        top_words=TOP_WORDS if words else None,
        sites=rules,
        require=require,
    )


def _is_positive(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0
