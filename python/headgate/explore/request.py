"""The parameters of a request, in its body and its query, checked."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from .._core import Control
from ..scenario.scenario import Scenario
from .wire import RequestError, encode, parsed

#: Maximum length of the body of a request, in bytes.
LONGEST = 8_000_000


def reply(value: Any, status: int = 200) -> Response:
    """A value as JSON; bytes are such a text already."""
    return Response(value if isinstance(value, bytes) else encode(value), status, media_type="application/json")


async def threaded(work: Callable[..., Any], *args: Any) -> Any:
    """The result of a function, while other requests are answered."""
    return await asyncio.to_thread(work, *args)


async def until_done(request: Request, future: Future[Any], control: Control) -> None:
    """Waits for work, and stops it when the client disconnects.

    Raises:
        RequestError: it was stopped.
    """
    ended, loop = asyncio.Event(), asyncio.get_running_loop()

    def wake(_: Future[Any]) -> None:
        # After the end of the server there is no loop to wake.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(ended.set)

    # No future of the loop for each wait: one that is abandoned would report the work's error on the terminal.
    future.add_done_callback(wake)
    try:
        while not ended.is_set():
            if await request.is_disconnected():
                raise RequestError(499, "the page has left")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), 0.1)
    finally:
        control.stop()
        await ended.wait()
    future.result()


async def body(request: Request) -> dict[str, Any]:
    """The table in the body of a request.

    Raises:
        RequestError: it is too long, or no JSON.
    """
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > LONGEST:
            raise RequestError(413, f"expected a body of at most {LONGEST // 1_000_000} MB, found a longer one")
        parts.append(part)
    try:
        found = parsed(b"".join(parts))
    except (ValueError, RecursionError):
        raise RequestError(400, "expected a body in JSON, as text in UTF-8") from None
    if not isinstance(found, dict):
        raise RequestError(400, f"expected a table, found {type(found).__name__}")
    return found


def scenario_of(parameters: Any, key: str = "scenario") -> Scenario:
    """The scenario in a request.

    Raises:
        RequestError: there is none.
    """
    found = parameters.get(key) if isinstance(parameters, dict) else None
    if not isinstance(found, dict):
        raise RequestError(400, f"{key}: expected a scenario, found {type(found).__name__}")
    return Scenario(found)


def seed_of(parameters: Mapping[str, Any]) -> int | None:
    """The seed in a request; None for that of the scenario."""
    return None if parameters.get("seed") is None else whole_of(parameters, "seed", 2**64 - 1, 0)


def whole_of(parameters: Mapping[str, Any], key: str, most: int, least: int = 1) -> int:
    """A whole number in a request."""
    found = parameters.get(key)
    if not isinstance(found, int) or isinstance(found, bool) or not least <= found <= most:
        raise RequestError(400, f"{key}: found {str(found)[:80]}; expected a whole number from {least} to {most}")
    return found


def text_of(parameters: Mapping[str, Any], key: str, longest: int = 1000) -> str:
    """A text in a request."""
    found = parameters.get(key)
    if not isinstance(found, str) or not 0 < len(found) <= longest:
        raise RequestError(400, f"{key}: expected a text of 1 to {longest} characters")
    return found


def number_of(query: Mapping[str, str], key: str, default: float) -> float:
    """A number in the query of a request."""
    text = query.get(key)
    if text is None or text == "":
        return default
    try:
        found = float(text)
    except ValueError:
        found = float("nan")
    if not abs(found) < 1e15:
        raise RequestError(400, f"{key}: found {text[:80]!r}; expected a number")
    return found


def span_of(query: Mapping[str, str], until: float) -> tuple[float, float]:
    """The requested part of a run: `from` is before `to`."""
    start, end = number_of(query, "from", 0.0), number_of(query, "to", until)
    if not end > start:
        raise RequestError(400, f"to: found {end}; expected more than `from`, {start}")
    return start, end
