"""Why a page gave no article."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import Any


class Reason(StrEnum):
    """Why a page was not made into an article; counted under `webmain/rejected/REASON` in a crawl."""

    NOT_HTML = "not_html"  # binary, PDF, image, JSON, feed ..., whatever the header claims
    EMPTY = "empty"  # no bytes, or white space only
    NO_BLOCKS = "no_blocks"  # markup without any text
    NO_TEXT = "no_text"  # the extractor kept nothing
    DUPLICATE = "duplicate"  # this article is already stored, under this or another URL
    TOO_LARGE = "too_large"  # more bytes than `max_bytes`
    TOO_SLOW = "too_slow"  # more seconds of CPU time than `timeout_s`
    BLOCKED = "blocked"  # an access wall: 401, 403, 429, captcha, consent page
    HTTP_ERROR = "http_error"  # any other status that is not a success
    NOT_ARTICLE = "not_article"  # a hub, section, search, tag or author page; another kind of page than is required
    BOILERPLATE = "boilerplate"  # the text recurs on pages of its site under other titles
    OTHER_LANGUAGE = "other_language"  # not the language that was asked for
    TOO_OLD = "too_old"  # published before `since`
    TOO_NEW = "too_new"  # published from `until` on
    UNDATED = "undated"  # no date was found, and `undated` is "reject"
    OTHER_SECTION = "other_section"  # its page names another section than those that were asked for
    OPTED_OUT = "opted_out"  # the page forbids what it is wanted for
    INTERNAL_ERROR = "internal_error"  # an unforeseen error, or the death of the page's process; other pages go on

    @classmethod
    def _missing_(cls, value: object) -> Reason | None:
        """Read the name that `internal_error` had in earlier records."""
        return cls.INTERNAL_ERROR if value == "failed" else None


class Rejected(ValueError):  # noqa: N818 - the page was rejected; the program made no error
    """A page that cannot give an article, with the reason; an ordinary, picklable exception."""

    def __init__(self, reason: Reason, detail: str = "", *, url: str | None = None) -> None:
        super().__init__(f"{reason.value}: {detail}" if detail else reason.value)
        self.reason = reason  # the kind of rejection, for counting
        self.detail = detail  # one sentence for people
        self.url = url  # the page's URL where it is known

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Rejected, url=self.url), (self.reason, self.detail)
