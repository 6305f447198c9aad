"""Page models in files of their own, as `webmain train` writes them; each is read once per process."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Self

from webmain.clock import Loading
from webmain.extractors.page_model import MAX_BYTES, PageModel, PageModelError, read
from webmain.files import reason_of


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file with a page model, which is read where it is used: in each worker process.

    Its digest tells models apart: what was learned of a site with one of them is not used with another.
    """

    path: str
    sha256: str

    def __str__(self) -> str:
        return f"sha256:{self.sha256}"

    @classmethod
    def at(cls, path: str) -> Self:
        """Return the file at a path, relative to the current folder. Raises PageModelError if it holds no page model."""
        place = str(Path(path).expanduser().absolute())
        file = cls(place, hashlib.sha256(_bytes(place)).hexdigest())
        file.model()
        return file

    def model(self) -> PageModel:
        """Return the model. Raises PageModelError if the file cannot be read or was changed."""
        return _model(self.path, self.sha256)


@lru_cache(maxsize=4)
def _model(path: str, sha256: str) -> PageModel:
    with Loading():
        data = _bytes(path)
        try:
            model = read(data)
        except PageModelError as error:
            raise PageModelError(f"{path} {error}") from error
    if model.sha256 != sha256:
        raise PageModelError(f"{path} was changed after it was first read")
    return model


def _bytes(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise PageModelError(f"{path} cannot be read: {reason_of(error)}") from error
