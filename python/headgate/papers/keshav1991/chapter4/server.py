"""What one conversation met at a server: arrivals, starts and ends of service, from the trace of the port's backlog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .... import _core
from ...build import build_scenario
from ...claims import Runs
from ...measure import Floats
from ...model import Table

#: Times closer than this are one instant: the engine's clock counts picoseconds, its tables hold seconds.
INSTANT = 1e-9

Span = tuple[float, float]


@dataclass(frozen=True)
class Server:
    """The packets of one conversation at a server, in their order, times in seconds.

    The last ones may still wait when the run ends: then `starts` and `ends` are shorter than `arrivals`.
    """

    arrivals: Floats
    starts: Floats
    ends: Floats

    @property
    def waits(self) -> Floats:
        """How long each packet that was served waited; no packet may have been lost."""
        return np.maximum(self.starts - self.arrivals[: len(self.starts)], 0.0)

    def occupancy(self) -> tuple[Floats, Floats]:
        """Instants, and the packets in the server from then on, the one in service included."""
        times = np.unique(np.concatenate(([0.0], _instants(self.arrivals), _instants(self.ends))))
        inside = np.searchsorted(_instants(self.arrivals), times, "right") - np.searchsorted(
            _instants(self.ends), times, "right"
        )
        return times, inside.astype(np.float64)

    def band(self, start: float, end: float) -> tuple[int, int]:
        """Fewest and most packets in the server between two times."""
        times, inside = self.occupancy()
        first, end = _instants(np.array([start, end]))
        last = max(int(np.searchsorted(times, first, "right")) - 1, 0)
        chosen = inside[last : int(np.searchsorted(times, end, "left"))]
        return int(chosen.min()), int(chosen.max())

    def idle(self, start: float, end: float) -> list[Span]:
        """When the server was idle between two times."""
        begins, ends = np.append(0.0, self.ends), np.append(self.starts, np.inf)
        spans = ((max(float(a), start), min(float(b), end)) for a, b in zip(begins, ends, strict=True))
        return [(a, b) for a, b in spans if b - a > INSTANT]

    def lost(self, start: float, end: float, service: float) -> float:
        """Bandwidth lost between two times, in packets of `service` seconds."""
        return sum(b - a for a, b in self.idle(start, end)) / service

    def busy_again(self, t0: float, end: float) -> float:
        """Seconds from `t0` until the server is idle no more; 0 if it never was."""
        return max((b - t0 for _, b in self.idle(t0, end)), default=0.0)

    def settled(self, t0: float, end: float, before: float = 5.0) -> float:
        """Seconds from `t0` until the queue is, for good, within one packet of the band that it had in the `before` seconds before.

        Infinite if it is still outside in the last `before` seconds.
        """
        low, high = self.band(t0 - before, t0)
        times, inside = self.occupancy()
        out = ((inside < low - 1) | (inside > high + 1)) & (times > t0) & (times < end)
        if not out.any():
            return 0.0
        back = float(times[np.flatnonzero(out)[-1] + 1])
        return np.inf if back > end - before else back - t0


def _instants(times: Floats) -> Floats:
    return np.round(times / INSTANT) * INSTANT


def read_port(times: Floats, values: Floats, rates: Sequence[tuple[float, float]], changes: Sequence[float]) -> Server:
    """A server from the trace of its backlog, whose rows come with each arrival and each start of a service.

    `rates`: service times in seconds, each with the time from which packets that start have it. `changes`: when an event changed the
    line, which leaves a row too. A packet that finds the line free starts at once, and leaves the backlog at 0; one
    that is refused leaves it as it is.
    """
    arrivals, starts = [], []
    before = 0.0
    left = sorted(changes)
    for number, (at, backlog) in enumerate(zip(times.tolist(), values.tolist(), strict=True)):
        last_of_instant = number + 1 == len(times) or times[number + 1] > at
        if backlog == before and last_of_instant and any(abs(at - c) < INSTANT for c in left):
            left = [c for c in left if abs(at - c) >= INSTANT]
        elif backlog > before:
            arrivals += [at] * int(backlog - before)
        elif backlog < before:
            starts += [at] * int(before - backlog)
        elif backlog == 0:
            arrivals.append(at)
            starts.append(at)
        before = backlog
    begun = np.array(starts)
    since = np.array([t for t, _ in rates])
    service = np.array([s for _, s in rates])[np.searchsorted(since, begun, "right") - 1]
    return Server(np.array(arrivals), begun, begun + service)


def amount(text: str) -> float:
    """A quantity of a scenario in seconds, bits a second or bytes."""
    kind, whole, _ = _core.quantity(text)
    return whole * 1e-12 if kind == "s" else float(whole)


def service_times(scenario: Table, link: str) -> list[tuple[float, float]]:
    """Service times of the first flow's packets at the beginning of a link, each with the time from which it holds."""
    bits = 8 * amount(scenario["flows"][0]["packet"])
    line = next(x for x in scenario["links"] if x["name"] == link)
    rates = [(0.0, bits / amount(line["rate"]))]
    for event in _events(scenario, link):
        if "rate" in event:
            rates.append((amount(event["at"]), bits / amount(event["rate"])))
    return rates


def _events(scenario: Table, link: str) -> list[Table]:
    return [e for e in scenario.get("events", []) if e.get("link") == link and e.get("direction") != "reverse"]


def server(runs: Runs, variant: str, link: str = "slow") -> Server:
    """The server at the beginning of a link, in the base run of a variant."""
    scenario = build_scenario(runs.item, runs.item.variant(variant))
    changes = [amount(e["at"]) for e in _events(scenario, link)]
    return read_port(*runs.port_trace(variant, "backlog", link), service_times(scenario, link), changes)
