"""Read robots.txt by RFC 9309: groups and rules, and opt-out signals in its other lines."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import quote_from_bytes

from webmain.discovery.safe_xml import absolute_url
from webmain.metadata.opt_outs import ai_crawlers, read_usage
from webmain.urls import normal_escape

MAX_ROBOTS_BYTES: Final = 500 * 1024
"""Bytes of a robots.txt that are read (RFC 9309 asks for at least this many)."""

MAX_SITEMAPS: Final = 1000

_FIELDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("user-agent", "useragent", "user agent"), "agent"),
    **dict.fromkeys(("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"), "disallow"),
    **dict.fromkeys(("crawl-delay", "crawldelay", "crawl delay"), "delay"),
    **dict.fromkeys(("sitemap", "site-map", "sitemaps"), "sitemap"),
    "allow": "allow",
    "content-signal": "content-signal",
    "content-usage": "content-usage",
}
"""Names of lines by their spellings, including the misspellings that Google's parser accepts."""

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_NO_COLON: Final = re.compile(r"\s*+([a-z]++(?:[- ][a-z]+)?)\s++(\S++)\s*+", re.I)
_AGENT: Final = re.compile(r"\*(?![\w.-])|[\w.-]+", re.ASCII)
_ESCAPE: Final = re.compile("%([0-9A-Fa-f]{2})")
_TARGET: Final = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#]*([^#]*)", re.I)
_SAFE: Final = "%/:?#[]@!$&'()*+,;=~"


@dataclass(frozen=True, slots=True)
class _Rule:
    """An Allow or Disallow: the parts of its path between asterisks, and whether the address must end with the last one."""

    is_allow: bool
    parts: tuple[str, ...]
    is_whole: bool
    size: int

    @property
    def is_plain(self) -> bool:
        """Whether it has no wildcard."""
        return len(self.parts) == 1 and not self.is_whole

    def matches(self, target: str) -> bool:
        """Return True if a normalised path matches the rule; linear in the length of the path."""
        first, *others = self.parts
        if not target.startswith(first):
            return False
        if not others:
            return not self.is_whole or len(target) == len(first)
        at, last = len(first), others.pop()
        for part in others:
            at = target.find(part, at)
            if at < 0:
                return False
            at += len(part)
        if self.is_whole:
            return len(target) - len(last) >= at and target.endswith(last)
        return target.find(last, at) >= 0


class _Group:
    """Rules for one or several agents; those without wildcards are indexed by the length of their paths."""

    def __init__(self) -> None:
        self.rules: dict[str, _Rule] = {}
        self.usage: list[tuple[str, _Rule, bool]] = []

    @cached_property
    def _plain(self) -> dict[str, _Rule]:
        allows_last = sorted(self.rules.values(), key=lambda rule: rule.is_allow)
        return {rule.parts[0]: rule for rule in allows_last if rule.is_plain}

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted({len(text) for text in self._plain}, reverse=True)

    @cached_property
    def _others(self) -> list[_Rule]:
        return sorted((rule for rule in self.rules.values() if not rule.is_plain), key=_rank, reverse=True)

    def longest(self, target: str) -> tuple[int, bool]:
        """Return the length of the longest rule that matches a path, and whether it allows: of two equals, the Allow."""
        plain = next((_rank(rule) for n in self._lengths if (rule := self._plain.get(target[:n]))), _NO_RULE)
        for rule in self._others:
            if _rank(rule) <= plain:
                break
            if rule.matches(target):
                return _rank(rule)
        return plain


_NO_RULE: Final = (-1, True)


def _rank(rule: _Rule) -> tuple[int, bool]:
    return rule.size, rule.is_allow


class RobotsRules:
    """The rules of a robots.txt.

    Read by RFC 9309. It differs from Protego 0.7 in this: an agent is matched by its whole product token, with any version
    (`webmain/0.1` is us, `web` is not); unknown lines do not end a group; `$` is special only at the end of a path; paths in
    encodings other than UTF-8 are compared byte by byte. It is more liberal than the RFC: a line may lack its colon, a path
    may lack its first slash or be a whole address, and some misspellings of "disallow" are accepted.

    Parameters
    ----------
    body : bytes or str
        The file; only its first 500 KiB are read.
    url : str
        Where it came from, as the base of relative sitemap addresses.
    """

    def __init__(self, body: bytes | str = b"", *, url: str = "") -> None:
        self._url = url
        self._groups: dict[str, list[_Group]] = {}
        self._delays: dict[str, float] = {}
        self._sitemaps: list[str] = []
        self._read(robots_text(body) if isinstance(body, bytes) else body[:MAX_ROBOTS_BYTES])

    def _read(self, text: str) -> None:
        """Read the lines; linear in the size of the file, whatever the order of its lines."""
        group, named, n_delayed = _Group(), list[str](), 0
        is_naming = False
        for name, value in _lines(text):
            if name == "agent":
                if not is_naming:
                    group, named, n_delayed, is_naming = _Group(), [], 0, True
                if match := _AGENT.search(value):
                    agent = match.group().lower()
                    named.append(agent)
                    groups = self._groups.setdefault(agent, [])
                    if not groups or groups[-1] is not group:
                        groups.append(group)
            elif name in ("allow", "disallow"):
                is_naming = False
                if value:
                    rule = _rule(value, is_allow=name == "allow")
                    group.rules.setdefault(f"{name[0]}{value}", rule)
            elif name == "delay":
                seconds = _number(value)
                for agent in named[n_delayed:] if seconds is not None else ():
                    self._delays.setdefault(agent, seconds or 0.0)
                n_delayed = n_delayed if is_naming is False or seconds is None else len(named)
            elif name == "sitemap":
                self._sitemaps.append(value)
            else:
                path, _, rest = value.partition(" ") if value[:1] in ("/", "*") else ("/", "", value)
                scope = _rule(path, is_allow=True)
                group.usage += [(f"{name}:{use}", scope, is_allowed) for use, is_allowed in read_usage(rest).items()]

    # ---- Questions

    def _of(self, agent: str) -> list[_Group]:
        return self._groups.get(_token(agent)) or self._groups.get("*") or []

    def allows(self, url: str, agent: str) -> bool:
        """Return True if an agent may fetch an address; robots.txt itself is always allowed."""
        return not self._excluded(url, [agent])

    def _excluded(self, url: str, agents: Sequence[str]) -> list[str]:
        """Return the agents that may not fetch an address; a group of several agents is looked at once."""
        target = _target(url)
        if target == "/robots.txt":
            return []
        longest = {group: group.longest(target) for group in {each for agent in agents for each in self._of(agent)}}
        return [each for each in agents if not max(map(longest.__getitem__, self._of(each)), default=_NO_RULE)[1]]

    def crawl_delay(self, agent: str) -> float | None:
        """Return the seconds between two requests in the agent's group."""
        token = _token(agent)
        return self._delays.get(token if token in self._groups else "*")

    def usage(self, url: str, agent: str) -> dict[str, bool]:
        """Return the Content-Signal and Content-Usage values for an address: `content-signal:ai-train` -> False."""
        target = _target(url)
        said: dict[str, tuple[int, bool]] = {}
        for name, scope, is_allowed in (usage for group in self._of(agent) for usage in group.usage):
            if scope.matches(target) and (scope.size, not is_allowed) >= said.get(name, (-1, False)):
                said[name] = (scope.size, not is_allowed)
        return {name: not is_refused for name, (_, is_refused) in said.items()}

    def opt_outs(self, url: str, agent: str) -> tuple[str, ...]:
        """Return the opt-outs from reuse of a page: excluded crawlers for language models, refused uses."""
        shut_out = [f"robots.txt:{each}" for each in self._excluded(url, self._ai_crawlers)]
        refused = [f"{use}=no" for use, is_allowed in self.usage(url, agent).items() if not is_allowed]
        return tuple(sorted([*shut_out, *refused]))

    @cached_property
    def _ai_crawlers(self) -> list[str]:
        return sorted(ai_crawlers() & self._groups.keys())

    @cached_property
    def sitemaps(self) -> tuple[str, ...]:
        """The listed sitemaps, absolute and distinct, in order; at most 1,000."""
        found = (absolute_url(value, self._url) for value in self._sitemaps)
        return tuple(dict.fromkeys(filter(None, found)))[:MAX_SITEMAPS]


def robots_text(body: bytes) -> str:
    """Decode a robots.txt as UTF-8, or UTF-16 with a byte order mark; other bytes are kept so that paths still compare."""
    body = body[:MAX_ROBOTS_BYTES]
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if body.startswith(mark):
            return body[2:].decode(encoding, "replace")
    return body.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the value of each line that is recognised."""
    for raw in _LINE_END.split(text.lstrip("\ufeff")):
        line = raw.partition("#")[0]
        name, colon, value = line.partition(":")
        kind = _FIELDS.get(" ".join(name.lower().split())) if colon else None
        if kind is None and (match := _NO_COLON.fullmatch(line[:2_000])):
            kind, value = _FIELDS.get(match[1].lower()), match[2]
        if kind:
            yield kind, value.strip()


def _rule(path: str, *, is_allow: bool) -> _Rule:
    """Parse a rule's path."""
    if found := _TARGET.match(path):
        path = found[1] or "/"
    if path[:1] not in ("/", "*"):
        path = "/" + path
    is_whole = path.endswith("$")
    path = _normal(path.removesuffix("$")).replace("$", "%24")
    parts = re.split(r"\*+", path)
    if is_whole and parts[-1] == "" and len(parts) > 1:
        is_whole = False  # `/a*$` is `/a`
    return _Rule(is_allow, tuple(parts), is_whole, len(path) + is_whole)


def _target(url: str) -> str:
    """Return an address's path and query, normalised for comparison."""
    found = _TARGET.match(url)
    path = found[1] if found else url.partition("#")[0]
    return _normal(path if path.startswith("/") else "/" + path).replace("*", "%2A").replace("$", "%24")


def _normal(path: str) -> str:
    """Percent-encode what is not ASCII, decode what needs no encoding (RFC 9309, 2.2.2)."""
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raw = path.encode("utf-8", "replace")
    return _ESCAPE.sub(normal_escape, quote_from_bytes(raw, safe=_SAFE))


def _token(agent: str) -> str:
    found = _AGENT.search(agent)
    return found.group().lower() if found else ""


def path_matches(pattern: str, url: str) -> bool:
    """Return True if an address matches a robots.txt path pattern with `*` and `$`."""
    return _rule(pattern, is_allow=True).matches(_target(url))


def _number(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
