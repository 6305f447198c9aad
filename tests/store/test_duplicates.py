from __future__ import annotations

from webmain.store.duplicates import ExactDuplicates


def test_exact_duplicates_name_the_first_and_never_oneself() -> None:
    exact = ExactDuplicates([("a", "f1"), ("b", "f2")])
    assert exact.add("c", "f1") == "a"
    assert exact.add("a", "f1") is None
    assert exact.add("c", "f3") is None
    assert exact.add("d", "f3") == "c"
    assert exact.add("e", "") is None
    assert exact.add("f", "") is None


def test_text_that_an_article_has_no_more_is_free() -> None:
    exact = ExactDuplicates([("a", "f1")])
    assert exact.add("a", "f2") is None
    assert exact.add("b", "f1") is None
    assert exact.add("c", "f2") == "a"
