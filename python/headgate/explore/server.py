"""The server: a page for this machine alone, and the requests that it answers."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from .. import __version__, _core
from ..scenario.links import LONGEST, fragment_of, scenario_in
from . import packets, pages, progress, story
from .compare import MOST as SEEDS
from .compare import compared
from .export import exported
from .front.routes import FrontRoutes, Opener
from .guard import Guard, Unforeseen
from .lesson import lesson
from .phases import checked
from .replays import export as replay_export
from .replays.difference import compared as of_replays
from .replays.settings import Settings
from .request import body, number_of, reply, scenario_of, seed_of, span_of, text_of, threaded, until_done, whole_of
from .runs import Runs
from .setup import Setup, controls, setup_of, with_value
from .stacked_backlog import Stacked
from .store import Finished
from .stream import Stream
from .study import Points
from .subject import Subject
from .wire import TOLD, RequestError, fault

#: What the front end is built into.
STATIC = Path(__file__).parent / "static"

#: Numbers of replications are at most this.
MOST_RUNS = 10_000_000


@dataclass
class Explorer:
    """A server and its state."""

    subject: Subject
    runs: Runs
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    port: int = 0
    #: Opens other pages from the start page; None where there can be none.
    opener: Opener | None = None

    def app(self) -> Starlette:
        """The application."""
        run = "/api/run/{run}"
        routes = [
            Route("/", self._page),
            Route("/api/start", self._start),
            Route("/api/controls", self._controls, methods=["POST"]),
            Route("/api/set", self._set, methods=["POST"]),
            Route("/api/run", self._run, methods=["POST"]),
            Route(f"{run}/series", self._series),
            Route(f"{run}/packets", self._packets),
            Route(f"{run}/packet/{{port:path}}/{{id:int}}", self._packet),
            Route(f"{run}/network", self._network),
            Route(f"{run}/export", self._export),
            Route(f"{run}/rows", self._rows),
            Route("/api/phase", self._phase, methods=["POST"]),
            Route("/api/compare", self._compare, methods=["POST"]),
            Route("/api/link", self._link, methods=["POST"]),
            Route("/api/unlink", self._unlink, methods=["POST"]),
            Route("/api/lessons/{name}", self._lesson),
            Route("/api/lessons/{name}/answer", self._answer, methods=["POST"]),
            Route("/api/study", self._study),
            Route("/api/study/grid", self._grid),
            Route("/api/study/variant/{number:int}", self._variant),
            *FrontRoutes(self.subject, self.opener).routes(),
            *pages.routes(self.subject.kind, self.subject.shelf, self.runs),
            Mount("/assets", StaticFiles(directory=STATIC / "assets", check_dir=False)),
        ]
        faults: dict[Any, Any] = {**dict.fromkeys(TOLD, _failed), 404: _missing, 405: _missing}
        app = Starlette(routes=routes, exception_handlers=faults)
        app.add_middleware(Unforeseen)
        app.add_middleware(Guard, explorer=self)
        return app

    async def _page(self, _: Request) -> Response:
        page = STATIC / "index.html"
        if not page.is_file():
            return PlainTextResponse("The page is not built; expected `npm run build` in the folder web.", 500)
        return FileResponse(page)

    async def _start(self, _: Request) -> Response:
        subject = self.subject
        scenario = subject.scenario
        return reply(
            {
                "version": __version__, "kind": subject.kind, "title": subject.title, "file": subject.file,
                "scenario": None if scenario is None else scenario.data,
                "controls": [] if scenario is None else await threaded(controls, scenario),
                "other": None if subject.other is None else subject.other.data, "chosen": subject.chosen,
                "lessons": [{"name": x.name, "title": x.title} for x in subject.lessons.values()],
            }
        )  # fmt: skip

    async def _controls(self, request: Request) -> Response:
        scenario = self._setup(await body(request))
        return reply({"controls": await threaded(controls, scenario)})

    async def _set(self, request: Request) -> Response:
        parameters = await body(request)
        path = text_of(parameters, "path")
        if "value" not in parameters:
            raise RequestError(400, "value: expected a value")
        scenario = await threaded(with_value, self._setup(parameters), path, parameters["value"])
        return reply({"scenario": scenario.data, "controls": await threaded(controls, scenario)})

    async def _run(self, request: Request) -> Response:
        parameters, notifier = await body(request), progress.Notifier()
        number = 0 if parameters.get("replication") is None else whole_of(parameters, "replication", MOST_RUNS, 0)
        job = self.runs.start(
            self._setup(parameters), seed_of(parameters), text_of(parameters, "tab"), notifier, number
        )
        return Stream(progress.of_run(job, notifier), job.stop)

    async def _series(self, request: Request) -> Response:
        run, query = self._of(request), request.query_params
        start, end = span_of(query, run.until)
        width = int(min(number_of(query, "width", 1000.0), 1e6))
        view = run.view(query.get("view", "throughput"))
        if isinstance(view, Stacked):
            await self._part(request, run, start)
        return reply(await threaded(view.points_of, run, start, end, width))

    async def _packets(self, request: Request) -> Response:
        run, query = self._of(request), request.query_params
        start, end = span_of(query, run.until)
        kind = query.get("kind", "all")
        if kind not in ("all", "drop"):
            raise RequestError(400, f"kind: found {kind[:80]!r}; expected all or drop")
        flow, limit = query.get("flow") or None, int(number_of(query, "limit", 200))
        port, at = query.get("port", ""), number_of(query, "at", start)
        part = await self._part(request, run, min(max(at, start), end))
        return reply(await threaded(packets.listed, run, part, port, (start, end), flow, kind == "drop", limit))

    async def _packet(self, request: Request) -> Response:
        run, port, number = self._of(request), request.path_params["port"], request.path_params["id"]
        part = await self._part(request, run, number_of(request.query_params, "at", 0.0), decisions=True)
        return reply(await threaded(story.story_of, run, part, port, number))

    async def _network(self, request: Request) -> Response:
        run = self._of(request)
        at = min(max(number_of(request.query_params, "at", run.until), 0.0), run.until)
        return reply(await threaded(packets.queues, run, await self._part(request, run, at), at))

    async def _export(self, request: Request) -> Response:
        query = request.query_params
        data, kind, name = await threaded(exported, self._of(request), query.get("form", "toml"), query.get("view"))
        return Response(data, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})

    async def _rows(self, request: Request) -> Response:
        """A row for each packet of a replay; the work stops when the page disconnects."""
        run, form = self._of(request), request.query_params.get("form", "csv")
        replay_export.require(form)
        if run.done.get("kind") != "replay":
            raise RequestError(404, "expected a replay: only its packets have rows")
        folder = Path(tempfile.mkdtemp(prefix="headgate-"))
        file = folder / f"{replay_export.file_name(run)}-packets.{form}"
        control, future = self.runs.call(lambda control: replay_export.rows_into(run, file, control))
        # The folder is removed when the file was sent, or on an error.
        ended = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
        try:
            await until_done(request, future, control)
        except BaseException:
            await ended()
            raise
        return FileResponse(file, filename=file.name, background=ended)

    async def _compare(self, request: Request) -> Response:
        parameters, notifier = await body(request), progress.Notifier()
        a, b = (self._setup(parameters.get(side)) for side in ("a", "b"))
        seeds, share = whole_of(parameters, "seeds", SEEDS), [0.0]

        def report(done: float) -> None:
            share[0] = done

        def work(control: _core.Control) -> dict[str, Any]:
            return self._compared(a, b, seeds, control, report)

        control, future = self.runs.call(work, notifier)
        return Stream(progress.of_work(future, lambda: share[0], notifier), control.stop)

    async def _phase(self, request: Request) -> Response:
        """Whether the shares of a run depend on the phase of arrivals; the work stops when the page disconnects."""
        parameters, notifier = await body(request), progress.Notifier()
        scenario, seed, share = scenario_of(parameters), seed_of(parameters), [0.0]
        number = whole_of(parameters, "replication", MOST_RUNS, 0)

        def report(done: float) -> None:
            share[0] = done

        def work(control: _core.Control) -> dict[str, Any]:
            return checked(scenario, seed, number, control, report)

        control, future = self.runs.call(work, notifier, unasked=True)

        def stop() -> None:
            future.cancel()
            control.stop()

        return Stream(progress.of_work(future, lambda: share[0], notifier), stop)

    async def _link(self, request: Request) -> Response:
        return reply({"fragment": fragment_of(self._setup(await body(request)).data)})

    async def _unlink(self, request: Request) -> Response:
        parameters = await body(request)
        return reply(
            {"scenario": scenario_in(text_of(parameters, "fragment", LONGEST).removeprefix("#").removeprefix("s="))}
        )

    async def _lesson(self, request: Request) -> Response:
        return reply(await threaded(lesson(request.path_params["name"], self.subject.lessons).page))

    async def _answer(self, request: Request) -> Response:
        of, parameters, notifier = (
            lesson(request.path_params["name"], self.subject.lessons),
            await body(request),
            progress.Notifier(),
        )
        scenario, answer = scenario_of(parameters), of.number(parameters.get("answer"))
        control, future = self.runs.call(lambda control: of.response_to(scenario, answer, control), notifier)
        return Stream(progress.of_work(future, lambda: 0.0, notifier), control.stop)

    async def _study(self, _: Request) -> Response:
        return reply(await threaded(self._points().page))

    async def _grid(self, request: Request) -> Response:
        query = request.query_params
        metric, x, y, flow = (query.get(key) for key in ("metric", "x", "y", "flow"))
        return reply(await threaded(self._points().grid, metric or "goodput", x or "", y, flow))

    async def _variant(self, request: Request) -> Response:
        return reply(await threaded(self._points().variant, request.path_params["number"]))

    def _compared(
        self, a: Setup, b: Setup, seeds: int, control: _core.Control, report: Callable[[float], None]
    ) -> dict[str, Any]:
        if isinstance(a, Settings) and isinstance(b, Settings):

            def replay(settings: Settings, report: Callable[[float], None]) -> Finished:
                return self.runs.store.like(settings.key) or self.runs.replay(settings, control)

            return of_replays(a, b, seeds, replay, control, report)
        if isinstance(a, Settings) or isinstance(b, Settings):
            raise RequestError(422, "expected two scenarios or two replays, found one of each")
        return compared(a, b, seeds, control, report)

    def _setup(self, found: Any) -> Setup:
        """The scenario, or the settings of a replay, in a request."""
        return setup_of(found, self.subject.trace)

    def _points(self) -> Points:
        if self.subject.points is None:
            raise RequestError(404, "expected a study; this page shows none")
        return self.subject.points

    async def _part(self, request: Request, run: Finished, at: float, decisions: bool = False) -> packets.Followed:
        """The packets around a time, if `decisions` with their numbers; the work stops when the page disconnects."""
        found = packets.kept_of(run, min(max(at, 0.0), run.until), decisions)
        if found is None:
            control, future = self.runs.call(lambda control: packets.packets_of(run, at, control, decisions))
            await until_done(request, future, control)
            found = future.result()
        return found

    def _of(self, request: Request) -> Finished:
        """The run that a request is about."""
        return self.runs.store.get(request.path_params["run"])


async def _failed(_: Request, e: Exception) -> Response:
    return reply(fault(e), e.status if isinstance(e, RequestError) else 422)


async def _missing(_: Request, e: Exception) -> Response:
    status = getattr(e, "status_code", 404)
    return reply({"error": {"message": "There is no such page.", "path": None, "line": None}}, status)
