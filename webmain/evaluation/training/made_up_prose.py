"""Prose for made-up pages: the sentences of given pages' main texts, dealt anew."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from webmain.evaluation.records import GoldPage
from webmain.evaluation.training.made_up_words import wording

_SENTENCE_END = re.compile("(?<=[.!?…])[\"”’'»)]* +(?=[\\w\"“„«'(¿¡])|(?<=[。！？])")
_BULLET = re.compile("^(?:[-*•·–—#>]+|\\(?\\d{1,2}[.)])\\s+")
_SYMBOL = re.compile("[\\d{}\\[\\]<>=\\\\/|_#$%^*+~;:()&]")
MAX_SYMBOLS: Final = 0.08
"""Share of a sentence's characters that may be digits and signs."""
MIN_SENTENCE: Final = 25
MAX_SENTENCE: Final = 500
"""Characters of a sentence that is dealt."""
MAX_SENTENCES: Final = 400
"""Sentences taken of one page, so that long pages don't drown the rest."""
_LATIN = "abcdefghijklmnopqrstuvwxyz"
_FIRST = (
    "Anna Ben Carla David Elena Frank Greta Hugo Ines Jan Katja Liam Maria Nils Olga Pedro Rosa Sven Tina Umut Vera Will "
    "Yuki Zoe Ahmed Bea Chen Dana Emre Fatma Giorgio Hana Ivan Julie Kofi Lena Marek Nadia Oscar Priya"
).split()
_LAST = (
    "Abel Berger Costa Diaz Eriksen Fischer Garcia Hansen Ito Jansen Kowalski Lopez Martin Novak Okafor Petrov Quinn Rossi "
    "Sato Taylor Ucar Vogel Wagner Yilmaz Zhang Brown Dubois Ferrari Green Hill Ivanova Jones Khan Lee Moreau Nguyen"
).split()
_NICKS = (
    "blue old mad happy night river stone fast lazy real super jazz north tiger bike coffee pixel moon rain".split()
)


@dataclass(frozen=True, slots=True)
class _Source:
    """One page's sentences."""

    site: str
    page: tuple[str, str]
    forum: bool
    sentences: tuple[str, ...]


class Prose:
    """The sentences of the given pages by language.

    Parameters
    ----------
    pages : sequence of GoldPage
        What is dealt from: nothing else ever stands in a made-up page but short wording of this package's own.
    """

    def __init__(self, pages: Sequence[GoldPage]) -> None:
        self._by_language: dict[str, list[_Source]] = defaultdict(list)
        for page in pages:
            found = sentences(page.text or "")[:MAX_SENTENCES]
            if len(found) >= 3:
                forum = page.page_type == "forum"
                source = _Source(page.site, (page.dataset, page.id), forum, tuple(found))
                self._by_language[page.language or "en"].append(source)
        self._all = [source for listed in self._by_language.values() for source in listed]

    def dealer(self, page: GoldPage, draw: random.Random) -> Dealer:
        """Return what deals prose to be put around a page's article: of its language, of other sites.

        Where no other site is written in the page's language, another language is dealt.
        """
        language = page.language or "en"
        for listed in (self._by_language.get(language, []), self._by_language.get("en", []), self._all):
            fit = [s for s in listed if s.page != (page.dataset, page.id) and (not s.site or s.site != page.site)]
            if fit:
                return Dealer(fit, draw, language=language, topic=_topic(page.text or ""))
        return Dealer([], draw, language=language)


class Dealer:
    """Deals sentences, titles, comments and names for one page.

    Parameters
    ----------
    sources : sequence of _Source
        Where sentences come from.
    draw : random.Random
        What is drawn from.
    language : str
        Language of the short wording.
    topic : sequence of str
        Words of the article, which what is said about it repeats.
    """

    def __init__(
        self, sources: Sequence[_Source], draw: random.Random, *, language: str, topic: Sequence[str] = ()
    ) -> None:
        self.topic = topic
        self.draw = draw
        self.language = language
        self.words = wording(language if draw.random() < 0.93 else "en")
        self._sources = sources
        self._forums = [source for source in sources if source.forum]

    def word(self, concept: str, *, n: int | None = None, x: str | None = None) -> str:
        """Return one variant of what sites say for a concept, its number and name filled in."""
        variant = self.draw.choice(self.words[concept])
        number = self.draw.choice((2, 3, 7, 12, 24, 58, 130)) if n is None else n
        return variant.replace("{n}", str(number)).replace("{x}", x or self.name())

    def words_of(self, concept: str, n: int) -> list[str]:
        """Return up to `n` different variants for a concept."""
        variants = self.words[concept]
        chosen = self.draw.sample(variants, k=min(n, len(variants)))
        return [v.replace("{n}", str(self.draw.randint(2, 99))).replace("{x}", self.name()) for v in chosen]

    def run(self, n: int, *, forum: bool = False) -> list[str]:
        """Return up to `n` sentences as they follow each other in another page."""
        sources = self._forums if forum and self._forums else self._sources
        if not sources:
            return [self.word("news_text") for _ in range(n)]
        listed = self.draw.choice(sources).sentences
        start = self.draw.randrange(max(len(listed) - n, 0) + 1)
        return list(listed[start : start + n])

    def paragraph(self, low: int = 1, high: int = 4) -> str:
        """Return a paragraph of `low` to `high` sentences."""
        glue = "" if self.language in ("ja", "zh", "th") else " "
        return glue.join(self.run(self.draw.randint(low, high)))

    def title(self) -> str:
        """Return a headline: the beginning of a sentence, 4 to 12 words long."""
        sentence = self.run(1)[0]
        cut = sentence.split()
        if len(cut) < 4:
            return sentence.rstrip(".。")[:24]
        words = cut[: self.draw.randint(4, 12)]
        text = " ".join(words).strip("\"“”'‘’«»„.,;:!?()")
        if self.language == "en" and self.draw.random() < 0.35:
            return " ".join(word[:1].upper() + word[1:] for word in text.split())
        return text

    def comment(self, verbosity: float) -> list[str]:
        """Return a reader's comment as paragraphs.

        Parameters
        ----------
        verbosity : float
            0 for a thread of short remarks, 1 for one of long letters.
        """
        draw = self.draw
        roll = draw.random()
        if roll < 0.35 - 0.3 * verbosity:
            return [self.word("short")]
        high = 1 if roll < 0.6 - 0.45 * verbosity else 3 if roll < 0.9 - 0.4 * verbosity else 6
        n_paragraphs = 1 if roll < 0.93 - 0.3 * verbosity else draw.randint(2, 4)
        glue = "" if self.language in ("ja", "zh", "th") else " "
        found = [glue.join(self.run(draw.randint(1, high), forum=draw.random() < 0.4)) for _ in range(n_paragraphs)]
        if draw.random() < 0.35:
            found[0] = f"{self.word('open')} {_lowered(found[0])}"
        if draw.random() < 0.2:
            found[-1] = f"{found[-1]} {self.word('close')}"
        if draw.random() < 0.08:
            found[0] = f"@{self.nick()}{draw.choice((' ', ': ', ', '))}{found[0]}"
        return [self._sloppy(self.on_topic(text)) for text in found]

    def on_topic(self, text: str) -> str:
        """Put a word or two of the article in the place of long words of a text."""
        if not self.topic or self.draw.random() < 0.4:
            return text
        words = text.split(" ")
        long = [i for i, word in enumerate(words) if len(word) > 5 and word.isalpha()]
        for i in self.draw.sample(long, k=min(len(long), self.draw.randint(1, 2))):
            words[i] = self.draw.choice(self.topic)
        return " ".join(words)

    def _sloppy(self, text: str) -> str:
        roll = self.draw.random()
        if roll < 0.1:
            return text.lower()
        if roll < 0.2:
            return text.rstrip(".。")
        if roll < 0.27:
            return text.rstrip(".") + self.draw.choice(("!!!", "...", "!", " :)", "??", "…"))
        return text

    def name(self) -> str:
        """Return a person's name."""
        return f"{self.draw.choice(_FIRST)} {self.draw.choice(_LAST)}"

    def nick(self) -> str:
        """Return a name as commenters have them."""
        draw = self.draw
        match draw.randrange(5):
            case 0:
                return self.name()
            case 1:
                return draw.choice(_FIRST)
            case 2:
                return f"{draw.choice(_NICKS)}{draw.choice(_NICKS)}{draw.randrange(100)}"
            case 3:
                return f"{draw.choice(_FIRST).lower()}_{draw.choice(_NICKS)}"
        return f"{draw.choice(_FIRST)} {draw.choice(_LAST)[0]}."

    def company(self) -> str:
        """Return a firm's or a paper's name."""
        kinds = "Group|Media|Systems|Daily|Post|Tribune|& Partners|Inc.|GmbH|Ltd.|News|Online|Foundation|Times".split(
            "|"
        )
        return f"{self.draw.choice(_LAST)} {self.draw.choice(kinds)}"

    def date(self) -> str:
        """Return a date in one of the ways in which sites write it."""
        draw = self.draw
        day, month, year = draw.randint(1, 28), draw.randrange(12), draw.randint(2004, 2026)
        named = self.words["months"][month]
        hour = f"{draw.randrange(24):02}:{draw.randrange(60):02}"
        half = f"{draw.randint(1, 12)}:{draw.randrange(60):02} {draw.choice(('am', 'PM', 'p.m.'))}"
        return draw.choice(
            (
                f"{day} {named} {year}",
                f"{named} {day}, {year}",
                f"{named} {day}, {year} at {half}",
                f"{day:02}.{month + 1:02}.{year}",
                f"{day:02}.{month + 1:02}.{year}, {hour}",
                f"{year}-{month + 1:02}-{day:02} {hour}",
                f"{month + 1}/{day}/{year % 100:02} {half}",
                self.word("ago"),
            )
        )

    def slug(self) -> str:
        """Return a path for a link that leads nowhere."""
        words = ["".join(self.draw.choices(_LATIN, k=self.draw.randint(3, 8))) for _ in range(self.draw.randint(1, 4))]
        return "/" + "-".join(words)


def _topic(text: str) -> list[str]:
    """Return an article's most frequent long words."""
    found = Counter(re.findall(r"[^\W\d_]{5,20}", text[:10_000]))
    return [word for word, _ in found.most_common(16)]


def sentences(text: str) -> list[str]:
    """Cut a text into its sentences; lines end sentences too, and what is very short or long is left out."""
    found: list[str] = []
    for line in text.splitlines():
        if len(line) >= MIN_SENTENCE:
            parts = (_BULLET.sub("", part.strip()) for part in _SENTENCE_END.split(line))
            found += [part for part in parts if MIN_SENTENCE <= len(part) <= MAX_SENTENCE and _is_prose(part)]
    return found


def _is_prose(sentence: str) -> bool:
    """Tell a sentence from code, figures and rows of a table."""
    return len(_SYMBOL.findall(sentence)) <= MAX_SYMBOLS * len(sentence)


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text
