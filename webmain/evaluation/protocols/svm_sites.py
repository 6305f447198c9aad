"""What the per-site SVM learns of blocks: within a site, from other sites, and from random pages of many sites.

References
----------
The per-site SVM's paper, module 4, and its ancestor (Z. Zhou, M. Mashuq, Web Content Extraction Through Machine
Learning, 2013), which prints precision, recall and F1 of the content class: 100 % on each of seven sites by a
classifier of its own, 71.75 / 20.65 / 31.28 % on sites not seen in training, 96.86 / 89.64 / 92.83 % on random pages of
a mixture of sites; all in 4-fold cross-validation, and the first protocol for each feature set alone.

Differences: the mixture ("chaos") is not available, so each data set serves both as the sites of the first protocol and as
the mixture of the others, and its sites have several pages each. Folds consist of pages; the ancestor's code divides
shuffled blocks, so that blocks of one page are on both sides and memorising them passes for learning. There are two kinds
of labels: the method's own (clusters of all of a site's pages, by their descriptions in the global form: what the
ancestor's first protocol compares with), and by gold text, which shows whether the former are right (the ancestor's
mixture is labelled by the cluster closest to a gold text). Clusters for the method's own labels are made with all feature
sets that the pages have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from webmain.evaluation.protocols.papers import findings, table
from webmain.evaluation.records import Cell, Findings, GoldPage, Table
from webmain.evaluation.texts import UNTIMED, as_page, grouped
from webmain.evaluation.visual import RenderedPage, read_rendered
from webmain.extraction import read
from webmain.features.block_features import FEATURE_SETS
from webmain.features.folds import page_folds, site_folds
from webmain.features.gold_labels import gold_content
from webmain.features.labels import label_site
from webmain.features.linear import learn
from webmain.features.relevance import page_bounds
from webmain.features.site_blocks import SiteBlocks, concatenate, read_documents
from webmain.html.document import Document
from webmain.items import Rejected

if TYPE_CHECKING:
    from webmain.features.folds import Split

T = TypeVar("T", GoldPage, RenderedPage)

N_FOLDS = 4
MIN_PAGES = 4  # fewest pages of a site, so that each fold has one

MAX_SITES = 40
MAX_PAGES_OF_SITE = 20  # larger data sets are sampled, site by site, with the seed
MAX_BLOCKS_OF_PAGE = 2_000  # most blocks of a page that are used, from its start
Counts = NDArray[np.int64]  # numbers of correct, kept and wanted blocks: `(3,)`

PROTOCOLS = ("within a site", "other sites", "random pages")


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """The blocks of a data set's sites, with labels."""

    name: str
    blocks: SiteBlocks  # of all sites together
    wanted: NDArray[np.bool_]  # (n_blocks,) bool; content by the gold text; False on pages without one
    has_gold: NDArray[np.bool_]  # (n_pages,) bool
    own: NDArray[np.bool_]  # (n_blocks,) bool; content by the method's own labels
    # (n_pages,) bool; pages in which the method finds content; the extractor doesn't learn from the others
    has_own: NDArray[np.bool_]


def run(gold: Sequence[GoldPage], *, seed: int = 0, path: str | Path | None = None) -> Findings:
    """Run the three protocols for each feature set alone and together, on each data set with several pages a site.

    A file of rendered pages (`webmain.evaluation.visual`) is one more data set. The seed draws the folds, and samples
    of large data sets. Raises GoldError if the file cannot be read.
    """
    tables: list[Table] = []
    n_pages = 0
    notes: list[str] = []
    for name, sites in _data_sets(gold, path, seed=seed, notes=notes):
        if not sites:
            notes.append(f"{name} is left out: no site has {MIN_PAGES} pages.")
            continue
        corpus = label_corpus(name, sites)
        blocks = corpus.blocks
        n_pages += blocks.n_pages
        labelled = {site for site, has in zip(blocks.sites, corpus.has_own, strict=True) if has}
        notes.append(
            f"{name}: {blocks.n_pages} pages of {len(set(blocks.sites))} sites, {len(blocks)} blocks; the method finds "
            f"labels of its own on {len(labelled)} sites, {int(corpus.has_gold.sum())} pages have a gold text."
        )
        tables += [
            _classifiers(corpus, "own", "the method's own labels", corpus.has_own, corpus.own, seed=seed),
            _classifiers(corpus, "gold", "gold text", corpus.has_gold, corpus.wanted, seed=seed),
            _labels(corpus),
        ]
    if not tables:
        notes.append(f"Nothing to measure: no data set has a site of {MIN_PAGES} pages.")
    return findings("svm_sites", tables, n_pages=n_pages, notes=notes)


@dataclass(frozen=True)
class SitePages:
    """Blocks of one site's pages, and the gold text of each page that has one."""

    blocks: SiteBlocks
    texts: Sequence[str | None]


def label_corpus(name: str, sites: Sequence[SitePages]) -> Corpus:
    """Label the blocks of each site separately, and combine the sites."""
    blocks = concatenate([site.blocks for site in sites])
    texts = [text for site in sites for text in site.texts]
    wanted = np.zeros(len(blocks), dtype=np.bool_)
    for (first, end), text in zip(page_bounds(blocks), texts, strict=True):
        wanted[first:end] = gold_content(blocks.texts[first:end], text) if text else False
    own = np.concatenate([label_site(site.blocks, sets=_sets(site.blocks)).positive for site in sites])
    return Corpus(
        name=name,
        blocks=blocks,
        wanted=wanted,
        has_gold=np.array([text is not None for text in texts], dtype=np.bool_),
        own=own,
        has_own=np.bincount(blocks.page[own], minlength=blocks.n_pages) > 0,
    )


def measure(
    blocks: SiteBlocks, positive: NDArray[np.bool_], folds: Sequence[Split], *, sets: Sequence[str], seed: int
) -> Counts:
    """Learn from the training pages of each fold, classify the blocks of its test pages, and add up the counts."""
    counts = np.zeros(3, dtype=np.int64)
    for train, test in folds:
        of_train, of_test = np.isin(blocks.page, train), np.isin(blocks.page, test)
        if not of_train.any() or not of_test.any():
            continue
        model = learn(blocks.select_pages(train), positive[of_train], sets=sets, seed=seed)
        kept, right = model.margins(blocks.select_pages(test)) > 0, positive[of_test]
        counts += np.array([(kept & right).sum(), kept.sum(), right.sum()], dtype=np.int64)
    return counts


def units_of(protocol: str, blocks: SiteBlocks, *, seed: int) -> Iterator[list[Split]]:
    """Yield the folds of a protocol as page numbers, together those whose counts are added up: of a site, or each alone."""
    if protocol == "other sites":
        yield from ([split] for split in site_folds(blocks.sites, N_FOLDS, seed=seed))
    elif protocol == "random pages":
        yield from ([split] for split in page_folds(blocks.n_pages, N_FOLDS, seed=seed))
    else:
        sites = np.array(blocks.sites, dtype=np.str_)
        for site in np.unique(sites):
            pages = np.flatnonzero(sites == site)
            yield [(pages[train], pages[test]) for train, test in page_folds(len(pages), N_FOLDS, seed=seed)]


def figures(counts: Counts) -> tuple[float | None, float | None, float | None]:
    """Return precision, recall and F1 in per cent; None if nothing was kept, or wanted."""
    right, kept, wanted = counts.tolist()
    precision = 100 * right / kept if kept else None
    recall = 100 * right / wanted if wanted else None
    return precision, recall, 200 * right / (kept + wanted) if kept + wanted else None


def mean_figures(units: Sequence[Counts]) -> tuple[float | None, float | None, float | None]:
    """Return mean precision, recall and F1 over the units with wanted blocks; precision is 0 if nothing is kept."""
    found = [[value or 0.0 for value in figures(counts)] for counts in units if counts[2]]
    precision, recall, f1 = np.mean(found, axis=0).tolist() if found else (None, None, None)
    return precision, recall, f1


def _sets(blocks: SiteBlocks) -> tuple[str, ...]:
    """Return the feature sets that blocks have."""
    return FEATURE_SETS if blocks.visual is not None else FEATURE_SETS[:-1]


def _classifiers(
    corpus: Corpus, kind: str, labels: str, has: NDArray[np.bool_], positive: NDArray[np.bool_], *, seed: int
) -> Table:
    """Return the scores of classifiers trained on and compared with one kind of labels, on the pages that have them."""
    blocks, wanted = corpus.blocks.select_pages(np.flatnonzero(has)), positive[has[corpus.blocks.page]]
    all_sets = _sets(corpus.blocks)
    rows: list[list[Cell]] = []
    for sets in (*((name,) for name in all_sets), all_sets):
        rows.append(["+".join(sets)])
        for protocol in PROTOCOLS:
            units = units_of(protocol, blocks, seed=seed) if len(blocks) else ()
            rows[-1] += mean_figures([measure(blocks, wanted, folds, sets=sets, seed=seed) for folds in units])
    name = f"svm_sites_{_plain(corpus.name)}_{kind}"
    return table("svm_sites", "classifiers", rows, name=name, corpus=corpus.name, labels=labels)


def _labels(corpus: Corpus) -> Table:
    """Compare the method's own labels with the gold text."""
    both = (corpus.has_own & corpus.has_gold)[corpus.blocks.page]
    sites = np.array(corpus.blocks.sites, dtype=np.str_)[corpus.blocks.page]
    rows = []
    for name, chosen in (("all", both), *((str(site), both & (sites == site)) for site in np.unique(sites[both]))):
        own, wanted = corpus.own[chosen], corpus.wanted[chosen]
        counts = np.array([(own & wanted).sum(), own.sum(), wanted.sum()], dtype=np.int64)
        rows.append((name, int(chosen.sum()), *figures(counts)))
    return table("svm_sites", "labels", rows, name=f"svm_sites_{_plain(corpus.name)}_labels", corpus=corpus.name)


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name.lower())


def _data_sets(
    gold: Sequence[GoldPage], path: str | Path | None, *, seed: int, notes: list[str]
) -> Iterator[tuple[str, list[SitePages]]]:
    """Yield each data set's name and sites; record what was left out."""
    if path is not None:
        pages, dropped = read_rendered(path)
        notes += dropped
        notes.append("rendered: the gold text is another extractor's output (`svm_visual`).")
        chosen = _sample(pages, "rendered", seed=seed, notes=notes)
        yield (
            "rendered",
            [SitePages(concatenate([p.blocks for p in own]), [p.reference for p in own]) for own in chosen],
        )
    for name, own in grouped(gold, lambda page: page.dataset).items():
        sites = [_of_gold(pages, notes) for pages in _sample(own, name, seed=seed, notes=notes)]
        yield name, [site for site in sites if site.blocks.n_pages >= MIN_PAGES]


def _sample(pages: Sequence[T], name: str, *, seed: int, notes: list[str]) -> list[list[T]]:
    """Group pages by site, and sample sites and pages if there are too many."""
    by_site = grouped(pages, lambda page: page.site)
    sites = [own for site, own in sorted(by_site.items()) if site and len(own) >= MIN_PAGES]
    n_small = len(pages) - sum(map(len, sites))
    if n_small:
        notes.append(f"{name}: {n_small} pages of sites with fewer than {MIN_PAGES} pages are left out.")
    draw = np.random.default_rng(seed)
    if len(sites) > MAX_SITES:
        notes.append(f"{name}: {MAX_SITES} of {len(sites)} sites are drawn with seed {seed}.")
        sites = [sites[i] for i in sorted(draw.permutation(len(sites))[:MAX_SITES].tolist())]
    n_large = sum(len(own) > MAX_PAGES_OF_SITE for own in sites)
    if n_large:
        n = MAX_PAGES_OF_SITE
        notes.append(f"{name}: {n} pages are drawn of each of {n_large} larger sites, with seed {seed}.")
    return [[own[i] for i in sorted(draw.permutation(len(own))[:MAX_PAGES_OF_SITE].tolist())] for own in sites]


def _of_gold(pages: Sequence[GoldPage], notes: list[str]) -> SitePages:
    documents: list[Document] = []
    texts: list[str | None] = []
    for page in pages:
        try:
            documents.append(read(as_page(page), UNTIMED))
            texts.append(page.text)
        except Rejected as error:
            notes.append(f"{page.dataset}: {page.id} is left out: {error}.")
    blocks = read_documents(documents)
    blocks = replace(blocks, sites=(pages[0].site,) * blocks.n_pages)
    return SitePages(blocks.first_of_pages(MAX_BLOCKS_OF_PAGE), texts)
