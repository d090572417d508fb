"""Claims in lines: arithmetic over what was measured, bounds, texts, and the errors of a wrong line."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import headgate
from headgate.papers.arithmetic import Values, evaluate, parsed, plain
from headgate.papers.claim_tables import read_claim, read_shared
from headgate.papers.claims import Runs
from headgate.papers.lines import LineClaim

from ..conftest import Cli
from .test_paper_folders import change, paper, write

__all__ = ["paper"]

#: Two schemes by three sources, and a list with a label that is a number.
GIVEN = {
    "x": Values(np.array([[1.0, 2.0, 6.0], [8.0, 4.0, 0.0]]), (("DRR", "CSFQ"), ("a", "b", "c"))),
    "t": Values(np.array([3.0, 1.0, 2.0]), (("0.5", "1", "1.5"),)),
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 - 2 * 3 / 4 ** 2", 0.625),
        ("-t[0]", -3.0),
        ('x["CSFQ"]', [8, 4, 0]),
        ('x["CSFQ", "DRR"]', [[8, 4, 0], [1, 2, 6]]),
        ('x["DRR", 1:]', [2, 6]),
        ("x[:, 1]", [2, 4]),
        ('x[0]["c"]', 6),
        ("mean(x)", [3, 4]),
        ("mean(mean(x))", 3.5),
        ("mean(swapped(x))", [4.5, 3, 3]),
        ("sum(t) + least(t) - most(t)", 4),
        ("median(x)", [2, 4]),
        # Of 1, 2, 6: deviations from 3 are -2, -1 and 3, so that the variance is 14/2.
        ("deviation(x[0])", math.sqrt(7)),
        ("spread(x)", [6, math.inf]),
        ("count(x > 1.5)", [2, 2]),
        ("steps(t)", [-2, 1]),
        ("steps(x)[:, 0]", [1, -4]),
        ("label_of_least(t)", 1.0),
        ("label_of_most(t)", 0.5),
        ("flat(x)", [1, 2, 6, 8, 4, 0]),
        ("ranks(t)", [2, 0, 1]),
        ("correlation(t, 2 - 3 * t)", -1),
        # Of 1, 2, 6 and of 8, 4, 0 with 3, 2, 1: -5 over the root of 14 * 2, and a straight line.
        ("correlation(x, 4 - ranks(x[0]) - 1)", [-5 / math.sqrt(28), 1]),
        ("larger(x[0], x[1])", [8, 4, 6]),
        ("smaller(x[0], 3)", [1, 2, 3]),
        ("abs(x[0] - 2)", [1, 0, 4]),
        ("sqrt(x[1][1]) + log10(100) + floor(2.7) + log(1)", 6),
        ("x == 4", [[False, False, False], [False, True, False]]),
    ],
)
def test_arithmetic(text: str, value: object) -> None:
    found = evaluate(parsed(text), GIVEN.__getitem__)
    np.testing.assert_allclose(found.array.astype(float), np.asarray(value, dtype=float), rtol=1e-12)
    assert tuple(map(len, found.axes)) == found.array.shape


def test_what_is_taken_keeps_its_labels() -> None:
    assert evaluate(parsed('x["CSFQ", "DRR"] - t'), GIVEN.__getitem__).axes == (("CSFQ", "DRR"), ("a", "b", "c"))
    assert evaluate(parsed("2 * steps(t)"), GIVEN.__getitem__).axes == (("1", "1.5"),)
    assert plain(3.0).axes == ()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("1 +", "expected arithmetic such as"),
        ("__import__('os')", "expected one of mean, sum"),
        ("x.array", "expected numbers, names"),
        ("[1, 2]", "expected numbers, names"),
        ("x and t", "expected numbers, names"),
        ("1 < t < 2", "expected numbers, names"),
        ("meen(t)", "Did you mean 'mean'?"),
        ("mean(t, 1)", "expected 1 value in mean()"),
        ("larger(t)", "expected 2 values in larger()"),
        ("x[t]", "expected a label, labels or places in brackets"),
        ("(" * 3000 + "1" + ")" * 3000, "expected arithmetic"),
        ("-" * 50_000 + "1", "expected arithmetic"),
    ],
)
def test_what_is_no_arithmetic_is_refused_when_it_is_read(text: str, part: str) -> None:
    with pytest.raises(ValueError, match="found") as error:
        parsed(text)
    assert part.replace("'", "") in str(error.value).replace("'", "").replace('"', "")
    assert len(str(error.value)) < 600


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('x["RED"]', "expected one of DRR, CSFQ"),
        ("x[2]", "found place 2; expected one of 2"),
        ("t[0, 0]", "in brackets after 1 lists"),
        ("mean(t[0])", "mean() found one value; expected a list"),
        ("x[0, :2] + t", "found lists of 2 and 3 values"),
        ("label_of_least(x)", "found the labels a, b, c; expected numbers"),
        ("swapped(t)", "expected a list of lists"),
    ],
)
def test_arithmetic_without_a_value_says_why(text: str, part: str) -> None:
    with pytest.raises(ValueError, match="found") as error:
        evaluate(parsed(text), GIVEN.__getitem__)
    assert part in str(error.value)


class Made:
    """Runs in which a value is a number of its variant, its source and its start."""

    def __init__(self, starts: int = 2, *, of_base: bool = False) -> None:
        names = ("DRR 1", "DRR 2", "RED 1", "RED 2")
        self.base = {v: object() for v in names}
        self.seeds = {v: [self.base[v] if of_base and not k else object() for k in range(starts)] for v in names}
        self.spans: list[object] = []

    def of(self, variant: str, metric: str, *sources: str, span: object = None) -> Any:
        assert metric == "rate"
        self.spans.append(span)
        return np.array([10.0 * list(self.base).index(variant) + float(s) for s in sources])

    def over(self, variant: str, metric: str, *sources: str, span: object = None) -> Any:
        own = self.of(variant, metric, *sources, span=span)
        others = [s for s in self.seeds[variant] if s is not self.base[variant]]
        return np.array([own, *(own + 0.1 * (k + 1) for k in range(len(others)))])

    def intervals(self, variant: str, metric: str, source: str, span: object = None) -> Any:
        return self.of(variant, metric, source, span=span) + np.array([0.0, 1.0, 2.0, 3.0])


def claim(shared: dict[str, Any] | None = None, **table: Any) -> LineClaim:
    table = {"clause": "it is so", "text": "-", **table}
    return LineClaim(
        "claims.toml",
        "item.N1",
        read_claim(table, "claims.toml", "item.N1"),
        read_shared(shared or {}, "claims.toml"),
        {},
    )


def said(runs: Made, shared: dict[str, Any] | None = None, **table: Any) -> tuple[bool, str]:
    table = {"must": [{"value": "1", "at_most": 1}], **table}
    return claim(shared, **table)(cast(Runs, runs))


@pytest.mark.parametrize(
    ("selection", "text"),
    [
        ({"in": "DRR 2", "of": "3"}, "13.0"),
        ({"in": "DRR 2", "of": ["3"]}, "13.0"),
        ({"in": "DRR 2", "of": ["3", "4"]}, "3 13.0, 4 14.0"),
        ({"in": "DRR 2", "of": "BOTH"}, "1 11.0, 2 12.0"),
        ({"in": ["DRR 1", "RED 1"], "of": "3"}, "DRR 1 3.0, RED 1 23.0"),
        ({"in": {"first": "DRR 1", "last": "RED 2"}, "of": "3"}, "first 3.0, last 33.0"),
        ({"in": "DRR {}", "at": [1, 2], "of": "3"}, "1 3.0, 2 13.0"),
        ({"in": "DRR {}", "at": [1.0, 2.0], "of": "BOTH"}, "1 1.0, 2.0; 2 11.0, 12.0"),
        ({"in": "{s} {n}", "at": {"s": ["DRR", "RED"], "n": "BOTH"}, "of": "3"}, "DRR 3.0, 13.0; RED 23.0, 33.0"),
        ({"in": "DRR 1", "of": "3", "each": "start"}, "0 3.1, 1 3.2"),
        ({"in": "DRR 1", "of": "3", "each": "run"}, "0 3.0, 1 3.1, 2 3.2"),
        ({"in": "DRR 1", "of": "BOTH", "each": "run"}, "0 1.0, 2.0; 1 1.1, 2.1; 2 1.2, 2.2"),
        ({"in": "DRR 1", "of": "3", "each": "interval"}, "0 3.0, 1 4.0, 2 5.0, 3 6.0"),
    ],
)
def test_values_have_an_axis_for_each_list(selection: dict[str, Any], text: str) -> None:
    form = "{got:.1f}" if text == "13.0" else "{got as each:.1f}"
    shown = said(Made(), {"BOTH": ["1", "2"]}, report={"got": {"metric": "rate", **selection}}, text=form)[1]
    assert shown == text


def test_starts_are_those_with_a_random_phase_or_the_base_run_alone() -> None:
    report = {"got": {"metric": "rate", "in": "DRR 1", "of": "3", "each": "start"}}
    assert said(Made(0), report=report, text="{got:.1f}")[1] == "3.0"
    # Where the base run is the first of the starts it counts as one.
    assert said(Made(2, of_base=True), report=report, text="{got:.1f}")[1] == "3.0, 3.1"


def test_a_part_of_the_run_is_given_in_seconds() -> None:
    runs = Made()
    report = {"got": {"metric": "rate", "in": "DRR 1", "of": "3", "from": "1.5s"}}
    said(runs, report=report, text="{got:.1f}")
    said(runs, report={"got": {**report["got"], "from": "0s", "to": "400ms"}}, text="{got:.1f}")
    assert runs.spans == [(1.5, math.inf), (0.0, 0.4)]


#: Bounds on 1, 2 and 3 of which the first holds and the second just does not.
BOUNDS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"at_least": 1}, {"at_least": 1.001}),
    ({"at_most": 3}, {"at_most": 2.999}),
    ({"above": 0.999}, {"above": 1}),
    ({"below": 3.001}, {"below": 3}),
    ({"near": 2, "within": 1}, {"near": 2, "within": 0.999}),
    ({"near": [1, 2.2, 3], "within": "10 %"}, {"near": [1, 2.2, 3], "within": "9 %"}),
    ({"below": "2 * most(x) - 2"}, {"below": "2 * most(x) - 3"}),
    ({"at_least": [1, 2, 3], "at_most": [1, 2, 3]}, {"at_least": [1, 2, 3], "at_most": [1, 1, 3]}),
    ({"at_least": 3, "some": True}, {"above": 3, "some": True}),
    # One and the same place has to meet both bounds.
    ({"above": 1, "below": 3, "some": True}, {"above": 1, "below": 2, "some": True}),
]


@pytest.mark.parametrize(("good", "bad"), BOUNDS)
def test_bounds(good: dict[str, Any], bad: dict[str, Any]) -> None:
    shared = {"x": [1, 2, 3]}
    assert said(Made(), shared, must=[{"value": "x", **good}])[0]
    assert not said(Made(), shared, must=[{"value": "x", **bad}])[0]
    assert not said(Made(), shared, must=[{"value": "x", **good}, {"value": "x", **bad}])[0]


def test_a_bound_may_have_its_own_metric() -> None:
    must = [{"metric": "rate", "in": "DRR 2", "of": ["1", "2"], "at_least": 11, "at_most": 12}]
    assert said(Made(), must=must)[0]
    assert not said(Made(), must=[{**must[0], "in": "RED 1"}])[0]


def test_no_number_meets_no_bound() -> None:
    for bound in ({"at_least": -1}, {"below": 1e9}, {"near": 0, "within": 9}, {"near": 1, "within": "900 %"}):
        assert not said(Made(), {"x": [0, 1]}, must=[{"value": "x / x", **bound}])[0]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{x:.1f} s", "1.0, 2.5, -0.3 s"),
        ("{x[2]:.0f}", "-0"),
        ("{x:.0f}", "1, 2, 0"),
        ("{x as ends:+.1f}", "-0.3 to +2.5"),
        ("{100 * x[0]:.0f} %", "100 %"),
        ("{x > 0 as places} and {x > 9 as places}", "0, 1 and none"),
        ("{x > 0 as list} and {x > 9 as list}", "[0, 1] and none"),
        ("{x / 0:.0f}", "inf, inf, -inf"),
        ("{0 * x / 0:.0f}", "none, none, none"),
        ("{least(x):.3e} {least(x):g}", "-3.000e-01 -0.3"),
    ],
)
def test_texts(text: str, shown: str) -> None:
    assert said(Made(), {"x": [1, 2.5, -0.3]}, text=text) == (True, shown)


def test_what_does_not_hold_may_have_a_text_of_its_own() -> None:
    table = {"text": "everywhere", "fails": "not at {x > 1 as places}"}
    assert said(Made(), {"x": [1, 2]}, must=[{"value": "x", "at_most": 2}], **table) == (True, "everywhere")
    assert said(Made(), {"x": [1, 2]}, must=[{"value": "x", "at_most": 1}], **table) == (False, "not at 1")


LINE = 'must = [{ value = "spread(got)", at_most = 1.01 }]'

#: What is changed in the recipe's claims.toml, what is put there, and what the error says.
WRONG: list[tuple[str, str, str]] = [
    (LINE, "must = 5", "mypaper/claims.toml: two-sources.N1.must: found 5; expected a list"),
    (LINE, "must = [5]", "two-sources.N1.must[0]: found 5; expected a table"),
    (LINE, 'must = [{ value = "got" }]', "two-sources.N1.must[0]: expected `at_least`, `at_most`, `above`, `below` or `near`"),
    ("at_most", "atmost", "two-sources.N1.must[0].atmost: found an unknown key; expected one of metric, of, from, to"),
    ("at_most = 1.01", "at_most = true", "two-sources.N1.must[0].at_most: found True; expected a number"),
    ("at_most = 1.01", "near = 1", "two-sources.N1.must[0]: expected `near` and `within` together"),
    ("at_most = 1.01", 'near = 1, within = "5"', "found '5' for `within`; expected a number, or a share such as \"5 %\""),
    ("at_most = 1.01", "at_least = 2, at_most = 1", "found at_least 2 and at_most 1; expected the first to be no more"),
    ("spread(got)", "spraed(got)", "two-sources.N1.must[0].value: found 'spraed(got)'; expected one of mean, sum"),
    ("spread(got)", "spread(gott)", "two-sources.N1.must[0]: found the name gott; expected one of got. Did you mean"),
    ("spread(got)", "got['3']", "two-sources.N1.must[0]: found '3'; expected one of 1, 2"),
    ("{got:.2f}", "{gott:.2f}", "two-sources.N1.text: found the name gott"),
    ("{got:.2f}", "{got:.2x}", "two-sources.N1.text: found 'got:.2x'; expected a value and the form of its numbers"),
    ("report.got", "reprot.got", "two-sources.N1.reprot: found an unknown key; expected one of clause, report, must"),
    ('metric = "throughput"', 'metric = "thruput"', 'two-sources.N1.report.got: metric: found "thruput"; expected one of'),
    ('metric = "throughput"', 'matric = "throughput"', "two-sources.N1.report.got.matric: found an unknown key; expected"),
    ('metric = "throughput"', 'value = "1"', "two-sources.N1.report.got: expected no selection beside `value`"),
    ('in = "G/FQ", ', "", "two-sources.N1.report.got: expected `in` and `of` beside the metric throughput"),
    ('"G/FQ"', '"G/FC"', 'two-sources.N1.report.got: in: found "G/FC"; expected one of G/FCFS, G/FQ, window 2, window 8'),
    ('"G/FQ"', '"G/{}", at = "QUEUES"', "two-sources.N1.report.got.at: found 'QUEUES'; expected a list, or the name of one"),
    ('"G/FQ"', '"G/{a}", at = ["FQ"]', "two-sources.N1.report.got.in: found 'G/{a}'; expected a pattern for `at`"),
    ('"G/FQ"', "5", "two-sources.N1.report.got.in: found 5; expected a text or texts in a list"),
    ('["1", "2"]', '["1", "7"]', "two-sources.N1.report.got: source '7' of the paper is not one flow"),
    ('["1", "2"]', '["1"], from = "soon"', "two-sources.N1.report.got.from: found 'soon'"),
    ('["1", "2"]', '["1"], from = "2s", to = "1s"', "report.got: found from 2s to 1s; expected `from` before `to`"),
    ('["1", "2"]', '["1"], each = "seed"', "two-sources.N1.report.got.each: found 'seed'; expected"),
    ('"Both sources get the same throughput under FQ"', '""', "two-sources.N1.clause: found ''"),
    ("text =", "fails =", "two-sources.N1: expected `must` and `text` together"),
    ("[two-sources.N1]", "[shared]\na = true\n[two-sources.N1]", "shared.a: found true; expected a number"),
    ("[two-sources.N1]", "[shared]\na = {}\n[two-sources.N1]", "shared.a: expected either `metric` or `value`"),
    ("report.got = {", 'report.a = "b + got"\nreport.b = "a"\nreport.got = {', ""),
    (LINE, 'must = [{ value = "a", at_most = 1 }]\nreport.a = "b"\nreport.b = "a"', "found a value that follows from itself"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "part"), WRONG, ids=[w[2] or "unused" for w in WRONG])
def test_what_is_wrong_in_a_line_is_named(old: str, new: str, part: str, paper: Path, cli: Cli) -> None:
    change("claims.toml", old, new)(paper)
    done = cli("reproduce", "./mypaper", "--seeds", "0")
    message = " ".join(done.stderr.split())
    assert done.returncode == (2 if part else 0), message
    assert part in message
    assert "Traceback" not in message


def test_a_folder_needs_no_code_for_its_claims(paper: Path) -> None:
    (paper / "claims.py").unlink()
    (finding,) = headgate.reproduce(str(paper)).items[0].findings
    assert (finding.id, finding.holds, finding.measured) == ("N1", True, "5.00, 5.00 packets/s")
    # It looked at both sources, and with this line every number beside them names it.
    assert finding.about == {("G/FQ", "throughput", "1"), ("G/FQ", "throughput", "2")}


def test_a_measure_of_the_folders_code_is_a_metric_of_lines(paper: Path) -> None:
    code = """from headgate.papers.claims import Claims
CLAIMS = Claims(__file__)
@CLAIMS.measure("half")
def half(runs, variant, *sources):
    return runs.of(variant, "throughput", *sources) / 2
"""
    write("claims.py", code)(paper)
    change("claims.toml", '"throughput", in', '"half", in')(paper)
    (finding,) = headgate.reproduce(str(paper)).items[0].findings
    assert (finding.holds, finding.measured) == (True, "2.50, 2.50 packets/s")
