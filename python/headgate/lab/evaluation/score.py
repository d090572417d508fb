"""What a run is worth: scores from 0 to 1 by aspects, and one declared sum.

- `throughput`: goodput over what is its share: all of the line alone, with its own kind or beside a call, half of it beside another
  flow; 95 % of that is 1.
- `delay`: 1 / (1 + q / rtt), with the mean queueing delay q of its packets and the round trip without queues.
- `harm`: what the other flow gets, over what it gets beside a second one of its own kind (the bar of Ware et al. 2019); for a call, the
  95 % quantile of its delay beside cubic over that beside this control; at most 1.
- `convergence`: Jain's index of the flows in the last quarter.
- `completion`: the mean slowdown of transfers under cubic over that under this control, at most 1, times the share of those that ended.

The sum is rescaled: a sender with a window of 2 for ever, which does next to nothing, has 0. It is run on the same cases with the same
seeds.

Everything is counted from the first packet to the end of the run by the network, never by the control.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...analysis import jain_index
from ...base.errors import HeadgateError
from ...base.parallel import run_once
from ...results.combination import by_group, combined
from ...results.metrics import GOODPUT
from ...results.results import Results
from ...scenario.baselines import baselines
from .build import scenario, seconds
from .suite import SuiteCase

#: The parts of the sum, in points.
WEIGHTS = {"throughput": 30, "delay": 20, "harm": 25, "convergence": 15, "completion": 10}

#: What is run on the same cases: an idle sender, and two that everybody knows.
BESIDE: dict[str, dict[str, Any]] = {
    "idle": {"kind": "generic", "window": 2},
    **{name: {"kind": name} for name in baselines("evaluate")["control"]},
}

#: Aspects of the kinds of cases.
ASPECTS = {
    "alone": ("throughput", "delay"),
    "beside": ("throughput", "delay", "harm"),
    "itself": ("throughput", "delay", "convergence"),
    "call": ("throughput", "delay", "harm"),
    "transfers": ("completion",),
    "incast": ("completion",),
}


def run(case: SuiteCase, control: Any, number: int, plugins: list[Any] | None = None) -> dict[str, Any]:
    """The measures of one run: plain data.

    Raises:
        PluginError: the control failed.
    """
    result = Results([run_once(scenario(case, control, plugins).to_json(), case.seed, number)])
    flows = {flow.flow: flow for flow in result.flow_summaries()}
    own = [flow for name, flow in flows.items() if name.startswith("own")]
    length = seconds(case)
    # What arrived twice is no goodput.
    unique = _unique(result)

    def goodput(names: Iterable[str]) -> float:
        return float(GOODPUT({"unique_bytes": sum(unique[name] for name in names), "start_s": 0.0, "end_s": length}))

    found: dict[str, Any] = {
        "digest": result.digest,
        "goodput": goodput(flow.flow for flow in own),
        "queueing": _over([(flow.queueing_s.mean, flow.received) for flow in own]),
    }
    if case.kind == "beside":
        found["other"] = goodput(["other"])
    if case.kind == "call":
        found["call"] = flows["call"].owd_quantiles_s["p95"]
    if case.kind == "itself":
        last = _last(result, [flow.flow for flow in own])
        found["jain"] = jain_index(last) if any(last) else 0.0
    if case.kind in ("transfers", "incast"):
        classes = result.class_summaries()
        started, finished = sum(c.started for c in classes), sum(c.finished for c in classes)
        found["finished"] = finished / started if started else 0.0
        found["slowdown"] = _over([(c.slowdown["mean"], c.finished) for c in classes])
    return found


def _over(means: list[tuple[float, int]]) -> float:
    """The mean over all packets or transfers, from means and their numbers; infinite without any."""
    values, counts = np.array(means, float).reshape(-1, 2).T
    # Added in their order, on which the last bit depends.
    one = by_group(np.zeros(len(means), np.int64), 1)
    found = float(combined("mean", values, one, counts)[0])
    return math.inf if math.isnan(found) else found


def _unique(result: Results) -> dict[str, float]:
    """The bytes that each flow received for the first time."""
    got: dict[str, float] = {}
    for name, count in zip(result.intervals["flow"], result.intervals["unique_bytes"], strict=True):
        got[name] = got.get(name, 0.0) + float(count)
    return got


def _last(result: Results, names: list[str]) -> list[float]:
    """The packets that flows received for the first time in the last interval."""
    table = result.intervals
    end = max(table["end_s"])
    rows = zip(table["flow"], table["end_s"], table["unique"], strict=True)
    got = {name: float(packets) for name, at, packets in rows if at == end}
    return [got.get(name, 0.0) for name in names]


def capacity(case: SuiteCase) -> float:
    """The mean rate of the line over a run, in bit/s."""
    factors = (1.0, *case.steps)
    return case.rate * sum(factors) / len(factors)


def scores(case: SuiteCase, own: dict[str, Any] | None, known: dict[str, Any] | None) -> dict[str, float]:
    """The scores of a run by aspects; of one that failed, 0 each.

    `known` is the run with the known control in its place, where one is needed.
    """
    aspects = ASPECTS[case.kind]
    if own is None:
        return dict.fromkeys(aspects, 0.0)
    share = 0.95 * capacity(case) / (2 if case.kind == "beside" else 1)
    other = known or {}
    made: dict[str, Callable[[], float]] = {
        "throughput": lambda: own["goodput"] / share,
        "delay": lambda: 1 / (1 + own["queueing"] / case.rtt),
        "convergence": lambda: own["jain"],
        "harm": lambda: _harm(own, other),
        "completion": lambda: own["finished"] * other["slowdown"] / own["slowdown"],
    }
    return {aspect: min(1.0, max(0.0, made[aspect]())) for aspect in aspects}


def _harm(own: dict[str, Any], known: dict[str, Any]) -> float:
    if "other" in own:
        return float(own["other"] / known["other"]) if known["other"] else 1.0
    return float(known["call"] / own["call"]) if own["call"] > 0 else 0.0


def needs_known(case: SuiteCase) -> bool:
    """Whether a case is compared with the known control in the place of the one that is judged."""
    return case.kind in ("beside", "call", "transfers", "incast")


def rescaled(points: float, idle: float) -> float:
    """A sum in points, where that of an idle sender is 0 and the most that there is stays 100.

    >>> rescaled(80.0, 60.0), rescaled(60.0, 60.0), rescaled(100.0, 60.0)
    (50.0, 0.0, 100.0)

    Raises:
        HeadgateError: an idle sender has all points.
    """
    if idle > 99.999:
        raise HeadgateError(
            "suite: found cases in which a window of 2 packets is as good as it gets; expected at least one whose line it does not fill"
        )
    return 100 * (points - idle) / (100 - idle)


def total(by_case: list[dict[str, float]]) -> tuple[float, dict[str, float]]:
    """The sum in points, and the mean score of each aspect over the cases that have it."""
    means = {}
    for aspect in WEIGHTS:
        values = [scored[aspect] for scored in by_case if aspect in scored]
        if values:
            means[aspect] = math.fsum(values) / len(values)
    whole = sum(WEIGHTS[aspect] for aspect in means)
    points = math.fsum(WEIGHTS[aspect] * mean for aspect, mean in means.items())
    return 100 * points / whole, means
