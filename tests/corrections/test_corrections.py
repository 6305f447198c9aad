"""Corrections: gold pages that the evaluation reads, one a page, whatever kills the writer."""

import json
import subprocess
import sys

import pytest

from webmain.cli import main
from webmain.corrections.file import CorrectionsFile
from webmain.corrections.marking import CorrectionError, correct
from webmain.evaluation.gold import read_gold
from webmain.explain.explaining import explain_page
from webmain.extractors.base import create
from webmain.files import NotAStoreError
from webmain.items import Page, Verdict
from webmain.store.registry import open_store

PROSE = "The harbour master said on day {} that the tide would reach the upper quay before noon, and it did so at once."
HTML = (
    "<html lang=en><head><title>Tide</title></head><body><h1>Tide</h1><article class=story>"
    + "".join(f"<p>{PROSE.format(i)}</p>" for i in range(6))
    + "<p class=promo>Read all about tides in our newsletter, which comes every morning before the boats leave.</p></article>"
    "<footer><p>Harbour Times, all rights reserved.</p></footer></body></html>"
)


def explain(html=HTML, url="https://harbour.example/tide", method="learned"):
    return explain_page(Page(url=url, html=html), create(method))


def part(found, beginning):
    return next(n for n, block in enumerate(found.blocks) if block.text.startswith(beginning))


def gold(path):
    return list(read_gold(path))


def test_without_marks_the_text_is_the_extractors():
    found = explain()
    assert correct(found, content=(), boilerplate=()).text == found.article.text


def test_marked_parts_come_and_go_in_the_pages_order():
    found = explain()
    kept = [n for n, block in enumerate(found.blocks) if block.verdict is Verdict.CONTENT]
    footer = part(found, "Harbour Times")
    text = correct(found, content={footer}, boilerplate={kept[1]}).text
    wanted = [found.blocks[n].text for n in [*kept[:1], *kept[2:], footer]]
    assert text == "\n\n".join(wanted)


def test_a_correction_is_a_gold_page(tmp_path):
    found, path = explain(), tmp_path / "corrections.jsonl"
    promo = part(found, PROSE.format(5))
    correction = correct(found, content=(), boilerplate={promo}, note=" a promise ")
    assert CorrectionsFile(path).save(correction) is False
    (page,) = gold(path)
    assert (page.url, page.site, page.text, page.html) == (
        "https://harbour.example/tide",
        "harbour.example",
        correction.text,
        HTML,
    )
    assert correction.note == "a promise"
    assert PROSE.format(5) in correction.before
    assert PROSE.format(5) not in correction.text
    (mark,) = correction.marked
    assert not mark.content
    assert mark.text == PROSE.format(5)
    assert [found.document.leaves.texts[leaf] for leaf in mark.leaves] == [PROSE.format(5)]
    assert list(CorrectionsFile(path)) == [correction]


def test_the_last_correction_of_a_page_counts_and_can_be_taken_back(tmp_path):
    path = tmp_path / "corrections.jsonl"
    path.write_text(json.dumps({"html": "<p>elsewhere", "text": "elsewhere", "id": "other"}) + "\n")
    file, found, other = CorrectionsFile(path), explain(), explain(url="https://harbour.example/other")
    first, second = (correct(found, content=(), boilerplate={part(found, PROSE.format(i))}) for i in (1, 2))
    assert [file.save(each) for each in (first, correct(other, content=(), boilerplate={0}), second)] == [
        False,
        False,
        True,
    ]
    assert [each.url for each in file] == ["https://harbour.example/tide", "https://harbour.example/other"]
    assert file.get(first.id) == second
    assert len(gold(path)) == 3
    assert file.remove(first.id)
    assert not file.remove(first.id)
    assert gold(path)[0].id == "other"
    assert len(gold(path)) == 2
    assert [each.url for each in file.of_site("harbour.example")] == ["https://harbour.example/other"]


@pytest.mark.parametrize(
    "wrong", [{"made_at": "today"}, {"leaves": [-99]}, {"marked": [{"leaves": [None]}]}, {"url": 1}]
)
def test_a_damaged_correction_hides_no_other(tmp_path, wrong):
    path = tmp_path / "corrections.jsonl"
    found = correct(explain(), content=(), boilerplate={0})
    CorrectionsFile(path).save(found)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"id": "x"} | wrong) + "\n" + path.read_text())
    assert list(CorrectionsFile(path)) == [found]
    assert len(CorrectionsFile(path).pages_of("harbour.example")) == 1


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ({"content": {99}, "boilerplate": set()}, "no part 99"),
        ({"content": {1}, "boilerplate": {1}}, "part 1 is marked as content and as boilerplate"),
        ({"content": set(), "boilerplate": set(range(9))}, "no content would be left"),
    ],
)
def test_what_cannot_be_a_correction_is_refused(marks, message):
    found = explain()
    marks = {name: {n if n == 99 else n % len(found.blocks) for n in numbers} for name, numbers in marks.items()}
    with pytest.raises(CorrectionError, match=message):
        correct(found, **marks)


def test_a_torn_last_line_is_cut_off_and_something_else_is_left_alone(tmp_path):
    path, found = tmp_path / "corrections.jsonl", explain()
    correction = correct(found, content=(), boilerplate={part(found, PROSE.format(1))})
    CorrectionsFile(path).save(correction)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"id": "x", "html": "<p>')
    other = correct(explain(url="https://harbour.example/2"), content=(), boilerplate={0})
    CorrectionsFile(path).save(other)
    assert path.read_bytes().startswith(whole)
    assert list(CorrectionsFile(path)) == [correction, other]
    path.write_text("a diary\n")
    with pytest.raises(NotAStoreError):
        CorrectionsFile(path).save(correction)
    assert path.read_text() == "a diary\n"


def test_a_file_of_corrections_is_checked_and_is_no_store(tmp_path, capsys):
    path = tmp_path / "corrections.jsonl"
    CorrectionsFile(path).save(correct(explain(), content=(), boilerplate={0}))
    path.write_bytes(path.read_bytes() + b'\n{"html": "<p>elsewhere", "text": "elsewhere"}\n')
    before = path.read_bytes()
    assert main(["check", str(path)]) == 0
    assert "corrections, 2 gold pages can be read\n" in capsys.readouterr().out
    for read_only in (True, False):
        with pytest.raises(NotAStoreError, match="its first line is no article record"):
            open_store(f"jsonl:{path}", read_only=read_only)
    assert main(["export", f"jsonl:{path}", "-o", str(tmp_path / "a.csv")]) != 0
    assert path.read_bytes() == before
    path.write_bytes(before + json.dumps(json.loads(before.splitlines()[0]) | {"leaves": [-9]}).encode() + b"\n{}\n")
    capsys.readouterr()
    assert main(["check", str(path)]) == 1
    told = capsys.readouterr().out
    assert "line 4: no correction" in told
    assert "line 5: no gold page" in told
    assert "corrections, 2 gold pages can be read, 2 cannot be" in told


def test_two_processes_write_in_turn(tmp_path):
    path = tmp_path / "corrections.jsonl"
    code = (
        "import sys; sys.path.insert(0, 'tests/corrections'); import test_corrections as t\n"
        "for i in range(8):\n"
        "    found = t.explain(url=f'https://harbour.example/{sys.argv[2]}{i % 4}', method='line_block')\n"
        "    t.CorrectionsFile(sys.argv[1]).save(t.correct(found, content=(), boilerplate={0}, note=str(i)))"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in "ab"]
    assert [process.wait(100) for process in running] == [0, 0]
    found = list(CorrectionsFile(path))
    assert sorted((each.url[-2:], each.note) for each in found) == sorted(
        (f"{name}{i}", str(i + 4)) for name in "ab" for i in range(4)
    )


def test_corrections_are_not_written_into_the_page(tmp_path, capsys):
    page = tmp_path / "tide.html"
    page.write_text(HTML)
    assert main(["correct", str(page), "--corrections", str(page), "--boilerplate", "1"]) == 2
    assert "belongs to what is read" in capsys.readouterr().err
    assert page.read_text() == HTML


def test_the_command_lists_parts_marks_them_and_takes_back(tmp_path, capsys):
    page, path = tmp_path / "tide.html", tmp_path / "corrections.jsonl"
    page.write_text(HTML)
    command = ["correct", str(page), "--url", "https://harbour.example/tide", "--corrections", str(path)]
    assert main(command) == 0
    listed = capsys.readouterr().out.splitlines()
    number = next(line.split()[0] for line in listed if "day 3" in line)
    assert main(["explain", *command[1:4]]) == 0
    explained = capsys.readouterr().out.splitlines()
    assert explained[2].split()[:2] == listed[0].split()[:2] == ["part", "block"]
    assert next(line.lstrip("+? ").split()[0] for line in explained if "day 3" in line) == number
    assert main([*command, "--boilerplate", number]) == 0
    told = capsys.readouterr().out
    assert "0 changed to content, 1 to boilerplate" in told
    assert f"\nboilerplate {PROSE.format(3)[:60]}" in told
    (correction,) = CorrectionsFile(path)
    assert PROSE.format(3) not in correction.text
    assert main([*command, "--content", "999"]) == 2
    assert "no part 999" in capsys.readouterr().err
    assert main([*command, "--undo", "--boilerplate", number]) == 2
    assert "--undo removes the whole correction" in capsys.readouterr().err
    assert list(CorrectionsFile(path)) == [correction]
    assert main([*command, "--undo"]) == 0
    assert main([*command, "--undo"]) == 1
    assert list(CorrectionsFile(path)) == []


def test_the_evaluation_counts_corrections(tmp_path, capsys):
    path = tmp_path / "corrections.jsonl"
    for number in (1, 2):
        found = explain(url=f"https://harbour.example/{number}")
        CorrectionsFile(path).save(correct(found, content=(), boilerplate={part(found, PROSE.format(number))}))
    assert main(["evaluate", str(path), "--systems", "line_block", "--jobs", "0"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "corrections.jsonl: 2 pages were corrected by people, 0 parts made content and 2 boilerplate" in out
    assert "before, their mean word F1 was 0.9" in out
