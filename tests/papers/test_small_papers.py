"""Parts of three papers that run fast: what they say, and that their predicates see runs that are not theirs."""

from __future__ import annotations

from dataclasses import replace

import pytest

import headgate
from headgate.papers import load_paper
from headgate.papers.arun2022.claims import COPA_QUEUE, LINE
from headgate.papers.build import build_scenario
from headgate.papers.formulas.starvation import shared_with_error
from headgate.papers.model import JUDGED
from headgate.papers.reproduction import ItemResult
from headgate.papers.runner import reproduce_items

SMALL = ("floyd1991", "kuzmanovic2003", "arun2022")


def result(paper: str, item: str, *variants: str) -> ItemResult:
    """An item without random starts; with some of its variants only, if they are named."""
    loaded = load_paper(paper)
    chosen = loaded.item(item)
    kept = tuple(v for v in chosen.variants if not variants or v.name in variants)
    return reproduce_items(loaded, [replace(chosen, variants=kept, seeds=0, starts=0, base="together")]).items[0]


def held(found: ItemResult) -> dict[str, bool | None]:
    return {f.id: f.holds for f in found.findings}


def test_the_winner_of_ns2s_tests_follows_the_phase() -> None:
    found = result("floyd1991", "simulator-tests")
    assert held(found) == {"N1": True, "N2": True, "N3": True}
    assert [f.trivial for f in found.findings] == [False, False, True]
    assert not any(f.wrong_pair for f in found.findings)


def test_noise_on_purpose_is_off() -> None:
    """The paper is about what happens without it: no scenario of the phase has any, and no pair brings it."""
    for name in ("simulator-tests", "round-trips"):
        item = load_paper("floyd1991").item(name)
        assert item.scenario is not None and "hosts" not in item.scenario
        assert not any("noise" in f for f in item.scenario["flows"])
        noisy = {v.name for v in item.variants if any("noise" in k for k in v.settings)}
        assert noisy == {v.name for v in item.variants if "noise" in v.name or v.name == "phase2"}


def test_numbers_that_follow_from_formulas() -> None:
    for paper in ("kuzmanovic2003", "arun2022"):
        numbers = {n.published.row: n.judgement.verdict for n in result(paper, "formulas").numbers}
        assert numbers.pop("many flows", "miss") == "miss"
        assert set(numbers.values()) == {"match"}


def test_equations_and_their_printed_cases() -> None:
    found = {f.id: (f.holds, f.measured.split()[0]) for f in result("kuzmanovic2003", "formulas").findings}
    assert found == {"E1": (True, "0.00000"), "E2": (False, "0.41")}


@pytest.mark.parametrize("variant, error", [("two", 1.0), ("two, 2 ms", 2.0)])
def test_copa_starves_by_its_error(variant: str, error: float) -> None:
    """The run beside the formula."""
    item = load_paper("arun2022").item("copa")
    got = headgate.Scenario.from_dict(build_scenario(item, item.variant(variant))).run().flows["goodput_bps"]
    assert list(got) == pytest.approx(list(shared_with_error(COPA_QUEUE, LINE, error / 1000)), rel=0.1)


@pytest.mark.parametrize("name", SMALL)
def test_no_number_is_from_memory(name: str) -> None:
    """These papers' numbers were read; what is known by memory alone stands in the notes, and is judged nowhere."""
    paper = load_paper(name)
    assert {n.mark for i in paper.items for n in i.numbers} <= {"STATED"} <= set(JUDGED)
    assert (sum(len(i.numbers) for i in paper.items) == 0) is (name == "floyd1991")
