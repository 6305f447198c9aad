"""The amount of prose in a string, in every script."""

import pytest

from webmain.text.prose_amount import prose_chars


@pytest.mark.parametrize(
    "sentence",
    [
        "The bridge of the old harbour is open again.",
        "ድልድዩ ዛሬ ጠዋት እንደገና መከፈቱን ማዘጋጃ ቤቱ አስታወቀ።",
        "Կամուրջը այսօր առավոտյան կրկին բացվել է։",
        "پل آج صبح دوبارہ کھول دیا گیا ہے، بلدیہ نے بتایا۔",
        "हमारे शहर का पुल आज सुबह फिर खुला।",
    ],
)
def test_sentences_are_prose_and_words_alone_a_third_of_it(sentence: str) -> None:
    whole, words = " ".join([sentence] * 20), " ".join([sentence[:-1]] * 20)
    assert prose_chars(whole) == len(whole)
    assert prose_chars(words) == len(words) / 3
