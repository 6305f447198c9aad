"""Adds a rule to `sites.toml`: keeps its comments and format, and replaces it only by a file that can be read."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from webmain.files import replaced_whole
from webmain.sites.rules import SitesError, read_sites

if TYPE_CHECKING:
    from webmain.corrections.proposals import Proposal


class MissingExtraError(RuntimeError):
    """A library of an optional extra is not installed; the message names it."""


def accept(proposal: Proposal, path: str | Path) -> None:
    """Add a rule to a file of rules; the previous file is kept beside it with the suffix `.bak`.

    Raises
    ------
    SitesError
        The file cannot be used as it is; it was left so.
    MissingExtraError
        tomlkit is not there.
    OSError
        The system refuses.
    """
    try:
        import tomlkit
    except ImportError:
        raise MissingExtraError("writing rules needs tomlkit: pip install 'webmain[web]'") from None
    path = Path(path)
    if path.exists():
        read_sites(path)
        document = tomlkit.parse(path.read_text(encoding="utf-8-sig"))
    else:
        document = tomlkit.document()
    names = (name for name in document if name.strip().lower().removeprefix("www.") == proposal.site)
    table = next((document[name] for name in names), None)
    if table is None:
        table = document[proposal.site] = tomlkit.table()
    given = table.get(proposal.key)
    known = [given] if isinstance(given, str) else list(given or ())
    if proposal.css in known:
        return
    if isinstance(given, list):
        given.append(proposal.css)
    else:
        table[proposal.key] = [*known, proposal.css]
    with replaced_whole(path) as part:
        part.write_text(tomlkit.dumps(document), encoding="utf-8")
        read_sites(part)
        if path.exists():
            shutil.copy2(path, path.with_name(path.name + ".bak"))


__all__ = ["MissingExtraError", "SitesError", "accept"]
