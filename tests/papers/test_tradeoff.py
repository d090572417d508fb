"""BLT beyond its paper: the measures on small runs, and predictions that can fail."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from headgate import _core
from headgate.papers.beyond import blt_comparison, tradeoff
from headgate.papers.build import build_scenario
from headgate.papers.claims import Claim, Runs, claims_of
from headgate.papers.load import load_paper
from headgate.papers.measure import Outcome
from headgate.stats import Mean

PAPER = load_paper("beyond")


def run(item: str, variant: str, **settings: object) -> Outcome:
    """One run of a variant, with settings of a test on top."""
    of = PAPER.item(item)
    chosen = replace(of.variant(variant), settings={**of.variant(variant).settings, **settings})
    return Outcome(_core.run(json.dumps(build_scenario(of, chosen)), None, 0))


def runs_of(outcome: Outcome) -> Runs:
    return cast("Runs", SimpleNamespace(base={"one": outcome}, seeds={}))


def claim(name: str) -> Claim:
    return next(c for c in claims_of(PAPER) if c.id == name)


QUIET = {"flows.cross{i}.start": "10000s"}


def test_nothing_is_wasted_where_only_the_first_gateway_discards() -> None:
    found = run("tradeoff", "row BLT 2", **QUIET)
    assert tradeoff.column(found, "links", "hop1", "drops_full") > 0
    assert tradeoff.wasted_at_hop_1(runs_of(found), "one").mean == 0
    assert tradeoff.ended(runs_of(found), "one", "through").mean == 1


def test_what_a_later_gateway_discards_is_wasted() -> None:
    found = run("tradeoff", "row BLT 2", **QUIET, **{"links.hop2.rate.forward": "15Mbit/s"})
    second = sum(tradeoff.column(found, "links", "hop2", f"drops_{why}") for why in ("full", "evicted"))
    carried = tradeoff.column(found, "links", "hop1", "sent")
    assert second > 1000
    assert tradeoff.wasted_at_hop_1(runs_of(found), "one").mean == pytest.approx(second / carried)
    lost = tradeoff.discarded(runs_of(found), "one").mean
    assert lost == pytest.approx(1 - (carried - second) / tradeoff.column(found, "flows", "through", "sent"))


def test_a_file_alone_takes_what_the_formula_says() -> None:
    one = {"flows.through.arrivals": {"kind": "times", "at": ["0s"]}, "links.hop*.queue.buffer": "10000pkt"}
    for gateways in (1, 3):
        for scheme in ("BLT", "TCP over FIFO"):
            found = run("tradeoff", f"row {scheme} {gateways}", **QUIET, **one)
            # The model leaves out the links of 150 Mbit/s and, but for the last round, TCP's transmission times.
            assert tradeoff.completion(runs_of(found), "one", "through").mean == pytest.approx(
                tradeoff.lone(scheme, gateways), rel=0.03
            )


def test_a_completion_time_is_shown_only_where_nearly_all_files_ended() -> None:
    def with_ended(finished: int) -> Runs:
        classes = {"class": np.array(["file"]), "started": np.array([100]), "finished": np.array([finished])}
        classes["fct_mean_s"] = np.array([0.5])
        return runs_of(cast("Outcome", SimpleNamespace(table=lambda _: classes)))

    assert tradeoff.completion(with_ended(91), "one").mean == 0.5
    assert math.isinf(tradeoff.completion(with_ended(90), "one").mean)


def test_on_off_sources_carry_four_tenths_of_the_line_and_start_when_let_in() -> None:
    found = run("tradeoff-beside", "bursts exponential BLT 75")
    sent = sum(tradeoff.column(found, "flows", name, "sent") for name in blt_comparison.SOURCES)
    assert sent * 4000 / 120 / 30e6 == pytest.approx(0.4, rel=0.05)
    assert tradeoff.column(found, "classes", "rival", "started") == 0
    assert tradeoff.column(found, "flows", "endless", "sent") == 0


#: What the predictions expect, by the beginning of a variant's name; the longest that fits decides. In seconds.
TIMES = {
    "row BLT 1": 0.2, "row BLT 2": 0.4, "row BLT 3": 0.6, "row BLT 4": 0.8,
    "row BLT, the second FIFO": math.inf,
    "row TCP over FIFO 1": 0.6, "row TCP over FIFO 2": 1.0, "row TCP over FIFO 3": 1.4, "row TCP over FIFO 4": 1.8,
    "gateway BLT": 0.2, "gateway FQ": 0.22, "gateway FIFO": math.inf, "gateway CSFQ": 2.0, "gateway strict priority": 0.25,
    "buffer BLT 75": 0.18, "buffer BLT 1200": 0.055, "buffer BLT's sources over FIFO 75": math.inf,
    "buffer BLT's sources over FIFO 1200": 0.056, "buffer TCP over FIFO": 0.3,
    "bursts exponential": 0.3, "bursts Pareto 1.2": 0.35,
    "overload exponential": 0.1, "overload Pareto 1.2": 0.2,
    "BLT and": 0.25, "BLT and BLT": 0.2, "Vegas and Vegas": 0.3, "SACK and SACK": 0.3, "CUBIC and CUBIC": 0.3,
    "endless": 0.8, "endless none": 0.2, "endless Vegas": 0.25,
}  # fmt: skip


def made_up(monkeypatch: pytest.MonkeyPatch, **faults: Any) -> Runs:
    """A world as predicted, but for the completion times that `faults["times"]` names and the measures that it has by name."""
    times = {**TIMES, **faults.pop("times", {})}

    def completion(_: Runs, variant: str, name: str = "file", value: str = "fct_mean_s") -> Mean:
        full = f"{variant} {name}" if f"{variant} {name}" in times else variant
        if value == "fct_p99_s":
            full = f"late {variant}"
        start = max((k for k in times if full.startswith(k)), key=len, default="")
        if not start and value == "fct_p99_s":
            return Mean(2.0 if "Pareto" in variant else 1.0, math.nan, 1)
        if name == "rival" and "over FIFO" in variant and variant.startswith("BLT") and full == variant:
            return Mean(3.0, math.nan, 1)
        if name == "rival" and variant.startswith("BLT") and full == variant:
            return Mean(0.3, math.nan, 1)
        return Mean(times[start], math.nan, 1)

    measures: dict[str, Callable[..., Any]] = {
        "completion": completion,
        "ended": lambda *_: Mean(1.0, math.nan, 1),
        "discarded": lambda *_: Mean(0.5, math.nan, 1),
        "wasted_at_hop_1": lambda _, variant: Mean({"2": 0.1, "3": 0.15, "4": 0.2}[variant[-1]], math.nan, 1),
        "hurst": lambda _, times: dict.fromkeys(blt_comparison.ESTIMATORS, tradeoff_theory(times)),
        "cross_loss": lambda _, variant: 0.01 if "75" in variant else 0.001 if "Pareto" in variant else 0.0001,
        "rate": lambda rival, gateway: 2.0,
    }
    measures.update(faults)
    rate = measures.pop("rate")
    monkeypatch.setattr(
        blt_comparison, "endless", lambda runs, rival, gateway: (completion(runs, f"endless {rival}").mean, rate(rival, gateway))
    )  # fmt: skip
    for name, measure in measures.items():
        for module in (tradeoff, blt_comparison):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, measure)
    return cast("Runs", SimpleNamespace())


def tradeoff_theory(times: str) -> float:
    return {"exponential": 0.5, "Pareto 1.8": 0.6, "Pareto 1.5": 0.75, "Pareto 1.2": 0.9}[times]


@pytest.mark.parametrize("name", [f"T{i}" for i in range(1, 17)])
def test_predictions_hold_where_the_world_is_as_predicted_and_a_trivial_model_fails(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = made_up(monkeypatch)
    holds, text = claim(name).test(runs)
    assert holds, text
    assert text.endswith("fails"), text


@pytest.mark.parametrize(
    ("name", "faults"),
    [
        ("T1", {"wasted_at_hop_1": lambda *_: Mean(0.4, math.nan, 1)}),
        ("T1", {"wasted_at_hop_1": lambda *_: Mean(0.01, math.nan, 1)}),
        ("T2", {"times": {"row BLT 4": 0.5}}),
        ("T2", {"times": {"row BLT 2": 1.1}}),
        ("T3", {"times": {"row BLT, the second FIFO": 1.3}}),
        ("T4", {"times": {"gateway FQ 0.6": 0.3}}),
        ("T5", {"times": {"gateway CSFQ": 0.5}}),
        ("T6", {"times": {"gateway strict priority": 0.21}}),
        ("T7", {"times": {"buffer BLT 1200": 0.07}}),
        ("T7", {"times": {"buffer TCP over FIFO": 0.15}}),
        ("T8", {"times": {"buffer BLT's sources over FIFO 1200": 0.07}}),
        ("T9", {"hurst": lambda _, t: dict.fromkeys(blt_comparison.ESTIMATORS, tradeoff_theory(t)) | {"whittle": 0.7}}),
        ("T9", {"hurst": lambda _, t: dict.fromkeys(blt_comparison.ESTIMATORS, tradeoff_theory(t)) | {"ranges": 0.7}}),
        ("T10", {"times": {"bursts Pareto 1.2": 0.4}}),
        ("T10", {"times": {"late bursts Pareto 1.2 TCP": 1.4}}),
        ("T11", {"cross_loss": lambda *_: 0.0}),
        ("T12", {"times": {"BLT and SACK over BLT rival": 0.4}}),
        ("T12", {"times": {"BLT and CUBIC": 0.19}}),
        ("T12", {"times": {"BLT and CUBIC": 0.4}}),
        ("T13", {"times": {"BLT and Vegas over FIFO rival": 0.5}}),
        ("T14", {"times": {"endless CUBIC": 0.5}}),
        ("T14", {"times": {"endless Vegas": 0.5}}),
        ("T16", {"cross_loss": lambda *_: 0.1}),
        ("T16", {"times": {"overload Pareto 1.2": 0.14}}),
        ("T15", {"rate": lambda rival, _: 9.0 if rival == "SACK" else 1.0}),
    ],
)
def test_predictions_fail_where_it_is_not(name: str, faults: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    holds, text = claim(name).test(made_up(monkeypatch, **faults))
    assert not holds, text
