"""The work of a worker process: one run, with the goodput of each flow and the waits of the first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _core
from ...base.errors import HeadgateError
from ...base.parallel import run_once
from ...plugins.load import ensure_text
from ...results.metrics import GOODPUT
from ...stats.means import pooled
from ..frame.part import Array, Run
from ..frame.work import RunJob
from .steady import settled, trend


def do(job: RunJob) -> dict[str, Any]:
    """`goodput` of each flow in bit/s, `typical`, its median over intervals, and `wait` of the first flow in s.

    `wait` has the 5 % and 95 % quantiles over intervals of the time in queues, and its mean; `settled` says whether it and the sum of
    the rates have stopped drifting, and `steady` whether each rate has. All are of what comes after the warm-up. `{fault: text}` if the
    control failed, `{wrong: text}` if the scenario is none.
    """
    try:
        ensure_text(job.text)
        result = run_once(job.text, job.seed, 0)
    except _core.PluginError as e:
        return {"fault": str(e)}
    except (_core.ScenarioError, HeadgateError) as e:
        # Not all exceptions can be sent from process to process.
        return {"wrong": str(e)}
    run = Run(result, job.place)
    flows = run.table("flows")
    ends = {"start_s": job.place.warm_up, "end_s": job.place.duration}
    goodput = [float(bps) for bps in GOODPUT({**ends, "unique_bytes": flows["unique_bytes"]})]
    table = run.table("intervals")
    after = table["start_s"] >= job.place.warm_up - 1e-9
    bits, length = GOODPUT.parts(table)
    rate = bits / np.maximum(length, 1e-9)
    rates = [rate[after & (table["flow"] == name)] for name in flows["flow"]]
    typical = [float(np.median(own)) for own in rates]
    steady = all(_settled(own) for own in rates)
    found = {"goodput": goodput, "typical": typical, "steady": steady, "digest": result.digest}
    first = after & (table["flow"] == "own1")
    waits = np.asarray(table["queueing_mean_s"][first], float)
    weights = np.asarray(table["received"][first], float)
    known = np.isfinite(waits) & (weights > 0)
    if not known.any():
        return {**found, "wait": None, "settled": False}
    waits, weights = waits[known], weights[known]
    wait = [*np.quantile(waits, [0.05, 0.95]), pooled(waits, weights)]
    constant = _settled(waits) and _settled(np.sum(rates, axis=0))
    return {**found, "wait": [float(v) for v in wait], "settled": constant}


def _settled(values: Array) -> bool:
    return settled(float(values.mean()), *trend(range(len(values)), values.tolist()))
