"""How close the per-site SVM comes, on rendered pages, to what a commercial extractor gave.

References
----------
The method's ancestor: Z. Zhou, M. Mashuq and L. Sun, 2013, project reports with published pages: "The matching ratio is
computed by finding the edit distance between the pair of word sequences. And then a percentage accuracy is calculated
by averaging the matching ratios for all pages", 99.5 % for npr.org, 98.4 % for theverge.com, 96.6 % for usatoday.com
and 87.4 % for techcrunch.com, where only the best cluster was used and block quotes were in another one.

The formula is not printed. Here, of n words extracted and m in the reference, with d the edit distance by insertions
and deletions (a replaced word is one of each), the *matching ratio* is 1 - d / (n + m), which libraries call the ratio
of two sequences; the *strict ratio* is 1 - d' / max(n, m), with d' counting a replaced word once. It is never higher.

Differences: the pages of the reported figures were "a new set of URLs", not published; here each page is extracted by
a model of other pages of its site, in 4 folds. Clusters, labels and the classifier are those of
`webmain.extractors.svm`; the first report labelled clusters by TF-IDF and had no classifier.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from webmain.evaluation.protocols.papers import figures, findings, table
from webmain.evaluation.records import Cell, Findings, GoldPage, Table
from webmain.evaluation.texts import grouped
from webmain.evaluation.visual import RenderedPage, read_rendered
from webmain.features.block_features import FEATURE_SETS
from webmain.features.folds import page_folds
from webmain.features.gold_labels import gold_content
from webmain.features.labels import Form, Rule, label_site
from webmain.features.linear import learn
from webmain.features.positions import in_column
from webmain.features.relevance import is_own_text, page_bounds
from webmain.features.site_blocks import SiteBlocks, concatenate
from webmain.text.agreement import lcs_members, matching_ratio, subsequence
from webmain.text.normal import shorten
from webmain.text.words import tokens

VISUAL = ("visual",)
SETS = (VISUAL, ("tag_path",), ("selector",), ("tag_path", "visual"), ("length", "tag_path", "selector"), FEATURE_SETS)

TRAINING_PAGES = (2, 4, 8, 12)  # the ancestor's figure 1 has 2 to 15

MIN_PAGES = 4
MAX_PAGES = 200  # pages of one site that are used

WHOLE_BLOCK_WORDS = 10
"""A block with fewer words is too short to show that a reference is incomplete: a heading, a credit."""

DIFFERENT = 0.98  # pages with a lower matching ratio are listed
LONGEST_QUOTE = 80  # characters of a difference that are shown

BEST_ONLY, OWN_PAGES = "visual, best cluster only", "visual, trained on the pages themselves"
"""Settings with a name of their own: the ancestor's, and one that is trained on the pages it extracts."""

Masks = Mapping[str, Sequence[NDArray[np.bool_]]]  # for each setting and site: the extracted blocks


@dataclass(frozen=True)
class Site:
    """The rendered pages of one site."""

    name: str
    pages: tuple[RenderedPage, ...]

    @cached_property
    def blocks(self) -> SiteBlocks:
        """The blocks of all pages."""
        return concatenate([page.blocks for page in self.pages])

    @cached_property
    def references(self) -> tuple[tuple[str, ...] | None, ...]:
        """The words of each page's reference text."""
        return tuple(None if page.reference is None else tuple(tokens(page.reference)) for page in self.pages)

    @cached_property
    def compared(self) -> tuple[int, ...]:
        """The pages with a reference text."""
        return tuple(i for i, reference in enumerate(self.references) if reference is not None)

    @cached_property
    def flaws(self) -> dict[int, str]:
        """The pages whose reference text is clearly not the article, and why, judged by the pages, not by predictions.

        Two signs: the reference holds a whole block that is on most pages of the site; or it skips a block of
        `WHOLE_BLOCK_WORDS` words or more that is, in the column of text, between blocks that it holds, is on no other page
        and is mostly outside of anchors.
        """
        blocks = self.blocks
        n_pages = Counter(text for _, text in set(zip(blocks.page.tolist(), blocks.texts, strict=True)))
        alone = is_own_text(blocks)
        found: dict[int, str] = {}
        for page in self.compared:
            first, end = page_bounds(blocks)[page]
            gold = np.zeros(len(blocks), dtype=np.bool_)
            gold[first:end] = gold_content(blocks.texts[first:end], self.pages[page].reference or "")
            own = [i for i in range(first, end) if gold[i]]
            common = [
                i for i in own if 2 * n_pages[blocks.texts[i]] > len(self.pages) and len(tokens(blocks.texts[i])) > 2
            ]
            column = in_column(blocks, gold & alone)
            between = range(own[0], own[-1]) if own else range(0)
            skipped = [] if column is None else [i for i in between if not gold[i] and alone[i] and column[i]]
            skipped = [i for i in skipped if len(tokens(blocks.texts[i])) >= WHOLE_BLOCK_WORDS]
            if common:
                found[page] = f"holds boilerplate: {shorten(blocks.texts[common[0]], LONGEST_QUOTE)}"
            elif skipped:
                found[page] = (
                    f"skips {len(skipped)} blocks, the first: {shorten(blocks.texts[skipped[0]], LONGEST_QUOTE)}"
                )
        return found

    @property
    def whole(self) -> list[int]:
        """The pages without a flaw in their reference."""
        return [page for page in self.compared if page not in self.flaws]

    @property
    def note(self) -> str:
        """The flaws as a sentence."""
        listed = "; ".join(f"{self.pages[page].id} {reason}" for page, reason in self.flaws.items())
        return f"{self.name}: {len(self.flaws)} of {len(self.compared)} references are not whole: {listed}."

    def words(self, kept: NDArray[np.bool_], page: int) -> list[str]:
        """Return the words of a page's kept blocks, in order."""
        first, end = page_bounds(self.blocks)[page]
        return [word for i in range(first, end) if kept[i] for word in tokens(self.blocks.texts[i])]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One way to learn a site."""

    sets: tuple[str, ...] = VISUAL  # feature sets, of clusters and classifier alike
    form: Form = "global"
    rule: Rule = "article"  # which blocks are content (`webmain.features.labels.label`)
    # whether each page is extracted by a model of all pages, itself among them, as in a crawl that has no model yet;
    # nobody has labelled them
    own: bool = False
    n_train: int | None = None  # pages to learn from; None is all that are not held back


def run(gold: Sequence[GoldPage], *, seed: int = 0, path: str | Path | None = None) -> Findings:
    """Learn each site of a file of rendered pages, and compare what it extracts with the reference texts.

    Without a file there is nothing to measure; gold pages are not used. The seed draws the folds. Raises
    GoldError if the file cannot be read.
    """
    if path is None:
        note = "It needs pages rendered in a browser: --rendered FILE; none were given."
        return Findings(protocol="svm_visual", tables=(), notes=(note,), n_pages=0)
    pages, unread = read_rendered(path)
    sites, dropped = sites_of(pages)
    if not sites:
        return Findings(protocol="svm_visual", tables=(), notes=(*unread, *dropped), n_pages=0)
    masks = _masks(sites, seed=seed)
    differences = _differences(sites, masks["visual"])
    tables = (
        _accuracy(sites, masks),
        _by_choice(sites, masks),
        _by_setting(sites, masks),
        _by_training_pages(sites, seed=seed),
        table("svm_visual", "svm_visual_differences", differences, different=100 * DIFFERENT),
    )
    notes = [site.note for site in sites if site.flaws]
    n_pages = sum(len(site.pages) for site in sites)
    return findings("svm_visual", tables, n_pages=n_pages, notes=(*notes, *unread, *dropped))


def sites_of(pages: Sequence[RenderedPage]) -> tuple[list[Site], list[str]]:
    """Group pages by site; sites with few pages, no references or no descriptions are dropped with a note."""
    sites, dropped = [], []
    for name, own in grouped(pages, lambda page: page.site).items():
        n = len(own)
        if n < MIN_PAGES:
            dropped.append(f"{name} is left out: {n} pages, at least {MIN_PAGES} are needed.")
        elif not any(page.reference for page in own):
            dropped.append(f"{name} is left out: none of its {n} pages has a reference text.")
        elif not any(any(page.blocks.descriptions) for page in own):
            dropped.append(f"{name} is left out: none of its {n} pages has a description to learn from.")
        else:
            sites.append(Site(name, tuple(own[:MAX_PAGES])))
            if n > MAX_PAGES:
                dropped.append(f"{name}: {n - MAX_PAGES} pages after the first {MAX_PAGES} are left out.")
    return sites, dropped


def extract(site: Site, setting: Setting, *, seed: int) -> NDArray[np.bool_]:
    """Return for each block of a site whether it is extracted: `(n_blocks,) bool`."""
    everything = np.arange(len(site.pages), dtype=np.int64)
    folds = [(everything, everything)] if setting.own else page_folds(len(site.pages), seed=seed)
    kept = np.zeros(len(site.blocks), dtype=np.bool_)
    for train, test in folds:
        if setting.n_train is not None:
            train = np.sort(np.random.default_rng(seed).permutation(train)[: setting.n_train])
        known, unseen = site.blocks.select_pages(train), site.blocks.select_pages(test)
        labels = label_site(known, sets=setting.sets, form=setting.form, rule=setting.rule)
        if labels.positive.any():
            used = np.unique(known.page[labels.positive]).astype(np.int64)  # as in a crawl: pages with content found
            positive = labels.positive[np.isin(known.page, used)]
            model = learn(known.select_pages(used), positive, sets=setting.sets, seed=seed)
            kept[np.isin(site.blocks.page, test)] = model.margins(unseen) > 0
    return kept


def ratios(site: Site, kept: NDArray[np.bool_], *, pages: Sequence[int] | None = None) -> list[float | None]:
    """Return the mean matching and strict ratio (%) over pages, by default all with a reference; twice None for none."""
    found = [page_ratios(site, kept, page) for page in (site.compared if pages is None else pages)]
    return [100 * value for value in np.mean(found, axis=0).tolist()] if found else [None, None]


def page_ratios(site: Site, kept: NDArray[np.bool_], page: int) -> tuple[float, float]:
    """Return matching and strict ratio of one page that has a reference."""
    words, reference = site.words(kept, page), site.references[page] or ()
    return subsequence(words, reference).f1, matching_ratio(words, reference)


def _masks(sites: Sequence[Site], *, seed: int) -> Masks:
    """Return the blocks that each setting extracts, site by site."""
    settings = {"+".join(sets): Setting(sets=sets) for sets in SETS}
    settings["visual, local form"] = Setting(form="local")
    settings[BEST_ONLY] = Setting(rule="best")
    settings["visual, Algorithm 1 as printed"] = Setting(rule="paper")
    settings[OWN_PAGES] = Setting(own=True)
    return {name: [extract(site, setting, seed=seed) for site in sites] for name, setting in settings.items()}


def _accuracy(sites: Sequence[Site], masks: Masks) -> Table:
    published = figures("svm_visual", "published")
    rows: list[tuple[Cell, ...]] = []
    for site, kept, best in zip(sites, masks["visual"], masks[BEST_ONLY], strict=True):
        ours, best_only, there = ratios(site, kept), ratios(site, best), ratios(site, kept, pages=site.whole)
        row = site.name, len(site.compared), published.get(site.name), *ours, *best_only, len(site.whole), *there
        rows.append(row)
    return table("svm_visual", "svm_visual_accuracy", rows)


def _by_choice(sites: Sequence[Site], masks: Masks) -> Table:
    """Choose each site's setting by the mean over the other sites: over pages with flawless references, and over all."""
    published = figures("svm_visual", "published")
    rows: list[tuple[Cell, ...]] = []
    for i, site in enumerate(sites) if len(sites) > 1 else ():
        others = [j for j in range(len(sites)) if j != i]
        by_whole, by_all = (_best(sites, masks, others, is_whole=is_whole) for is_whole in (True, False))
        ours = ratios(site, masks[by_whole][i])
        there = ratios(site, masks[by_whole][i], pages=site.whole)[0]
        wanted = published.get(site.name)
        reached = "" if wanted is None or ours[0] is None else "yes" if ours[0] >= wanted else "no"
        by_all_too = by_all, ratios(site, masks[by_all][i])[0]
        rows.append((site.name, wanted, by_whole, *ours, reached, len(site.whole), there, *by_all_too))
    return table("svm_visual", "svm_visual_chosen", rows)


def _best(sites: Sequence[Site], masks: Masks, chosen: Sequence[int], *, is_whole: bool) -> str:
    """Return the setting with the highest mean matching ratio over some sites, except the one trained on its own pages."""

    def mean(name: str) -> float:
        found = [ratios(sites[i], masks[name][i], pages=sites[i].whole if is_whole else None)[0] for i in chosen]
        return float(np.mean([ratio for ratio in found if ratio is not None] or [0.0]))

    return max((name for name in masks if name != OWN_PAGES), key=mean)


def _by_setting(sites: Sequence[Site], masks: Masks) -> Table:
    rows = []
    for name, kept in masks.items():
        found = [ratios(site, mask)[0] for site, mask in zip(sites, kept, strict=True)]
        rows.append((name, *found, float(np.mean([value for value in found if value is not None]))))
    columns = ("feature sets", *(site.name for site in sites), "mean of sites")
    return table("svm_visual", "svm_visual_feature_sets", rows, columns=columns)


def _by_training_pages(sites: Sequence[Site], *, seed: int) -> Table:
    """Return the ratio by training pages; also on the flawless references alone, if a site has flawed ones."""
    rows: list[list[Cell]] = [[f"{n} pages"] for n in TRAINING_PAGES]
    columns = ["learned from"]
    for site in sites:
        columns += [site.name, *([f"{site.name}, whole references"] if site.flaws else [])]
        for row, n in zip(rows, TRAINING_PAGES, strict=True):
            kept = extract(site, Setting(n_train=n), seed=seed)
            row += [ratios(site, kept, pages=pages)[0] for pages in (None, *([site.whole] if site.flaws else []))]
    return table("svm_visual", "svm_visual_training_pages", rows, columns=columns)


def _differences(sites: Sequence[Site], masks: Sequence[NDArray[np.bool_]]) -> Iterator[tuple[Cell, ...]]:
    for site, kept in zip(sites, masks, strict=True):
        for page in site.compared:
            ratio, strict = page_ratios(site, kept, page)
            if ratio < DIFFERENT:
                ours, theirs = site.words(kept, page), site.references[page] or ()
                alone = _alone(ours, theirs), _alone(theirs, ours)
                yield site.pages[page].id, 100 * ratio, 100 * strict, *alone, site.flaws.get(page, "")


def _alone(words: Sequence[str], others: Sequence[str]) -> str:
    """Return the longest run of words that is not part of the longest common subsequence."""
    members = np.asarray(lcs_members(words, others), dtype=np.bool_)
    edges = np.flatnonzero(np.diff(np.concatenate(([True], members, [True])).astype(np.int8)))
    runs = list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
    first, end = max(runs, key=lambda run: run[1] - run[0], default=(0, 0))
    return shorten(" ".join(words[first:end]), LONGEST_QUOTE)
