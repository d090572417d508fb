"""What a change of the network does: predicted by table 4.1, and on the bench with each rule for the round trip."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...build import build_scenario
from ...claims import Runs
from ...formulas import packet_pair as theory
from ...measure import Floats
from .server import INSTANT, Server, server, service_times

#: The change, the end of what is looked at, and what the source wants in the queue.
T0, END, N_B = 20.03, 60.0, 5

RULES = ("as_printed", "first_probe", "least", "queue_echo")


@dataclass(frozen=True)
class Change:
    """A change of the bench: round trip without queueing and service time before and after it, in seconds."""

    name: str
    r: tuple[float, float] = (1.0, 1.0)
    s: tuple[float, float] = (0.1, 0.1)
    #: The way from the source to the bottleneck after it.
    forward: float = 0.45

    @property
    def dv(self) -> float:
        """Packets by which the depth of the pipeline rises."""
        old, new = (theory.pipeline_depth(r, s) for r, s in zip(self.r, self.s, strict=True))
        return new - old


CHANGES = {
    c.name: c
    for c in (
        Change("R up, upstream", r=(1.0, 1.4), forward=0.85),
        Change("R down, upstream", r=(1.0, 0.6), forward=0.05),
        Change("R up, downstream", r=(1.0, 1.4)),
        Change("R down, downstream", r=(1.0, 0.6)),
        Change("mu up", s=(0.1, 0.08)),
        Change("mu down", s=(0.1, 0.16)),
    )
}


def held(trace: tuple[Floats, Floats], at: Floats) -> Floats:
    """Values of a trace, which holds changes, at some times; nan before the first."""
    times, values = trace
    if len(times) == 0:
        return np.full(np.shape(at), np.nan)
    i = np.searchsorted(times, at + INSTANT, "right") - 1
    return np.where(i >= 0, values[np.maximum(i, 0)], np.nan)


@dataclass(frozen=True)
class Reaction:
    """What happened after a change. Losses in packets, times in seconds after it, queues with the packet in service."""

    bottleneck: Server
    lost_bandwidth: float
    lost_packets: int
    settled: float
    busy_again: float
    before: tuple[int, int]
    after: tuple[int, int]
    final: tuple[int, int]
    #: When, and by how many slots (negative) or packets (positive) the source corrected.
    corrections: tuple[tuple[float, int], ...]

    def text(self, most: int = 3) -> str:
        """The corrections in words."""
        first = "; ".join(f"{f'burst {n}' if n > 0 else f'skip {-n}'} at {t:.2f}" for t, n in self.corrections[:most])
        return first + (f"; {len(self.corrections) - most} more" if len(self.corrections) > most else "") or "none"


def corrections(runs: Runs, variant: str, t0: float = T0) -> tuple[tuple[float, int], ...]:
    """When the source corrected after `t0`, by how many slots to skip (negative) or packets at once."""
    found = []
    for kind, sign in (("skips", -1), ("bursts", 1)):
        times, totals = runs.trace(variant, kind, "pair")
        added = sign * np.diff(totals, prepend=0.0)
        found += [(float(t), int(n)) for t, n in zip(times, added, strict=True) if n != 0 and t > t0]
    return tuple(sorted(found))


def reaction(runs: Runs, variant: str, link: str = "slow") -> Reaction:
    """What the base run of a variant shows after `T0`."""
    at = server(runs, variant, link)
    service = service_times(build_scenario(runs.item, runs.item.variant(variant)), link)[-1][1]
    drops, _ = runs.port_trace(variant, "drops", link)
    return Reaction(
        bottleneck=at,
        lost_bandwidth=at.lost(T0, END, service),
        lost_packets=int((drops > T0).sum()),
        settled=at.settled(T0, END),
        busy_again=at.busy_again(T0, END),
        before=at.band(T0 - 5, T0),
        after=at.band(T0, END),
        final=at.band(END - 5, END),
        corrections=corrections(runs, variant),
    )


@dataclass(frozen=True)
class Prediction:
    """A row of table 4.1 in seconds after the change: the recovery time as printed and corrected. Bounds, not estimates."""

    printed: float
    corrected: float


def prediction(change: Change) -> Prediction:
    """What table 4.1 says of a change on the bench. Nothing but the bottleneck takes time, so that a burst reaches it at once."""
    (r_old, r_new), (s_old, s_new), dv = change.r, change.s, change.dv
    waiting = max(N_B - max(dv, 0.0), 0.0) * s_old
    if change.name.startswith("R up"):
        # The news waits in the queue; the thesis has R alone.
        return Prediction(
            theory.priming_recovery(0.0, r_new, change.forward, dv + 1, 0.0),
            theory.priming_recovery(0.0, r_new + N_B * s_old, change.forward, dv, 0.0),
        )
    if change.name == "mu up":
        # The news: the packet in service may be the second of its pair, the first of the next one and its second follow; then the way back.
        return Prediction(
            theory.priming_recovery(0.0, r_old, change.forward, dv + 1, 0.0),
            theory.priming_recovery(0.0, s_old + 2 * s_new + (r_old - s_old) / 2, change.forward, dv, 0.0),
        )
    if change.name.startswith("R down"):
        waiting = (N_B - dv) * s_new
        return Prediction(
            theory.r_down_recovery(0.0, r_old, r_new, as_printed=True) - (r_old - r_new),
            theory.r_down_recovery(0.0, r_old, r_new, waiting=waiting),
        )
    return Prediction(
        theory.mu_down_recovery(0.0, r_old, s_old, s_new, as_printed=True),
        theory.mu_down_recovery(0.0, r_old, s_old, s_new),
    )


def seconds(value: float) -> str:
    """A time in a table; "never" if it is infinite."""
    return "never" if math.isinf(value) else f"{value:.2f}"


def depth_against_outstanding(runs: Runs, variant: str, start: float = 10.0) -> Floats:
    """V_e less (S - n_b) at every acknowledgement after `start`, S being what is outstanding then."""
    times, _ = runs.trace(variant, "rtt", "pair")
    at = times[times > start]
    return held(runs.trace(variant, "depth", "pair"), at) - (held(runs.trace(variant, "in_flight", "pair"), at) - N_B)
