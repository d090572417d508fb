"""The backlog of one port by flow, stacked: computed from the packets on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..results.tables import numbers
from .views import Line, View, picture

if TYPE_CHECKING:
    from .store import Finished

Floats = npt.NDArray[np.float64]

#: Maximum number of lines.
LINES = 24


def paths(
    table: Callable[[str], Mapping[str, Any]],
) -> tuple[dict[tuple[int, int], int | None], list[tuple[float, float]]]:
    """For each flow and port on its path, the port before it; and the rate and the delay of each port's line."""
    routes, links = table("routes"), table("links")
    before: dict[tuple[int, int], int | None] = {}
    last: dict[int, int] = {}
    hops = (numbers(routes["flow"]), np.asarray(routes["hop"]), numbers(routes["link"]))
    for flow, hop, port in zip(*(x.tolist() for x in hops), strict=True):
        before[flow, port] = last.get(flow) if hop > 0 else None
        last[flow] = port
    lines = zip(np.asarray(links["rate_bps"]).tolist(), np.asarray(links["delay_s"]).tolist(), strict=True)
    return before, list(lines)


@dataclass
class Stacked(View):
    """Packets of each flow that wait at a port. Its lines have the same times, so that their values add up."""

    port: int = 0
    flows: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, ports: list[str], flows: list[str], port: int, crossing: list[int]) -> Stacked:
        """The view of a port."""
        chosen, none = crossing[:LINES], np.empty(0)
        lines = [Line(flows[f], flows[f], none, none) for f in chosen]
        core = picture("backlog", f"Backlog of {ports[port]} by flow", "packets", lines, stacked=True)
        return cls(core, port, chosen)

    def points_of(self, run: Finished, start: float, end: float, width: int) -> bytes:
        """Its lines from `start` to `end`, in each pixel the values where their sum is least and where it is greatest: JSON text."""
        return self.with_lines(self._lines(run, start, end, min(max(width, 1), _core.WIDEST))).core.all(start, end)

    def whole(self, run: Finished) -> View:
        """The view with all its points."""
        return self.with_lines(self._lines(run, 0.0, run.until, None))

    def _lines(self, run: Finished, start: float, end: float, width: int | None) -> list[Line]:
        """The lines as a picture of `width` pixels shows them, or whole."""
        from .packets import packets_of

        packets = packets_of(run, start)
        queue = packets.at(self.port)
        until = max(min(end, packets.until), start)
        waits = ~(queue.start <= queue.arrived)
        dequeued = np.where(np.isnan(queue.start), np.inf, queue.start)
        enqueued, left = queue.arrived[waits], np.sort(dequeued[waits])
        changes = np.unique(np.concatenate([enqueued, left]))
        changes = changes[(changes >= start) & (changes <= until)]
        if width is not None and changes.size > 2 * width:
            changes = extremes(changes, _count(enqueued, changes) - _count(left, changes), start, end, width)
        t = np.concatenate([[start], changes, [until]])
        found = []
        for flow, line in zip(self.flows, self.lines, strict=True):
            own = waits & (queue.flow == flow)
            y = _count(queue.arrived[own], t) - _count(np.sort(dequeued[own]), t)
            found.append(Line(line.name, line.flow, t, y.astype(np.float64)))
        return found


def _count(times: Floats, t: Floats) -> npt.NDArray[np.int64]:
    """How many of the times, which are in rising order, are at or before each of `t`."""
    return np.searchsorted(times, t, "right")


def extremes(t: Floats, sums: npt.NDArray[np.int64], start: float, end: float, width: int) -> Floats:
    """For each pixel, the first times of the least and of the greatest sum."""
    edges = np.searchsorted(t, np.linspace(start, end, width + 1)[:-1], "left")
    starts = np.unique(np.append(0, edges[edges < t.size]))
    lengths = np.diff(np.append(starts, t.size))
    kept = []
    for found in (np.minimum, np.maximum):
        places = np.flatnonzero(sums == np.repeat(found.reduceat(sums, starts), lengths))
        kept.append(places[np.unique(np.searchsorted(starts, places, "right"), return_index=True)[1]])
    chosen: Floats = t[np.unique(np.concatenate(kept))]
    return chosen
