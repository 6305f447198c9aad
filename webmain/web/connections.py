"""Connections that ask for nothing are closed: uvicorn itself waits without end for the head of a request."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S: Final = 10.0
"""Seconds between two looks at a connection; one that was in the midst of no request both times is closed."""


class BoundedProtocol(H11Protocol):
    """HTTP of uvicorn, with a limit of time for the head of each request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Look at the connection now and then."""
        super().connection_made(transport)
        self._idle = False
        self._look = self.loop.call_later(HEAD_S, self._close_if_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        """Look no more."""
        self._look.cancel()
        super().connection_lost(exc)

    def _close_if_idle(self) -> None:
        state: Any = self.conn.their_state
        was_idle, self._idle = self._idle, state is h11.IDLE
        if was_idle and self._idle:
            self.transport.close()
        else:
            self._look = self.loop.call_later(HEAD_S, self._close_if_idle)
