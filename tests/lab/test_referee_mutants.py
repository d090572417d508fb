"""Mutants of our own controls: each changes what it says, and cases that name its rule notice it. All of them: `make referee-mutants`."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import headgate
from headgate import _core
from headgate.lab.referee.files import cases
from headgate.lab.referee.rules import RULES
from tests.referee_mutants.by_rules import THIRD
from tests.referee_mutants.by_words import SECOND
from tests.referee_mutants.mutants import MUTANTS, Mutant
from tests.referee_mutants.run import applies, judged, noticed
from tests.referee_mutants.shares import Found, nulls

#: Where the lists stand, and what was found of the second.
LISTED = Path(__file__).parents[1] / "referee_mutants"

#: Of a control in Python, of its timer, and of the engine's BBR; and the cases of which all that name the rule are to notice it.
CHOSEN = {
    "reno cuts for each packet": ("s-05",),
    "cubic counts time without use": ("s-28",),
    "bbr3 never measures the round trip": ("bbr-10",),
}

#: Cases that do not see the rule: there a mutant is as its original.
BLIND = {
    "reno cuts for each packet": ("s-01", "s-18"),
    "cubic counts time without use": ("s-21", "s-25"),
    "bbr3 never measures the round trip": ("bbr-03", "s-40"),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_cases_notice_a_mutant(name: str, tmp_path: Path) -> None:
    mutant = next(mutant for mutant in MUTANTS if mutant.name == name)
    chosen = [case for case in cases() if case.name in CHOSEN[name] + BLIND[name]]
    original, report = (judged(one, chosen, tmp_path, 1) for one in (mutant.original, mutant))
    assert all(applies(original, case) for case in chosen)
    assert all(entry.verdict not in ("fail", "invalid") for entry in original.entries)
    found = {case.name for case in chosen if noticed(report, original, case)}
    assert found == set(CHOSEN[name])
    assert all(mutant.rule in case.rules for case in chosen if case.name in found)


@pytest.mark.parametrize("mutant", [*MUTANTS, *SECOND], ids=lambda mutant: mutant.name)
def test_a_mutant_is_one_change(mutant: Mutant) -> None:
    """A replaced text stands once in the file, and the file is still one of Python; or there are other parameters."""
    if mutant.base.startswith("+"):
        assert mutant.table or mutant.transport
        return
    assert ast.dump(ast.parse(mutant.text())) != ast.dump(ast.parse(mutant.original.text()))


def test_there_are_many_and_of_all_rules() -> None:
    assert len(MUTANTS) >= 30 and len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    named = {rule for case in cases() for rule in case.rules}
    # A rule without a case is one that nobody tests.
    assert {mutant.rule for mutant in MUTANTS} <= named


def same(mutant: Mutant) -> Any:
    """What two mutants have in common if they are the same fault."""
    own = ast.dump(ast.parse(mutant.text())) if not mutant.base.startswith("+") else ""
    return mutant.base, own, json.dumps([mutant.table, mutant.transport], sort_keys=True)


def test_the_second_list_has_every_word_and_none_of_the_first() -> None:
    # Those that came later are of the third list.
    assert set(RULES) - {mutant.rule for mutant in SECOND} == {
        "cubic-convex", "cubic-limit", "cut-again", "mark-share", "timeout-threshold"
    }  # fmt: skip
    assert all(set(mutant.also) <= set(RULES) - {mutant.rule} for mutant in SECOND)
    both = [*MUTANTS, *SECOND]
    assert len({mutant.name for mutant in both}) == len({same(mutant) for mutant in both}) == len(both)
    assert all(mutant.size in ("gross", "subtle") for mutant in SECOND)
    assert all(mutant.why.endswith(".") for mutant in SECOND)


@pytest.mark.parametrize("mutant", [m for m in SECOND if m.base.startswith("+")], ids=lambda mutant: mutant.name)
def test_a_mutant_of_the_engine_is_a_scenario(mutant: Mutant, tmp_path: Path) -> None:
    """Its parameters and its transport are allowed, and are no others than the original's."""

    def checked(one: Mutant) -> dict[str, Any]:
        subject = one.subject(tmp_path)
        data = json.loads(headgate.quick.scenario("10Mbit/s", "40ms", "reno").to_json())
        data["flows"][0] |= {"control": subject.table, "transport": {"preset": "linux", **subject.transport}}
        flow: dict[str, Any] = json.loads(_core.check(json.dumps(data)))["flows"][0]
        return flow

    assert checked(mutant) != checked(mutant.original)


def test_shares_of_a_worked_example(tmp_path: Path) -> None:
    """Two mutants, three cases: of two pairs that name the rule one is noticed, and one of two others."""
    found = Found({"a": ["cut"], "b": ["growth"], "c": ["cut", "idle"]})
    found.add(Mutant("first", "reno", "cut", also=("growth",)), {"a": True, "b": True, "c": False})
    found.add(Mutant("second", "cubic", "idle"), {"a": False, "b": True})
    assert (found.naming(), found.further(), found.others()) == ([True, False], [True], [False, True])
    assert found.share() == 0.5 and found.naming(["second"]) == []
    of_cases, of_mutants = nulls(found, draws=200)
    # With its words at random a case has each of the three places; the mutants' words are either as they are or exchanged.
    assert 0.5 < sum(of_cases) / 200 < 0.75 and set(of_mutants) == {0.0, 0.5}
    found.write(tmp_path / "found.json")
    assert Found.read(tmp_path / "found.json") == found


@pytest.mark.parametrize(("name", "mutants"), [("second", SECOND), ("third", THIRD)])
def test_what_was_found_of_a_list(name: str, mutants: list[Mutant]) -> None:
    """The file has all of them as they are in the list, and the page says its share."""
    found = Found.read(LISTED / f"{name}.json")
    assert set(found.mutants) == {mutant.name for mutant in mutants}
    for mutant in mutants:
        one = found.mutants[mutant.name]
        assert (one["rule"], one["also"], one["base"], one["size"]) == (
            mutant.rule, list(mutant.also), mutant.base, mutant.size
        )  # fmt: skip
        assert set(one["noticed"]) <= set(found.rules)
    seen = found.everywhere().naming()
    page = " ".join((LISTED.parents[1] / "docs/how-to/referee.md").read_text().split())
    share = f"{sum(seen) / len(seen):.1%}".replace("%", " %")
    assert share in page and f"of {len(seen)}" in page and str(sum(seen)) in page


def test_the_page_says_what_was_found_of_the_third_list() -> None:
    found = Found.read(LISTED / "third.json")
    page = " ".join((LISTED.parents[1] / "docs/how-to/referee.md").read_text().split())
    by_size = {
        size: [m for m, one in found.mutants.items() if one["size"] == size] for size in ("gross", "subtle", "part")
    }
    for names in by_size.values():
        seen = found.naming(names)
        assert f"| {sum(seen)} of {len(seen)} | {sum(seen) / len(seen):.1%}".replace("%", " %") in page
    whole = found.everywhere()
    named = [name for name in whole.mutants if whole.naming([name])]
    assert f"{len(whole.mutants)} of the mutants" in page and f"{len(named)} of them" in page
    assert f"and {sum(any(whole.naming([name])) for name in named)} of these" in page
    assert f"{sum(map(bool, found.rules.values()))} of the {len(found.rules)} cases of flow controls" in page
    # The cases still name the rules that they named when the list was judged.
    assert found.rules == {case.name: case.rules for case in cases() if case.judges == "control"}
