import json

import pytest

from webmain import extract
from webmain.items import Article

TEXT = "The river rose by another metre during the night, and the lower town was warned before dawn. "


def page(updates: object, kind: str = "LiveBlogPosting") -> str:
    record = {
        "@context": "https://schema.org",
        "@type": kind,
        "headline": "The flood, hour by hour",
        "liveBlogUpdate": updates,
    }
    script = f'<script type="application/ld+json">{json.dumps(record)}</script>'
    body = f"<article><h1>The flood, hour by hour</h1><p>{TEXT * 5}</p></article>"
    return f"<html><head><title>The flood, hour by hour</title>{script}</head><body>{body}</body></html>"


def update(hour: int, **more: object) -> dict[str, object]:
    return {
        "@type": "BlogPosting",
        "headline": f"At {hour}",
        "datePublished": f"2026-11-20T{hour:02}:30:00+07:00",
        "articleBody": f"<b>{TEXT}</b>\n\nIt was {hour}.",
        **more,
    }


def test_entries_have_their_own_times_and_the_newest_is_last():
    article = extract(page([update(9), update(7), update(8)]))
    assert [(entry.title, entry.published.isoformat()) for entry in article.entries] == [
        (f"At {hour}", f"2026-11-20T{hour:02}:30:00+07:00") for hour in (7, 8, 9)
    ]
    assert article.entries[0].text.endswith("It was 7.")
    assert "<b>" not in article.entries[0].text
    assert article.sources["entries"].name == "json-ld:liveBlogUpdate"
    assert article.text.startswith("The river")  # the introduction
    assert Article.from_dict(article.to_dict()) == article


@pytest.mark.parametrize(
    "updates",
    [
        [],
        "text",
        {"a": 1},
        [1, None, []],
        [update(7, datePublished="soon")],
        [update(7, headline=None, articleBody=None)],
    ],
)
def test_what_has_no_time_or_no_words_is_no_entry(updates):
    assert extract(page(updates)).entries == ()


def test_an_entry_alone_and_very_many_are_read():
    assert len(extract(page(update(7))).entries) == 1
    assert len(extract(page([update(n % 24) for n in range(3_000)])).entries) == 2_000
