import re
import time

from hypothesis import given
from hypothesis import strategies as st

from webmain.extractors.line_block import count_keywords


@given(
    st.lists(st.text(alphabet="ab_é1 .\n", max_size=30), max_size=6),
    st.frozensets(st.text(alphabet="abé1", min_size=1, max_size=3), max_size=4),
)
def test_keywords_are_counted_as_whole_words_of_each_text(texts: list[str], keywords: frozenset[str]) -> None:
    expected = [sum(word in keywords for word in re.findall(r"\w+", text.casefold())) for text in texts]
    assert count_keywords(texts, keywords) == expected


def test_nested_keywords_cost_linear_time() -> None:
    keywords = frozenset("a" * n for n in range(2, 42))
    start = time.process_time()
    assert count_keywords(["a" * 2_000_000], keywords) == [0]
    assert time.process_time() - start < 2
