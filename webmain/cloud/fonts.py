"""Find installed fonts for words of any script; a missing glyph is an error, never drawn as an empty box."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webmain.cloud.records import CloudError, direction_of
from webmain.files import reason_of
from webmain.text.normal import INVISIBLE

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

FOLDERS = (
    "/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts",
    "/System/Library/Fonts", "/Library/Fonts", "~/Library/Fonts",
)  # fmt: skip
"""Folders searched for fonts."""

_SUFFIXES = (".ttf", ".otf", ".ttc", ".otc")
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_NEUTRAL = ("Zyyy", "Zinh", "Zzzz")
LAST = "last"  # the entry of `fonts.toml` for characters that no font of their script has


class PictureError(CloudError):
    """No picture can be drawn here; the message says what to install."""


class FontMissingError(PictureError):
    """No font has a character of a word."""


@dataclass(frozen=True, slots=True)
class Face:
    """A font in a file, which may contain several."""

    path: str
    index: int = 0

    def at(self, size_px: float) -> FreeTypeFont:
        """Return the font in a size."""
        return _opened(self, size_px)

    @property
    def family(self) -> str:
        """The name of its family."""
        return str(_opened(self, 16).getname()[0])

    def draws(self, text: str) -> bool:
        """Return True if the font has a glyph for each character, or for the characters it is composed of."""
        points = _points(self)
        return all(
            ord(c) in points or all(ord(part) in points for part in unicodedata.normalize("NFD", c))
            for c in _INVISIBLE.sub("", text)
        )


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of a word in one font."""

    text: str
    face: Face


class Fonts:
    """The fonts that words are drawn with; `own` files are preferred to all others, for the characters that they have.

    Raises PictureError if Pillow, fontTools or the library that shapes complex scripts is missing, or a file is no
    font.
    """

    def __init__(self, own: Iterable[str | Path] = ()) -> None:
        _check_libraries()
        self._own = [Face(str(path)) for path in own]
        for face in self._own:
            try:
                _points(face)
            except Exception as error:  # fontTools may raise anything for a file that is not a font
                raise PictureError(f"{face.path}: not a readable font ({reason_of(error)})") from error

    def runs(self, word: str, *, language: str = "") -> tuple[Run, ...]:
        """Return a word cut into runs of one font each, from left to right.

        Raises FontMissingError if no font has one of its characters; the message names the Debian package that has.
        """
        scripts = Counter(script for character in word if (script := _script(character)) not in _NEUTRAL)
        main = scripts.most_common(1)[0][0] if scripts else "Latn"
        runs: list[Run] = []
        for letter in _letters(word):
            last = runs[-1].face if runs else None
            is_at_home = _script(letter[0]) in (main, *_NEUTRAL)
            face = last if last and is_at_home and last.draws(letter) else self._face(word, letter, main, language)
            if face == last:
                runs[-1] = Run(runs[-1].text + letter, face)
            else:
                runs.append(Run(letter, face))
        return tuple(runs[::-1] if direction_of(word) == "rtl" else runs)

    def _face(self, word: str, letter: str, main: str, language: str) -> Face:
        """Return the best font for a letter of a word."""
        own = _script(letter[0])
        scripts = [main, LAST] if own in _NEUTRAL or own == main else [main, own, LAST]
        for face in (*self._own, *(face for script in scripts for face in _faces(script, language))):
            if face.draws(letter):
                return face
        script = main if own in _NEUTRAL else own
        name, points = _script_name(script), " ".join(f"U+{ord(c):04X}" for c in letter)
        if _faces(script, language):
            raise FontMissingError(
                f"no font here has {letter} ({points}) of the word {word}: give one with --font FILE"
            )
        package = _entry(script)["package"]
        raise FontMissingError(
            f"no font for {name} ({letter}, {points}, of the word {word}); on Debian and Ubuntu: "
            f"apt-get install {package}; elsewhere give one with --font FILE"
        )


def _letters(word: str) -> Iterator[str]:
    """Yield each letter of a word with its marks and the invisible characters after it: one font draws them together."""
    letter = ""
    for character in word:
        if letter and not (unicodedata.category(character)[0] == "M" or _INVISIBLE.match(character)):
            yield letter
            letter = ""
        letter += character
    if letter:
        yield letter


def _check_libraries() -> None:
    try:
        import fontTools  # noqa: F401
        from PIL import features
    except ImportError as error:
        raise PictureError("pictures need Pillow and fontTools: pip install 'webmain[cloud]'") from error
    if not features.check("raqm"):
        raise PictureError(
            "Pillow draws Thai, Arabic and Indic words right only with Raqm and FriBidi; on Debian and Ubuntu: "
            "apt-get install libfribidi0"
        )


def _script(character: str) -> str:
    from fontTools.unicodedata import script

    return str(script(character))


def _script_name(script: str) -> str:
    from fontTools.unicodedata import script_name

    return str(script_name(script, default=script)).replace("_", " ")


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(resources.files("webmain.cloud").joinpath("fonts.toml").read_text("utf-8"))


def _entry(script: str) -> dict[str, Any]:
    entry: dict[str, Any] = _table().get(script, _table()["default"])
    return entry


@cache
def _faces(script: str, language: str) -> Sequence[Face]:
    """Return the fonts of this machine for a script."""
    entry = _entry(script)
    faces = entry.get("faces", {})
    index = faces.get(language, next(iter(faces.values()), 0))
    names = [name.format(script=_script_name(script).replace(" ", "")) for name in entry["files"]]
    paths = [path for name in names if (path := _font_files().get(name))]
    return [Face(str(path), index if path.suffix in (".ttc", ".otc") else 0) for path in paths]


@cache
def _font_files() -> dict[str, Path]:
    """Return the font files of this machine by their names."""
    found: dict[str, Path] = {}
    for folder in FOLDERS:
        for path in sorted(Path(folder).expanduser().rglob("*")):
            if path.suffix.lower() in _SUFFIXES:
                found.setdefault(path.stem, path)
    return found


@lru_cache(maxsize=512)
def _opened(face: Face, size_px: float) -> FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.truetype(face.path, size_px, index=face.index, layout_engine=ImageFont.Layout.RAQM)


@cache
def _points(face: Face) -> frozenset[int]:
    """Return the code points that a font has glyphs for."""
    from fontTools.ttLib import TTFont

    with Path(face.path).open("rb") as file, TTFont(file, fontNumber=face.index, lazy=True) as font:
        return frozenset(font.getBestCmap() or ())
