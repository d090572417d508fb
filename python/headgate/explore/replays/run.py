"""One replay for the page: the engine's side makes its summary and its pictures while the trace is read here."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable
from typing import Any

from ... import _core
from ...base.errors import HeadgateError
from ..store import Finished
from ..wire import StoppedError
from .packets import Whole, following
from .rows import Rows
from .settings import Settings
from .trace import Read
from .views import ReplayPicture

#: The name of the line, which is the only port.
PORT = "line"

#: Packets whose rows are all kept; the engine's side knows how many unless it is given.
MOST: int | None = None

#: Seconds after which a first part is shown, the part of the trace that may have passed by then, and packets that are shown at once.
FIRST_S, FIRST, FEW = _core.REPLAY_FIRST


def replayed(
    settings: Settings, control: _core.Control, most_bytes: int, first: Callable[[Finished], None] = lambda part: None
) -> Finished:
    """Replays a trace.

    Args:
        settings: of the replay.
        control: stops it, and receives the progress.
        most_bytes: that it may take.
        first: called with the first part of a long replay.

    Raises:
        StoppedError: the control stopped it.
        HeadgateError: something in the settings is wrong, or the replay takes more memory than it may.
        TraceError: the trace cannot be read.
    """

    def reading(share: float, _: int = 0) -> None:
        if control.stopped:
            raise StoppedError
        control.report(share)

    began, engine = time.perf_counter(), settings.engine
    found = settings.trace.read(settings.reading, reading)
    running = _Running(settings, found, _core.Replay(engine), most_bytes, began)
    first_shown = found.packets <= FEW
    for share in settings.trace.steps(running.core, settings.reading):
        reading(share)
        running.collect()
        if not first_shown and share < FIRST and running.shown.reached > 0 and time.perf_counter() - began > FIRST_S:
            first_shown = True
            first(running.finished(running.shown.reached))
    return running.finished()


class _Running:
    """A replay while it runs."""

    def __init__(self, settings: Settings, found: Read, core: _core.Replay, most: int, began: float) -> None:
        """Takes an engine that has not begun, and the bytes that all of it may take."""
        self.settings, self.found, self.core, self._began = settings, found, core, began
        try:
            self.shown = _core.Replayed(settings.core, found.found, core, most, MOST)
        except ValueError as e:
            raise HeadgateError(str(e)) from None

    def collect(self) -> None:
        """Takes what the engine has done since the last time."""
        try:
            self.shown.collect(self.core)
        except ValueError as e:
            raise HeadgateError(str(e)) from None

    def finished(self, until: float | None = None) -> Finished:
        """The replay as the page keeps it, or its first part, up to a time."""
        settings = self.settings
        text, pictures, end = self.shown.shown(self.core, until)
        told = json.loads(text)
        more: dict[str, Any] = {
            "settings": settings, "disciplines": settings.resolved["queues"], "follow": following(settings, end),
            "key": settings.key if until is None else "",
        }  # fmt: skip
        rows = self.shown.rows(until is None)
        if rows is not None:
            packets = Whole(Rows(rows), end)
            more |= {"packets": packets, "size": packets.size, "rows": packets.size}
        name = secrets.token_hex(8)
        done = {"run": name, "seconds": time.perf_counter() - self._began, **told}
        return Finished(
            name, settings.data, {}, int(done["seed"]), [PORT], self.found.found.names, end, done,
            [ReplayPicture(picture, end) for picture in pictures], {(0, 0): None}, [(settings.core.bps, 0.0)], more,
        )  # fmt: skip
