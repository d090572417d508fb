"""The third list of mutants: each is one fault that no other list has, and runs."""

from __future__ import annotations

import ast
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import headgate
from headgate import _core
from headgate.lab.referee.rules import RULES
from tests.referee_mutants.by_rules import THIRD
from tests.referee_mutants.by_words import SECOND
from tests.referee_mutants.making import GROSS, PART, SUBTLE
from tests.referee_mutants.mutants import MUTANTS, Mutant


def fault(mutant: Mutant) -> Any:
    """What two mutants have in common if they are the same fault."""
    own = ast.dump(ast.parse(mutant.text())) if not mutant.base.startswith("+") else ""
    return mutant.base, own, json.dumps([mutant.table, mutant.transport], sort_keys=True)


def scenario(mutant: Mutant, folder: Path, transport: dict[str, Any] | None = None) -> dict[str, Any]:
    """Twelve seconds of it alone on a line that loses a packet in a hundred."""
    subject = mutant.subject(folder)
    data: dict[str, Any] = json.loads(
        headgate.quick.scenario("10Mbit/s", "40ms", "reno", duration="12s", loss="1%").to_json()
    )
    data["flows"][0] |= {"control": subject.table, "transport": {**(transport or {}), **subject.transport}}
    return data | ({"plugins": list(subject.plugins)} if subject.plugins else {})


def test_it_has_at_least_two_of_each_word_without_those_in_part() -> None:
    whole = [mutant for mutant in THIRD if mutant.size != PART]
    words = Counter(mutant.rule for mutant in whole)
    assert len(whole) >= 100 and set(words) == set(RULES) and min(words.values()) >= 2
    assert all(mutant.size in (GROSS, SUBTLE, PART) and mutant.why.endswith(".") for mutant in THIRD)
    assert all(set(mutant.also) <= set(RULES) - {mutant.rule} for mutant in THIRD)


def test_no_fault_and_no_name_is_there_twice() -> None:
    every = [*MUTANTS, *SECOND, *THIRD]
    assert len({mutant.name for mutant in every}) == len({fault(mutant) for mutant in every}) == len(every)


@pytest.mark.slow
@pytest.mark.parametrize("mutant", THIRD, ids=lambda mutant: mutant.name)
def test_a_mutant_differs_from_its_original_and_runs(mutant: Mutant, tmp_path: Path) -> None:
    assert fault(mutant) != fault(mutant.original)
    data = scenario(mutant, tmp_path, {"preset": "linux"} if mutant.base.startswith("+") else None)
    if mutant.base.startswith("+"):
        checked, original = (
            json.loads(_core.check(json.dumps(scenario(one, tmp_path, {"preset": "linux"}))))["flows"][0]
            for one in (mutant, mutant.original)
        )
        assert checked != original
    assert headgate.Scenario(data).run(seed=1).flow_summaries()[0].sent > 0
