"""The backlog of one port by flow, stacked: computed from the packets on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..results.tables import numbers
from .views import View

if TYPE_CHECKING:
    from .store import Finished


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

    backlog: _core.Stacked

    def points_of(self, run: Finished, start: float, end: float, width: int) -> bytes:
        """Its lines from `start` to `end`, in each pixel the values where their sum is least and where it is greatest: JSON text."""
        return self.backlog.points(*self._packets(run, start), start, end, width)

    def whole(self, run: Finished) -> View:
        """The view with all its points."""
        return View(self.backlog.whole(*self._packets(run, 0.0), run.until))

    def _packets(self, run: Finished, at: float) -> tuple[_core.AtPort, float]:
        """The packets of the port in the part of the run around a time, and where that part ends."""
        from .packets import packets_of

        part = packets_of(run, at)
        return part.at(self.backlog.port).core, part.until


def views_of(result: _core.RunResult, end: float, port: int | None) -> list[View]:
    """The views of a run that ends at `end` in s, with the backlog by flow of a port if there is one."""
    cores, backlog = _core.views(result, end, port)
    return [
        Stacked(core, backlog) if backlog is not None and core.name == "backlog" else View(core) for core in cores
    ]  # fmt: skip
