import pytest
from scrapy.http import Response

from webmain.crawl.validators import validators

MODIFIED = "Sat, 21 Nov 2026 10:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"ETag": '"a"', "Last-Modified": MODIFIED}, ('"a"', MODIFIED)),
        ({"ETag": 'W/"a"'}, ('W/"a"', None)),
        ({"ETag": "a-gzip"}, ("a-gzip", None)),  # without quotes, as some servers do
        ({"ETag": '"a"', "Vary": "Accept-Encoding, User-Agent"}, ('"a"', None)),
        ({"ETag": '"a"', "Vary": "*"}, (None, None)),
        ({"ETag": '""'}, (None, None)),
        ({"ETag": 'W/""'}, (None, None)),
        ({"ETag": "*"}, (None, None)),
        ({"ETag": "x" * 2000}, (None, None)),
        ({"ETag": "a\x01b"}, (None, None)),
        ({"Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"}, (None, None)),
        ({"Last-Modified": "Sat, 21 Nov 2099 10:00:00 GMT"}, (None, None)),
        ({"Last-Modified": "yesterday"}, (None, None)),
        ({}, (None, None)),
    ],
)
def test_only_validators_of_use_are_kept(headers, expected):
    assert validators(Response("https://news.example/", headers=headers)) == expected
