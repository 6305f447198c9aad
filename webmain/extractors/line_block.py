"""Line-Block: groups adjacent source lines with text and judges them by text density, anchors and title keywords.

References
----------
Pan Ei San, Nilar Aye: Main Content Extraction from Dynamic Web Pages, sections IV and V.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from webmain.extractors.base import CheckedOptions, Extraction, range_sums, within
from webmain.html.blocks import Segmentation, Unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webmain.html.document import Document

_WHY = (
    "text too thin for its tags",
    "too much anchor text",
    "too few title keywords",
    "dense text, few anchors",
    "title keywords",
)
_THIN, _LINKED, _NO_KEYWORDS, _DENSE, _RESCUED = range(len(_WHY))
_FEW_KEYWORDS = 40  # up to this number, keywords are searched one by one, without splitting the texts
MAX_TITLE_CHARS = 1_000
"""Characters of a title that keywords are taken from."""

_LANGUAGE = re.compile(r"<html\s[^>]{0,500}?\blang\s{0,9}=\s{0,9}[\"']?([a-z]{2,3})\b", re.IGNORECASE)
_THAI = re.compile("[\u0e01-\u0e4e]")


@dataclass(frozen=True)
class Features:
    """The features that decide, one value for each line-block (section IV.A).

    Attributes
    ----------
    ttr : (n_blocks,) float64
        Text length divided by the number of tags, or by 1 if there are none.
    attr : (n_blocks,) float64
        Anchor text length divided by text length.
    tkd : (n_blocks,) float64
        Occurrences of title keywords.
    """

    ttr: NDArray[np.float64]
    attr: NDArray[np.float64]
    tkd: NDArray[np.float64]


@dataclass(frozen=True)
class LineBlock(CheckedOptions):
    """Keeps the line-blocks with much text per tag, little anchor text, and words of the title.

    Parameters
    ----------
    decision : {"fixed", "sigma"}
        "fixed": the thresholds below. "sigma": the threshold of each feature is `lambda_` times its standard deviation over
        the page's line-blocks (section IV.B: tau = lambda sigma); the fixed one is used if the deviation is 0, as with one
        block.
    tkd : {"rescue", "require"}
        The paper contradicts itself: its formula (section V, step 4) requires title keywords in addition to the other two;
        its text (step 3) uses them to rescue blocks that are dense in keywords but not in text.
    lambda_ : float
        The constant of "sigma"; the paper gives no value.
    max_gap : int
        Lines without text allowed between two lines of one block (section V, step 2: "the distance of any two neighbor
        lines with text"). The paper gives no value; the default is the best of 0, 1 and 3 on the development part of WCXB.
        At -1 each line is its own block, as in the paper where each has tags of its own (section IV.A: "Block means that it
        defines between open tag <> and end tag </>").
    min_ttr, max_attr, min_tkd : float
        Fixed thresholds: TTR > 30, ATTR < .2, TKD >= 2 (section IV.B).

    Notes
    -----
    Lines come from `webmain.html.lines.source_lines`, which drops the head, scripts, styles, comments and hidden elements;
    so there is no option for hidden text. Title keywords are the words of the title, case folded, without stop
    words and single characters; words of scripts without spaces are segmented in the title and counted as substrings.

    Raw is TTR. Each condition is mapped to [0, 1] with its threshold at .5. With "require" the score is the minimum
    of all three; with "rescue" the minimum of the first two, or the keywords' value if that is higher.
    """

    name: ClassVar[str] = "line_block"
    decision: Literal["fixed", "sigma"] = "fixed"
    tkd: Literal["rescue", "require"] = "rescue"
    lambda_: float = field(default=1.0, metadata=within(0, 1e6))
    max_gap: int = field(default=0, metadata=within(-1, 1e9))
    min_ttr: float = field(default=30.0, metadata=within(0, 1e9))
    max_attr: float = field(default=0.2, metadata=within(0, 1))
    min_tkd: float = field(default=2.0, metadata=within(0, 1e9))

    def segment(self, document: Document) -> Segmentation:
        """Return line-blocks of adjacent lines with text (section V, step 2)."""
        lengths = document.lines.text_lengths
        at = np.flatnonzero(lengths)
        of_unit = np.full(len(lengths), -1, dtype=np.int32)
        starts = np.ones(len(at), dtype=bool)
        starts[1:] = np.diff(at) - 1 > self.max_gap
        of_unit[at] = np.cumsum(starts) - 1
        opening = np.flatnonzero(starts)
        first = at[opening].astype(np.int32)
        end = (at[np.append(opening[1:], len(at)) - 1] + 1).astype(np.int32) if len(at) else first
        return Segmentation(document, Unit.LINES, first, end, np.full(len(first), -1, dtype=np.int32), of_unit)

    def features(self, segmentation: Segmentation) -> Features:
        """Return TTR, ATTR and TKD of each line-block (section IV.A, definitions)."""
        lines = segmentation.document.lines
        length, anchor, tags = (
            range_sums(column, segmentation.first, segmentation.end).astype(np.float64)
            for column in (lines.text_lengths, lines.anchor_lengths, lines.n_tags)
        )
        keywords = title_keywords(lines.title, language=_language(segmentation.document.html))
        ranges = zip(segmentation.first.tolist(), segmentation.end.tolist(), strict=True)
        texts = ["\n".join(lines.texts[a:b]) for a, b in ranges]
        tkd = count_keywords(texts, keywords)
        return Features(length / np.maximum(tags, 1), anchor / np.maximum(length, 1), np.array(tkd, dtype=np.float64))

    def judge(self, segmentation: Segmentation) -> Extraction:
        """Return verdicts from comparing the features with their thresholds (section V, step 4)."""
        found = self.features(segmentation)
        min_ttr = self._threshold(found.ttr, self.min_ttr)
        max_attr = self._threshold(found.attr, self.max_attr)
        min_tkd = self._threshold(found.tkd, self.min_tkd)
        dense, unlinked, named = found.ttr > min_ttr, found.attr < max_attr, found.tkd >= min_tkd
        rule = np.where(dense, np.where(unlinked, _DENSE, _LINKED), _THIN)
        score = np.minimum(_share(found.ttr, min_ttr), 1 - _share(found.attr, max_attr))
        if self.tkd == "rescue":
            rule = np.where((rule != _DENSE) & named, _RESCUED, rule)
            score = np.maximum(score, _share(found.tkd, min_tkd))
        else:
            rule = np.where((rule == _DENSE) & ~named, _NO_KEYWORDS, rule)
            score = np.minimum(score, _share(found.tkd, min_tkd))
        return Extraction(
            segmentation,
            self.name,
            score=score,
            raw=found.ttr,
            kept=(rule == _DENSE) | (rule == _RESCUED),
            why=tuple(map(_WHY.__getitem__, rule.tolist())),
        )

    def _threshold(self, feature: NDArray[np.float64], fixed: float) -> float:
        """Return a feature's threshold on this page (section IV.B)."""
        if self.decision == "fixed" or len(feature) < 2:
            return fixed
        return self.lambda_ * float(feature.std()) or fixed


def title_keywords(title: str, *, language: str | None = None) -> frozenset[str]:
    """Return the words of a title, case folded, without stop words and single characters (section IV.A, TKD).

    Parameters
    ----------
    title : str
    language : str or None
        ISO 639 code for the stop words; None for English. Thai stop words are always left out.
    """
    from webmain.text.stopwords import stopwords
    from webmain.text.words import fold_word, tokens

    words = {word.casefold() for word in tokens(title[:MAX_TITLE_CHARS]) if len(word) > 1}
    if not words:
        return frozenset()
    language = language or "en"
    words = {word for word in words if fold_word(word, language=language) not in stopwords(language)}
    return frozenset(words - stopwords("th") if _THAI.search(title) else words)


def count_keywords(texts: Sequence[str], keywords: frozenset[str]) -> list[int]:
    """Return the occurrences of keywords in each text, whole words only (substrings in scripts without spaces)."""
    from webmain.text.normal import is_unspaced

    if not keywords:
        return [0] * len(texts)
    unspaced = sorted(word for word in keywords if is_unspaced(word))
    spaced = keywords.difference(unspaced)
    folded = [text.casefold() for text in texts]
    counts = _find_words(folded, spaced) or _split_words(folded, spaced)
    if unspaced:
        counts = [n + sum(map(text.count, unspaced)) for n, text in zip(counts, folded, strict=True)]
    return counts


def _find_words(texts: Sequence[str], words: frozenset[str]) -> list[int]:
    """Return counts from searching all texts for each word; [] if there are too many words or occurrences."""
    if len(words) > _FEW_KEYWORDS or not all(map(str.isalnum, words)):
        return []
    ends = list(accumulate(len(text) + 1 for text in texts))
    counts = [0] * len(texts)
    whole = "\n".join(texts)
    may_be_found = 100 + len(whole) // 20
    for word in words:
        end = 0
        while (start := whole.find(word, end)) >= 0:
            end = start + len(word)
            before, after = whole[start - 1 : start], whole[end : end + 1]
            if not (before.isalnum() or after.isalnum() or before == "_" or after == "_"):
                counts[bisect_right(ends, start)] += 1
            may_be_found -= 1
            if may_be_found < 0:
                return []
    return counts


def _split_words(texts: Sequence[str], words: frozenset[str]) -> list[int]:
    """Return counts from splitting each text into words."""
    is_keyword, find = words.__contains__, _word_pattern(words).findall
    return [sum(map(is_keyword, find(text))) for text in texts] if words else [0] * len(texts)


def _word_pattern(keywords: frozenset[str]) -> re.Pattern[str]:
    """Return the pattern of a word; includes combining marks, which the usual class lacks, only if a keyword has one."""
    if all(map(str.isalnum, keywords)):
        return re.compile(r"\w+")
    from webmain.text.normal import mark_ranges

    return re.compile(rf"[\w{mark_ranges(astral=True)}]+")


def _language(html: str) -> str | None:
    """Return the language that the source declares for the page."""
    declared = _LANGUAGE.search(html, 0, 5000)
    return declared[1].lower() if declared else None


def _share(value: NDArray[np.float64], threshold: float) -> NDArray[np.float64]:
    """Return a feature mapped to [0, 1], with its threshold at .5."""
    total = value + threshold
    return np.divide(value, total, out=np.full_like(value, 0.5), where=total > 0)
