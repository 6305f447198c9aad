"""Recognise pages that say that the requested page does not exist, whatever their status ("soft 404")."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from webmain import languages
from webmain.clock import once
from webmain.metadata.head import element_text

if TYPE_CHECKING:
    from webmain.html.document import Document

MISSING: Final = b"missing"
"""Stands for the texts of all such pages of a site, some of which repeat the requested address."""

_DIVIDER: Final = re.compile(r"\s*[|!…•·«»]\s*|\s[-–—:]\s|(?<=404)[:.,]\s*")
_NUMBER: Final = re.compile(r"^(?:http |error )?404(?: error)?\b ?")
_MAX_CHARS: Final = 300
_ENDS: Final = " .,:;?¡¿'\"“”–—-"


def says_missing(document: Document) -> bool:
    """Return True if the title or the only `h1` of a page says that it is missing ("Page not found | The Courier")."""
    headlines = document.elements.of_tags(("h1",))
    shown = element_text(document, headlines[0]) if len(headlines) == 1 else ""
    return any(is_missing_title(title) for title in (document.title, shown))


def is_missing_title(title: str) -> bool:
    """Return True if a title, or a part of it between dividers, says that a page is missing, in any language."""
    folded = " ".join(title[:_MAX_CHARS].lower().replace("’", "'").split())
    for part in _DIVIDER.split(folded):
        bare = part.strip(_ENDS)
        rest = _NUMBER.sub("", bare).strip(_ENDS)
        if bare in _titles() or rest in _titles() or (bare and not rest):
            return True
    return False


@once
def _titles() -> frozenset[str]:
    return frozenset(languages.known().words("missing"))
