"""Where packet-pair fails, as the thesis says: acknowledgements that wait unequally, a server without round robin, fast changes."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from functools import cache

import numpy as np

from ...build import build_scenario
from ...claims import Runs
from ...measure import TABLES, Outcome
from ...model import Table
from ...runs import run_all
from .server import amount, read_port, service_times

#: The first probe's spacing, undisturbed: that of the bottleneck.
TRUE_SPACING = 0.1

#: How long a packet of the conversation on the way back holds up an acknowledgement.
HELD_UP = 0.02


def probe_gap(runs: Runs, variant: str) -> float:
    """Seconds between the acknowledgements of the first pair."""
    times, _ = runs.trace(variant, "rtt", "pair")
    return float(times[1] - times[0])


@dataclass(frozen=True)
class ProbeError:
    """What a source estimates beside cross traffic, and how it is really served: seconds from one service to the next."""

    estimate: float
    served: float

    @property
    def relative(self) -> float:
        """The error over the truth."""
        return abs(self.estimate / self.served - 1)


def probe_error(runs: Runs, variant: str) -> ProbeError:
    """The spacing that the source holds, averaged over the measured time, and what the bottleneck gave it."""
    times, spacing = runs.trace(variant, "spacing", "pair")
    scenario = build_scenario(runs.item, runs.item.variant(variant))
    at = np.linspace(amount(scenario["warm_up"]), amount(scenario["duration"]), 3501)
    held = spacing[np.maximum(np.searchsorted(times, at, "right") - 1, 0)]
    return ProbeError(float(held.mean()), 1 / float(runs.of(variant, "raw", "pair")[0]))


#: Periods of the square wave in round trips, and how long it lasts.
PERIODS, WAVE_START, WAVE_SPAN = (0.5, 1.0, 4.0, 16.0), 20.0, 48.0


@dataclass(frozen=True)
class Wave:
    """Packets lost at a bottleneck whose rate rises and falls."""

    period: float
    changes: int
    lost_bandwidth: float
    lost_packets: int

    @property
    def per_second(self) -> float:
        """Both together, per second."""
        return (self.lost_bandwidth + self.lost_packets) / WAVE_SPAN


def wave_scenario(bench: Table, period: float) -> Table:
    """The bench with a rate that changes from 10 to 5 packets/s and back, each for half a period, and 13 buffers."""
    scenario = copy.deepcopy(bench)
    half = period / 2
    count = round(WAVE_SPAN / half)
    scenario["duration"] = f"{WAVE_START + WAVE_SPAN + 10:g}s"
    scenario["traces"] = ["backlog", "drops"]
    scenario["events"] = [
        {
            "at": f"{round(1000 * (WAVE_START + k * half))}ms",
            "link": "slow",
            "direction": "forward",
            "rate": "8Mbit/s" if k % 2 else "4Mbit/s",
        }
        for k in range(count)
    ]
    next(link for link in scenario["links"] if link["name"] == "slow")["queue"]["buffer"] = "12pkt"
    return scenario


def waves(runs: Runs) -> tuple[Wave, ...]:
    """A wave of each period, on the bench of the item."""
    return _waves(json.dumps(runs.item.scenario))


@cache
def _waves(bench: str) -> tuple[Wave, ...]:
    scenarios = [wave_scenario(json.loads(bench), p) for p in PERIODS]
    outcomes = run_all([(json.dumps(s), None, 0) for s in scenarios], lambda _, result: Outcome(result), TABLES)
    found = []
    for period, scenario, run in zip(PERIODS, scenarios, outcomes, strict=True):
        rates = service_times(scenario, "slow")
        server = read_port(*run.port_trace("backlog", "slow"), rates, [t for t, _ in rates[1:]])
        drops, _ = run.port_trace("drops", "slow")
        lost = server.lost(WAVE_START, WAVE_START + WAVE_SPAN, TRUE_SPACING)
        found.append(Wave(period, len(scenario["events"]), lost, len(drops)))
    return tuple(found)
