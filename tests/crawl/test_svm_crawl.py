"""What `svm` gives in a crawl and by `extract_site`: the same method for each page, and the same text."""

from collections import Counter

import pytest

import webmain
from webmain.archive.recording import WarcWriter

SECTIONS = "Harbour Market Council Theatre Railway Weather Letters Archive".split()


def sentences(number: int, n: int, topic: str) -> str:
    return " ".join(
        f"The {topic} of pier {number} heard on day {i} that boat {number * i + 7} had brought {i + 3} crates of fish."
        for i in range(1, n)
    )


def new_layout(number: int) -> str:
    story = [sentences(number, n, topic) for n, topic in ((4, "master"), (6, "council"), (5, "market"))]
    menu = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in SECTIONS)
    return (
        f"<html><head><title>Crates at pier {number}</title><meta name=description content='{story[0][:150]}'></head>"
        f"<body><ul class=menu>{menu}</ul><div class=story>" + "".join(f"<p>{p}</p>" for p in story) + "</div>"
        "<div class=foot><p>All rights of this newspaper are reserved.</p></div></body></html>"
    )


def old_layout(number: int) -> str:
    """A page without a description; its footer stands like the new layout's paragraphs, its text like that one's footer."""
    links = "".join(f"<p>Our pages of the {name} industry, the {name} trade and its markets</p>" for name in SECTIONS)
    story = "".join(f"<p>{sentences(number, n, 'warden')}</p>" for n in (5, 6))
    return (
        f"<html><head><title>The warden of pier {number}</title></head><body><div class=foot>{story}</div>"
        f"<div class='story old'>{links}</div></body></html>"
    )


@pytest.mark.parametrize(
    ("layouts", "told"),
    [
        ((new_layout,) * 6 + (old_layout,) * 7, "on 7 of them no text matches the page's description"),
        ((old_layout,) * 8, "none of 8 pages has a description of its own; its pages are judged by learned"),
        ((new_layout,) * 3, "svm wants 5 pages, there are 3; its pages are judged by learned"),
    ],
)
def test_a_crawl_and_extract_site_judge_each_page_by_the_same_method(crawl, tmp_path, layouts, told):
    html = {f"https://pier.example/{n}": layout(n) for n, layout in enumerate(layouts, 20)}
    writer = WarcWriter(tmp_path / "pages.warc.gz")
    for url, markup in html.items():
        writer.write(url, 200, [("Content-Type", "text/html; charset=utf-8")], markup.encode())
    writer.close()
    crawled = crawl("archive", path=str(tmp_path / "pages.warc.gz"), extractor="svm")
    found = {a["url"]: (a["extractor"], a["text"]) for a in crawled.articles()}
    alike = webmain.extract_site([webmain.Page(url=url, html=markup) for url, markup in html.items()], extractor="svm")
    assert found == {a.url: (a.extractor, a.text) for a in alike if isinstance(a, webmain.Article)}
    assert len(found) == len(html)
    n_described = layouts.count(new_layout) if len(layouts) > 5 else 0
    assert told in crawled.log
    methods = Counter(method for method, _ in found.values())
    assert methods == Counter(svm=n_described, learned=len(html) - n_described)
    assert f"by method    {', '.join(f'{n} {name}' for name, n in methods.most_common())}\n" in crawled.out
    assert not any("industry" in text for method, text in found.values() if method == "svm")
