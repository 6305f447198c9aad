"""What people said of a few pages is right on the site's other pages, once the site is learned with it."""

import json

import pytest

from webmain.cli import main
from webmain.corrections.file import CorrectionsFile
from webmain.corrections.marking import correct
from webmain.explain.explaining import explain_page
from webmain.extraction import extract_page, read
from webmain.extractors.base import SiteExtractor, create
from webmain.items import Page, Verdict
from webmain.sites.fitting import LearningTask
from webmain.sites.model_store import ModelStore

STORY = (
    "The harbour master said on day {} of month {} that the tide would reach the upper quay before noon, and it did so.",
    "Nobody on the quay could remember a year {1} in which the water had come as early as on that morning, day {0}.",
    "The boats left at {0} minutes past {1}, one after the other, and came back in the evening with full nets.",
)
PROMO = (
    "Readers who like stories such as number {} find {} more of them every morning in the letter that we send to them."
)
NOTE = "Correction {}{}"


def page(number, *, promo=True):
    story = "".join(f"<p>{text.format(number, number + 3)}</p>" for text in STORY)
    extra = f'<p class="invitation">{PROMO.format(number, number + 7)}</p>' if promo else ""
    return Page(
        url=f"https://harbour.example/news/{number}.html",
        html=f'<html lang=en><head><title>Tide number {number}</title></head><body><div class="page"><h1>Tide number {number}'
        f'</h1><div class="story">{story}{extra}</div><div class="side"><p class="fix">'
        f"{NOTE.format(number, number)}</p></div></div></body></html>",
    )


def explained(number, method="learned"):
    return explain_page(page(number), create(method))


def corrected(number, *, method="learned"):
    found = explained(number, method)
    parts = {block.text: n for n, block in enumerate(found.blocks)}
    return correct(
        found,
        content={parts[NOTE.format(number, number)]},
        boilerplate={parts[PROMO.format(number, number + 7)]},
    )


def test_without_corrections_the_pages_are_judged_otherwise():
    kept = {block.text for block in explained(1).blocks if block.verdict is Verdict.CONTENT}
    assert PROMO.format(1, 8) in kept
    assert NOTE.format(1, 1) not in kept


@pytest.mark.parametrize("n_corrected", [1, 2])
def test_a_site_is_judged_as_people_said(tmp_path, n_corrected):
    file = CorrectionsFile(tmp_path / "corrections.jsonl")
    for number in range(n_corrected):
        file.save(corrected(number))
    lesson = LearningTask(
        site="harbour.example",
        extractor=create("learned"),
        known=None,
        pages=[page(number) for number in range(10, 16)],
        models=ModelStore(tmp_path / "models"),
        corrected=file.pages_of("harbour.example"),
    )
    fitted = lesson.run(read).fitted
    again = ModelStore(tmp_path / "models").load(create("learned"), "harbour.example")
    for number in range(20, 24):
        text = extract_page(page(number), fitted).text
        assert PROMO.format(number, number + 7) not in text
        assert text.endswith(NOTE.format(number, number))
        assert all(story.format(number, number + 3) in text for story in STORY)
        assert extract_page(page(number), again).text == text
    why = {block.text: block.why for block in explain_page(page(30), fitted).blocks}
    assert why[PROMO.format(30, 37)] == "marked as boilerplate by a person"
    assert why[NOTE.format(30, 30)] == "marked as content by a person"


def test_the_svm_learns_from_them_too(tmp_path):
    def described(number):
        given = page(number)
        meta = f'<meta name="description" content="{STORY[0].format(number, number + 3)}"></head>'
        return Page(url=given.url, html=given.html.replace("</head>", meta))

    svm = create("svm")
    assert isinstance(svm, SiteExtractor)
    before = svm.fit([read(described(number)) for number in range(10, 18)])
    assert PROMO.format(20, 27) in extract_page(described(20), before).text
    found = explain_page(described(1), before)
    parts = {block.text: n for n, block in enumerate(found.blocks)}
    file = CorrectionsFile(tmp_path / "corrections.jsonl")
    file.save(
        correct(found, content={parts[NOTE.format(1, 1)]}, boilerplate={parts[PROMO.format(1, 8)]}),
    )
    lesson = LearningTask(
        site="harbour.example",
        extractor=svm,
        known=None,
        pages=[described(number) for number in range(10, 18)],
        models=ModelStore(tmp_path / "models"),
        corrected=file.pages_of("harbour.example"),
    )
    text = extract_page(described(20), lesson.run(read).fitted).text
    assert PROMO.format(20, 27) not in text
    assert NOTE.format(20, 20) in text
    assert all(story.format(20, 23) in text for story in STORY)


def test_where_a_place_holds_both_the_text_alone_is_told_by(tmp_path):
    def plain(number):
        given = page(number)
        return Page(
            url=given.url,
            html=given.html.replace(' class="invitation"', "").replace(PROMO.format(number, number + 7), PROMO),
        )

    found = explain_page(plain(0), create("learned"))
    parts = {block.text: n for n, block in enumerate(found.blocks)}
    file = CorrectionsFile(tmp_path / "corrections.jsonl")
    file.save(correct(found, content=(), boilerplate={parts[PROMO]}))
    lesson = LearningTask(
        site="harbour.example",
        extractor=create("learned"),
        known=None,
        pages=[plain(number) for number in range(10, 13)],
        models=ModelStore(tmp_path / "models"),
        corrected=file.pages_of("harbour.example"),
    )
    text = extract_page(plain(20), lesson.run(read).fitted).text
    assert PROMO not in text
    assert all(story.format(20, 23) in text for story in STORY)


def test_the_command_learns_from_corrections(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(10, 15):
        (folder / f"{number}.html").write_text(page(number).html)
    CorrectionsFile("corrections.jsonl").save(corrected(1))
    command = ["learn", str(folder), "--site", "harbour.example", "--models", "models"]
    assert main([*command, "--corrections", "correction.jsonl"]) == 3
    assert "correction.jsonl: no such file" in capsys.readouterr().err
    assert main([*command, "--corrections", "corrections.jsonl"]) == 0
    assert "5 pages and 1 corrected" in capsys.readouterr().out
    (tmp_path / "new.html").write_text(page(20).html)
    assert main(["extract", "new.html", "--url", page(20).url, "--models", "models", "-f", "json"]) == 0
    text = json.loads(capsys.readouterr().out)["text"]
    assert PROMO.format(20, 27) not in text
    assert NOTE.format(20, 20) in text


def test_a_model_of_an_earlier_version_is_still_read():
    from webmain.extractors.site_model import SiteModel

    plain = SiteModel(4, 1.0, True, True, (-1, 0), ("", "div"), (0.0, 1.0), (), ()).to_plain()
    for name in ("settled", "settled_texts", "text_signs"):
        del plain[name]
    assert SiteModel.from_plain(plain).signs is not None
    with pytest.raises(ValueError, match="settled"):
        SiteModel.from_plain({**plain, "settled": [1]})
