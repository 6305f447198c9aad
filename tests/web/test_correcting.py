import json
import re

import pytest

from webmain.corrections.file import Correction, CorrectionsFile
from webmain.web.config import Limits

PROSE = "The harbour master said on day {} that the tide would reach the upper quay before noon, and it did so at once."
PAGE = "<html lang=en><title>Tide</title><h1>Tide</h1>" + "".join(f"<p>{PROSE.format(i)}" for i in range(5))
HOSTILE = PAGE + "<p onclick=alert(1)><script>alert(2)</script><img src=x onerror=alert(3)>" + PROSE.format(9)


@pytest.fixture
def client(connect, tmp_path):
    return connect(limits=Limits(workers=1), corrections=str(tmp_path / "corrections.jsonl"))


def result(client, html=PAGE, **more):
    return client.extract(html=html, url="https://harbour.example/tide", **more).headers["location"]


def boxes(page):
    found = re.findall(r'value="(\d+)" id="part-\d+"[^>]*?( checked)?>.*?<label[^>]*>(.*?)</label>', page, re.DOTALL)
    return {text: (int(number), bool(checked)) for number, checked, text in found}


def corrected(client, *texts, html=PAGE):
    """Uncheck the parts with these texts, and send the form."""
    place = f"{result(client, html)}/0/correct"
    found = boxes(client.get(place).text)
    content = [number for text, (number, checked) in found.items() if checked and text not in texts]
    return client.send_form(place, {"content": content, "shown": len(found), "note": "no news"}, page=place)


def test_the_result_leads_to_the_parts_checked_where_they_are_content(client):
    place = result(client)
    assert f'href="{place}/0/correct"' in client.get(place).text
    found = boxes(client.get(f"{place}/0/correct").text)
    assert [found[PROSE.format(i)][1] for i in range(5)] == [True] * 5


def test_a_correction_is_kept_listed_shown_and_taken_back(client):
    answer = corrected(client, PROSE.format(4))
    assert answer.status_code == 303
    place = answer.headers["location"]
    (one,) = CorrectionsFile(client.app.state.web.config.corrections)
    assert PROSE.format(4) not in one.text
    assert PROSE.format(3) in one.text
    assert one.note == "no news"
    shown = client.get(place).text
    assert "The correction was saved." in shown
    assert PROSE.format(4) in shown
    listed = client.get("/corrections").text
    assert place in listed
    assert "https://harbour.example/tide" in listed
    again = client.send_form(f"{place}/undo", {}, page=place)
    assert again.headers["location"] == "/corrections"
    assert "No page has been corrected yet" in client.get("/corrections").text
    assert client.get(place).status_code == 404


def test_a_second_correction_of_a_page_takes_the_place_of_the_first(client):
    corrected(client, PROSE.format(4))
    place = corrected(client, PROSE.format(1)).headers["location"]
    assert "earlier correction was replaced" in client.get(place).text
    (one,) = CorrectionsFile(client.app.state.web.config.corrections)
    assert [mark.text for mark in one.marked] == [PROSE.format(1)]


def test_what_changes_nothing_or_leaves_nothing_is_told(client):
    answer = corrected(client)
    assert "Nothing was changed" in client.get(answer.headers["location"]).text
    place = f"{result(client)}/0/correct"
    answer = client.send_form(place, {"shown": 99}, page=place)
    assert answer.status_code == 422
    assert "No content would be left" in answer.text


@pytest.mark.parametrize("data", [{"shown": "x"}, {"shown": 5, "content": "1;2"}, {}])
def test_a_form_that_was_changed_is_refused(client, data):
    place = f"{result(client)}/0/correct"
    assert client.send_form(place, data, page=place).status_code == 400


def test_without_the_forms_token_nothing_is_written(client):
    place = f"{result(client)}/0/correct"
    assert client.post(place, data={"shown": 5}, headers={"origin": "http://localhost:8000"}).status_code == 403
    assert client.post(place, data={"shown": 5}, headers={"origin": "https://evil.example"}).status_code == 403
    assert list(CorrectionsFile(client.app.state.web.config.corrections)) == []


def test_the_page_that_is_clicked_runs_no_script(client):
    place = f"{result(client, HOSTILE)}/0/correct"
    answer = client.get(f"{place}/page")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox allow-same-origin;" in policy
    assert "script" not in policy
    assert not re.search(r"<script|\son\w+=|<img", answer.text)
    assert 'sandbox="allow-same-origin"' in client.get(place).text
    plain = client.get(f"{place.removesuffix('/correct')}/page")
    assert "sandbox;" in plain.headers["content-security-policy"]


def test_a_page_with_thousands_of_parts_can_be_corrected(client):
    html = PAGE + "".join(f"<p>{PROSE.format(100 + i)}" for i in range(3_500))
    place = f"{result(client, html)}/0/correct"
    page = client.get(place).text
    assert "more parts are not shown" in page
    found = boxes(page)
    content = [number for number, checked in found.values() if checked][1:]
    answer = client.send_form(place, {"content": content, "shown": len(found)}, page=place)
    assert answer.status_code == 303
    (one,) = CorrectionsFile(client.app.state.web.config.corrections)
    assert len(one.marked) == 1
    assert PROSE.format(3_599) in one.text


def test_a_file_that_cannot_be_written_is_told(client, tmp_path):
    (tmp_path / "corrections.jsonl").write_text(json.dumps(["a diary"]) + "\n")
    assert corrected(client, PROSE.format(1)).status_code == 503


PROMO = "Readers who like stories such as number {} find more of them every morning in the letter that we send to them."


def page_with(number):
    return PAGE.replace("day ", f"day {number}") + f'<p class="invitation">{PROMO.format(number)}</p>'


def test_a_rule_is_proposed_shown_on_other_pages_and_counts_once_it_is_accepted(connect, tmp_path):
    from webmain.store.registry import open_store

    store, sites = f"sqlite:{tmp_path}/articles.db", tmp_path / "sites.toml"
    client = connect(
        limits=Limits(workers=1), corrections=str(tmp_path / "c.jsonl"), store=store, sites_file=str(sites)
    )
    with open_store(store):
        pass
    assert corrected(client, PROMO.format(1), html=page_with(1)).status_code == 303
    page = client.get("/rules/harbour.example").text
    assert "<code>.invitation</code>" in page
    assert "There is no other recorded page" in page
    place = "/rules/harbour.example"
    assert client.send_form(place, {"key": "remove", "css": "body"}, page=place).status_code == 409
    sites.write_text("[harbour.example]\ndelay = -3\n")
    answer = client.send_form(place, {"key": "remove", "css": ".invitation"}, page=place)
    assert answer.status_code == 409
    assert "The rule cannot be saved" in answer.text
    assert "sites.toml:2: harbour.example: delay: got -3" in answer.text
    sites.write_text("[harbour.example]\ndelay = 3\n")
    answer = client.send_form(place, {"key": "remove", "css": ".invitation"}, page=place)
    assert answer.status_code == 303
    assert ".invitation" in sites.read_text()
    page = client.get(place).text
    assert "This rule is in use" in page
    assert "Accept this rule" not in page
    again = client.get(result(client, page_with(2)))
    assert re.search(r"rule remove", again.text)
    assert client.get("/rules/nowhere.example").status_code == 404


def test_an_address_that_a_browser_would_run_is_no_link(client):
    correction = CorrectionsFile(client.app.state.web.config.corrections)
    one = Correction(
        id="a",
        url="javascript:x",
        domain="",
        lang="en",
        html="",
        text="a",
        before="b",
        extractor="pab",
        marked=(),
        made_at="2026-11-22T10:00",
    )
    correction.save(one)
    page = client.get("/corrections/a").text
    assert "javascript:x" in page
    assert 'href="javascript' not in page


@pytest.mark.parametrize("path", ["/corrections", "/corrections/x", "/rules/news.example"])
def test_a_file_of_corrections_that_cannot_be_read_is_told(connect, tmp_path, path):
    answer = connect(corrections=str(tmp_path)).get(path)
    assert answer.status_code == 503
    assert "Stored data cannot be read" in answer.text
    assert f"{tmp_path}: Is a directory" in answer.text
