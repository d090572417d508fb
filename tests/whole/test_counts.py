"""Numbers in sentences agree with the words beside them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import headgate
from headgate.base.counts import counted, listed, verb

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
    ("explore/replays/run.py", "packets"): "more than are kept",
    ("explore/story.py", "packets"): "a window with a digit after the point",
    ("lab/attacks/sentences.py", "runs"): "of several seeds",
    ("lab/conformance/disciplines.py", "packets"): "a rate",
    ("lab/conformance/controls.py", "packets"): "a rate",
    ("papers/shelf/answers.py", "cells"): "a table of a paper",
    ("lab/attacks/outputs.py", "candidates"): "a rate",
    ("comparison/points.py", "runs"): "the whole, of which some",
    ("explore/story.py", "round trips"): "a duration over that of a round trip",
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
