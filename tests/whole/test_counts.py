"""Numbers in sentences agree with the words beside them."""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headgate
from headgate import _core
from headgate.base.counts import counted, listed, verb
from headgate.base.units import percent, rate_text, scale_of, time_text

ROOT = Path(headgate.__file__).parent

#: What is counted in texts.
NOUNS = (
    "runs|flows|packets|ports|variants|cells|cases|transfers|candidates|strategies|starts|events|replications|captures|subjects|"
    "round trips|comparisons|pairs|losses|drops|points|axes|seeds|tests|other flows|other ports|other runs"
)

#: Places where there are always several, or where the number is no count, with the reason: files and the text after the number.
SEVERAL = {
    ("plots/shares.py", "flows"): "a group of one has its own label",
    ("plots/study_axes.py", "points"): "an axis that is left to choose has several",
    ("plots/build.py", "replications"): "beside an interval, which one does not have",
    ("checks/phase.py", "flows"): "some of these flows, with the verb of several",
    ("cli/tables/run.py", "replications"): "only if there are several",
    ("cli/tables/run.py", "flows"): "those listed and those of tables that are too long",
    ("cli/tables/run.py", "other ports"): "one is named",
    ("cli/tables/replay.py", "flows"): "of more flows than are listed",
    ("lab/conformance/report.py", "tests"): "there are dozens",
    ("cli/commands/bdp.py", "packets"): "a quotient, with a digit after the point where it is small",
    ("cli/commands/bdp.py", "round trips"): "a time over that of a round trip",
    ("cli/studies.py", "runs"): "a rate: runs/s",
    ("cli/terminal.py", "runs"): "the whole, of which some",
    ("cli/terminal.py", "packets"): "a progress bar with millions",
    ("results/results.py", "runs"): "runs that are equal are several",
    ("results/results.py", "replications"): "only if there are several",
    ("results/sentences.py", "packets"): "a mean with a digit after the point, or those of a flow",
    ("replays/run.py", "packets"): "a place within a capture: after 1 packets cannot be, since the check is after 4096",
    ("explore/compare.py", "seeds"): "only if there are several",
    ("explore/compare.py", "runs"): "only if there are several",
    ("lab/attacks/sentences.py", "runs"): "of several seeds",
    ("lab/conformance/disciplines.py", "packets"): "a rate",
    ("papers/shelf/answers.py", "cells"): "a table of a paper",
    ("lab/attacks/outputs.py", "candidates"): "a rate",
    ("comparison/points.py", "runs"): "the whole, of which some",
    ("replays/notes.py", "flows"): "after a word",
    ("replays/gaps.py", "packets"): "the whole, of which some, or only if there are several",
    ("replays/notes.py", "captures"): "only if there are several",
    ("quick/sweeping.py", "flows"): "only if there are several",
}


def templates(path: Path) -> list[str]:
    """The texts of a file with {} for what is put in; those of errors, whose numbers are limits, are left out."""
    tree = ast.parse(path.read_text("utf-8"))
    errors = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise)
        or (isinstance(node, ast.Call) and re.search("Error|error$", ast.unparse(node.func)))
        for inner in ast.walk(node)
    }
    return [
        "".join(str(v.value) if isinstance(v, ast.Constant) else "{}" for v in node.values)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr) and id(node) not in errors
    ]


@pytest.mark.parametrize(
    "path", sorted(p for p in ROOT.rglob("*.py") if "papers" not in p.parts), ids=lambda p: str(p.relative_to(ROOT))
)
def test_no_template_has_a_number_before_a_fixed_plural(path: Path) -> None:
    name = path.relative_to(ROOT).as_posix()
    found = [
        (noun, text)
        for text in templates(path)
        for noun in re.findall(rf"\{{\}} ({NOUNS})\b", text)
        if (name, noun) not in SEVERAL
    ]
    assert found == [], "use headgate.base.counts.counted"


def test_forms() -> None:
    assert [counted(n, "run") for n in (0, 1, 2)] == ["0 runs", "1 run", "2 runs"]
    assert [f"{counted(n, 'flow')} {verb(n, 'shares', 'share')}" for n in (1, 2)] == ["1 flow shares", "2 flows share"]
    assert listed(["a", "b"]) == "a and b" and listed(list("abcde")) == "a, b, c and 2 others"


#: The units in which rates and times are told: the first one that gives at least 1, or the last one.
RATES = [(1e-9, "Gbit/s"), (1e-6, "Mbit/s"), (1e-3, "kbit/s"), (1.0, "bit/s")]
TIMES = [(1.0, "s"), (1e3, "ms"), (1e6, "µs")]


def in_units(value: float, units: list[tuple[float, str]], bare: str) -> str:
    """A value with three digits, by Python's own formats."""
    value = float(f"{value:.3g}")
    known = math.isfinite(value) and value != 0
    factor, unit = next((c for c in units if abs(value) * c[0] >= 1), units[-1]) if known else (1.0, bare)
    return f"{value * factor:.3g} {unit}"


NUMBERS = st.floats() | st.floats(0, 1) | st.floats(0, 1e12) | st.integers(-(10**6), 10**6).map(lambda n: n / 1024)


@given(NUMBERS)
def test_numbers_are_told_with_the_digits_of_python_s_formats(x: float) -> None:
    assert rate_text(x) == in_units(x, RATES, "bit/s")
    assert time_text(x) == ("less than 1 µs" if 0 < x < 1e-6 else in_units(x, TIMES, "s"))
    assert percent(x) == (f"{100 * x:.1f} %".replace(".0 %", " %") if x >= 0.0005 else "less than 0.1 %")


@given(st.integers(0, 2**64 - 1) | st.integers(0, 10**14))
def test_whole_numbers_are_told_with_the_digits_of_python_s_formats(n: int) -> None:
    assert counted(n, "run", commas=True) == f"{n:,} {verb(n, 'run', 'runs')}"
    size, unit = (1e12, "s") if n >= 10**10 else (1e9, "ms") if n >= 10**9 else (1e6, "us")
    assert _core.ps_text(n) == f"{n / size:.3g} {unit}"


@given(st.lists(st.floats()))
def test_the_scale_is_that_of_the_largest_value(values: list[float]) -> None:
    most = max((abs(v) for v in values if math.isfinite(v)), default=0)
    due = next((c for c in TIMES if most * c[0] >= 1), TIMES[-1]) if most else (1.0, "s")
    assert scale_of("s", values) == due
    assert scale_of("pkt", values) == (1.0, "pkt")
