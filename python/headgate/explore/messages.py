"""Requests of a page that are sent as messages instead of over HTTP, as from a notebook: the same application answers them.

A request is `{"ask": name, "method", "path", "body"}`, where the name is the page's own choice. The answer is `{"answer": name, "status",
"type", "file"}` and then its parts, `{"part": name, "last": bool}`, each with its bytes beside it. `{"stop": name}` ends a request, and
`{"leave": prefix}` all requests whose names begin with the prefix. `{"heard": name}` acknowledges a part: when many parts are not
acknowledged, the page counts as closed, and its work ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import unquote

from starlette.types import ASGIApp, Message, Scope

#: Requests of a page at a time.
MOST = 256

#: Parts that may wait for an acknowledgement: those of ten minutes of a run. A kernel that runs a cell handles no messages meanwhile.
MOST_UNACKNOWLEDGED = 6000

Send = Callable[[dict[str, Any], list[bytes]], None]


@dataclass
class _Request:
    """A request that is answered now."""

    task: asyncio.Task[None] | None = None
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    unacknowledged: int = 0


@cache
def loop() -> asyncio.AbstractEventLoop:
    """An event loop in a separate thread: kernels deliver messages from several threads, some of them while a cell works."""
    found = asyncio.new_event_loop()
    threading.Thread(target=found.run_forever, name="headgate widgets", daemon=True).start()
    return found


class Messages:
    """Answers the messages of a page. It may be called from any thread."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str], send: Send) -> None:
        """`headers` are those of each request; `send` takes a message and the bytes beside it, from the loop's thread."""
        self._app, self._send, self._loop = app, send, loop()
        self._headers = [(k.lower().encode("latin-1"), v.encode("latin-1")) for k, v in headers.items()]
        self._requests: dict[str, _Request] = {}

    def receive_message(self, message: Any) -> None:
        """Handles a message. Anything that is not a message of the page is ignored."""
        self._loop.call_soon_threadsafe(self._receive, message)

    def close(self, prefix: str = "") -> None:
        """Ends all requests whose names begin with a prefix, and stops their work."""
        self._loop.call_soon_threadsafe(self._close, prefix)

    def _receive(self, message: Any) -> None:
        match message:
            case {"ask": str(name), "method": str(method), "path": str(path)}:
                body = message.get("body")
                self._start_request(name, method, path, body.encode() if isinstance(body, str) else b"")
            case {"heard": str(name)} if name in self._requests:
                self._requests[name].unacknowledged = 0
            case {"stop": str(name)} if name in self._requests:
                self._requests[name].cancelled.set()
            case {"leave": str(prefix)}:
                self._close(prefix)

    def _close(self, prefix: str) -> None:
        for name, request in self._requests.items():
            if name.startswith(prefix):
                request.cancelled.set()

    def _start_request(self, name: str, method: str, path: str, body: bytes) -> None:
        if name in self._requests or not path.startswith("/api/"):
            return
        if len(self._requests) >= MOST:
            self._send({"answer": name, "status": 503, "type": "", "file": ""}, [])
            self._send({"part": name, "last": True}, [b""])
            return
        request = self._requests[name] = _Request()
        request.task = self._loop.create_task(self._answer(name, request, method, path, body))

    async def _answer(self, name: str, request: _Request, method: str, path: str, body: bytes) -> None:
        started, left = False, [body]

        async def receive() -> Message:
            if left:
                return {"type": "http.request", "body": left.pop(), "more_body": False}
            await request.cancelled.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            nonlocal started
            if request.cancelled.is_set():
                raise OSError("nobody hears the answer")
            if message["type"] == "http.response.start":
                started = True
                self._send({"answer": name, **_head(message)}, [])
                return
            last = not message.get("more_body", False)
            self._send({"part": name, "last": last}, [message.get("body", b"")])
            request.unacknowledged += 1
            if request.unacknowledged > MOST_UNACKNOWLEDGED:
                request.cancelled.set()

        try:
            # The application has answered its own errors with their status already.
            with contextlib.suppress(Exception):
                await self._app(self._scope(method, path), receive, send)
            if not started and not request.cancelled.is_set():
                self._send({"answer": name, "status": 500, "type": "", "file": ""}, [])
                self._send({"part": name, "last": True}, [b""])
        finally:
            del self._requests[name]

    def _scope(self, method: str, path: str) -> Scope:
        raw, _, query = path.partition("?")
        return {
            "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": unquote(raw), "raw_path": raw.encode(), "query_string": query.encode(), "root_path": "", "client": None,
            "server": None, "headers": self._headers,
        }  # fmt: skip

    @property
    def busy(self) -> int:
        """Requests that are answered now."""
        return len(self._requests)


def _head(message: Message) -> dict[str, Any]:
    """The status, the type and the file's name of an answer."""
    headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in message["headers"]}
    file = headers.get("content-disposition", "").partition('filename="')[2].rstrip('"')
    return {"status": message["status"], "type": headers.get("content-type", ""), "file": file}
