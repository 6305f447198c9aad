"""Metrics: how similar a predicted text is to the gold text, as counts that add up over pages.

Every text metric is a function from a `TextPair` to an `Agreement`: precision, recall and F1 of a page are its
ratios, those pooled over pages are the ratios of the sum. Conventions for empty texts, the same for all: an empty
prediction of an empty gold text is perfect (1.0); one empty and the other not is 0.0 in all three.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from types import MappingProxyType

from webmain.evaluation.records import GoldPage
from webmain.evaluation.tokens import TextPair, tokens
from webmain.text.agreement import Agreement, overlap, subsequence
from webmain.text.normal import compose, fold_space, strip_invisible

SHINGLE_TOKENS = 4  # tokens in a shingle, as in the article extraction benchmark

MAX_LCS_TOKENS = 100_000
"""Most tokens for which a longest common subsequence is computed: four seconds for two texts of this length."""

MAX_ROUGE_TOKENS = 20_000
"""Most tokens, in lines without an exact match, that ROUGE tries to match: two seconds at most."""

RUN = 12  # length of a common run of characters from which they count as extracted


def words(pair: TextPair) -> Agreement:
    """Compare the words as multisets: order is ignored, repetitions count."""
    return overlap(*pair.folded)


def words_lcs(pair: TextPair) -> Agreement:
    """Compare the words by their longest common subsequence: only words in the same order are common.

    Its F1 is the matching ratio by edit distance too, where words are inserted and deleted.

    References: Line-Block, "Evaluation of Content Extraction Algorithm". Deviation: none up to `MAX_LCS_TOKENS`; of
    longer texts that differ, words beyond count, but are not matched.
    """
    predicted, gold = pair.folded
    if max(len(predicted), len(gold)) <= MAX_LCS_TOKENS or predicted == gold:
        return subsequence(predicted, gold)
    n_common = subsequence(predicted[:MAX_LCS_TOKENS], gold[:MAX_LCS_TOKENS]).n_common
    return Agreement(n_common=n_common, n_predicted=len(predicted), n_gold=len(gold))


def shingles(pair: TextPair) -> Agreement:
    """Compare the runs of four words as multisets, case-sensitively.

    A text of fewer than four words is one run. References: the ScrapingHub (Zyte) article extraction benchmark.
    Deviation: combining marks belong to words and underscores don't; unspaced scripts have runs of four character 4-grams
    (seven characters).
    """
    return overlap(*map(_shingles, pair.as_written))


def _shingles(found: Sequence[str]) -> list[tuple[str, ...]]:
    if 0 < len(found) < SHINGLE_TOKENS:
        return [tuple(found)]
    return list(zip(*(found[start:] for start in range(SHINGLE_TOKENS)), strict=False))


def rouge_lsum(pair: TextPair) -> Agreement:
    """Compare line by line: of each gold line, the tokens in its longest common subsequence with any predicted line.

    References: C.-Y. Lin, "ROUGE: a package for automatic evaluation of summaries" (2004), section 3.2. Deviation from the
    `rouge-score` package: tokens are words with their combining marks in every script, not only a-z and 0-9; two empty texts
    agree.
    """
    predicted, gold = ([tokens(line, pair.unit) for line in text.splitlines()] for text in (pair.predicted, pair.gold))
    return summary_level(predicted, gold)


def summary_level(predicted: Iterable[Sequence[str]], gold: Iterable[Sequence[str]]) -> Agreement:
    """Compare two texts by the tokens of their lines; lines without tokens make no difference.

    `n_common` is the size of the united longest common subsequences, no token counted more often than the prediction
    has it. Tokens beyond `MAX_ROUGE_TOKENS` of either text are counted, but not matched.
    """
    from rapidfuzz.distance import LCSseq

    predicted_lines = Counter(tuple(line) for line in predicted)
    gold_lines = Counter(tuple(line) for line in gold)
    available, wanted = _token_counts(predicted_lines), _token_counts(gold_lines)
    united = _token_counts({line: n for line, n in gold_lines.items() if line in predicted_lines})
    candidates = _first_tokens(predicted_lines)
    for line, n in _first_tokens({line: n for line, n in gold_lines.items() if line not in predicted_lines}).items():
        places: set[int] = set()
        for other in candidates:
            for block in LCSseq.opcodes(line, other).as_matching_blocks():  # in this order: the choice of `rouge-score`
                places.update(range(block.a, block.a + block.size))
        for place in places:
            united[line[place]] += n
    return Agreement(n_common=(united & available).total(), n_predicted=available.total(), n_gold=wanted.total())


def _token_counts(lines: Mapping[tuple[str, ...], int]) -> Counter[str]:
    return Counter(token for line, n in lines.items() for token in line * n)


def _first_tokens(lines: Mapping[tuple[str, ...], int]) -> dict[tuple[str, ...], int]:
    """Return the first lines up to `MAX_ROUGE_TOKENS` tokens, the last one cut."""
    kept, left = {}, MAX_ROUGE_TOKENS
    for line, n in lines.items():
        if left > 0:
            kept[line[:left]] = n
        left -= len(line)
    return kept


def length_agreement(predicted: str, gold: str) -> Agreement:
    """Compare the extracted and the expected content by their lengths without white space.

    `n_predicted` is LEC, the length of the extracted content, `n_gold` LEP, that of the expected content, and
    `n_common` LEP - LM, where LM is the length of the expected content that is missing: P = (LEP - LM) / LEC, R = (LEP
    - LM) / LEP.

    The paper does not say how LM is found. Here a character of the gold text is missing unless it is in a run of `RUN`
    characters that the prediction has too, each occurrence there serving once; shorter texts are one run. No more than
    LEC can be common. Two unrelated articles of one language share .2 to .35 of their characters in runs of 4, .01 in
    runs of 12; half of an article's lines are found to be half of it to four digits with either. Linear in both texts.

    References: Thai XPath, "Evaluation", expressions 1 to 3. Deviation: how LM is found.
    """
    extracted, expected = ("".join(compose(strip_invisible(text)).split()) for text in (predicted, gold))
    n_common = min(_n_covered(expected, by=extracted), len(extracted))
    return Agreement(n_common=n_common, n_predicted=len(extracted), n_gold=len(expected))


def _n_covered(text: str, *, by: str) -> int:
    """Return how many characters of a text are in a run that it shares with another text."""
    size = min(RUN, len(text))
    available = Counter(by[start : start + size] for start in range(len(by) - size + 1))
    n_covered = end = 0
    for start in range(len(text) - size + 1):
        run = text[start : start + size]
        if available[run]:
            available[run] -= 1
            n_covered += start + size - max(start, end)
            end = start + size
    return n_covered


def exact(pair: TextPair) -> Agreement:
    """Compare whole texts as one token: equal apart from white space, invisible characters and Unicode composition."""
    return overlap([_comparable(pair.predicted)], [_comparable(pair.gold)])


def same_words(pair: TextPair) -> Agreement:
    """Compare the words as wholes: the same words in the same order, case-sensitively.

    References: "accuracy" of the ScrapingHub (Zyte) article extraction benchmark.
    """
    predicted, gold = pair.as_written
    return overlap([tuple(predicted)], [tuple(gold)])


def _comparable(text: str) -> str:
    return fold_space(compose(strip_invisible(text)))


@dataclass(frozen=True, slots=True)
class Metric:
    """A text metric with its names."""

    name: str  # short, for options and columns
    title: str  # in the field's terms, for tables and plots
    measure: Callable[[TextPair], Agreement]  # returns the counts of a page
    is_accuracy: bool = False  # precision, recall and F1 are one figure


_METRICS = (
    Metric("words", "words (multiset)", words),
    Metric("words_lcs", "words (longest common subsequence)", words_lcs),
    Metric("shingles", "4-gram shingles", shingles),
    Metric("rouge_lsum", "ROUGE-LSum", rouge_lsum),
    Metric("length", "length without spaces", lambda pair: length_agreement(pair.predicted, pair.gold)),
    Metric("exact", "exact match", exact, is_accuracy=True),
    Metric("same_words", "same words in order", same_words, is_accuracy=True),
)

METRICS: Mapping[str, Metric] = MappingProxyType({metric.name: metric for metric in _METRICS})
"""All text metrics by name, in the order of tables."""


@dataclass(frozen=True, slots=True)
class SegmentCounts:
    """How many wanted and unwanted segments are in a text; sums are those of the pages together."""

    # segments that must be in the text: found, and all
    n_wanted_found: int = 0
    n_wanted: int = 0
    # segments that must not be in it: found, and all
    n_unwanted_found: int = 0
    n_unwanted: int = 0

    def __add__(self, other: SegmentCounts) -> SegmentCounts:
        return SegmentCounts(*map(operator.add, astuple(self), astuple(other)))

    @property
    def accuracy(self) -> float:
        """Share of the segments correctly included or left out; 1.0 without segments."""
        total = self.n_wanted + self.n_unwanted
        right = self.n_wanted_found + self.n_unwanted - self.n_unwanted_found
        return right / total if total else 1.0


def segments(predicted: str, wanted: Iterable[str], unwanted: Iterable[str]) -> SegmentCounts:
    """Count the segments that are in a text, case-sensitively; white space and invisible characters are folded."""
    text = _comparable(predicted)
    found_wanted = [_comparable(segment) in text for segment in wanted]
    found_unwanted = [_comparable(segment) in text for segment in unwanted]
    return SegmentCounts(sum(found_wanted), len(found_wanted), sum(found_unwanted), len(found_unwanted))


def measure(
    predicted: str, page: GoldPage, *, metrics: Iterable[str] = tuple(METRICS)
) -> tuple[dict[str, Agreement], SegmentCounts | None]:
    """Return the agreements of one prediction by the named metrics, none without a gold text; and its segments' counts.

    Raises KeyError if there is no such metric.
    """
    agreements: dict[str, Agreement] = {}
    if page.text is not None:
        pair = TextPair(predicted=predicted, gold=page.text, language=page.language)
        agreements = {name: METRICS[name].measure(pair) for name in metrics}
    judged = page.wanted or page.unwanted
    return agreements, segments(predicted, page.wanted, page.unwanted) if judged else None
