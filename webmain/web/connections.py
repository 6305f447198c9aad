"""Closes idle connections: uvicorn itself waits without limit for the head of a request."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S: Final = 10.0
"""Seconds between two checks of a connection; one that had no request in progress at both is closed."""


class BoundedProtocol(H11Protocol):
    """uvicorn's HTTP protocol, with a time limit for the head of each request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start checking the connection at intervals."""
        super().connection_made(transport)
        self._idle = False
        self._look = self.loop.call_later(HEAD_S, self._close_if_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop checking."""
        self._look.cancel()
        super().connection_lost(exc)

    def _close_if_idle(self) -> None:
        state: Any = self.conn.their_state
        was_idle, self._idle = self._idle, state is h11.IDLE
        if was_idle and self._idle:
            self.transport.close()
        else:
            self._look = self.loop.call_later(HEAD_S, self._close_if_idle)
