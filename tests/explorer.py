"""What the tests of the explorer share: a server in the process of the test, and a client of it.

The client speaks to the application itself, so that paths arrive as a hostile browser would send them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes, urlencode

import pytest

pytest.importorskip("starlette")

from headgate.explore.runs import Runs
from headgate.explore.server import Explorer
from headgate.explore.subject import Subject
from headgate.scenario.scenario import Scenario

from .conftest import dumbbell

PORT = 8377
BASE = f"http://127.0.0.1:{PORT}"


@dataclass
class Answer:
    status_code: int
    headers: dict[str, str]
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode()

    def json(self) -> Any:
        return json.loads(self.content)


class Client:
    """Asks an application."""

    def __init__(self, app: Any, headers: dict[str, str]) -> None:
        self.app, self.headers = app, headers

    def request(self, method: str, path: str, headers: dict[str, str] | None = None, content: bytes = b"") -> Answer:
        return asyncio.run(self.asked(method, path, headers, content))

    async def asked(
        self,
        method: str,
        path: str,
        headers: dict[str, str] | None = None,
        content: bytes = b"",
        close_after: int | None = None,
    ) -> Answer:
        """`close_after`: the connection is closed when this many pieces of the answer were received; -1: as soon as it was asked."""
        sent = {"Host": f"127.0.0.1:{PORT}", **self.headers, **(headers or {})}
        raw, _, query = path.partition("?")
        scope = {
            "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": unquote_to_bytes(raw).decode("utf-8", "replace"), "raw_path": raw.encode(), "query_string": query.encode(),
            "root_path": "", "client": ("127.0.0.1", 1), "server": ("127.0.0.1", PORT),
            "headers": [(k.lower().encode("latin-1"), v.encode("latin-1")) for k, v in sent.items()],
        }  # fmt: skip
        parts: list[dict[str, Any]] = []
        asked, closed = [False], asyncio.Event()

        async def receive() -> dict[str, Any]:
            if not asked[0]:
                asked[0] = True
                if close_after == -1:
                    closed.set()
                return {"type": "http.request", "body": content, "more_body": False}
            await closed.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            parts.append(message)
            if close_after is not None and len(parts) > close_after:
                closed.set()

        await self.app(scope, receive, send)
        head = {k.decode().lower(): v.decode("latin-1") for k, v in parts[0]["headers"]}
        return Answer(parts[0]["status"], head, b"".join(part.get("body", b"") for part in parts[1:]))


class Page:
    """A page that asks a server, as the browser's does."""

    def __init__(self, content: Subject | None = None, **more: Any) -> None:
        self.explorer = Explorer(content or Subject(), Runs(**more), port=PORT)
        self.client = Client(self.explorer.app(), {"X-Headgate-Token": self.explorer.token})

    def get(self, path: str, headers: dict[str, str] | None = None, **query: Any) -> Answer:
        return self.client.request("GET", f"{path}?{urlencode(query)}" if query else path, headers)

    def post(self, path: str, body: Any) -> Answer:
        return self.client.request("POST", path, content=json.dumps(body).encode())

    def lines(self, path: str, body: Any) -> list[dict[str, Any]]:
        answer = self.post(path, body)
        assert answer.status_code == 200, answer.text
        return [json.loads(line) for line in answer.text.splitlines()]

    def run(self, scenario: dict[str, Any], seed: int | None = None, tab: str = "tab") -> dict[str, Any]:
        last = self.lines("/api/run", {"scenario": scenario, "seed": seed, "tab": tab})[-1]
        assert "done" in last, last
        return dict(last["done"])


@pytest.fixture
def page() -> Iterator[Page]:
    found = Page()
    yield found
    found.explorer.runs.close()


def scenario(**more: Any) -> dict[str, Any]:
    """Two flows over a slow line, for 70 s."""
    flows = [
        {"name": "window", "from": "s", "to": "k", "control": {"kind": "generic", "window": 30}},
        {"name": "reno", "from": "s", "to": "k", "control": "newreno", "start": "5s"},
    ]
    whole = dumbbell({"kind": "fq", "buffer": "15pkt"}, flows, name="two flows", duration="70s", interval="10s")
    whole["links"][1]["classify"] = "flow"  # type: ignore[index]
    return {**whole, **more}


def content(**more: Any) -> Subject:
    return Subject("scenario", "two flows", "two.toml", Scenario(scenario(**more)))
