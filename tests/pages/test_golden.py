"""Golden pages: a folder each, with the page and the text that methods give for it.

After a change that is meant, write the expected texts anew with `python tests/pages/test_golden.py` and read the difference.
"""

import json
import pathlib

import pytest

import webmain

HERE = pathlib.Path(__file__).parent
URL = "https://www.example.com/news/story"
METHODS = ("line_block", "lbda", "pab", "eniw", "thai_xpath", "learned")
CASES = sorted(folder.name for folder in HERE.iterdir() if (folder / "input.html").exists())


def texts(case: str) -> dict[str, list[str]]:
    """Return the kinds and lines of what each method gives for a page."""
    page = (HERE / case / "input.html").read_bytes()
    found = {}
    for method in METHODS:
        try:
            blocks = webmain.extract(page, url=URL, extractor=method, parts="text").blocks
        except webmain.Rejected as rejected:
            found[method] = [f"rejected: {rejected.reason.value}"]
        else:
            found[method] = [f"{block.kind.value}: {block.text}" for block in blocks]
    return found


def as_markdown(case: str) -> str:
    """Return what the default method gives for a page, as Markdown."""
    return webmain.extract((HERE / case / "input.html").read_bytes(), url=URL).to_markdown()


@pytest.mark.parametrize("case", [case for case in CASES if (HERE / case / "expected.md").exists()])
def test_golden_markdown(case):
    assert as_markdown(case) == (HERE / case / "expected.md").read_text("utf-8")


def test_there_are_golden_pages():
    assert len(CASES) >= 6


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", CASES)
def test_golden_page(case, method):
    expected = json.loads((HERE / case / "expected.json").read_text("utf-8"))
    assert texts(case)[method] == expected[method]


if __name__ == "__main__":
    for name in CASES:
        body = json.dumps(texts(name), ensure_ascii=False, indent=1)
        (HERE / name / "expected.json").write_text(body + "\n", "utf-8")
        if (HERE / name / "expected.md").exists():
            (HERE / name / "expected.md").write_text(as_markdown(name), "utf-8")
