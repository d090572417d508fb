"""The server: a page for this machine alone, which asks for a token, and the requests that it answers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from .. import __version__
from .._core import ScenarioError
from ..errors import HeadgateError
from ..scenario import Scenario
from .content import Content
from .controls import controls, turned
from .guard import Guard
from .runs import Job, Runs, StoppedError
from .stream import Stream
from .wire import RequestError, encode, fault, line

#: Maximum length of the body of a request, in bytes.
LONGEST = 8_000_000

#: Seconds between two reports of progress.
REPORT_S = 0.1

STATIC = Path(__file__).parent / "static"


@dataclass
class Explorer:
    """A server and its state."""

    content: Content
    runs: Runs
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    port: int = 0

    def app(self) -> Starlette:
        """The application."""
        routes = [
            Route("/", self._page),
            Route("/api/start", self._start),
            Route("/api/controls", self._controls, methods=["POST"]),
            Route("/api/set", self._set, methods=["POST"]),
            Route("/api/run", self._run, methods=["POST"]),
            Route("/api/run/{run}/series", self._series),
            Mount("/assets", StaticFiles(directory=STATIC / "assets", check_dir=False)),
        ]
        app = Starlette(
            routes=routes, exception_handlers={HeadgateError: _failed, ScenarioError: _failed, 404: _missing}
        )
        app.add_middleware(Guard, explorer=self)
        return app

    async def _page(self, _: Request) -> Response:
        page = STATIC / "index.html"
        if not page.is_file():
            return PlainTextResponse("The page is not built; expected `npm run build` in the folder web.", 500)
        return FileResponse(page)

    async def _start(self, _: Request) -> Response:
        content = self.content
        data = None if content.scenario is None else content.scenario.data
        return reply(
            {
                "version": __version__, "kind": content.kind, "title": content.title, "file": content.file, "scenario": data,
                "controls": [] if content.scenario is None else controls(content.scenario), "lessons": [],
            }
        )  # fmt: skip

    async def _controls(self, request: Request) -> Response:
        scenario = scenario_of(await body(request))
        return reply({"controls": await threaded(controls, scenario)})

    async def _set(self, request: Request) -> Response:
        given = await body(request)
        scenario = turned(scenario_of(given), text_of(given, "path"), given.get("value"))
        return reply({"scenario": scenario.data, "controls": await threaded(controls, scenario)})

    async def _run(self, request: Request) -> Response:
        given = await body(request)
        scenario, seed, tab = scenario_of(given), seed_of(given), text_of(given, "tab")
        news = asyncio.Event()
        loop = asyncio.get_running_loop()

        def wake() -> None:
            # The loop is closed when the server ends.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(news.set)

        job = self.runs.start(scenario, seed, tab, wake)
        return Stream(lines(job, news), job.stop)

    async def _series(self, request: Request) -> Response:
        run, query = self.runs.store.get(request.path_params["run"]), request.query_params
        start, end = number_of(query.get("from"), "from", 0.0), number_of(query.get("to"), "to", run.until)
        width = number_of(query.get("width"), "width", 1000.0)
        if not end > start:
            raise RequestError(400, f"to: found {end}; expected more than `from`, {start}")
        points = await threaded(run.view(query.get("view", "throughput")).points, start, end, int(min(width, 1e6)))
        return reply(points)


async def lines(job: Job, news: asyncio.Event) -> AsyncIterator[bytes]:
    """What is to be said of a run, line by line, until it has ended."""
    shown = False
    while not job.future.done():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(news.wait(), REPORT_S)
        news.clear()
        if job.future.done():
            break
        if job.part is not None and not shown:
            shown = True
            yield line({"preview": job.part.done})
        yield line({"progress": job.share})
    if job.future.cancelled():
        yield line({"error": {"message": "The run was stopped.", "path": None, "line": None}})
        return
    e = job.future.exception()
    if e is None:
        yield line({"done": job.future.result().done})
    elif isinstance(e, StoppedError):
        yield line({"error": {"message": "The run was stopped.", "path": None, "line": None}})
    elif isinstance(e, HeadgateError | ScenarioError):
        yield line(fault(e))
    elif isinstance(e, MemoryError):
        yield line({"error": {"message": "No memory is left for this run.", "path": None, "line": None}})
    else:
        raise e


def reply(value: Any) -> Response:
    """A value as JSON."""
    return Response(encode(value), media_type="application/json")


async def threaded(work: Callable[..., Any], *args: Any) -> Any:
    """The result of a function, while other requests are answered."""
    return await asyncio.to_thread(work, *args)


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
        found = json.loads(b"".join(parts))
    except (ValueError, RecursionError):
        raise RequestError(400, "expected a body in JSON") from None
    if not isinstance(found, dict):
        raise RequestError(400, f"expected a table, found {type(found).__name__}")
    return found


def scenario_of(given: dict[str, Any], key: str = "scenario") -> Scenario:
    """The scenario in a request.

    Raises:
        RequestError: there is none.
    """
    found = given.get(key)
    if not isinstance(found, dict):
        raise RequestError(400, f"{key}: expected a scenario, found {type(found).__name__}")
    return Scenario(found)


def seed_of(given: dict[str, Any]) -> int | None:
    """The seed in a request; None for that of the scenario."""
    seed = given.get("seed")
    if seed is None:
        return None
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**64:
        raise RequestError(400, f"seed: found {str(seed)[:80]}; expected a whole number from 0 to {2**64 - 1}")
    return seed


def text_of(given: dict[str, Any], key: str, longest: int = 1000) -> str:
    """A text in a request."""
    found = given.get(key)
    if not isinstance(found, str) or not 0 < len(found) <= longest:
        raise RequestError(400, f"{key}: expected a text of 1 to {longest} characters")
    return found


def number_of(text: str | None, key: str, default: float) -> float:
    """A number in the query of a request."""
    if text is None:
        return default
    try:
        found = float(text)
    except ValueError:
        found = float("nan")
    if not abs(found) < 1e15:
        raise RequestError(400, f"{key}: found {text[:80]!r}; expected a number")
    return found


async def _failed(_: Request, e: Exception) -> Response:
    response = reply(fault(e))
    response.status_code = e.status if isinstance(e, RequestError) else 422
    return response


async def _missing(_: Request, _e: Exception) -> Response:
    response = reply({"error": {"message": "There is no such page.", "path": None, "line": None}})
    response.status_code = 404
    return response


#: What answers a request.
Handler = Callable[[Request], Awaitable[Response]]
