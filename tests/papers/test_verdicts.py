"""Verdicts: each rule on values made up for the test, what a trivial model and another pair would match, and rows judged whole."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from scipy import stats as scipy_stats

import headgate
from headgate.papers import Reproduction, load_paper, write_report
from headgate.papers.model import MARKS, Published, Rule
from headgate.papers.rows import _best_order
from headgate.papers.runner import reproduce_items
from headgate.papers.skill import others, printed, skill
from headgate.papers.terminal import print_reproduction
from headgate.papers.verdict import TESTED, VERDICTS, Judgement, Number, Sample, judge, meets
from headgate.stats import Mean

NAN = float("nan")


def number(value: float | None, mark: str = "STATED", rounding: float = 0.5, unit: str = "packets") -> Published:
    return Published("table", {"variant": "row", "source": "1"}, "throughput", unit, value, None, mark, rounding)


def verdict(paper: float, runs: list[float], spread: float = NAN, base: float = 0.0, **rule: object) -> str:
    made = Rule("rule", "predict", "for the test", **rule)  # type: ignore[arg-type]
    return judge(number(paper), made, Sample(base, np.array(runs), spread)).verdict


def test_the_prediction_interval_is_students() -> None:
    runs = [90.0, 100.0, 110.0, 104.0]
    found = judge(number(100.0), Rule("r", "predict", "-"), Sample(0.0, np.array(runs)))
    t = scipy_stats.t.ppf(0.975, 3)
    assert found.expected == pytest.approx(101.0)
    assert found.tolerance == pytest.approx(t * np.std(runs, ddof=1) * math.sqrt(1 + 1 / 4) + 0.5)
    assert found.verdict == "match"
    edge = found.expected + found.tolerance
    assert verdict(edge - 0.01, runs) == "match"
    assert verdict(edge + 0.01, runs) == "miss"


def test_a_prediction_does_not_widen_with_the_number_of_seeds() -> None:
    rng = np.random.default_rng(7)
    widths = []
    for n in (5, 20, 60, 500):
        runs = rng.normal(1000.0, 10.0, n)
        widths.append(judge(number(1000.0), Rule("r", "predict", "-"), Sample(0.0, runs)).tolerance)
    assert widths[-1] == pytest.approx(1.96 * 10, rel=0.1)
    assert max(widths) < 2 * 1.96 * 10


def test_sources_that_are_alike_bound_the_prediction_by_their_own_spread() -> None:
    runs = [446.0, 982.0, 500.0, 700.0, 600.0]
    # The paper's sources have 582 to 585: 2 % of 583 may differ, and no more.
    assert verdict(583.0, runs) == "undecided"
    assert verdict(583.0, runs, spread=3.0) == "miss"
    assert verdict(640.0, runs, spread=3.0) == "match"
    assert verdict(583.0, runs, spread=100.0) == "match"


def test_an_interval_wider_than_the_number_says_nothing() -> None:
    assert verdict(5.0, [1.0, 5.0, 9.0]) == "undecided"
    assert verdict(5.0, [4.9, 5.0, 5.1]) == "match"


def test_nothing_measured() -> None:
    assert verdict(5.0, [NAN, NAN, 5.0], base=NAN) == "miss"
    silent = number(0.0, unit="s")
    rule = Rule("r", "absent", "-")
    assert judge(silent, rule, Sample(NAN, np.array([NAN, NAN, 1.0]))).verdict == "match"
    assert judge(silent, rule, Sample(1.0, np.array([1.0, NAN, 1.0]))).verdict == "some-run"
    assert judge(silent, rule, Sample(1.0, np.array([1.0, 1.0]))).verdict == "miss"


def test_values_bands_and_single_runs() -> None:
    value = Rule("r", "value", "-", absolute=1.0, relative=0.01)
    for ours, expected in ((102.4, "match"), (102.6, "miss"), (97.6, "match"), (97.4, "miss"), (NAN, "miss")):
        assert judge(number(100.0), value, Sample(ours, np.zeros(0))).verdict == expected
    band = Rule("r", "band", "-", band=(65.0, 135.0))
    assert judge(number(100.0), band, Sample(134.0, np.zeros(0))).verdict == "match"
    assert judge(number(100.0), band, Sample(136.0, np.zeros(0))).verdict == "miss"
    assert judge(number(140.0), band, Sample(100.0, np.zeros(0))).verdict == "miss"
    # "Over 100": the mean of the runs decides, the base run only where there are no others.
    above = Rule("r", "above", "-")
    for runs, base, expected in (([99.0, 102.0], 0.0, "match"), ([99.0, 101.0], 500.0, "miss"), ([], 101.0, "match")):
        found = judge(number(100.0), above, Sample(base, np.array(runs)))
        assert found.verdict == expected
        assert meets(number(100.0), above, found, 100.5) and not meets(number(100.0), above, found, 99.5)
    bound = Rule("r", "bound", "-", absolute=1.0)
    for ours, expected in ((101.4, "match"), (101.6, "miss"), (-5.0, "match"), (NAN, "miss")):
        found = judge(number(100.0), bound, Sample(ours, np.zeros(0)))
        assert found.verdict == expected
        if not math.isnan(ours):
            assert meets(number(100.0), bound, found, ours) == (expected == "match")
    some = Rule("r", "some", "-", absolute=1.0)
    for runs, expected in (([0.0, 0.0], "some-run"), ([100.0, 0.0], "match"), ([99.0, 100.0], "match")):
        assert judge(number(100.0), some, Sample(100.0, np.array(runs))).verdict == expected
    assert judge(number(100.0), some, Sample(0.0, np.array([1.0, 2.0]))).verdict == "miss"


@pytest.mark.parametrize(
    "published", [number(None), number(1.0, "DOUBTFUL"), number(1.0, "PROPOSED"), number(1.0, "RECALLED")]
)
def test_what_is_no_number_of_the_paper_is_not_tested(published: Published) -> None:
    found = judge(published, Rule("r", "value", "-"), Sample(1.0, np.array([1.0])))
    assert found.verdict == "not-tested"
    assert not found.tested
    assert not meets(published, Rule("r", "value", "-"), found, 1.0)


def test_the_trivial_model_is_allowed_what_ours_is() -> None:
    rule, published = Rule("r", "predict", "-"), number(100.0)
    found = judge(published, rule, Sample(0.0, np.array([90.0, 100.0, 110.0])))
    assert meets(published, rule, found, 100.0 + found.tolerance - 0.01)
    assert not meets(published, rule, found, 100.0 + found.tolerance + 0.01)
    assert not meets(published, rule, found, NAN)


def made(row: str, verdict: str, trivial: bool, **wrong: bool) -> Number:
    nothing = Mean(1.0, 0.0, 1)
    judgement = Judgement(verdict, "-", 1.0, 1.0)  # type: ignore[arg-type]
    published = replace(number(1.0), where={"variant": row, "source": "1"})
    return Number(published, "r", judgement, nothing, nothing, 1.0, 1.0, 5, 1.0, trivial, tuple(wrong.items()))


def test_skill_counts_what_others_would_have_matched() -> None:
    numbers = [
        made("A", "match", True, B=True, C=False),
        made("A", "match", False, B=True, C=False),
        made("A", "match", False, B=False, C=True),
        made("A", "miss", False, B=True, C=False),
        made("B", "match", False, A=False, C=False),
        made("B", "undecided", False),
        made("B", "not-tested", False),
    ]
    got = skill(numbers)
    # B is the best wrong pair of row A with three; row B has none.
    expected = {"tested": 6, "ours": 4, "trivial": 1, "wrong_pair": 3, "only_ours": 2, "zeros": 0, "wide": 4}
    assert got.to_dict() == expected
    assert not got.says_nothing
    assert skill(numbers[:4]).says_nothing


def test_matches_of_zeros_and_wide_ones_are_counted() -> None:
    nothing = Mean(1.0, 0.0, 1)

    def of(value: float, tolerance: float, verdict: str = "match", mark: str = "STATED") -> Number:
        judgement = Judgement(verdict, "-", value, tolerance)  # type: ignore[arg-type]
        return Number(number(value, mark), "r", judgement, nothing, nothing, 1.0, 1.0)

    numbers = [
        of(0.0, 5.0),  # A 0, whatever may be beside it.
        of(0.0, 0.0, "miss"),
        of(100.0, 25.0),
        of(100.0, 25.1),
        of(-100.0, 25.1),
        of(-100.0, 1.0),
        of(100.0, 99.0, "miss"),
        of(8.0, 99.0, mark="EVALUATED"),
        of(8.0, 0.1, mark="EXTERNAL"),
        of(8.0, 0.1, mark="REPAIRED"),
    ]
    got = skill(printed(numbers))
    assert (got.tested, got.ours, got.zeros, got.wide) == (8, 6, 1, 2)
    rest = skill(others(numbers))
    assert (rest.tested, rest.ours, rest.zeros, rest.wide) == (2, 2, 0, 1)


@pytest.mark.parametrize("mark", MARKS)
def test_what_a_paper_prints(mark: str) -> None:
    assert number(1.0, mark).printed == (mark in ("STATED", "REPAIRED", "DOUBTFUL"))
    found = judge(number(1.0, mark), Rule("r", "value", "-"), Sample(1.0, np.array([1.0])))
    assert found.tested == (mark not in ("DOUBTFUL", "RECALLED", "PROPOSED"))


@given(
    st.integers(1, 5).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=n, max_size=n)
    )
)
def test_alike_sources_are_put_in_the_best_order(fits: list[list[int]]) -> None:
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(np.array(fits), maximize=True)
    assert _best_order(fits) == np.array(fits)[rows, columns].sum()


@pytest.fixture(scope="module")
def scenario_4() -> Reproduction:
    return headgate.reproduce("demers1989", "scenario-4")


def test_the_form_for_machines_says_why(scenario_4: Reproduction) -> None:
    got = json.loads(scenario_4.to_json())
    assert set(got) == {"paper", "skill", "others", "claims_of_nulls", "counts", "counts_of_others", "items"}
    assert sum(got["counts"].values()) == sum(n["printed"] for i in got["items"] for n in i["numbers"])
    assert sum(got["counts_of_others"].values()) == sum(not n["printed"] for i in got["items"] for n in i["numbers"])
    for i in got["items"]:
        assert set(i) == {
            "item",
            "seeds",
            "starts",
            "base",
            "skill",
            "others",
            "tables",
            "numbers",
            "rows",
            "claims",
            "sections",
        }
        assert (
            set(i["skill"])
            == {"tested", "ours", "trivial", "wrong_pair", "only_ours", "zeros", "wide"}
            == set(i["others"])
        )
        assert i["skill"]["tested"] == sum(n["verdict"] in TESTED for n in i["numbers"])
        assert i["skill"]["ours"] == Counter(n["verdict"] for n in i["numbers"])["match"]
        for key in ("tested", "ours", "trivial", "wrong_pair", "only_ours"):
            assert sum(t["skill"][key] for t in i["tables"]) == i["skill"][key]
        assert [t["table"] for t in i["tables"]] == list(dict.fromkeys(n["table"].split(" [")[0] for n in i["numbers"]))
        for n in i["numbers"]:
            assert n["verdict"] in VERDICTS
            assert {"rule", "tolerance", "printed_deviation", "seeds", "low", "high", "base", "trivial"} <= set(n)
            if n["verdict"] in ("match", "miss", "some-run"):
                assert n["seeds"] == i["seeds"]
                assert n["rule"]
                assert n["tolerance"] is not None
                assert n["trivial"] is not None
            assert n["printed"] == (n["mark"] in ("STATED", "REPAIRED", "DOUBTFUL"))
            if n["low"] is not None:
                assert n["low"] <= (n["base"] if n["same_rank"] is None else n["same_rank"]) <= n["high"]
        for c in i["claims"]:
            assert set(c) == {
                "id",
                "text",
                "holds",
                "measured",
                "trivial",
                "wrong_pair",
                "starts",
                "held_in",
                "together",
            }


def test_the_trivial_model_of_scenario_4(scenario_4: Reproduction) -> None:
    of = {
        (n.published.row, n.published.source, n.published.metric): n.trivial
        for i in scenario_4.items
        for n in i.numbers
        if n.judgement.tested
    }
    # Four sources with windows of 5 share 56 kbit/s: 7 packets/s for 500 s, a quarter each, and five packets take 5 / 1.75 s.
    for row in ("G+JK/FCFS", "G+JK/FQ"):
        for source in "1234":
            assert of[row, source, "throughput"] == pytest.approx(875.0)
            assert of[row, source, "round_trip_time"] == pytest.approx(5 / 1.75)
            assert of[row, source, "dropped"] == of[row, source, "retransmitted"] == 0


def test_the_trivial_model_of_a_source_that_asks_for_little_and_one_that_asks_for_too_much() -> None:
    paper = load_paper("demers1989")
    result = reproduce_items(paper, [replace(paper.item("scenario-3"), seeds=2, starts=0)])
    of = {
        (n.published.source, n.published.metric): n.trivial
        for n in result.items[0].numbers
        if n.published.row == "G/FQ" and n.judgement.tested
    }
    # A Telnet asks for 0.2 packets of 40 bytes a second: 100 in 500 s; the FTP and the ill-behaved source share the rest.
    assert of["2", "throughput"] == pytest.approx(100.0)
    assert of["1", "throughput"] == pytest.approx(of["3", "throughput"])
    assert of["1", "throughput"] == pytest.approx((56e3 - 64) / 2 / 8000 * 500)
    # An empty line: 40 bytes at 800 and 56 kbit/s, and the acknowledgement back.
    assert of["2", "round_trip_time"] == pytest.approx(2 * 320 / 56e3 + 2 * 320 / 800e3, rel=1e-6)


def test_verdicts_do_not_depend_on_how_many_seeds_are_run(scenario_4: Reproduction) -> None:
    more = headgate.reproduce("demers1989", "scenario-4", seeds=210)
    for a, b in zip(scenario_4.items[0].numbers, more.items[0].numbers, strict=True):
        assert (a.judgement, a.seeds, a.wrong, a.claims) == (b.judgement, b.seeds, b.wrong, b.claims)
        assert b.low <= a.low <= a.high <= b.high
        assert b.spread.n >= a.spread.n
    assert scenario_4.items[0].rows == more.items[0].rows


def test_a_row_that_comes_out_whole_at_some_starts(scenario_4: Reproduction) -> None:
    rows = {r.row: r for r in scenario_4.items[0].rows}
    row = rows["G+JK/FCFS"]
    assert row.met == row.cells == 16
    assert 0 < row.hits < row.starts
    item, runs = scenario_4.items[0], scenario_4.items[0].runs
    assert runs is not None
    # The start that is named does give the paper's numbers: the winners' packets, and their round trips.
    best = {o.run: o for o in runs.starts["G+JK/FCFS"]}[row.best]
    for metric in ("throughput", "round_trip_time"):
        paper = sorted(
            n.published.value or 0.0
            for n in item.numbers
            if (n.published.row, n.published.metric) == ("G+JK/FCFS", metric)
        )
        ours = sorted(best.value(scenario_4.paper.metrics[metric], s).mean for s in "1234")
        assert ours == pytest.approx(paper, rel=0.02, abs=1)
    # Of all starts; the base run is the first of them, and the third is the first that meets the row.
    assert (row.starts, row.base, row.best) == (200, 1, 3)
    # It does at fewer than half of the starts; the trivial model is then allowed a unit or 2 % as well, and no wide prediction.
    assert 2 * row.hits < row.starts
    own = [n for n in item.numbers if n.published.row == "G+JK/FCFS"]
    assert {n.verdict for n in own} <= {"match", "some-run"}
    assert not any(n.trivial_meets for n in own if n.published.metric == "throughput" and n.verdict == "some-run")


def test_the_best_start_of_a_row_is_a_separate_line(scenario_4: Reproduction, tmp_path: Path) -> None:
    item = scenario_4.items[0]
    row = next(r for r in item.rows if r.best != r.base)
    assert item.runs is not None
    best = next(o for o in item.runs.starts[row.row] if o.run == row.best)
    metric = scenario_4.paper.metrics["throughput"]
    values = [best.value(metric, s).mean for s in row.sources]
    assert [row.values["throughput", s] for s in row.sources] == values
    console = Console(width=120, file=StringIO())
    print_reproduction(scenario_4, console)
    line = next(x for x in console.file.getvalue().splitlines() if f"start {row.best} " in x)  # type: ignore[attr-defined]
    assert [float(x) for x in re.findall(r"[\d.]+", line)[1:]] == values
    rows = json.loads(scenario_4.to_json())["items"][0]["rows"]
    (of,) = (r for r in rows if r["row"] == row.row and r["sources"] == list(row.sources))
    assert [b["value"] for b in of["best"] if b["metric"] == "throughput"] == values
    assert f"start {row.best}, the best of the row: 1 {values[0]:.4g}" in write_report(scenario_4, tmp_path).read_text()


def test_numbers_of_a_row_that_comes_out_seldom_are_met_in_some_run() -> None:
    paper = load_paper("demers1989")
    item = paper.item("scenario-2")
    # Starts within 2 s, of which some of the first 50 give it: within the 5 s of the paper's folder it is one of 200.
    found = reproduce_items(paper, [replace(item, phase="2s", seeds=50)]).items[0]
    rows = {len(r.sources): r for r in found.rows if r.row == "JK/FCFS"}
    numbers = [n for n in found.numbers if n.published.row == "JK/FCFS"]
    assert rows[8].hits == 0 < rows[6].hits < rows[6].starts / 2
    assert rows[6].best == 43
    assert {n.verdict for n in numbers if n.published.source in "123456"} <= {"match", "some-run", "not-tested"}
    assert "some-run" in {n.verdict for n in numbers}
    assert "miss" in {n.verdict for n in numbers if n.published.source in "78"}


def test_a_number_names_the_claims_beside_it(scenario_4: Reproduction) -> None:
    failed = {f.id for f in scenario_4.items[0].findings if f.holds is False}
    beside = [n for n in scenario_4.items[0].numbers if failed & {name for name, holds in n.claims if holds is False}]
    assert beside
    for n in beside:
        assert "beside it" in n.why
