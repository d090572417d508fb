"""Mutants of our own controls: each changes what it says, and cases that name its rule notice it. All of them: `make referee-mutants`."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from headgate.referee.files import cases
from tests.referee_mutants.mutants import FOLDER, MUTANTS, Mutant
from tests.referee_mutants.run import applies, judged, noticed

#: Of a control in Python, of its timer, and of the engine's BBR; and the cases of which all that name the rule are to notice it.
CHOSEN = {
    "reno cuts for each packet": ("s-04", "s-05", "s-06"),
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


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_is_one_change(mutant: Mutant) -> None:
    """A replaced text stands once in the file, and the file is still one of Python; or there are other parameters."""
    if mutant.base.startswith("+"):
        assert mutant.table or mutant.transport
        return
    text = (FOLDER / f"{mutant.base}.py").read_text()
    assert text.count(mutant.old) == 1
    assert ast.dump(ast.parse(text.replace(mutant.old, mutant.new))) != ast.dump(ast.parse(text))


def test_there_are_many_and_of_all_rules() -> None:
    assert len(MUTANTS) >= 30 and len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    named = {rule for case in cases() for rule in case.rules}
    # A rule without a case is one that nobody tests.
    assert {mutant.rule for mutant in MUTANTS} - named <= {"fast-retransmit", "window-limit"}
