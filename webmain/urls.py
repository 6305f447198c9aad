"""URLs: site key, normal form, joining of links. Nothing here raises on a malformed URL.

A site is a registered domain, private suffixes included: `x.blogspot.com` and `y.blogspot.com` are two sites. The suffix
list is the one bundled with publicsuffixlist plus platforms that it lacks (`platforms.txt`); it is read when first needed,
never fetched. All hosts below one registered domain are one site, because they have one owner.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

from webmain.clock import once
from webmain.regex import lazy

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

MAX_URL_CHARS = 4_096  # longer URLs are refused: they never lead to articles, and often to crawler traps

_MAX_HOST_CHARS = 253
_DEFAULT_PORTS = {"http": 80, "https": 443}
_EDGES = "".join(map(chr, range(33)))
_INSIDE = {code: quote(chr(code)) for code in (*range(32), *range(127, 160), 0xFFFE, 0xFFFF)} | dict.fromkeys(b"\t\n\r")


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts of an HTTP URL; host in lower-case ASCII, port None if it is the scheme's default."""

    scheme: str
    host: str
    port: int | None
    path: str
    query: str

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = f":{self.port}" if self.port else ""
        return f"{self.scheme}://{host}{port}{self.path}" + (f"?{self.query}" if self.query else "")


_HTTP = lazy(r"(https?):[/\\]{2,}([^/\\?#]*)([^?#]*)(?:\?([^#]*))?", re.I)
_HOST = lazy(r"[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?")


def split_url(url: str) -> SplitResult:
    """Return the parts of any URL; all are empty if it cannot be read."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")


def _clean(url: str) -> str:
    """Return a URL as browsers read it.

    White space and control characters around it are removed, tabs and line ends inside too; others inside are encoded.
    """
    return url.strip(_EDGES).translate(_INSIDE)


def _split(url: str) -> _Parts | None:
    """Return the parts of an HTTP URL; None if it is not one or is too long."""
    if len(url) > MAX_URL_CHARS:
        return None
    match = _HTTP.match(_clean(url))
    if match is None:
        return None
    scheme = match[1].lower()
    host_name, port = _host_and_port(match[2])
    if not host_name:
        return None
    port = None if port == _DEFAULT_PORTS[scheme] else port
    return _Parts(scheme, host_name, port, match[3].replace("\\", "/") or "/", match[4] or "")


@lru_cache(maxsize=16_384)
def _host_and_port(authority: str) -> tuple[str, int | None]:
    """Return the host of an authority (between `//` and the path) in lower-case ASCII, "" if unreadable, and the port."""
    address = _clean(authority).rpartition("@")[2] if len(authority) <= 2 * _MAX_HOST_CHARS else ""
    name, _, port = address.partition(":")
    if address.startswith("["):
        name, _, rest = address[1:].partition("]")
        port = rest.removeprefix(":")
        host = _ip_address(name) if address.endswith(f"]{rest}") and rest[:1] in {"", ":"} else ""
    else:
        host = _ascii_host(unquote(name) if "%" in name else name)
    if port and not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65_536):
        host = ""
    return host, int(port) if host and port else None


def _ip_address(name: str) -> str:
    """Return an IPv6 address in its shortest form; "" if it is not one."""
    try:
        return str(ip_address(name.partition("%")[0]))
    except ValueError:
        return ""


def _ascii_host(name: str) -> str:
    """Return a host in lower-case ASCII, international names by UTS 46; "" if it is not a valid host."""
    name = name.lower()
    if len(name) > _MAX_HOST_CHARS:
        return ""
    if not name.isascii():
        import idna

        try:
            name = idna.encode(name, uts46=True).decode("ascii").lower()
        except (idna.IDNAError, UnicodeError, IndexError):
            return ""
    name = name.rstrip(".")
    return name if ".." not in name and _HOST.fullmatch(name) else ""


@once
def _suffix_list() -> PublicSuffixList:
    """Return the bundled list of public suffixes, with the platforms that it lacks."""
    from publicsuffixlist import PSLFILE, PublicSuffixList, encode_idn

    platforms = Path(__file__).with_name("platforms.txt").read_text(encoding="utf-8").splitlines()
    lines = Path(PSLFILE).read_text(encoding="utf-8").splitlines() + [each for each in platforms if each[:1] != "#"]
    lines += [encode_idn(line) for line in lines if not line.isascii() and line[:2] != "//"]  # the library encodes all
    return PublicSuffixList(lines, accept_unknown=False, accept_encoded_idn=False)


def _registered_domain(host: str) -> str:
    return _suffix_list().privatesuffix(host) or ""


@lru_cache(maxsize=16_384)
def _key_of_host(host: str) -> str:
    labels = host.split(".")
    if ":" in host or len(labels) < 3 or labels[-1].isdigit():  # an address, a registered domain, a local name
        return host
    if host.startswith("www.") and _registered_domain("x." + host[4:]):  # a platform's own pages
        return host[4:]
    return _registered_domain(host) or (host if _registered_domain("x." + host) else ".".join(labels[-2:]))


@lru_cache(maxsize=16_384)
def _key_of_authority(authority: str) -> str:
    """Return the site key of an authority (between `//` and the path); "" if it has no valid host."""
    host_name, port = _host_and_port(authority)
    key = _key_of_host(host_name)
    if ":" in key:
        key = f"[{key}]"
    is_local = "." not in key or key.endswith("]") or key.rpartition(".")[2].isdigit()
    return f"{key}:{port}" if key and is_local and port not in {None, 80, 443} else key


_AUTHORITY = lazy(r"[\x00-\x20]*(?:https?:)?[/\\]{2,}([^/\\?#]*)", re.I)
_BARE_AUTHORITY = lazy(r"[\x00-\x20]*([^/\\?#\x00-\x20]+)")
_OTHER_SCHEME = lazy(r"[\x00-\x20]*[a-z][a-z0-9+.-]*:(?!\d)", re.I)


def _authority(url: str) -> str:
    """Return the authority of a URL, or of a bare host; "" if there is none."""
    match = _AUTHORITY.match(url)
    if match is None and not _OTHER_SCHEME.match(url):
        match = _BARE_AUTHORITY.match(url)
    return match[1] if match else ""


_WEB = lazy(r"https?://", re.I)
_CREDENTIALS = lazy(r"((?:^|[\x00-\x20,;'\"(<])(?:[a-z][a-z0-9+.-]{0,20}:)?[/\\]{2})[^/\\?#\s]*@", re.I)


def site_key(url: str) -> str:
    """Return the key of the site a URL belongs to: its registered domain, private suffixes included.

    `url`: an HTTP URL, a URL without scheme (`//x.com/`), or a bare host (`news.bbc.co.uk`).

    Lower-case ASCII (international names in punycode). IP addresses and one-label hosts such as `localhost` are their
    own key, with the port if it isn't 80 or 443: two local servers are two sites. Under an unknown suffix the last two
    labels. "" where there is no host.
    """
    return _key_of_authority(_authority(url)) if len(url) <= MAX_URL_CHARS else ""


def same_site(a: str, b: str) -> bool:
    """Return True if two URLs belong to one site; False if either has no host."""
    key = site_key(a)
    return bool(key) and key == site_key(b)


def is_own(address: str, url: str | None) -> bool:
    """Return True if an address is on the site of the page at `url`; what a page says about other sites is only a claim."""
    if url is None or not is_web(url):
        return True  # no page URL to compare with
    return same_site(address, url) or same_site(address, amp_to_canonical_guess(url))


def is_web(url: str | None) -> bool:
    """Return True if a URL is an HTTP URL, not a file's."""
    return bool(url) and _WEB.match(url or "") is not None


def without_credentials(text: str) -> str:
    """Return a URL, or a text containing URLs, without user names and passwords; the rest is unchanged."""
    return _CREDENTIALS.sub(r"\1", text) if "@" in text else text


def host(url: str) -> str:
    """Return the host of a URL in lower-case ASCII, without port; "" if there is none."""
    return _host_and_port(_authority(url))[0] if len(url) <= MAX_URL_CHARS else ""


def is_outer(href: str, base_url: str | None, base_site: str | None, same_host: bool = False) -> bool:
    """Return True if a link leads to another site than the page's.

    Parameters
    ----------
    href : str
        As it is in the page (entities decoded).
    base_url : str or None
        The page's URL; without it nothing is outer.
    base_site : str or None
        `site_key(base_url)`, if the caller has it already; None computes it.
    same_host : bool
        A link to another host of the same site counts as outer, too.

    Notes
    -----
    Relative links, `#...`, `mailto:`, `javascript:` and every other scheme are not outer. The cost is one regular
    expression match and one cached look-up, under a microsecond.
    """
    match = _AUTHORITY.match(href)
    if match is None or not base_url:
        return False
    if same_host:
        name = _host_and_port(match[1])[0]
        return name != "" and name != host(base_url)
    key = _key_of_authority(match[1])
    return key != "" and key != (base_site or site_key(base_url))


_PLAIN_ABSOLUTE = lazy(r"https?://[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9])?/[!-\[\]-~]*")
_MANY_SLASHES = lazy(r"^(https?:)?/{2,}", re.I)


def join(base: str | None, href: str) -> str | None:
    """Return the absolute HTTP URL a link leads to, or None if a crawler cannot follow it.

    `base`: the page's URL, or its `<base href>`; None if unknown (then only absolute links can be followed). `href`: as
    it is in the page (entities decoded).

    Fragment kept, not normalised otherwise. None for `javascript:`, `mailto:`, `data:` and every other scheme, invalid
    hosts, and URLs over `MAX_URL_CHARS`.
    """
    if len(href) > MAX_URL_CHARS:
        return None
    if "/." not in href:
        if href[:1] != "/" and ".." not in href and _PLAIN_ABSOLUTE.fullmatch(href):
            return href
        is_plain = href.isascii() and href.isprintable() and " " not in href and "\\" not in href
        if is_plain and base and href[:1] == "/" != href[1:2]:
            origin = _origin(base)
            return origin + href if origin and len(origin) + len(href) <= MAX_URL_CHARS else None
    before, mark, fragment = _clean(href).partition("#")
    path, question, query = before.partition("?")
    link = _MANY_SLASHES.sub(r"\1//", path.replace("\\", "/")) + question + query + mark + fragment
    try:
        joined = urljoin(_clean(base[:MAX_URL_CHARS]), link) if base else link
    except ValueError:
        return None
    return joined if _split(joined) else None


@lru_cache(maxsize=256)
def _origin(base: str) -> str | None:
    """Return scheme, host and port of an HTTP URL."""
    parts = _split(base)
    return str(replace(parts, path="", query="")) if parts else None


_PERCENT = lazy(r"%([0-9A-Fa-f]{2})?")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_NORMAL = lazy(r"[A-Za-z0-9/_.,;:@!$&'()*+=~?-]*")
_SESSION_HASH = lazy(r"[0-9a-f]{26,64}", re.I)
_MILLISECONDS = lazy(r"1[0-9]{12}")
_SESSION_PARAMETER = lazy(r";(?:jsessionid|phpsessid|sid)=[^/;]*|/\([a-z]\([a-z0-9]{20,}\)\)(?=/)", re.I)


_IN_NORMAL_FORM = lazy(r"https?://(?:[a-z0-9][a-z0-9-]{0,62}+\.){1,5}[a-z0-9]++/(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*+/?+)*+")


def normalise(url: str, *, keep_parameters: bool = False) -> str | None:
    """Return the normal form of a URL, by which a page is identified, or None if it is not an HTTP URL.

    Scheme and host are lower-cased, international hosts written in punycode; credentials, default port and fragment are
    removed; dot segments are resolved; percent-encoding is made canonical (upper case, nothing encoded needlessly, the rest
    encoded as UTF-8); session ids, tracking parameters and an empty query are removed. The order of the query, repeated
    slashes, a final slash and `index.html` stay, since servers may distinguish them. The function is idempotent.

    With `keep_parameters` session ids and tracking parameters stay: the form to request.
    """
    if _IN_NORMAL_FORM.fullmatch(url) and ".." not in url and len(url) <= MAX_URL_CHARS:
        return url  # the common case in sitemaps
    parts = _split(url)
    if parts is None:
        return None
    path, query = _percent_normal(parts.path, "/"), _percent_normal(parts.query, "/?")
    if not keep_parameters:
        path = _SESSION_PARAMETER.sub("", path)
        query = "&".join(p for p in query.split("&") if p and not is_tracking(p))
    if "/." in path:
        path = urljoin("file://host", "/." + path).removeprefix("file://host")  # `file` gives `;` no special meaning
    normal = str(replace(parts, path=path, query=query))
    return normal if len(normal) <= MAX_URL_CHARS else None


def _percent_normal(text: str, extra: str) -> str:
    """Return a text with canonical percent-encoding."""
    if _NORMAL.fullmatch(text):
        return text
    text = _PERCENT.sub(normal_escape, text)
    return quote(text, safe="%:@!$&'()*+,;=~-._" + extra, errors="replace")


def normal_escape(match: re.Match[str]) -> str:
    """Return a percent-encoded byte (its hexadecimal digits are group 1) in canonical form; a lone sign is encoded."""
    if match[1] is None:
        return "%25"
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else "%" + match[1].upper()


@once
def _trackers() -> dict[str, frozenset[str]]:
    """Return the names of `trackers.toml`."""
    found = tomllib.loads(Path(__file__).with_name("trackers.toml").read_text(encoding="utf-8"))
    return {key: frozenset(names) for key, names in found.items()}


def is_tracking(parameter: str) -> bool:
    """Return True if a query parameter (`name=value`, percent-encoding canonical) is for tracking or holds a session id.

    Names such as `ref` count only if the value is a known channel, `sid` if it is a hash, `_` if it is a time (for caches).
    """
    known = _trackers()
    name, _, value = parameter.partition("=")
    name = name.lower()
    if name in known["trackers"] or name.startswith(tuple(known["tracker_prefixes"])):
        return True
    if name in known["referrers"]:
        return value.lower() in known["channels"]
    pattern = _MILLISECONDS if name == "_" else _SESSION_HASH if name in {"sid", "s"} else None
    return pattern is not None and pattern.fullmatch(value) is not None


_AMP_CACHE_PATH = lazy(r"/(?:[a-z]{1,2}/)?(s/)?([^/]+\..*)")
_AMP_VIEWER_PATH = lazy(r"/amp/(s/)?([^/]+\..*)")
_AMP_VIEWER_HOST = lazy(r"(?:www\.)?(?:google\.com|google(?:\.com?)?\.[a-z]{2}|bing\.com)")
_AMP_PATH = lazy(r"/amp(?=/[^/]*\d)|(?<=.)/amp(?=/?$)|(?<=[^/])\.amp(?=\.html?$|$)|^/amp(?=/.)", re.I)
_AMP_PARAMETER = lazy(
    r"(?:amp|_amp|isamp)(?:=(?:1|true|yes)?)?|output(?:type)?=amp|amp_(?:js_v|gsa|latest_update_time)=.*", re.I
)


def amp_to_canonical_guess(url: str) -> str:
    """Return the likely non-AMP URL of an AMP page; the URL itself if it doesn't look like AMP.

    Handles caches and viewers (`*.cdn.ampproject.org`, `google.*/amp/s/`), hosts `amp.*`, path segments and endings `amp`,
    and query switches. Only a guess: a page's own `link rel=canonical` outranks it.
    """
    parts = _split(url) if "amp" in url.lower() else None
    if parts is None:
        return url
    for _ in range(3):  # a viewer's address holds the publisher's AMP address
        parts = _amp_inner(parts) or parts
    host_name = parts.host
    if host_name.startswith("amp."):
        rest = host_name.removeprefix("amp.")
        if "." in rest and _key_of_host(host_name) != host_name:
            host_name = f"www.{rest}" if _key_of_host(rest) == rest else rest
    path = _AMP_PATH.sub("", parts.path, count=1) or "/"
    query = "&".join(p for p in parts.query.split("&") if not _AMP_PARAMETER.fullmatch(p))
    guess = replace(parts, host=host_name, path=path, query=query)
    return url if guess == _split(url) else str(guess)


def _amp_inner(parts: _Parts) -> _Parts | None:
    """Return the publisher's URL inside an AMP cache's or viewer's URL."""
    if parts.host.endswith(".cdn.ampproject.org"):
        match = _AMP_CACHE_PATH.fullmatch(parts.path)
    elif _AMP_VIEWER_HOST.fullmatch(parts.host):
        match = _AMP_VIEWER_PATH.fullmatch(parts.path)
    else:
        return None
    query = f"?{parts.query}" if parts.query else ""
    return _split(f"{'https' if match[1] else 'http'}://{match[2]}{query}") if match else None
