"""`webmain rules`: rules for a site, proposed from its corrections, shown on other pages, and written into `sites.toml`."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from webmain.cli.exits import NOT_FOUND, OK, USAGE, Commands, Failure, failing
from webmain.cli.sources import CORRECTIONS, ArchivePages, notify, positive_int
from webmain.text.terminal import counted, cut, one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from webmain.corrections.proposals import Proposal
    from webmain.items import Page

MAX_PAGES = 20  # other pages of the site on which a rule is tried

MOST_TEXT = 110


def add(commands: Commands) -> None:
    """Add the command."""
    rules = commands.add_parser(
        "rules",
        help="propose rules for a site from its corrections",
        description="Propose CSS for sites.toml from the corrected pages of a site (webmain correct), show what each rule "
        "would change on other pages of the site, and write one with --accept.",
    )
    option = rules.add_argument
    option("site", help="the site's domain, as in the corrections")
    option("--corrections", default=CORRECTIONS, metavar="FILE", help=f"corrected pages ({CORRECTIONS})")
    option("--pages", metavar="WARC", help="other pages of the site: a WARC file, a folder of HTML files")
    option("--max-pages", type=positive_int, default=MAX_PAGES, metavar="N", help=f"most pages to read ({MAX_PAGES})")
    option("-e", "--extractor", help="method that extracts the pages")
    option("--accept", type=positive_int, metavar="N", help="write proposal N to the file of --sites")
    option("--sites", default="sites.toml", metavar="FILE", help="file of rules (sites.toml)")
    rules.set_defaults(run=_rules)


def _rules(args: argparse.Namespace) -> int:
    from webmain.archive.warc import ArchiveError, files_at
    from webmain.corrections.file import CorrectionsFile
    from webmain.corrections.proposals import accept, propose
    from webmain.files import StoreError
    from webmain.sites.rules import SitesError

    with failing(NOT_FOUND, StoreError):
        corrections = CorrectionsFile(args.corrections).of_site(args.site)
    if not corrections:
        raise Failure(NOT_FOUND, f"{args.corrections}: no page of {args.site} was corrected")
    if args.pages is not None:
        with failing(NOT_FOUND, ArchiveError):
            files_at(args.pages)
    found = propose(corrections)
    if not found:
        pages = counted(len(corrections), "corrected page")
        print(f"{args.site}: no selector matches what was marked and nothing else on {pages}")
    elif args.accept is None:
        for number, proposal in enumerate(found, 1):
            _print(number, proposal, args)
    if args.accept is None:
        return OK
    if args.accept > len(found):
        raise Failure(USAGE, f"--accept: got {args.accept}, number of proposals: {len(found)}")
    chosen = found[args.accept - 1]
    with failing(USAGE, SitesError):
        accept(chosen, args.sites)
    print(f"{args.sites}: {chosen.key} = {chosen.css!r} for {args.site}")
    return OK


def _print(number: int, proposal: Proposal, args: argparse.Namespace) -> None:
    from webmain.corrections.proposals import changes
    from webmain.extractors.base import create

    print(
        f"{number}. {proposal.key} {proposal.css}  ({counted(proposal.n_marked, 'marked part')} on "
        f"{counted(proposal.n_pages, 'corrected page')})"
    )
    n_pages = n_changed = 0
    for change in changes(proposal, _other_pages(args), create(args.extractor)):
        n_pages += 1
        if change.lost or change.gained:
            n_changed += 1
            print(f"   {one_line(change.url or 'a page without an address')}")
            for sign, texts in (("-", change.lost), ("+", change.gained)):
                for text in texts:
                    print(f"     {sign} {cut(text, MOST_TEXT)}")
    if args.pages:
        print(f"   changes {n_changed} of {counted(n_pages, 'other page')}")


def _other_pages(args: argparse.Namespace) -> Iterator[Page]:
    """Yield other pages of the site; pages without an address are assumed to be of the site."""
    from dataclasses import replace

    from webmain.urls import site_key

    if not args.pages:
        return
    archive = ArchivePages(args.pages)
    own = (
        page if page.url and page.url.startswith("http") else replace(page, url=f"https://{args.site}/page-{n}.html")
        for n, page in enumerate(archive)
    )
    yield from islice((page for page in own if site_key(page.url or "") == args.site), args.max_pages)
    for problem in archive.problems:
        notify(problem)
