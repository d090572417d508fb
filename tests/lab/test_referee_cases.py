"""The cases that come with headgate: each makes its scenarios, for all who run in them, and names what there is."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import Any

import pytest

from headgate import _core
from headgate.base.times import seconds
from headgate.lab.frame.subjects import BASELINES, NULLS, Judged
from headgate.lab.referee.build import scenario
from headgate.lab.referee.case import Case, label
from headgate.lab.referee.files import FOLDER, cases
from headgate.lab.referee.judge import by_name
from headgate.lab.referee.rules import RULES
from headgate.lab.referee.steps import run

#: Packets of 1500 bytes that the lines of all cells can carry in all runs of one subject, in the mean a million a second of one processor:
#: of a family, of all cases of controls, and of all of AQMs.
FAMILY, ALL = 120e6, 400e6

ALL_CASES = cases()
ids = [case.name for case in ALL_CASES]


def contestants(case: Case) -> list[Judged]:
    """Who runs in a case: the usual control or queue, the trivial ones, and the baselines with which it compares."""
    usual = "cubic" if case.judges == "control" else "codel"
    names = dict.fromkeys([usual, *(entry.baseline for entry in case.better_than)])
    return [*(by_name(name, case.judges) for name in names), *NULLS[case.judges]]


def resolved(case: Case, cell: dict[str, Any], subject: Judged) -> dict[str, Any]:
    """A scenario as headgate's check completes it."""
    made, _ = scenario(case, cell, subject)
    found: dict[str, Any] = json.loads(_core.check(made.to_json()))
    return found


def flow_names(flow: dict[str, Any]) -> list[str]:
    first, count = flow.get("first") or 1, flow.get("count")
    return [flow["name"]] if count is None else [flow["name"].replace("{i}", str(first + i)) for i in range(count)]


def test_every_rule_has_a_case() -> None:
    """A rule that no case names is one that nobody tests."""
    assert set(RULES) == {word for case in ALL_CASES for word in case.rules}
    for rule in RULES.values():
        assert all(text.endswith(".") for text in (rule.says, rule.broken)) and rule.source


def test_files() -> None:
    """Each is a file named as its case, in the folder of its family."""
    assert len(set(ids)) == len(ids) == len(list(FOLDER.glob("*/*.case"))) > 0
    for case in ALL_CASES:
        assert (FOLDER / case.family / f"{case.name}.case").exists()
        assert case.name == case.name.lower()


@pytest.mark.parametrize("case", ALL_CASES, ids=ids)
def test_words(case: Case) -> None:
    assert case.title.strip() and not case.title.endswith(".")
    assert case.source.strip()
    assert set(case.rules) <= set(RULES) and (not case.rules or case.judges == "control")
    assert len(case.rules) == len(set(case.rules))
    assert all(len(text) < 1000 for text in (case.title, case.source, case.note))


@pytest.mark.parametrize("case", ALL_CASES, ids=ids)
def test_scenarios(case: Case) -> None:
    """Of every cell for all who run in it."""
    if case.steps:
        # A control that is judged by steps has to answer at least, whatever it answers.
        run(case, {"kind": "reno"})
        return
    for cell in case.grid():
        for subject in contestants(case):
            assert resolved(case, cell, subject)["duration"] == case.duration or case.scenario, label(cell)


@pytest.mark.parametrize("case", [case for case in ALL_CASES if not case.steps], ids=lambda case: case.name)
def test_what_is_measured_exists(case: Case) -> None:
    """Flows of which something is measured, times within the run, cells that are named."""
    for cell in case.grid():
        data = resolved(case, cell, contestants(case)[0])
        names = [name for flow in data["flows"] for name in flow_names(flow)]
        end = seconds(data["duration"])
        assert all(seconds(event["at"]) <= end for event in data.get("events", []))
        for entry in case.measured():
            if not entry.applies(cell):
                continue
            wanted = entry.wanted()
            # `own`, unless it says of whom.
            first = wanted.of or ("" if case.judges == "aqm" else "own")
            whole_line = entry.metric.startswith(("backlog", "utilisation"))
            assert whole_line or any(name.startswith(first) for name in names), (label(cell), entry.metric, first)
            start = case.warm_up if entry.start is None else entry.start
            assert seconds(start) < (end if wanted.end is None else wanted.end) <= end
            # These are of the whole time, whatever a case says.
            assert not (entry.metric.startswith("queueing_p") and (entry.start or entry.end)), entry.metric


@pytest.mark.parametrize("case", ALL_CASES, ids=ids)
def test_each_cell_and_name_is_used(case: Case) -> None:
    """A cell in which nothing is expected is a waste, and so is an expectation without a cell."""
    cells = case.grid()
    assert len({json.dumps(cell, sort_keys=True) for cell in cells}) == len(cells)
    if case.steps:
        return
    for cell in cells:
        assert any(entry.applies(cell) for entry in [*case.must, *case.must_not, *case.better_than, *case.report])
    for entry in case.measured():
        assert any(entry.applies(cell) for cell in cells)
        for key, values in entry.when.items():
            assert set(map(str, values)) <= {str(cell.get(key)) for cell in cells}, key
    for entry in case.better_than:
        assert entry.baseline in BASELINES[case.judges]


@pytest.mark.parametrize("case", ALL_CASES, ids=ids)
def test_lines_of_ours_are_not_the_document_s(case: Case) -> None:
    """A line that is said to stand in a document needs one that is a document."""
    for bound in [*case.must, *case.must_not]:
        if bound.origin == "document":
            assert any(word in case.source for word in ("RFC", "draft")), case.source


def packets(case: Case) -> float:
    """What its lines can carry in all of its runs."""
    total = 0.0
    for cell in [] if case.steps else case.grid():
        _, place = scenario(case, cell, contestants(case)[0])
        total += place.capacity(0, place.duration) / 8 / 1500 * case.runs
    return total


def test_budget() -> None:
    """In closed form: rate, time, runs and cells."""
    family: dict[str, float] = defaultdict(float)
    kind: dict[str, float] = defaultdict(float)
    for case in ALL_CASES:
        own = packets(case)
        family[case.family] += own
        kind[case.judges] += own
        assert own <= 30e6, case.name
    assert all(total <= FAMILY for total in family.values()), dict(family)
    assert all(total <= ALL for total in kind.values()), dict(kind)


def test_budget_of_a_line_in_closed_form() -> None:
    """10 Mbit/s for 35 s, in four cells with five runs."""
    case = next(case for case in ALL_CASES if case.name == "r97-02")
    assert packets(case) == pytest.approx(10e6 * 35 / 8 / 1500 * 4 * 5)


def test_quick() -> None:
    """A part of each family, which is small."""
    chosen = [case for case in ALL_CASES if case.quick]
    counts = Counter(case.family for case in chosen)
    assert all(counts[family] <= 6 for family in counts)
    assert sum(packets(case) for case in chosen) <= 60e6
