"""What the kernel does about packets lost at chosen places, as predicates."""

from __future__ import annotations

import itertools

import numpy as np

from ..claims import Result, Runs, listed
from .statements import claim

#: A tick of the kernel, of which timers are up to two late.
TICK = 0.004


def _windows(runs: Runs, variant: str) -> list[tuple[float, float]]:
    times, values = runs.trace(variant, "window", "tcp")
    return list(zip(times.tolist(), values.tolist(), strict=True))


@claim("L4")
def _l4(runs: Runs) -> Result:
    acks, _ = runs.trace("the 40th", "rtt", "tcp")
    windows = _windows(runs, "the 40th")
    fell = next(t for (_, before), (t, after) in itertools.pairwise(windows) if after < before)
    # 39 packets below the hole, then one after the other above it.
    above = int((acks[39:] <= fell).sum())
    return above == 3, f"the window falls with number {above} above the hole"


@claim("L5b")
def _l5_empty(runs: Runs) -> Result:
    windows = _windows(runs, "the last three")
    at = next(i for i, (_, w) in enumerate(windows) if w == 1)
    (start, _), (then, next_window) = windows[at], windows[at + 1]
    return (
        next_window == 2 and 0.04 < then - start < 0.045,
        f"1, then {next_window:g} after {1e3 * (then - start):.0f} ms",
    )


@claim("L6")
def _l6(runs: Runs) -> Result:
    times, flights = runs.trace("the last", "in_flight", "tcp")
    # One is outstanding from the last acknowledgement on, until the probe is sent.
    alone = int(np.flatnonzero(flights == 1)[-1])
    waited = float(times[alone + 1] - times[alone])
    windows = [w for _, w in _windows(runs, "the last")]
    kept = all(np.diff(windows) > 0)
    return 0.264 <= waited <= 0.288 and kept, f"after {1e3 * waited:.0f} ms; window {listed(np.array(windows[-2:]), 0)}"


@claim("L7")
def _l7(runs: Runs) -> Result:
    times, flights = runs.trace("the last and its probe", "in_flight", "tcp")
    probe = float(times[int(np.flatnonzero((flights[:-1] == 1) & (flights[1:] == 2))[-1]) + 1])
    ran_out = next(t for t, w in _windows(runs, "the last and its probe") if t > probe and w == 1)
    _, rtts = runs.trace("the last and its probe", "rtt", "tcp")
    smoothed = rtts[0]
    for rtt in rtts[1:]:
        smoothed += (rtt - smoothed) / 8
    after = ran_out - probe
    timeouts = float(runs.of("the last and its probe", "timeouts", "tcp")[0])
    near = smoothed + 0.2 <= after <= smoothed + 0.2 + 3 * TICK
    return bool(
        near and timeouts == 1
    ), f"after {1e3 * after:.0f} ms, with a smoothed round trip of {1e3 * smoothed:.0f} ms"
