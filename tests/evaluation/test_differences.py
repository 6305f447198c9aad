"""Two texts compared by words."""

import pytest

from webmain.evaluation.differences import difference


@pytest.mark.parametrize(
    ("gold", "predicted", "only_gold"),
    [
        ("One. Two. Three four.", "X. Two.", ["One", "Three four."]),
        ("Every boat left.\n\nNobody wrote this.", "Every boat and ship left.", ["Nobody wrote this."]),
        ("The old harbour was quiet.", "The harbour was very quiet.", ["old "]),
    ],
)
def test_what_differs_begins_where_a_sentence_does(gold: str, predicted: str, only_gold: list[str]) -> None:
    found = difference(gold, predicted)
    assert [span.text for span in found.gold if span.differs] == only_gold
    assert "".join(span.text for span in found.gold) == gold
    assert "".join(span.text for span in found.predicted) == predicted
