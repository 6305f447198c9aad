"""The ingredients and the steps that a page declares for its recipe are content: the trees have seen no such lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from webmain.features.block_columns import are_in
from webmain.html.document import view
from webmain.metadata.declared import json_ld, own_data
from webmain.metadata.head import letters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from webmain.html.blocks import Segmentation
    from webmain.html.document import Document

MIN_MARGIN: Final = 2.0
"""Least log-odds of a block of a recipe."""

MIN_LETTERS: Final = 4
MAX_STRINGS: Final = 500
MIN_SHARE: Final = 0.5
"""If at least this share of the blocks in one element is declared, all are the recipe: amounts are often shown otherwise."""


def effect_of_recipe(
    segmentation: Segmentation, texts: Sequence[str], margin: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what is added to the log-odds of blocks because the page declares them a recipe: 0 or more.

    Parameters
    ----------
    segmentation : Segmentation
    texts : sequence of str
        The blocks' texts.
    margin : (n_blocks,) float64
        Log-odds of being content.
    """
    said = _recipe(segmentation.document)
    if not said:
        return np.zeros(len(margin))
    folded = list(map(letters, texts))
    declared = np.array(
        [len(t) >= MIN_LETTERS and found for t, found in zip(folded, are_in(said, folded), strict=True)]
    )
    parent = segmentation.document.elements.parents[np.maximum(segmentation.element, 0)]
    _, group = np.unique(parent, return_inverse=True)
    share = np.bincount(group, declared) / np.bincount(group)
    is_recipe = declared | (share >= MIN_SHARE)[group]
    return np.where(is_recipe, np.maximum(MIN_MARGIN - margin, 0.0), 0.0)


@view
def _recipe(document: Document) -> str:
    """Return the letters of the ingredients and steps of a page's recipe, one line each; "" without one."""
    if '"recipeIngredient"' not in own_data(document):
        return ""
    recipes = (node.value for node in json_ld(document).nodes if "recipe" in node.types)
    found = (text for recipe in recipes for key in _KEYS for text in _strings(recipe.get(key), 0))
    return "\n".join(letters(text) for text, _ in zip(found, range(MAX_STRINGS), strict=False))


_KEYS: Final = ("recipeIngredient", "recipeInstructions")
_MAX_DEPTH: Final = 4


def _strings(value: Any, depth: int) -> Iterator[str]:
    """Yield the strings of a list of ingredients, of steps, or of sections of steps."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < _MAX_DEPTH:
        for item in value:
            yield from _strings(item, depth + 1)
    elif isinstance(value, dict) and depth < _MAX_DEPTH:
        for key in ("name", "text", "itemListElement"):
            yield from _strings(value.get(key), depth + 1)
