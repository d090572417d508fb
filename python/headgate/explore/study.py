"""A study on the page: heat maps and curves of its metrics, and the scenario behind each point."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from ..base.errors import cut
from ..comparison.values import Cube, cube
from ..scenario.scenario import Scenario
from ..stats import mean_of
from ..stats.means import finite
from ..sweep import Study, Sweep, summary
from ..sweep.axes import find_axis
from .wire import RequestError

#: Metrics that are offered first, in this order; those of the summary of a study follow. Over several flows each is a total, a mean or an
#: index, as the list of columns says.
FIRST = (
    "goodput",
    "p99_delay",
    "delay",
    "rtt",
    "queueing",
    "drops",
    "retransmissions",
    "timeouts",
    "jain_of_max_min",
    "jain",
)

#: Metrics of transfers, which come first in a study that has some.
TRANSFERS = ("fct_mean_s", "fct_p99_s", "slowdown_mean")

#: Maximum number of cells of an answer.
CELLS = 10_000


class Points:
    """A study and its points."""

    def __init__(self, study: Study) -> None:
        """Takes a study that was run, or is running."""
        self._study = study
        self._lock = threading.Lock()

    def page(self) -> dict[str, Any]:
        """Its axes and its metrics."""
        from ..comparison.metrics import find

        metrics = []
        # A study that was made before a metric was there has no column for it.
        others = (
            m.name for m in summary.metrics() if m.name not in FIRST and m.column in self._study.flows.column_names
        )
        for name in (*(TRANSFERS if self._transfers() else ()), *FIRST, *others):
            metric = find(name)
            metrics.append({"name": name, "label": metric.of(), "unit": metric.unit})
        axes = [{"name": a.name, "points": [str(p) for p in a.columns[a.name]]} for a in self._study.axes]
        return {"axes": axes, "metrics": metrics, "complete": self._study.complete, "flows": self._flows()}

    def _transfers(self) -> bool:
        """Whether a transfer ended in any run."""
        return bool(len(self._study.runs)) and bool((self._study.flows["finished"].to_numpy() > 0).any())

    def _flows(self) -> list[str]:
        names = self._study.flows["flow"].unique().to_pylist() if len(self._study.runs) else []
        return [str(n) for n in names[:100]]

    def grid(self, metric: str, x: str, y: str | None = None, flow: str | None = None) -> dict[str, Any]:
        """The means of a metric over two axes, or over one: rows are the points of `y`.

        The mean is taken over the other axes, within each replication, and `notes` says so; `halves` are half the 95 % intervals over
        the replications.

        Raises:
            HeadgateError: no such metric, axis or flow.
        """
        with self._lock:
            whole = cube(self._study, metric, flow)
        kept = [find_axis(whole.axes, name) for name in ([x] if y in (None, "", x) else [str(y), x])]
        data = whole.pool(kept)
        across = data.axes[-1]
        down = data.axes[0] if len(kept) > 1 else None
        values = data.values.reshape(1 if down is None else len(down), len(across), -1)
        if values.shape[0] * values.shape[1] > CELLS:
            raise RequestError(
                422, f"the axes have {values.shape[0]} by {values.shape[1]} points; expected at most {CELLS} in all"
            )
        exact = data.exact.reshape(values.shape[:2])
        means = [
            [
                mean_of(cell[~np.isnan(cell)], bool(alike)) if (~np.isnan(cell)).any() else None
                for cell, alike in zip(row, of_row, strict=True)
            ]
            for row, of_row in zip(values, exact, strict=True)
        ]
        return {
            "x": [str(p) for p in across.columns[across.name]],
            "y": [""] if down is None else [str(p) for p in down.columns[down.name]],
            "values": [[None if m is None else m.mean for m in row] for row in means],
            "halves": [[None if m is None else finite(m.half) for m in row] for row in means],
            "notes": _notes(whole, data),
            "variants": self._variants(kept),
        }

    def _variants(self, kept: list[int]) -> list[list[int]]:
        """Behind each cell the first of the variants that it is the mean of."""
        numbers = self._study.numbers
        others = tuple(i for i in range(numbers.ndim) if i not in kept)
        ordered = numbers.transpose((*kept, *others)).reshape(*(numbers.shape[i] for i in kept), -1)[..., 0]
        found: list[list[int]] = np.atleast_2d(ordered).tolist()
        return found

    def variant(self, number: int) -> dict[str, Any]:
        """The scenario of a variant, and the seed of its first run.

        Raises:
            RequestError: there is none of this number.
        """
        manifest = self._study.manifest
        if not 0 <= number < int(manifest["variants"]):
            raise RequestError(404, f"variant {cut(number)}; expected a number below {manifest['variants']}")
        sweep = Sweep.of(Scenario({**manifest["scenario"], "sweep": manifest["sweep"]}))
        return {"scenario": sweep.variant(number).data, "seed": int(manifest["seed"])}


def _notes(whole: Cube, data: Cube) -> list[str]:
    """What was averaged, and whether all runs of a point are equal."""
    kept, notes = {axis.name for axis in data.axes}, []
    averaged = [axis.name for axis in whole.axes if axis.name not in kept and len(axis) > 1]
    if averaged:
        of = " A mean of quantiles is no quantile of all." if whole.metric.quantile else ""
        notes.append(f"Each number is a mean over {' and '.join(averaged)}, within each replication.{of}")
    if data.exact.all():
        notes.append(
            "All runs of a variant are equal: nothing is drawn that differs by seed, so there are no intervals."
        )
    elif data.exact.any():
        notes.append("Where no ± stands, all runs are equal: nothing is drawn there that differs by seed.")
    return notes
