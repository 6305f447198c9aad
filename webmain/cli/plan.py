"""`webmain plan`: show what a crawl of a site would do, without fetching articles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from webmain.cli.exits import NOT_FOUND, OK, REJECTED, USAGE, Commands
from webmain.cli.sources import add_crawl, notify, pairs, settings_of
from webmain.text.terminal import one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from webmain.cli.planning import Plan

MAX_SHOWN: Final = 8
"""Sources and sections printed; --json prints all."""


def add(commands: Commands) -> None:
    """Add the command."""
    plan = commands.add_parser(
        "plan",
        help="show what a crawl of a site would do, without fetching articles",
        description="Read a site's front page, robots.txt, feeds and sitemaps as a crawl does, and show what it allows, what"
        " they list, how much of it is new, and how long a run would take. No article is fetched, and nothing is written.",
        epilog="exit codes: 0 all sites can be crawled, 1 one cannot, 2 wrong usage, 3 none can",
    )
    add_crawl(plan)
    plan.add_argument("--json", action="store_true", help="print JSON")
    plan.set_defaults(run=_plan)


def _plan(args: argparse.Namespace) -> int:
    from dataclasses import asdict

    from webmain.cli.planning import plan
    from webmain.ledger.file import LedgerError
    from webmain.spiders.arguments import ArgumentError, read_news_arguments
    from webmain.store.registry import ledger_path

    refused = {"site": "name it before the options", "store": "give --store", "record": "a plan records nothing"}
    try:
        arguments = {**dict(pairs("-a", args.a, refused)), "site": ",".join(args.site), "store": args.store}
        settings = settings_of(args.s, {})
        read_news_arguments(arguments)
    except (ArgumentError, ValueError) as error:
        notify(error)
        return USAGE
    ledger = settings.pop("WEBMAIN_LEDGER", None) or ledger_path(args.store)
    try:
        found = plan(arguments, settings, Path(ledger))
    except LedgerError as error:
        notify(error)
        return NOT_FOUND
    if args.json:
        print(json.dumps([asdict(each) for each in found], ensure_ascii=False, indent=1))
    else:
        print("\n\n".join(as_text(each) for each in found))
    well = [_is_well(each) for each in found]
    return OK if well and all(well) else REJECTED if any(well) else NOT_FOUND


def _is_well(plan: Plan) -> bool:
    """Return True if a site can be crawled now."""
    return (
        not plan.left_alone_s
        and plan.robots in ("allowed", "none", "ignored")
        and bool(plan.new or plan.known or plan.unread)
    )


def as_text(plan: Plan) -> str:
    """Return a plan as text for people."""
    from webmain.health.alarms import duration

    rows = [("front page", plan.problem or plan.front), ("robots.txt", _robots(plan))]
    if plan.left_alone_s:
        rows.append(("left alone", f"for {duration(plan.left_alone_s)}, since it refused earlier requests"))
    lists = (("feeds", plan.feeds), ("sitemaps", plan.sitemaps), ("sections", plan.sections))
    rows += [(kind, _listed(urls, plan.front)) for kind, urls in lists]
    dates = f"{plan.last_day:,} of the last day, {plan.last_week:,} of the last week, {plan.undated:,} without a date"
    rows.append(("addresses", f"{plan.new:,} new ({dates}), {plan.known:,} known"))
    if plan.unread:
        rows.append(("", f"{plan.unread:,} more addresses in sitemaps, not checked yet"))
    if plan.forbidden:
        rows.append(("", f"{plan.forbidden:,} more that robots.txt forbids"))
    pace = f"at a request every {plan.delay_s:g} s" if plan.delay_s != 1 else "at 1 request a second"
    pace = pace if plan.delay_s else "without a delay"
    rows.append(
        ("a run", f"about {duration(plan.takes_s)} {pace}: {plan.n_requests:,} pages, plus those that they link to")
    )
    rows += [("first" if not n else "", url) for n, url in enumerate(plan.first)]
    return "\n".join([plan.site, *(f"  {name:<11} {one_line(value)}" for name, value in rows)])


def _robots(plan: Plan) -> str:
    robots = {
        "allowed": "allows the front page",
        "forbidden": "forbids the front page",
        "none": "does not exist: everything is allowed",
        "unreadable": "cannot be read now: nothing is fetched",
        "ignored": "is not obeyed (ROBOTSTXT_OBEY)",
    }[plan.robots]
    return robots + (f"; Crawl-delay {plan.crawl_delay_s:g} s" if plan.crawl_delay_s else "")


def _listed(urls: Sequence[str], front: str) -> str:
    """Return addresses on one line; those on the front page's host as paths."""
    if not urls:
        return "none"
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(front))
    shown = [url.removeprefix(origin) if url.startswith(origin + "/") else url for url in urls[:MAX_SHOWN]]
    more = f" and {len(urls) - MAX_SHOWN:,} more" if len(urls) > MAX_SHOWN else ""
    return f"{len(urls):,}: {', '.join(shown)}{more}"
