"""One replay for the page: from its settings to the lines of its views and its summary."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _core
from ...base.errors import HeadgateError
from ..store import Finished
from ..wire import StoppedError
from .interval_sums import Binned
from .packets import Whole, following
from .rows import ALL, Filling
from .settings import Settings
from .summary import PORT, summary
from .trace import Read
from .views import Slots, views

#: Packets whose rows are all kept; the pictures of a longer trace are made of intervals.
MOST = 2_000_000

#: Bytes that a packet takes in the engine while it waits, that its delay takes, and that a flow takes at most for its delays.
WAITING, DELAY, DELAYS = 200, 8, 8 * 1024

#: Seconds after which a first part is shown, and the part of the trace that may have passed by then.
FIRST_S, FIRST = 0.1, 0.5

#: Fewer packets than this are shown at once.
FEW = 100_000


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
    running = _Running(
        settings, settings.trace.read(settings.reading, reading), _core.Replay(engine), most_bytes, began
    )
    first_shown = running.found.packets <= FEW
    for share in settings.trace.steps(running.core, settings.reading):
        reading(share)
        running.collect()
        if not first_shown and share < FIRST and running.reached > 0 and time.perf_counter() - began > FIRST_S:
            first_shown = True
            first(running.finished(running.reached))
    return running.finished()


class _Running:
    """A replay while it runs."""

    def __init__(self, settings: Settings, found: Read, core: _core.Replay, most: int, began: float) -> None:
        """Takes an engine that has not begun, and the bytes that all of it may take."""
        self.settings, self.found, self.core, self._most, self._began = settings, found, core, most, began
        delays = int(np.minimum(DELAY * found.flow_packets, DELAYS).sum())
        _require(delays, most, "a classify that gives fewer flows")
        self._bps = float(_core.quantity(settings.resolved["rate"])[2])
        self._slots = Slots.of_trace(found)
        by_row = found.packets <= min(MOST, most // ALL)
        # What is left when the last packet came takes the line this time at most.
        longest = found.span + 8.0 * found.bytes / self._bps
        self._rows: Filling | Binned = Filling(found.packets) if by_row else Binned(self._slots, longest)
        #: The arrival time of the last packet of which the outcome is known, as it is of all packets before it.
        self.reached = 0.0
        core.follow(0, 0.0, float("inf"), found.packets)

    def collect(self) -> None:
        """Takes what the engine has done since the last time."""
        _require(WAITING * self.core.waiting(0), self._most, "a smaller buffer")
        batch = self.core.followed(0)
        self._rows.add(batch)
        if len(batch["arrived"]):
            self.reached = float(np.asarray(batch["arrived"])[-1])

    def finished(self, until: float | None = None) -> Finished:
        """The replay as the page keeps it, or its first part, up to a time."""
        settings, found = self.settings, self.found
        whole = max(float(np.asarray(self.core.all(0)["span_s"])[0]), found.span)
        end = whole if until is None else until
        more: dict[str, Any] = {
            "settings": settings, "disciplines": settings.resolved["queues"], "follow": following(settings, end),
            "key": settings.key if until is None else "",
        }  # fmt: skip
        note, digest = None, ""
        if isinstance(self._rows, Filling):
            rows = self._rows.rows()
            shown = views(rows, self._slots, end, self._bps, found.longest)
            digest = rows.digest if until is None else ""
            packets = Whole(rows, end)
            more |= {"packets": packets, "size": packets.size, "rows": packets.size}
        else:
            shown, note = self._rows.views(end), _note(found.packets)
        name = secrets.token_hex(8)
        done: dict[str, Any] = {
            "run": name, "kind": "replay", "digest": digest, "seed": settings.resolved["seed"], "events": self.core.packets,
            "duration": whole, "until": end, "seconds": time.perf_counter() - self._began, "note": note,
            **summary(settings, self.core, found, self._slots, end), "views": [view.head() for view in shown],
        }  # fmt: skip
        return Finished(
            name, settings.data, {}, int(done["seed"]), [PORT], found.names, end, done, shown, {(0, 0): None},
            [(self._bps, 0.0)], more,
        )  # fmt: skip


def _require(taken: float, most: int, less: str) -> None:
    if taken > most:
        raise HeadgateError(
            f"expected a replay that takes at most {most / 1e6:.0f} MB of memory, found {taken / 1e6:.0f} MB; {less} takes less, "
            "and --max-memory allows more"
        )


def _note(packets: int) -> str:
    return (
        f"The trace has {packets:,} packets, more than are kept one by one: the pictures are made of {Binned.BINS:,} intervals over all of "
        "it. Single packets are followed in a part at a time."
    )
