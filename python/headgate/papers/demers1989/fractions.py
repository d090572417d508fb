"""Section 5 on shares that are absolute fractions of the line: a minimum of service, and how near it is to Virtual Clock."""

from __future__ import annotations

import numpy as np

from ...base.parallel import Progress
from ..claims import Result, Runs
from ..layout import Layouts
from ..measure import Floats
from ..model import Table
from ..study import Shown
from .emulation import RATE, Trace
from .statements import claim

FRACTIONS, WEIGHTS = SHARES = ("fractions", "weights")

#: How many others there are; the fractions of the last ones add up to more than the line.
OTHERS = (1, 3, 6, 12)
#: Of the server, and packets/s of the line.
FRACTION, LINE = 0.4, 100.0

#: Slots of the random traces: as many as they have conversations at most.
SLOTS = 5


def got(runs: Runs, shares: str) -> Floats:
    """The part of the line that the server has, by the number of the others."""
    return np.array([runs.of(f"{shares}, {n} others", "rate", "server")[0] for n in OTHERS]) / LINE


def sent(trace: Trace, queue: str, **parameters: object) -> list[int]:
    """The packets of a trace in the order in which a discipline sends them: a replay."""
    import pyarrow as pa

    from ...replays import replay

    table = pa.table(
        {"time_s": trace.times, "flow": [str(f) for f in trace.flows], "size_bytes": (trace.sizes / 8).astype(int)}
    )
    found = replay(table, {"kind": queue, **parameters}, "1Mbit/s", "100000pkt", series=False).packets(queue)
    return [int(k) for k in np.argsort(np.asarray(found["departure_s"], dtype=np.float64))]


def moved(traces: range) -> dict[str, Floats]:
    """The share of each trace's packets whose place is another one than with Virtual Clock."""
    found: dict[str, list[float]] = {"fractions": [], "weights": [], "FCFS": []}
    for seed in traces:
        trace = Trace.random(seed)
        clock = np.array(sent(trace, "virtual_clock", rate=f"{RATE / SLOTS:.0f}bit/s"))
        orders = (sent(trace, "fq", slots=SLOTS), sent(trace, "fq"), sent(trace, "fcfs"))
        for name, order in zip(found, orders, strict=True):
            found[name].append(float((np.array(order) != clock).mean()))
    return {name: np.array(shares) for name, shares in found.items()}


@claim("D38")
def _d38(_: Runs) -> Result:
    found = moved(range(100))
    same = {name: int((shares == 0).sum()) for name, shares in found.items()}
    text = ", ".join(
        f"{name} {n} of 100 ({100 * found[name].mean():.0f} % of packets elsewhere)" for name, n in same.items()
    )
    return same["fractions"] == 100 and same["weights"] < 50, f"the order is Virtual Clock's: {text}"


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """What the server has."""

    def row(shares: str) -> Table:
        return {"part": got(runs, shares)}

    return Shown((Layouts(__file__).section("fractions", row),))
