"""What elements are called: classes, ids and roles, looked at once for all elements, of all pages, that are called alike.

Sites repeat the names of their elements on every page, and themes on every site: most of a page's elements are called like
one that was seen before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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

MAX_KNOWN_CHARS: Final = 300
"""Characters of names that are remembered at most: a page may write any number of them."""


class Names:
    """What an element is called; the same object for elements that are called alike, so that a dict of these is fast.

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
    is_remembered : bool
        Whether it is short enough to be remembered.
    """

    __slots__ = (
        "classes",
        "id",
        "is_clipped",
        "is_not_displayed",
        "is_outside",
        "is_remembered",
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
        self.is_remembered = sum(map(len, filter(None, (tag, classes, own_id, itemprop, role)))) <= MAX_KNOWN_CHARS


NO_NAMES: Final = Names("")
"""In the place of the names of elements that nobody looks at: those without text below them."""


_known: defaultdict[str, dict[str | tuple[str | None, ...] | None, Names]] = defaultdict(dict)
"""By tag, then by classes; by classes, id, itemprop and role where an element has an attribute of `_TELLING`."""

_TELLING: Final = frozenset(("id", "itemprop", "role", "style", "hidden"))
"""Attributes that are looked at, besides the classes."""


class Attributes(Sequence["dict[str, str | None]"]):
    """The attributes of a page's elements: each element's dict is made when first asked for, and kept.

    Reads like a list, but for slices. Half of the elements of a page hold no text (`meta`, `link`, `img`, `path`), and few
    methods ever ask for their attributes.

    Parameters
    ----------
    nodes : list
        The parser's nodes in preorder; as long as they live, so does the parser's tree.
    """

    __slots__ = ("_made", "_nodes")

    def __init__(self, nodes: list[Any]) -> None:
        self._nodes: Sequence[Any] = nodes
        self._made: list[dict[str, str | None] | None] = [None] * len(nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    def __getitem__(self, index: int) -> dict[str, str | None]:  # type: ignore[override]  # no slices
        made = self._made[index]
        if made is None:
            made = self._made[index] = self._nodes[index].attributes
        return made

    def take(self, indices: Sequence[int]) -> list[dict[str, str | None]]:
        """Return the attributes of several elements, faster than one by one.

        Parameters
        ----------
        indices : sequence of int
            From 0 on.
        """
        nodes, made = self._nodes, self._made
        found = []
        for i in indices:
            named = made[i]
            if named is None:
                named = made[i] = nodes[i].attributes
            found.append(named)
        return found

    def __iter__(self) -> Iterator[dict[str, str | None]]:
        return map(self.__getitem__, range(len(self._nodes)))

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)  # the parser's nodes cannot be pickled


class Called(NamedTuple):
    """What elements are called, and the places of those that may hide their text."""

    names: list[Names]
    may_hide: list[int]


def names_of(tags: Iterable[str], attributes: Iterable[dict[str, str | None]]) -> Called:
    """Return what elements are called.

    Parameters
    ----------
    tags, attributes : iterable
        Of each element.
    """
    known, tell_nothing = _known, _TELLING.isdisjoint
    if sum(map(len, known.values())) > MAX_KNOWN:
        known.clear()
    found: list[Names] = []
    add, may_hide = found.append, []
    key: str | tuple[str | None, ...] | None
    for tag, named in zip(tags, attributes, strict=True):
        key = named.get("class")
        if len(named) > (key is not None) and not tell_nothing(named):
            if "style" in named or "hidden" in named:
                may_hide.append(len(found))
            key = (key, named.get("id"), named.get("itemprop"), named.get("role"))
        try:
            names = known[tag][key]
        except KeyError:
            names = Names(tag, *key) if isinstance(key, tuple) else Names(tag, key)
            if names.is_remembered:
                known[tag][key] = names
        if names.is_unseen:
            may_hide.append(len(found))
        add(names)
    return Called(found, may_hide)
