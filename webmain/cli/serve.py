"""`webmain serve`: the web page and the REST interface."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from webmain import MAX_BYTES, TIMEOUT_S
from webmain.cli.exits import OK, USAGE, Commands, Failure, failing
from webmain.cli.search import add_database
from webmain.cli.sources import CORRECTIONS, MODELS, in_range, models_folder, notify, positive, positive_int, site_rules
from webmain.files import StoreSpecError, reason_of

if TYPE_CHECKING:
    import argparse

    from webmain.sites.rules import Sites
    from webmain.web.config import Config

SITES = "sites.toml"  # default file of rules for single sites

TOKEN = "WEBMAIN_TOKEN"  # noqa: S105 - the name of a variable
"""Environment variable with the token, since every user of the machine can see the command line."""

PORT = in_range(int, 0, 65_535, "are 0 to 65535")


def add(commands: Commands) -> None:
    """Add the command."""
    serve = commands.add_parser(
        "serve",
        help="use webmain in the browser: extract and explain pages, search and browse the store",
        description="Start a web server with pages for the browser and a REST interface under /api. Ctrl-C stops it.",
    )
    option = serve.add_argument
    option("--host", default="127.0.0.1", help="address to listen on (127.0.0.1: this machine only)")
    option("--port", type=PORT, default=8000, help="port to listen on, 0 for any free one (8000)")
    option("--name", action="append", default=[], metavar="HOST", help="another host name of the server")
    option("--token", help=f"secret of clients, required beyond this machine; safer in the environment: {TOKEN}")
    add_database(serve)
    option("--pages", metavar="PATH", help="pages of the store's articles, WARC or HTML: a file, a folder or a pattern")
    option("--models", type=models_folder, default=MODELS, metavar="FOLDER", help=f"models of sites ({MODELS})")
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
    option("--max-bytes", type=positive_int, default=MAX_BYTES, metavar="N", help="largest page (10 MiB)")
    option("--timeout", type=positive, default=TIMEOUT_S, metavar="S", help="CPU seconds for a page (10)")
    option("--jobs", type=positive_int, default=2, metavar="N", help="worker processes (2)")
    serve.set_defaults(run=_serve)


def _rules_file(path: str) -> tuple[str, Sites | None]:
    """Return the path of a file of rules, and the rules if it exists (an argument's type)."""
    return path, site_rules(path) if Path(path).exists() else None


def _serve(args: argparse.Namespace) -> int:
    config = _config(args)
    if not config.is_local and not config.token:
        raise Failure(USAGE, f"--host {config.host}: beyond this machine a token is required: {TOKEN}=..., or --token")
    try:
        import python_multipart  # noqa: F401
        import uvicorn

        from webmain.web.app import create_app
        from webmain.web.connections import BoundedProtocol, Server
        from webmain.web.stored import sqlite_address
    except ImportError as error:
        raise Failure(USAGE, f"serve needs {error.name}: pip install 'webmain[web]'") from error
    with failing(USAGE, StoreSpecError):
        sqlite_address(config.store)
    if config.pages is not None:
        _tell_missing(config.pages)
    try:
        family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
        listening = socket.create_server((config.host, config.port), family=family)  # before the address is printed
    except OSError as error:
        message = f"cannot listen on {config.host} port {config.port}: {reason_of(error)}; give another --port"
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
        Server(settings).run(sockets=[listening])
    return OK


def _tell_missing(pages: str) -> None:
    """Tell that there are no recordings yet; a crawl started in the browser may be about to make them."""
    from webmain.archive.warc import ArchiveError, files_at

    try:
        files_at(pages)
    except ArchiveError as error:
        notify(f"--pages: {error}")


def _config(args: argparse.Namespace) -> Config:
    from webmain.net.addresses import allows_private
    from webmain.web.config import Config, Limits

    limits = Limits(
        page_bytes=args.max_bytes,
        body_bytes=args.max_bytes + (2 << 20),
        page_s=args.timeout,
        work_s=4 * args.timeout,
        workers=args.jobs,
    )
    return Config(
        host=args.host,
        port=args.port,
        names=tuple(name.lower() for name in args.name),
        token=args.token or os.environ.get(TOKEN) or None,
        store=args.store,
        pages=args.pages,
        models=args.models,
        corrections=args.corrections,
        sites_file=args.sites[0],
        sites=args.sites[1],
        contact=args.contact,
        allow_private=args.allow_private or allows_private(),
        limits=limits,
    )


def _address(host: str, port: int) -> str:
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104 - compared, not listened at
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"
