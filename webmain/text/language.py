"""Detect the language of a text: by its script if possible, else by two models, the faster one first."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from webmain.clock import once
from webmain.files import reason_of
from webmain.regex import lazy
from webmain.text.normal import BURMESE, HAN, HANGUL, KANA, KHMER, LAO, THAI

logger = logging.getLogger(__name__)

MAX_CHARS = 500  # characters at the start of a text that are read: from 300 on, the model makes no errors on news
MIN_SCORE = 0.5  # probability below which the language is undetermined

UNDETERMINED = "und"
NO_LETTERS = "zxx"

KANA_SHARE = 0.05
"""Share of kana among Han characters and kana from which a text is Japanese; a Chinese text quotes less."""

MIN_HAN = 20
"""Han characters without any kana from which a text is Chinese: Japanese headlines can do without kana, texts hardly."""

_CHINESE = lazy("[的了这這们們]")  # in most Chinese texts, and in no list of appointments of a Japanese newspaper

LONG: Final = 480  # minimum characters of a text whose language the fast model may decide alone

MARGIN: Final = 50
"""Minimum distance between the two likeliest languages for the fast model to decide: it does on 1,029 of 1,532 texts of gold
pages, always with the same result as the large model."""

_FARTHEST: Final = 1_000_000

SURE: Final = frozenset("de en es fr it nl pl pt ru".split())
"""Languages for which the fast model may decide, since it knows similar ones; it confidently takes Malay for Indonesian."""

_AS_KNOWN: Final = {"sdh": "ckb"}
"""Sorani Kurdish, which the model takes for Southern Kurdish, a language without newspapers."""

_ONE_LANGUAGE_SCRIPTS = {
    "el": "\u0370-\u03e1\u03f0-\u03ff\u1f00-\u1fff",
    "gu": "\u0a80-\u0aff",
    "hy": "\u0531-\u0587",
    "ka": "\u10a0-\u10ff\u1c90-\u1cbf",
    "km": KHMER,
    "kn": "\u0c80-\u0cff",
    "ko": HANGUL,
    "lo": LAO,
    "ml": "\u0d00-\u0d7f",
    "my": BURMESE,
    "or": "\u0b00-\u0b7f",
    "pa": "\u0a00-\u0a7f",
    "si": "\u0d80-\u0dff",
    "ta": "\u0b80-\u0bff",
    "te": "\u0c00-\u0c7f",
    "th": THAI,
}
"""The scripts used for only one language in the news, by that language's ISO 639-1 code."""

ISO_639_1 = frozenset(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el
    en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu
    ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na
    nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so
    sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """.split()
)
"""The two-letter codes of languages; `detect` returns no others, except `UNDETERMINED` and `NO_LETTERS`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A detected language."""

    language: str  # ISO 639-1 code (639-3 where there is none); "und" when unsure, "zxx" when there are no letters
    score: float  # probability of the likeliest language, in [0, 1]; 1.0 if the script or the fast model decided


def detect(text: str, *, declared: str | None = None) -> Language:
    """Return the language of a text, from its first `MAX_CHARS` characters.

    `declared`: the language that the page declares; it decides between Japanese and Chinese where there is no kana.

    The letters decide for scripts of one language (Thai, Korean, Greek, ...), for Japanese, and for longer Chinese texts. A
    fast model decides for long texts in common languages if it is sure. Only for other texts a large model is loaded: 0.5 s
    and 76 MB, once per process, then 0.1 ms a text.

    Returns "und" with the best guess's score if that is below `MIN_SCORE`.
    """
    text = text.lstrip()[:MAX_CHARS]
    letters = _letters_by_script(text)
    n_letters = letters.total()
    if not n_letters:
        return Language(language=NO_LETTERS, score=1.0)
    by_script = _language_of_script(letters, n_letters)
    if (
        declared
        and 2 * letters["han"] > n_letters
        and not letters["kana"]
        and not (by_script and _CHINESE.search(text))
    ):
        by_script = {"ja": "ja", "zh": "zh"}.get(declared[:2].lower(), by_script)
    if by_script:
        return Language(language=by_script, score=1.0)
    if len(text) >= LONG:
        likeliest = _fast_model()(_encodable(text), n_results=2, cutoff=_FARTHEST)
        if likeliest[0][0] in SURE and likeliest[-1][1] - likeliest[0][1] >= MARGIN:
            return Language(language=likeliest[0][0], score=1.0)
    language, score = large_model()(_encodable(text))
    language, score = _AS_KNOWN.get(language, language), float(score)
    return Language(language=language if score >= MIN_SCORE else UNDETERMINED, score=min(score, 1.0))


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _language_of_script(letters: Counter[str], n_letters: int) -> str | None:
    """Return the language whose script has more than half of the letters; None if the script does not decide."""
    n_east_asian = letters["han"] + letters["kana"]
    if 2 * n_east_asian > n_letters:
        if letters["kana"] >= KANA_SHARE * n_east_asian:
            return "ja"
        return "zh" if letters["han"] >= MIN_HAN else None
    script, n = letters.most_common(1)[0]
    return script if 2 * n > n_letters and script in _ONE_LANGUAGE_SCRIPTS else None


def _letters_by_script(text: str) -> Counter[str]:
    """Return the number of letters (and marks, in the scripts named here) by script."""
    counts: Counter[str] = Counter()
    if not _NAMED_SCRIPT.search(text):  # a Latin, Cyrillic or Arabic text: nothing to distinguish
        counts["other"] = int(any(map(str.isalpha, text)))
        return counts
    for run in _SCRIPT_RUN.finditer(text):
        counts[run.lastgroup or ""] += run.end() - run.start()
    return counts


_NAMED: Final = {"han": HAN, "kana": KANA, **_ONE_LANGUAGE_SCRIPTS}
_NAMED_SCRIPT = lazy(f"[{''.join(_NAMED.values())}]")
_SCRIPT_RUN = lazy(
    rf"(?P<other>[^\W\d_{''.join(_NAMED.values())}]+)|"
    + "|".join(f"(?P<{name}>[{ranges}]+)" for name, ranges in _NAMED.items())
)
"""A run of letters of one script, as a named group; all other scripts are "other"."""


@once
def large_model() -> Any:
    """Return py3langid's model; the fast one, with a warning, if its model cannot be unpacked to a temporary file."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    try:
        return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True).classify
    except OSError as error:
        logger.warning(
            "the large model of languages cannot be unpacked (%s): a fast one decides, less well", reason_of(error)
        )
        return lambda text: (_fast_model()(text, cutoff=_FARTHEST)[0], MIN_SCORE)


@once
def _fast_model() -> Any:
    """Load the fast model, which ranks languages by their distance from a text."""
    from resiliparse.parse.lang import detect_fast

    return detect_fast
