"""`webmain learn`, `models`, `forget`, and extraction with what was learned, as a user runs them."""

import json
from pathlib import Path

import pytest

import webmain
from tests.crawl.forking import environment
from webmain import cli
from webmain.archive.recording import WarcWriter
from webmain.cli import exits
from webmain.items import Page
from webmain.sites.held_pages import HeldPagesError, Spool
from webmain.sites.model_file import DamagedModelError
from webmain.sites.model_store import ModelStore

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "tests" / "crawl" / "sample"
PLACES = "sample_learner:Places"
MENU = "The whole menu of this site, with a long line that stands on every single page"


def page(site, n):
    story = "".join(
        f"<p class=text>On day {n}.{i} the harbour master of {site} counted {n * 7 + i} boats before the tide came in.</p>"
        for i in range(4)
    )
    return f"<html><head><title>Story {n}</title></head><body><ul><li>{MENU}</li></ul><div>{story}</div></body></html>"


def write(path, sites, n_pages=6):
    with WarcWriter(path) as writer:
        for n in range(n_pages):
            for site in sites:
                writer.write(f"https://www.{site}/{n}", 200, {"Content-Type": "text/html"}, page(site, n).encode())
    return str(path)


@pytest.fixture
def archive(tmp_path):
    return write(tmp_path / "pages.warc.gz", ["one.example", "two.example"])


@pytest.fixture(autouse=True)
def places(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(SAMPLE))
    monkeypatch.chdir(tmp_path)


def run(*args):
    return cli.main(list(map(str, args)))


def test_every_site_of_an_archive_is_learned(archive, capsys, tmp_path):
    assert run("learn", archive, "-e", PLACES) == exits.OK
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["one.example", "two.example"]
    assert all("6 pages, quality 1.000" in line and "models/sites/" in line for line in lines)
    (model, _) = ModelStore(tmp_path / "models" / "sites").models().models
    assert (model.site, model.n_pages) == ("one.example", 6)
    assert model.first_page is not None
    assert sorted(p.name for p in (tmp_path / "models" / "sites").iterdir()) == [
        "one.example.places.json",
        "two.example.places.json",
    ]


def test_one_site_of_an_archive_can_be_asked_for(archive, capsys):
    assert run("learn", archive, "-e", PLACES, "--site", "https://two.example/x", "--models", "m") == exits.OK
    assert [m.site for m in ModelStore("m").models().models] == ["two.example"]
    assert run("learn", archive, "-e", PLACES, "--site", "three.example", "--models", "m") == exits.NOT_FOUND
    assert "no readable page of three.example" in capsys.readouterr().err


def test_the_number_of_pages_is_bounded(archive, capsys):
    assert run("learn", archive, "-e", PLACES, "--max-pages", 4) == exits.OK
    assert "one.example: 4 pages, quality" in capsys.readouterr().out


def test_fewer_pages_than_the_method_wants_are_told(archive, capsys):
    assert run("learn", archive, "-e", f"{PLACES}:min_pages=7") == exits.REJECTED
    assert "nothing learned: places wants 7 pages, there are 6" in capsys.readouterr().err
    assert not Path("models").exists()


def test_nothing_learned_of_one_site_leaves_the_other(tmp_path, capsys):
    path = write(tmp_path / "pages.warc.gz", ["one.example", "unlearnable.example"])
    assert run("learn", path, "-e", PLACES) == exits.REJECTED
    out, err = capsys.readouterr()
    assert out.startswith("one.example: ")
    assert "unlearnable.example: 6 pages, nothing learned: the pages hold no evidence" in err


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("/no/such/file.warc.gz", "-e", PLACES), exits.NOT_FOUND, "no such file"),
        (("nothing/*.html", "-e", PLACES), exits.NOT_FOUND, "nothing matches it"),
        (("no site", "-e", PLACES), exits.NOT_FOUND, "nor a domain or web address"),
        (("one.example", "-e", "pab"), exits.USAGE, "pab does not learn from a site's pages"),
    ],
)
def test_what_cannot_be_learned_from_is_told(args, code, told, capsys):
    assert run("learn", *args) == code
    assert told in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_told(archive, capsys):
    assert run("learn", archive, "-e", PLACES, "--models", "/dev/null/m") == exits.UNWRITTEN
    assert "/dev/null/m" in capsys.readouterr().err


def test_a_full_disk_for_the_pages_is_told(archive, capsys, monkeypatch):
    def refuse(*_):
        raise HeldPagesError("the folder: no space left")

    monkeypatch.setattr(Spool, "put", refuse)
    assert cli.main(["learn", archive]) == exits.UNWRITTEN
    assert capsys.readouterr().err == "webmain: the folder: no space left\n"


def test_models_are_listed_and_forgotten(archive, capsys):
    assert run("models") == exits.OK
    assert "no models; `webmain learn" in capsys.readouterr().err
    run("learn", archive, "-e", PLACES)
    capsys.readouterr()
    assert run("models") == exits.OK
    rows = capsys.readouterr().out.splitlines()
    assert [row.split()[:3] for row in rows[1:]] == [["one.example", "places", "6"], ["two.example", "places", "6"]]
    assert run("models", "-f", "json") == exits.OK
    assert json.loads(capsys.readouterr().out)[0]["options"] == {"long": 60}
    assert run("forget", "https://www.one.example/a", "-e", "svm") == exits.REJECTED
    capsys.readouterr()
    assert run("forget", "https://www.one.example/a", "-e", "svmx") == exits.USAGE
    assert "got 'svmx', allowed are lbda, learned, places, svm" in capsys.readouterr().err
    assert run("forget", "https://www.one.example/a", "-e", "places") == exits.OK
    assert run("forget", "one.example") == exits.REJECTED
    assert run("forget", "one.example", "-e", PLACES) == exits.REJECTED
    assert [m.site for m in ModelStore("models/sites").models().models] == ["two.example"]


def test_a_folder_from_which_nothing_can_be_removed_is_told_in_one_line(archive, capsys, monkeypatch):
    run("learn", archive, "-e", PLACES)
    capsys.readouterr()

    def refuse(*_args, **_options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    assert run("forget", "one.example") == exits.UNWRITTEN
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == ["webmain: models/sites/one.example.places.json: Permission denied"]


def folder_of_pages(folder, n_pages=6):
    folder.mkdir()
    for n in range(n_pages):
        (folder / f"{n}.html").write_text(page("one.example", n))
    return folder


def test_pages_without_a_web_address_are_counted_and_told_how_to_be_learned(tmp_path, capsys):
    folder = folder_of_pages(tmp_path / "pages")
    assert run("learn", folder, "-e", PLACES) == exits.NOT_FOUND
    assert capsys.readouterr().err.splitlines() == [
        f"webmain: {folder}: 6 pages have no web address; give their site with --site DOMAIN"
    ]
    assert not Path("models").exists()


def test_pages_without_a_web_address_are_of_the_site_that_is_named(tmp_path, capsys):
    folder = folder_of_pages(tmp_path / "pages")
    other = page("two.example", 9).replace("<head>", '<head><link rel="canonical" href="https://two.example/9">')
    (folder / "9.html").write_text(other)
    assert run("learn", folder, "-e", PLACES, "--site", "www.one.example") == exits.OK
    out, err = capsys.readouterr()
    assert out.startswith("one.example: 6 pages, quality 1.000")
    assert err == ""
    assert [m.site for m in ModelStore("models/sites").models().models] == ["one.example"]


def test_the_default_method_learns_and_is_used_where_nothing_is_said(archive, capsys):
    assert run("learn", archive) == exits.OK
    assert sorted(path.name for path in Path("models/sites").glob("*.json")) == [
        "one.example.learned.json",
        "two.example.learned.json",
    ]
    capsys.readouterr()
    assert run("extract", archive, "-f", "json", "--jobs", 1) == exits.OK
    assert run("extract", archive, "-f", "json", "--jobs", 0) == exits.OK
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 24
    assert lines[:12] == lines[12:]


def test_a_damaged_model_is_listed_as_such(archive, capsys):
    run("learn", archive, "-e", PLACES)
    Path("models/sites/one.example.places.json").write_text("{")
    assert run("models") == exits.REJECTED
    out, err = capsys.readouterr()
    assert "two.example" in out
    assert "one.example.places.json" in err


def test_extraction_uses_the_model_of_the_pages_site(archive, tmp_path, capsys):
    run("learn", archive, "-e", PLACES, "--site", "one.example")
    (tmp_path / "new.html").write_text(page("one.example", 77))
    capsys.readouterr()
    assert run("extract", "new.html", "-e", PLACES, "--url", "https://one.example/77") == exits.OK
    out, err = capsys.readouterr()
    assert out.startswith("On day 77.0 the harbour master")
    assert MENU not in out
    assert err == ""
    assert run("explain", "new.html", "-e", PLACES, "--url", "https://one.example/77") == exits.OK
    assert "5 blocks, 4 kept" in capsys.readouterr().out
    assert run("extract", "new.html", "-e", PLACES, "--url", "https://two.example/77") == exits.REJECTED
    assert "two.example: places has learned nothing of it in models/sites" in capsys.readouterr().err


def test_a_damaged_model_is_told_and_left_aside_by_extraction(archive, tmp_path, capsys):
    run("learn", archive, "-e", PLACES)
    path = Path("models/sites/one.example.places.json")
    path.write_bytes(path.read_bytes()[:-9])
    (tmp_path / "new.html").write_text(page("one.example", 77))
    assert run("extract", "new.html", "-e", PLACES, "--url", "https://one.example/77") == exits.REJECTED
    assert "judged without it" in capsys.readouterr().err


def test_the_library_uses_models_only_when_asked(archive):
    run("learn", archive, "-e", PLACES)
    html, url = page("one.example", 77), "https://one.example/77"
    article = webmain.extract(html, url=url, extractor=PLACES, models="models/sites")
    assert (article.extractor, article.text.count("harbour master")) == ("places", 4)
    with pytest.raises(webmain.Rejected):
        webmain.extract(html, url=url, extractor=PLACES)
    one = [Page(url=url, html=html)]
    assert [a.text for a in webmain.extract_site(one, extractor=PLACES, models="models/sites")] == [article.text]
    assert [a.extractor for a in webmain.extract_site(one, extractor=PLACES)] == ["learned"]  # too few to learn from
    Path("models/sites/one.example.places.json").write_bytes(b"")
    with pytest.raises(DamagedModelError):
        webmain.extract(html, url=url, extractor=PLACES, models="models/sites")


def test_a_site_is_learned_by_crawling_it_and_nothing_is_stored(tmp_path, run_module):
    env = environment() | {"SCRAPY_SETTINGS_MODULE": "demo.settings"}
    command = ["learn", "harbour-courier.example", "-e", PLACES, "--max-pages", "8"]
    done = run_module("webmain.cli", *command, folder=tmp_path, env=env)
    assert done.returncode == exits.OK, done.stderr
    assert done.stdout.startswith("harbour-courier.example: 8 pages, quality")
    assert [p.name for p in tmp_path.iterdir()] == ["models"]
    (model,) = ModelStore(tmp_path / "models" / "sites").models().models
    assert model.n_pages == 8


def test_a_site_that_is_not_there_is_told(tmp_path, run_module):
    env = environment() | {"SCRAPY_SETTINGS_MODULE": "demo.settings"}
    done = run_module("webmain.cli", "learn", "nowhere.example", "-e", PLACES, folder=tmp_path, env=env)
    assert done.returncode == exits.NOT_FOUND
    assert "no article could be fetched" in done.stderr
    assert list(tmp_path.iterdir()) == []
