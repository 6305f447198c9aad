from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from starlette.testclient import TestClient

from webmain.web.app import create_app
from webmain.web.config import Config, Limits

ORIGIN = "http://localhost:8000"
SENTENCE = "The harbour master said that the boats would leave in the morning, before the tide turned. "
PAGE = (
    "<html lang=en><title>Boats leave</title><ul><li><a href=/>Home</a></ul>"
    f"<h1>Boats leave</h1><p>{SENTENCE * 4}<p>{SENTENCE * 3}"
)

Connect = Callable[..., "Browser"]


class Browser(TestClient):
    """A client that keeps cookies and sends forms as a browser does."""

    def __init__(self, **settings: object) -> None:
        super().__init__(
            create_app(Config(**settings)), base_url=ORIGIN, follow_redirects=False, raise_server_exceptions=False
        )

    def send_form(self, path: str, data: dict[str, object], *, page: str = "/", **other: object):
        """Open a page, and send its form."""
        token = form_token(self.get(page).text)
        return self.post(path, data=data | {"form_token": token}, headers={"origin": ORIGIN}, **other)

    def extract(self, **data: object):
        """Send the form of the first page."""
        return self.send_form("/extract", data)


@pytest.fixture
def connect() -> Iterator[Connect]:
    """What starts an application of a configuration, and returns a client of it."""
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(Browser(**settings))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A client of one application for many tests: its worker is started once."""
    with Browser(limits=Limits(workers=1), store="sqlite:/nowhere/articles.db") as client:
        yield client


def form_token(page: str) -> str:
    """The token of the forms on a page."""
    return re.search(r'name="form_token" value="([0-9a-f]+)"', page)[1]
