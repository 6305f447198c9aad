"""Khaosaiklang: a Thai news site with Buddhist-era bylines, a JSON Feed, and one page in windows-874."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from demo import feeds
from demo.render import (
    as_json,
    comment_list,
    esc,
    figure,
    fill,
    interleave,
    news_article,
    open_graph,
    script,
    semantic,
    short_thai_date,
    thai_date,
    thai_digits,
)
from demo.site import Route, Site, page, pages_of
from demo.stories import Comment, Story
from demo.wire import Request, Response, Trap, gzipped, html, redirect, xml

NAME = "ข่าวสายกลาง"
SIGN_UP = "รับสรุปข่าวเช้าทางอีเมลทุกวันก่อนเจ็ดโมง สมัครฟรี ยกเลิกเมื่อไรก็ได้"
COOKIES = "เว็บไซต์นี้ใช้คุกกี้เพื่อพัฒนาประสบการณ์การใช้งานของท่าน การใช้งานต่อถือว่าท่านยอมรับนโยบายความเป็นส่วนตัว"
AD = "พื้นที่โฆษณา: ข้าวหอมใหม่ต้นฤดูจากนาริมคลอง สั่งวันนี้ส่งถึงบ้านพรุ่งนี้"
LINE = "กดติดตามข่าวสายกลางเพื่อไม่พลาดทุกข่าวสำคัญ"
DISCLAIMER = "ความคิดเห็นของผู้อ่านไม่เกี่ยวข้องกับกองบรรณาธิการ โปรดใช้ถ้อยคำสุภาพ"
_SECTION_PATHS = {
    "ท้องถิ่น": "local",
    "วิทยาศาสตร์": "science",
    "เศรษฐกิจ": "economy",
    "การศึกษา": "education",
    "กีฬา": "sport",
    "วัฒนธรรม": "culture",
}


class Khaosai(Site):
    """The Thai site; the host with www leads to the bare one."""

    key: ClassVar[str] = "khaosai"
    host: ClassVar[str] = "khaosaiklang.example"
    other_hosts: ClassVar[tuple[str, ...]] = ("www.khaosaiklang.example",)
    language: ClassVar[str] = "th"
    name: ClassVar[str] = NAME
    hub_titles: ClassVar[Mapping[str, str]] = {
        "latest": "ข่าวล่าสุด",
        "section": "{}",
        "tag": "ข่าวเกี่ยวกับ{}",
        "author": "ข่าวโดย {}",
    }

    def hub_path(self, kind: str, name: str) -> str:
        """Return a path with the section's name in English, others as they are."""
        return f"/{kind}/{_SECTION_PATHS.get(name, name)}" if name else f"/{kind}"

    def path(self, story: Story) -> str:
        """Return a numeric path, or for some stories one in Thai letters."""
        if "thai-slug" in story.forms:
            return f"/{story.section}/เครื่องเตือนฝุ่นราคาถูก-{story.number}"
        return f"/news/{story.number}"

    def story_routes(self, story: Story) -> Iterator[tuple[str, Route]]:
        """Serve a story at its path; a number alone leads there, a query chooses the page of a long one."""
        yield self.path(story), lambda request: self._article_reply(story, request)
        if not self.path(story).startswith("/news/"):
            yield f"/news/{story.number}", lambda _: redirect(self.url(story), status=302)

    def other_routes(self) -> dict[str, Route]:
        """Front page, hubs, feed and sitemaps at the usual places, none of them named in robots.txt."""
        routes: dict[str, Route] = {
            "/": page(self.front()),
            "/feed.json": lambda _: Response(200, {"Content-Type": "application/feed+json"}, self.json_feed().encode()),
            "/sitemap.xml": lambda _: xml(
                feeds.sitemap_index(self.absolute(p) for p in ("/sitemap/news-1.xml.gz", "/sitemap/google-news.xml")),
                kind="text/xml",
            ),
            "/sitemap/news-1.xml.gz": lambda _: gzipped(feeds.sitemap(self.dated()), kind="application/octet-stream"),
            "/sitemap/google-news.xml": lambda _: xml(feeds.news_sitemap(NAME, self.entries(self.stories[:4]))),
            "/about": page(self._plain("เกี่ยวกับเรา", "ข่าวสายกลางเป็นสำนักข่าวสมมติ ทุกเรื่องในเว็บนี้แต่งขึ้นเพื่อการทดสอบ")),
        }
        for path, title, found in self.hubs():
            pages = pages_of(found, 3)
            routes[path] = lambda request, path=path, title=title, pages=pages: html(  # type: ignore[misc]
                self._hub(path, title, pages, request.query.get("page", "1"))
            )
        return routes

    def robots(self) -> str:
        """Ask for a short delay, forbid the members' pages, name no sitemap."""
        return "User-agent: *\nCrawl-delay: 0.1\nDisallow: /member/\nDisallow: /search\n"

    def aliases(self, story: Story) -> tuple[str, ...]:
        """Return the forms with a campaign's parameters, and the bare number."""
        campaign = self.url(story) + "?utm_source=line&utm_medium=social"
        return (campaign, self.absolute(f"/news/{story.number}")) if "thai-slug" in story.forms else (campaign,)

    def noise(self, story: Story) -> tuple[str, ...]:
        """Return comments, teasers, boxes and banners."""
        comments = tuple(c.text for c in self._comments(story))
        return (SIGN_UP, COOKIES, AD, LINE, DISCLAIMER, *(s.summary for s in self.related(story, 4)), *comments)

    def traps(self) -> list[Trap]:
        """Return the hubs and the forbidden pages."""
        return [*self.hub_traps(), Trap(url=self.absolute("/member/profile"), what="forbidden by robots.txt")]

    def missing(self, request: Request) -> Response:
        """Answer 404 in Thai."""
        return html(self._plain("ไม่พบหน้าที่ต้องการ", "หน้านี้อาจถูกย้ายหรือไม่เคยมีอยู่"), status=404)

    def json_feed(self) -> str:
        """Return the feed of all stories."""
        return feeds.json_feed(self.channel("/feed.json", "ข่าวท้องถิ่นที่แต่งขึ้นทั้งหมด", "th"), self.entries())

    def front(self) -> str:
        """Render the front page, links carrying a campaign's parameters as they often do."""
        feed = f'<link rel="alternate" type="application/feed+json" title="{NAME}" href="{self.href("/feed.json")}">'
        groups = "\n".join(
            f'<div class="zone"><h2 class="zone-title"><a href="{self.href(self.hub_path("section", name))}">{name}</a></h2>'
            f"{self._cards(found[:3], query='?utm_source=home&utm_medium=zone')}</div>"
            for name, found in self.grouped(lambda s: [s.section]).items()
        )
        return self._shell(f"{NAME} | ข่าวท้องถิ่นวันนี้", self._cards(self.stories[:5]) + groups, head=feed)

    def _article_reply(self, story: Story, request: Request) -> Response:
        """Serve a story in the encoding and in the number of pages that its forms ask for."""
        part = 2 if "two-pages" in story.forms and request.query.get("page") == "2" else 1
        if "cp874" not in story.forms:
            return html(self.article(story, part=part))
        markup = self.article(story, charset="windows-874")
        return Response(200, {"Content-Type": "text/html"}, markup.encode("cp874", "xmlcharrefreplace"))

    def article(self, story: Story, *, part: int = 1, charset: str = "utf-8") -> str:
        """Render an article's page."""
        url, image = self.url(story), self.absolute(f"/img/{story.number}.svg")
        head = [f'<link rel="canonical" href="{url}">']
        if "open-graph" in story.forms:
            tags = open_graph(story, url=url, image=image, site_name=NAME, locale="th_TH")
            if "no-date-meta" in story.forms:
                tags = "\n".join(t for t in tags.split("\n") if "published_time" not in t)
            head.append(tags)
        if "json-ld" in story.forms:
            head.append(
                script(news_article(story, url=url, image=image, site_name=NAME, logo=self.absolute("/img/logo.svg")))
            )
        picture = figure(story.picture, self.href(f"/img/{story.number}.svg")) if story.picture and part == 1 else ""
        blocks, pager = story.blocks, ""
        if "two-pages" in story.forms:
            half = len(blocks) // 2
            blocks = blocks[:half] if part == 1 else blocks[half:]
            pager = self._pager(story, part, head)
        extras = {
            0: f'\n<div class="ads"><span>{AD}</span></div>',
            2: f'\n<div class="box-line">{LINE}</div>',
            3: f'\n<div class="box-mail"><p>{SIGN_UP}</p>'
            '<form><input type="email" placeholder="อีเมล"><button>สมัคร</button></form></div>',
        }
        comments = self._comments(story)
        main = fill(
            "khaosai_article.html",
            root=self.root,
            section=story.section,
            section_href=self.href(self.hub_path("section", story.section)),
            title=esc(story.title),
            byline=self._byline(story),
            picture=picture,
            body=interleave(semantic(blocks, root=self.root), lambda i: extras.get(i, "")),
            pager=pager,
            tags="\n".join(f'<a class="tag" href="{self.href(f"/tag/{t}")}">{esc(t)}</a>' for t in story.tags),
            related=self._cards(self.related(story, 4)),
            comments=comment_list(comments, reply="ตอบกลับ", ago="{} ชั่วโมงที่แล้ว"),
            disclaimer=DISCLAIMER,
        )
        return self._shell(f"{story.title} - {NAME}", main, head="\n".join(head), charset=charset)

    def _pager(self, story: Story, part: int, head: list[str]) -> str:
        """Link the two pages of a long story with each other."""
        second = f"{self.href(self.path(story))}?page=2"
        if part == 1:
            head.append(f'<link rel="next" href="{second}">')
            links = f'<a href="{second}">2</a> <a href="{second}">หน้าถัดไป</a>'
            return f'<div class="pager"><span class="on">1</span> {links}</div>'
        head.append(f'<link rel="prev" href="{self.href(self.path(story))}">')
        return f'<div class="pager"><a href="{self.href(self.path(story))}">1</a> <span class="on">2</span></div>'

    def _byline(self, story: Story) -> str:
        """Write who and when, in one of the ways that Thai papers do."""
        when = f"{thai_date(story.published)} เวลา {story.published:%H:%M} น."
        if "short-year" in story.forms:
            when = f"{short_thai_date(story.published)} {story.published:%H:%M} น."
        if "thai-digits" in story.forms:
            when = thai_digits(f"{thai_date(story.published)} เวลา {story.published:%H.%M} น.")
        names = ", ".join(f'<a href="{self.href(f"/author/{n}")}">{n}</a>' for n in story.authors)
        return f'<span class="by">โดย {names}</span> <span class="when">เผยแพร่ {when}</span>'

    def _hub(self, path: str, title: str, pages: Sequence[Sequence[Story]], asked: str) -> str:
        """Render one page of a hub; page numbers that don't exist give the first."""
        number = int(asked) if asked.isascii() and asked.isdigit() and 1 <= int(asked[:4]) <= len(pages) else 1
        links = "\n".join(
            f'<a href="{self.href(path)}{f"?page={n}" if n > 1 else ""}"{" class=on" if n == number else ""}>{n}</a>'
            for n in range(1, len(pages) + 1)
        )
        main = f'<h1>{esc(title)}</h1>{self._cards(pages[number - 1])}<div class="pager">{links}</div>'
        return self._shell(f"{title} | {NAME}", main)

    def _plain(self, title: str, text: str) -> str:
        return self._shell(f"{title} | {NAME}", f"<h1>{title}</h1><p>{text}</p>{self._cards(self.stories[:3])}")

    def _comments(self, story: Story) -> tuple[Comment, ...]:
        return self.comments_from(story.number, 6)

    def _cards(self, found: Sequence[Story], *, query: str = "") -> str:
        return "\n".join(
            f"""<div class="news-card"><a href="{self.href(self.path(s) + query)}">
<img src="{self.href(f"/img/{s.number}.svg")}" alt="{esc(s.title)}" loading="lazy" width="320" height="180"></a>
<div class="news-card-text"><h3><a href="{self.href(self.path(s) + query)}">{esc(s.title)}</a></h3>
<p>{esc(s.summary)}</p><small>{short_thai_date(s.published)}</small></div></div>"""
            for s in found
        )

    def _shell(self, title: str, main: str, *, head: str = "", charset: str = "utf-8") -> str:
        """Put the site round a page."""
        sections = self.grouped(lambda s: [s.section])
        state = [{"id": s.number, "title": s.title, "teaser": s.summary, "tags": s.tags} for s in self.stories]
        ranked = self.stories[1::2]
        return fill(
            "khaosai.html",
            charset=charset,
            title=esc(title),
            head=head,
            root=self.root,
            nav="\n".join(f'<li><a href="{self.href(self.hub_path("section", n))}">{n}</a></li>' for n in sections),
            tags="\n".join(f'<a href="{self.href(f"/tag/{t}")}">#{t}</a>' for t in self.grouped(lambda s: s.tags)),
            main=main,
            ranked="\n".join(f'<li><a href="{self.href(self.path(s))}">{esc(s.title)}</a></li>' for s in ranked),
            cookies=COOKIES,
            state=as_json({"items": state, "build": "2569.11.21", "ads": [f"zone-{n}" for n in range(40)]}),
        )
