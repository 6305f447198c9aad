"""What elements are called: classes, ids and roles, looked at once for all elements, of all pages, that are called alike.

Sites repeat the names of their elements on every page, and themes on every site: most of a page's elements are called like
one that was seen before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

VISUALLY_HIDDEN: Final = frozenset(
    "sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only screenreader-only element-invisible "
    "a11y-hidden u-visually-hidden u-hidden-visually is-visually-hidden visually-hidden-focusable show-for-sr "
    "hide-accessible hidden-accessible assistive-text is-sr-only sr_only sronly screenreader screen-reader sr-text "
    "sr-only-focusable vh offscreen off-screen hidden-text a11y-text a11y-only visually_hidden u-visuallyhidden "
    "c-visually-hidden cdk-visually-hidden accessibly-hidden wai-hidden print-only visible-print-block "
    "d-print-block".split()
)
"""Class names under which style sheets commonly clip text away from the screen."""

HIDDEN_BY_STYLE_SHEET: Final = frozenset("is-hidden js-hidden invisible lg:hidden".split())
"""Class names under which style sheets commonly do not show an element at all, on a wide screen at least.

Not among them are `hidden` and `d-none`, of which much is tabs and text that opens on a click.
"""

OUTSIDE_TAGS: Final = frozenset(("nav", "footer", "select", "datalist", "dialog"))
OUTSIDE_ROLES: Final = frozenset(("navigation", "contentinfo"))
_INSIDE_TAGS: Final = frozenset(("html", "body", "main", "article"))
"""Elements that are a page's content whatever role they are given."""

MAX_KNOWN: Final = 50_000
"""Names that are remembered; when there are more, all are forgotten."""


class Names:
    """What an element is called; the same object for all elements that are called alike, so that a dict of these is fast.

    Attributes
    ----------
    tag : str
    classes, id, itemprop : str
        As they are written; "" where an element has none.
    role : str
        In lower case.
    label : str
        Tag and classes: "div.story-body wide".
    is_clipped, is_not_displayed : bool
        Whether style sheets commonly clip away, or do not show, what is called so.
    is_unseen : bool
        Either.
    is_outside : bool
        Whether it says that it is no content: a menu, a footer, a choice, a dialog.
    """

    __slots__ = (
        "classes",
        "id",
        "is_clipped",
        "is_not_displayed",
        "is_outside",
        "is_unseen",
        "itemprop",
        "label",
        "role",
        "tag",
    )

    def __init__(
        self,
        tag: str,
        classes: str | None = None,
        own_id: str | None = None,
        itemprop: str | None = None,
        role: str | None = None,
    ) -> None:
        self.tag = tag
        self.classes = classes or ""
        self.id = own_id or ""
        self.itemprop = itemprop or ""
        self.role = (role or "").strip().lower()
        self.label = f"{tag}.{classes}" if classes else tag
        names = self.classes.lower().split()
        self.is_clipped = not VISUALLY_HIDDEN.isdisjoint(names)
        self.is_not_displayed = not HIDDEN_BY_STYLE_SHEET.isdisjoint(names)
        is_by_role = self.role in OUTSIDE_ROLES and tag not in _INSIDE_TAGS
        self.is_outside = is_by_role or tag in OUTSIDE_TAGS
        self.is_unseen = self.is_clipped or self.is_not_displayed


NO_NAMES: Final = Names("")
"""In the place of the names of elements that nobody looks at: those without text below them."""


_known: dict[str | tuple[str | None, ...], Names] = {}


def names_of(tags: Iterable[str], attributes: Iterable[dict[str, str | None]]) -> list[Names]:
    """Return what elements are called.

    Parameters
    ----------
    tags, attributes : iterable
        Of each element.
    """
    known = _known
    if len(known) > MAX_KNOWN:
        known.clear()
    found = []
    for tag, named in zip(tags, attributes, strict=True):
        key: str | tuple[str | None, ...] = tag
        if named:
            get = named.get
            if "id" in named or "itemprop" in named or "role" in named:
                key = (tag, get("class"), get("id"), get("itemprop"), get("role"))
            else:
                key = (tag, get("class"))
        names = known.get(key)
        if names is None:
            names = known[key] = Names(*key) if named else Names(tag)
        found.append(names)
    return found
