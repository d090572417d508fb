"""Requests of a page that come as messages instead of over HTTP, as from a notebook: the same application answers them, in this process.

A request is `{"ask": name, "method", "path", "body"}`, where the name is the page's own choice. The answer is `{"answer": name, "status",
"type", "file"}` and then its parts, `{"part": name, "last": bool}`, each with its bytes beside it. `{"stop": name}` ends a request, and
`{"leave": prefix}` all whose names begin so. `{"heard": name}` says that a part has arrived: when many were sent and none was heard of, the
page is gone, and its work ends.
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

#: Parts that a page may leave unheard: ten minutes of a run. A kernel that works on a cell may hear of nothing meanwhile.
UNHEARD = 6000

Send = Callable[[dict[str, Any], list[bytes]], None]


@dataclass
class _Ask:
    """A request that is answered now."""

    task: asyncio.Task[None] | None = None
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    unheard: int = 0


@cache
def loop() -> asyncio.AbstractEventLoop:
    """An event loop in a separate thread: kernels hand messages on from several threads, some of them while a cell works."""
    found = asyncio.new_event_loop()
    threading.Thread(target=found.run_forever, name="headgate widgets", daemon=True).start()
    return found


class Messages:
    """Answers the messages of a page. It may be called from any thread."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str], send: Send) -> None:
        """`headers` are those of each request; `send` takes a message and the bytes beside it, from the loop's thread."""
        self._app, self._send, self._loop = app, send, loop()
        self._headers = [(k.lower().encode("latin-1"), v.encode("latin-1")) for k, v in headers.items()]
        self._asked: dict[str, _Ask] = {}

    def take(self, message: Any) -> None:
        """Takes a message. What is no message of the page is left alone."""
        self._loop.call_soon_threadsafe(self._take, message)

    def close(self, prefix: str = "") -> None:
        """Ends all requests whose names begin so; their work stops."""
        self._loop.call_soon_threadsafe(self._close, prefix)

    def _take(self, message: Any) -> None:
        match message:
            case {"ask": str(name), "method": str(method), "path": str(path)}:
                body = message.get("body")
                self._ask(name, method, path, body.encode() if isinstance(body, str) else b"")
            case {"heard": str(name)} if name in self._asked:
                self._asked[name].unheard = 0
            case {"stop": str(name)} if name in self._asked:
                self._asked[name].gone.set()
            case {"leave": str(prefix)}:
                self._close(prefix)

    def _close(self, prefix: str) -> None:
        for name, asked in self._asked.items():
            if name.startswith(prefix):
                asked.gone.set()

    def _ask(self, name: str, method: str, path: str, body: bytes) -> None:
        if name in self._asked or not path.startswith("/api/"):
            return
        if len(self._asked) >= MOST:
            self._send({"answer": name, "status": 503, "type": "", "file": ""}, [])
            self._send({"part": name, "last": True}, [b""])
            return
        asked = self._asked[name] = _Ask()
        asked.task = self._loop.create_task(self._answer(name, asked, method, path, body))

    async def _answer(self, name: str, asked: _Ask, method: str, path: str, body: bytes) -> None:
        begun, left = False, [body]

        async def receive() -> Message:
            if left:
                return {"type": "http.request", "body": left.pop(), "more_body": False}
            await asked.gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            nonlocal begun
            if asked.gone.is_set():
                raise OSError("nobody hears the answer")
            if message["type"] == "http.response.start":
                begun = True
                self._send({"answer": name, **_head(message)}, [])
                return
            last = not message.get("more_body", False)
            self._send({"part": name, "last": last}, [message.get("body", b"")])
            asked.unheard += 1
            if asked.unheard > UNHEARD:
                asked.gone.set()

        try:
            # An error of the application is answered with its status before it comes here.
            with contextlib.suppress(Exception):
                await self._app(self._scope(method, path), receive, send)
            if not begun and not asked.gone.is_set():
                self._send({"answer": name, "status": 500, "type": "", "file": ""}, [])
                self._send({"part": name, "last": True}, [b""])
        finally:
            del self._asked[name]

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
        return len(self._asked)


def _head(message: Message) -> dict[str, Any]:
    """The status, the type and the file's name of an answer."""
    headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in message["headers"]}
    file = headers.get("content-disposition", "").partition('filename="')[2].rstrip('"')
    return {"status": message["status"], "type": headers.get("content-type", ""), "file": file}
