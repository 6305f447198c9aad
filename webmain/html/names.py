"""Names of elements: classes, ids and roles, analysed once and shared by all elements with the same names, on all pages.

Sites repeat their names on every page, and themes on every site, so most of a page's elements have names seen before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from webmain.regex import lazy

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
"""Class names of elements that style sheets commonly hide visually, but not from screen readers."""

HIDDEN_BY_STYLE_SHEET: Final = frozenset("is-hidden js-hidden invisible lg:hidden".split())
"""Class names of elements that style sheets commonly do not display, at least on wide screens.

`hidden` and `d-none` are not included, because they are often used for tabs and folded text.
"""

OUTSIDE_TAGS: Final = frozenset(("nav", "footer", "select", "datalist", "dialog"))
OUTSIDE_ROLES: Final = frozenset(("navigation", "contentinfo"))
_INSIDE_TAGS: Final = frozenset(("html", "body", "main", "article"))
"""Elements that are content whatever their role."""

_NAMING_TEXT: Final = ("caption", "quote", "line", "gutter")

MAX_CLASS_CHARS: Final = 400
"""Longer class attributes and ids are not searched for what they name."""

_NAMING_COMMENTS: Final = ("omment", "omentar", "disqus", "reacties", "yorum", "livefyre")
_NO_THREAD_TAGS: Final = frozenset(("html", "body", "form", "a"))
_THREAD = lazy(
    r"(?:^|[\s_-])(?:[a-z]+)?(?:comments?(?:s?[_-]?(?:list|thread|section|area|body|box|content|wrapper|container|item|text))?"
    r"|disqus(?:[_-]thread)?|kommentare?r?|kommentarii|komentar(?:ze|e|i)?|comentarios?|commentaires?|commenti|reacties|yorum(?:lar)?"
    r"|livefyre)(?=$|[\s_-])"
)
_SURE_THREAD = lazy(r"disqus[_-]thread|comments?|commentlist|comments?[_-](?:list|thread|section|area|content|wrapper)")
_NO_THREAD = lazy(r"count|link|respond|reply-?title|comment-?form|button|toggle|icon|number|comments?-(?:open|closed)")

MAX_KNOWN: Final = 50_000
"""Size of the cache of names, which is cleared when it is full."""

MAX_KNOWN_CHARS: Final = 300
"""Maximum total length of names that are cached."""


class Names:
    """The names of an element; one shared object for elements with the same names, so dict look-ups are fast.

    Attributes
    ----------
    tag : str
    classes, id, itemprop : str
        As written; "" if an element has none.
    role : str
        In lower case.
    label : str
        Tag and classes: "div.story-body wide".
    is_clipped, is_not_displayed : bool
        Whether style sheets commonly hide such elements visually, or do not display them.
    is_unseen : bool
        Either.
    is_outside : bool
        Whether tag or role mark it as no content: menu, footer, select or dialog.
    may_name_text : bool
        Whether its class or role may say what its text is: a caption, a quote, a heading, or line numbers.
    thread : int
        Whether its class, id or itemprop names readers' comments: `SURE_THREAD`, `THREAD`, or 0.
    is_remembered : bool
        Whether it is short enough to be cached.
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
        "may_name_text",
        "role",
        "tag",
        "thread",
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
        lower = self.classes.lower()
        names = lower.split()
        self.is_clipped = not VISUALLY_HIDDEN.isdisjoint(names)
        self.is_not_displayed = not HIDDEN_BY_STYLE_SHEET.isdisjoint(names)
        is_by_role = self.role in OUTSIDE_ROLES and tag not in _INSIDE_TAGS
        self.is_outside = is_by_role or tag in OUTSIDE_TAGS
        self.may_name_text = self.role == "heading" or any(each in lower for each in _NAMING_TEXT)
        self.is_unseen = self.is_clipped or self.is_not_displayed
        self.thread = 0
        values = (lower, self.id.lower(), self.itemprop.lower())
        if tag not in _NO_THREAD_TAGS and any(each in value for value in values for each in _NAMING_COMMENTS):
            self.thread = _thread(values)
        self.is_remembered = sum(map(len, filter(None, (tag, classes, own_id, itemprop, role)))) <= MAX_KNOWN_CHARS


THREAD, SURE_THREAD = 1, 2


def _thread(values: Iterable[str]) -> int:
    """Return whether classes, id or itemprop, in lower case, name a thread of readers' comments."""
    tokens = [token for value in values if len(value) <= MAX_CLASS_CHARS for token in value.split()]
    if not any(_THREAD.search(token) and not _NO_THREAD.search(token) for token in tokens):
        return 0
    return SURE_THREAD if any(map(_SURE_THREAD.fullmatch, tokens)) else THREAD


NO_NAMES: Final = Names("")
"""Used instead of the names of elements without text, which are never needed."""


_known: defaultdict[str, dict[str | tuple[str | None, ...] | None, Names]] = defaultdict(dict)
"""By tag, then by classes; by classes, id, itemprop and role where an element has an attribute of `_NAMING_ATTRIBUTES`."""

_NAMING_ATTRIBUTES: Final = frozenset(("id", "itemprop", "role", "style", "hidden"))
"""Attributes that matter besides the classes."""


class Attributes(Sequence["dict[str, str | None]"]):
    """The attributes of a page's elements; each element's dict is created on first access, and cached.

    Behaves like a list without slices. Half of a page's elements have no text (`meta`, `link`, `img`, `path`), and few
    methods use their attributes.

    Parameters
    ----------
    nodes : list
        The parser's nodes in preorder; they keep the parser's tree in memory.
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
            Not negative.
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


class ElementNames(NamedTuple):
    """The names of elements, and the positions of those that may hide their text."""

    names: list[Names]
    may_hide: list[int]


def names_of(tags: Iterable[str], attributes: Iterable[dict[str, str | None]]) -> ElementNames:
    """Return the names of elements.

    Parameters
    ----------
    tags, attributes : iterable
        Tag and attributes of each element.
    """
    known, tell_nothing = _known, _NAMING_ATTRIBUTES.isdisjoint
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
    return ElementNames(found, may_hide)
