"""Second round: what we understood from the first predictions, put to the test on settings that they did not have.

Written before these were run, except that the buffer of 60 packets (B21), Virtual Clock with a window (B24) and the runs without one (B26)
had been seen.
"""

from __future__ import annotations

import numpy as np

from ..claims import Result, Runs, listed
from ..measure import Floats, Outcome
from . import measures
from .measures import LINE, Measured
from .predictions import BOTH_WAYS, FAIR, PP, ROUND_ROBIN, each, with_half
from .statements import claim

#: R of the study of newcomers: that of starts.toml with delays of 50 ms.
NEWCOMERS_R = measures.ROUND_TRIP - 2 * 0.95


@claim("B21")
def _b21(runs: Runs) -> Result:
    m = Measured(runs)
    buffers = ("60", "120", "240", "1000")
    got, _ = each(buffers, lambda b: m.drops(f"overflow random_drop {b}", *PP))
    due = np.array([measures.loss(float(b)) for b in buffers])
    holds = bool((abs(got[:3] / due[:3] - 1) <= 0.3).all() and got[3] == due[3] == 0)
    return holds, f"lost/s {listed(got)}, predicted {listed(due)}"


@claim("B22")
def _b22(runs: Runs) -> Result:
    m = Measured(runs)
    due = measures.outstanding(NEWCOMERS_R, 3)
    got = shares_between(m, "newcomers short fcfs", PP[:3], (300.0, 600.0))
    delay = due.sum() / LINE - NEWCOMERS_R
    found = m.mean("newcomers short fcfs", lambda run: late_queueing(run, PP[:3]))
    holds = bool((abs(got - due / due.sum()) <= 0.05).all() and abs(found.mean / delay - 1) <= 0.2)
    return holds, (
        f"shares {listed(got)}, predicted {listed(due / due.sum())}; queueing {with_half(found, 1)} s, predicted {delay:.1f} s"
    )


def shares_between(m: Measured, variant: str, flows: tuple[str, ...], span: tuple[float, float]) -> Floats:
    """Mean shares of flows within a time."""
    rates = np.array([measures.rates(run, *flows, span=span) for run in m.runs_of(variant)])
    shares: Floats = rates / rates.sum(axis=1, keepdims=True)
    return np.asarray(shares.mean(axis=0))


def late_queueing(run: Outcome, flows: tuple[str, ...]) -> float:
    """Seconds in queues after 300 s, mean over the packets."""
    delay = np.array([run.value(measures.QUEUEING, f, (300.0, 600.0)).mean for f in flows])
    return float(np.average(delay, weights=measures.rates(run, *flows, span=(300.0, 600.0))))


@claim("B23")
def _b23(runs: Runs) -> Result:
    m = Measured(runs)
    got, text = each(("5", "7"), lambda q: m.readings(f"quantum {q}", FAIR, *PP).closer_than(1.05 / LINE))
    return bool((abs(got - np.array([4 / 5, 6 / 7])) <= 0.03).all()), text


@claim("B24")
def _b24(runs: Runs) -> Result:
    m = Measured(runs)
    got, text = each(ROUND_ROBIN, lambda q: m.readings(f"share window {q}", FAIR, *PP).median)
    jain = min(m.jain(f"share window {q}", *PP).mean for q in ROUND_ROBIN)
    return bool((abs(got - 1) <= 0.2).all() and jain >= 0.99), f"{text}; least Jain {jain:.4f}"


@claim("B25")
def _b25(runs: Runs) -> Result:
    m = Measured(runs)
    got, text = each(("fq", "fcfs"), lambda q: m.rate(f"two-way both 40 {q}", *BOTH_WAYS))
    return bool(got[0] >= 0.9 * LINE / 2 and got[1] >= 0.8 * LINE / 2), f"{text} packets/s each, fair {LINE / 2:g}"


@claim("B26")
def _b26(runs: Runs) -> Result:
    m = Measured(runs)
    longest = {
        v: max(measures.longest_silence(run, f) for run in m.runs_of(v) for f in flows)
        for v, flows in (("share pp fq", PP), ("share cbr fq", PP[:3]), ("share window fq", PP))
    }
    without, with_it = max(longest["share pp fq"], longest["share cbr fq"]), longest["share window fq"]
    holds = without >= 50 * measures.ROUND_TRIP and with_it <= 10 * measures.ROUND_TRIP
    return holds, f"longest without a measured pair: {without:.0f} s; with a window of 40 {with_it:.1f} s"
