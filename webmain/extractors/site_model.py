"""The learned extractor's model of one site: how likely content is at each place, and which texts recur.

The page model judges every block on its own. On the pages of a site its errors at one place vary, so the mean over all
pages is more accurate. This evidence is added to the page model's log-odds, but bounded: it decides doubtful blocks and
does not overturn certain ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.features.site_evidence import CAP, ROOT, Places, SitePage, count_texts, find_places
from webmain.features.site_paths import PlainRecord, text_fingerprint
from webmain.features.trees import probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.html.blocks import Segmentation

COLUMNS: Final = ("place", "text")

MAX_PLACES: Final = 20_000
MAX_TEXTS: Final = 20_000


@dataclass(frozen=True)
class Evidence:
    """Limits and weights of the evidence from a site's other pages; chosen on held-out sites."""

    half_pages: float = 4.0
    """Number of training pages at which half of a place's log-odds is added to a block's; n / (n + half_pages) in general."""

    text_log_odds: float = 4.0
    """Log-odds subtracted from a block whose text is on at least `many_pages` pages, or on `many_share` of all; twice that
    if it is on all pages and these are at least `many_pages`."""

    many_pages: int = 4
    many_share: float = 0.4
    few_share: float = 0.3
    """Share of `text_log_odds` for a text on two of very many pages; interpolated in between."""

    text_limit: float = 3.0
    everywhere_limit: float = 3.0
    """Log-odds of a block at which half of that is subtracted, and almost nothing 2 above: a recurring paragraph may be
    content. `everywhere_limit` is added to the limit for a text on all of at least `many_pages` pages; on fewer, in
    proportion."""

    max_rest: float = 2.0
    """Maximum log-odds added to all blocks of a page if its most likely blocks were lowered: the page has some content,
    which must be among the others."""

    full_news_share: float = 0.25
    """Mean share of the news profile at which a site's evidence counts fully; proportionally less below."""

    doubtful: tuple[float, float] = (-4.5, 7.0)
    """Range of log-odds in which evidence is applied to a block."""

    certain: float = 2.2
    """Absolute log-odds above which the page model's labels are trusted (9 to 1)."""

    max_recurring_content: float = 0.1
    """If a larger share of certain content recurs, recurrence is no evidence: an archive, or a repeating series."""


EVIDENCE: Final = Evidence()


@dataclass(frozen=True)
class SiteModel(PlainRecord):
    """The model of a site; equals the page model if neither places nor texts are used and nothing was corrected.

    Attributes
    ----------
    n_pages : int
        Number of pages it was learned from.
    news : float
        Mean share of the news profile, in [0, 1].
    places_count, texts_count : bool
        Whether places, and texts, are used.
    parents, steps, odds
        For each place its parent (-1 for the first, the whole page), its last step ("div #main .story"), and the log-odds
        of content there.
    texts, text_pages
        Fingerprints of recurring texts, and the number of pages with each, at least 2.
    settled
        Manual corrections of each place: 1 for content, -1 for not content, 0 for none. Empty if no page was corrected.
    settled_texts, text_signs
        Fingerprints of corrected texts whose place alone does not decide, and the same signs.
    """

    what = "site model"

    n_pages: int
    news: float
    places_count: bool
    texts_count: bool
    parents: tuple[int, ...]
    steps: tuple[str, ...]
    odds: tuple[float, ...]
    texts: tuple[str, ...]
    text_pages: tuple[int, ...]
    settled: tuple[int, ...] = ()
    settled_texts: tuple[str, ...] = ()
    text_signs: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return f"SiteModel({len(self.steps)} places, {len(self.texts)} texts)"

    @property
    def is_adopted(self) -> bool:
        """Whether the model changes anything about the page model's verdicts."""
        return self.has_evidence or self.is_corrected

    @property
    def has_evidence(self) -> bool:
        """Whether evidence from the site's pages is used."""
        return (self.places_count or self.texts_count) and self.strength > 0

    @property
    def is_corrected(self) -> bool:
        """Whether there are manual corrections."""
        return any(self.settled) or bool(self.settled_texts)

    @property
    def strength(self) -> float:
        """Weight of the evidence, in [0, 1]: 0 for sites without news, where recurring text may be content."""
        return min(1.0, self.news / EVIDENCE.full_news_share)

    @cached_property
    def _children(self) -> dict[tuple[int, str], int]:
        return {key: place for place, key in enumerate(zip(self.parents, self.steps, strict=True))}

    @cached_property
    def _tokens(self) -> frozenset[str]:
        return frozenset(name for step in self.steps for name in step.split(" ")[1:])

    @cached_property
    def _text_pages(self) -> dict[str, int]:
        return dict(zip(self.texts, self.text_pages, strict=True))

    def margins(
        self, segmentation: Segmentation, texts: Sequence[str], margin: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the log-odds of a page's blocks being content, given the page model's.

        Parameters
        ----------
        segmentation : Segmentation
        texts : sequence of str
            Texts of the blocks.
        margin : (n_blocks,) float64
        """
        if not self.has_evidence:
            return margin
        found = margin.copy()
        doubtful = np.flatnonzero((margin > EVIDENCE.doubtful[0]) & (margin < EVIDENCE.doubtful[1])).tolist()
        if self.texts_count:
            pages = [self._text_pages.get(text_fingerprint(texts[block]), 0) for block in doubtful]
            found[doubtful] -= recurring(margin[doubtful], np.array(pages, dtype=np.float64), self.n_pages)
        if self.places_count:
            places = self._places(segmentation, doubtful)
            share = self.n_pages / (self.n_pages + EVIDENCE.half_pages)
            found[doubtful] += share * np.array([self.odds[p if p >= 0 else ~p] for p in places])
        found += np.clip(margin.max(initial=-30) - found.max(initial=-30), 0, EVIDENCE.max_rest)
        moved: NDArray[np.float64] = margin + self.strength * (found - margin)
        return moved

    def signs(self, segmentation: Segmentation, texts: Sequence[str]) -> NDArray[np.int8]:
        """Return the manual correction that applies to each block: 1 for content, -1 for not content, 0 for none."""
        signs = np.zeros(len(segmentation), dtype=np.int8)
        if any(self.settled):
            places = self._places(segmentation, range(len(segmentation)))
            signs[:] = [self.settled[place] if place >= 0 else 0 for place in places]
        if self.settled_texts:
            known = dict(zip(self.settled_texts, self.text_signs, strict=True))
            of_text = np.array([known.get(text_fingerprint(text), 0) for text in texts], dtype=np.int8)
            signs = np.where(of_text != 0, of_text, signs)
        return signs

    def _places(self, segmentation: Segmentation, blocks: Sequence[int]) -> list[int]:
        elements = np.maximum(segmentation.element, 0)[np.array(blocks, dtype=np.int64)].tolist()
        return find_places(self._children, self._tokens, segmentation.document.elements, elements)

    def resemblance(self, segmentation: Segmentation) -> float:
        """Return the share of a page's text that is at known places, in [0, 1]; 0 without text."""
        n_chars = segmentation.sums(segmentation.document.leaves.n_chars)
        if not n_chars.sum():
            return 0.0
        known = np.array(self._places(segmentation, range(len(segmentation)))) > ROOT
        return float((n_chars * known).sum() / n_chars.sum())

    def check(self) -> None:
        """Raise a ValueError unless the model is valid."""
        self.require("n_pages", int, 1)
        self.require("news", (float, int), 0, 1)
        self.require("places_count", bool)
        self.require("texts_count", bool)
        self.require_columns(("parents", "steps", "odds"), MAX_PLACES)
        self.require_columns(("texts", "text_pages"), MAX_TEXTS)
        self.require_each("parents", int, -1)
        self.require_each("odds", (float, int), -CAP, CAP)
        self.require_each("text_pages", int, 2)
        self.require_each("steps", str)
        self.require_each("texts", str)
        self.require_columns(("settled", "parents") if self.settled else ("settled",), MAX_PLACES)
        self.require_columns(("settled_texts", "text_signs"), MAX_TEXTS)
        self.require_each("settled_texts", str)
        self.require_each("settled", int, -1, 1)
        self.require_each("text_signs", int, -1, 1)
        if self.parents[:1] != (-1,) or any(not 0 <= p < place for place, p in enumerate(self.parents[1:], 1)):
            raise ValueError("site model: a place is listed before its parent")


def recurring(margin: NDArray[np.float64], n_with: NDArray[np.float64], n_pages: int) -> NDArray[np.float64]:
    """Return the log-odds to subtract for recurring texts: more for more pages, less if the page model is certain.

    Parameters
    ----------
    margin : (n_blocks,) float64
    n_with : (n_blocks,) float64
        Number of pages with each block's text; fewer than 2 are no evidence.
    n_pages : int
        All pages.
    """
    share = EVIDENCE.few_share + (1 - EVIDENCE.few_share) * (n_with - 2) / (EVIDENCE.many_pages - 2)
    share = np.minimum(np.maximum(share, n_with / n_pages / EVIDENCE.many_share), 1)
    everywhere = (n_with >= EVIDENCE.many_pages) * n_with / n_pages
    unsure = 1 / (
        1 + np.exp(np.clip(2 * (margin - EVIDENCE.text_limit - EVIDENCE.everywhere_limit * everywhere), -30, 30))
    )
    taken: NDArray[np.float64] = np.where(n_with >= 2, EVIDENCE.text_log_odds * (share + everywhere) * unsure, 0.0)
    return taken


@dataclass(frozen=True, kw_only=True)
class SiteLesson:
    """The result of learning a site.

    Attributes
    ----------
    model : SiteModel
    quality : float or None
        On held-out pages, the F1 by characters of content predicted from the other pages' places, against the page model's
        certain labels; None if places are not used, or no content is certain.
    resemblance : float
        Mean share of the pages' text at known places.
    """

    model: SiteModel
    quality: float | None
    resemblance: float


def learn_site(pages: Sequence[SitePage]) -> SiteLesson:
    """Return a site model learned from the page model's verdicts on at least two different pages.

    Each page is held out once, and predictions from the other pages' places are compared with its certain labels. Places
    are used unless the site's mean predicts better; texts are used if hardly any certain content recurs.
    """
    counts = count_texts(pages)
    texts_count = bool(_recurring_content(pages, counts) <= EVIDENCE.max_recurring_content)
    margins = [page.margin for page in pages]
    if texts_count:
        margins = [page.margin - recurring(page.margin, _pages_with(page, counts), len(pages)) for page in pages]
    places = Places(pages, [probabilities(margin) for margin in margins])
    skill, agreement = _cross_validated(pages, margins, places)
    signs, settled_texts = _manual_corrections(pages, places)
    rank = places.pages + _with_ancestors(places, signs) * len(pages)
    kept = np.flatnonzero(rank >= 2)
    kept = np.sort(kept[np.argsort(-rank[kept], kind="stable")[:MAX_PLACES]])  # parents have as many pages
    new = np.full(len(places.parents), -1, dtype=np.int64)
    new[kept] = np.arange(len(kept))
    chances = np.clip(places.chances()[kept], 1e-6, 1 - 1e-6)
    odds = np.clip(np.log(chances / (1 - chances)), -CAP, CAP).round(2)
    texts = sorted(((n, text) for text, n in counts.items() if n >= 2), key=lambda pair: (-pair[0], pair[1]))[
        :MAX_TEXTS
    ]
    places_count = skill >= 0
    model = SiteModel(
        n_pages=len(pages),
        news=round(float(np.mean([page.news for page in pages])), 3),
        places_count=places_count,
        texts_count=texts_count and bool(texts),
        parents=(-1, *(int(new[places.parents[place]]) for place in kept[1:].tolist())),
        steps=tuple(places.steps[place] for place in kept.tolist()),
        odds=tuple(odds.tolist()),
        texts=tuple(text for _, text in texts),
        text_pages=tuple(n for n, _ in texts),
        settled=tuple(signs.get(place, 0) for place in kept.tolist()) if signs else (),
        settled_texts=tuple(settled_texts),
        text_signs=tuple(settled_texts.values()),
    )
    shares = [
        float(
            (page.n_chars * (new[of[page.element]] > ROOT) * (of[page.element] >= 0)).sum() / max(page.n_chars.sum(), 1)
        )
        for page, of in zip(pages, places.of_element, strict=True)
    ]
    return SiteLesson(
        model=model, quality=agreement if places_count else None, resemblance=float(np.clip(np.mean(shares), 0, 1))
    )


def _manual_corrections(pages: Sequence[SitePage], places: Places) -> tuple[dict[int, int], dict[str, int]]:
    """Return the manually corrected places, and texts: 1 for content, -1 for not content.

    A changed verdict applies to its place if all blocks there have the same label on all corrected pages; else to its text.
    """
    corrected = [
        (page, page.corrections, of[page.element].tolist())
        for page, of in zip(pages, places.of_element, strict=True)
        if page.corrections is not None
    ]
    kinds: dict[int, set[bool]] = {}
    for _, corrections, at in corrected:
        for place, content in zip(at, corrections.content.tolist(), strict=True):
            kinds.setdefault(place, set()).add(content)
    signs: dict[int, int] = {}
    texts: dict[str, int] = {}
    for page, corrections, at in corrected:
        for block in np.flatnonzero(corrections.changed).tolist():
            sign = 1 if corrections.content[block] else -1
            if at[block] > ROOT and len(kinds[at[block]]) == 1:
                signs[at[block]] = sign
            elif len(texts) < MAX_TEXTS:
                texts[page.texts[block]] = sign
    return signs, texts


def _with_ancestors(places: Places, signs: Iterable[int]) -> NDArray[np.int64]:
    """Return 1 for the given places and their ancestors, 0 for others: `(n_places,)`."""
    found = np.zeros(len(places.parents), dtype=np.int64)
    for place in signs:
        while place >= 0 and not found[place]:
            found[place] = 1
            place = places.parents[place]
    return found


def _pages_with(page: SitePage, counts: Counter[str]) -> NDArray[np.float64]:
    return np.fromiter((counts[text] for text in page.texts), dtype=np.float64, count=len(page.texts))


def _recurring_content(pages: Sequence[SitePage], counts: Counter[str]) -> float:
    """Return the share by characters of certain content that is also on other pages."""
    total = again = 0.0
    for page in pages:
        content = page.n_chars * (page.margin > EVIDENCE.certain)
        total += content.sum()
        again += content[_pages_with(page, counts) >= 2].sum()
    return again / total if total else 0.0


def _cross_validated(
    pages: Sequence[SitePage], margins: Sequence[NDArray[np.float64]], places: Places
) -> tuple[float, float | None]:
    """Return how well places predict each page from the others.

    Returns
    -------
    skill : float
        1 - (cross entropy of the places' chances) / (that of the site's mean chance), on certain labels; at most 1.
    agreement : float or None
        F1 of content, by characters; None if no content is certain.
    """
    loss, loss_of_mean, both, certain, predicted_chars = 0.0, 0.0, 0.0, 0.0, 0.0
    for i, (page, margin) in enumerate(zip(pages, margins, strict=True)):
        whole, predicted = places.without(i)
        sure, content = np.abs(margin) > EVIDENCE.certain, margin > 0
        weight = page.weight * sure
        weight /= max(weight.sum(), 1e-9)
        loss += (weight * _cross_entropy(predicted, content)).sum()
        loss_of_mean += (weight * _cross_entropy(np.full(len(predicted), whole), content)).sum()
        n_chars = page.n_chars * sure
        both += 2 * (n_chars * (content & (predicted > 0.5))).sum()
        certain += (n_chars * content).sum()
        predicted_chars += (n_chars * (predicted > 0.5)).sum()
    skill = 1 - loss / loss_of_mean if loss_of_mean > 1e-9 else 0.0
    return float(skill), float(both / (certain + predicted_chars)) if certain else None


def _cross_entropy(chance: NDArray[np.float64], content: NDArray[np.bool_]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = -np.log(np.clip(np.where(content, chance, 1 - chance), 1e-3, 1))
    return found
