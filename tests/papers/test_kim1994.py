"""Kim and Farber 1994: the measures against worked values, one small point of the grid, points that are kept, and claims that can fail."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from headgate.papers.claims import Runs
from headgate.papers.inference.rows import rows_of
from headgate.papers.kim1994 import claims, curves, grid, measures
from headgate.papers.kim1994.grid import LOADS, Curve, Measured, One, Point
from headgate.papers.kim1994.measures import Network
from headgate.papers.load import load_paper
from headgate.papers.runs import open_work, work_here
from headgate.papers.settings import item_with_setting, setting_of

DATA = Path(__file__).parents[1] / "data/kim1994"


def rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open() as file:
        return list(csv.DictReader(file))


def test_the_formulas_give_the_worked_values() -> None:
    def least(line: int, bottleneck: int) -> float:
        return 1e3 * Network(line, bottleneck, 30).least(200)

    def bound(line: int, bottleneck: int) -> float:
        return float(measures.power(bottleneck * 1e6, Network(line, bottleneck, 30).least(200)))

    blt, tcp = float(measures.power(605e6, 0.032)), float(measures.power(318e6, 0.2894))
    found = {
        "k-05": measures.fairness(np.ones(4)),
        "k-07": measures.fairness(1 / np.array([1.0, 2.0, 3.0])),
        "k-08": blt,
        "k-09": tcp,
        "k-10": 10 ** (blt - tcp),
        "k-11": blt - tcp,
        "k-17": least(150, 150),
        "k-18": least(150, 90),
        "k-19": least(1000, 1000),
        "k-20": bound(150, 150),
        "k-21": bound(1000, 1000),
        "k-22": measures.half_width(np.array([0.20, 0.21, 0.22])),
    }
    due = {row["id"]: row["expected"] for row in rows("formula_checks.csv")}
    for name, value in found.items():
        assert value == pytest.approx(float(due[name]), rel=2e-6, abs=5e-7), name


def test_networks_have_the_sizes_that_follow_from_the_text() -> None:
    for row in rows("topology_derived.csv"):
        net = Network(int(row["bwn_mbps"]), int(row["bwb_mbps"]), float(row["d_ms"]))
        assert net.buffer == int(row["buffer_packets_floor"]), row
        assert net.product == pytest.approx(float(row["bwn_times_d_bytes"]))
        for packets, column in ((20, "10KB"), (200, "100KB"), (2000, "1MB")):
            assert net.capacity(packets) == pytest.approx(float(row[f"lambda_capacity_{column}"]))


def runs_of() -> Runs:
    paper = load_paper("kim1994")
    return Runs(paper, paper.item("reference"), {}, {})


@pytest.mark.parametrize("scheme", ["TCP", "BLT", "BT"])
def test_a_point_of_a_curve(scheme: str) -> None:
    curve = Curve(scheme, Network(150, 30, 30), repeats=1, connections=25, loads=(0.1, 0.3), searches=0)
    (found,) = grid.measured(runs_of(), curve)
    assert found.loads == [0.1, 0.3]
    for point in found.points.values():
        assert len(point.runs) == 3
        for run in point.runs:
            assert run.missing == 0 and run.response > curve.network.least(200)
            # Little's law over the whole run.
            assert run.inside == pytest.approx(25 / run.span * run.response, rel=1e-9)
            assert run.throughput == pytest.approx(25 * 200 * 4000 / run.span)
            assert 0 < run.fair <= 1 and run.throughput / 30e6 <= run.busy + 1e-9 <= 1
    longest = found.points[0.3].of("span").argmax()
    assert found.points[0.3].longest[0] == found.points[0.3].of("throughput")[0, longest]


def test_the_search_looks_beside_the_greatest_power() -> None:
    curve = Curve("BLT", Network(150, 30, 30), repeats=1, connections=10, loads=(0.1, 0.5, 0.9), searches=1)
    # A curve beside it that is searched more finely adds no rounds to it, and a second call none either.
    found, _ = grid.measured(runs_of(), curve, replace(curve, connections=9, searches=2))
    assert grid.measured(runs_of(), curve) == [found]
    best = (0.1, 0.5, 0.9)[int(np.argmax([found.points[x].power[0] for x in (0.1, 0.5, 0.9)]))]
    beside = {0.1: {0.3}, 0.5: {0.3, 0.7}, 0.9: {0.7}}[best]
    assert set(found.loads) == {0.1, 0.5, 0.9} | beside


def test_points_that_are_complete_are_kept_and_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    curve = Curve("BLT", Network(150, 90, 30), repeats=1, connections=7, loads=(0.2,), searches=0)
    found = []
    for kept in (0, 3):
        with open_work(resume=tmp_path / "kept") as work, work_here(work):
            found += grid.measured(runs_of(), curve)
        assert (work.runs, work.kept) == (3, kept)
        monkeypatch.setattr(grid, "_KNOWN", {})
        monkeypatch.setattr(grid, "_RAN", {})
    assert found[0] == found[1]


def fake(curve: Curve, response: float, fair: float = 0.9, collapse: float = 2.0) -> Measured:
    """A curve whose response time grows with the load as that of a queue, and whose throughput is what is offered up to a collapse."""
    points = {}
    for load in LOADS:
        rate = curve.rate(load)
        over = load >= collapse
        time = response / (1 - min(load, 0.98)) * (30 if over else 1)
        bits = rate * curve.packets * 4000 * (0.3 if over else 1.0)
        one = One(time, bits, fair - 0.2 * load, load, 0.0, 0.0, curve.files / rate, rate * time, 0)
        points[load] = Point(load, rate, (one,) * (3 * curve.repeats))
    return Measured(curve, points)


def fake_set(blt: tuple[float, float, float], tcp: tuple[float, float, float], line: int = 150) -> curves.Set:
    s = cast("Any", object.__new__(curves.Set))
    s.line, s.delay, s.packets, s.bottlenecks = line, 30, 200, curves.BOTTLENECKS[line]
    for name, times in (("BLT", blt), ("TCP", tcp)):
        found = [
            fake(Curve(name, Network(line, b, 30)), t, 0.95 if name == "BLT" else 0.9)
            for b, t in zip(s.bottlenecks, times, strict=True)
        ]
        setattr(s, name.lower(), dict(zip(s.bottlenecks, found, strict=True)))
    return cast("curves.Set", s)


#: Claims that compare BLT with TCP in one set, with whether they hold where BLT is better by the factors of Table 1.
COMPARING = ("B01", "B07", "B08", "B28")


def holds(name: str, runs: Runs) -> tuple[bool | None, str]:
    """What a claim says."""
    (claim,) = (c for c in claims.CLAIMS.all if c.id == name)
    return claim.test(runs)


@pytest.mark.parametrize("name", COMPARING)
def test_claims_hold_for_the_papers_factors_and_fail_where_the_schemes_change_places(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = fake_set((0.1, 0.05, 0.04), (0.316, 0.315, 0.318))
    bad = fake_set((0.316, 0.315, 0.318), (0.1, 0.05, 0.04))
    for s, due in ((good, True), (bad, False)):
        monkeypatch.setattr(claims, "reference", lambda _, s=s: s)
        found, text = holds(name, runs_of())
        assert found is due, text


def test_the_collapse_of_bully_tyrant_is_seen_and_its_absence_too(monkeypatch: pytest.MonkeyPatch) -> None:
    s = fake_set((0.1, 0.05, 0.04), (0.316, 0.315, 0.318))
    monkeypatch.setattr(claims, "reference", lambda _: s)
    for collapse, due in ((0.5, True), (2.0, False)):
        bt = fake(Curve("BT", Network(150, 30, 30)), 0.1, collapse=collapse)
        monkeypatch.setattr(claims, "bully", lambda _, bt=bt: bt)
        assert holds("B26", runs_of())[0] is due


#: The greatest powers of table 1 at the six bottlenecks.
TABLE_1 = {"BLT": (6.9, 7.9, 8.3, 8.4, 9.2, 9.4), "TCP": (6.4, 7.1, 7.4, 7.5, 7.9, 8.1)}


def test_table_1_is_met_within_its_tolerance_only(monkeypatch: pytest.MonkeyPatch) -> None:
    class Printed:
        def __init__(self, at: slice, away: float) -> None:
            self._at, self._away = at, away

        def greatest(self, scheme: str) -> list[float]:
            return [x + self._away for x in TABLE_1[scheme][self._at]]

    for away, due in ((0.1, True), (0.2, False)):
        monkeypatch.setattr(claims, "reference", lambda _, away=away: Printed(slice(3), away))
        monkeypatch.setattr(claims, "gigabit", lambda _, away=away: Printed(slice(3, 6), away))
        assert holds("B10", runs_of())[0] is due


def test_a_periodic_queue_is_distinguished_from_one_that_is_not() -> None:
    at = np.arange(0, 60, 0.005)
    noise = np.random.default_rng(1).normal(size=len(at))
    assert claims.periodic(np.sin(2 * np.pi * at / 0.1) + 0.1 * noise) > 0.9
    assert claims.periodic(noise) < 0.1


def test_without_the_acknowledgements_way_power_is_greater() -> None:
    s = fake_set((0.1, 0.05, 0.04), (0.316, 0.315, 0.318))
    found = curves.without_ack(s, "BLT")
    assert all(f > g for f, g in zip(found, s.greatest("BLT"), strict=True))


def test_every_claim_of_the_file_has_a_predicate_and_every_figure_a_drawing() -> None:
    paper = load_paper("kim1994")
    assert len(claims.CLAIMS.all) == 45
    assert {f.item for f in paper.figures} == {i.name for i in paper.items}
    assert json.dumps(paper.item("reference").scenario)


def with_levels(*levels: str, start: int | None = None) -> Runs:
    """What the study is asked about with these levels of unknowns."""
    paper = load_paper("kim1994")
    item = item_with_setting(paper.item("gigabit"), paper.unknowns, setting_of(paper, levels))
    return Runs(paper, item, {}, {}, start=start)


def test_a_level_of_an_unknown_reaches_the_curves_of_its_scheme_and_no_other() -> None:
    tcp, blt = grid.pair(1000, 600, repeats=10)
    large, odd = grid.pair(150, 30, packets=2000)[0], Curve("TCP", tcp.network, connections=30)
    # As the folder has it nothing changes, so that runs that are kept are found again.
    assert [grid.asked(with_levels(), c) for c in (tcp, blt, large, odd)] == [tcp, blt, large, odd]
    counts = with_levels("duplicates=all", "received=true")
    assert grid.asked(counts, tcp) == replace(tcp, control=(("count_old", True),))
    assert grid.asked(counts, blt) == replace(blt, control=(("skip_received", True),))
    both = with_levels("deviations=2", "first_timeout=3s")
    assert (
        dict(grid.asked(both, tcp).control)
        == dict(grid.asked(both, blt).control)
        == {
            "deviations": 2.0,
            "initial_timeout": "3s",
        }
    )
    # What a curve says itself stays: a table of readings is one of differences from the folder's.
    own = replace(tcp, control=(("deviations", 4.0),))
    assert grid.asked(with_levels("deviations=2"), own).control == (("deviations", 4.0),)
    twice = with_levels("connections=600")
    assert [grid.asked(twice, c).files for c in (tcp, blt, large, odd)] == [600, 600, 200, 30]
    bully = Curve("BT", tcp.network)
    assert grid.asked(twice, bully) == bully


def test_one_repetition_has_its_own_three_runs() -> None:
    tcp, _ = grid.pair(1000, 600, repeats=10)
    found = [grid.asked(with_levels(start=start), tcp) for start in (1, 2)]
    assert [(list(c.numbers), c.repeats, c.searches) for c in found] == [([0, 1, 2], 1, 0), ([3, 4, 5], 1, 0)]
    assert list(tcp.numbers) == list(range(30))


def test_what_the_paper_computes_from_other_numbers_is_no_row() -> None:
    paper = load_paper("kim1994")
    rows = rows_of(paper, [paper.item("reference"), paper.item("gigabit")])
    assert [r.label for r in rows] == [
        f"{s} {b}" for bs in ((30, 90, 150), (200, 600, 1000)) for s in ("BLT", "TCP") for b in bs
    ]
    cells = {r.label: [n.metric for n in r.numbers] for r in rows}
    assert cells["BLT 1000"] == ["log_power", "throughput", "response", "best_rate"]
    assert cells["TCP 1000"] == ["log_power", "throughput", "response"]
