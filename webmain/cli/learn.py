"""`webmain learn`, `models`, `forget`: learn sites from archives or by crawling them; what was learned."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from webmain.cli.exits import INTERRUPTED, NOT_FOUND, OK, REJECTED, UNWRITTEN, USAGE, Commands, Failure, failing
from webmain.cli.sources import CORRECTIONS, MODELS, ArchivePages, named, notify, positive_int
from webmain.text.terminal import counted

if TYPE_CHECKING:
    import argparse

    from webmain.extractors.base import SiteExtractor
    from webmain.items import Page
    from webmain.sites.held_pages import Spool
    from webmain.sites.model_store import ModelStore

MAX_PAGES = 50  # most pages of a site that are learned from


def add(commands: Commands) -> None:
    """Add the commands."""
    learn = commands.add_parser(
        "learn",
        help="learn sites from archives of their pages, or by crawling them",
        description="Learn models of sites and save them in a folder, where crawls and `webmain extract` find them. "
        "From an archive, each site in it is learned; a site given by name is crawled politely, and no article is stored.",
    )
    option = learn.add_argument
    option(
        "source",
        metavar="SITE|WARC",
        type=named,
        nargs="+",
        help="a domain or address to crawl; or a WARC file, a folder of HTML files, or a pattern matching such files",
    )
    option("-e", "--extractor", help="method that learns, with options: learned, lbda, svm, module:Class (learned)")
    option("--max-pages", type=positive_int, default=MAX_PAGES, metavar="N", help=f"most pages per site ({MAX_PAGES})")
    option("--site", metavar="DOMAIN", help="from an archive, use only pages of this site or without an address")
    option("--corrections", type=named, metavar="FILE", help=f"corrected pages to learn from, too ({CORRECTIONS})")
    option("--contact", help="your address, sent in the user agent when a site is crawled")
    learn.set_defaults(run=_learn)
    models = commands.add_parser(
        "models", help="list the learned models of sites", description="List the learned models of sites."
    )
    models.add_argument("-f", "--format", choices=("table", "json"), default="table", help="what to print")
    models.set_defaults(run=_models)
    forget = commands.add_parser(
        "forget", help="remove the learned models of sites", description="Remove the learned models of sites."
    )
    forget.add_argument("site", metavar="SITE", nargs="+", help="a domain or address")
    forget.add_argument("-e", "--extractor", metavar="METHOD", help="only the models of this method")
    forget.set_defaults(run=_forget)
    for command in (learn, models, forget):
        command.add_argument("--models", default=MODELS, metavar="FOLDER", help=f"folder of the models ({MODELS})")


def _learn(args: argparse.Namespace) -> int:
    from webmain.extractors.base import SiteExtractor, create
    from webmain.sites.held_pages import HeldPagesError, Spool
    from webmain.spiders.addresses import start_url

    extractor = create(args.extractor)
    if not isinstance(extractor, SiteExtractor):
        raise Failure(USAGE, f"{extractor.name} does not learn from a site's pages; learned, lbda and svm do")
    if args.corrections and not Path(args.corrections).is_file():
        raise Failure(NOT_FOUND, f"{args.corrections}: no such file")
    archives = [source for source in args.source if _is_archive(source)]
    addresses = [source for source in args.source if not _is_archive(source)]
    if wrong := [address for address in addresses if start_url(address) is None]:
        raise Failure(NOT_FOUND, f"{wrong[0]}: neither a file that exists nor a domain or web address")
    with tempfile.TemporaryDirectory(prefix="webmain-learn-") as folder:
        spool = Spool(folder)
        try:
            with failing(UNWRITTEN, HeldPagesError):
                worst = _gather(spool, archives, addresses, args)
            return worst if worst == INTERRUPTED else max(worst, _learn_all(spool, extractor, args))
        finally:
            spool.close()


def _gather(spool: Spool, archives: Sequence[str], addresses: Sequence[str], args: argparse.Namespace) -> int:
    """Put pages of all sources into the spool; return an exit code."""
    worst = OK
    for source in archives:
        before = len(spool)
        archive = ArchivePages(source)
        n_of_no_site = put_pages(spool, archive, max_pages=args.max_pages, site=args.site)
        for problem in archive.problems:
            notify(problem)
        if n_of_no_site:
            pages = "page has no web address" if n_of_no_site == 1 else "pages have no web address"
            notify(f"{source}: {n_of_no_site} {pages}; give their site with --site DOMAIN")
        elif len(spool) == before and not archive.problems:
            notify(f"{source}: contains no readable page{f' of {args.site}' if args.site else ''}")
        worst = NOT_FOUND if len(spool) == before else worst
    if addresses:
        from webmain.crawl.learning import gather

        print(f"crawling {', '.join(addresses)} for up to {args.max_pages} articles each", file=sys.stderr)
        before = len(spool)
        if not gather(addresses, spool, max_pages=args.max_pages, contact=args.contact or ""):
            return INTERRUPTED
        if len(spool) == before:
            notify(f"{', '.join(addresses)}: no article could be fetched")
            worst = NOT_FOUND
    return worst


def put_pages(spool: Spool, pages: Iterable[Page], *, max_pages: int, site: str | None = None) -> int:
    """Put readable pages into the spool, up to a limit per site, or of one site alone; count those without a site.

    Pages without a web address are assumed to be of the requested site.
    """
    from webmain import extraction as stages
    from webmain.items import Rejected
    from webmain.sites.model_store import site_of
    from webmain.urls import site_key

    wanted = site_key(site) if site else None
    n_of_no_site = 0
    for n, page in enumerate(pages, 1):
        try:
            document = stages.read(page)
            own = site_of(document)
            if not own and wanted:
                own, page = wanted, replace(page, url=f"https://{wanted}/page-{n}.html")
            n_of_no_site += not own
            if not own or (wanted and own != wanted) or spool.count(own) >= max_pages or not len(document.leaves):
                continue
        except Rejected:
            continue
        spool.put(own, page)
    return n_of_no_site


def _learn_all(spool: Spool, extractor: SiteExtractor, args: argparse.Namespace) -> int:
    """Learn each site with pages in the spool; print a line for each."""
    from webmain import extraction as stages
    from webmain.corrections.file import CorrectionsFile
    from webmain.sites.fitting import Event, LearningTask, cannot_detect_drift, drift_warning, fit_summary
    from webmain.sites.model_store import ModelStore

    models, corrections = ModelStore(args.models), CorrectionsFile(args.corrections or CORRECTIONS)
    worst = OK
    for site in sorted(spool.sites):
        n = spool.count(site)
        learning_task = LearningTask(
            site=site,
            extractor=extractor,
            known=None,
            pages=spool.waiting(site),
            models=models,
            least=extractor.min_pages,
            corrected=corrections.pages_of(site),
        )
        result = learning_task.run(stages.read)
        learned = result.fitted.learned if result.fitted is not None else None
        if result.fitted is None or learned is None:
            worst = max(worst, REJECTED)
            notify(f"{site}: {counted(n, 'page')}, nothing learned: {result.detail}")
            continue
        if result.problem or result.event is Event.FAILED:
            worst = max(worst, UNWRITTEN)
            notify(f"{result.problem}")
            continue
        place = models.path(site, extractor.name)
        corrected = f" and {len(learning_task.corrected)} corrected" if learning_task.corrected else ""
        found = f"{fit_summary(result.fitted)}, resemblance {learned.resemblance:.2f}"
        print(f"{site}: {counted(n, 'page')}{corrected}, {found}, {place}")
        if cannot_detect_drift(result.fitted):
            notify(f"{site}: {drift_warning(result.fitted)}")
    return worst


def _is_archive(source: str) -> bool:
    """Return True if a source names files: it exists, or looks like a pattern or a path."""
    if "://" in source:
        return False
    place = Path(source).expanduser()
    return place.exists() or any(c in source for c in "*?[") or source.lower().endswith((".gz", ".warc", ".html"))


# ---- What was learned


def _models(args: argparse.Namespace) -> int:
    from webmain.items.codec import plain
    from webmain.sites.model_store import ModelStore

    found = ModelStore(args.models).models()
    if args.format == "json":
        records = [{**plain(model), "path": str(model.path)} for model in found.models]
        print(json.dumps(records, ensure_ascii=False, indent=2))
    elif found.models:
        width = max(len(model.site) for model in found.models)
        print(f"{'site':<{width}}  {'method':<10} {'pages':>9} {'quality':>7}  trained")
        for model in found.models:
            quality = "" if model.quality is None else f"{model.quality:.3f}"
            trained = model.trained_at.date().isoformat()
            pages = f"{model.n_pages}" + (f" of {model.pages_given}" if model.pages_given > model.n_pages else "")
            print(f"{model.site:<{width}}  {model.method:<10} {pages:>9} {quality:>7}  {trained}")
    for error in found.errors:
        notify(error)
    if not found.models and not found.errors:
        notify(f"{args.models}: no models; `webmain learn SITE` makes one")
    return REJECTED if found.errors else OK


def _method(spec: str) -> str:
    """Return the name of a method given as for a crawl: with options, or as an import path."""
    from webmain.extractors.base import EXTRACTORS, create

    name = spec.partition(":")[0].strip()
    return name if name in EXTRACTORS or ":" not in spec else create(spec).name


def _allowed(store: ModelStore) -> set[str]:
    """Return the methods that learn, and those that have a saved model."""
    from webmain.extractors.base import EXTRACTORS, SiteExtractor, create

    learning = {name for name in EXTRACTORS if isinstance(create(name), SiteExtractor)}
    return learning | {model.method for model in store.models().models}


def _forget(args: argparse.Namespace) -> int:
    from webmain.sites.model_file import ModelError
    from webmain.sites.model_store import ModelStore
    from webmain.urls import site_key

    store = ModelStore(args.models)
    method = _method(args.extractor) if args.extractor else None
    worst = OK
    for site in args.site:
        with failing(UNWRITTEN, ModelError):
            gone = store.forget(site_key(site) or site, method)
        if not gone and method is not None and method not in (allowed := _allowed(store)):
            raise Failure(USAGE, f"extractor: got {method!r}, allowed are {', '.join(sorted(allowed))}")
        for path in gone:
            print(f"removed {path}")
        if not gone:
            by = f" by {method}" if method else ""
            notify(f"{site}: no model{by} in {args.models}")
            worst = REJECTED
    return worst
