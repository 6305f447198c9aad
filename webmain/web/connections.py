"""uvicorn's server, with what it lacks.

Connections that are idle or send a body in tiny parts are closed, and Ctrl-C twice ends it at once, without an error.
"""

from __future__ import annotations

import asyncio
import logging
from types import FrameType
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_HEAD_BYTES: Final = 32_768
"""Most bytes of the head of a request."""

HEAD_S: Final = 10.0
"""Seconds between two checks of a connection; one that had no request in progress at both is closed."""

SMALL_BYTES: Final = 512
MAX_SMALL: Final = 1_000
"""Most parts of a body that are smaller: each takes as long to parse as a large one, and all requests wait meanwhile."""


NO_HTTP: Final = (
    "This is no HTTP request. In an address, encode characters beyond ASCII, and spaces: curl -G --data-urlencode."
)


class _Connection(h11.Connection):
    """Refuses a body in too many small parts."""

    n_small = 0

    def next_event(self) -> Any:
        """Return what comes next."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            self.n_small = 0
        elif isinstance(event, h11.Data):
            self.n_small += len(event.data) < SMALL_BYTES
            if self.n_small > MAX_SMALL:
                raise h11.RemoteProtocolError("the body comes in too many small parts")
        return event


class BoundedProtocol(H11Protocol):
    """uvicorn's HTTP protocol, with limits for idle connections and for small parts of a body."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start checking the connection at intervals."""
        self.conn = _Connection(h11.SERVER, MAX_HEAD_BYTES)
        super().connection_made(transport)
        self._idle = False
        self._check = self.loop.call_later(HEAD_S, self._close_if_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop checking."""
        self._check.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, unless an answer is under way; then, as nothing more can be sent, close the connection."""
        try:
            super().send_400_response(NO_HTTP)
        except h11.LocalProtocolError:
            self.transport.close()
        if self.cycle is not None:
            self.cycle.disconnected = True  # the application's own answer is dropped

    def _close_if_idle(self) -> None:
        state: Any = self.conn.their_state
        was_idle, self._idle = self._idle, state is h11.IDLE
        if was_idle and self._idle:
            self.transport.close()
        else:
            self._check = self.loop.call_later(HEAD_S, self._close_if_idle)


class Server(uvicorn.Server):
    """uvicorn's server; a second Ctrl-C, which ends it without waiting for anything, leaves no traceback in the log."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop, at the second Ctrl-C at once."""
        super().handle_exit(sig, frame)
        logging.getLogger("uvicorn.error").disabled = self.force_exit
