"""Two texts compared by words."""

import pytest

from webmain.evaluation.differences import MOST_CHARACTERS, difference


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


def test_the_end_of_a_long_text_is_no_difference_because_the_other_was_cut_elsewhere() -> None:
    common = "".join(f"Boat {number} left the harbour. " for number in range(MOST_CHARACTERS // 20))
    added = "Nobody had written this. "
    for gold, predicted in ((common, added + common), (added + common, common)):
        found = difference(gold, predicted)
        differing = [span.text for span in (*found.gold, *found.predicted) if span.differs]
        assert differing == [added]
        for text, runs, cut in ((gold, found.gold, found.gold_cut), (predicted, found.predicted, found.predicted_cut)):
            assert text.startswith("".join(span.text for span in runs))
            assert sum(len(span.text) for span in runs) + cut == len(text) > MOST_CHARACTERS
