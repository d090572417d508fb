"""The moment of failure: where in a run the property is at its worst."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import _core
from ...results.metrics import GOODPUT
from ..frame.part import Place, Run
from .objective import Objective

Array = npt.NDArray[np.float64]

#: Slices of a run of which the worst one is the moment.
SLICES = 20


@dataclass(frozen=True)
class RunSeries:
    """A run by intervals.

    Attributes:
        time: middles of the intervals in s, shape (intervals,).
        goodput: of each flow in bit/s, shape (intervals,).
        wait: mean time in queues of each flow's packets in s, nan where none arrived, shape (intervals,).
        drops: of each flow's packets, shape (intervals,).
    """

    time: Array
    goodput: dict[str, Array]
    wait: dict[str, Array]
    drops: dict[str, Array]


def series(result: _core.RunResult, place: Place) -> RunSeries:
    """The intervals of a run, the warm-up included."""
    table = Run(result, place).table("intervals")
    starts, rows = np.unique(table["start_s"], return_inverse=True)
    ends = np.zeros(len(starts))
    ends[rows] = table["end_s"]
    names = [str(name) for name in dict.fromkeys(table["flow"])]
    goodput, wait, drops = {}, {}, {}
    for name in names:
        own = table["flow"] == name
        got = np.zeros(len(starts))
        got[rows[own]] = table["unique_bytes"][own]
        bits, length = GOODPUT.parts({"unique_bytes": got, "start_s": starts, "end_s": ends})
        goodput[name] = bits / np.maximum(length, 1e-9)
        wait[name] = np.full(len(starts), np.nan)
        wait[name][rows[own]] = table["queueing_mean_s"][own]
        drops[name] = np.zeros(len(starts))
        drops[name][rows[own]] = table["drops"][own]
    return RunSeries((starts + ends) / 2, goodput, wait, drops)


def moment(found: RunSeries, objective: Objective, place: Place) -> tuple[float, float]:
    """Start and end in s of the slice after the warm-up in which the property is at its worst."""
    own = [name for name in found.goodput if name.startswith(_whose(objective))]
    bounds = np.linspace(place.warm_up, place.duration, SLICES + 1)
    worst, at = -np.inf, 0
    for i in range(SLICES):
        inside = (found.time >= bounds[i]) & (found.time < bounds[i + 1])
        if inside.any():
            badness = _badness(found, own, inside, objective)
            if badness > worst:
                worst, at = badness, i
    return float(bounds[at]), float(bounds[at + 1])


def _whose(objective: Objective) -> str:
    wanted: Any = objective.wanted[0]
    return wanted.of or ("own" if objective.judges == "control" else "")


def _badness(found: RunSeries, own: list[str], inside: npt.NDArray[np.bool_], objective: Objective) -> float:
    """How bad a slice is: any number that grows with it."""
    rates = [float(found.goodput[name][inside].mean()) for name in own] or [0.0]
    if objective.name in ("share", "starvation"):
        return -min(rates) / max(max(rates), 1.0)
    if objective.wanted[0].metric == "loss":
        return float(sum(found.drops[name][inside].sum() for name in own))
    if objective.unit in ("x", "s") and objective.wanted[0].metric.startswith("queueing"):
        waits = np.concatenate([found.wait[name][inside] for name in own] or [np.zeros(1)])
        return float(np.nanmax(waits)) if np.isfinite(waits).any() else 0.0
    return -sum(rates)
