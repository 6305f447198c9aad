from __future__ import annotations

from collections import Counter

import pytest

from demo.stories import blocks, stories
from webmain.items import Kind

SITES = ("courier", "khaosai", "tangle")


def test_every_mark_of_the_light_markup_becomes_its_kind() -> None:
    body = """
A first *line*
and its second.

## Head

### Smaller

- one
- two

1. first
2. second

> said

| a | b |
| c | d |

```
x = 1

y = 2
```
!! under a picture
"""
    found = list(blocks(body))
    assert [b.kind for b in found] == [
        Kind.PARAGRAPH,
        Kind.HEADING,
        Kind.HEADING,
        Kind.LIST_ITEM,
        Kind.LIST_ITEM,
        Kind.LIST_ITEM,
        Kind.LIST_ITEM,
        Kind.QUOTE,
        Kind.TABLE,
        Kind.CODE,
        Kind.CAPTION,
    ]
    assert found[0].plain == "A first line and its second."
    assert [b.level for b in found[1:3]] == [2, 3]
    assert [b.ordered for b in found[3:7]] == [False, False, True, True]
    assert found[8].plain == "a\tb\nc\td"
    assert found[9].plain == "x = 1\n\ny = 2"


@pytest.mark.parametrize("site", SITES)
def test_stories_are_complete_and_newest_first(site: str) -> None:
    found = stories(site)
    assert [s.published for s in found] == sorted((s.published for s in found), reverse=True)
    for story in found:
        assert story.published.utcoffset() is not None
        assert len([b for b in story.blocks if b.kind is Kind.PARAGRAPH]) >= 3
        assert len(story.text) >= 600
        assert story.title
        assert story.authors
        assert story.summary
        assert not any("*" in b.plain for b in story.blocks if b.kind is not Kind.CODE)
        assert not story.modified or story.modified > story.published


def test_numbers_titles_and_texts_are_all_different() -> None:
    found = [s for site in SITES for s in stories(site)]
    for values in ([s.number for s in found], [s.title for s in found], [b.plain for s in found for b in s.blocks]):
        repeated = [v for v, n in Counter(values).items() if n > 1 and len(str(v)) > 40]
        assert not repeated
