"""The rate control that packet-pair is compared with (section 4.3), as a fluid and simulated beside packet-pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...claims import Runs
from ...formulas.netblt import netblt_rounds, netblt_step
from .server import server
from .transients import T0

#: Changes of the bottleneck's rate in packets a second; the round trip without queueing is 1 s.
STEPS = ((10, 20), (10, 100), (20, 10), (100, 10))

#: Round trips after the step at which the queue is looked at; the sheet's checks have those of 21 and 101 too.
LATER = 100


@dataclass(frozen=True)
class Step:
    """A protocol after a step, in round trips of 1 s, and packets with the one in service."""

    rounds: float
    peak: int
    later: int
    lost_bandwidth: float


def name(step: tuple[int, int], protocol: str) -> str:
    """The variant's name."""
    return f"mu {step[0]} to {step[1]}, {protocol}"


def simulated(runs: Runs, step: tuple[int, int], protocol: str) -> Step:
    """When the protocol's rate first reaches the new one within a hundredth, and what the queue does."""
    variant = name(step, protocol)
    if protocol == "2P":
        times, spacing = runs.trace(variant, "spacing", "pair")
        rates = 1 / spacing
    else:
        times, rates = runs.trace(variant, "rate", "pair")
    old, new = step
    there = rates >= 0.99 * new if new > old else rates <= 1.01 * new
    reached = times[(times > T0) & there]
    bottleneck = server(runs, variant)
    return Step(
        rounds=float(reached[0] - T0) if len(reached) else float("inf"),
        peak=bottleneck.band(T0, T0 + LATER)[1],
        later=bottleneck.band(T0 + LATER - 1, T0 + LATER)[1],
        lost_bandwidth=bottleneck.lost(T0, T0 + LATER, 1 / new),
    )


@dataclass(frozen=True)
class Fluid:
    """The closed form and the fluid for a step."""

    rounds: int
    peak: float
    later: float


def fluid(step: tuple[int, int], later: int = LATER) -> Fluid:
    """Round trips to the new rate, the maximum queue in `later` of them, and the queue then."""
    queue = netblt_step(*step, later).queue
    return Fluid(netblt_rounds(*step), float(np.max(queue)), queue[-1])
