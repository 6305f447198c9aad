from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from starlette.testclient import TestClient

from webmain.processes.pool import Pool
from webmain.web import tasks
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


class Kept(Pool):
    """Workers that stay when an application ends, for the next one."""

    def close(self) -> None:
        pass


@pytest.fixture(scope="session", autouse=True)
def workers() -> Iterator[None]:
    """Workers are shared by all applications that ask for the same ones: to start them takes a second."""
    pools: dict[tuple[bytes, int], Kept] = {}

    def shared(setup: Callable[[], Any], n: int) -> Pool:
        asked = pickle.dumps(setup), n
        pools[asked] = pools.get(asked) or Kept(setup, n)
        return pools[asked]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "Pool", shared)
        yield
    for pool in pools.values():
        Pool.close(pool)


@pytest.fixture
def connect() -> Iterator[Connect]:
    """What starts an application of a configuration, and returns a client of it."""
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(Browser(**settings))


@pytest.fixture(scope="session")
def browser(workers: None) -> Iterator[Browser]:
    """A client of one application for many tests."""
    with Browser(limits=Limits(workers=1), store="sqlite:/nowhere/articles.db") as client:
        yield client


def form_token(page: str) -> str:
    """The token of the forms on a page."""
    return re.search(r'name="form_token" value="([0-9a-f]+)"', page)[1]
