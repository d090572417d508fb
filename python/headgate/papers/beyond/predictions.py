"""Our predictions beyond the thesis. Each threshold follows from the mechanism in its text and was written before the first run.

Where a prediction failed it stands as it was; what we found instead is in docs/papers/beyond.md, and the second round tests it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...analysis import jain_index
from ...stats import Mean
from ..claims import Result, Runs, listed
from ..measure import Floats, Outcome
from . import measures
from .measures import LINE, Measured
from .statements import CLAIMS, claim

ROUND_ROBIN = ("fq", "wf2q_plus", "scfq", "sfq", "drr 1", "virtual_clock", "hrr")
ONE_QUEUE = ("fcfs", "random_drop", "red", "fred", "csfq")
PP = ("source1", "source2", "source3", "source4")
BOTH_WAYS = ("east1", "east2", "west1", "west2")
#: The fair rate of each of four at the slow line.
FAIR = LINE / 4


def with_half(value: Mean, digits: int = 2) -> str:
    """A mean with half its 95 % interval, where there is one."""
    if np.isnan(value.mean):
        return "-"
    half = "" if np.isnan(value.half) else f" ± {value.half:.{digits}f}"
    return f"{value.mean:.{digits}f}{half}"


def each(names: tuple[str, ...], of: Callable[[str], Mean], digits: int = 2) -> tuple[Floats, str]:
    """Means by name, and as text."""
    found = {n: of(n) for n in names}
    return np.array([m.mean for m in found.values()]), ", ".join(
        f"{n} {with_half(m, digits)}" for n, m in found.items()
    )


@claim("B1")
def _b1(runs: Runs) -> Result:
    m = Measured(runs)
    got, text = each(ROUND_ROBIN, lambda q: m.readings(f"share pp {q}", FAIR, *PP).median)
    return bool((abs(got - 1) <= 0.2).all()), text


@claim("B2")
def _b2(runs: Runs) -> Result:
    m = Measured(runs)
    got, text = each(ONE_QUEUE, lambda q: m.readings(f"share pp {q}", FAIR, *PP).median)
    return bool((abs(got / 4 - 1) <= 0.2).all()), text


@claim("B3")
def _b3(runs: Runs) -> Result:
    m = Measured(runs)
    due = measures.line_loss(60)
    fcfs, fq = m.drops("share pp fcfs", *PP), m.drops("share pp fq", *PP)
    holds = abs(fcfs.mean / due - 1) <= 0.5 and fq.mean == 0
    return holds, f"FCFS {with_half(fcfs)} lost/s, predicted {due:.2f}; FQ {with_half(fq)}"


@claim("B4")
def _b4(runs: Runs) -> Result:
    m = Measured(runs)
    jain, busy = m.jain("share pp fcfs", *PP), m.busy("share pp fcfs", "slow")
    return jain.mean >= 0.98 and busy.mean >= 0.98, f"Jain {with_half(jain, 3)}, busy {with_half(busy, 3)}"


@claim("B5")
def _b5(runs: Runs) -> Result:
    m = Measured(runs)
    fcfs, fq = m.loss("share ch4 fcfs", *PP), m.loss("share ch4 fq", *PP)
    return fcfs.mean > 0.5 and fq.mean < 0.01, f"lost: FCFS {with_half(fcfs)}, FQ {with_half(fq, 4)}"


@claim("B6")
def _b6(runs: Runs) -> Result:
    m = Measured(runs)
    got, text = each(("fcfs", "fq"), lambda q: _part(m, f"share jk {q}"))
    return bool(got[0] > 0.6 and abs(got[1] - 0.5) <= 0.05), f"packet-pair's part: {text}"


def _part(m: Measured, variant: str) -> Mean:
    """The part of two packet-pair sources beside two JK."""

    def part(run: Outcome) -> float:
        rates = measures.rates(run, *PP)
        return float(rates[:2].sum() / rates.sum())

    return m.mean(variant, part)


@claim("B7")
def _b7(runs: Runs) -> Result:
    m = Measured(runs)
    got, text = each(("fcfs", "fq"), lambda q: m.rate(f"share cbr {q}", *PP[:3]))
    return bool(got[0] < 0.5 * FAIR and got[1] >= 0.95 * FAIR), f"{text} packets/s each, fair {FAIR:g}"


@claim("B8")
def _b8(runs: Runs) -> Result:
    m = Measured(runs)
    rate, median = m.rate("share cbr csfq", *PP[:3]), m.readings("share cbr csfq", FAIR, *PP[:3]).median
    holds = rate.mean >= 0.8 * FAIR and abs(median.mean / 4 - 1) <= 0.2
    return holds, f"{with_half(rate)} packets/s of {FAIR:g}, median probe {with_half(median)} times fair"


QUANTA = ("1", "2", "3", "4", "6", "8")


@claim("B9")
def _b9(runs: Runs) -> Result:
    m = Measured(runs)
    got, text = each(QUANTA, lambda q: m.readings(f"quantum {q}", FAIR, *PP).closer_than(1.05 / LINE))
    due = np.array([1 - 1 / int(q) for q in QUANTA])
    return bool(got[0] == 0 and (abs(got - due) <= 0.25).all()), f"q: part. {text}"


@claim("B10")
def _b10(runs: Runs) -> Result:
    m = Measured(runs)
    jain = min(m.jain(f"quantum {q}", *PP).mean for q in QUANTA)
    got, text = each((*QUANTA, "fcfs"), lambda q: m.queueing(f"quantum {q}", *PP), 1)
    return bool(jain >= 0.99 and got[0] < got[5] <= 1.05 * got[6]), f"least Jain {jain:.4f}; queueing (s): {text}"


PLACES = ("none", "upstream", "bottleneck", "downstream")


@claim("B11")
def _b11(runs: Runs) -> Result:
    m, holds, parts = Measured(runs), True, []
    for cross in ("poisson", "bursts"):
        found = {p: m.readings(f"path {cross} {p}", LINE / 2, "source1", "source2") for p in PLACES}
        median, spread = {p: r.median.mean for p, r in found.items()}, {p: r.spread for p, r in found.items()}
        holds &= abs(median["upstream"] - 1) <= 0.1 and abs(median["bottleneck"] / 2 - 1) <= 0.2
        holds &= abs(median["downstream"] - 1) <= 0.2 and spread["downstream"] >= 2 * spread["none"]
        parts.append(f"{cross}: " + ", ".join(f"{p} {median[p]:.2f} (spread {spread[p]:.2f})" for p in PLACES))
    return holds, "; ".join(parts)


@claim("B12")
def _b12(runs: Runs) -> Result:
    m = Measured(runs)
    got, text = each(("fq", "fcfs"), lambda q: bunched(m, f"two-way both none {q}"), 3)
    alone, _ = each(("fq", "fcfs"), lambda q: bunched(m, f"two-way one-way none {q}"), 3)
    return bool(got[0] < 0.01 and got[1] > 0.1 and (alone == 0).all()), f"{text}; one-way {listed(alone, 3)}"


def bunched(m: Measured, variant: str) -> Mean:
    """The part of the pairs that read more than the line's rate."""
    return m.readings(variant, LINE / 2, "east1", "east2").closer_than(0.95 / LINE)


@claim("B13")
def _b13(runs: Runs) -> Result:
    m = Measured(runs)
    median = m.readings("two-way both none fq", LINE / 2, "east1", "east2").median
    return abs(median.mean - 1) <= 0.2, f"{with_half(median)} times fair"


def mean_completion(m: Measured, control: str, queue: str, size: int) -> Mean:
    """Mean completion time of the transfers of one size, over the runs."""
    return m.mean(f"short random {control} {queue}", lambda run: float(np.nanmean(measures.completions(run, size))))


@CLAIMS.measure("completion")
def _completion(runs: Runs, transfer: str) -> float:
    control, queue, size = transfer.split()
    return mean_completion(Measured(runs), control, queue, int(size)).mean


def late_shares(m: Measured, variant: str) -> Floats:
    """Shares of the four in the last 200 s, in the order of their starts: a row per run."""
    rows = []
    for run in m.runs_of(variant):
        order = sorted(PP, key=lambda f: measures.started(run, f))
        rates = measures.rates(run, *order, span=(400.0, 600.0))
        rows.append(rates / rates.sum())
    return np.array(rows)


@claim("B17")
def _b17(runs: Runs) -> Result:
    m = Measured(runs)
    due = measures.line_windows() / measures.line_windows().sum()
    fcfs, fq = (late_shares(m, f"starts apart {q}").mean(axis=0) for q in ("fcfs", "fq"))
    holds = bool((abs(fcfs - due) <= 0.1).all() and (abs(fq * 4 - 1) <= 0.05).all())
    return holds, f"FCFS {listed(fcfs)}, predicted {listed(due)}; FQ {listed(fq)}"


@claim("B18")
def _b18(runs: Runs) -> Result:
    m = Measured(runs)
    fq, fcfs = late_shares(m, "starts random fq"), late_shares(m, "starts random fcfs")
    jain = [jain_index(row) for row in fq]
    first = int((fcfs.argmax(axis=1) == 3).sum())
    return min(jain) > 0.99 and first == len(fcfs), (
        f"FQ: least Jain {min(jain):.4f}; FCFS: the last is first in {first} of {len(fcfs)} runs, share {listed(fcfs[:, 3])}"
    )


def settling(m: Measured, variant: str, newcomer: int) -> Mean:
    """Seconds until the throughput of the source that starts as number `newcomer` stays within a fifth of the fair rate."""
    span = (100.0 * newcomer, 100.0 * newcomer + (100.0 if newcomer < 3 else 300.0))
    return m.mean(variant, lambda run: measures.settled(run, PP[newcomer], span, LINE / (newcomer + 1)))


@claim("B19")
def _b19(runs: Runs) -> Result:
    m = Measured(runs)
    found = [settling(m, "starts apart fq", k) for k in (1, 2, 3)]
    return all(f.mean <= 20 for f in found), ", ".join(f"{with_half(f, 0)} s" for f in found)


@claim("B20")
def _b20(runs: Runs) -> Result:
    m = Measured(runs)
    variants = [f"bursts {length} pp_cth fq" for length in ("1 s", "20 s")]
    jain, busy = [m.jain(v, *PP[:3]) for v in variants], [m.busy(v, "slow") for v in variants]
    holds = all(j.mean >= 0.99 for j in jain) and all(b.mean >= 0.98 for b in busy)
    return holds, f"Jain {', '.join(with_half(j, 4) for j in jain)}; busy {', '.join(with_half(b, 3) for b in busy)}"
