import io
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from tests.cloud.clouds import WORDS, cloud
from webmain.cloud import pictures
from webmain.cloud.layout import draw
from webmain.cloud.markup import schemes
from webmain.cloud.pictures import PictureOptions, Shape, cloud_png, cloud_svg
from webmain.cloud.records import Cloud

SVG = "{http://www.w3.org/2000/svg}"
MIXED = cloud(*WORDS)
LONG = cloud("en", words="a" * 60 + " " + "ก" * 60 + " short")


@pytest.mark.parametrize("shape", Shape)
@pytest.mark.parametrize(("width", "height"), [(900, 500), (300, 700), (1600, 200)])
@pytest.mark.parametrize("drawn", [cloud("th"), cloud("ar"), MIXED, LONG, cloud("en", words="alone")])
def test_words_are_whole_and_touch_no_other(shape, width, height, drawn):
    options = PictureOptions(width=width, height=height, shape=shape)
    ink = np.zeros((options.height + 200, options.width + 200), int)
    placed = list(pictures._drawn(drawn, options))
    for one in placed:
        image = Image.new("L", (options.width + 200, options.height + 200))
        draw(image, one.sized, one.place.x + 100, one.place.y + 100, one.place.size, 255)
        ink += np.asarray(image) > 60
    assert ink.max() == 1, "two words touch"
    assert not ink[:100].any()
    assert not ink[:, :100].any()
    assert not ink[options.height + 100 :].any()
    assert not ink[:, options.width + 100 :].any()
    assert len(placed) == len(drawn.words) or options.height == 200


def test_a_picture_is_well_filled():
    image = np.asarray(Image.open(io.BytesIO(cloud_png(MIXED))).convert("L")) < 250
    rows, columns = np.nonzero(image)
    assert np.ptp(rows) > 0.8 * 500
    assert np.ptp(columns) > 0.8 * 900
    assert image.mean() > 0.1


def test_the_same_cloud_gives_the_same_bytes():
    assert cloud_png(cloud("th")) == cloud_png(cloud("th"))
    assert cloud_svg(cloud("ar")) == cloud_svg(cloud("ar"))


def test_a_greater_weight_is_a_larger_word():
    sizes = [one.place.size for one in pictures._drawn(cloud("en"), PictureOptions())]
    assert sizes == sorted(sizes, reverse=True)


def test_an_empty_cloud_is_an_empty_picture():
    image = Image.open(io.BytesIO(cloud_png(Cloud(words=()), PictureOptions(width=60, height=50))))
    assert image.size == (60, 50)
    assert image.convert("RGB").getcolors() == [(3_000, (255, 255, 255))]


def test_rows_of_right_to_left_words_begin_at_the_right():
    placed = list(pictures._drawn(cloud("ar"), PictureOptions(shape=Shape.LINES, height=100)))
    same_row = [one.place.x for one in placed if one.place.y == placed[0].place.y]
    assert len(same_row) > 1
    assert same_row == sorted(same_row, reverse=True)


def test_words_in_rows_are_in_the_order_asked_for():
    placed = list(pictures._drawn(cloud("zh"), PictureOptions(shape=Shape.LINES, order="text")))
    assert [one.word.word for one in placed] == WORDS["zh"].split()[::-1]


def test_svg_has_real_text_with_language_and_direction():
    root = ElementTree.fromstring(cloud_svg(cloud("th", "ar")))
    texts = {text.text: text for text in root.iter(f"{SVG}text")}
    assert set(texts) == {*WORDS["th"].split(), *WORDS["ar"].split()}
    arabic, thai = texts["الحكومة"], texts["น้ำท่วม"]
    assert arabic.get("direction") == "rtl"
    assert arabic.get("{http://www.w3.org/XML/1998/namespace}lang") == "ar"
    assert thai.get("direction") is None
    assert float(thai.get("textLength")) > 0


def test_svg_escapes_words_and_titles():
    hostile = cloud("en", words="</text><script>alert(1)</script> &amp; \"x' a\x00b\x1b a\u202eb")
    root = ElementTree.fromstring(cloud_svg(hostile))
    assert {element.tag for element in root.iter()} == {f"{SVG}{tag}" for tag in ("svg", "title", "rect", "text")}
    assert root.find(f"{SVG}title").text == "A <title> & more"


def luminance(colour):
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("name", schemes())
def test_colours_can_be_read_on_their_ground(name):
    scheme = schemes()[name]
    for colour in scheme.words:
        dark, light = sorted((luminance(colour), luminance(scheme.ground)))
        assert (light + 0.05) / (dark + 0.05) >= 4.5, colour
