"""`webmain models` and `webmain forget`: what was learned of sites."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from webmain.cli.exits import NOT_FOUND, OK, REJECTED, UNWRITTEN, USAGE, Failure, failing
from webmain.cli.sources import MODELS, notify

if TYPE_CHECKING:
    import argparse

    from webmain.cli import Commands
    from webmain.sites.model_file import Model
    from webmain.sites.model_store import ModelStore


def add(commands: Commands) -> None:
    """Add the commands."""
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
    for command in (models, forget):
        command.add_argument("--models", default=MODELS, metavar="FOLDER", help=f"folder of the models ({MODELS})")


def _models(args: argparse.Namespace) -> int:
    from webmain.sites.model_store import ModelStore

    found = ModelStore(args.models).models()
    if args.format == "json":
        print(json.dumps([_record(model) for model in found.models], ensure_ascii=False, indent=2))
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


def _record(model: Model) -> dict[str, Any]:
    from webmain.items.codec import plain

    return {**plain(model), "path": str(model.path)}


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
            worst = NOT_FOUND
    return worst
