"""Congested for user i (Keshav 1991, section 1.3): the measure, and its claims with a fault planted in each."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from typing import Any

import pytest

from headgate.analysis import congested, utility
from headgate.base.parallel import run_all
from headgate.papers import load_paper
from headgate.papers.build import build_scenario
from headgate.papers.claims import Runs
from headgate.papers.keshav1991.claims import CLAIMS
from headgate.papers.measure import Outcome


def test_a_user_who_tolerates_a_delay_does_not_mind_less() -> None:
    # Section 1.3: indifferent to delays below 0.1 s.
    user = [utility(0.2, delay, 0.1, tolerated=0.1) for delay in (0.05, 0.06, 0.15)]
    assert user[0] == user[1] == pytest.approx(0.02)
    assert user[2] == pytest.approx(0.02 - 0.9 * 0.05)
    assert [congested(*pair) for pair in itertools.pairwise(user)] == [False, True]


def test_only_more_than_the_tolerance_is_congestion() -> None:
    assert congested(1.0, 0.9)
    assert not congested(1.0, 1.0)
    assert not congested(0.9, 1.0)
    assert not congested(1.0, 0.9, tolerance=0.2)
    assert congested(-1.0, -1.3, tolerance=0.2)


@pytest.mark.parametrize(
    ("claim", "words", "fault"),
    [
        ("K1.1", "G/FCFS", {"links.slow.queue": {"kind": "fq", "buffer": "100pkt"}}),
        ("K1.2", "G/FCFS", {"links.slow.rate": "8Mbit/s"}),
        ("K1.3", "G/FQ", {"links.slow.queue": {"kind": "fcfs", "buffer": "100pkt"}}),
        # The load begins after the end.
        ("K1.4", "G/FQ", {"flows.load{i}.start": "10000s"}),
    ],
)
def test_the_claims_fail_when_the_mechanism_is_wrong(claim: str, words: str, fault: dict[str, Any]) -> None:
    paper = load_paper("keshav1991")
    item = paper.item("chapter-1")
    variants = [replace(v, settings={**v.settings, **(fault if words in v.name else {})}) for v in item.variants]
    outcomes = run_all([(json.dumps(build_scenario(item, v)), None, 0) for v in variants], lambda _, r: Outcome(r))
    (found,) = (c.test for c in CLAIMS.all if c.id == claim)
    base = {v.name: o for v, o in zip(variants, outcomes, strict=True)}
    holds, measured = found(Runs(paper, item, base, {}))
    assert not holds, measured
