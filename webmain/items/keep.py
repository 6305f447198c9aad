"""`Keep`: what beside running text a user wants of an article."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """What beside running text is kept of an article; it acts on what the extractor has judged."""

    # captions of pictures and tables inside the article: True adds them, False removes them, None leaves them to the
    # extractor (each published method has its own way; the default method leaves them out)
    captions: bool | None = None
    # tables of data, and lists that are less than half of the text: False removes them
    tables: bool = True
    lists: bool = True
    links: bool = False  # blocks tell where their links lead, and Markdown shows them
    images: bool = False  # `Article.images` is filled, and Markdown shows them
    comments: bool = False  # `Article.comments` is filled; what readers wrote is never part of the text then

    @classmethod
    def of(cls, wanted: Keep | str | Iterable[str] | None) -> Keep:
        """Read names such as "captions" and "no-tables", in one string separated by commas or one by one.

        Raises ValueError if a name is not known, or is there both with and without "no-". Raises TypeError
        for anything but a `Keep` or names.
        """
        if isinstance(wanted, Keep):
            return wanted
        if wanted is not None and not isinstance(wanted, Iterable):
            raise TypeError(f"keep: got {wanted!r}, allowed are a Keep and names")
        names = [f.name for f in fields(cls)]
        values: dict[str, bool] = {}
        for given in wanted.split(",") if isinstance(wanted, str) else wanted or ():
            word = given.strip().lower() if isinstance(given, str) else ""
            name = word.removeprefix("no-")
            if name not in names and (word or not isinstance(given, str)):
                raise ValueError(f"keep: got {given!r}, allowed are {', '.join(names)}, each also with no- before it")
            if word and values.setdefault(name, name == word) is not (name == word):
                raise ValueError(f"keep: got both {name} and no-{name}")
        return cls(**values)


DEFAULT_KEEP = Keep()  # what is kept where nothing was asked for
