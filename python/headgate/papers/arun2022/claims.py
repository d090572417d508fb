"""What the lines of `claims.toml` measure beside throughputs. Rates are in Mbit/s unless a name says otherwise."""

from __future__ import annotations

import numpy as np

from ..claims import Claims, Runs
from ..formulas.starvation import bbr_rates, shared_with_error
from ..measure import Floats

CLAIMS = Claims(__file__)

#: The line in bit/s, and the queue in bits that a flow of Copa keeps: two packets of 1500 bytes.
LINE = 120e6
COPA_QUEUE = 2 * 1500 * 8.0

#: Errors of Copa's round trip in ms.
ERRORS = (0.25, 0.5, 1.0, 2.0, 4.0)

#: BBR's additive term in bits: three times what the kernel hands to the device at once, about 1 ms of the line.
BBR_QUANTA = 30 * 1500 * 8.0


def pair(runs: Runs, variant: str) -> Floats:
    """The throughputs of both flows."""
    return runs.of(variant, "throughput", "f1", "f2")


def copa_pair(runs: Runs, error_ms: float) -> Floats:
    """The same of Copa, with an error of the first flow."""
    return pair(runs, "two" if error_ms == 1 else f"two, {error_ms:g} ms")


def ratio(runs: Runs, variant: str) -> list[float]:
    """How many times as much the second flow has, in every run."""
    return [float(b / a) for a, b in runs.over(variant, "throughput", "f1", "f2")]


@CLAIMS.measure("formula")
def _formula(_runs: Runs, error_ms: str) -> Floats:
    """What both flows of Copa are to get with an error of the first one's round trip."""
    return np.array(shared_with_error(COPA_QUEUE, LINE, float(error_ms) / 1000)) / 1e6


@CLAIMS.measure("fixed point")
def _fixed_point(_runs: Runs, _variant: str) -> float:
    """What the flow of BBR with the smaller round trip is to get."""
    return bbr_rates(LINE, (0.04, 0.08), BBR_QUANTA)[0] / 1e6
