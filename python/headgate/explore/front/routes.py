"""The requests of the start page."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ...base.errors import cut
from ...plugins import registry
from ...scenario.examples import RECORDED, examples
from ...scenario.scenario import Scenario
from ..lesson import Lesson
from ..request import body, reply, text_of, threaded
from ..subject import Subject
from ..wire import RequestError
from . import cards, folder
from .builder import ADDED, FIRST, answers_of, built, with_value

#: Begins another page for a file or a paper, and gives its address.
Opener = Callable[[Path], str]


class FrontRoutes:
    """Answers the requests of the start page. Only a page that began with it has files."""

    def __init__(self, subject: Subject, opener: Opener | None) -> None:
        """Takes what the page begins with, and what opens files that are no scenario (in a notebook nothing does)."""
        self._place, self._lessons, self._allow_files = subject.place, subject.lessons, subject.allow_files
        self._opener = opener

    def routes(self) -> list[Route]:
        """The requests."""
        return [
            Route("/api/front", self._front),
            Route("/api/front/files", self._files),
            Route("/api/front/open", self._open, methods=["POST"]),
            Route("/api/quick", self._quick, methods=["POST"]),
        ]

    async def _front(self, _: Request) -> Response:
        return reply(await threaded(front, self._lessons))

    async def _quick(self, request: Request) -> Response:
        return reply(await threaded(_changed, await body(request)))

    async def _files(self, _: Request) -> Response:
        place = self._place
        found = [] if place is None else await threaded(folder.found_in, place)
        files = [{"name": each.name, "kind": each.kind, "about": cards.first(each.about)} for each in found]
        return reply({"folder": "" if place is None else place.resolve().name, "files": files})

    async def _open(self, request: Request) -> Response:
        parameters = await body(request)
        return reply(await threaded(self.opened, text_of(parameters, "kind"), text_of(parameters, "name")))

    def opened(self, kind: str, name: str) -> dict[str, Any]:
        """A scenario for this page, the address of another page, or the command that shows it."""
        file, is_scenario = self._file(kind, name)
        answer = {"scenario": None, "address": None, "command": shlex.join(["headgate", "explore", str(file)])}
        if is_scenario:
            base = Scenario.from_file(file, self._allow_files).base()
            base.resolve()
            return {**answer, "scenario": base.data}
        return answer if self._opener is None else {**answer, "address": self._opener(file)}

    def _file(self, kind: str, name: str) -> tuple[Path, bool]:
        """What a card is about, and whether it is a scenario. Only what is on a card is opened."""
        if kind == "example":
            found = next((each for each in examples() if each.name == name), None)
            if found is not None:
                return found.file, name not in RECORDED
        elif kind == "paper":
            if any(each["name"] == name for each in cards.of_papers()):
                return Path(name), False
        elif kind == "file" and self._place is not None:
            listed = folder.one_in(self._place, name)
            if listed is not None:
                return self._place / name, listed.kind == "scenario"
        raise RequestError(404, f"{cut(kind)} {cut(repr(name))}: expected one that the start page lists")


def _changed(parameters: dict[str, Any]) -> dict[str, Any]:
    """The scenario for the answers of a request, after the one at `path` was set to `value`."""
    answers = parameters.get("given", {})
    if not isinstance(answers, dict):
        raise RequestError(400, f"given: expected a table, found {type(answers).__name__}")
    # What is typed on a page chooses among what there is. It does not name files to run, in a notebook either.
    with registry.sealed_here():
        if "path" not in parameters:
            return built(answers)
        return built(with_value(answers_of(answers), text_of(parameters, "path"), parameters.get("value")))


def front(lessons: Mapping[str, Lesson]) -> dict[str, Any]:
    """What the start page begins with, with these lessons."""
    return {
        "builder": built(FIRST), "added": [{"label": label, "flows": flows} for label, flows in ADDED.items()],
        "lessons": cards.of_lessons(lessons), "examples": cards.of_examples(), "papers": cards.of_papers(),
    }  # fmt: skip
