"""The peers as functions from a page to its text, each configured for the main text as its documentation advises.

All get the decoded page, its address and its language, where the gold knows them; none goes to the network (the worker
closes it besides). Every import is inside its function: none of these packages is needed to install webmain.
"""

from __future__ import annotations

import importlib.util
import inspect
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_type_hints

from webmain.extractors.base import parse_options

Focus = Literal["balanced", "precision", "recall"]

NO_URL = "http://page.invalid/"  # address for pages without one, for peers that require it


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerPage:
    """The input of a peer."""

    html: str  # the page, decoded
    url: str | None
    language: str  # ISO 639 code as the gold has it, "" if unknown


def trafilatura(page: PeerPage, *, focus: Focus = "balanced", comments: bool = False) -> str:
    """Return trafilatura's text."""
    import trafilatura

    text = trafilatura.extract(
        page.html,
        url=page.url,
        include_comments=comments,
        favor_precision=focus == "precision",
        favor_recall=focus == "recall",
    )
    return text or ""


def trafilatura_precision(page: PeerPage, *, comments: bool = False) -> str:
    """Return trafilatura's text when it favours precision."""
    return trafilatura(page, focus="precision", comments=comments)


def resiliparse(page: PeerPage, *, alt_texts: bool = False, comments: bool = True) -> str:
    """Return resiliparse's main content.

    Texts of pictures are left out. Its own filter of comments is left off: with it, it loses more articles than comments
    (F1 .889 to .758 on Thai pages).
    """
    from resiliparse.extract.html2text import extract_plain_text

    return str(extract_plain_text(page.html, main_content=True, alt_texts=alt_texts, comments=comments) or "")


def readability_lxml(page: PeerPage) -> str:
    """Return all text of readability-lxml's summary of the page."""
    from lxml import etree, html
    from readability import Document

    summary = Document(page.html).summary()
    try:
        root: Any = html.fromstring(summary)
        return str(root.text_content())
    except etree.ParserError:  # the summary is empty
        return ""


def newspaper4k(page: PeerPage, *, language: str = "page") -> str:
    """Return newspaper4k's text.

    `language` is the code to read the page by; "page" takes the gold's, then what the library makes out itself, then
    English: some languages need tokenizers that are not part of it.
    """
    import newspaper

    wanted = [page.language, "", "en"] if language == "page" else [language]
    for number, code in enumerate(wanted):
        options: dict[str, Any] = {"language": code} if code else {}
        try:
            article = newspaper.Article(page.url or NO_URL, fetch_images=False, memorize_articles=False, **options)
            article.download(input_html=page.html)
            article.parse()
            return str(article.text)
        except (ImportError, ValueError):  # a language that the library does not know or has no tokenizer for
            if number == len(wanted) - 1:
                raise
    return ""


def justext(page: PeerPage, *, language: str = "page") -> str:
    """Return jusText's good paragraphs.

    `language` is a code, or "page" for the gold's. Languages without a stop list of its own are read in its
    language-independent mode (no stop words, both thresholds 0).
    """
    import justext as library

    name = stop_lists().get(page.language if language == "page" else language)
    options = {} if name else {"stopwords_low": 0, "stopwords_high": 0}
    words = library.get_stoplist(name) if name else frozenset()
    return "\n".join(p.text for p in library.justext(page.html, words, **options) if not p.is_boilerplate)


def boilerpy3(page: PeerPage) -> str:
    """Return boilerpy3's article (its ArticleExtractor)."""
    from boilerpy3.extractors import ArticleExtractor

    return str(ArticleExtractor(raise_on_failure=False).get_content(page.html))


def goose3(page: PeerPage) -> str:
    """Return goose3's cleaned text; pictures are not fetched."""
    from goose3 import Goose

    with Goose({"enable_image_fetching": False}) as goose:
        return str(goose.extract(raw_html=page.html, url=page.url).cleaned_text or "")


@cache
def stop_lists() -> dict[str, str]:
    """Return the names of jusText's stop lists by ISO 639 code."""
    return tomllib.loads(Path(__file__).with_name("justext.toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A peer: its distribution, the module to import, and the function that calls it."""

    distribution: str
    module: str
    function: Callable[..., str]

    @property
    def is_installed(self) -> bool:
        """Whether the distribution is installed."""
        return importlib.util.find_spec(self.module) is not None

    def settings(self, text: str) -> dict[str, object]:
        """Return all options of the function: those of "a=1,b=x", in the types of their defaults, and the defaults.

        Raises ValueError if it has no such option, or the option has no such value.
        """
        parameters = inspect.signature(self.function).parameters.values()
        defaults = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
        types = get_type_hints(self.function)
        return defaults | parse_options(text, {name: types[name] for name in defaults})


_PEERS = (
    ("trafilatura", "trafilatura", trafilatura),
    ("trafilatura", "trafilatura", trafilatura_precision),
    ("resiliparse", "resiliparse", resiliparse),
    ("readability-lxml", "readability", readability_lxml),
    ("newspaper4k", "newspaper", newspaper4k),
    ("justext", "justext", justext),
    ("boilerpy3", "boilerpy3", boilerpy3),
    ("goose3", "goose3", goose3),
)

PEERS: Mapping[str, Peer] = MappingProxyType(
    {function.__name__: Peer(distribution=d, module=m, function=function) for d, m, function in _PEERS}
)
"""Names of the peers in display order."""
