"""Connections on which no request is: only so many are kept open, so that others find room."""

from __future__ import annotations

import asyncio
from itertools import count

from uvicorn.protocols.http.h11_impl import H11Protocol

#: Connections that may wait for a request, or for the rest of one's head, at a time. A browser keeps six.
WAITING = 64

_turns = count()


class PatientProtocol(H11Protocol):
    """A connection that is closed while no request is on it, once `WAITING` others have waited for less time than it.

    By this rule a client that opens many connections and sends a part of a request on each closes its own, and a page of a browser,
    whose requests are whole, is always answered. No clock is looked at.
    """

    #: The number of its turn, if it waits for a request.
    turn: int | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A connection waits for a request from its beginning."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """It waits no more once the head of a request is whole."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self.turn = None

    def on_response_complete(self) -> None:
        """After an answer it waits for the next request."""
        super().on_response_complete()
        if not self.transport.is_closing() and self.cycle.response_complete:
            self._wait()

    def _wait(self) -> None:
        self.turn = next(_turns)
        waiting = {c.turn: c for c in self.connections if isinstance(c, PatientProtocol) and c.turn is not None}
        if len(waiting) > WAITING:
            oldest = waiting[min(waiting)]
            oldest.turn = None
            oldest.transport.close()
