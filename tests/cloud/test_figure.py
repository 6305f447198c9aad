"""The Thai paper's figure, from the Thai articles of the made-up web."""

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from demo.web import Web
from tests.cloud.test_fonts import box_of, contains
from webmain.cloud import pictures
from webmain.cloud.counting import Counting
from webmain.cloud.keyness import frequent
from webmain.cloud.layout import draw
from webmain.cloud.pictures import PictureOptions

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def thai():
    counting = Counting()
    for article in Web().expected():
        if article.language == "th":
            counting.add(article.text, language="th")
    return frequent(counting.counts(), top=90)


@pytest.mark.parametrize("options", [PictureOptions(), PictureOptions(shape="lines", order="text", height=330)])
def test_the_papers_figure_is_drawn_from_thai_articles(thai, options):
    placed = list(pictures._drawn(thai, options))
    assert len(placed) == 90
    assert sum(re.fullmatch("[\u0e01-\u0e4e]+", one.word.word) is not None for one in placed) > 80
    for one in placed:
        image = Image.new("L", (options.width, options.height))
        draw(image, one.sized, one.place.x, one.place.y, one.place.size, 255)
        picture = np.asarray(image.crop(image.getbbox()))
        for run in one.sized.runs:
            assert all(map(run.face.draws, run.text)), one.word
            assert not contains(picture, box_of(run.face, round(one.place.size, 1))), one.word


def test_the_documented_pictures_are_there_and_small():
    text = (ROOT / "docs/cloud.md").read_text("utf-8")
    for name in re.findall(r"\]\((pictures/[^)]+)\)", text):
        assert (ROOT / "docs" / name).stat().st_size < 150_000
        assert f"-o docs/{name}" in text, "the command that made it"
