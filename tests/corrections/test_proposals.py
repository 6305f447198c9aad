"""Rules proposed from corrections: they match what was marked and nothing else, and are shown before they are written."""

import pytest

from webmain.cli import main
from webmain.corrections.file import CorrectionsFile
from webmain.corrections.marking import correct
from webmain.corrections.proposals import Proposal, accept, changes, propose
from webmain.explain.explaining import explain_page
from webmain.extractors.base import create
from webmain.items import Page, Verdict
from webmain.sites.rules import SitesError, read_sites

PROSE = "The harbour master said on day {} that the tide would reach the upper quay before noon, and it did so at once."
PROMO = "Readers who like stories such as number {} find more of them every morning in the letter that we send to them."


def page(number, names="invitation css-1x9k2p", around="story"):
    story = "".join(f"<p>{PROSE.format(number * 10 + i)}</p>" for i in range(5))
    return Page(
        url=f"https://harbour.example/news/{number}.html",
        html=f"<html lang=en><head><title>Tide {number}</title></head><body><h1>Tide {number}</h1><div class={around}>{story}"
        f'<p class="{names}">{PROMO.format(number)}</p></div><div class=note><p>Fix of day {number}</p></div></body></html>',
    )


def corrected(given, *, content=(), boilerplate=()):
    found = explain_page(given, create("learned"))
    parts = {block.text: n for n, block in enumerate(found.blocks)}
    return correct(found, content={parts[t] for t in content}, boilerplate={parts[t] for t in boilerplate})


def test_a_stable_class_of_what_was_marked_is_proposed():
    (one,) = propose([corrected(page(n), boilerplate=[PROMO.format(n)]) for n in (1, 2)])
    assert one == Proposal("harbour.example", "remove", ".invitation", 2, 2)


def test_a_selector_that_would_match_content_is_not_proposed():
    assert propose([corrected(page(1, names="css-1x9k2p"), boilerplate=[PROMO.format(1)])]) == []
    kept_elsewhere = corrected(page(2), content=[], boilerplate=[PROSE.format(20)])
    assert propose([corrected(page(1), boilerplate=[PROMO.format(1)]), kept_elsewhere]) == []


def test_what_was_marked_as_content_is_proposed_to_be_kept():
    found = propose([corrected(page(1), content=["Fix of day 1"])])
    assert [(one.key, one.css) for one in found] == [("keep", ".note")]


def test_what_it_would_change_is_shown_on_other_pages():
    (one,) = propose([corrected(page(1), boilerplate=[PROMO.format(1)])])
    others = [page(5), page(6), Page(url="https://harbour.example/x", html="<p>  ")]
    found = list(changes(one, others, create("learned")))
    assert [(each.url, each.lost, each.gained) for each in found] == [
        (page(n).url, (PROMO.format(n),), ()) for n in (5, 6)
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, '["harbour.example"]\nremove = [".invitation"]\n'),
        ("\ufeff", '["harbour.example"]\nremove = [".invitation"]\n'),
        ("", '["harbour.example"]\nremove = [".invitation"]\n'),
        (
            '# ours\n["harbour.example"]  # the port\ndelay = 3\n\n["other.example"]\ndelay = 1\n',
            '# ours\n["harbour.example"]  # the port\ndelay = 3\nremove = [".invitation"]\n\n["other.example"]\ndelay = 1\n',
        ),
        (
            '["www.harbour.example"]\nremove = [\n  ".a",  # a reason\n]\n',
            '["www.harbour.example"]\nremove = [\n  ".a",  # a reason\n  ".invitation",\n]\n',
        ),
        ('["harbour.example"]\nremove = ".a"\n', '["harbour.example"]\nremove = [".a", ".invitation"]\n'),
        ("[harbour.example]\ndelay = 3\n", '[harbour.example]\ndelay = 3\nremove = [".invitation"]\n'),
        ("harbour.example.delay = 3\n", 'harbour.example.delay = 3\nharbour.example.remove = [".invitation"]\n'),
        (
            "[harbour.example]\ndelay = 3\n[other.example]\ndelay = 1\n[harbour.b]\ndelay = 2\n",
            '[harbour.example]\ndelay = 3\nremove = [".invitation"]\n[other.example]\ndelay = 1\n[harbour.b]\ndelay = 2\n',
        ),
        ("[www.harbour]\nexample.delay = 3\n", '[www.harbour]\nexample.delay = 3\nexample.remove = [".invitation"]\n'),
        ('["harbour.example"]\nremove = ".invitation"\n', '["harbour.example"]\nremove = ".invitation"\n'),
    ],
)
def test_an_accepted_rule_is_written_and_the_rest_stays(tmp_path, before, after):
    path = tmp_path / "sites.toml"
    if before is not None:
        path.write_text(before)
    accept(Proposal("harbour.example", "remove", ".invitation", 1, 1), path)
    assert path.read_text() == after
    assert read_sites(path).of("https://harbour.example/a").remove[-1] == ".invitation"
    if before and before != after:
        assert path.with_name("sites.toml.bak").read_text() == before


def test_a_file_that_cannot_be_used_is_left_as_it_is(tmp_path):
    path = tmp_path / "sites.toml"
    path.write_text("[harbour.example\n")
    with pytest.raises(SitesError):
        accept(Proposal("harbour.example", "remove", ".a", 1, 1), path)
    assert path.read_text() == "[harbour.example\n"


def test_a_table_to_which_nothing_can_be_added_is_told_and_left(tmp_path, monkeypatch):
    path = tmp_path / "sites.toml"
    path.write_text("[harbour.example]\ndelay = 3\n")
    monkeypatch.setattr("webmain.corrections.proposals._table_of", lambda *_: None)
    with pytest.raises(
        SitesError, match=r'sites\.toml: the rule cannot be added .*; begin it with \["harbour.example"\]'
    ):
        accept(Proposal("harbour.example", "remove", ".a", 1, 1), path)
    assert path.read_text() == "[harbour.example]\ndelay = 3\n"


def test_the_command_proposes_shows_and_accepts(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    CorrectionsFile("c.jsonl").save(corrected(page(1), boilerplate=[PROMO.format(1)]))
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "5.html").write_text(page(5).html)
    command = ["rules", "harbour.example", "--corrections", "c.jsonl", "--pages", str(folder)]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "1. remove .invitation" in out
    assert f"- {PROMO.format(5)}" in out
    assert main([*command, "--accept", "1", "--sites", "sites.toml"]) == 0
    assert read_sites("sites.toml").of("https://harbour.example/").remove == (".invitation",)
    assert main([*command, "--accept", "9", "--sites", "sites.toml"]) == 2
    assert main(["rules", "nowhere.example", "--corrections", "c.jsonl"]) == 3
    capsys.readouterr()
    assert main([*command[:-1], "missing/"]) == 3
    assert "missing/: no such file or folder" in capsys.readouterr().err
    monkeypatch.setattr("webmain.corrections.proposals.propose", lambda _corrections: [])
    assert main([*command, "--accept", "1"]) == 2
    told = capsys.readouterr()
    assert told.out.endswith("on 1 corrected page\n")
    assert "--accept: got 1, number of proposals: 0" in told.err
    found = explain_page(page(7), create("learned"))
    assert any(block.text == PROMO.format(7) and block.verdict is Verdict.CONTENT for block in found.blocks)
