"""A study in one table: a row per variant, means over its runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..results.columns import columns, shown
from ..stats import Mean, mean_of
from .arrow import to_arrow, to_numpy
from .study import Study

#: Entry of the summary, its heading without the unit (none if it is only in the JSON form), its column of flows, and how
#: the flows of a run are combined if that differs from the column's kind. Jain's index is (sum x)^2 / (n sum x^2).
METRICS: tuple[tuple[str, str | None, str, str | None], ...] = (
    ("goodput_bps", "total goodput", "goodput_bps", None),
    ("jain_of_max_min", "Jain of max-min", "goodput_of_max_min", "jain"),
    ("jain_of_weights", None, "goodput_of_weight_bps", "jain"),
    ("jain", None, "goodput_bps", "jain"),
    ("rtt_s", "rtt", "rtt_mean_s", None),
    ("rtt_p99_s", "rtt p99", "rtt_p99_s", None),
    ("queueing_s", "queueing", "queueing_mean_s", None),
    ("drops", "drops", "drops", None),
    ("retransmissions", "retrans.", "retransmissions", None),
)


def headings() -> list[tuple[str, str, float]]:
    """The entries in the terminal, with their headings and the factors to the units in these."""
    out = []
    for name, heading, column, _ in METRICS:
        if heading is not None:
            known = columns("flows")[column]
            scale, unit = shown(known.unit) if known.type == "float" else (1.0, "")
            out.append((name, f"{heading} {unit}" if unit else heading, scale))
    return out


def summary(study: Study) -> list[dict[str, Any]]:
    """One entry per variant that ran: `variant`, `axes` (its columns), `runs`, `runs_equal`, and a `Mean` for every metric.

    A metric is the sum or the mean over the flows of a run, or for delays over all of their packets; its mean is over the runs.
    Where these are equal it has no interval.
    """
    flows = study.flows
    if not len(flows):
        return []
    variant, replication = to_numpy(flows["variant"]), to_numpy(flows["replication"])
    # Rows are sorted: a run, and a variant, is a stretch of them.
    runs = _starts(variant, replication)
    per_run = {}
    for name, _, column, over in METRICS:
        how = over or columns("flows")[column].kind
        values = to_numpy(flows[column]).astype(np.float64)
        good = ~np.isnan(values)
        total = np.add.reduceat(np.where(good, values, 0.0), runs)
        count = np.add.reduceat(good.astype(np.float64), runs)
        with np.errstate(invalid="ignore", divide="ignore"):
            if how == "jain":
                square = np.add.reduceat(np.where(good, values, 0.0) ** 2, runs)
                per_run[name] = total**2 / (count * square)
            elif per := columns("flows")[column].per:
                # Over all packets of the run.
                packets = np.where(good, to_numpy(flows[per]).astype(np.float64), 0.0)
                per_run[name] = np.add.reduceat(np.where(good, values, 0.0) * packets, runs) / np.add.reduceat(
                    packets, runs
                )
            else:
                per_run[name] = total if how == "total" else total / count
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
        "failures": study.failures.drop_columns(["scenario"]).to_pylist() if len(study.failures) else [],
    }
