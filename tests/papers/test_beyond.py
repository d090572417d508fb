"""Beyond the papers, our own experiments: the measures against closed forms and small runs, and the item as a whole."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import headgate
from headgate import _core
from headgate.papers import Reproduction, list_papers, load_paper
from headgate.papers.beyond import measures
from headgate.papers.beyond.measures import LINE, ROUND_TRIP, SETPOINT, SIZES
from headgate.papers.build import build_scenario
from headgate.papers.claims import claims_of
from headgate.papers.measure import Outcome
from headgate.papers.model import PaperError, Variant
from headgate.papers.reproduction import ItemResult
from headgate.papers.runner import reproduce_items
from headgate.plots.canvas import to_svg

ITEM = load_paper("beyond").item("packet-pair")


@pytest.fixture(scope="module")
def beyond() -> Reproduction:
    return reproduce_items(load_paper("beyond"), [replace(ITEM, seeds=2)])


@pytest.fixture(scope="module")
def result(beyond: Reproduction) -> ItemResult:
    return beyond.items[0]


def run(variant: str, **settings: object) -> Outcome:
    """The base run of a variant, with settings of a test on top."""
    of = ITEM.variant(variant)
    scenario = build_scenario(ITEM, replace(of, settings={**of.settings, **settings}))
    return Outcome(_core.run(json.dumps(scenario), None, 0))


def test_a_study_has_a_variant_for_each_combination_and_later_axes_override() -> None:
    names = [v.name for v in ITEM.variants]
    assert len(names) == len(set(names))
    assert {f"path {cross} {place}" for cross in ("poisson", "bursts") for place in ("none", "upstream")} <= set(names)
    overflow = build_scenario(ITEM, ITEM.variant("overflow fcfs 240"))
    slow = next(link for link in overflow["links"] if link["name"] == "slow")
    assert slow["queue"] == {"kind": "fcfs", "buffer": "240pkt"}
    # One variant's settings leave the others alone.
    other = build_scenario(ITEM, ITEM.variant("overflow fcfs 60"))
    assert next(link for link in other["links"] if link["name"] == "slow")["queue"]["buffer"] == "60pkt"


def test_a_pattern_sets_every_flow_that_fits_and_must_fit_one() -> None:
    scenario = build_scenario(ITEM, ITEM.variant("share window fq"))
    assert [f["control"]["window"] for f in scenario["flows"]] == [40] * 4
    with pytest.raises(PaperError, match="flows has no entry 'nobody"):
        build_scenario(ITEM, Variant("x", {}, None, {"flows.nobody*.start": "1s"}, scenario=scenario))


def test_equal_sources_at_one_queue_hold_n_squared_windows() -> None:
    # With nothing in the queue of a line that carries nothing, every source has the same window.
    window = SETPOINT + ROUND_TRIP * LINE
    assert measures.outstanding(ROUND_TRIP, 1) == pytest.approx([window])
    # The second meets 5 packets: S = sqrt(W sum S) is where both rates of B21 are equal.
    sent = measures.outstanding(ROUND_TRIP, 2)
    windows = np.array([window, window + 5])
    assert LINE * windows / sent == pytest.approx(LINE * sent / sent.sum())


@pytest.mark.parametrize("buffer", [20.0, 60.0, 120.0, 240.0])
def test_corrected_loss_balances_what_is_sent(buffer: float) -> None:
    lost = measures.loss(buffer)
    again = lost / (LINE + lost)
    timer = 3 * (ROUND_TRIP + (buffer + 1) / LINE)
    # A packet is lost k times in a row with the probability again^(k-1) (1 - again), and then waits 2^(k-1) timers.
    wait = timer * sum(again ** (k - 1) * (1 - again) * 2 ** (k - 1) for k in range(1, 400))
    held = ROUND_TRIP * LINE + buffer + 1 + lost * wait
    window = SETPOINT + ROUND_TRIP * LINE
    assert lost + LINE == pytest.approx(4 * LINE * window / (held / 4), rel=1e-3)
    assert measures.loss(1000) == 0


def test_every_pair_counts_although_traces_hold_changes_only() -> None:
    outcome = run("share pp sfq", duration="120s", warm_up="0s", interval="20s")
    spacings = measures.spacings(outcome, "source1", 60.0)
    # 60 s at 2.5 packets/s are 75 pairs; all read a round of four packets.
    assert abs(spacings.size - 75) <= 2
    assert spacings == pytest.approx(np.full(spacings.size, 0.4), rel=1e-6)
    assert measures.longest_silence(outcome, "source1", 60.0) < 2


def test_a_lone_transfer_takes_a_round_trip_and_its_packets() -> None:
    alone = {"flows.long{i}.start": "1000s", "flows.*.control": {"kind": "generic", "window": 32}}
    starts = {f"flows.short{n:02d}-{{i}}.count": 1 for n in SIZES}
    apart = {f"flows.short{n:02d}-{{i}}.start": f"{10 * k}s" for k, n in enumerate(SIZES)}
    outcome = run("short random generic fq", **alone, **starts, **apart, **{"flows.short*.start_spread": "0s"})
    # Two propagations of 94.3 ms, 1000 bytes at 8 and 0.8 Mbit/s, 40 bytes back; then a packet each 10 ms.
    first = 2 * 0.0943 + 0.001 + 0.01 + 0.0004 + 0.00004
    for n in SIZES:
        assert measures.completions(outcome, n) == pytest.approx([first + (n - 1) * 0.01], abs=1e-6)


@pytest.mark.slow
def test_transfers_end_and_a_missing_end_is_not_a_time(result: ItemResult) -> None:
    assert result.runs is not None
    outcome = result.runs.seeds["short random pp_cth fq"][0]
    for n in SIZES:
        found = measures.completions(outcome, n)
        assert found.size == 12
        assert np.isfinite(found).all()
    cut = run("short random pp_cth fcfs", duration="25s", interval="5s")
    assert np.isnan(measures.completions(cut, 32)).any()


def test_what_theory_says_after_the_first_round_holds(result: ItemResult) -> None:
    holds = {f.id: f.holds for f in result.findings}
    assert list(holds) == [f"B{k}" for k in range(1, 27)]
    # Of the first round those that do not hang on single runs; B3 and B9 failed, and B21 and B23 say why.
    for name in ("B2", "B5", "B6", "B8", "B13", "B14", "B16", "B19", "B21", "B22", "B23", "B24", "B25"):
        assert holds[name], name
    assert holds["B3"] is False
    assert holds["B9"] is False


def test_tables_and_figures_are_whole(beyond: Reproduction, result: ItemResult) -> None:
    assert result.study is not None
    assert json.loads(beyond.to_json())["items"][0]["sections"]
    for section in result.study.sections:
        assert section.rows
        assert all(len(row) == len(section.headings) for row in section.rows)
        assert not any("nan" in cell for row in section.rows for cell in row)
    figures = [f for f in beyond.paper.figures if f.item == "packet-pair"]
    assert len(figures) == 6
    for figure in figures:
        assert "<svg" in to_svg(result.study.draw(figure))
    with pytest.raises(PaperError, match="figure of this study"):
        result.study.draw(replace(figures[0], name="nothing"))


def test_without_seeds_the_base_run_counts() -> None:
    names = ("share pp fq", "share pp fcfs")
    item = replace(ITEM, study="", seeds=0, variants=tuple(v for v in ITEM.variants if v.name in names))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("headgate.papers.runner.claims_of", lambda _: [])
        found = reproduce_items(load_paper("beyond"), [item]).items[0].runs
    assert found is not None
    rate = measures.Measured(found).rate("share pp fq", "source1", "source2", "source3", "source4")
    assert (rate.n, round(rate.mean, 1)) == (1, 2.5)


def test_reachable_from_the_package() -> None:
    with pytest.raises(headgate.papers.PaperError, match="packet-pair"):
        headgate.reproduce("beyond", "packet-pear")


def test_what_is_ours_counts_for_no_paper() -> None:
    ours = load_paper("beyond")
    assert not [n for i in ours.items for n in i.numbers]
    for name in set(list_papers()) - {"beyond"}:
        assert not [c.id for c in claims_of(load_paper(name)) if c.text.startswith("Ours")], name
    assert all(c.text.startswith("Ours. ") for c in claims_of(load_paper("beyond")))


def test_readings_run_the_thesis_with_its_own_protocols() -> None:
    ours, thesis = load_paper("beyond"), load_paper("keshav1991")
    for item, scenario in (("over-estimate", "scenario-1"), ("round-trip", "scenario-8")):
        for v in ours.item(item).variants:
            same = thesis.item(scenario).variant(v.name)
            got, want = build_scenario(ours.item(item), v), build_scenario(thesis.item(scenario), same)
            assert {k: v for k, v in got.items() if k not in ("name", "traces")} == {
                k: v for k, v in want.items() if k not in ("name", "traces")
            }
    found = reproduce_items(ours, [ours.item("over-estimate"), ours.item("round-trip")])
    assert {f.id: f.holds for i in found.items for f in i.findings} == {"R1": True, "R2": True}
