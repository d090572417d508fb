"""Null models of claims: what fair shares and the runs of another pair would say of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from headgate.papers import load_paper
from headgate.papers.claims import Claim, Finding, Predicate, Runs, held
from headgate.papers.model import Item
from headgate.papers.nulls import with_nulls
from headgate.papers.reproduction import ItemResult, Reproduction
from headgate.papers.runner import reproduce_items
from headgate.papers.runs import run_all
from headgate.papers.terminal import print_item, print_reproduction, print_summary
from headgate.papers.whole.systems import systems


@pytest.fixture(scope="module")
def scenario_2() -> ItemResult:
    paper = load_paper("demers1989")
    item = replace(paper.item("scenario-2"), seeds=2, starts=0)
    return reproduce_items(paper, [item]).items[0]


#: Of scenario 2: G/FCFS lets few FTPs through, JK/FQ gives all of them the same.
FTPS = ("1", "2", "3", "4", "5", "6")


def packets(runs: Runs, pair: str) -> np.ndarray:
    return runs.of(pair, "throughput", *FTPS)


def says(result: ItemResult, test: Predicate, **given: Callable[[Runs], tuple[bool | None, bool | None]]) -> Finding:
    assert result.runs is not None
    claim = Claim("T1", result.item.name, "a claim", test, **given)
    holds, measured = test(result.runs)
    return with_nulls([Finding("T1", "a claim", holds, measured)], [claim], result.runs)[0]


def test_fair_shares_hold_what_is_fair_and_not_what_is_not(scenario_2: ItemResult) -> None:
    fair = says(scenario_2, lambda r: (bool(np.ptp(packets(r, "JK/FQ")) < 200), ""))
    assert fair.trivial is True
    unfair = says(scenario_2, lambda r: (bool(np.ptp(packets(r, "G/FCFS")) > 900), ""))
    assert (unfair.holds, unfair.trivial) == (True, False)
    # Six of eight sources share 3500 packets of 1000 bytes, but for what two Telnets of 40 bytes ask for.
    share = says(
        scenario_2, lambda r: (bool(np.allclose(packets(r, "G/FCFS"), (3500 - 2 * 100 * 0.04) / 6, rtol=1e-6)), "")
    )
    assert (share.holds, share.trivial) == (False, True)
    # A model has one value in all runs and all intervals.
    same = says(scenario_2, lambda r: (bool(np.ptp(r.over("G/FCFS", "throughput", "1")) == 0), ""))
    assert (same.holds, same.trivial) == (False, True)


def test_the_wrong_pair_has_the_runs_of_others(scenario_2: ItemResult) -> None:
    assert scenario_2.runs is not None
    names = list(scenario_2.runs.base)
    of = {n: {o.digest for o in [*scenario_2.runs.starts[n], scenario_2.runs.together[n]]} for n in names}
    own = says(scenario_2, lambda r: (r.digest("G/FCFS") in of["G/FCFS"], ""))
    assert (own.holds, own.wrong_pair) == (True, False)
    # Each of the circles gives every variant another's; so one of them gives the last one to the first.
    last = says(scenario_2, lambda r: (r.digest(names[0]) in of[names[-1]], ""))
    assert (last.holds, last.wrong_pair) == (False, True)
    # They are exchanged together: nobody has the runs of the same.
    both = says(scenario_2, lambda r: (r.digest(names[0]) == r.digest(names[1]), ""))
    assert both.wrong_pair is False


@pytest.mark.parametrize(
    ("test", "why"),
    [
        (lambda r: (True, "a formula"), "no run is looked at"),
        (lambda r: (bool(run_all([("{}", None, 0)], lambda _, x: x, ())), ""), "runs of its own"),
    ],
)
def test_what_looks_at_no_run_of_the_item_has_no_null(scenario_2: ItemResult, test: Predicate, why: str) -> None:
    assert scenario_2.runs is not None
    claim = Claim("T1", "scenario-2", "-", test)
    (found,) = with_nulls([Finding("T1", "-", True, "")], [claim], scenario_2.runs)
    assert (found.trivial, found.wrong_pair) == (None, None), why


def test_what_the_trivial_model_does_not_know_is_not_judged_by_it(scenario_2: ItemResult) -> None:
    def traced(runs: Runs) -> tuple[bool, str]:
        runs.of("JK/FQ", "throughput", "1")
        return len(runs._base("JK/FQ").table("flows")["flow"]) == 8, ""

    found = says(scenario_2, traced)
    assert found.trivial is None
    assert found.wrong_pair is True


def test_a_predicate_that_fails_with_the_runs_of_others_does_not_hold_for_them(scenario_2: ItemResult) -> None:
    assert scenario_2.runs is not None
    digest = scenario_2.runs.digest("G/FCFS")

    def fragile(runs: Runs) -> tuple[bool, str]:
        if runs.digest("G/FCFS") != digest:
            raise ZeroDivisionError
        return True, ""

    assert says(scenario_2, fragile).wrong_pair is False


def test_where_no_run_is_left_to_be_made_a_null_model_has_a_say(scenario_2: ItemResult) -> None:
    found = says(scenario_2, lambda r: (r.digest("G/FCFS") != "" and run_all([], lambda _, x: x, ()) == [], ""))
    assert (found.trivial, found.wrong_pair) == (True, True)


def test_a_paper_may_have_null_models_of_its_own(scenario_2: ItemResult) -> None:
    found = says(scenario_2, lambda r: (True, ""), nulls=lambda r: (False, True))
    assert (found.trivial, found.wrong_pair) == (False, True)


def test_the_claims_of_null_models_are_counted() -> None:
    def of(holds: bool | None, trivial: bool | None, wrong: bool | None) -> Finding:
        return Finding("x", "-", holds, "", frozenset(), trivial, wrong)

    found = held(
        [
            of(True, True, False),
            of(True, False, False),
            of(True, None, None),
            of(False, True, None),
            of(None, True, True),
        ]
    )
    assert found.to_dict() == {
        "decided": 4, "hold": 3, "trivial": 2, "trivial_of": 3, "wrong_pair": 0, "wrong_pair_of": 2, "only_ours": 1,
    }  # fmt: skip


def text_of(show: Callable[[Console], None]) -> str:
    out = StringIO()
    show(Console(file=out, width=300, color_system=None))
    return out.getvalue()


def test_claims_stand_beside_what_null_models_say(scenario_2: ItemResult) -> None:
    text = text_of(lambda c: print_item(scenario_2, c, details=False))
    heads = next(line for line in text.splitlines() if "wrong pair" in line and "measured" in line)
    assert "trivial" in heads
    row = next(line for line in text.splitlines() if re.search(r"D3\b", line))
    assert row.count("fails") == 2
    whole = Reproduction(load_paper("demers1989"), (scenario_2,))
    assert "hold for the trivial model" in text_of(lambda c: print_reproduction(whole, c))
    nulls = whole.to_dict()["claims_of_nulls"]
    assert nulls["decided"] == 8 and nulls["trivial"] < nulls["hold"] > nulls["wrong_pair"]


def test_sources_that_are_alike_show_the_value_of_the_same_rank(scenario_2: ItemResult) -> None:
    # Which of the FTPs get through G/FCFS is a matter of the start: ours of the same rank stands beside each number, with a sign.
    numbers = [
        n
        for n in scenario_2.numbers
        if (n.published.row, n.published.metric) == ("G/FCFS", "throughput") and n.published.source in FTPS
    ]
    paper = sorted(numbers, key=lambda n: n.published.value or 0.0)
    ranked = [n.same_rank for n in paper]
    assert None not in ranked
    assert ranked == sorted(n.ours.mean for n in numbers)
    assert ranked != [n.ours.mean for n in paper]
    # The range is that of the rank too, in all runs.
    assert [n.low for n in paper] == sorted(n.low for n in numbers)
    assert [n.high for n in paper] == sorted(n.high for n in numbers)
    for n in numbers:
        assert n.low <= (n.same_rank or 0.0) <= n.high
    text = text_of(lambda c: print_item(scenario_2, c, details=False))
    assert "§ of the same rank among sources that are alike" in text
    shown = text.split("throughput")[1]
    theirs, ours = (next(line for line in shown.splitlines() if f" {who} " in line) for who in ("paper", "ours"))
    cells = [line.split("│")[3:] for line in (theirs, ours)]
    for n in numbers:
        at = FTPS.index(n.published.source)
        assert cells[0][at].strip().startswith(f"{n.published.value:g}")
        assert cells[1][at].strip().startswith(f"{n.same_rank:g}"), cells


def test_no_table_has_printed_numbers_and_others() -> None:
    from headgate.papers.terminal import published_by, tables, title_of

    for name in ("demers1989", "keshav1991", "stoica1998", "hasegawa2001", "linux-tcp"):
        paper = load_paper(name)
        for item in paper.items:
            for group in tables([_Placed(item, k) for k in range(len(item.numbers))]):
                kinds = {n.published.printed for n in group}
                assert len(kinds) == 1
                assert (published_by(group) == "paper") == (kinds == {True})
                marks = {n.published.mark for n in group}
                assert kinds == {True} or any(mark in title_of(group) for mark in marks)


def few(name: str, *items: str) -> Reproduction:
    """Items of a paper over ten starts."""
    paper = load_paper(name)
    return reproduce_items(paper, [replace(paper.item(i), seeds=10, starts=0) for i in items])


def test_the_matrix_of_systems_counts_what_is_printed() -> None:
    # All numbers of scenario 5 are of another copy of the paper; its claims are about the same pairs.
    found = systems([few("demers1989", "scenario-5")], "queue")
    counts = [c for row in found.values() for c in row.values()]
    assert counts and sum(c.tested + c.match for c in counts) == 0
    assert sum(c.decided for c in counts) > 0


class _Placed:
    def __init__(self, item: Item, number: int) -> None:
        self.published = item.numbers[number]


def test_all_claims_of_a_chapter_without_runs_are_open_to_null_models() -> None:
    found = few("keshav1991", "scenario-6").nulls
    assert found.trivial_of <= found.decided and found.wrong_pair_of <= found.decided


def test_the_counts_of_verdicts_keep_printed_numbers_and_others_apart() -> None:
    found = few("demers1989", "scenario-4", "scenario-5")
    assert sum(found.counts().values()) == 32 and sum(found.counts_of_others().values()) == 48
    text = " ".join(text_of(lambda c: print_summary(found, c)).split())
    assert (
        "numbers that the paper prints: 10 match, 10 miss, 9 some run, 3 undecided numbers that it does not print: 43 match, 5 miss"
        in text
    )
