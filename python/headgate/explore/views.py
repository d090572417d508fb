"""The views of a run: which lines each has, from the tables of intervals and traces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..plots.traces import LABELS
from ..results.metrics import GOODPUT
from ..results.tables import numbers
from .reduce import WIDEST, reduced

Array = npt.NDArray[np.float64]

#: Traces that are recorded for all views; traces of a run whose other traces would take too much memory.
ALL_TRACES = ("window", "in_flight", "rtt", "backlog", "drops", "estimates")
FEW_TRACES = ("drops",)

#: Intervals shorter than this part of the longest one are left out.
SHORTEST = 1e-3

#: Maximum number of lines of a view.
LINES = 24

#: Estimates that are a pacing rate, in packets per second.
PACING = ("rate", "pacing_rate")


@dataclass
class Line:
    """A line of a view: its name, the flow that it is about if there is one, times in s and values."""

    name: str
    flow: str | None
    t: Array
    y: Array

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return self.t.nbytes + self.y.nbytes


@dataclass
class View:
    """A picture of a run over time; `steps` says that a value holds until the next point, `stacked` that values add up."""

    name: str
    title: str
    unit: str
    steps: bool = True
    stacked: bool = False
    lines: list[Line] = field(default_factory=list)

    def head(self) -> dict[str, Any]:
        """The description of the view, without its points."""
        series = [{"name": x.name, "flow": x.flow} for x in self.lines]
        return {
            "name": self.name, "title": self.title, "unit": self.unit, "stacked": self.stacked, "steps": self.steps,
            "series": series,
        }  # fmt: skip

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return sum(x.size for x in self.lines)

    def whole(self, run: Any) -> View:
        """The view with all its points."""
        return self

    def points_of(self, run: Any, start: float, end: float, width: int) -> dict[str, Any]:
        """Its lines from `start` to `end`, as a picture of `width` pixels shows them."""
        series = []
        for x in self.lines:
            t, y = reduced(x.t, x.y, start, end, min(max(width, 1), WIDEST))
            series.append({"name": x.name, "t": np.round(t, 9), "y": y})
        return {"view": self.name, "unit": self.unit, "from": start, "to": end, "series": series}


def views(table: Callable[[str], Mapping[str, Any]], flows: list[str], ports: list[str], end: float) -> list[View]:
    """All views of a run that have lines.

    Args:
        table: gives a table of the engine by its name.
        flows: names of all flows.
        ports: names of all ports.
        end: of the run, in s.
    """
    of = {view.name: view for view in _by_interval(table("intervals"), flows)}
    traced = Traced(table("traces"), flows, ports, end)
    rtt = traced.view("rtt", "rtt", "Round-trip time", "s", steps=False)
    if rtt.lines:
        of["rtt"] = rtt
    of["ports"] = traced.view("backlog", "ports", "Backlog of the ports", "packets")
    of["drops"] = traced.drops(of["drops"])
    of["window"] = traced.view("window", "window", "Window", "packets")
    of["in_flight"] = traced.view("in_flight", "in_flight", "Packets sent and not acknowledged", "packets")
    for kind in traced.kinds:
        if kind in PACING:
            of["pacing"] = traced.view(kind, "pacing", "Pacing rate", "packets/s")
        elif kind not in ALL_TRACES:
            title, unit = _title_and_unit(kind)
            of[f"estimate-{kind}"] = traced.view(kind, f"estimate-{kind}", title, unit)
    order = ["throughput", "rtt", "queueing", "ports", "drops", "window", "in_flight", "pacing"]
    names = [name for name in order if name in of] + sorted(name for name in of if name not in order)
    return [of[name] for name in names if of[name].lines]


def _by_interval(t: Mapping[str, Any], flows: list[str]) -> list[View]:
    """The views that the table of intervals gives: a value for each flow and interval."""
    codes, spans = numbers(t["flow"]), np.asarray(t["end_s"]) - np.asarray(t["start_s"])
    order = np.argsort(codes, kind="stable")
    # The last interval of a run may be shorter than a packet's transmission, so that its rate means nothing.
    order = order[spans[order] > SHORTEST * spans.max(initial=0.0)]
    starts, ends = (np.asarray(t[name])[order] for name in ("start_s", "end_s"))
    got = {"start_s": starts, "end_s": ends, "unique_bytes": np.asarray(t["unique_bytes"])[order]}
    curves = {
        "throughput": ("Goodput", "bit/s", GOODPUT(got)),
        "rtt": ("Round-trip time, mean of intervals", "s", np.asarray(t["rtt_mean_s"])[order]),
        "queueing": ("Queueing delay, mean of intervals", "s", np.asarray(t["queueing_mean_s"])[order]),
        "drops": ("Marked packets so far", "packets", np.asarray(t["marks"], dtype=np.float64)[order]),
    }
    edges = np.searchsorted(codes[order], np.arange(len(flows) + 1))
    most = np.add.reduceat(curves["throughput"][2], edges[:-1]) if len(order) else np.zeros(len(flows))
    chosen = sorted(np.argsort(-np.nan_to_num(most), kind="stable")[:LINES].tolist())
    found = []
    for name, (title, unit, values) in curves.items():
        view = View(name, title, unit)
        for f in chosen:
            part = slice(int(edges[f]), int(edges[f + 1]))
            if part.stop == part.start:
                continue
            x, y = starts[part], values[part]
            if name == "drops":
                y = np.cumsum(y)
                x = ends[part]
                if y[-1] == 0:
                    continue
            elif not np.isfinite(y).any():
                continue
            view.lines.append(Line(flows[f], flows[f], np.append(x, ends[part][-1]), np.append(y, y[-1])))
        found.append(view)
    return found


def _title_and_unit(kind: str) -> tuple[str, str]:
    """The title and the unit of an estimate, from the labels of the figures.

    >>> _title_and_unit("service_rate"), _title_and_unit("skip"), _title_and_unit("threshold")
    (('Estimated service rate', 'packets/s'), ('Slots to skip', ''), ('Threshold', ''))
    """
    label = LABELS.get(kind, kind.replace("_", " ")).replace("\n", " ")
    text, bracket, unit = label.partition(" (")
    return text[:1].upper() + text[1:], unit.rstrip(")") if bracket else ""


class Traced:
    """The table of traces as lines, one for each kind and object."""

    def __init__(self, t: Mapping[str, Any], flows: list[str], ports: list[str], end: float) -> None:
        """Takes the table, and the names of all flows and ports."""
        self._flows, self._ports, self._end = set(flows), set(ports), end
        self._names, self._place = flows, {name: i for i, name in enumerate(flows)}
        kinds, self.kinds = _codes(t.get("trace", []))
        objects, self._objects = _codes(t.get("object", []))
        wide = max(len(self._objects), 1)
        # NumPy sorts 16-bit numbers by radix, which is many times faster.
        key = kinds * wide + objects
        key = key.astype(np.uint16) if wide * max(len(self.kinds), 1) < 1 << 16 else key
        order = np.argsort(key, kind="stable")
        self._t, self._y = (np.asarray(t[name])[order] if key.size else np.empty(0) for name in ("time_s", "value"))
        counts = np.bincount(key)
        ends = np.cumsum(counts)
        self._parts = {
            (self.kinds[k // wide], self._objects[k % wide]): slice(int(ends[k] - counts[k]), int(ends[k]))
            for k in np.flatnonzero(counts).tolist()
        }

    def view(self, kind: str, name: str, title: str, unit: str, steps: bool = True) -> View:
        """The view of one kind of trace: the objects with most points, in the order of the file."""
        view = View(name, title, unit, steps)
        parts = [(obj, part) for (k, obj), part in self._parts.items() if k == kind]
        busiest = sorted(parts, key=lambda x: x[1].start - x[1].stop)[:LINES]
        place = self._place if kind != "backlog" else {}
        for obj, part in sorted(busiest, key=lambda x: (place.get(x[0], 0), x[1].start)):
            # Copies: a part of the whole table would keep all of it in memory.
            t, y = self._t[part].copy(), self._y[part].copy()
            if kind == "backlog" and not y.any():
                continue
            if steps:
                t, y = np.append(t, self._end), np.append(y, y[-1])
            view.lines.append(Line(obj, obj if kind != "backlog" else None, t, y))
        return view

    def drops(self, marks: View) -> View:
        """The cumulative counts of dropped and of marked packets of each flow."""
        view = View("drops", "Dropped packets so far", "packets")
        parts = [part for (kind, _), part in self._parts.items() if kind == "drops"]
        if parts:
            t, flow = (np.concatenate([x[part] for part in parts]) for x in (self._t, self._y))
            order = np.argsort(t, kind="stable")
            t, flow = t[order], flow[order].astype(np.int64)
            counts = np.bincount(flow, minlength=len(self._names))
            for f in sorted(np.argsort(-counts, kind="stable")[:LINES].tolist()):
                if counts[f]:
                    at = t[flow == f]
                    y = np.arange(1.0, at.size + 1)
                    view.lines.append(
                        Line(self._names[f], self._names[f], np.append(at, self._end), np.append(y, y[-1]))
                    )
        if marks.lines:
            view.title = "Dropped and marked packets so far" if view.lines else "Marked packets so far"
            view.lines += [Line(f"{x.name} (marked)", x.flow, x.t, x.y) for x in marks.lines]
        return view


def _codes(column: Any) -> tuple[npt.NDArray[np.int64], list[str]]:
    """A column of names: the place of each row's name in the list of names, and that list."""
    if isinstance(column, list):
        return np.arange(len(column)), column
    return numbers(column), list(column[1])
