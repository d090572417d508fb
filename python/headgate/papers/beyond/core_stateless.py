"""Core-Stateless Fair Queueing with today's TCP, and with many flows: predictions and tables."""

from __future__ import annotations

import numpy as np

from ...analysis import jain_index
from ...base.parallel import Progress
from ...stats import Mean
from ..claims import Result, Runs
from ..layout import Layouts
from ..measure import Floats
from ..model import Measure, Table
from ..study import Shown
from .measures import Measured
from .predictions import with_half
from .statements import CLAIMS, claim

TABLES = Layouts(__file__)

#: The fair share of each of 32 flows in Mbit/s, and the max-min share of each kind of the many flows.
FAIR = 10 / 32
SHARES = {"half": 0.5, "one": 1.0, "two": 1.25, "four": 1.25}

_UDP = Measure("udp", counts=("received",), per_second=True, scale=0.008)
_FLOWS = ("12", "100", "1000")


def contained(runs: Runs, control: str, queue: str) -> Mean:
    """What the UDP flow gets beside 31 flows of a TCP, in Mbit/s."""
    return Measured(runs).mean(f"tcp {control} {queue}", lambda run: run.value(_UDP, "udp").mean)


def over_share(runs: Runs, flows: str, queue: str) -> Floats:
    """Goodput over the max-min share of each of many flows."""
    table = runs.base[f"many {flows} {queue}"].table("flows")
    share = np.array([SHARES[str(name).rstrip("0123456789")] for name in table["flow"]])
    return np.asarray(table["goodput_bps"] / 1e6 / share)


def study(runs: Runs, progress: Progress | None) -> Shown:
    """Both tables; `progress` has nothing more to show."""
    del progress

    def tcp(queue: str) -> Table:
        names = {"old": "1998", "cubic": "cubic", "sack": "sack", "linux": "cubic_linux"}
        return {key: contained(runs, control, queue) for key, control in names.items()}

    def many(flows: str, queue: str) -> Table:
        got = over_share(runs, flows, queue)
        busy = runs.link(f"many {flows} {queue}", "bottleneck", "utilisation")
        return {"jain": jain_index(got), "least": got.min(), "most": got.max(), "busy": busy}

    return Shown((TABLES.section("contained", tcp), TABLES.section("many", many)))


def _times(runs: Runs, names: tuple[tuple[str, str], ...]) -> tuple[list[float], str]:
    found = {f"{c} {q}": contained(runs, c, q) for c, q in names}
    text = ", ".join(f"{name} {with_half(value)}" for name, value in found.items())
    return [value.mean / FAIR for value in found.values()], f"{text} Mbit/s"


@claim("B27")
def _b27(runs: Runs) -> Result:
    times, text = _times(runs, (("cubic", "csfq"), ("sack", "csfq")))
    return min(times) >= 3, text


@claim("B28")
def _b28(runs: Runs) -> Result:
    (linux, rfc), text = _times(runs, (("cubic_linux", "csfq"), ("cubic", "csfq")))
    return linux <= 2 and linux < rfc, text


@claim("B29")
def _b29(runs: Runs) -> Result:
    names = tuple((c, q) for c in ("cubic", "sack", "cubic_linux", "1998") for q in ("fq", "drr"))
    times, text = _times(runs, names)
    return max(times) <= 2, text


@CLAIMS.measure("jain of many flows")
def _jain(runs: Runs, variant: str) -> float:
    return jain_index(over_share(runs, *variant.split()))
