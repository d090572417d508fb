"""What the explorer answers to values that mean nothing: an error in its own form, whatever they are."""

from __future__ import annotations

import base64
import contextlib
import socket
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.explore.patience import WAITING
from headgate.explore.runs import Runs
from headgate.explore.serve import Servers
from headgate.explore.server import Explorer
from headgate.explore.subject import Subject

from ..explorer import Page, scenario
from ..explorer import page as page

PATHS = [
    "links.slow.rate",
    "links.slow.delay",
    "links.slow.queue.buffer",
    "duration",
    "flows.0.packet",
    "hosts.noise",
    "flows.0.control.window",
]

#: JSON values, large and small numbers among them.
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False)
    | st.integers()
    | st.sampled_from([-1, 1e308, 10**30])
    | st.text(max_size=20),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=5), children, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize("value", [-1, -0.5, 1e308, 10**30])
@pytest.mark.parametrize("path", ["links.slow.rate", "links.slow.delay", "links.slow.queue.buffer", "duration"])
def test_a_number_that_is_no_quantity(page: Page, path: str, value: float) -> None:
    answer = page.post("/api/set", {"scenario": scenario(), "path": path, "value": value})
    assert answer.status_code == 422, answer.text
    message = answer.json()["error"]["message"]
    assert path.split(".")[-1] in message and "expected" in message, message


@settings(max_examples=60)
@given(path=st.sampled_from(PATHS) | st.text(max_size=12), value=VALUES)
def test_any_value_of_a_control(path: str, value: Any) -> None:
    answer = _page().post("/api/set", {"scenario": scenario(), "path": path, "value": value})
    assert answer.status_code in (200, 400, 422), answer.text
    if answer.status_code != 200:
        assert answer.json()["error"]["message"]


POSTS = ["/api/controls", "/api/set", "/api/run", "/api/compare", "/api/link", "/api/unlink", "/api/lessons/game/answer",
         "/api/papers/measure", "/api/papers/reproduce"]  # fmt: skip


@settings(max_examples=60)
@given(path=st.sampled_from(POSTS), body=VALUES)
def test_any_body(path: str, body: Any) -> None:
    answer = _page().post(path, body)
    assert answer.status_code in (200, 400, 404, 422), answer.text
    if answer.status_code != 200:
        assert answer.json()["error"]["message"]


_PAGES: list[Page] = []


def _page() -> Page:
    """One page for all examples."""
    if not _PAGES:
        _PAGES.append(Page())
    return _PAGES[0]


def test_what_was_not_foreseen_is_an_error_like_any_other(
    page: Page, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def broken(*_: object) -> None:
        raise ZeroDivisionError("by\x1b[2J zero")

    monkeypatch.setattr(Explorer, "_start", broken)
    answer = Page().get("/api/start")
    assert answer.status_code == 500
    assert "fault of headgate" in answer.json()["error"]["message"]
    assert answer.headers["cache-control"] == "no-store"
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "/api/start" in said and "ZeroDivisionError" in said and "\x1b" not in said


@pytest.mark.parametrize(
    "body",
    [b'{"scenario": "\\ud800"}', b'{"\\udfff": 1}', b'{"a": ["\xed\xa0\x80"]}', b"[" * 9000, b"\xff"],
)  # fmt: skip
@pytest.mark.parametrize("path", [*POSTS, "/api/quick", "/api/phase", "/api/front/open"])
def test_what_no_answer_could_hold_is_refused(page: Page, path: str, body: bytes) -> None:
    """Half of a pair of surrogates is no text (RFC 3629, section 3)."""
    answer = page.client.request("POST", path, content=body)
    assert answer.status_code == 400, (answer.status_code, answer.text)
    assert "expected a body in JSON, as text in UTF-8" in answer.json()["error"]["message"]


def test_half_a_pair_of_surrogates_in_a_link(page: Page) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    raw = packer.compress(b'{"name": "\\ud800"}') + packer.flush()
    answer = page.post("/api/unlink", {"fragment": base64.urlsafe_b64encode(raw).rstrip(b"=").decode()})
    assert answer.status_code == 422 and "damaged" in answer.json()["error"]["message"]


def test_unfinished_heads_of_requests_lock_nobody_out() -> None:
    """512 connections, each with a part of a head: the oldest are closed, and a whole request is answered."""
    servers = Servers(Runs(), 0)
    _, url = servers.start(Subject())
    port = int(url.split(":")[2].split("/")[0])
    held = []
    try:
        for _ in range(520):
            one = socket.create_connection(("127.0.0.1", port))
            one.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1")
            held.append(one)
        with socket.create_connection(("127.0.0.1", port)) as whole:
            whole.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
            assert whole.recv(100).startswith(b"HTTP/1.1 200 ")
        # Those that wait longest were closed: reading ends at once.
        for one in (held[0], held[520 - WAITING - 2]):
            with contextlib.suppress(ConnectionResetError):
                assert one.recv(1) == b""
        # The last ones may still finish.
        held[-1].sendall(f":{port}\r\nConnection: close\r\n\r\n".encode())
        assert held[-1].recv(100).startswith(b"HTTP/1.1 200 ")
    finally:
        for one in held:
            one.close()
        servers.close()
