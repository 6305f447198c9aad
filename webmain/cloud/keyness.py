"""Choose the words of a cloud: the most frequent, or those typical of some texts compared with others.

References
----------
Ted Dunning: Accurate Methods for the Statistics of Surprise and Coincidence (1993).
Paul Rayson, Roger Garside: Comparing Corpora using Frequency Profiling (2000): its two-term form of G2.
Andrew Hardie: Log Ratio, an informal introduction (2014).
"""

from __future__ import annotations

import math
from dataclasses import replace

from webmain.cloud.counting import Counts
from webmain.cloud.records import Cloud, CloudError, CloudWord, Keyness

MIN_COUNT = 3  # minimum occurrences of a typical word
MIN_LOG_LIKELIHOOD = 6.63  # minimum G2 of a typical word: 1 % of words without any difference in frequency have more
FEW_ARTICLES = 5  # with at least this many articles, a typical word must be in two of them

_ABSENT = 0.5


def keyness(count: int, n_words: int, count_against: int, n_words_against: int) -> Keyness:
    """Return how typical a word is of a text of `n_words` words compared with another text; neither is empty."""
    share = (count + count_against) / (n_words + n_words_against)
    both = ((count, share * n_words), (count_against, share * n_words_against))
    log_likelihood = 2 * sum(n * math.log(n / expected) for n, expected in both if n)
    ratio = ((count or _ABSENT) / n_words) / ((count_against or _ABSENT) / n_words_against)
    return Keyness(log_likelihood=max(0.0, log_likelihood), log_ratio=math.log2(ratio), count_against=count_against)


def frequent(counts: Counts, *, top: int, title: str = "") -> Cloud:
    """Return the cloud of the most frequent words."""
    ranked = sorted(((-one.count, key) for key, one in counts.words.items()))[:top]
    most = -ranked[0][0] if ranked else 1
    chosen = {key: replace(counts.words[key], weight=-n / most) for n, key in ranked}
    return _cloud(counts, chosen, title)


def typical(counts: Counts, against: Counts, *, top: int, title: str = "", under: bool = False) -> Cloud:
    """Return the cloud of the words that are more frequent in some articles than in others, greatest log-likelihood first.

    With `under`, words that are rarer instead: their `count` and `n_articles` may be 0. Raises CloudError if there is
    no word on one of the sides.
    """
    if not counts.n_words:
        raise CloudError("there is nothing to compare: the selected articles have no words")
    if not against.n_words:
        language = f" in the same language ({counts.language})" if counts.language else ""
        raise CloudError(f"there is nothing to compare with: no other articles{language} have words")
    few = 1 if (against if under else counts).n_articles < FEW_ARTICLES else 2
    found: list[tuple[float, str, Keyness]] = []
    for key, one in (against if under else counts).words.items():
        if one.count < MIN_COUNT or one.n_articles < few:
            continue
        n, n_against = (side.words[key].count if key in side.words else 0 for side in (counts, against))
        measured = keyness(n, counts.n_words, n_against, against.n_words)
        if measured.log_likelihood >= MIN_LOG_LIKELIHOOD and (measured.log_ratio < 0) == under:
            found.append((-measured.log_likelihood, key, measured))
    found = sorted(found, key=lambda one: one[:2])[:top]
    chosen: dict[str, CloudWord] = {}
    for negative, key, measured in found:
        one = counts.words.get(key) or replace(against.words[key], count=0, n_articles=0)
        chosen[key] = replace(one, weight=negative / found[0][0], keyness=measured)
    return _cloud(counts, chosen, title)


def _cloud(counts: Counts, chosen: dict[str, CloudWord], title: str) -> Cloud:
    places = {key: place for place, key in enumerate(chosen)}
    in_order = [places.pop(key) for key in counts.words if key in places]
    return Cloud(
        words=tuple(chosen.values()),
        title=title,
        language=counts.language,
        n_articles=counts.n_articles,
        n_words=counts.n_words,
        uncertain=counts.uncertain,
        in_order=(*in_order, *places.values()),
    )
