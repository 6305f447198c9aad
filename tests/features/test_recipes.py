"""Recipes that pages declare: the lists are content, whatever the trees say of them."""

import json
import time

import numpy as np
import pytest

from webmain.extractors.learned import BY_RECIPE, LearnedExtractor
from webmain.features.recipes import MIN_MARGIN, effect_of_recipe
from webmain.html.blocks import default_blocks
from webmain.html.document import Document
from webmain.items import Page

INGREDIENTS = ["2 tbsp sesame paste", "1/2 cup flour", "3 cloves garlic (minced)", "salt"]
STEPS = [
    "Mix the paste with the garlic.",
    {"@type": "HowToStep", "text": "Add the flour, and stir."},
    {
        "@type": "HowToSection",
        "name": "Serving",
        "itemListElement": [{"@type": "HowToStep", "text": "Serve at once."}],
    },
]
BODY = """<h1>Noodles</h1><p>The harbour master counted the boats twice each morning, and ate noodles.</p>
<ul><li><span>2</span> <span>tbsp</span> <b>sesame paste</b></li><li>½ cup flour</li>
<li>3 cloves garlic, minced</li><li>salt</li></ul>
<ol><li>Mix the paste with the garlic.</li><li>Add the flour, and stir.</li><li>Serve at once.</li></ol>
<ul><li>Cakes</li><li>Soups</li><li>Salads</li></ul>"""


def page(data, body=BODY):
    html = (
        f'<html><head><script type="application/ld+json">{json.dumps(data)}</script></head><body>{body}</body></html>'
    )
    return Document(Page(html=html), html=html)


def effect(document, margin=-1.0):
    blocks = default_blocks(document)
    return dict(
        zip(
            texts := blocks.texts(range(len(blocks))),
            effect_of_recipe(blocks, texts, np.full(len(blocks), margin)).tolist(),
            strict=True,
        )
    )


RECIPE = {"@type": "Recipe", "recipeIngredient": INGREDIENTS, "recipeInstructions": STEPS}


@pytest.mark.parametrize("data", [RECIPE, {"@graph": [{"@type": "WebPage"}, RECIPE]}])
def test_ingredients_and_steps_that_are_declared_are_content(data):
    found = effect(page(data))
    raised = {text for text, by in found.items() if by}
    assert raised == {
        *("2 tbsp sesame paste", "½ cup flour", "3 cloves garlic, minced", "salt"),
        *("Mix the paste with the garlic.", "Add the flour, and stir.", "Serve at once."),
    }
    assert set(found.values()) == {0.0, MIN_MARGIN + 1}


@pytest.mark.parametrize("data", [{"@type": "NewsArticle"}, {"@type": "Recipe"}, {"x": '"recipeIngredient"'}])
def test_nothing_is_raised_without_a_recipe(data):
    assert not any(effect(page(data)).values())


def test_what_is_likelier_already_stays():
    assert not any(effect(page(RECIPE), margin=5.0).values())


def test_the_reason_names_the_recipe(monkeypatch):
    monkeypatch.setattr("webmain.features.recipes.MIN_MARGIN", 20.0)
    document, method = page(RECIPE), LearnedExtractor()
    judged = method.judge(method.segment(document))
    of = dict(zip(judged.segmentation.texts(range(len(judged.kept))), judged.why, strict=True))
    assert of["½ cup flour"] == BY_RECIPE
    block = list(of).index("½ cup flour")
    assert BY_RECIPE in {name for name, _, _ in method.contributions(judged.segmentation, [block])[0]}


def test_a_hostile_recipe_costs_little():
    many = {"@type": "Recipe", "recipeIngredient": ["ab" * 2_000] * 2_000, "recipeInstructions": [[[[["a"]]]]]}
    document = page(many, "".join(f"<p>{'ab' * 50}{i}</p>" for i in range(5_000)))
    start = time.process_time()
    assert not any(effect(document).values())
    assert time.process_time() - start < 5
