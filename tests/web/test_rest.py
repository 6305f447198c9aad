"""The REST interface is what its description says, and nothing else."""

from __future__ import annotations

import json
import re

import pytest
from openapi_schema_validator import OAS31Validator, oas31_format_checker
from openapi_spec_validator import OpenAPIV31SpecValidator, validate

from tests.conftest import build
from tests.web.conftest import PAGE, SENTENCE, Browser
from webmain.store.sqlite import SqliteStore
from webmain.web.app import REST
from webmain.web.config import Limits

API = "/api/v1"
TOKEN = "correct horse"


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    """A client of a server with a store of five articles, the first of which has two texts."""
    path = tmp_path_factory.mktemp("store") / "articles.db"
    with SqliteStore(path) as store:
        for n in range(1, 6):
            store.add(build(n))
    with SqliteStore(path) as store:
        store.add(build(1, text="Another text of the harbour."))
    with Browser(limits=Limits(workers=1), store=f"sqlite:{path}") as client:
        yield client


@pytest.fixture(scope="module")
def description(api):
    return api.get(f"{API}/openapi.json").json()


def closed(schema):
    """A schema in which an object has no other fields than those that are described."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    more = {"additionalProperties": False} if "properties" in schema else {}
    return {name: closed(one) for name, one in schema.items()} | more


def check(answer, path, method, description):
    """Assert that an answer is as described, whatever its status."""
    told = description["paths"][path][method]["responses"]
    assert str(answer.status_code) in told, (path, answer.status_code, answer.text)
    one = told[str(answer.status_code)]
    if "$ref" in one:
        one = description["components"]["responses"][one["$ref"].rpartition("/")[2]]
    schema = one["content"]["application/json"]["schema"] | {"components": description["components"]}
    validator = OAS31Validator(closed(schema), format_checker=oas31_format_checker)
    assert [f"{error.json_path}: {error.message:.200}" for error in validator.iter_errors(answer.json())] == []


def test_the_description_is_valid_openapi(description):
    validate(description, cls=OpenAPIV31SpecValidator)


def test_every_path_is_described_and_every_description_is_a_path(description):
    real = {(route.path, method.lower()) for route in REST for method in route.methods - {"HEAD"}}
    told = {(path, method) for path, operations in description["paths"].items() for method in operations}
    assert real == told
    assert description["openapi"].startswith("3.1")


def test_every_reference_leads_somewhere_and_every_component_is_used(description):
    text = json.dumps(description)
    used = set(re.findall(r'"#/components/(\w+/\w+)"', text))
    there = {f"{kind}/{name}" for kind, found in description["components"].items() for name in found}
    assert used == there - {"securitySchemes/token"}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"json": {"html": PAGE, "url": "https://news.example/boats", "keep": ["links", "images"]}}, "extract"),
        ({"json": {"html": PAGE, "extractor": "line_block:decision=sigma"}}, "explain"),
        ({"json": {"html": PAGE}}, "explain"),
        ({"json": {"html": "<p>", "extractor": "pab"}}, "explain"),
        ({"content": PAGE.encode(), "headers": {"content-type": "text/html; charset=utf-8"}}, "extract"),
    ],
)
def test_pages_give_what_is_described(api, description, body, kind):
    answer = api.post(f"{API}/{kind}", **body)
    assert answer.status_code == 200
    check(answer, f"/{kind}", "post", description)


def test_the_body_may_be_the_page_and_the_address_the_rest(api):
    page = "<title>ข่าว</title>" + "<p>ชาวบ้านหนองกระทุ่มช่วยกันสร้างสะพานไม้ข้ามคลองเสร็จภายในสิบเอ็ดวัน</p>" * 9
    answer = api.post(
        f"{API}/extract?extractor=pab&keep=links,no-tables&url=https://khao.example/1",
        content=page.encode("cp874"),
        headers={"content-type": "text/html; charset=windows-874"},
    )
    found = answer.json()["article"]
    assert "สะพานไม้" in found["text"]
    assert (found["extractor"], found["url"]) == ("pab", "https://khao.example/1")


def test_the_text_of_an_explanation_is_that_of_its_content(api):
    told = api.post(f"{API}/explain", json={"html": PAGE}).json()
    content = [block["text"] for block in told["blocks"] if block["verdict"] == "content"]
    assert "\n\n".join(content) == told["article"]["text"]
    assert SENTENCE.strip() in told["article"]["text"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"content": b"{", "headers": {"content-type": "application/json"}}, 400, "bad_json"),
        ({"content": b"[" * 100_000, "headers": {"content-type": "application/json"}}, 400, "bad_json"),
        ({"content": b'"' + b'\\"' * 1_000_000, "headers": {"content-type": "application/json"}}, 400, "bad_json"),
        ({"json": ["html"]}, 400, "bad_json"),
        ({"json": {}}, 400, "bad_request"),
        ({"json": {"html": 1}}, 400, "bad_request"),
        ({"json": {"html": PAGE, "sites": "/etc/passwd"}}, 400, "bad_request"),
        ({"json": {"html": PAGE}, "params": {"extractor": "pab"}}, 400, "bad_request"),
        ({"content": PAGE, "headers": {"content-type": "text/html"}, "params": {"nope": ""}}, 400, "bad_request"),
        ({"json": {"html": PAGE, "keep": "links"}}, 400, "bad_request"),
        ({"json": {"html": PAGE, "keep": ["all"]}}, 400, "bad_option"),
        ({"json": {"html": PAGE, "extractor": "os:system"}}, 400, "bad_option"),
        ({"json": {"html": PAGE, "extractor": "lbda:filters=/etc/passwd"}}, 400, "bad_option"),
        ({"json": {"html": PAGE, "require": "poem"}}, 400, "bad_request"),
        ({"json": {"url": "http://127.0.0.1:1024/"}}, 403, "private_address"),
        ({"json": {"url": "http://169.254.169.254/"}}, 403, "private_address"),
        ({"json": {"url": "file:///etc/passwd"}}, 400, "bad_address"),
        ({"json": {"html": "<p></p>", "extractor": "pab"}}, 422, "no_blocks"),
        ({"json": {"html": "{}"}}, 422, "not_html"),
        ({"content": b'{"\\ud800": ""}', "headers": {"content-type": "application/json"}}, 400, "bad_request"),
        ({"content": b'{"url": "\\ud800"}', "headers": {"content-type": "application/json"}}, 400, "bad_address"),
        ({"data": {"html": PAGE}}, 415, "not_json"),
        ({"content": PAGE, "headers": {"content-type": "text/plain"}}, 415, "not_json"),
        ({"json": {"html": PAGE}, "headers": {"origin": "https://evil.example"}}, 403, "other_origin"),
        ({"json": {"html": PAGE}, "headers": {"sec-fetch-site": "cross-site"}}, 403, "other_origin"),
    ],
)
def test_errors_are_clear_and_as_described(api, description, body, status, code):
    answer = api.post(f"{API}/extract", **body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    check(answer, "/extract", "post", description)


@pytest.mark.parametrize("body", [b"[]," * 1_000_000, b'{"a":1,' * 1_000_000, b"9" * 5_000_000, b'"' * 5_000_000])
def test_millions_of_small_values_are_refused_before_they_are_parsed(api, monkeypatch, body):
    monkeypatch.setattr(json, "loads", lambda _: pytest.fail("it was parsed"))
    answer = api.post(f"{API}/extract", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, "bad_json" in answer.text) == (400, True)


def test_a_page_full_of_quotes_and_backslashes_is_read(api):
    html = PAGE + '<p class="\\">"\\"' * 5_000
    assert api.post(f"{API}/extract", json={"html": html}).status_code == 200


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/search", "q=harbour"),
        ("/search", "q=harbour&per=block&match=any&lang=th&limit=2"),
        ("/search", "q=nothinglikeit"),
        ("/articles", ""),
        ("/articles", "site=news.example&since=2020-01-01&sort=title&limit=3"),
        ("/articles", "site=other.example"),
        ("/articles/{id}", ""),
        ("/articles/{id}/revisions", ""),
        ("/sites", ""),
        ("/cloud", ""),
        ("/cloud", "against=other&other_article={id}&under=1"),
        ("/openapi.json", ""),
    ],
)
def test_the_store_is_read_as_described(api, description, path, query):
    answer = api.get(f"{API}{path}?{query}".replace("{id}", build(1).id))
    assert answer.status_code == 200, answer.text
    check(answer, path, "get", description)


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        ("/search", "", 400),
        ("/search", "q=x&limit=101", 400),
        ("/search", "q=x&limit=-1", 400),
        ("/search", "q=x&offset=99999", 400),
        ("/search", "q=x&match=some", 400),
        ("/search", "q=x&since=yesterday", 400),
        ("/search", "q=" + "x" * 5_000, 400),
        ("/articles", "limit=%C2%B2", 400),
        ("/articles", "after=99999", 400),
        ("/articles", "sort=text", 400),
        ("/articles", "since=2026-01-02&until=2026-01-01", 400),
        ("/articles/{id}", "", 404),
        ("/articles/{id}/revisions", "", 404),
        ("/cloud", "top=1000000", 400),
        ("/cloud", "since=%00", 400),
        ("/articles", "nope=1", 400),
        ("/articles", "sites=news.example", 400),
        ("/search", "q=x&below=1", 400),
        ("/cloud", "other_nope=", 400),
        ("/sites", "site=news.example", 400),
        ("/articles/{id}", "url=x", 400),
        ("/openapi.json", "x=%ff", 400),
    ],
)
def test_wrong_questions_to_the_store_are_told(api, description, path, query, status):
    answer = api.get(f"{API}{path.replace('{id}', 'nowhere')}?{query}")
    assert answer.status_code == status
    check(answer, path, "get", description)


def test_lists_are_walked_through_part_by_part(api):
    seen, after = [], None
    while True:
        part = api.get(f"{API}/articles?limit=2&sort=stored" + (f"&after={after}" if after else "")).json()
        seen += [one["id"] for one in part["articles"]]
        after = part["next"]
        if after is None:
            break
    assert sorted(seen) == sorted(build(n).id for n in range(1, 6))
    assert part["total"] == 5


def test_unknown_parameters_are_told_with_those_that_there_are(api):
    answer = api.get(f"{API}/articles?site=x&nope=1")
    assert answer.json()["error"]["message"].startswith("nope: no such parameter; there are site, lang, method, since,")
    assert "there are none" in api.get(f"{API}/sites?site=x").text


def test_a_parameter_that_is_given_twice_is_refused(api):
    answer = api.get(f"{API}/articles?site=a.example&site=b.example")
    assert (answer.status_code, answer.json()["error"]["message"]) == (400, "site: is given more than once.")


def test_limit_of_zero_only_counts(api):
    part = api.get(f"{API}/articles?limit=0").json()
    assert part == {"total": 5, "articles": [], "next": None}
    part = api.get(f"{API}/search?q=harbour&limit=0").json()
    assert (part["pages"], part["hits"], part["next"]) == (5, [], None)


def test_results_are_walked_through_part_by_part(api):
    seen, offset = [], 0
    while offset is not None:
        part = api.get(f"{API}/search?q=harbour&limit=2&offset={offset}").json()
        seen += [hit["id"] for hit in part["hits"]]
        offset = part["next"]
    assert len(seen) == len(set(seen)) == part["pages"] == 5


def test_all_texts_of_an_article_are_there(api):
    told = api.get(f"{API}/articles/{build(1).id}/revisions").json()["revisions"]
    assert [one["number"] for one in told] == [1, 2]
    assert told[1]["article"]["text"] == "Another text of the harbour."


def test_without_a_store_it_is_told(browser, description):
    for path in ("/articles", "/sites", "/cloud"):
        answer = browser.get(f"{API}{path}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "no_store")
        check(answer, path, "get", description)
        assert "Traceback" not in answer.text


def test_no_other_site_may_read_answers(api):
    answer = api.get(f"{API}/sites", headers={"origin": "https://evil.example"})
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    asked = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    assert api.options(f"{API}/extract", headers=asked).status_code == 405


def test_other_methods_and_paths_are_errors_in_json(api):
    for answer, code in ((api.delete(f"{API}/sites"), "method_not_allowed"), (api.get(f"{API}/x"), "not_found")):
        assert answer.json()["error"]["code"] == code


def test_the_description_for_people_names_every_path(api, description):
    page = api.get("/api").text
    for path in description["paths"]:
        assert f"{API}{path}" in page
