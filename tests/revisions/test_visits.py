"""A made-up page that is visited again and again: whatever moves around its text, no visit makes a revision."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

import webmain
from webmain.article.identity import identify
from webmain.items import Article, ArticleBlock, Kind, Rejected
from webmain.revisions.comparing import changes
from webmain.store.duplicates import DuplicateDetector
from webmain.store.protocol import Outcome
from webmain.store.registry import open_store, open_stores

PARAGRAPHS = {
    "en": (
        "The council of Ostby voted on Tuesday to rebuild the old pier, which a storm broke in two last winter.",
        "In all 12 fishing boats were lost that night, the harbour master said, and four families had to leave their homes.",
        "The work is to begin in spring and will cost about 4.2 million crowns. Half of it is paid by the region.",
        "“We have waited for this for a long time,” said Ingrid Moe, who sells fish there, “and we hope that it will last.”",
    ),
    "th": (
        "เทศบาลเมืองมีมติเมื่อวันอังคารให้สร้างท่าเรือเก่าขึ้นใหม่ หลังจากพายุพัดถล่มจนเสียหายเมื่อปลายปีที่ผ่านมา",
        "เรือประมง 12 ลำจมหายไปในคืนนั้น นายท่าเรือเปิดเผย และมีสี่ครอบครัวต้องอพยพออกจากบ้านของตนเอง",
        "การก่อสร้างจะเริ่มขึ้นในเดือนเมษายน ใช้งบประมาณราว 4.2 ล้านบาท โดยครึ่งหนึ่งเป็นเงินอุดหนุนจากจังหวัด",
        "ชาวบ้านในพื้นที่บอกว่ารอคอยเรื่องนี้มานาน และหวังว่าท่าเรือใหม่จะแข็งแรงทนทานกว่าเดิมมาก",
    ),
}  # fmt: skip
WORDS = {
    "en": (
        "{} shares",
        "{} comments",
        "{} hours ago",
        "Updated {}:{} GMT",
        "Advertisement",
        "Related stories",
        "{} views",
    ),
    "th": ("{} แชร์", "{} ความคิดเห็น", "{} ชั่วโมงที่แล้ว", "อัปเดต {}:{} น.", "โฆษณา", "ข่าวที่เกี่ยวข้อง", "อ่าน {} ครั้ง"),
}
OTHERS = (
    "Cat rescued from a tree",
    "Mayor opens a bridge",
    "Ferry late again",
    "New school for Ostby",
    "Snow in the hills",
)
SELLING = ("Buy shoes at half the price!", "Fly to the sea this week.", "Our bank is yours.", "Try the new car today.")


def page(language: str, visit: int, edit: tuple[str, str] = ("", "")) -> str:
    """The page as one visit finds it."""
    draw = random.Random(visit)
    shares, comments, ago, updated, label, related, views = WORDS[language]
    text = [part.replace(*edit) if edit[0] else part for part in PARAGRAPHS[language]]
    ad = f'<div class="ad"><p>{label}</p><p>{draw.choice(SELLING)}</p></div>'
    body = [f"<p>{part}</p>" for part in text]
    body.insert(draw.randint(1, 3), ad)
    boxes = "".join(f'<li><a href="/{n}">{title}</a></li>' for n, title in enumerate(draw.sample(OTHERS, 3)))
    return f"""<html lang="{language}"><head><title>The pier of Ostby - The Daily</title>
<link rel="canonical" href="https://daily.example/pier"><meta property="og:type" content="article"></head><body>
<nav><a href="/">Home</a> <a href="/sport">Sport</a> <a href="/culture">Culture</a></nav>
<main><article><h1>The pier of Ostby</h1>
<p class="byline">Jane Doe | {ago.format(draw.randint(2, 20))} | {comments.format(draw.randint(1, 99))}</p>
<p>{updated.format(draw.randint(10, 23), draw.randint(10, 59))}</p><p>{views.format(f"{draw.randint(1000, 9999):,}")}</p>
{"".join(body)}
<p>{shares.format(draw.randint(100, 999))}</p>
<h3>{related}</h3><ul>{boxes}</ul></article></main><footer><p>The Daily</p></footer></body></html>"""


def visited(language: str, visit: int, edit: tuple[str, str] = ("", "")) -> Article:
    return webmain.extract(page(language, visit, edit), url="https://daily.example/pier")


@pytest.mark.parametrize("form", ["jsonl", "sqlite"])
@pytest.mark.parametrize("language", ["en", "th"])
def test_thirty_visits_make_no_revision_and_an_edit_of_a_digit_makes_one(
    tmp_path: Path, form: str, language: str
) -> None:
    with open_store(f"{form}:{tmp_path / 'news'}") as store:
        for visit in range(30):
            store.add(visited(language, visit))
        assert [s.outcome for s in store.commit()] == [Outcome.NEW, *[Outcome.UNCHANGED] * 29]
        for visit in range(30, 35):
            store.add(visited(language, visit, ("12", "13")))
        assert [s.change.value for s in store.commit()] == ["correction", *["none"] * 4]
        name = store.find("https://daily.example/pier?utm_source=x")
        assert [r.number for r in store.revisions(name)] == [1, 2]


def boxed(*texts: str, box: str = "") -> Article:
    """An article whose paragraphs are in one element, and one in a box beside them."""
    parts = [(text, f"/html/body/div/p[{n}]") for n, text in enumerate(texts, 1)]
    parts += [(box, "/html/body/div/aside/p")] if box else []
    blocks = tuple(ArticleBlock(kind=Kind.PARAGRAPH, text=text, xpath=xpath) for text, xpath in parts)
    return Article(text="\n\n".join(text for text, _ in parts), blocks=blocks, language="en")


@pytest.mark.parametrize(
    ("box", "kind"),
    [
        ("Buy shoes at half the price!", "none"),
        ("Correction: the storm was in January.", "correction"),
        ("Updated: the mayor has resigned over the pier, the council said.", "update"),
    ],
)
def test_a_short_paragraph_in_a_box_is_no_change_but_a_note_is(box: str, kind: str) -> None:
    found = changes(boxed(*PARAGRAPHS["en"]), boxed(*PARAGRAPHS["en"], box=box))
    assert found.kind.value == kind
    assert [row.kind.value for row in found.rows if row.kind.value != "kept"] == ["added"][: kind != "none"]


def test_print_and_amp_pages_without_a_canonical_address_are_the_article_they_print(tmp_path: Path) -> None:
    ordinary = visited("en", 1)
    with open_stores(f"sqlite:{tmp_path / 'news'}") as stores:
        stores.add(ordinary)
        stores.commit()
        for ending in ("?print=1", "/amp", "/print"):
            form = replace(ordinary, id="", url=f"https://daily.example/pier{ending}", canonical_url=None)
            assert DuplicateDetector(stores).as_new_article(form).id == ordinary.id
            assert (
                identify(DuplicateDetector(stores).as_new_article(replace(form, title="Quite another title")))
                != ordinary.id
            )
            same_crawl = DuplicateDetector(stores)
            same_crawl.as_new_article(ordinary)
            with pytest.raises(Rejected):
                same_crawl.as_new_article(form)
            stores.add(DuplicateDetector(stores).as_new_article(replace(form, text="The text as it is printed.")))
        assert [s.outcome for s in stores.commit()] == [Outcome.UNCHANGED] * 3
        assert stores.count() == 1
