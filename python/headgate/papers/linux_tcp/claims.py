"""The kernel's habits over the runs of its table: predicates, and what the lines of `claims.toml` measure."""

from __future__ import annotations

import numpy as np

from ..claims import Result, Runs, listed
from ..measure import Floats
from ..verdict import Sample, judge
from . import habits, marks
from .measures import Measured
from .statements import CLAIMS, claim

__all__ = ["CLAIMS", "habits", "marks"]

#: Packets that follow each other within this time were sent back to back.
AT_ONCE = 10e-6

#: The first round trip: 20 ms each way and a packet on the line.
ROUND_TRIP = 0.0412


def _arrivals(runs: Runs, variant: str) -> Floats:
    """When packets came to the line after the warm-up and had to wait: the way to it takes practically no time."""
    times, values = runs.port_trace(variant, "backlog", "line")
    came = times[np.diff(values, prepend=0.0) > 0]
    return came[came >= 5.0]


def _acks(runs: Runs, variant: str) -> tuple[Floats, Floats]:
    """When acknowledgements of packets sent once came, and for how many packets each."""
    times, _ = runs.trace(variant, "rtt", "tcp")
    when, packets = np.unique(times, return_counts=True)
    return when, packets.astype(np.float64)


@claim("L1")
def _l1(runs: Runs) -> Result:
    ends, steps = [], []
    for variant in ("reno 4", "cubic 4", "bbr 4"):
        times, values = runs.trace(variant, "in_flight", "tcp")
        ends.append(float(times[values == 10][0]))
        # The acknowledgements of that flight, a packet's time apart.
        window_at, window = runs.trace(variant, "window", "tcp")
        second = (window_at > ROUND_TRIP) & (window_at < ROUND_TRIP + 10 * 0.0012)
        steps.append(set(np.diff(window[second]).tolist()))
    together = max(ends) < 0.0012 and all(s == {1.0} for s in steps)
    return together, f"10 packets within {listed(1e3 * np.array(ends), 3)} ms; the window opens by one for each"


@CLAIMS.measure("sent right behind another")
def _behind(runs: Runs, variant: str) -> float:
    return float((np.diff(_arrivals(runs, variant)) < AT_ONCE).mean())


@claim("L2")
def _l2(runs: Runs) -> Result:
    _, packets = _acks(runs, "reno 4")
    alone = int(np.flatnonzero(packets > 1)[0])
    pairs = packets[alone : alone + 30]
    # Of a buffer of 1 MiB the window takes 45 packets to grow, and 16 come before: one more than the measurement counted.
    holds = abs(alone - 60) <= 1 and bool((pairs == 2).all())
    return holds, f"{alone} one by one, then {listed(np.unique(pairs), 0)} at a time"


@CLAIMS.measure("window that slow start ends at")
def _left_at(runs: Runs, variant: str) -> float:
    """The first window that stays for more than five acknowledgements."""
    times, window = runs.trace(variant, "window", "tcp")
    acks, _ = _acks(runs, variant)
    counts = np.diff(np.searchsorted(acks, times))
    return float(window[:-1][(counts > 5) & (window[:-1] > 10)][0])


@claim("L5")
def _l5(runs: Runs) -> Result:
    holds, text = True, []
    for variant, share in (("reno 1", 0.5), ("cubic 1", 0.7)):
        m = Measured(runs, variant)
        times, window = runs.trace(variant, "window", "tcp")
        start = m.episodes[0]
        near = (times >= start) & (times < start + 0.3)
        top = int(np.argmax(window[near]))
        falls = np.diff(window[near][top:])
        down = int(np.argmax(falls > 0)) if (falls > 0).any() else len(falls)
        took = float(times[near][top + down] - times[near][top + 1])
        left = window[near][top + down] / window[near][top]
        holds = holds and set(falls[:down].tolist()) == {-1.0} and abs(left - share) < 0.02 and 0.06 < took < 0.1
        text.append(f"{variant}: to {left:.2f} in {1e3 * took:.0f} ms by steps of 1")
    return holds, "; ".join(text)


@CLAIMS.measure("trough over peak")
def _left(runs: Runs, variant: str) -> float:
    m = Measured(runs, variant)
    return m.trough / m.peak


@CLAIMS.measure("trough is half of the peak")
def _halves(runs: Runs, variant: str) -> bool:
    m = Measured(runs, variant)
    return all(m.windows(t, t + 0.5).min() == m.windows(t, t + 0.5).max() // 2 for t in m.episodes if t + 0.5 <= m.end)


@claim("L10")
def _l10(runs: Runs) -> Result:
    met, periods = {"": 0, "RFC ": 0}, {"": 0, "RFC ": 0}
    tested = [n for n in runs.item.numbers if not n.row.startswith("bbr")]
    for which in met:
        values = {row: Measured(runs, f"{which}{row}").values() for row in {n.row for n in tested}}
        for n in tested:
            sample = Sample(values[n.row][n.metric], np.zeros(0))
            good = judge(n, runs.paper.rule(runs.item.name, n), sample).verdict == "match"
            met[which] += good
            periods[which] += good and n.metric == "period"
    text = f"{met['']} of {len(tested)} met by the kernel's rules, {met['RFC ']} by the RFCs'; of the periods"
    return met["RFC "] < met[""] and periods["RFC "] == 0, f"{text} {periods['']} and {periods['RFC ']}"


@claim("L11")
def _l11(runs: Runs) -> Result:
    lengths = np.diff(Measured(runs, "cubic 4").episodes)
    short, long = lengths[lengths < lengths.mean()], lengths[lengths >= lengths.mean()]
    in_turn = bool((np.diff(lengths >= lengths.mean()) != 0).all())
    return in_turn and long.mean() > 2 * short.mean(), f"{listed(lengths, 2)} s"
