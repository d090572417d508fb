"""The claims: lines of `claims.toml`, and the two that are none. How close "similar" or "slightly" is, the statements say."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..claims import Result, listed
from .measures import PACKET, SMALL, Measured, red
from .statements import CLAIMS, claim

__all__ = ["CLAIMS"]


def _of_case(name: str, m: Measured, variant: str) -> object:
    case, line = variant.rsplit(" ", 1)
    return getattr(m, name)(case, int(line))


for _measure in (
    "throughput",
    "relative",
    "losses",
    "loss",
    "window",
    "jain",
    "simulated",
    "predicted",
    "timeouts_of_windows",
    "least_round_trips",
    "held",
):
    CLAIMS.measure(_measure)(partial(_of_case, _measure))


@CLAIMS.measure("equation 12")
def _timeout_share(_m: Measured, _variant: str) -> float:
    return float(red(400).timeout_share[0])


for (_, _name), _lines in CLAIMS.lines.items():
    claim(_name)(_lines)


@claim("H2b")
def _h2_bursts(m: Measured) -> Result:
    lines = [line for line in SMALL if (np.diff(m.throughput("FIFO Reno", line)) < 0).any()]
    found = {line: 100 * m.timeouts("FIFO Reno", line) for line in lines}
    text = "; ".join(f"{listed(f, 0)} at {line}" for line, f in found.items())
    worst = all(bool(f[3] > 1.5 * f[:3].max()) for f in found.values())
    return bool(found) and worst, f"timeouts for 100 packets lost {text or 'none'} kbit/s"


@claim("H29")
def _h29(m: Measured) -> Result:
    phases = m.phases(400)
    full = phases.service >= 400 / PACKET
    share = phases.duration[full].sum() / phases.duration.sum()
    served = phases.packets[full].sum() / phases.packets.sum()
    text = f"in {full.sum()} of {len(full)} phases, {100 * share:.0f} % of the time, with {100 * served:.0f} % of the packets"
    return bool(full.sum() >= 3), text
