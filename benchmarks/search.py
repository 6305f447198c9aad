"""Measure block search: what the index costs, and how much faster it is than reading every block.

    python benchmarks/search.py [--articles 5000] [--keywords 50] [--seed 0]

The articles are made up: half in words put together from syllables, half in Thai (words of the segmenter's dictionary,
without spaces), drawn by rank as natural texts are (Zipf). Searches are for keywords drawn from the vocabulary, as in the
Priority Assignment paper, and for the most common word. Beside the index, in the same run:

- scan: read every block, segment those that contain the keyword as a string, rank them by Bp: the same answer, no snippets;
- scan, strings only: find the blocks that contain the keyword as a string (`LIKE`), count them, rank nothing.

Wall-clock milliseconds a search, medians; compare ratios of one run only.
"""

from __future__ import annotations

import itertools
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from common import parser

from webmain.items import Article, ArticleBlock, Kind
from webmain.store.block_index import BlockIndex, block_priority
from webmain.store.query import index_text
from webmain.store.sqlite import SqliteStore

SYLLABLES = (
    "ba ce di fo gu ha ki lo mu na pe ri so tu va we xi yo za bri cla dor fen gal hem jun kor lam mor nes".split()
)
PRIORITIES = (0.1, 0.1, 0.1, 0.3, 0.5, 0.9)
SIZE = 8_000
"""Words of each vocabulary."""


def latin_words(rng: random.Random) -> list[str]:
    """Make up words."""
    made = ["".join(parts) for n in (2, 3) for parts in itertools.product(SYLLABLES, repeat=n)]
    return rng.sample(made, SIZE)


def thai_words(rng: random.Random) -> list[str]:
    """Take words of the dictionary that are segmented as one."""
    from webmain.text.words import words

    index_text("ไทย")  # keeps PyThaiNLP from downloading anything
    from pythainlp.corpus.common import thai_words as dictionary

    candidates = sorted(word for word in dictionary() if 4 <= len(word) <= 9 and " " not in word)
    rng.shuffle(candidates)
    single = (word for word in candidates if words(word) == [word] and " " not in index_text(word).tokens)
    return list(itertools.islice(single, SIZE))


def articles(n: int, vocabulary: Sequence[str], *, joint: str, language: str, rng: random.Random) -> Iterator[Article]:
    """Draw articles of 8 to 26 paragraphs of 20 to 90 words."""
    weights = list(itertools.accumulate(1 / rank for rank in range(1, len(vocabulary) + 1)))
    for number in range(n):
        texts = [
            joint.join(rng.choices(vocabulary, cum_weights=weights, k=rng.randint(20, 90)))
            for _ in range(rng.randint(8, 26))
        ]
        yield Article(
            url=f"https://made-up.example/{language}/{number}",
            site="made-up.example",
            title=joint.join(rng.choices(vocabulary, cum_weights=weights, k=8)),
            text="\n\n".join(texts),
            blocks=tuple(
                ArticleBlock(kind=Kind.PARAGRAPH, text=text, raw=rng.choice(PRIORITIES), score=0.5) for text in texts
            ),
            language=language,
            extractor="pab",
        )


def scan(db: sqlite3.Connection, keyword: str) -> list[tuple[float, int]]:
    """Return the ten best articles by reading every block."""
    best: dict[int, float] = {}
    token = index_text(keyword).tokens
    rows = db.execute(
        """SELECT key, extractor, block.text, score, raw FROM block JOIN article ON key = article
        WHERE instr(lower(block.text), ?) UNION ALL
        SELECT key, 'pab', title, NULL, 1.0 FROM article WHERE instr(lower(title), ?)""",
        (keyword, keyword),
    )
    for key, extractor, text, score, raw in rows:
        indexed = index_text(text)
        if n := indexed.tokens.split(" ").count(token):
            best[key] = max(best.get(key, 0.0), block_priority(extractor, score, raw) * n / indexed.n_words)
    return sorted(((bp, key) for key, bp in best.items()), reverse=True)[:10]


def strings_only(db: sqlite3.Connection, keyword: str) -> int:
    """Count the blocks that contain a string."""
    found: int = db.execute("SELECT count(*) FROM block WHERE text LIKE ?", (f"%{keyword}%",)).fetchone()[0]
    return found


def timed(run: Callable[[], object]) -> float:
    """Return milliseconds."""
    start = time.perf_counter()
    run()
    return 1000 * (time.perf_counter() - start)


def compare(index: BlockIndex, db: sqlite3.Connection, name: str, keywords: Sequence[str]) -> None:
    """Print one line: index, scans, ratios."""
    ranked, by_index, by_scan, by_string, pages = [], [], [], [], []
    for keyword in keywords:
        results = index.search(keyword)
        started = time.perf_counter()
        answer = scan(db, keyword)
        by_scan.append(1000 * (time.perf_counter() - started))
        if [round(hit.priority, 9) for hit in results.hits] != [round(bp, 9) for bp, _ in answer]:
            raise SystemExit(f"{keyword}: the index and the scan disagree")
        pages.append(results.n_pages)
        ranked.append(timed(partial(index.search, keyword, width=0)))
        by_index.append(timed(partial(index.search, keyword)))
        by_string.append(timed(partial(strings_only, db, keyword)))
    bare, shown, read, strings = map(statistics.median, (ranked, by_index, by_scan, by_string))
    figures = f"{statistics.median(pages):>6.0f}{bare:>9.2f}{shown:>9.2f}{read:>11.1f}{strings:>11.1f}"
    print(f"{name:<20}{figures}{read / bare:>11.0f}x{read / shown:>8.0f}x{strings / shown:>9.1f}x")


def main() -> None:
    """Build, index, search, print."""
    ap = parser(__doc__)
    ap.add_argument("--articles", type=int, default=5_000)
    ap.add_argument("--keywords", type=int, default=50)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    rng = random.Random(args.seed)
    vocabularies = {"Latin": latin_words(rng), "Thai": thai_words(rng)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "search.db"
        half = args.articles // 2
        made = [
            *articles(half, vocabularies["Latin"], joint=" ", language="en", rng=rng),
            *articles(half, vocabularies["Thai"], joint="", language="th", rng=rng),
        ]
        with SqliteStore(path) as store:
            spent = 0.0
            for article in made:
                store.add(article)
                if store.pending == 50:
                    spent += timed(store.commit)
            spent += timed(store.commit)
            print(f"{len(made):,} articles, {sum(len(a.blocks) for a in made):,} blocks")
            print(f"stored: {spent / len(made):.2f} ms an article (their list for the index with them)")
        before = path.stat().st_size
        with SqliteStore(path) as store:
            index = store.index()
            print(f"indexed: {timed(index.update) / len(made):.2f} ms an article")
        after = path.stat().st_size
        print(f"size: {before / 1e6:.1f} MB, with the index {after / 1e6:.1f} MB (+{after / before - 1:.0%})\n")
        print(
            f"{'':<20}{'':>6}{'index,':>9}{'with':>9}{'':>11}{'strings':>11}{'scan /':>12}{'scan /':>9}{'strings /':>10}"
        )
        print(
            f"{'':<20}{'pages':>6}{'ranked':>9}{'snippets':>9}{'scan':>11}{'only':>11}{'ranked':>12}{'snippets':>9}{'snippets':>10}"
        )
        with SqliteStore(path, read_only=True) as store:
            db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            index = store.index()
            for name, vocabulary in vocabularies.items():
                rare = vocabulary[len(vocabulary) // 10 :]
                compare(index, db, f"{name}, {args.keywords} keywords", rng.sample(rare, args.keywords))
                compare(index, db, f"{name}, commonest", vocabulary[:1])
            db.close()


if __name__ == "__main__":
    main()
