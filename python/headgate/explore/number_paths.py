"""Numbers of a run by their paths, as the files of lessons name them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from .._core import with_unit
from ..base.errors import HeadgateError, cut, nearest
from ..base.units import percent
from .store import Finished

T = TypeVar("T")

#: The columns of flows, of ports, of classes of transfers, and of all flows together: their words, their unit, and the factor to
#: that unit.
FLOWS = {
    "goodput_bps": ("goodput", "bit/s", 1.0), "max_min_bps": ("fair share", "bit/s", 1.0), "queueing_ms": ("mean wait", "s", 1e-3),
    "rtt_ms": ("mean round-trip time", "s", 1e-3), "lost": ("lost packets", "packets", 1.0), "marks": ("marked packets", "packets", 1.0),
    "retransmissions": ("retransmissions", "packets", 1.0),
}  # fmt: skip
PORTS = {
    "utilisation": ("utilisation", "%", 1.0), "drops": ("dropped packets", "packets", 1.0), "marks": ("marked packets", "packets", 1.0),
    "mean_queue": ("mean queue", "packets", 1.0), "queueing_ms": ("mean wait", "s", 1e-3),
}  # fmt: skip
TRANSFERS = {
    "mean_s": ("mean completion time", "s", 1.0), "p95_s": ("95 % quantile of the completion times", "s", 1.0),
    "p99_s": ("99 % quantile of the completion times", "s", 1.0), "finished": ("finished transfers", "", 1.0),
}  # fmt: skip
SUM = {name: FLOWS[name] for name in ("goodput_bps", "lost", "marks", "retransmissions")}

_OF = {"flows": FLOWS, "ports": PORTS, "transfers": TRANSFERS}


@dataclass(frozen=True)
class NumberOfRun:
    """A number of a run, its meaning in words, and its unit; `shown` is the number in `unit`."""

    label: str
    value: float
    unit: str
    shown: float

    @property
    def text(self) -> str:
        """With its unit, three digits; a dash where nothing was measured.

        >>> NumberOfRun("mean wait of `game`", 213.3, "s", 0.2133).text, NumberOfRun("", float("nan"), "s", float("nan")).text
        ('213 ms', '–')
        """
        if not np.isfinite(self.shown):
            return "–"
        return percent(self.shown) if self.unit == "%" else with_unit(self.shown, self.unit)


def measured(path: str, run: Finished) -> NumberOfRun:
    """A number of a run.

    Args:
        path: `flows.NAME.COLUMN`, `ports.NAME.COLUMN`, `transfers.CLASS.COLUMN`, `sum.COLUMN` (over all flows), or `early.VIEW.LINE` (what
            the line of a view mostly was in the first half of the run). Columns and their units are those of the tables above.
        run: that is measured.

    Raises:
        HeadgateError: the run has no such number; the text says what was found and expected.
    """
    what, _, rest = path.partition(".")
    if what in _OF:
        name, _, column = rest.rpartition(".")
        words, unit, factor = _known(column, _OF[what], "column")
        entries = {entry["name"]: entry for entry in run.done[what]}
        # A flow of which no packet arrived has no delay.
        found = _known(name, entries, {"flows": "flow", "ports": "port", "transfers": "class of transfers"}[what])[
            column
        ]
        value = float("nan") if found is None else float(found)
        return NumberOfRun(f"{words} of `{name}`", value, unit, value * factor)
    if what == "sum":
        words, unit, factor = _known(rest, SUM, "column")
        value = float(sum(flow[rest] for flow in run.done["flows"]))
        return NumberOfRun(f"{words} of all flows", value, unit, value * factor)
    if what == "early":
        name, _, line = rest.partition(".")
        view = _known(name, {view.name: view for view in run.views}, "view")
        held = _known(line, {each.name: each for each in view.lines}, "line of this view")
        # A line holds its value until the next point.
        at = np.searchsorted(held.t, np.linspace(run.until / 12, run.until / 2, 200, endpoint=False), "right") - 1
        value = float(np.median(held.y[at[at >= 0]])) if (at >= 0).any() else float("nan")
        return NumberOfRun(f"{view.title[:1].lower()}{view.title[1:]} of `{line}`", value, view.unit, value)
    expected = "expected a path that begins with flows, ports, transfers, sum or early"
    raise HeadgateError(f'found "{cut(path)}"; {expected}, such as flows.NAME.goodput_bps')


def _known(name: str, known: Mapping[str, T], what: str) -> T:
    """The entry of a name.

    Raises:
        HeadgateError: there is none.
    """
    if name not in known:
        listed = cut(", ".join(known)) if known else "none, since the run has none"
        raise HeadgateError(f'found "{cut(name)}"; expected a {what}: {listed}.{nearest(name, known)}')
    return known[name]
