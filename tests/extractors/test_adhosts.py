"""Which elements lead to advertisement servers."""

import os
import re
import sys
from pathlib import Path

import pytest

from webmain.extractors import adhosts
from webmain.extractors.adhosts import FilterListError, ad_elements, check_filters, is_ad_host, own_hosts
from webmain.html.document import Document
from webmain.items import Page

URL = "https://news.example.com/a/b.html"


def marked(markup: str, url: str | None = URL, **options) -> list[str]:
    document = Document(Page(url=url, html=markup), html=markup)
    found = ad_elements(document, **options)
    leaves, elements = document.leaves, document.elements
    return [
        leaves.text(range(elements.first_leaf[i], elements.end_leaf[i])) for i in range(len(elements)) if found[i]
    ]  # fmt: skip


def test_our_list_holds_plain_hosts_each_once():
    lines = (adhosts.resources.files("webmain.extractors") / "ad_hosts.txt").read_text("utf-8").splitlines()
    hosts = [line for line in lines if line and not line.startswith("#")]
    assert len(hosts) == len(set(hosts)) == len(own_hosts()) > 100
    assert all(re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", host) for host in hosts)
    assert not [host for host in hosts if host.count(".") and is_ad_host(host.partition(".")[2])]  # none twice


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("doubleclick.net", True),
        ("ad.uk.doubleclick.net", True),
        ("notdoubleclick.net", False),
        ("doubleclick.net.example.com", False),
        ("net", False),
        ("", False),
        ("." * 50, False),
    ],
)
def test_hosts_are_matched_by_suffix_at_a_dot(host, found):
    assert is_ad_host(host) is found


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("https://ad.doubleclick.net/x", True),
        ("//ad.doubleclick.net/x", True),
        ("HTTP://AD.DoubleClick.NET:8080/x", True),
        (" https://ad.doubleclick.net", True),
        ("\\\\ad.doubleclick.net\\x", True),
        ("https://example.com/?to=https://ad.doubleclick.net/", False),
        ("https://example.com/doubleclick.net", False),
        ("https://doubleclick.net@example.com/", False),
        ("doubleclick.net//x", False),
        ("/doubleclick.net/", False),
        ("mailto:a@doubleclick.net", False),
        ("", False),
        ("https://" + "a." * 3000 + "doubleclick.net/", False),  # longer than any URL
    ],
)
def test_addresses_lead_to_hosts_as_a_browser_reads_them(address, found):
    assert bool(marked(f"<p>before <a href='{address}'>text</a> after")) is found


def test_only_the_element_itself_is_marked():
    assert marked("<div><p>Prose <a href=//ad.doubleclick.net/1>buy</a> goes on.</p></div>") == ["buy"]


def test_elements_without_text_are_left_alone():
    assert marked("<p>x</p><img src=//ad.doubleclick.net/1><a href=//ad.doubleclick.net/2><img></a>") == []


# --- a user's filter list --------------------------------------------------------------------------------------------

RULES = """[Adblock Plus 2.0]
! a comment
||promo.example.org^
@@||promo.example.org/imprint^
||partner.example.net^$third-party
/sponsored/*
example.com##.banner
"""
PROMO = "<p>x <a href=https://www.promo.example.org/1>buy</a>"


@pytest.fixture
def rules(tmp_path):
    file = tmp_path / "filters.txt"
    file.write_text(RULES, "utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("https://www.promo.example.org/1", True),
        ("https://promo.example.org/imprint/", False),
        ("https://partner.example.net/", True),
        ("/sponsored/1.html", True),  # relative to the page
        ("../sponsored/1.html", True),
        ("/stories/1.html", False),
        ("https://ad.doubleclick.net/", True),  # our list beside it
        ("#sponsored", False),
        ("javascript:void('/sponsored/x')", False),
    ],
)
def test_filter_rules_decide_beside_our_list(rules, address, found):
    assert bool(marked(f'<p>x <a href="{address}">y</a>', filters=rules)) is found


def test_a_list_can_replace_ours(rules):
    page = PROMO + " <a href=//ad.doubleclick.net/1>ours</a>"
    assert marked(page, filters=rules, own_list=False) == ["buy"]
    assert marked(page, filters=rules) == ["buy", "ours"]


def test_third_party_rules_spare_the_sites_own_links(rules):
    assert (
        marked("<a href=https://partner.example.net/1>own</a>", url="https://partner.example.net/", filters=rules) == []
    )


def test_a_changed_file_is_read_anew(rules):
    assert marked(PROMO, filters=rules) == ["buy"]
    Path(rules).write_text("||other.example.org^\n", "utf-8")
    os.utime(rules, ns=(1, 1))
    assert marked(PROMO, filters=rules) == []


@pytest.mark.parametrize("name", ["missing.txt", "folder"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, name):
    (tmp_path / "folder").mkdir()
    with pytest.raises(FilterListError, match=name):
        check_filters(str(tmp_path / name))


def test_a_huge_file_is_refused(rules, monkeypatch):
    monkeypatch.setattr(adhosts, "MAX_LIST_BYTES", 10)
    with pytest.raises(FilterListError, match="allowed are 10"):
        check_filters(rules)


def test_a_missing_engine_is_named_with_its_cure(rules, monkeypatch):
    monkeypatch.setitem(sys.modules, "adblock", None)
    with pytest.raises(FilterListError, match=r"pip install 'webmain\[adblock\]'"):
        check_filters(rules)
