"""Parse the value of each spider argument; each raises ValueError with what is allowed."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from fnmatch import fnmatchcase, translate
from pathlib import Path
from typing import Final

from webmain import clock
from webmain.archive.warc import files_at
from webmain.files import reason_of
from webmain.spiders.addresses import start_url
from webmain.store.protocol import StoreSpecError
from webmain.store.registry import SCHEMES, split_spec, split_specs, store_and_path
from webmain.store.search_records import read_day
from webmain.text.language import ISO_639_1
from webmain.urls import host

MAX_SITES_BYTES: Final = 16 << 20
"""Largest file of sites that is read."""


SITE_ALLOWED: Final = (
    "allowed are domains and http(s) addresses, several separated by commas: bbc.com,https://www.dw.com/en; "
    "old.com=new.com is one site with two domains"
)
PATH_ALLOWED: Final = "allowed are WARC files, folders of HTML files and globs, several separated by commas"


def read_sites_file(text: str) -> tuple[tuple[int, str], ...]:
    """Parse a file of sites, one per line; return each with its line number."""
    place = Path(text).expanduser()
    allowed = "allowed is a text file with one domain or address per line; # starts a comment"
    try:
        with place.open("rb") as stream:
            body = stream.read(MAX_SITES_BYTES + 1)
    except OSError as error:
        raise ValueError(f"{reason_of(error)}; {allowed}") from error
    if len(body) > MAX_SITES_BYTES:
        raise ValueError(f"it is larger than {MAX_SITES_BYTES >> 20} MB; {allowed}")
    if b"\0" in body:
        raise ValueError(f"it is no text in UTF-8; {allowed}")
    lines = [re.sub(r"(?:^|\s)#.*", "", line).strip() for line in body.decode("utf-8-sig", "replace").splitlines()]
    sites = tuple((n, part) for n, line in enumerate(lines, 1) for part in line.split(",") if part.strip())
    if not sites:
        raise ValueError(f"it contains no site; {allowed}")
    return sites


def read_store(text: str) -> str:
    """Check the syntax of stores, and that their classes are there, without opening them."""
    try:
        parts = split_specs(text)
        for part in parts:
            store_and_path(part)
    except StoreSpecError as error:
        raise ValueError(str(error).partition(": ")[2]) from error
    for part in parts:
        location, path = split_spec(part)
        if location in SCHEMES.values() and Path(path).expanduser().is_dir():
            raise ValueError(f"{path!r} is a folder; allowed are files")
    return ",".join(parts)


def read_positive(text: str) -> int:
    """Parse a whole number of at least 1."""
    if not (text.isascii() and text.isdigit() and 0 < len(text) <= 12 and int(text) > 0):
        raise ValueError("allowed are whole numbers from 1")
    return int(text)


def read_share(text: str) -> float:
    """Parse a number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ValueError("allowed are numbers from 0 to 1; 0 lists nothing")
    return value


def read_since(text: str) -> datetime:
    """Parse a date, or a time before now; a date without a zone is in UTC."""
    since = read_day(text).start
    if since > clock.now():
        raise ValueError("this lies in the future; allowed is what is past")
    return since


def read_until(text: str) -> datetime:
    """Parse a date, meaning the end of that day, or a time before now."""
    return read_day(text).end


_LANGUAGE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]{2,8})*", re.IGNORECASE)


def read_language(text: str) -> str:
    """Parse a language as ISO 639-1."""
    match = _LANGUAGE.fullmatch(text)
    if not match or match[1].lower() not in ISO_639_1:
        raise ValueError("allowed are ISO 639-1 codes such as en, th, de")
    return match[1].lower()


def one_of(*allowed: str) -> Callable[[str], str]:
    """Return a parser that accepts one of these words."""

    def read(text: str) -> str:
        if text not in allowed:
            raise ValueError(f"allowed are {', '.join(allowed[:-1])}, and {allowed[-1]}")
        return text

    return read


_TRUTHS: Final = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}


def read_truth(text: str) -> bool:
    """Parse true or false."""
    if text.lower() not in _TRUTHS:
        raise ValueError("allowed are true and false")
    return _TRUTHS[text.lower()]


def read_patterns(text: str) -> tuple[str, ...]:
    """Parse globs separated by commas; those without a leading slash or star start at the root."""
    patterns = tuple(p if p[0] in "/*[?" else "/" + p for part in text.split(",") if (p := part.strip()))
    if any("://" in pattern for pattern in patterns):
        raise ValueError("allowed are paths and globs over paths, several separated by commas: /sport,/news/*/live")
    if useless := [pattern for pattern in patterns if not _can_match(pattern)]:
        raise ValueError(
            f"{useless[0]!r} matches no path; allowed are *, ? for one character, and [ab] for one of several; [[] means ["
        )
    return patterns


_CLASS: Final = re.compile(r"\[!?\]?[^\]]*\]")


def _can_match(glob: str) -> bool:
    """Return True if a glob may match a path: each `[` is closed, no class is empty, and it can begin with a slash."""
    first = _CLASS.match(glob)
    begins = first is None or fnmatchcase("/", first[0])
    return begins and "[" not in _CLASS.sub("", glob) and "(?!)" not in translate(glob)


def read_recording(text: str) -> str:
    """Parse the path of a recording."""
    if not text.lower().endswith(".warc.gz"):
        raise ValueError("allowed is the path of a file whose name ends in .warc.gz")
    if Path(text).expanduser().is_dir():
        raise ValueError("this is a folder; allowed is the path of a file whose name ends in .warc.gz")
    return text


def read_existing_paths(text: str) -> tuple[str, ...]:
    """Split paths at commas, unless the whole text is an existing path."""
    parts = [text] if _is_there(text) else [part.strip() for part in text.split(",") if part.strip()]
    missing = [part for part in parts if not _is_there(part)]
    if missing:
        raise ValueError(f"nothing is there under {', '.join(map(repr, missing))}; {PATH_ALLOWED}")
    if not parts:
        raise ValueError(PATH_ALLOWED)
    return tuple(parts)


def _is_there(text: str) -> bool:
    try:
        files_at(text)
    except (OSError, ValueError):
        return False
    return True


_MONTH = re.compile(r"(20\d{2})[/-](0[1-9]|1[0-2])")
_MONTHS_ALLOWED: Final = (
    "allowed are months, and ranges of them, up to now, separated by commas: 2026/10, 2026/08-2026/10"
)
MAX_MONTHS: Final = 240


def read_months(text: str) -> tuple[str, ...]:
    """Return months and ranges of months as distinct "2026/10", in the given order."""
    now = clock.now()
    months: dict[str, None] = {}
    for part in text.split(","):
        ends = [_MONTH.fullmatch(end.strip()) for end in (part.split("-") if "/" in part else [part])]
        if not 1 <= len(ends) <= 2 or None in ends:
            raise ValueError(_MONTHS_ALLOWED)
        first, last = (12 * int(end[1]) + int(end[2]) - 1 for end in (ends[0], ends[-1]) if end is not None)
        if not first <= last <= 12 * now.year + now.month - 1 or last - first >= MAX_MONTHS:
            raise ValueError(_MONTHS_ALLOWED)
        months |= dict.fromkeys(f"{number // 12}/{number % 12 + 1:02}" for number in range(first, last + 1))
    return tuple(months)


def read_base(text: str) -> str:
    """Parse the base of archives: a folder, or a URL, which gets a final slash."""
    if "://" not in text:
        if not Path(text).expanduser().is_dir():
            raise ValueError("there is no such folder; allowed are an http(s) URL and a folder in the same layout")
        return str(Path(text).expanduser())
    address = start_url(text)
    if address is None or "?" in address:
        raise ValueError("allowed are an http(s) URL and a folder in the same layout")
    return address.rstrip("/") + "/"


def read_domains(text: str) -> tuple[str, ...]:
    """Parse domains, which include their subdomains; `www.` and `*.` are removed."""
    domains: dict[str, None] = {}
    for part in text.split(","):
        if name := part.strip():
            domain = host(name.removeprefix("*.")).removeprefix("www.")
            if "." not in domain or re.search(r"[/?#@:]", name.partition("://")[2].rstrip("/") or name):
                raise ValueError(
                    f"{name!r} is no domain; allowed are domains, several separated by commas: bbc.com,dw.com"
                )
            domains[domain] = None
    return tuple(domains)
