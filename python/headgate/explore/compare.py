"""Two variants of a scenario against each other: what differs between them, and between their runs with the same random numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import _core, stats
from ..plots.units import scale_of
from ..results import Results
from ..scenario import Scenario
from .engine import run
from .wire import RequestError

#: Maximum number of seeds.
MOST = 100

#: Flows that are compared one by one.
FLOWS = 8

#: The least difference that is listed, as a part of the value in A, of one seed and of several: of one pair of runs nothing says whether a
#: small one means anything.
NOTE, NOTE_OF_SEEDS = 0.01, 0.001

#: The numbers of one run that are compared, by metric and flow.
Values = dict[tuple[str, str | None], float]

#: What is compared of each flow: a column of the table of flows, its name and its unit.
_OF_FLOW = (
    ("goodput_bps", "goodput", "bit/s"),
    ("rtt_mean_s", "round-trip time", "s"),
    ("queueing_mean_s", "queueing delay", "s"),
    ("drops", "drops", "packets"),
    ("marks", "marks", "packets"),
)


def compared(
    a: Scenario, b: Scenario, seeds: int, control: _core.Control, report: Callable[[float], None] = lambda share: None
) -> dict[str, Any]:
    """Runs both variants with each of some seeds and compares them pair by pair.

    Args:
        a: the one to compare with.
        b: the other one.
        seeds: how many; replication k of both draws the same random numbers.
        control: stops the runs.
        report: called with the share that is done.

    Returns:
        `differences`, with 95 % intervals from two seeds on, and how many are `left_out`, below the part `least` of A's value; `sentences`;
        `changed`, the values in which the scenarios differ.
    """
    if not 1 <= seeds <= MOST:
        raise RequestError(400, f"seeds: found {seeds}; expected 1 to {MOST}")
    values: list[list[Values]] = [[], []]
    for k in range(seeds):
        for side, scenario in enumerate((a, b)):
            values[side].append(_measured(scenario.base().set("traces", []), k, control))
            report((2 * k + side + 1) / (2 * seeds))
    return differences(a.data, b.data, values[0], values[1], {what: unit for _, what, unit in _OF_FLOW})


def differences(
    a: Mapping[str, Any], b: Mapping[str, Any], of_a: list[Values], of_b: list[Values], units: Mapping[str, str]
) -> dict[str, Any]:
    """What differs between two variants, in numbers and in sentences.

    Args:
        a: the one to compare with.
        b: the other one.
        of_a: the numbers of its runs.
        of_b: those of the other one, pair by pair.
        units: of the metrics.
    """
    seeds, left_out, same = len(of_a), 0, True
    least = NOTE_OF_SEEDS if seeds > 1 else NOTE
    rows, sentences = [], []
    for metric, flow in [name for name in of_a[0] if name in of_b[0]]:
        x, y = (np.array([of[metric, flow] for of in side]) for side in (of_a, of_b))
        if not (np.isfinite(x) & np.isfinite(y)).any() or (not x.any() and not y.any()):
            continue
        found = stats.compare(x, y)
        same &= found.difference == 0
        if abs(found.difference) < max(least * abs(found.a), 1e-300):
            left_out += 1
            continue
        unit = units.get(metric, "")
        rows.append(
            {
                "metric": metric, "flow": flow, "a": found.a, "b": found.b, "difference": found.difference, "low": found.low,
                "high": found.high, "unit": unit,
            }
        )  # fmt: skip
        if seeds == 1 or found.significant:
            sentences.append(_sentence(metric, flow, found, unit))
    if not sentences and seeds > 1:
        sentences = ["No difference between A and B is shown."]
    elif not sentences:
        sentences = ["Both runs gave the same." if same else f"No difference of note: none is {least:.0%} or more."]
    return {
        "differences": rows, "sentences": sentences[:12], "changed": changed(a, b), "seeds": seeds, "least": least,
        "left_out": left_out,
    }  # fmt: skip


def _measured(scenario: Scenario, k: int, control: _core.Control) -> Values:
    """The numbers of one run that are compared, by metric and flow."""
    results = Results([run(scenario, None, control, k)])
    flows = results.flows
    names = flows["flow"].tolist()
    found: Values = {}
    goodput = flows["goodput_bps"]
    chosen = np.sort(np.argsort(-goodput, kind="stable")[:FLOWS]).tolist() if len(names) > FLOWS else range(len(names))
    for column, what, _ in _OF_FLOW:
        series = flows[column]
        for i in chosen:
            found[what, names[i]] = float(series[i])
    found["goodput", None] = float(goodput.sum())
    found["drops", None] = float(flows["drops"].sum())
    fairness = results.fairness()["jain_of_max_min"]
    found["Jain's index over the max-min ideal", None] = float("nan") if fairness is None else fairness
    return found


def _sentence(metric: str, flow: str | None, found: stats.Comparison, unit: str) -> str:
    factor, shown = scale_of(unit, [found.a, found.b]) if unit else (1.0, "")
    whose = f"The {metric} of {flow}" if flow is not None else f"The {metric} of all flows"
    if metric.startswith("Jain"):
        whose = metric
    side = "higher" if found.difference > 0 else "lower"
    share = f" ({100 * abs(found.relative):.3g} %)" if np.isfinite(found.relative) else ""
    verb = "are" if metric in ("drops", "marks") else "is"
    size = abs(found.difference) * factor
    unit_ = "packet" if shown == "packets" and size == 1 else shown
    text = f"{whose} {verb} {size:.3g} {unit_}".rstrip() + f" {side} in B{share}"
    if np.isfinite(found.low):
        text += f", 95 % interval {found.low * factor:.3g} to {found.high * factor:.3g} {shown}".rstrip()
    return f"{text}."


def changed(a: Any, b: Any, path: str = "") -> list[dict[str, Any]]:
    """The places in which two scenarios differ, with their values.

    >>> changed({"links": [{"name": "slow", "rate": "1Mbit/s"}]}, {"links": [{"name": "slow", "rate": "2Mbit/s"}]})
    [{'path': 'links.slow.rate', 'a': '1Mbit/s', 'b': '2Mbit/s'}]
    """
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        keys = dict.fromkeys([*a, *b])
        return [d for k in keys for d in changed(a.get(k), b.get(k), f"{path}.{k}" if path else str(k))]
    if (
        isinstance(a, list)
        and isinstance(b, list)
        and all(isinstance(x, Mapping) for x in [*a, *b])
        and len(a) == len(b)
    ):
        names = [str(x.get("name", i)) for i, x in enumerate(b)]
        return [d for i, n in enumerate(names) for d in changed(a[i], b[i], f"{path}.{n}")]
    return [] if a == b else [{"path": path, "a": a, "b": b}]
