"""The requests about papers."""

from __future__ import annotations

import threading
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ... import _core
from ...explore import progress
from ...explore.request import body, number_of, reply, scenario_of, text_of, threaded, whole_of
from ...explore.runs import Runs
from ...explore.stream import Stream
from ...explore.wire import RequestError
from .answers import listed, shown
from .runs import Reproducer, measured, opened
from .shelf import Shelf

#: Numbers of runs and of an item's numbers are below this.
MANY = 10_000_000


class PaperRoutes:
    """Answers requests about the papers of a page; all of them fail where it shows none."""

    def __init__(self, shelf: Shelf | None, runs: Runs) -> None:
        """Takes the papers, and the threads on which runs are made."""
        self._shelf, self._runs = shelf, runs
        self._reproducer = None if shelf is None else Reproducer(shelf, runs.at_a_time, runs.at_a_time * runs.most)

    def routes(self) -> list[Route]:
        """The requests."""
        return [
            Route("/api/papers", self._list),
            Route("/api/papers/measure", self._measure, methods=["POST"]),
            Route("/api/papers/reproduce", self._reproduce, methods=["POST"]),
            Route("/api/papers/item", self._item),
            Route("/api/papers/open", self._open),
        ]

    @property
    def shelf(self) -> Shelf:
        """The papers."""
        if self._shelf is None:
            raise RequestError(404, "expected a report or a paper; this page shows none")
        return self._shelf

    async def _list(self, _: Request) -> Response:
        return reply(await threaded(listed, self.shelf))

    async def _item(self, request: Request) -> Response:
        name = request.query_params.get("paper", "")
        item = self.shelf.item(name, request.query_params.get("item", ""))
        return reply(await threaded(shown, self.shelf.paper(name), item, name in self.shelf.here))

    async def _open(self, request: Request) -> Response:
        query = request.query_params
        name, number = query.get("paper", ""), None
        item = self.shelf.item(name, query.get("item", ""))
        if query.get("number"):
            number = int(number_of(query, "number", 0))
            self.shelf.number(name, item.item, number)
        claim, variant = query.get("claim") or None, query.get("variant") or None
        at = int(number_of(query, "run", 0)) if query.get("run") else None
        return reply(await threaded(opened, self.shelf.paper(name), item, number, claim, variant, at))

    async def _measure(self, request: Request) -> Response:
        parameters, notifier = await body(request), progress.Notifier()
        name = text_of(parameters, "paper")
        paper, item = self.shelf.paper(name), self.shelf.item(name, text_of(parameters, "item"))
        variant, at, scenario = (
            text_of(parameters, "variant"),
            whole_of(parameters, "run", MANY, 0),
            scenario_of(parameters),
        )

        def work(control: _core.Control) -> dict[str, Any]:
            return measured(paper, item, variant, at, scenario, control)

        control, future = self._runs.call(work, notifier)

        def stop() -> None:
            future.cancel()
            control.stop()

        return Stream(progress.of_work(future, lambda: control.share, notifier), stop)

    async def _reproduce(self, request: Request) -> Response:
        parameters, notifier = await body(request), progress.Notifier()
        paper, item = text_of(parameters, "paper"), text_of(parameters, "item")
        _ = self.shelf
        assert self._reproducer is not None
        share, stopped = [0.0], threading.Event()

        def report(done: float) -> None:
            share[0] = done

        work = self._reproducer.work(paper, item, stopped, report)
        try:
            _, future = self._runs.call(work, notifier)
        except RequestError:
            self._reproducer.free()
            raise
        future.add_done_callback(lambda _: self._free())

        def stop() -> None:
            stopped.set()
            future.cancel()

        return Stream(progress.of_work(future, lambda: share[0], notifier), stop)

    def _free(self) -> None:
        if self._reproducer is not None:
            self._reproducer.free()
