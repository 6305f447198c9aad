import time

import pytest

from webmain.discovery.links import MAX_DATA_LINKS, data_links
from webmain.html.document import Document
from webmain.items import Page

SITE = "https://news.example"


def links(html):
    return data_links(Document(Page(url=SITE + "/latest", html=html), html=html))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ('{"url":"/news/1"}', "/news/1"),
        ('{"href" : "/news/1?x=2"}', "/news/1?x=2"),
        ('{"path":"\\/news\\/1"}', "/news/1"),
        ('{"articleUrl":"https://news.example/1"}', "/1"),
        (r'self.push([1,"{\"href\":\"/news/1\"}"])', "/news/1"),
        (r'self.push([1,"{\"href\":\"https:\\/\\/news.example\\/1\"}"])', "/1"),
        ('{"url":"news"}', None),
        ('{"title":"/news/1"}', None),
        ('{"url":"/a b"}', None),
        ('{"url":"javascript:/x/"}', None),
        ('{"url":""}', None),
    ],
)
def test_addresses_are_read_from_data(data, expected):
    assert links(f"<script>{data}</script>") == ((SITE + expected,) if expected else ())


def test_addresses_are_bounded_and_each_once():
    assert len(links("".join(f'"url":"/news/{n}"' for n in range(3000)))) == MAX_DATA_LINKS
    assert links('"url":"/a","href":"/a"') == (SITE + "/a",)


@pytest.mark.parametrize(
    "piece", ['"url":"', '"url":"/', '"url"   ', '"url":"/a/', '\\"url\\"', '"url":"https:', "\\\\/", '"']
)
def test_repeated_pieces_are_read_in_linear_time(piece):
    source = piece * (1_000_000 // len(piece))
    start = time.process_time()
    links(source)
    assert time.process_time() - start < 3
