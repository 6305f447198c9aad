"""`webmain serve`: the web page and the REST interface."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from webmain.cli.exits import OK, USAGE, Failure, failing
from webmain.cli.search import DEFAULT_STORE
from webmain.cli.sources import CORRECTIONS, MODELS, positive, positive_int, site_rules
from webmain.files import StoreSpecError

if TYPE_CHECKING:
    import argparse

    from webmain.cli import Commands
    from webmain.web.config import Config

SITES = "sites.toml"  # default file of rules for single sites

TOKEN = "WEBMAIN_TOKEN"  # noqa: S105 - the name of a variable
"""Environment variable with the token, since every user of the machine can see the command line."""

_LAST_PORT = 65_535


def add(commands: Commands) -> None:
    """Add the command."""
    serve = commands.add_parser(
        "serve",
        help="use webmain in the browser: extract and explain pages, search and browse the store",
        description="Start a web server with pages for the browser and a REST interface under /api. Ctrl-C stops it.",
    )
    option = serve.add_argument
    option("--host", default="127.0.0.1", help="address to listen on (127.0.0.1: this machine only)")
    option("--port", type=int, default=8000, help="port to listen on, 0 for any free one (8000)")
    option("--name", action="append", default=[], metavar="HOST", help="another host name of the server")
    option("--token", help=f"secret of clients, required beyond this machine; safer in the environment: {TOKEN}")
    option("--store", default=DEFAULT_STORE, metavar="sqlite:PATH", help=f"the database ({DEFAULT_STORE})")
    option("--pages", metavar="WARC", help="recorded pages of the store's articles: a file, a folder or a pattern")
    option("--models", default=MODELS, metavar="FOLDER", help=f"models of sites ({MODELS})")
    option("--corrections", default=CORRECTIONS, metavar="FILE", help=f"where corrected pages are kept ({CORRECTIONS})")
    option(
        "--sites",
        metavar="FILE",
        type=_rules_file,
        default=SITES,
        help=f"rules for individual sites, read if it exists; accepted rules are written to it ({SITES})",
    )
    option("--contact", default="", help="your address, sent in the user agent when a page is fetched")
    option("--allow-private", action="store_true", help="also fetch from private and loopback addresses")
    option("--max-bytes", type=positive_int, metavar="N", help="largest page (10 MiB)")
    option("--timeout", type=positive, metavar="S", help="CPU seconds for a page (10)")
    option("--jobs", type=positive_int, metavar="N", help="worker processes (2)")
    serve.set_defaults(run=_serve)


def _rules_file(path: str) -> str:
    """Return the path of a file of rules that is readable or does not exist yet (an argument's type)."""
    if Path(path).exists():
        site_rules(path)
    return path


def _serve(args: argparse.Namespace) -> int:
    config = _config(args)
    if not config.is_local and not config.token:
        raise Failure(USAGE, f"--host {config.host}: beyond this machine a token is required: {TOKEN}=..., or --token")
    try:
        import jinja2  # noqa: F401
        import python_multipart  # noqa: F401
        import uvicorn

        from webmain.web.app import create_app
        from webmain.web.connections import BoundedProtocol
        from webmain.web.stored import sqlite_address
    except ImportError as error:
        raise Failure(USAGE, f"serve needs {error.name}: pip install 'webmain[web]'") from error
    with failing(USAGE, StoreSpecError):
        sqlite_address(config.store)
    try:
        listening = _listen(config.host, config.port)
    except OSError as error:
        message = f"cannot listen on {config.host} port {config.port}: {error.strerror or error}; give another --port"
        raise Failure(USAGE, message) from error
    with listening:
        settings = uvicorn.Config(
            create_app(config),
            loop="asyncio",
            http=BoundedProtocol,
            ws="none",
            log_level="warning",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            limit_concurrency=config.limits.connections,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=3,
        )
        print(f"webmain: open {_address(config.host, listening.getsockname()[1])} (Ctrl-C stops it)", flush=True)
        uvicorn.Server(settings).run(sockets=[listening])
    return OK


def _config(args: argparse.Namespace) -> Config:
    from dataclasses import replace

    from webmain.net.addresses import allows_private
    from webmain.web.config import Config, Limits

    limits = Limits()
    if args.max_bytes:
        limits = replace(limits, page_bytes=args.max_bytes, body_bytes=args.max_bytes + (2 << 20))
    if args.timeout:
        limits = replace(limits, page_s=args.timeout, work_s=4 * args.timeout)
    return Config(
        host=args.host,
        port=args.port,
        names=tuple(name.lower() for name in args.name),
        token=args.token or os.environ.get(TOKEN) or None,
        store=args.store,
        pages=args.pages,
        models=args.models,
        corrections=args.corrections,
        sites=site_rules(args.sites) if Path(args.sites).exists() else None,
        sites_file=args.sites,
        contact=args.contact,
        allow_private=args.allow_private or allows_private(),
        limits=replace(limits, workers=args.jobs) if args.jobs else limits,
    )


def _listen(host: str, port: int) -> socket.socket:
    """Return a listening socket, so that the printed address can be opened at once."""
    if not 0 <= port <= _LAST_PORT:
        raise OSError("no port has this number")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family)


def _address(host: str, port: int) -> str:
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104 - compared, not listened at
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"
