"""A study in one table: a row per variant, means over its runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..results.columns import columns, shown
from ..results.combination import by_stretch, combined
from ..results.metrics import METRICS, MetricLine
from ..stats import Mean, mean_of
from .arrow import to_arrow, to_numpy
from .study import Study


def metrics() -> list[MetricLine]:
    """The metrics of the summary."""
    return [m for m in METRICS if m.sweep and m.column and m.table == "flows"]


def entry_of(m: MetricLine) -> str:
    """The name of a metric in the summary: that of its column without `mean`, or of an index its own.

    >>> [entry_of(m) for m in metrics()][:6]
    ['goodput_bps', 'jain_of_max_min', 'jain_of_weights', 'jain', 'rtt_s', 'rtt_p99_s']
    """
    return m.name if m.over == "jain" else (m.column or "").replace("_mean", "")


def headings() -> list[tuple[str, str, float, int]]:
    """The entries in the terminal: names, headings, factors to the units in these, and ranks."""
    out = []
    for m in (m for m in metrics() if m.sweep is True):
        known = columns("flows")[m.column or ""]
        scale, unit = shown("" if m.over == "jain" or known.type == "int" else known.unit)
        total = "total " if known.kind == "total" and m.over != "jain" and known.type == "float" else ""
        out.append((entry_of(m), f"{total}{m.heading} {unit}".rstrip(), scale, max(m.rank, 1)))
    return out


def summary(study: Study) -> list[dict[str, Any]]:
    """One entry per variant that ran: `variant`, `axes` (its columns), `runs`, `runs_equal`, and a `Mean` for every metric.

    A metric is the sum or the mean over the flows of a run, or for delays over all of their packets; its mean is over the runs.
    Where these are equal it has no interval. A study that was made before a metric was there has no entry for it.
    """
    flows = study.flows
    if not len(flows):
        return []
    variant, replication = to_numpy(flows["variant"]), to_numpy(flows["replication"])
    # Rows are sorted: a run, and a variant, is a stretch of them.
    runs = _starts(variant, replication)
    per_run = {}
    for m in (m for m in metrics() if m.column in flows.column_names):
        column = columns("flows")[m.column or ""]
        values = to_numpy(flows[column.name]).astype(np.float64)
        weights = column.weights(lambda name: to_numpy(flows[name]).astype(np.float64))
        how = m.over if m.over == "jain" else column.kind
        per_run[entry_of(m)] = combined(how, values, by_stretch(runs), weights)
    of_run = variant[runs]
    variants = _starts(of_run)
    names = [n for axis in study.axes for n in axis.columns]
    cells = flows.select(names).take(to_arrow(runs[variants])).to_pylist() if names else [{}] * len(variants)
    return [
        {
            "variant": int(of_run[low]),
            "axes": axes,
            "runs": int(high - low),
            "runs_equal": bool(study.equal_runs[of_run[low]]),
            **{
                name: mean_of(values[low:high], bool(study.equal_runs[of_run[low]])) for name, values in per_run.items()
            },
        }
        for low, high, axes in zip(variants, [*variants[1:], len(runs)], cells, strict=True)
    ]


def _starts(*columns: Any) -> Any:
    """Where a new stretch of equal rows begins.

    >>> _starts(np.array([3, 3, 5]), np.array([1, 2, 2])).tolist()
    [0, 1, 2]
    """
    change = np.zeros(len(columns[0]), dtype=bool)
    change[:1] = True
    for column in columns:
        change[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(change)


def to_dict(study: Study) -> dict[str, Any]:
    """The summary as JSON data: `{folder, version, complete, variants: [...], failures: [...]}`."""
    entries = [{k: v.to_dict() if isinstance(v, Mean) else v for k, v in entry.items()} for entry in summary(study)]
    return {
        "folder": str(study.folder),
        "version": study.manifest["headgate"],
        "seed": study.manifest["seed"],
        "complete": study.complete,
        "runs": len(study.runs),
        "variants": entries,
        "failures": failures_of(study),
    }


def failures_of(study: Study) -> list[dict[str, Any]]:
    """The runs that failed as JSON data."""
    rows: list[dict[str, Any]] = study.failures.drop_columns(["scenario"]).to_pylist() if len(study.failures) else []
    return rows
