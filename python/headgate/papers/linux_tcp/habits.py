"""What the lines of `claims.toml` measure of the traces of packets lost at chosen places."""

from __future__ import annotations

import itertools

import numpy as np

from ..claims import Runs
from ..measure import Floats
from .statements import CLAIMS


def _windows(runs: Runs, variant: str) -> list[tuple[float, float]]:
    times, values = runs.trace(variant, "window", "tcp")
    return list(zip(times.tolist(), values.tolist(), strict=True))


@CLAIMS.measure("packets known above the hole when the window falls")
def _above(runs: Runs, variant: str) -> float:
    acks, _ = runs.trace(variant, "rtt", "tcp")
    fell = next(t for (_, before), (t, after) in itertools.pairwise(_windows(runs, variant)) if after < before)
    # 39 packets below the hole, then one after the other above it.
    return float((acks[39:] <= fell).sum())


@CLAIMS.measure("window after 1")
def _after_one(runs: Runs, variant: str) -> tuple[float, float]:
    windows = _windows(runs, variant)
    at = next(i for i, (_, w) in enumerate(windows) if w == 1)
    (start, _), (then, window) = windows[at], windows[at + 1]
    return window, then - start


@CLAIMS.measure("wait for the tail probe")
def _waited(runs: Runs, variant: str) -> float:
    times, flights = runs.trace(variant, "in_flight", "tcp")
    # One is outstanding from the last acknowledgement on, until the probe is sent.
    alone = int(np.flatnonzero(flights == 1)[-1])
    return float(times[alone + 1] - times[alone])


@CLAIMS.measure("windows")
def _all_windows(runs: Runs, variant: str) -> Floats:
    return np.array([w for _, w in _windows(runs, variant)])


@CLAIMS.measure("timeout after the probe")
def _timeout(runs: Runs, variant: str) -> tuple[float, float]:
    times, flights = runs.trace(variant, "in_flight", "tcp")
    probe = float(times[int(np.flatnonzero((flights[:-1] == 1) & (flights[1:] == 2))[-1]) + 1])
    ran_out = next(t for t, w in _windows(runs, variant) if t > probe and w == 1)
    _, rtts = runs.trace(variant, "rtt", "tcp")
    smoothed = rtts[0]
    for rtt in rtts[1:]:
        smoothed += (rtt - smoothed) / 8
    return ran_out - probe, smoothed
