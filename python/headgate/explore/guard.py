"""Which requests are answered: only those of this machine's browser, on a page that this server sent, with its token."""

from __future__ import annotations

import secrets
from typing import Protocol
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .wire import encode, unforeseen

#: Every answer has these. No script runs that is no file of this server, and no other page may frame or read an answer.
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guarded(Protocol):
    """A server with a token and a port."""

    token: str
    port: int


class Guard:
    """Answers only requests to this server's own name, from its own pages, with its token; adds the headers of safety."""

    def __init__(self, app: ASGIApp, explorer: Guarded) -> None:
        """Takes the application, and the server whose token and port count."""
        self._app, self._explorer = app, explorer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def safe(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        fault = self._fault(scope)
        if fault:
            text = encode({"error": {"message": fault, "path": None, "line": None}})
            # A stranger's connection is closed: kept open, it would wait in the place of one of a page.
            await Response(text, 403, {"Connection": "close"}, media_type="application/json")(scope, receive, safe)
        else:
            await self._app(scope, receive, safe)

    def _fault(self, scope: Scope) -> str:
        """Why a request is not answered; empty if it is."""
        headers, port = Headers(scope=scope), self._explorer.port
        known = {f"127.0.0.1:{port}", f"localhost:{port}"}
        if headers.get("host", "") not in known:
            # Otherwise a page elsewhere could read this server under another name (DNS rebinding).
            return "expected the host 127.0.0.1 or localhost"
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{name}" for name in known}:
            return "expected a request from a page of this server"
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("t", [None])[0]
        path: str = scope["path"]
        if path.startswith("/api"):
            if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
                return "expected a request from a page of this server"
            return "" if self._known(headers.get("x-headgate-token") or given) else "expected this server's token"
        # The page itself holds no secret: after a reload it reads its token from the session storage of the tab.
        return "expected this server's token" if given is not None and not self._known(given) else ""

    def _known(self, token: str | None) -> bool:
        return token is not None and secrets.compare_digest(token.encode(), self._explorer.token.encode())


class Unforeseen:
    """Answers unexpected exceptions in the form of all errors, and prints a line about it on the terminal."""

    def __init__(self, app: ASGIApp) -> None:
        """Takes the application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        started = False

        async def noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except Exception as e:
            said = unforeseen(scope.get("path", "")[:80], e)
            if not started:
                await Response(encode(said), 500, media_type="application/json")(scope, receive, noted)
