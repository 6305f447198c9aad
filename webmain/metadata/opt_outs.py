"""Read opt-outs: robots directives, text and data mining reservations, preferences about machine learning."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from webmain.clock import once
from webmain.metadata.head import meta_names
from webmain.metadata.reading import Found, Reading, found
from webmain.regex import lazy

OUR_AGENT: Final = "webmain"

_PREVIEW: Final = lazy(r"max-snippet\s*:\s*0\b")
_USAGE: Final = lazy(r"(?<![a-z0-9-])([a-z][a-z0-9-]*+)\s*+=\s*(yes|no|y|n)\b", re.I)
_VALUED: Final = frozenset({"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"})


@once
def _words() -> dict[str, frozenset[str]]:
    table = tomllib.loads(Path(__file__).with_name("opt_outs.toml").read_text("utf-8"))
    return {name: frozenset(words.split()) for name, words in table.items()}


def ai_crawlers() -> frozenset[str]:
    """Return the names of crawlers that collect for language models, in lower case."""
    return _words()["crawlers"]


def obeyed(signals: Iterable[str]) -> str | None:
    """Return the first signal, of those as in `Metadata.opt_outs`, that forbids storing an article; None if none does."""
    words = _words()
    for signal in sorted(signals):
        who, _, what = signal.partition(":")
        if who in ("robots.txt", "ai.txt", "tdm-reservation"):
            return signal
        if what in words["obeyed"] and (who in ("robots", OUR_AGENT) or who in words["crawlers"]):
            return signal
        if who in ("content-signal", "content-usage") and what.removesuffix("=no") in words["uses"]:
            return signal
    return None


def read_usage(text: str) -> dict[str, bool]:
    """Return whether each use is allowed by a Content-Signal or Content-Usage value: "search=yes, ai-train=no"."""
    return {name.lower(): value[0] in "yY" for name, value in _USAGE.findall(text[:2_000])[:20]}


def read_opt_outs(reading: Reading) -> Found | None:
    """Return the opt-outs in `meta` elements and in the response's headers.

    Returns
    -------
    Found or None
        A tuple such as ("robots:noarchive", "gptbot:noindex", "tdm-reservation"), sorted, without duplicates.
    """
    meta = reading.clues.meta
    headers = reading.document.page.headers
    told = [(_signals(raw, name), raw) for name in meta_names("robots") for raw in reading.clues.metas(name)]
    in_header = headers.get("x-robots-tag", "")
    told.append((_header_signals(in_header[:2000]), in_header))
    reserved = meta("tdm-reservation") or headers.get("tdm-reservation", "")  # the page's own outranks the other
    if reserved.strip() == "1":
        told.append(({"tdm-reservation"}, f"tdm-reservation: {reserved}"))
    for name in ("content-signal", "content-usage"):
        raw = headers.get(name, "") or meta(name)
        told.append(({f"{name}:{use}=no" for use, may in read_usage(raw).items() if not may}, f"{name}: {raw}"))
    if raw := meta("tdm-policy") or headers.get("tdm-policy", ""):
        told.append(({"tdm-policy"}, raw))
    raws = [raw for signals, raw in told if signals]
    signals = sorted(set().union(*(signals for signals, _ in told)))
    return found(tuple(signals), "meta", "; ".join(raws)) if signals else None


def _signals(raw: str, name: str) -> set[str]:
    """Return an agent's directives against reuse."""
    words = {w.strip() for w in re.split(r"[,;\s]+", raw.lower()[:500])}
    kept = {f"{name}:{w}" for w in words & _words()["directives"]}
    return kept | ({f"{name}:nosnippet"} if _PREVIEW.search(raw.lower()[:500]) else set())


def _header_signals(raw: str) -> set[str]:
    """Return the signals in an X-Robots-Tag header, where an agent's name may precede its directives."""
    signals: set[str] = set()
    agent = "robots"
    for part in raw.lower().split(","):
        before, colon, after = part.strip().partition(":")
        if colon and before.strip() not in _VALUED:
            agent, part = before.strip()[:40], after
        signals |= _signals(part, agent)
    return signals
