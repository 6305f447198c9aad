"""Thai XPath: text nodes grouped by the lowest path with more than one of them, judged by the share of anchors.

References
----------
Wigrai Thanadechteemapat, Chun Che Fung: Automatic Web Content Extraction for Generating Tag Clouds from Thai Web Sites
(ICEBE 2011), section III.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from webmain.extractors.base import NOT_SHOWN, CheckedOptions, Extraction, body_index, range_sums, within
from webmain.html.blocks import Segmentation, from_runs
from webmain.html.columns import Flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webmain.html.document import Document

REMOVED = frozenset(("script", "noscript", "embed", "object", "img", "style", "form"))
"""Non-informative nodes, dropped with all their content (rules R1, section III.A)."""

FOOTER_WORDS = (
    "powered by",
    "copyright",
    "©",
    "ลิขสิทธิ์",  # copyright
    "สงวนลิขสิทธิ์",  # copyright reserved
    "สงวนสิทธิ์",  # rights reserved
    "ขับเคลื่อนโดย",  # powered by
    "พัฒนาโดย",  # developed by
)
"""A text that begins with one of these is a footer (rules R2; the paper quotes only the first word of its list)."""

_FOOTER = re.compile(rf"\s*(?:{'|'.join(map(re.escape, FOOTER_WORDS))})", re.IGNORECASE)
_FOOTER_INITIALS = frozenset("".join(word[0] + word[0].upper() for word in FOOTER_WORDS) + " \t\r\n")
_WHY = ("many anchors", "few anchors", "linked headline", "alone in its block", "footer", "too short")
_MANY, _FEW, _HEADLINE, _ALONE, _FOOTER_TEXT, _SHORT = range(len(_WHY))


@dataclass(frozen=True)
class ThaiXPath(CheckedOptions):
    """Keeps the text nodes whose block has few anchors, by number and by length.

    Parameters
    ----------
    text_weight, node_weight : float
        Weights of the anchor text ratio and the anchor node ratio in the anchor ratio (section III.B).
    max_anchor_ratio : float
        A block is content below this anchor ratio (section III.C).
    headline_anchors, headline_elements : int
        A block with fewer than `headline_anchors` anchors and more than `headline_elements` text nodes is content at any
        anchor ratio: a headline that is a link (section III.C).
    min_chars : int
        Shorter text nodes are not content (section III.C). Deviation: the paper lists "less than 2 characters" among
        the conditions for content, which is evidently reversed.
    alone : {"drop", "keep"}
        Whether a text node in no block (no ancestor path has a second one) is dropped or kept as content.
    top : {"body", "below"}
        Whether the body itself can be a block. The paper steps up "until the parent is a body element node", which can
        be read either way; "below" leaves the body out.
    hidden : {"drop", "keep"}
        Whether text hidden by any rule, and fallback text of frames and players, is dropped. Deviation: the paper drops
        only `display:none` in a style attribute; "keep" follows it exactly.

    Notes
    -----
    The paper groups text nodes by comparing XPaths as strings. A path is below another exactly if its element is inside the
    other's, so element ranges are compared here instead; a test compares both methods on random trees. Text nodes are the
    paper's "elements"; their length is that of the folded text.

    Raw is the anchor ratio AR = .75 ATR + .25 ANR of the block. The score falls from 1 at AR 0 to .5 at the limit to 0 at
    AR 1; linked headlines have .5, footers and short texts 0.
    """

    name: ClassVar[str] = "thai_xpath"
    text_weight: float = field(default=0.75, metadata=within(0, 1))
    node_weight: float = field(default=0.25, metadata=within(0, 1))
    max_anchor_ratio: float = field(default=0.6, metadata=within(0, 1))
    headline_anchors: int = field(default=2, metadata=within(0, 1e9))
    headline_elements: int = field(default=2, metadata=within(0, 1e9))
    min_chars: int = field(default=2, metadata=within(0, 1e9))
    alone: Literal["drop", "keep"] = "drop"
    top: Literal["body", "below"] = "body"
    hidden: Literal["drop", "keep"] = "drop"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.text_weight + self.node_weight > 1 + 1e-9:
            raise ValueError(
                f"{self.name}: option node_weight: got {self.node_weight}, allowed is 0 to {1 - self.text_weight:g}"
            )

    def segment(self, document: Document) -> Segmentation:
        """Return runs of text nodes of the same block; footers and short texts are separate (III.A, III.B)."""
        leaves = document.leaves
        member = self._members(document)
        before = np.concatenate(([0], np.cumsum(member)))
        owner = np.where(member, self._owners(document, before), -1).astype(np.int32)
        state = self._states(leaves.texts)
        fresh = np.zeros(len(leaves), dtype=bool)
        at = np.flatnonzero(member)
        fresh[at[1:]] = state[at[1:]] != state[at[:-1]]
        return from_runs(document, owner, fresh=fresh)

    def judge(self, segmentation: Segmentation) -> Extraction:
        """Return verdicts that keep blocks with few anchors and linked headlines, without footers and short texts (III.C)."""
        document = segmentation.document
        leaves, elements = document.leaves, document.elements
        member = segmentation.of_unit >= 0
        starts, ends = elements.leaf_starts[segmentation.element], elements.leaf_ends[segmentation.element]
        anchor = member & leaves.has(Flag.IN_ANCHOR)
        chars = leaves.n_chars
        n_elements, n_anchors, n_chars, n_anchor_chars = (
            range_sums(column, starts, ends) for column in (member, anchor, chars * member, chars * anchor)
        )
        ratio = self.text_weight * n_anchor_chars / n_chars + self.node_weight * n_anchors / n_elements
        few = ratio < self.max_anchor_ratio
        headline = (n_anchors < self.headline_anchors) & (n_elements > self.headline_elements)
        rule = np.where(few, _FEW, np.where(headline, _HEADLINE, _MANY))
        in_block = n_elements > 1
        if self.top == "below":
            in_block &= segmentation.element != body_index(elements.tags)
        rule[~in_block] = _ALONE if self.alone == "drop" else _FEW
        state = self._states([leaves.texts[i] for i in segmentation.first.tolist()])
        rule = np.where(state > 0, state, rule)
        kept = (rule == _FEW) | (rule == _HEADLINE)
        score = _score(ratio, self.max_anchor_ratio)
        score[rule == _HEADLINE] = 0.5
        score[~in_block] = 1.0 if self.alone == "keep" else 0.0
        score[state > 0] = 0.0
        return Extraction(
            segmentation, self.name, score=score, raw=ratio, kept=kept, why=tuple(map(_WHY.__getitem__, rule.tolist()))
        )

    def _members(self, document: Document) -> NDArray[np.bool_]:
        """Return which leaves are informative nodes of the body (rules R1)."""
        leaves, elements = document.leaves, document.elements
        removed = leaves.elements < body_index(elements.tags)
        if self.hidden == "drop":
            removed |= leaves.has(NOT_SHOWN | Flag.IN_NOSCRIPT | Flag.IN_FORM)  # these cover all that R1 removes
        else:
            removed |= leaves.has(Flag.HIDDEN_DISPLAY)
            removed |= elements.within(elements.has_tag(REMOVED))[leaves.elements]
        return ~removed

    def _owners(self, document: Document, before: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return for each leaf its lowest ancestor with more than one informative leaf (section III.B).

        For leaves without one, the element that they are in.
        """
        elements = document.elements
        count = before[elements.leaf_ends] - before[elements.leaf_starts]
        body = body_index(elements.tags)
        highest = body if self.top == "body" else body + 1
        own = document.leaves.elements
        owner = own.copy()
        climbing = np.flatnonzero((count[owner] == 1) & (owner >= highest))
        while len(climbing):  # each element with one leaf is visited once, so this is linear
            owner[climbing] = elements.parents[owner[climbing]]
            climbing = climbing[(count[owner[climbing]] == 1) & (owner[climbing] >= highest)]
        return np.where(owner < highest, own, owner).astype(np.int32)

    def _states(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Return the rule that drops each text as a footer or too short, whatever its block; 0 for other texts."""
        state = np.zeros(len(texts), dtype=np.int64)
        state[[i for i, t in enumerate(texts) if len(t) < self.min_chars]] = _SHORT
        state[[i for i, t in enumerate(texts) if t[0] in _FOOTER_INITIALS and _FOOTER.match(t)]] = _FOOTER_TEXT
        return state


def _score(ratio: NDArray[np.float64], limit: float) -> NDArray[np.float64]:
    """Return an anchor ratio as a score: 1 at 0, .5 at the limit, 0 at 1."""
    below = 1 - 0.5 * ratio / limit if limit > 0 else np.zeros_like(ratio)
    above = 0.5 * (1 - ratio) / (1 - limit) if limit < 1 else np.full_like(ratio, 0.5)
    return np.clip(np.where(ratio < limit, below, above), 0, 1)
