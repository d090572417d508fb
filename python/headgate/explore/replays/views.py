"""The views of a replay: rates, waits, what waits, and drops, of the flows with most bytes one by one and of all others together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ... import _core
from ...base.counts import counted
from ..views import Line, View, picture

if TYPE_CHECKING:
    from ..store import Finished
    from .rows import Rows
    from .trace import Read

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Flows with lines of their own.
NAMED = 11

#: Intervals of a rate in the range that is shown.
INTERVALS = 120

#: Longest packets that an interval of a rate takes to be sent, at least: a shorter one would show single packets.
PACKETS = 8


@dataclass
class Slots:
    """Which line each flow has: a separate one, or that of all others."""

    names: list[str]
    #: Of each line the flow that it is about; None for that of the others.
    flows: list[str | None]
    of: npt.NDArray[np.uint8]

    @classmethod
    def of_trace(cls, read: Read) -> Slots:
        """The flows with most bytes, in the order of the trace."""
        count = len(read.names)
        most = NAMED if count > NAMED + 1 else count
        chosen = np.sort(np.argsort(-read.flow_bytes, kind="stable")[:most])
        of = np.full(count, most, dtype=np.uint8)
        of[chosen] = np.arange(most)
        names = [read.names[i] for i in chosen.tolist()]
        others = [counted(count - most, "other flow")] if count > most else []
        return cls([*names, *others], [*names, *([None] * len(others))], of)

    def picture(self, name: str, title: str, unit: str, stacked: bool = False) -> _core.View:
        """A view of these lines, whose points are computed when they are asked for."""
        none = np.empty(0)
        lines = [Line(line, flow, none, none) for line, flow in zip(self.names, self.flows, strict=True)]
        return picture(name, title, unit, lines, stacked=stacked)


@dataclass
class Rates(View):
    """Bits over time in intervals of the range that is shown."""

    #: For each line: when the bytes of each packet start to arrive, when all of them have arrived, and the sum of all bytes so far.
    curves: list[tuple[Floats, Floats, Floats]] = field(default_factory=list)
    least: float = 0.0
    until: float = 0.0

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return sum(array.nbytes for curve in self.curves for array in curve)

    def points_of(self, run: Finished, start: float, end: float, width: int) -> bytes:
        """Its lines from `start` to `end`: JSON text."""
        lines, wide = self._lines(max(start, 0.0), min(end, self.until), min(INTERVALS, max(width, 1)))
        return self.with_lines(lines).core.all(start, end, wide)

    def whole(self, run: Finished) -> View:
        """The view with all its points, as the picture of the whole replay has them."""
        return self.with_lines(self._lines(0.0, self.until, INTERVALS)[0])

    def _lines(self, start: float, end: float, count: int) -> tuple[list[Line], float]:
        """The rates from `start` to `end`, and the length of an interval."""
        t, rates, wide = self._rates(start, end, count)
        return [Line(x.name, x.flow, t, y) for x, y in zip(self.lines, rates, strict=True)], wide

    def _rates(self, start: float, end: float, count: int) -> tuple[Floats, list[Floats], float]:
        """Times at which intervals begin, and the last end; of each line the rates; and the length of an interval."""
        wide = max((end - start) / count, self.least)
        if not wide > 0 or not end > start:
            return np.empty(0), [np.empty(0) for _ in self.curves], wide
        # Intervals begin at multiples of their length, so that they stay where they are when the range moves.
        first, last = int(start / wide), int(np.ceil(end / wide - 1e-9))
        edges = np.minimum(np.arange(first, last + 1) * wide, max(self.until, end))
        edges = np.unique(edges)
        span = np.diff(edges)
        rates = []
        for curve in self.curves:
            bits = 8.0 * np.diff(_bytes_by(curve, edges))
            y = bits / span
            rates.append(np.append(y, y[-1]) if y.size else y)
        return edges[: edges.size if span.size else 0], rates, wide


def _bytes_by(curve: tuple[Floats, Floats, Floats], t: Floats) -> Floats:
    """Bytes that arrived before each time; those of a packet arrive evenly during its transmission.

    >>> curve = np.array([0.0, 5.0]), np.array([2.0, 6.0]), np.array([100.0, 150.0])
    >>> _bytes_by(curve, np.array([0.0, 1.0, 2.0, 4.0, 5.5, 9.0])).tolist()
    [0.0, 50.0, 100.0, 100.0, 125.0, 150.0]
    """
    started, ended, total = curve
    if not ended.size:
        return np.zeros(t.size)
    # Bytes that arrive at one instant count after that instant.
    done = np.searchsorted(ended, t, "left")
    before = np.where(done > 0, total[np.maximum(done - 1, 0)], 0.0)
    place = np.minimum(done, ended.size - 1)
    length = ended[place] - started[place]
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where((done < ended.size) & (length > 0), np.clip((t - started[place]) / length, 0.0, 1.0), 0.0)
    found: Floats = before + part * (total[place] - before)
    return found


@dataclass
class Waiting(View):
    """Packets of each flow that wait. Its lines have the same times, so that their values add up."""

    #: For each line, when packets that had to wait were queued and when they left the queue, both in rising order.
    enqueued: list[Floats] = field(default_factory=list)
    dequeued: list[Floats] = field(default_factory=list)
    #: The times at which the number of all that wait changes, and that number from then on.
    t: Floats = field(default_factory=lambda: np.empty(0))
    total: npt.NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return sum(x.nbytes for x in (*self.enqueued, *self.dequeued, self.t)) + self.total.nbytes

    def points_of(self, run: Finished, start: float, end: float, width: int) -> bytes:
        """Its lines from `start` to `end`, in each pixel the values where their sum is least and where it is greatest: JSON text."""
        return self.with_lines(self._lines(start, end, min(max(width, 1), _core.WIDEST))).core.all(start, end)

    def whole(self, run: Finished) -> View:
        """The view with all its points."""
        return self.with_lines(self._lines(0.0, run.until, None))

    def _lines(self, start: float, end: float, width: int | None) -> list[Line]:
        first, last = np.searchsorted(self.t, start, "left"), np.searchsorted(self.t, end, "right")
        changes = self.t[first:last]
        if width is not None and changes.size > 2 * width:
            changes = np.asarray(_core.extremes(changes, self.total[first:last].astype(np.int64), start, end, width))
        t = np.concatenate([[start], changes, [end]])
        counts = zip(self.lines, self.counts(t), strict=True)
        return [Line(x.name, x.flow, t, y.astype(np.float64)) for x, y in counts]

    def counts(self, t: Floats) -> list[Ints]:
        """Of each line the number at each time."""
        both = zip(self.enqueued, self.dequeued, strict=True)
        return [
            np.searchsorted(enqueued, t, "right") - np.searchsorted(dequeued, t, "right") for enqueued, dequeued in both
        ]


def views(rows: Rows, slots: Slots, until: float, bps: float, longest: int) -> list[View]:
    """All views of a replay, from the rows of its packets up to `until`.

    Args:
        rows: of all packets.
        slots: the lines.
        until: where the replay ends, in s.
        bps: the line's rate.
        longest: length of the longest packet.
    """
    slot = slots.of[rows.flow]
    least = PACKETS * 8.0 * longest / bps
    offered, sent = rates(slots, least, until)
    waiting = Waiting(slots.picture(*WAIT, stacked=True))
    delays, drops, marks = list[Line](), list[Line](), list[Line]()
    waits = ~(rows.start <= rows.arrived)
    for k, (name, flow) in enumerate(zip(slots.names, slots.flows, strict=True)):
        own = np.flatnonzero(slot == k)
        arrived, start, left, reason = rows.arrived[own], rows.start[own], rows.left[own], rows.reason[own]
        size = rows.bytes[own]
        offered.curves.append((arrived, arrived, np.cumsum(size, dtype=np.float64)))
        through = reason == 0
        if through.any():
            delays.append(Line(name, flow, arrived[through], start[through] - arrived[through]))
        order = np.flatnonzero(through)
        order = order[np.argsort(start[order], kind="stable")]
        sent.curves.append((start[order], left[order], np.cumsum(size[order], dtype=np.float64)))
        stays = waits[own]
        waiting.enqueued.append(arrived[stays])
        waiting.dequeued.append(np.sort(start[stays], kind="stable"))
        drops += _counted(name, flow, start[reason > 0], until)
        marks += _counted(f"{name} (marked)", flow, left[rows.marked[own] > 0], until)
    _sum(waiting, rows.arrived[waits], rows.start[waits])
    delay = View(picture("queueing", "Queueing delay by flow", "s", delays, steps=False))
    return [view for view in (offered, sent, delay, waiting, lost(drops, marks)) if view.size]


#: Name, title and unit of the view of what waits.
WAIT = ("backlog", "Packets that wait, by flow", "packets")


def rates(slots: Slots, least: float, until: float) -> tuple[Rates, Rates]:
    """The views of what came and of what was sent, without their curves."""
    offered, sent = (
        slots.picture(*what, "bit/s")
        for what in (("offered", "Offered rate by flow"), ("throughput", "Sent rate by flow"))
    )
    return Rates(offered, least=least, until=until), Rates(sent, least=least, until=until)


def lost(drops: list[Line], marks: list[Line]) -> View:
    """The view of the packets that were dropped or marked so far."""
    what = "Dropped and marked" if drops and marks else "Marked" if marks else "Dropped"
    return View(picture("drops", f"{what} packets so far", "packets", [*drops, *marks]))


def _counted(name: str, flow: str | None, times: Floats, until: float) -> list[Line]:
    """A line that rises by one at each of some times; none if there are none."""
    if not times.size:
        return []
    t = np.sort(times, kind="stable")
    t, y = np.concatenate([[0.0], t, [until]]), np.concatenate([np.arange(0.0, t.size + 1), [float(t.size)]])
    return [Line(name, flow, t, y)]


def _sum(waiting: Waiting, enqueued: Floats, dequeued: Floats) -> None:
    """The number of all packets that wait, over time."""
    t = np.concatenate([enqueued, np.sort(dequeued, kind="stable")])
    # Two runs in order: a stable sort merges them.
    order = np.argsort(t, kind="stable")
    t, total = t[order], np.cumsum(np.where(order < enqueued.size, 1, -1), dtype=np.int32)
    last = np.flatnonzero(np.append(np.diff(t) > 0, True)) if t.size else np.empty(0, dtype=np.int64)
    waiting.t, waiting.total = t[last], total[last]
