"""RFC 9309 case by case; the last column says what Protego 0.7 answers where it differs."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from webmain.discovery.robots import RobotsRules
from webmain.metadata.opt_outs import ai_crawlers

ALL = "User-agent: *\nDisallow: /\n"
OTHERWISE = object()
"""Protego answers otherwise."""

US, OURS, B = "User-agent: webmain\n", "User-agent: webmain/2\n", "User-agent: b\n"

CASES = [
    # agents
    ("our name with a version", "User-agent: webmain/0.1\nDisallow: /\n", "/x", False, OTHERWISE),
    ("our name and more", "User-agent: webmain (news)\nDisallow: /\n", "/x", False, OTHERWISE),
    ("case", "USER-AGENT: WebMain\ndisallow: /\n", "/x", False, None),
    ("part of our name", "User-agent: web\nDisallow: /\n", "/x", True, OTHERWISE),
    ("a longer name", "User-agent: webmainstream\nDisallow: /\n", "/x", True, None),
    ("another's version", "User-agent: bot/0.1\nDisallow: /\n", "/x", True, None),
    ("our group outranks the one for all", f"{ALL}\nUser-agent: webmain\nDisallow: /p\n", "/x", True, None),
    ("wherever it is", f"User-agent: webmain\nDisallow: /p\n\n{ALL}", "/x", True, None),
    ("groups are merged, first", f"{US}Disallow: /a\n\n{B}Disallow: /\n\n{US}Disallow: /c\n", "/a", False, None),
    ("groups are merged, second", f"{US}Disallow: /a\n\n{B}Disallow: /\n\n{OURS}Disallow: /c\n", "/c", False, OTHERWISE),
    ("an empty group allows", f"User-agent: webmain\nDisallow:\n\n{ALL}", "/x", True, None),
    ("names without rules belong to the next ones", f"User-agent: webmain\n\n{ALL}", "/x", False, None),
    ("several names", "User-agent: a\nUser-agent: webmain\nUser-agent: c\nDisallow: /\n", "/x", False, None),
    ("no group for us", "User-agent: a\nDisallow: /\n", "/x", True, None),
    ("rules before any name", "Disallow: /\nUser-agent: webmain\nDisallow: /p\n", "/x", True, None),
    ("a sitemap within a group", "User-agent: *\nSitemap: https://a.example/s.xml\nDisallow: /\n", "/x", False, None),
    ("a sitemap between names", "User-agent: webmain\nSitemap: /s.xml\nUser-agent: b\nDisallow: /\n", "/x", False, None),
    ("an unknown line between names", f"{US}Request-Budget: 7\n{B}Disallow: /\n", "/x", False, OTHERWISE),
    ("an unknown line between rules", "User-agent: *\nAllow: /p\nNoindex: /q\nDisallow: /\n", "/x", False, None),
    ("a delay ends no group", "User-agent: webmain\nCrawl-delay: 2\nUser-agent: b\nDisallow: /\n", "/x", False, OTHERWISE),
    ("a name of all with a comment", "User-agent: * # everyone\nDisallow: / # all\n", "/x", False, None),
    # the form of the file
    ("a byte order mark", "\ufeff" + ALL, "/x", False, None),
    ("CR", ALL.replace("\n", "\r"), "/x", False, None),
    ("CR LF", ALL.replace("\n", "\r\n"), "/x", False, None),
    ("a form feed ends no line", "User-agent: *\nDisallow: /a\x0cDisallow: /\n", "/x", True, OTHERWISE),
    ("white space", "  User-agent \t:  * \n\tDisallow\t:\t/  \n", "/x", False, None),
    ("no space", "user-agent:*\ndisallow:/\n", "/x", False, None),
    ("no colon", "User-agent *\nDisallow /\n", "/x", False, None),
    ("misspelt", "Useragent: *\nDissalow: /\n", "/x", False, None),
    ("no line end", "User-agent: *\nDisallow: /", "/x", False, None),
    ("an HTML page", "<html>\n<body>Disallow: / <p>User-agent: *</p></body></html>", "/x", True, None),
    ("nothing", "", "/x", True, None),
    ("zeros", "\0" * 40 + "\n" + ALL, "/x", False, None),
    # paths
    ("robots.txt itself", ALL, "/robots.txt", True, None),
    ("not others of that name", ALL, "/robots.txt?x=1", False, OTHERWISE),
    ("a prefix", "User-agent: *\nDisallow: /fish\n", "/fishing/salmon.html", False, None),
    ("case of a path", "User-agent: *\nDisallow: /Fish\n", "/fish", True, None),
    ("a folder", "User-agent: *\nDisallow: /fish/\n", "/fish", True, None),
    ("a query", "User-agent: *\nDisallow: /*?sort=\n", "/list?sort=asc", False, None),
    ("a bare host", "User-agent: *\nDisallow: /\n", "", False, None),
    ("a bare host with a query", "User-agent: *\nDisallow: /?q\n", "?q=1", False, None),
    ("the longest rule", "User-agent: *\nDisallow: /\nAllow: /p\n", "/page", True, None),
    ("the longest rule, other order", "User-agent: *\nAllow: /p\nDisallow: /\n", "/page", True, None),
    ("the longest rule forbids", "User-agent: *\nAllow: /p\nDisallow: /page\n", "/page", False, None),
    ("of two of one length it is allowed", "User-agent: *\nDisallow: /folder\nAllow: /folder\n", "/folder/page", True, None),
    ("a wildcard is longer", "User-agent: *\nAllow: /page\nDisallow: /*.htm\n", "/page.htm", False, None),
    ("an end is longer", "User-agent: *\nAllow: /$\nDisallow: /\n", "", True, None),
    ("an end is the end", "User-agent: *\nAllow: /$\nDisallow: /\n", "/page.htm", False, None),
    ("a wildcard within", "User-agent: *\nDisallow: /a*c\n", "/abbbcd", False, None),
    ("a wildcard of nothing", "User-agent: *\nDisallow: /a*c\n", "/ac", False, None),
    ("several wildcards", "User-agent: *\nDisallow: /*/print/*.php$\n", "/a/print/b/c.php", False, None),
    ("several wildcards and no end", "User-agent: *\nDisallow: /*/print/*.php$\n", "/a/print/b/c.php5", True, None),
    ("what ends twice", "User-agent: *\nDisallow: /*.gif$\n", "/a.gif/b.gif", False, None),
    ("a wildcard and an end", "User-agent: *\nDisallow: /a*$\n", "/abc", False, None),
    ("a first wildcard", "User-agent: *\nDisallow: *.gif\n", "/x/y.gif?z", False, None),
    ("a dollar within", "User-agent: *\nDisallow: /a$b\n", "/a$b", False, None),
    ("a last dollar is no character", "User-agent: *\nDisallow: /a$\n", "/a$b", True, OTHERWISE),
    ("an escaped dollar", "User-agent: *\nDisallow: /a%24\n", "/a$b", False, None),
    ("an escaped asterisk", "User-agent: *\nDisallow: /a%2A/\n", "/a*/", False, None),
    ("an escaped asterisk is no wildcard", "User-agent: *\nDisallow: /a%2A/\n", "/ab/", True, None),
    ("characters and their escapes", "User-agent: *\nDisallow: /ข่า\n", "/%E0%B8%82%E0%B9%88%E0%B8%B2%E0%B8%A7", False, None),
    ("escapes and their characters", "User-agent: *\nDisallow: /%e0%b8%82\n", "/ข่าว", False, None),
    ("needless escapes", "User-agent: *\nDisallow: /%66oo/%7Ebar\n", "/foo/~bar", False, None),
    ("needless escapes in an address", "User-agent: *\nDisallow: /foo/~bar\n", "/f%6Fo/%7ebar", False, None),
    ("an escaped slash is another", "User-agent: *\nDisallow: /foo/bar\n", "/foo%2Fbar", True, None),
    ("index.html is one page", "User-agent: *\nAllow: /index.html\nDisallow: /\n", "/", False, OTHERWISE),
    ("no first slash", "User-agent: *\nDisallow: private/\n", "/private/x", False, OTHERWISE),
    ("a whole address", "User-agent: *\nDisallow: https://a.example/private/\n", "/private/x", False, OTHERWISE),
    ("no path", "User-agent: *\nDisallow: \nDisallow: /p\n", "/x", True, None),
]  # fmt: skip


@pytest.mark.parametrize(("what", "text", "path", "verdict", "protego"), CASES, ids=[case[0] for case in CASES])
def test_rules_are_read_by_the_rfc(what, text, path, verdict, protego):
    url = f"https://a.example{path}"
    assert RobotsRules(text.encode(), url="https://a.example/robots.txt").allows(url, "webmain/0.1") is verdict
    theirs = Protego.parse(text.removeprefix("\ufeff")).can_fetch(url, "webmain")
    assert (theirs is not verdict) is (protego is OTHERWISE)


def test_paths_in_another_encoding_are_compared_byte_by_byte():
    rules = RobotsRules("User-agent: *\nDisallow: /blå/\n".encode("latin-1"))
    assert not rules.allows("https://a.example/bl%E5/x", "webmain")
    assert rules.allows("https://a.example/bl%C3%A5/x", "webmain")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marked_encodings_are_read(encoding):
    rules = RobotsRules("User-agent: *\nDisallow: /ข\n".encode(encoding))
    assert not rules.allows("https://a.example/ข่าว", "webmain")


def test_only_the_first_500_kib_are_read():
    assert RobotsRules(b"#" * 512_000 + b"\n" + ALL.encode()).allows("https://a.example/x", "webmain")
    assert not RobotsRules(b"#" * 500_000 + b"\n" + ALL.encode()).allows("https://a.example/x", "webmain")


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("User-agent: *\nCrawl-delay: 2.5\n", 2.5),
        ("User-agent: webmain/0.1\nCrawl-delay: 3\n\nUser-agent: *\nCrawl-delay: 9\n", 3.0),
        ("User-agent: webmain\nDisallow:\n\nUser-agent: *\nCrawl-delay: 9\n", None),
        ("User-agent: slow\nCrawl-delay: 60\n\nUser-agent: *\nDisallow: /p\n", None),
        ("User-agent: *\nCrawl-delay: soon\nCrawl-delay: 4\n", 4.0),
        ("User-agent: *\nCrawl-delay: -1\n", None),
        ("User-agent: *\nCrawl-delay: nan\n", None),
        ("User-agent: *\nCrawl-delay: inf\n", None),
        ("User-agent: *\nDisallow: /p\nCrawl-delay: 4 # seconds\n", 4.0),
    ],
)
def test_a_delay_belongs_to_the_names_before_it(text, delay):
    assert RobotsRules(text.encode()).crawl_delay("webmain") == delay


def test_sitemaps_belong_to_no_group():
    text = "Sitemap: /one.xml\nUser-agent: other\nDisallow: /a\nSITEMAP: https://b.example/two.xml # the second\n"
    rules = RobotsRules((text + "Sitemap /three.xml\nDisallow: /b").encode(), url="https://a.example/robots.txt")
    assert rules.sitemaps == (
        "https://a.example/one.xml",
        "https://b.example/two.xml",
        "https://a.example/three.xml",
    )
    assert not any(rules.allows(f"https://a.example/{path}", "other") for path in "ab")


def test_usage_is_read_by_group_and_path():
    text = (
        "User-agent: *\nContent-Signal: search=yes, ai-train=no, ai-input=maybe\nContent-Usage: train-ai=n\n"
        "Content-Usage: /free/ train-ai=y\nAllow: /\n\nUser-agent: other\nContent-Signal: search=no\nAllow: /\n"
    )
    rules = RobotsRules(text.encode())
    said = {"content-signal:search": True, "content-signal:ai-train": False, "content-usage:train-ai": False}
    assert rules.usage("https://a.example/x", "webmain") == said
    assert rules.usage("https://a.example/free/x", "webmain") == {**said, "content-usage:train-ai": True}
    assert rules.usage("https://a.example/x", "other") == {"content-signal:search": False}


@given(st.binary(max_size=300), st.text(max_size=60))
def test_no_file_and_no_address_raises(body, path):
    rules = RobotsRules(body, url="https://a.example/robots.txt")
    assert rules.allows("https://a.example/" + path, "webmain") in (True, False)
    assert rules.crawl_delay("webmain") is None or rules.crawl_delay("webmain") >= 0


HOSTILE = {
    "wildcards": b"User-agent: *\nDisallow: /" + b"*a" * 250_000 + b"b\n",
    "names": b"".join(b"User-agent: a%d\nCrawl-delay: 1\n" % n for n in range(15_000)) + b"Disallow: /\n" * 5_000,
    "rules": b"User-agent: *\n" + b"".join(b"Disallow: /%d\n" % n for n in range(30_000)),
    "one line": b"User-agent: *\nDisallow: /" + b"x" * 500_000,
    "white space": b"User-agent" + b" " * 500_000,
    "letters": (b"x" * 1_999 + b"\n") * 250,
    "uses": (b"Content-Usage: " + b"x" * 1_984 + b"\n") * 250,
    "escapes": b"User-agent: *\nDisallow: /" + b"%41" * 160_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_read_in_linear_time(name):
    began = time.process_time()
    rules = RobotsRules(HOSTILE[name])
    for n in range(20):
        rules.allows("https://a.example/" + "a" * 2_000 + str(n), "webmain")
    assert time.process_time() - began < 2


def test_rules_that_many_crawlers_share_are_looked_at_once(monkeypatch):
    looked_at = []
    monkeypatch.setattr("webmain.discovery.robots._Rule.matches", lambda rule, _target: looked_at.append(rule))
    names = "".join(f"User-agent: {each}\n" for each in sorted(ai_crawlers()))
    rules = RobotsRules(names + "".join(f"Disallow: /*{n}$\n" for n in range(100)))
    assert rules.opt_outs("https://a.example/a", "webmain") == ()
    assert len(looked_at) == 100
