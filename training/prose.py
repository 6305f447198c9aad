"""Prose for made-up pages: the sentences of given pages' main texts in new order, and the random choices of one page."""

from __future__ import annotations

import random
import re
import string
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from training.classes import ClassNames, Naming
from training.data import languages, table, wording
from webmain.evaluation.records import GoldPage

Option = TypeVar("Option")

_SENTENCE_END = re.compile("(?<=[.!?…])[\"”’'»)]* +(?=[\\w\"“„«'(¿¡])|(?<=[。！？])")
_BULLET = re.compile("^(?:[-*•·–—#>]+|\\(?\\d{1,2}[.)])\\s+")
_SYMBOL = re.compile("[\\d{}\\[\\]<>=\\\\/|_#$%^*+~;:()&]")
MAX_SYMBOLS: Final = 0.08
"""Largest share of digits and signs in a sentence's characters; others are code, figures, rows of a table."""
MIN_SENTENCE: Final = 25
MAX_SENTENCE: Final = 500
"""Characters of a sentence that is used."""
MAX_SENTENCES: Final = 400
"""Sentences taken of one page, so that long pages don't prevail."""


@dataclass(frozen=True, slots=True)
class Source:
    """One page's sentences."""

    site: str
    page: tuple[str, str]
    forum: bool
    sentences: tuple[str, ...]


class Prose:
    """The sentences of pages by language: a made-up page holds nothing else but short wording of this package's own."""

    def __init__(self, pages: Sequence[GoldPage]) -> None:
        self._by_language: dict[str, list[Source]] = defaultdict(list)
        for page in pages:
            found = sentences(page.text or "")[:MAX_SENTENCES]
            if len(found) >= 3:
                source = Source(page.site, (page.dataset, page.id), page.page_type == "forum", tuple(found))
                self._by_language[page.language or "en"].append(source)
        self._all = [source for listed in self._by_language.values() for source in listed]

    def draw(
        self,
        page: GoldPage,
        random: random.Random,
        *,
        language: str | None = None,
        transform: Callable[[str], str] | None = None,
    ) -> Draw:
        """Return the random choices for a page made of `page`: prose of its language, of other sites.

        Where no other site is written in the page's language, prose of another language is taken. With a `transform`, what it
        makes of the sentences and names, and the wording of `language`.
        """
        spoken = page.language or "en"
        sources: list[Source] = []
        for listed in (self._by_language.get(spoken, []), self._by_language.get("en", []), self._all):
            sources = sources or [
                s for s in listed if s.page != (page.dataset, page.id) and (not s.site or s.site != page.site)
            ]
        topic = [] if transform else _topic(page.text or "")
        return Draw(random, language or spoken, sources, topic=topic, transform=transform)


class Draw:
    """The random choices of one made-up page: sentences, titles, names, classes; `d` in the templates.

    `language` is that of the short wording, `sources` are pages that sentences are taken from, `topic` has words of the
    article, which some comments repeat, and `transform` returns what sentences and names become.
    """

    def __init__(
        self,
        random: random.Random,
        language: str,
        sources: Sequence[Source],
        *,
        topic: Sequence[str],
        transform: Callable[[str], str] | None,
    ) -> None:
        self.random = random
        self.language = language
        self.words = wording(language if random.random() < 0.93 else "en")
        self.rename_classes()
        self.below, self.between = random.randrange, random.randint
        self._topic = topic
        self._sources = sources
        self._forums = [source for source in sources if source.forum]
        self._glue = "" if language in ("ja", "zh", "th") else " "
        self._transform = transform or str
        self.right_to_left = language in languages("scripts") and "right_to_left" in table(f"scripts/{language}")

    def rename_classes(self, naming: Naming | None = None) -> None:
        """Name the classes of the page anew; `naming` is drawn where None."""
        self.classes = ClassNames(self.random, naming)
        self.of, self.once = self.classes.of, self.classes.once

    def chance(self, share: float) -> bool:
        """Return True in this share of the cases."""
        return self.random.random() < share

    def choice(self, *options: Option) -> Option:
        """Return one of the options; one that is given twice is returned twice as often."""
        return self.random.choice(options)

    def pieces(self, items: Sequence[str], n: int) -> list[Sequence[str]]:
        """Cut a sequence at up to `n` places."""
        cuts = sorted(self.random.sample(range(1, len(items)), k=min(n, len(items) - 1)))
        return [items[i:j] for i, j in zip([0, *cuts], [*cuts, len(items)], strict=True)]

    def word(self, concept: str, *, n: int | None = None, x: str | None = None) -> str:
        """Return one variant of what sites write for a concept, with its number and name."""
        return self._filled(self.random.choice(self.words[concept]), n, x)

    def words_of(self, concept: str, n: int, *, x: str | None = None) -> list[str]:
        """Return up to `n` different variants for a concept."""
        variants = self.words[concept]
        return [self._filled(one, None, x) for one in self.random.sample(variants, k=min(n, len(variants)))]

    def _filled(self, variant: str, n: int | None, x: str | None) -> str:
        number = self.choice(2, 3, 7, 12, 24, 58, 130) if n is None else n
        return variant.replace("{n}", str(number)).replace("{x}", self.name() if x is None else x)

    def run(self, n: int = 1, *, forum: bool = False) -> list[str]:
        """Return up to `n` sentences in the order in which another page has them."""
        sources = self._forums if forum and self._forums else self._sources
        if not sources:
            return [self.word("news_text") for _ in range(n)]
        listed = self.random.choice(sources).sentences
        start = self.random.randrange(max(len(listed) - n, 0) + 1)
        return [self._transform(sentence) for sentence in listed[start : start + n]]

    def paragraph(self, low: int = 1, high: int = 4, *, forum: bool = False) -> str:
        """Return a paragraph of `low` to `high` sentences."""
        return self._glue.join(self.run(self.random.randint(low, high), forum=forum))

    def title(self) -> str:
        """Return a headline: the beginning of a sentence, 4 to 12 words long."""
        sentence = self.run()[0]
        if len(sentence.split()) < 4:
            return sentence.rstrip(".。")[: self.random.randint(14, 40)]
        title = " ".join(sentence.split()[: self.random.randint(4, 12)]).strip("\"“”'‘’«»„.,;:!?()")
        if self.language == "en" and self.chance(0.35):
            return " ".join(word[:1].upper() + word[1:] for word in title.split())
        return title

    def comment(self, verbosity: float) -> list[str]:
        """Return a reader's comment as paragraphs; a verbosity of 0 gives short remarks, 1 long letters."""
        roll = self.random.random()
        if roll < 0.35 - 0.3 * verbosity:
            return [self.word("short")]
        high = 1 if roll < 0.6 - 0.45 * verbosity else 3 if roll < 0.9 - 0.4 * verbosity else 6
        n_paragraphs = 1 if roll < 0.93 - 0.3 * verbosity else self.random.randint(2, 4)
        found = [self.paragraph(1, high, forum=self.chance(0.4)) for _ in range(n_paragraphs)]
        if self.chance(0.35):
            lowered = found[0][:1].lower() + found[0][1:] if found[0][1:2].islower() else found[0]
            found[0] = f"{self.word('open')} {lowered}"
        if self.chance(0.2):
            found[-1] = f"{found[-1]} {self.word('close')}"
        if self.chance(0.08):
            found[0] = f"@{self.nick()}{self.choice(' ', ': ', ', ')}{found[0]}"
        return [self._sloppy(self._on_topic(text)) for text in found]

    def _on_topic(self, text: str) -> str:
        """Replace one or two long words of a text by words of the article."""
        if not self._topic or self.chance(0.4):
            return text
        words = text.split(" ")
        long = [i for i, word in enumerate(words) if len(word) > 5 and word.isalpha()]
        for i in self.random.sample(long, k=min(len(long), self.random.randint(1, 2))):
            words[i] = self.random.choice(self._topic)
        return " ".join(words)

    def _sloppy(self, text: str) -> str:
        ends = self.choice("!!!", "...", "!", " :)", "??", "…")
        ways = (text.lower(), text.rstrip(".。"), text.rstrip(".") + ends, text)
        return self.random.choices(ways, (10, 10, 7, 73))[0]

    def name(self) -> str:
        """Return a person's name."""
        return f"{self._person('first')} {self._person('last')}"

    def nick(self) -> str:
        """Return a name as commenters have them."""
        first, nick = self._person("first"), self._person("nicks")
        return self.choice(
            self.name(),
            first,
            f"{nick}{self._person('nicks')}{self.random.randrange(100)}",
            f"{first.lower()}_{nick}",
            f"{first} {self._person('last')[0]}.",
        )

    def company(self) -> str:
        """Return a firm's or a paper's name."""
        return f"{self._person('last')} {self._person('firms')}"

    def _person(self, key: str) -> str:
        return self._transform(self.random.choice(table("people")[key]))

    def date(self) -> str:
        """Return a date in one of the ways in which sites write it."""
        month, minute = self.random.randrange(12), f"{self.random.randrange(60):02}"
        dates: list[str] = table("people")["dates"]
        return self.choice(*dates, self.word("ago")).format(
            day=self.random.randint(1, 28),
            month=month + 1,
            named=self.words["months"][month],
            year=self.random.randint(2004, 2026),
            hour=f"{self.random.randrange(24):02}:{minute}",
            half=f"{self.random.randint(1, 12)}:{minute} {self.choice('am', 'PM', 'p.m.')}",
        )

    def slug(self) -> str:
        """Return a path for a link that leads nowhere."""
        lengths = [self.random.randint(3, 8) for _ in range(self.random.randint(1, 4))]
        return "/" + "-".join("".join(self.random.choices(string.ascii_lowercase, k=n)) for n in lengths)


def _topic(text: str) -> list[str]:
    """Return an article's most frequent long words."""
    found = Counter(re.findall(r"[^\W\d_]{5,20}", text[:10_000]))
    return [word for word, _ in found.most_common(16)]


def sentences(text: str) -> list[str]:
    """Return a text's sentences, which lines end as well, without those that are very short, very long or no prose."""
    lines = [line for line in text.splitlines() if len(line) >= MIN_SENTENCE]
    parts = (_BULLET.sub("", part.strip()) for line in lines for part in _SENTENCE_END.split(line))
    return [
        part
        for part in parts
        if MIN_SENTENCE <= len(part) <= MAX_SENTENCE and len(_SYMBOL.findall(part)) <= MAX_SYMBOLS * len(part)
    ]
