"""The systems that can be compared: our extractors, the peers, your own function, all text of a page.

A system is named by a string:

- `line_block`, `pab:max_outer_share=0.4`, `package.module:Class`: an extractor, as everywhere in webmain, one page at a time;
- `svm@site`: the extractor gets all pages of a site together and is fitted to the same pages that it judges, without their
  gold, without the fallback to another method that `webmain.extract_site` and a crawl have;
- `svm@crossfit`: a site's pages in `FOLDS` parts, each judged by a model learned from the others;
- `trafilatura`, `newspaper4k:language=en`: a peer, with the options that its function in `peers` takes;
- `all_text`: all visible text of the page, as the baseline to beat;
- `package.module:function`: your own `function(html, url) -> text`, or `-> (text, confidence)`.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from webmain import __version__
from webmain.evaluation.peers import PEERS, PeerPage
from webmain.evaluation.records import GoldPage
from webmain.evaluation.texts import as_page, unless_rejected
from webmain.extraction import Options, extract_page, extract_pages, read
from webmain.extractors.base import EXTRACTORS, Extractor, SiteExtractor, UnknownExtractor, create
from webmain.html.columns import HIDDEN
from webmain.html.kinds import article_blocks
from webmain.items import Page, Rejected
from webmain.sites.fitting import fitted

ALL_TEXT = "all_text"
GROUPS = ("all", "ours", "peers")  # names that stand for several systems
FOLDS = 4  # parts into which a site's pages are divided for `@crossfit`

OPTIONS = Options(metadata=False, max_bytes=64 * 1024 * 1024, timeout_s=None)
"""Of our extractors: limits so high that only the harness's apply, as for peers."""


class UnknownSystem(ValueError):  # noqa: N818 - reads as what it is
    """No system has that name, its options are wrong, or its package is not installed; the message says which."""


class Mode(StrEnum):
    """How the pages of a site are given to a system."""

    PAGE = "page"  # one at a time
    SITE = "site"  # all together; fitted to the pages that it judges, never to their gold
    CROSSFIT = "crossfit"  # fitted to the other pages of the site


Input = Page | PeerPage
Answer = str | tuple[str, float | None] | Rejected
"""A text, a text with the system's confidence in it, or why there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A system that is ready to work."""

    prepare: Callable[[GoldPage], Input]  # makes its input from a gold page; not included in the measurements
    # one `Answer` for each input, in order; may raise anything if there is only one input
    answer: Callable[[Sequence[Any]], Sequence[Answer]]


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """A system by name; created in one process and loaded in another."""

    name: str  # as requested: unique in a comparison
    version: str  # package and version; for code of this project and yours also a digest of the source
    mode: Mode
    about: str  # one sentence on how it is run

    def load(self) -> Loaded:
        """Import and create the system (slow: it is called once in each process). Raises UnknownSystem."""
        return _find(self.name)[1]


def resolve(names: Sequence[str]) -> tuple[list[System], list[str]]:
    """Return systems by their names, each once, and the members of groups that are not installed.

    A group is replaced by its members. Raises UnknownSystem if a name is unknown, an option is wrong, or a package
    asked for by name is not installed.
    """
    found: dict[str, System] = {}
    missing: set[str] = set()
    for name in names:
        for member in _members(name):
            if name in GROUPS and not is_installed(member):
                missing.add(member)
            elif member not in found:
                found[member] = describe(member)
    return list(found.values()), [name for name in PEERS if name in missing]


def describe(name: str) -> System:
    """Return a system by its name; it is checked, but only extractors are loaded. Raises UnknownSystem."""
    return _find(name)[0]


def _find(name: str) -> tuple[System, Loaded]:
    """Return a system by its name, with a description of what it does."""
    spec, mode = _split_mode(name)
    head, _, options = spec.partition(":")
    version, (answer, about) = _own_version(), _MODES[mode]
    if (spec == ALL_TEXT or head in PEERS) and mode is not Mode.PAGE:
        raise UnknownSystem(f"system {name}: {head} learns nothing from a site: leave out @{mode.value}")
    if spec == ALL_TEXT:
        about, loaded = "all visible text of the page", Loaded(prepare=as_page, answer=_each(_all_text))
    elif head in PEERS:
        peer = PEERS[head]
        if not peer.is_installed:
            raise UnknownSystem(f"system {head}: {peer.distribution} is not installed: pip install webmain[peers]")
        try:
            settings = peer.settings(options)
        except ValueError as error:
            raise UnknownSystem(f"system {head}: {error}") from error
        version = f"{peer.distribution} {importlib.metadata.version(peer.distribution)}"
        about = ", ".join(f"{option}={value}" for option, value in settings.items()) or "default options"
        loaded = Loaded(prepare=_peer_page, answer=_each(partial(peer.function, **settings)))
    elif (function := _function(spec)) is not None:
        version, about = f"{spec} {_source_digest(function)}", "your own function"
        loaded, mode = Loaded(prepare=_peer_page, answer=_each(partial(_call, function))), Mode.PAGE
    else:
        extractor = _extractor(spec)
        if head not in EXTRACTORS:
            version += f", {head} {_source_digest(type(extractor))}"
        version += _named_files(options)
        if mode is not Mode.PAGE and not isinstance(extractor, SiteExtractor):
            raise UnknownSystem(f"system {name}: {extractor.name} learns nothing from a site: leave out @{mode.value}")
        loaded = Loaded(prepare=as_page, answer=partial(answer, extractor))
    return System(name=name, version=version, mode=mode, about=about), loaded


def names() -> list[str]:
    """Return every system of the table, ours first: those of `all`."""
    return [*_ours(), ALL_TEXT, *PEERS]


def is_installed(name: str) -> bool:
    """Return True if the packages that a system needs are installed."""
    return name not in PEERS or PEERS[name].is_installed


def split(text: str) -> list[str]:
    """Split "a,b:x=1,y=2,c@site" into names: a part with "=" but no ":" before it continues the previous name."""
    parts: list[str] = []
    for part in text.split(","):
        head, equals, _ = part.partition("=")
        if equals and ":" not in head and parts:
            parts[-1] += f",{part.strip()}"
        elif part.strip():
            parts.append(part.strip())
    return parts


def _members(name: str) -> list[str]:
    if name == "all":
        return names()
    return _ours() if name == "ours" else list(PEERS) if name == "peers" else [name]


def _ours() -> list[str]:
    """Return our extractors, those that learn from sites with all pages of a site together."""
    return [name + ("@site" if isinstance(create(name), SiteExtractor) else "") for name in EXTRACTORS]


def _split_mode(name: str) -> tuple[str, Mode]:
    spec, at, mode = name.rpartition("@")
    if at and mode in ("site", "crossfit"):
        return spec, Mode(mode)
    if at and "=" not in spec:  # else it is in the value of an option, such as a path
        raise UnknownSystem(f"system {name}: got @{mode}, allowed are @site and @crossfit")
    return name, Mode.PAGE


def _extractor(spec: str) -> Extractor:
    try:
        return create(spec)
    except UnknownExtractor as error:
        if spec.partition(":")[0] in EXTRACTORS or ":" in spec:
            raise UnknownSystem(f"system {spec}: {error}") from error
        known = ", ".join([*EXTRACTORS, ALL_TEXT, *PEERS, *GROUPS])
        raise UnknownSystem(f"system: got {spec!r}, allowed are {known}, or an import path module:name") from error


def _function(spec: str) -> Callable[[str, str | None], Answer] | None:
    """Return the plain function that an import path names, or None if it names none."""
    module, _, attribute = spec.partition(":")
    if not attribute or module in EXTRACTORS:
        return None
    try:
        found = getattr(importlib.import_module(module), attribute, None)
        if not inspect.isfunction(found):
            return None
        inspect.signature(found).bind("", None)
    except (ImportError, ValueError, TypeError):  # not found, or not to be called with a page's markup and address
        return None
    return found


@cache
def _own_version() -> str:
    """Return webmain's version with a digest of its source and models, since the version does not change with every edit."""
    import webmain

    whole = hashlib.sha256()
    folder = Path(webmain.__file__).parent
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and parts[0] not in _NOT_EXTRACTION and "__pycache__" not in parts:
            whole.update(path.read_bytes())
    return f"webmain {__version__} ({whole.hexdigest()[:12]})"


_NOT_EXTRACTION = frozenset({"cli", "commands", "evaluation", "spiders", "web"})
"""Packages that no extraction depends on."""


def _source_digest(thing: Any) -> str:
    try:
        return _file_digest(Path(inspect.getfile(thing)))
    except (OSError, TypeError):
        return "without source"


def _named_files(options: str) -> str:
    """Return the digests of files that options name, such as a page model: they may change between runs, as code does."""
    paths = [Path(part.partition("=")[2]).expanduser() for part in options.split(",")]
    return "".join(f", {path.name} {_file_digest(path)}" for path in paths if path.is_file())


def _file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


# ---- what runs in the worker


def _peer_page(gold: GoldPage) -> PeerPage:
    """Return a peer's input with decoded text: raw bytes are decoded as webmain does it."""
    from webmain.html.encoding import decode

    html = decode(gold.html).text if isinstance(gold.html, bytes) else gold.html
    return PeerPage(html=html, url=gold.url, language=gold.language)


def _each(function: Callable[[Any], Answer]) -> Callable[[Sequence[Any]], list[Answer]]:
    return lambda pages: [function(page) for page in pages]


def _call(function: Callable[[str, str | None], Answer], page: PeerPage) -> Answer:
    return function(page.html, page.url)


def _all_text(page: Page) -> str:
    document = read(page, OPTIONS)
    nothing = np.zeros(len(document.leaves))
    shown = ~document.leaves.has(HIDDEN)
    blocks = article_blocks(document, shown, score=nothing, raw=nothing, locate=False)
    return "\n".join(block.text for block in blocks if block.text)


def _by_page(extractor: Extractor, pages: Iterable[Page]) -> list[Answer]:
    return [_answer(page, extractor) for page in pages]


def _answer(page: Page, extractor: Extractor) -> Answer:
    try:
        article = extract_page(page, extractor, OPTIONS)
    except Rejected as rejected:
        return rejected
    return article.text, article.confidence


def _by_site(extractor: Extractor, pages: Sequence[Page]) -> list[Answer]:
    found = extract_pages(pages, extractor, OPTIONS)
    return [a if isinstance(a, Rejected) else (a.text, a.confidence) for a in found]


def _crossfit(extractor: Extractor, pages: Sequence[Page]) -> list[Answer]:
    answers: dict[int, Answer] = {}
    for fold in range(min(FOLDS, len(pages))):
        model = fitted_to([page for number, page in enumerate(pages) if number % FOLDS != fold], extractor)
        for number in range(fold, len(pages), FOLDS):
            answers[number] = _answer(pages[number], model)
    return [answers[number] for number in range(len(pages))]


def fitted_to(pages: Iterable[Page], extractor: Extractor) -> Extractor:
    """Return an extractor fitted to pages if there are enough to learn from; otherwise return it unchanged."""
    documents = (unless_rejected(read, page, OPTIONS) for page in pages)
    return fitted(extractor, [document for document in documents if document is not None])


_MODES = {
    Mode.PAGE: (_by_page, "one page at a time"),
    Mode.SITE: (_by_site, "all pages of a site together, fitted to the pages that it extracts, without their gold"),
    Mode.CROSSFIT: (
        _crossfit,
        f"a site's pages in {FOLDS} parts, each extracted with what was learned from the others",
    ),
}
"""How each mode answers, and a sentence on it."""
