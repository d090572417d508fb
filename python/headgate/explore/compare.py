"""Two variants of a scenario against each other: what differs between them, and between their runs with the same random numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import _core, stats
from ..base.counts import counted
from ..base.units import scale_of
from ..results.columns import columns
from ..results.results import Results
from ..scenario.scenario import Scenario
from .engine import run
from .wire import RequestError

#: Maximum number of seeds.
MOST = 100

#: Flows that are compared one by one.
FLOWS = 8

#: The least difference that is listed, as a part of the value in A, of one seed and of several: of one pair of runs nothing says whether a
#: small one means anything.
NOTE, NOTE_OF_SEEDS = 0.01, 0.001

#: The probability of any false finding among all numbers.
_ALPHA = 0.05

#: The numbers of one run that are compared, by metric and flow.
Values = dict[tuple[str, str | None], float]

#: What is compared of each flow: columns of the table of flows, in words.
_OF_FLOW = {
    "goodput_bps": "goodput",
    "rtt_mean_s": "round-trip time",
    "queueing_mean_s": "queueing delay",
    "drops": "drops",
    "marks": "marks",
}


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
        `differences`, with corrected intervals from two seeds on, and how many are `left_out`, below the part `least` of A's value;
        `sentences`; `notes` on chance; `changed`, the values in which the scenarios differ.
    """
    if not 1 <= seeds <= MOST:
        raise RequestError(400, f"seeds: found {seeds}; expected 1 to {MOST}")
    values: list[list[Values]] = [[], []]
    digests: list[set[str]] = [set(), set()]
    for k in range(seeds):
        for side, scenario in enumerate((a, b)):
            results = Results([run(scenario.base().set("traces", []), None, control, k)])
            values[side].append(_measured(results))
            digests[side].add(results.digest)
            report((2 * k + side + 1) / (2 * seeds))
    equal = seeds > 1 and all(len(found) == 1 for found in digests)
    units = {what: columns("flows")[column].unit for column, what in _OF_FLOW.items()} | {"mean completion time": "s"}
    return differences(a.data, b.data, values[0], values[1], units, equal)


def differences(
    a: Mapping[str, Any],
    b: Mapping[str, Any],
    of_a: list[Values],
    of_b: list[Values],
    units: Mapping[str, str],
    equal: bool = False,
) -> dict[str, Any]:
    """What differs between two variants, in numbers and in sentences.

    Args:
        a: the one to compare with.
        b: the other one.
        of_a: the numbers of its runs.
        of_b: those of the other one, pair by pair.
        units: of the metrics.
        equal: whether all runs of A are equal, and all of B, although their seeds differ: then nothing is left to chance.
    """
    seeds, left_out, same = len(of_a), 0, True
    least = NOTE_OF_SEEDS if seeds > 1 else NOTE
    deterministic = seeds == 1 or equal
    rows, sentences = [], []
    found = _tested(of_a, of_b)
    singles = [math.nan if deterministic else each.p for each in found.values()]
    corrected, levels = stats.holm(singles), stats.holm_levels(singles, _ALPHA)
    tested = int((~np.isnan(corrected)).sum())
    for (name, each), p, level in zip(found.items(), corrected.tolist(), levels.tolist(), strict=True):
        metric, flow = name
        same &= each.difference == 0
        if abs(each.difference) < max(least * abs(each.a), 1e-300):
            left_out += 1
            continue
        unit = units.get(metric, "")
        low = high = math.nan
        if not deterministic:
            wide = stats.compare(*_series(of_a, of_b, name), 1 - level)
            low, high = wide.low, wide.high
        rows.append(
            {
                "metric": metric, "flow": flow, "a": each.a, "b": each.b, "difference": each.difference, "low": low, "high": high,
                "unit": unit,
            }
        )  # fmt: skip
        if deterministic or p < _ALPHA:
            sentences.append(_sentence(metric, flow, each, low, high, unit))
    if not sentences and not deterministic:
        sentences = ["No difference between A and B is shown."]
    elif not sentences and seeds > 1:
        sentences = ["All runs of A and B gave the same." if same else f"No difference is {least:.1%} or more."]
    elif not sentences:
        sentences = ["Both runs gave the same." if same else f"No difference of note: none is {least:.0%} or more."]
    notes = []
    if equal:
        notes.append(
            "The seed changes nothing: neither variant draws a random number that differs by seed. "
            f"All {seeds} runs of each are equal, so the differences are exact and have no intervals."
        )
    elif tested > 1:
        notes.append(
            f"The intervals are corrected after Holm for {counted(tested, 'comparison')}, 95 % for all together: "
            "one leaves out 0 just where a difference is shown."
        )
    return {
        "differences": rows, "sentences": sentences[:12], "notes": notes, "changed": changed(a, b), "seeds": seeds, "least": least,
        "left_out": left_out,
    }  # fmt: skip


def _tested(of_a: list[Values], of_b: list[Values]) -> dict[tuple[str, str | None], stats.Comparison]:
    """The numbers that both variants have and that were measured, each compared by itself."""
    out = {}
    for name in of_a[0]:
        if name not in of_b[0]:
            continue
        x, y = _series(of_a, of_b, name)
        if (np.isfinite(x) & np.isfinite(y)).any() and (x.any() or y.any()):
            out[name] = stats.compare(x, y)
    return out


def _series(of_a: list[Values], of_b: list[Values], name: tuple[str, str | None]) -> tuple[Any, Any]:
    """A number of the runs of each variant."""
    return np.array([of[name] for of in of_a]), np.array([of[name] for of in of_b])


def _measured(results: Results) -> Values:
    """The numbers of one run that are compared, by metric and flow."""
    flows = results.flows
    names = flows["flow"].tolist()
    found: Values = {}
    goodput = flows["goodput_bps"]
    chosen = np.sort(np.argsort(-goodput, kind="stable")[:FLOWS]).tolist() if len(names) > FLOWS else range(len(names))
    for column, what in _OF_FLOW.items():
        series = flows[column]
        for i in chosen:
            found[what, names[i]] = float(series[i])
    for each in results.class_summaries()[:FLOWS]:
        found["mean completion time", each.name] = each.fct_s["mean"]
    found["goodput", None] = float(goodput.sum())
    found["drops", None] = float(flows["drops"].sum())
    fairness = results.fairness()["jain_of_max_min"]
    found["Jain's index over the max-min ideal", None] = float("nan") if fairness is None else fairness
    return found


def _sentence(metric: str, flow: str | None, found: stats.Comparison, low: float, high: float, unit: str) -> str:
    factor, shown = scale_of(unit, [found.difference]) if unit else (1.0, "")
    subject = f"The {metric} of {flow}" if flow is not None else f"The {metric} of all flows"
    if metric.startswith("Jain"):
        subject = metric
    side = "higher" if found.difference > 0 else "lower"
    change = stats.change(found.a, found.b)
    share = f" ({change})" if change else ""
    verb = "are" if metric in ("drops", "marks") else "is"
    size = abs(found.difference) * factor
    unit_ = "packet" if shown == "packets" and size == 1 else shown
    text = f"{subject} {verb} {_short(size)} {unit_}".rstrip() + f" {side} in B{share}"
    if math.isfinite(low):
        text += f", interval {_short(low * factor)} to {_short(high * factor)} {shown}".rstrip()
    return f"{text}."


def _short(value: float) -> str:
    """Three digits, without an exponent for large numbers.

    >>> _short(0.0123456), _short(1468.2), _short(19.99999)
    ('0.0123', '1468', '20')
    """
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


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
