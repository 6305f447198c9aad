"""The log of a whole crawl, as a person reads it."""

import re

LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d{4} \[[\w.-]+\] (?:INFO|WARNING): .+")
ADDRESS = re.compile(r"https://the-tangle\.example/p/[0-9a-f]{8}")


def test_every_line_has_its_time_and_no_page_two_lines(crawl):
    done = crawl("news", module="demo.settings", site="the-tangle.example")
    lines = done.log.splitlines()
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    assert len(lines) < 60
    told = [match[0] for line in lines if (match := ADDRESS.search(line))]
    assert len(told) > 10
    assert len(told) == len(set(told))
