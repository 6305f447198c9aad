import pickle
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.extractors.pab import PAB
from webmain.spiders.addresses import PathFilter, start_url
from webmain.spiders.arguments import (
    DEFAULT_STORE,
    ArgumentError,
    read_archive_arguments,
    read_news_arguments,
    with_settings,
)
from webmain.spiders.values import MAX_SITES_BYTES, read_patterns

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _fixed_clock(monkeypatch):
    monkeypatch.setattr("webmain.clock.now", lambda: NOW)


def problem_of(**given):
    with pytest.raises(ArgumentError) as caught:
        read_news_arguments({"site": "bbc.com", **given})
    (line,) = str(caught.value).splitlines()
    return line


def test_a_domain_alone_is_enough_and_the_rest_has_defaults():
    arguments = read_news_arguments({"site": "bbc.com"})
    assert arguments.sites == ("https://bbc.com/",)
    assert arguments.store == DEFAULT_STORE
    assert arguments.skip_known is True
    assert (arguments.max_pages, arguments.max_articles, arguments.since, arguments.language) == (None,) * 4
    assert arguments.extractor.name == "learned"
    assert arguments.learn is None
    assert (arguments.review_below, arguments.review_only) == (None, None)


@pytest.mark.parametrize(
    ("extractor", "told"),
    [
        ("os:system", "not an extractor"),
        ("subprocess:Popen", "not an extractor"),
    ],
)
def test_extractors_that_can_not_judge_pages_are_refused_before_the_crawl(extractor, told):
    assert told in problem_of(extractor=extractor)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("bbc.com", "https://bbc.com/"),
        (" BBC.com ", "https://bbc.com/"),
        ("www.bbc.co.uk/news", "https://www.bbc.co.uk/news"),
        ("http://example.org", "http://example.org/"),
        ("//example.org/a", "https://example.org/a"),
        ("https://example.org/a?utm_source=x#top", "https://example.org/a"),
        ("127.0.0.1:8000", "https://127.0.0.1:8000/"),
        ("http://localhost:8000/", "http://localhost:8000/"),
        ("ข่าว.ไทย", "https://xn--22c8e6a1f.xn--o3cw4h/"),
        ("bbc", None),
        ("ftp://example.org", None),
        ("https://", None),
        ("not a site", None),
        ("javascript:alert(1)", None),
    ],
)
def test_a_site_becomes_the_address_of_its_front_page(text, address):
    assert start_url(text) == address


@given(st.text(max_size=60))
def test_no_text_breaks_the_reading_of_a_site(text):
    address = start_url(text)
    assert address is None or address.startswith(("http://", "https://"))


def test_several_sites_and_a_file_are_joined_each_once(tmp_path):
    listed = tmp_path / "sites.txt"
    listed.write_text(
        "\ufeff# the list\nexample.org # with a comment\n\nhttps://example.net/news#front\n", encoding="utf-8"
    )
    arguments = read_news_arguments({"site": "bbc.com, example.org", "sites": str(listed)})
    assert arguments.sites == ("https://bbc.com/", "https://example.org/", "https://example.net/news")


def test_mistakes_in_a_file_of_sites_have_their_lines(tmp_path):
    listed = tmp_path / "sites.txt"
    listed.write_text("example.org\n# nothing\n\nno site\nexample.net,ftp://a.example\n")
    with pytest.raises(ArgumentError) as raised:
        read_news_arguments({"sites": str(listed)})
    places = [line.partition(";")[0] for line in str(raised.value).splitlines()]
    assert places == ["argument sites (line 4): got 'no site'", "argument sites (line 5): got 'ftp://a.example'"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it contains no site"),
        (b"# nothing\n", "it contains no site"),
        (b"bbc.com\n\0", "it is no text in UTF-8"),
        ("bbc.com\n".encode("utf-16"), "it is no text in UTF-8"),
        (b"bbc.com\n" + b" " * MAX_SITES_BYTES, "it is larger than 16 MB"),
    ],
)
def test_a_file_without_sites_is_refused(tmp_path, content, why):
    listed = tmp_path / "sites.txt"
    listed.write_bytes(content)
    with pytest.raises(ArgumentError, match=rf"argument sites: got .*sites\.txt'; {why}"):
        read_news_arguments({"sites": str(listed)})


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("learn", "no", False),
        ("learn", "yes", True),
        ("review_below", "0", 0.0),
        ("review_below", ".6", 0.6),
        ("review_below", "1", 1.0),
        ("review_only", "false", False),
        ("language", "EN-gb", "en"),
        ("require", "article", "article"),
        ("require", "any", "any"),
        ("store", "jsonl:a,b.jsonl, sqlite:x.db", "jsonl:a,b.jsonl,sqlite:x.db"),
        ("store", "webmain.store.jsonl:JsonlStore:x.db", "webmain.store.jsonl:JsonlStore:x.db"),
        ("extractor", PAB(), PAB()),
        ("extractor", "pab", PAB()),
        ("paths", "sport, *live*", PathFilter(include=("/sport", "*live*"))),
        ("since", "3d", NOW - timedelta(days=3)),
        ("since", "12h", NOW - timedelta(hours=12)),
        ("since", "2w", NOW - timedelta(weeks=2)),
        ("since", "2026-11-20", datetime(2026, 11, 20, tzinfo=UTC)),
        ("since", "2026-11-20T06:00:00+07:00", datetime(2026, 11, 19, 23, tzinfo=UTC)),
        ("until", "2026-10-31", datetime(2026, 11, 1, tzinfo=UTC)),
        ("until", "20261031", datetime(2026, 11, 1, tzinfo=UTC)),
        ("until", "2026-10-31T12:00", datetime(2026, 10, 31, 12, tzinfo=UTC)),
        ("until", "2027-12-31", datetime(2028, 1, 1, tzinfo=UTC)),
        ("until", "3d", NOW - timedelta(days=3)),
        ("undated", "reject", "reject"),
        ("section", "Sport, City", "Sport, City"),
    ],
)
def test_values_are_read(name, given, value):
    argument = "include" if name == "paths" else name
    assert getattr(read_news_arguments({"site": "bbc.com", argument: given}), name) == value


def test_without_any_site_the_argument_is_missing():
    with pytest.raises(ArgumentError, match=r"argument site: missing; .*bbc\.com"):
        read_news_arguments({})
    with pytest.raises(ArgumentError, match=r"argument sites: got '/no/such/file'; No such file"):
        read_news_arguments({"sites": "/no/such/file"})


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("site", "nowhere", "domains and http"),
        ("extractor", "magic", "pab"),
        ("extractor", "pab:speed=9", "allowed"),
        ("store", "csv:x.csv", "jsonl:PATH or sqlite:PATH"),
        ("store", "jsonl:", "has no path"),
        ("store", "no_such_module:Store:x.db", "No module named 'no_such_module'; allowed are jsonl:PATH"),
        ("store", "sqlite:x.db,webmain.store.jsonl:Nothing:x", "has no attribute 'Nothing'"),
        ("store", "articles.jsonl", "did you mean jsonl:articles.jsonl?"),
        ("store", "news.db", "did you mean sqlite:news.db?"),
        ("store", "jsonl:/", "is a folder"),
        ("store", "jsonl:a.jsonl,sqlite:./a.jsonl", "named twice"),
        ("max_pages", "0", "whole numbers from 1"),
        ("max_pages", "-3", "whole numbers from 1"),
        ("max_pages", "many", "whole numbers from 1"),
        ("max_articles", "1.5", "whole numbers from 1"),
        ("since", "yesterday", "allowed is a date"),
        ("since", "2026-13-01", "allowed is a date"),
        ("since", "2027-01-01", "future"),
        ("since", "999999w", "allowed is a date"),
        ("since", "0001-01-01", "the years"),
        ("until", "9999-12-31", "the years"),
        ("until", "tomorrow", "allowed is a date"),
        ("undated", "perhaps", "keep, and reject"),
        ("language", "english language", "ISO 639-1"),
        ("require", "news", "allowed are article, listing, forum, product, documentation, other, and any"),
        ("language", "zz", "ISO 639-1"),
        ("language", "eng", "ISO 639-1"),
        ("include", "https://bbc.com/sport", "globs over paths"),
        ("include", "[", "'[' matches no path"),
        ("include", "/sport,/news/[a-", "'/news/[a-' matches no path"),
        ("include", "[ab]/news", "matches no path"),
        ("exclude", "/news/[z-a]", "matches no path"),
        ("record", "crawl.warc", ".warc.gz"),
        ("site_pages", "0", "whole numbers from 1"),
        ("site_time", "5", "90s, 30m, 2h"),
        ("site_bytes", "much", "500kB, 20MB"),
        ("skip_known", "perhaps", "true and false"),
        ("learn", "perhaps", "true and false"),
        ("review_below", "1.01", "from 0 to 1"),
        ("review_below", "-0.1", "from 0 to 1"),
        ("review_below", "nan", "from 0 to 1"),
        ("review_below", "low", "from 0 to 1"),
        ("review_only", "maybe", "true and false"),
        ("review_only", "true", "no effect without review_below"),
    ],
)
def test_a_wrong_value_is_told_with_name_what_was_given_and_what_is_allowed(name, value, told):
    before, _, allowed = problem_of(**{name: value}).partition("; ")
    assert before == f"argument {name}: got {value!r}"
    assert told in allowed


@pytest.mark.parametrize(
    ("since", "until", "is_right"),
    [
        ("2026-11-02", "2026-11-01", False),
        ("2026-11-01", "2026-11-01", True),
        ("2026-11-01T06:00", "2026-11-01T06:00", False),
        ("3d", "5d", False),
        ("5d", "3d", True),
    ],
)
def test_a_range_that_ends_before_it_begins_is_an_error(since, until, is_right):
    given = {"site": "bbc.com", "since": since, "until": until}
    if is_right:
        assert read_news_arguments(given).until > read_news_arguments(given).since
    else:
        with pytest.raises(
            ArgumentError, match=rf"argument until: got '{until}'; allowed is what is later than since, {since}"
        ):
            read_news_arguments(given)


def test_an_unknown_argument_is_an_error_with_the_nearest_name():
    problem = problem_of(max_article="3")
    assert "did you mean max_articles?" in problem
    assert "Allowed are site, sites" in problem
    assert "no such argument; allowed are site, sites" in problem_of(zzz="3")


def test_all_problems_are_told_at_once_and_the_error_can_be_pickled():
    with pytest.raises(ArgumentError) as caught:
        read_news_arguments({"since": "soon", "max_pages": "x", "sight": "bbc.com"})
    names = [line.split()[1] for line in str(caught.value).splitlines()]
    assert sorted(names) == ["max_pages:", "sight:", "since:", "site:"]
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_long_value_is_cut_in_the_message():
    assert len(problem_of(since="x" * 10_000)) < 500


def test_review_only_is_right_with_a_threshold_from_a_setting():
    given = with_settings({"site": "bbc.com", "review_only": "true"}, {"WEBMAIN_REVIEW_BELOW": 0.6})
    arguments = read_news_arguments(given)
    assert (arguments.review_only, arguments.review_below) == (True, 0.6)


@pytest.mark.parametrize(
    ("include", "exclude", "path", "wanted"),
    [
        ((), (), "/any", True),
        (("/sport",), (), "/sport", True),
        (("/sport",), (), "/sport/", True),
        (("/sport",), (), "/sport/football/1", True),
        (("/sport",), (), "/sports", False),
        (("/sport/",), (), "/sport/football", True),
        (("*/2026/*",), (), "/news/2026/11/x", True),
        (("*/2026/*",), (), "/news/2025/11/x", False),
        ((), ("/live",), "/live/1", False),
        (("/news",), ("*/live",), "/news/live", False),
        (("/news",), ("*/live",), "/news/other", True),
        (("/ข่าว",), (), "/%E0%B8%82%E0%B9%88%E0%B8%B2%E0%B8%A7/1", True),
        (("/",), (), "/anything", True),
        (("/news/[[]*",), (), "/news/%5B1%5D", True),
        (("[/]news/[!]a]",), (), "/news/b", True),
    ],
)
def test_paths_are_included_and_excluded_by_globs(include, exclude, path, wanted):
    assert (*read_patterns(",".join(include)), *read_patterns(",".join(exclude))) == (*include, *exclude)
    assert PathFilter(include=include, exclude=exclude).includes(f"https://example.org{path}?q=1") is wanted


def test_a_hostile_glob_takes_no_time():
    assert not PathFilter(include=("*a" * 30 + "b",)).includes("https://example.org/" + "a" * 2000)


def test_an_archive_needs_a_path_that_is_there(tmp_path):
    with pytest.raises(ArgumentError, match="argument path: missing"):
        read_archive_arguments({})
    with pytest.raises(ArgumentError, match=r"argument path: got '/no/such/\*\.warc'; nothing is there"):
        read_archive_arguments({"path": "/no/such/*.warc"})
    for name in ("a.warc", "b,c.html"):
        Path(tmp_path / name).write_bytes(b"")
    assert read_archive_arguments({"path": f"{tmp_path}/*.warc,{tmp_path}"}).files == (
        f"{tmp_path}/*.warc",
        str(tmp_path),
    )
    assert read_archive_arguments({"path": f"{tmp_path}/b,c.html"}).files == (f"{tmp_path}/b,c.html",)


@pytest.mark.parametrize(
    ("name", "value"), [("max_bytes", "50KB"), ("skip_known", "true"), ("base", "https://mirror.example/")]
)
def test_what_only_common_crawls_archives_obey_is_refused_for_other_paths(tmp_path, name, value):
    with pytest.raises(ArgumentError, match=f"argument {name}: got '{value}'; it has no effect without ccnews"):
        read_archive_arguments({"path": str(tmp_path), name: value})
    read_archive_arguments({"path": str(tmp_path), "ccnews": "2026/10", name: value})
    read_archive_arguments({"path": str(tmp_path), "skip_known": "false"})


def test_arguments_of_the_other_spider_are_unknown(tmp_path):
    with pytest.raises(ArgumentError, match="argument include: got '/a'; no such argument"):
        read_archive_arguments({"path": str(tmp_path), "include": "/a"})


@pytest.mark.parametrize("value", ["magic", "line_block:decision=x", "line_block:speed=1"])
def test_a_wrong_extractor_is_told_without_saying_anything_twice(value):
    with pytest.raises(ArgumentError) as raised:
        read_news_arguments({"site": "bbc.com", "extractor": value})
    message = str(raised.value)
    assert message.count("got ") <= 2
    assert message.count(repr(value)) == 1
    assert "line_block: line_block" not in message
    assert message.count("allowed are") == 1
