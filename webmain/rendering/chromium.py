"""The system's Chromium: where it is, whether it can be used, and the arguments that deny it network access."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
"""Names under which systems install it; the first one has no surface, and draws a page in less than half of the time."""

ARGUMENTS: Final = (
    # No name resolves, and a proxy that does not exist is set for all addresses, so the browser itself reaches nothing.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://no-network.invalid:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--no-pings",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-print-preview",
    "--disable-speech-api",
    "--disable-webgl",
    "--mute-audio",
    "--renderer-process-limit=2",
    "--js-flags=--max-old-space-size=512",
)


MAX_MEMORY_BYTES: Final = 2 << 30
"""Memory limit of each Chromium process, on Linux: a process that needs more ends, and its page is given up."""


def executable(given: str = "") -> str | None:
    """Return the path of Chromium: the given one, else the first of `NAMES` that is installed, else None."""
    names = (given,) if given else NAMES
    return next(filter(None, map(shutil.which, names)), None)


def problem(given: str = "", *, sandbox: bool = True) -> str | None:
    """Return in one line why pages cannot be rendered here, or None if they can.

    Parameters
    ----------
    given : str
        Path or name of Chromium (setting WEBMAIN_CHROMIUM).
    sandbox : bool
        Whether it is to run in its sandbox, which it refuses to the superuser.
    """
    if importlib.util.find_spec("scrapy_playwright") is None:
        return "rendering needs scrapy-playwright: pip install 'webmain[render]'"
    if executable(given) is None:
        wanted = given or "chromium"
        hint = "on Debian: apt install chromium; elsewhere: -s WEBMAIN_CHROMIUM=PATH"
        return f"rendering needs Chromium, and {wanted!r} is not installed ({hint})"
    if sandbox and os.name == "posix" and os.geteuid() == 0:
        return (
            "rendering: Chromium has no sandbox when root starts it; crawl as an ordinary user"
            " (WEBMAIN_CHROMIUM_SANDBOX=False would let hostile pages run without it)"
        )
    return None


def launch_options(given: str = "", *, sandbox: bool = True) -> Mapping[str, Any]:
    """Return the options with which Playwright starts Chromium."""
    return {
        "executable_path": executable(given),
        "headless": True,
        "chromium_sandbox": sandbox,
        "args": list(ARGUMENTS),
        "handle_sigint": False,  # the crawl stops it
        "handle_sigterm": False,
        "handle_sighup": False,
    }


def context_options(*, user_agent: str, width: int, height: int) -> Mapping[str, Any]:
    """Return the options with which Playwright opens a window for one page: no state outlives the page."""
    return {
        "viewport": {"width": width, "height": height},
        "user_agent": user_agent,
        "accept_downloads": False,
        "service_workers": "block",
        "reduced_motion": "reduce",
        "permissions": [],
    }


@contextmanager
def bounded_memory(limit: int = MAX_MEMORY_BYTES) -> Iterator[None]:
    """Limit the data size of each process started meanwhile, and of its children."""
    if sys.platform != "linux":
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    bound = min([limit, *(each for each in (soft, hard) if each != resource.RLIM_INFINITY)])
    resource.setrlimit(resource.RLIMIT_DATA, (bound, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
