"""The examples of gold data in docs/evaluate.md, written out and read."""

import json
import re
from pathlib import Path

import pytest

from webmain.evaluation import gold_pairs
from webmain.evaluation.gold import read_gold

TEXT = (Path(__file__).parents[2] / "docs" / "evaluate.md").read_text(encoding="utf-8")
SECTION = TEXT.partition("## Gold data\n")[2].partition("\n## ")[0]
JSONL, FOLDER, CLEANEVAL, WCXB = re.findall(r"```(?:json)?\n(.*?)```", SECTION, flags=re.DOTALL)
FIELDS = re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| (`.*?) \|", SECTION, flags=re.MULTILINE)))


def files(example: str) -> dict[str, str]:
    """Return the files of an example: a name at a line's start, what is in it in the column after it."""
    found: dict[str, list[str]] = {}
    indent = 0
    for line in example.splitlines():
        named = re.match(r"(\S+/\S+)( +)", line)
        if named:
            name, indent = named[1], named.end()
            found[name] = []
        found[name].append(line[indent:] if named or not line[:indent].strip() else line.strip())
    return {name: "\n".join(lines) for name, lines in found.items()}


def read(folder: Path, example: str):
    for name, content in files(example).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    gold = read_gold(folder / next(iter(files(example))).partition("/")[0])
    (page,) = gold
    return gold.sources[0][1], page


@pytest.mark.parametrize(("example", "form"), [(FOLDER, "folder"), (CLEANEVAL, "cleaneval"), (WCXB, "wcxb")])
def test_each_folder_of_the_documentation_is_one_page_of_its_format(tmp_path, example, form):
    found, page = read(tmp_path, example)
    assert found is form
    assert page.text == "The tide came in."
    assert (page.site, page.url[-2:]) == ("paper.example", "/a")
    html = page.html.decode() if isinstance(page.html, bytes) else page.html
    assert html.strip() == "<article><p>The tide came in.</article>"
    if form == "folder":
        assert (page.language, page.category) == ("en", "sea")
    if form == "wcxb":
        assert (page.dataset, page.page_type, page.wanted, page.unwanted) == (
            "wcxb_dev",
            "article",
            ("tide",),
            ("Share",),
        )


def test_the_json_line_of_the_documentation_is_a_page(tmp_path):
    (tmp_path / "x.jsonl").write_text(JSONL, encoding="utf-8")
    (page,) = read_gold(tmp_path / "x.jsonl")
    assert (page.id, page.site, page.language, page.text) == ("1", "paper.example", "en", "The tide came in.")


def test_every_field_of_the_documentation_is_read_and_every_field_read_is_there(tmp_path):
    class Record(dict):
        asked: set[str] = set()

        def get(self, name, default=None):
            self.asked.add(name)
            return super().get(name, default)

    from webmain.evaluation.gold_records import page_of_record

    page_of_record(Record(json.loads(JSONL)), dataset="x", fallback_id="1")
    page_of_record(Record({"html": "x", "text": "x"}), dataset="x", fallback_id="1")
    assert sorted(FIELDS) == sorted(Record.asked)


def test_every_field_that_may_stand_beside_a_page_is_named():
    named = SECTION.partition("may give ")[2].partition(", as above")[0]
    assert sorted(re.findall(r"`(\w+)`", named)) == sorted(gold_pairs.METADATA_FIELDS)
