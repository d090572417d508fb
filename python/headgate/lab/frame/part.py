"""A run as the metrics see it: the tables, and the part of them that a measurement is of.

Times count from the start of the run. Windows of time are whole intervals of the case: those that lie within `from` and `to`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import _core
from ...results.columns import columns
from ...results.tables import from_core

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Wanted:
    """A measurement: the metric, of which flows (the subject's if empty), from and to which time in s, and what the metric asks for."""

    metric: str
    of: str = ""
    start: float | None = None
    end: float | None = None
    gauge: str = ""
    part: float = 0.9
    level: float | None = None
    after: float | None = None
    during: tuple[tuple[str, float], ...] = ()

    def key(self) -> str:
        """Names what is measured, the same for the same measurement."""
        window = ""
        if self.start is not None or self.end is not None:
            ends = ["" if end is None else f"{end:g}" for end in (self.start, self.end)]
            window = f" from {ends[0] or 0} s to {ends[1] + ' s' if ends[1] else 'the end'}"
        part = f" of {self.part:g}" if self.part != 0.9 else ""
        gauge = f" {self.gauge}" if self.gauge else ""
        gauge += f" at {self.level:g}" if self.level is not None else ""
        gauge += f" after {self.after:g}" if self.after is not None else ""
        gauge += "".join(f" while {name} is {value:g}" for name, value in self.during)
        return f"{self.metric}{gauge}{part}{' of ' + self.of if self.of else ''}{window}"


@dataclass(frozen=True)
class Place:
    """What the metrics have to know of a scenario.

    Attributes:
        duration: of the run, in s.
        warm_up: what does not count unless a metric names a time, in s.
        rates: of the line in bit/s, each with the time from which it holds.
        line: name of the link that is the bottleneck.
        subject: beginning of the names of the subject's flows; of a queue all are.
    """

    duration: float
    warm_up: float
    rates: list[tuple[float, float]]
    line: str = "line"
    subject: str = "own"

    def capacity(self, start: float, end: float) -> float:
        """Bits that the line can carry between two times."""
        bounds = [*(at for at, _ in self.rates), math.inf]
        return sum(rate * max(0.0, min(end, bounds[i + 1]) - max(start, at)) for i, (at, rate) in enumerate(self.rates))


class Run:
    """A run, and the part of it that counts for one measurement."""

    def __init__(self, result: _core.RunResult, place: Place) -> None:
        self._result, self.place = result, place
        self._tables: dict[str, dict[str, Array]] = {}

    def table(self, name: str) -> dict[str, Array]:
        """The columns of a table."""
        if name not in self._tables:
            self._tables[name] = from_core(self._result.table(name))
        return self._tables[name]


@dataclass
class Part:
    """The flows and the time that a measurement is of."""

    run: Run
    of: str
    start: float
    end: float
    windowed: bool
    what: Wanted

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.end - self.start

    def flows(self, name: str, all_flows: bool = False) -> Array:
        """A column of the totals after the warm-up, of these flows; it may follow from others."""
        table = self.run.table("flows")
        of = columns("flows")[name].of
        column = table[name] if of is None else of(table)
        return np.asarray(column[self.named(table, all_flows)], float)

    def named(self, table: dict[str, Array], all_flows: bool = False) -> Array:
        """Which rows of a table are of these flows."""
        return np.array([all_flows or str(flow).startswith(self.of) for flow in table["flow"]], bool)

    def rows(self, name: str, all_flows: bool = False) -> tuple[Array, Array]:
        """The starts of the intervals in this time, and a column summed over these flows."""
        table = self.run.table("intervals")
        inside = (table["start_s"] >= self.start - 1e-9) & (table["end_s"] <= self.end + 1e-9)
        inside &= self.named(table, all_flows)
        starts, place = np.unique(table["start_s"][inside], return_inverse=True)
        return starts, np.bincount(place, np.nan_to_num(np.asarray(table[name][inside], float)), len(starts))

    def ends(self) -> Array:
        """The ends of the intervals in this time."""
        table = self.run.table("intervals")
        inside = (table["start_s"] >= self.start - 1e-9) & (table["end_s"] <= self.end + 1e-9)
        return np.unique(table["end_s"][inside])

    def total(self, name: str, all_flows: bool = False) -> float:
        """A count of these flows in this time."""
        return float(self.rows(name, all_flows)[1].sum() if self.windowed else self.flows(name, all_flows).sum())

    def each(self, name: str) -> Array:
        """A count of each of these flows in this time."""
        if not self.windowed:
            return self.flows(name)
        table = self.run.table("intervals")
        inside = (table["start_s"] >= self.start - 1e-9) & (table["end_s"] <= self.end + 1e-9) & self.named(table)
        names, place = np.unique(table["flow"][inside].astype(str), return_inverse=True)
        return np.bincount(place, np.asarray(table[name][inside], float), len(names))

    def trace(self, name: str) -> tuple[Array, Array, Array]:
        """A trace or a gauge of the first of these flows in this time, as pieces in which it is constant: starts, values and ends."""
        names = [name, *(other for other, _ in self.what.during)]
        traced = [self._changes(own) for own in names]
        if any(not len(times) for times, _ in traced):
            return np.empty(0), np.empty(0), np.empty(0)
        # From where all are known on; a piece ends where one of them changes.
        begin = max(self.start, *(float(times[0]) for times, _ in traced))
        starts = np.unique(np.concatenate([times for times, _ in traced]))
        starts = np.append(begin, starts[(starts > begin) & (starts <= self.end)])
        held = [values[np.searchsorted(times, starts, "right") - 1] for times, values in traced]
        ends = np.append(starts[1:], self.end)
        inside = np.isfinite(held[0]) & (starts <= self.end)
        for (_, wanted), values in zip(self.what.during, held[1:], strict=True):
            inside &= values == wanted
        return starts[inside], held[0][inside], ends[inside]

    def _changes(self, name: str) -> tuple[Array, Array]:
        """Times and values of a trace or a gauge, of the first of these flows; of several at once the last."""
        table = self.run.table("traces")
        objects = [flow for flow in self.run.table("flows")["flow"] if str(flow).startswith(self.of)]
        if not objects or not len(table.get("time_s", ())):
            return np.empty(0), np.empty(0)
        own = (table["trace"] == name) & (table["object"] == objects[0])
        return table["time_s"][own], table["value"][own]
