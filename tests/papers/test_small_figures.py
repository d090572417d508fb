"""Figures of three small papers: runs that do what an equation says lie on its line, and the paper's numbers stand where they belong."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

from headgate.papers import load_paper
from headgate.papers.arun2022 import claims as starvation
from headgate.papers.claims import Runs
from headgate.papers.floyd1991 import claims as phases
from headgate.papers.formulas.phase import phase_winner
from headgate.papers.formulas.shrew import shrew_throughput
from headgate.papers.formulas.starvation import shared_with_error
from headgate.papers.kuzmanovic2003 import figures as shrew
from headgate.papers.measure import Floats
from headgate.plots.canvas import to_svg

from .test_small_papers import SMALL, result

#: What a flow has in a variant.
Law = Callable[[str, str], float]

#: Three starts: the mean is the law's.
STARTS = np.array([0.8, 1.3, 0.9])


class Made:
    """Runs of an item made up by a law, at three starts; where all start at once each flow has what the law says."""

    def __init__(self, paper: str, item: str, law: Law, starts: Floats = STARTS) -> None:
        self._paper, self._law, self._starts = paper, law, starts
        self.item, self.end = load_paper(paper).item(item), 200.0

    def over(self, variant: str, _metric: str, *flows: str) -> Floats:
        assert any(v.name == variant for v in self.item.variants), variant
        return self._starts[:, None] * np.array([self._law(variant, f) for f in flows])

    def of(self, variant: str, metric: str, *flows: str) -> Floats:
        return self.over(variant, metric, *flows)[0]

    def intervals(self, variant: str, metric: str, flow: str) -> Floats:
        return np.repeat(self.of(variant, metric, flow), 40)

    def all_at_once(self) -> Made:
        return Made(self._paper, self.item.name, self._law, np.ones(1))


def drawn(runs: Made, name: str) -> Any:
    """A figure, drawn from these runs."""
    module = importlib.import_module(f"headgate.papers.{runs._paper}.figures")
    return module.DRAWINGS[runs.item.name][name](cast("Runs", runs))


def points(axes: Any, label: str) -> tuple[Floats, Floats, list[Floats]]:
    """Places of a series with bars, and the ends of these."""
    (found,) = [c for c in axes.containers if c.get_label() == label]
    line, _, bars = found.lines
    return line.get_xdata(), line.get_ydata(), [np.array(s) for s in bars[0].get_segments()]


def line(axes: Any, label: str) -> tuple[Floats, Floats]:
    (found,) = [x for x in axes.lines if x.get_label() == label]
    return np.asarray(found.get_xdata()), np.asarray(found.get_ydata())


def on(curve: tuple[Floats, Floats], x: Floats) -> Floats:
    """A curve at these values, from its right-hand side where it jumps."""
    keep = ~np.isnan(curve[0])
    at = [float(curve[1][keep][np.abs(curve[0][keep] - v - 1e-7).argmin()]) for v in x]
    return np.array(at)


def period(variant: str) -> float:
    return float(variant.replace(",", "").split()[-1])


#: What five connections have together, of what one has.
FIVE = 0.9


def outages(variant: str, _flow: str) -> float:
    """A connection that gets what equation (2) says; five have less."""
    return shrew_throughput(period(variant)) * shrew.LINE * (FIVE / 5 if variant.startswith("5, ") else 1)


def made(paper: str, item: str) -> Made:
    """Runs by the theory of the paper."""
    if paper == "floyd1991":
        return Made(paper, item, by_the_rule)
    if paper == "arun2022":
        return Made(paper, item, lambda _, flow: 3.0 if flow == "f2" else 1.5)
    laws: dict[str, Law] = {
        "figure-7": lambda variant, flow: (float(flow[3:]) + 0.01 * float(variant.split()[0])) / 100,
        "figure-17": lambda v, _: shrew_throughput(period(v), float(v.split(",")[0])) * shrew.LINE,
    }
    return Made(paper, item, laws.get(item, outages))


def by_the_rule(variant: str, flow: str) -> float:
    """The second connection has a tenth, a half or nine tenths."""
    said = phase_winner(phases.round_trip(phases.FIRST), phases.round_trip(period(variant)), phases.SERVICE)
    second = {0: 0.1, None: 0.5, 1: 0.9}[said]
    return 100 * (second if flow == "ftp2" else 1 - second)


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_every_figure_is_drawn_with_its_axes_and_with_series_that_need_no_colour(name: str) -> None:
    paper = load_paper(name)
    module = importlib.import_module(f"headgate.papers.{name}.figures")
    assert {(f.item, f.name) for f in paper.figures} == {(i, n) for i, names in module.DRAWINGS.items() for n in names}
    for figure in paper.figures:
        drawing = drawn(made(name, figure.item), figure.name)
        assert "<svg" in to_svg(drawing)
        for axes in drawing.axes:
            place: Any = axes.get_subplotspec()
            # Where cases stand along an axis their names say what it is.
            assert axes.get_xlabel() or not place.is_last_row() or figure.name == "ratios", figure.name
            assert axes.get_ylabel() or not place.is_first_col() or figure.name in ("bbr", "vivace", "allegro")
            series = [(c.lines[0], c.get_label()) for c in axes.containers]
            held = {id(first) for first, _ in series}
            series += [(x, str(x.get_label())) for x in axes.lines if id(x) not in held]
            named = [
                (s, x.get_marker(), x.get_linestyle(), x.get_linewidth() > 3) for x, s in series if s[:1] not in "_"
            ]
            assert named, figure.name
            assert len({s for s, *_ in named}) == len({tuple(look) for _, *look in named}) == len(named), named


@pytest.mark.parametrize(
    ("item", "labels"),
    [
        ("figure-4", ("runs",)),
        ("figure-6", ("one connection", "five connections together")),
        ("figure-12", ("Reno", "New Reno", "Tahoe", "Sack")),
        ("figure-15", ("Drop Tail", "RED")),
    ],
)
def test_runs_by_equation_2_lie_on_its_line(item: str, labels: tuple[str, ...]) -> None:
    for axes in drawn(made("kuzmanovic2003", item), item).axes:
        curve = line(axes, "equation (2)")
        for label in labels:
            x, y, bars = points(axes, label)
            part = FIVE if label.startswith("five") else 1
            assert y == pytest.approx([part * shrew_throughput(t) for t in x], abs=1e-9)
            assert on(curve, x) == pytest.approx(y / part, abs=2e-2)
            for at, bar in zip(y, bars, strict=True):
                assert bar[:, 1] == pytest.approx([0.8 * at, 1.3 * at], abs=1e-9)


def test_equation_2_jumps_to_nothing_at_its_nulls() -> None:
    x, y = shrew.equation_2(0.3, 5.0)
    starts = np.flatnonzero(np.isnan(x))[:-1] + 1
    assert x[starts] == pytest.approx([1 / 3, 1 / 2, 1])
    assert y[starts] == pytest.approx([0, 0, 0], abs=1e-9)
    # What it comes to before: T just below 1/n leaves 1/(n + 1).
    assert y[starts - 2] == pytest.approx([1 / 4, 1 / 3, 1 / 2], abs=1e-4)
    texts: Any = drawn(made("kuzmanovic2003", "figure-4"), "figure-4").axes[0].texts
    assert {t.get_text(): t.xy[0] for t in texts} == pytest.approx({"minRTO": 1, "minRTO/2": 1 / 2, "minRTO/3": 1 / 3})


def test_timeouts_of_a_range_lie_near_the_equations_of_the_range_and_not_on_those_of_one() -> None:
    (axes,) = drawn(made("kuzmanovic2003", "figure-17"), "figure-17").axes
    x, y, _ = points(axes, "runs, their mean")
    # Five timeouts stand for the range. Their mean is exact but at a period of 1.1 s, where one of them falls onto the jump from 0.5 to 0.
    assert on(line(axes, "equations (4) to (7)"), x) == pytest.approx(y, abs=0.06)
    assert np.abs(on(line(axes, "equation (2), 1 s"), x) - y).max() > 0.2
    each = [v.get_ydata() for v in axes.lines if v.get_marker() == "_"]
    assert len(each) == 5 and np.mean(each, axis=0) == pytest.approx(y)


def test_connections_by_their_round_trips_and_all_of_them_by_the_length_of_bursts() -> None:
    runs = made("kuzmanovic2003", "figure-7")
    (axes,) = drawn(runs, "figure-7").axes
    for label, more in (("no bursts", 0.0), ("bursts of 100 ms", 0.01)):
        x, y, _ = points(axes, label)
        assert (x[0], x[-1], len(x)) == (20, 460, 20)
        assert y == pytest.approx(np.arange(1, 21) / 100 + more)
    x, y, _ = points(drawn(runs, "figure-10").axes[0], "runs")
    assert x.tolist() == [0, 50, 100, 150, 200]
    assert y == pytest.approx(2.1 + 20 * 0.0001 * x)


def test_connections_by_the_rule_of_the_phase_lie_on_it() -> None:
    (axes,) = drawn(made("floyd1991", "round-trips"), "round-trips").axes
    x, y, _ = points(axes, "Drop Tail")
    assert len(x) == 29 and x[phases.DELAYS.index(7.0)] == 1
    rule = on(line(axes, "rule of the phase"), x)
    said = np.array([phases.decided(d) for d in phases.DELAYS])
    assert np.isnan(rule[~said]).sum() >= 3  # where phases are equal, both sides of the place are said
    assert rule[said] == pytest.approx(y[said])
    assert set(np.round(y, 9)) == {0.1, 0.5, 0.9}
    for k in (10, 100):
        assert len(points(axes, f"Drop Tail with noise of {k} ms")[0]) == 5
    assert [t.get_text() for t in axes.texts] == ["20", "21", "22", "23"]


def test_copa_by_its_formula_lies_on_its_lines_beside_the_papers_numbers() -> None:
    def law(variant: str, flow: str) -> float:
        error = 1.0 if variant == "two" else float(variant.split()[-2])
        return shared_with_error(starvation.COPA_QUEUE, starvation.LINE, error / 1000)[flow == "f2"] / 1e6

    (axes,) = drawn(Made("arun2022", "copa", law, np.ones(1)), "copa").axes
    for flow, paper in (("first flow", 8.8), ("second flow", 95)):
        x, y = line(axes, f"{flow}, run")
        assert x.tolist() == list(starvation.ERRORS)
        assert on(line(axes, f"{flow}, formula"), x) == pytest.approx(y, rel=0.02)
        assert line(axes, f"{flow}, paper")[1].tolist() == [paper]


@pytest.mark.parametrize(
    ("item", "variant", "first", "second"),
    [("bbr", "40 and 80 ms", 8.3, 107), ("vivace", "60 ms", 9.9, 99.4), ("allegro", "Allegro: one of two", 10.3, 99.1)],
)
def test_the_papers_numbers_stand_in_the_rows_of_their_variants(
    item: str, variant: str, first: float, second: float
) -> None:
    (axes,) = drawn(made("arun2022", item), item).axes
    rows = dict(zip((t.get_text() for t in axes.get_yticklabels()), axes.get_yticks(), strict=True))
    assert list(rows.values()) == sorted(rows.values(), reverse=True)
    for flow, ours, paper in (("first flow", 1.5, first), ("second flow", 3.0, second)):
        x, y = line(axes, f"{flow}, paper")
        assert (x.tolist(), np.round(y).tolist()) == ([paper], [rows[variant]])
        x, y, _ = points(axes, f"{flow}, ours")
        assert x == pytest.approx([ours] * len(rows))
        assert np.round(y).tolist() == list(rows.values())


def test_figure_7_has_the_rates_of_runs_and_the_ratios_of_the_paper() -> None:
    found = result("arun2022", "delayed-acks")
    runs, study = found.runs, found.study
    assert runs is not None and study is not None
    for variant in ("Reno", "Cubic"):
        for flow in ("f1", "f2"):
            got = runs.intervals(variant, "rate", flow)
            assert got.size == 40
            assert got.mean() == pytest.approx(runs.of(variant, "throughput", flow)[0], rel=1e-6)
    drawing, ratios = study.drawings["figure-7"](), study.drawings["ratios"]()
    for axes, ratio in zip(drawing.axes, (2.7, 3.2, 2.7, 3.2), strict=True):
        low, high = (float(v.get_ydata()[0]) for v in axes.lines if v.get_linestyle() == ":")
        assert (low + high, high / low) == pytest.approx((6, ratio))
        # The line is full, and the first flow has less.
        first, second = (np.asarray(v.get_ydata()) for v in axes.lines[:2])
        assert (first + second)[10:].mean() == pytest.approx(6, rel=0.05)
        assert first[10:].mean() < second[10:].mean()
    assert [v.get_ydata().tolist() for v in ratios.axes[0].lines if v.get_marker() == "*"] == [[2.7], [3.2]]
