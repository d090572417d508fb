"""A response that is sent line by line, and that stops its work when the client disconnects."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from starlette.responses import Response
from starlette.types import Receive, Scope, Send


class Stream(Response):
    """Lines of JSON, sent as they are made."""

    media_type = "application/x-ndjson"

    def __init__(self, lines: AsyncIterator[bytes], stop: Callable[[], None]) -> None:
        """Takes the lines, and what is called when the connection is closed before the last one, or when it was sent."""
        super().__init__()
        del self.headers["content-length"]
        self._lines, self._stop = lines, stop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the answer."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        sending = asyncio.create_task(self._send(send))
        disconnected = asyncio.create_task(_closed(receive))
        try:
            await asyncio.wait({sending, disconnected}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        except OSError:
            # The client has disconnected.
            pass
        finally:
            self._stop()
            for task in (sending, disconnected):
                task.cancel()
            await asyncio.gather(sending, disconnected, return_exceptions=True)

    async def _send(self, send: Send) -> None:
        async for line in self._lines:
            await send({"type": "http.response.body", "body": line, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _closed(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
