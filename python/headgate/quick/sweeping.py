"""At which rate a shaper helps: the same flows with the router's shaper at some shares of the line, and without one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..base.parallel import Progress, run_all
from ..base.units import percent, rate_text, time_text
from ..results.results import Results
from .flows import OPEN, Flows
from .shaper import Shaper, at_share, directions, endless

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..scenario.scenario import Scenario

#: Shares of the line's rate that are tried.
SHARES = (0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1)

#: There is nothing to take away where round trips are longer than the path's by less than this, in seconds.
LITTLE_S = 0.005

#: A shaper helps if it leaves at most this part of what the round trips have beyond the path's.
HELPS = 0.5


@dataclass(frozen=True)
class ShaperPoint:
    """A run with a shaper at a rate.

    Attributes:
        shaper: its rate, or both as `45Mbit/s/9Mbit/s`; empty without one.
        share: of the line's rate; infinite without a shaper.
        rtt_s: mean round trip of the flow that is watched, in seconds.
        rtt_p95_s: below which 95 % of them are.
        goodput_bps: of all flows with endless data in the shaped direction, together.
    """

    shaper: str
    share: float
    rtt_s: float
    rtt_p95_s: float
    goodput_bps: float

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return {**vars(self), "share": self.share if math.isfinite(self.share) else None, "shaper": self.shaper or None}


@dataclass(frozen=True)
class ShaperSweep:
    """The runs, first that without a shaper, then from the slowest to the fastest.

    Attributes:
        points: the runs.
        watched: the flow whose round trips are compared: the one that waits longest of those that send little.
        fillers: the flows with endless data in the shaped direction.
        trip_s: the round trip of the watched flow's path, in seconds.
        ways: which directions are shaped.
        queue: of the shaper.
    """

    points: Sequence[ShaperPoint]
    watched: str
    fillers: str
    trip_s: float
    ways: Sequence[str]
    queue: str

    def beyond(self, point: ShaperPoint) -> float:
        """What the round trips of a point have beyond that of the path, in seconds."""
        return max(point.rtt_s - self.trip_s, 0.0)

    @property
    def helpful(self) -> list[ShaperPoint]:
        """The points at which the shaper takes away at least half of what the round trips have beyond the path's."""
        without = self.beyond(self.points[0])
        return [p for p in self.points[1:] if self.beyond(p) <= HELPS * without] if without >= LITTLE_S else []

    @property
    def advised(self) -> ShaperPoint | None:
        """The fastest rate below the line's that is nearly as good as the best one."""
        good = [p for p in self.helpful if p.share < 1]
        best = min((self.beyond(p) for p in good), default=0.0)
        return max(
            (p for p in good if self.beyond(p) <= max(2 * best, best + LITTLE_S)), key=lambda p: p.share, default=None
        )

    def sentences(self) -> list[str]:
        """The answer to whether a shaper would help, and at which rate."""
        without, helpful, what = self.points[0], self.helpful, {"down": "download", "up": "upload"}
        shaped = " and ".join(f"the {what[way]}" for way in self.ways)
        began = (
            f"Without a shaper the round trips of {self.watched} take {time_text(without.rtt_s)} on average, "
            f"{time_text(self.beyond(without))} more than the path alone."
        )
        if self.beyond(without) < LITTLE_S:
            return [began, f"There is no queue that a shaper of {shaped} could take away."]
        if not helpful:
            return [began, f"At no rate that was tried does a shaper of {shaped} take away half of that."]
        limit = max(helpful, key=lambda p: p.share)
        above = [p for p in self.points[1:] if p.share > limit.share]
        found = [began]
        if above:
            found.append(f"Above {limit.shaper} nothing helps: {above[0].shaper} leaves {time_text(above[0].rtt_s)}.")
        else:
            found.append(f"Each rate up to {limit.shaper}, the fastest that was tried, helps.")
        point = self.advised
        if point is not None:
            cost = self.cost(point)
            text = f"With {point.shaper} ({self.queue}) they take {time_text(point.rtt_s)}"
            if cost is not None:
                costs = "costs nothing" if cost < 0.0005 else f"costs {percent(cost)}"
                text += f"; that {costs} of the goodput of {self.fillers}, {rate_text(without.goodput_bps)} without a shaper"
            found.append(f"{text}.")
        found.append(
            "A real line is slower at times than its rate, and its frames have headers of their own: start below these rates."
        )
        return found

    def cost(self, point: ShaperPoint) -> float | None:
        """The part of the goodput of the flows with endless data that a shaper costs; None without such flows."""
        without = self.points[0].goodput_bps
        return max(1 - point.goodput_bps / without, 0.0) if without > 0 else None

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        advised = self.advised
        return {
            "watched": self.watched, "fillers": self.fillers, "path_rtt_s": self.trip_s, "directions": list(self.ways), "queue": self.queue,
            "points": [p.to_dict() | {"cost": self.cost(p)} for p in self.points], "advised": advised.shaper if advised else None,
            "sentences": self.sentences(),
        }  # fmt: skip


def sweep(
    make: Callable[[str], Scenario],
    groups: Sequence[Flows],
    trips: Sequence[int],
    rate: str,
    up: str | None,
    queue: str,
    progress: Progress | None = None,
) -> ShaperSweep:
    """Runs the same flows without a shaper and with it at each of `SHARES`.

    Args:
        make: the scenario with a shaper, from the text of `--shaper`.
        groups: the flows.
        trips: the round trip of each group, in picoseconds.
        rate: of the line, down.
        up: of the line in the other direction, if that is another one.
        queue: of the shaper.
        progress: called with (share done, runs completed, runs in all).
    """
    ways = directions(groups)
    shapers = [at_share(share, queue, rate, up, ways) for share in SHARES]
    texts = ["off", *(f"{_text(shaper)}:{queue}" for shaper in shapers)]
    jobs = [(make(text).base().put("traces", []).to_json(), None, 0) for text in texts]
    runs = [Results([run]) for run in run_all(jobs, lambda _, run: run, None, progress)]
    owners = [i for i, group in enumerate(groups) for _ in range(group.count)]
    names = [flow.flow for flow in runs[0].flow_summaries()]
    watched = _watched(groups, owners, runs[0])
    filling = [i for i, owner in enumerate(owners) if endless(groups[owner]) and _way(groups[owner]) in ways]
    points = []
    for text, share, run in zip(["", *map(_text, shapers)], (math.inf, *SHARES), runs, strict=True):
        flows = run.flow_summaries()
        goodput = sum(flows[i].goodput_bps.mean for i in filling)
        one = flows[watched]
        points.append(ShaperPoint(text, share, one.rtt_s.mean, one.rtt_quantiles_s["p95"], goodput))
    several = [names[i] for i in filling]
    fillers = " and ".join(filter(None, [", ".join(several[:-1]), *several[-1:]]))
    if len(filling) > 4:
        fillers = f"the {len(filling)} flows with endless data"
    return ShaperSweep(points, names[watched], fillers, trips[owners[watched]] / 1e12, ways, queue)


def _watched(groups: Sequence[Flows], owners: Sequence[int], without: Results) -> int:
    """The flow that is watched: that with the longest round trips of those with a rate of their own, or else of all."""
    flows = without.flow_summaries()
    known = [i for i, flow in enumerate(flows) if flow.rtt_s.mean >= 0]
    sparse = [i for i in known if _is_open(groups[owners[i]])]
    others = [i for i in known if not endless(groups[owners[i]])]
    return max(sparse or others or known or [0], key=lambda i: flows[i].rtt_s.mean)


def _is_open(group: Flows) -> bool:
    workload = group.entry.get("workload")
    return (workload.get("kind") if isinstance(workload, dict) else workload) in OPEN and group.entry.get(
        "control"
    ) == "none"


def _way(group: Flows) -> str:
    return "up" if group.back else "down"


def _text(shaper: Shaper) -> str:
    """The rates of a shaper as `--shaper` takes them."""
    return "/".join(rate for rate in (shaper.down, shaper.up) if rate)
