"""Chapter 3 of Keshav 1991: what the four structures cost, tables 3.1 and 3.2."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headgate import _core
from headgate.papers import Reproduction, load_paper, write_report
from headgate.papers.build import build_scenario
from headgate.papers.keshav1991.chapter3.costs import STRUCTURES, Costs
from headgate.papers.keshav1991.chapter3.growth import costs as costs_at
from headgate.papers.keshav1991.chapter3.growth import growth, law
from headgate.papers.runner import reproduce_items

from ..conftest import dumbbell


@pytest.fixture(scope="module")
def chapter_3() -> Reproduction:
    """Few points, few sizes, no instruction counts."""
    paper = load_paper("keshav1991")
    axes = {
        "A": ((2, 80), (4, 160), (10, 400)),
        "B": ((4, 40), (10, 100), (20, 200)),
        "C": ((10, 100), (10, 200), (10, 400)),
        "D": ((2, 200), (10, 200), (20, 200)),
        "E": ((2, 400), (10, 240), (20, 40)),
    }
    names = {f"{s} N={n} B={b}" for s in STRUCTURES for points in axes.values() for n, b in points}
    item = paper.item("chapter-3")
    short = replace(item, axes=axes, variants=tuple(v for v in item.variants if v.name in names))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("headgate.papers.keshav1991.chapter3.tables.growth", lambda: growth((16, 32, 64)))
        return reproduce_items(paper, [short])


@pytest.mark.slow
def test_the_structures_of_chapter_3(chapter_3: Reproduction) -> None:
    held = {f.id: f.holds for f in chapter_3.items[0].findings}
    assert [c for c in ["K3.0", "F3.1", "K3.2b", "K3.4", "K3.6", "K3.7a", "K3.8", "K3.10"] if not held[c]] == []
    # What the thesis says and our scenario does not show is shown as such.
    assert {held[c] for c in ("F3.3", "K3.3b", "K3.9")} == {False}


def test_recorded_calls_cost_what_the_run_counted(chapter_3: Reproduction) -> None:
    item = chapter_3.items[0]
    assert item.runs is not None
    costs, point = Costs(item.runs), (20, 200)
    scenario = json.dumps(build_scenario(item.item, item.item.variant(costs.variant("HEAP", point))))
    calls = _core.Calls.record(scenario, "trunk")
    for s in STRUCTURES:
        (inserts, operations, most), (gets, got, _) = calls.replay(s.lower(), 1)
        assert inserts == costs.last(s, point, "inserts")
        assert operations == costs.last(s, point, "insert_operations")
        assert most == costs.maximum(s, point)
        assert (gets, got) == (costs.last(s, point, "gets"), costs.last(s, point, "get_operations"))


def test_growth_laws_of_table_3_1() -> None:
    sizes = (16, 64, 256)

    def of(structure: str, order: str, full: bool = False) -> str:
        mean, _ = costs_at(structure, order, full, sizes)
        return law(np.array(sizes, dtype=float), mean)

    assert [of("LINK", o) for o in ("random", "rising", "falling")] == ["n", "constant", "n"]
    assert [of("TREE", o) for o in ("random", "rising", "falling")] == ["log n", "n", "n"]
    for heaps in ("HEAP", "PERC"):
        assert [of(heaps, o) for o in ("random", "rising", "falling")] == ["constant", "log n", "log n"]
        assert of(heaps, "random", full=True) == "log n"


def test_the_numbers_of_chapter_3(chapter_3: Reproduction) -> None:
    verdicts = {
        (n.published.row, n.published.metric, n.published.source): n.verdict for n in chapter_3.items[0].numbers
    }
    orders = {k: v for k, v in verdicts.items() if k[1] == "insertion"}
    # A heap's best insertion costs about the same whatever its size; all other orders are those of table 3.1.
    assert {(row, case) for (row, _, case), v in orders.items() if v != "match"} <= {("HEAP", "best"), ("PERC", "best")}
    assert len(orders) == 12
    # LINK's code is 1 by definition; that of the heaps is of another language and compiler.
    sizes = {row: v for (row, metric, _), v in verdicts.items() if metric == "code_size"}
    assert sizes == {"LINK": "not-tested", "TREE": "match", "HEAP": "miss", "PERC": "miss"}
    # Instructions were not asked for, and none of the verdicts depends on that.
    assert {v for (_, metric, _), v in verdicts.items() if metric == "instructions"} == {"not-tested"}


@pytest.mark.slow
def test_times_are_kept_apart_from_counts(chapter_3: Reproduction, tmp_path: Path) -> None:
    sections = json.loads(chapter_3.to_json())["items"][0]["sections"]
    assert [s["measured"] for s in sections] == [False] * 4 + [True] * 3
    assert "not counted" in json.dumps(sections)
    assert all(len(row) == len(s["headings"]) for s in sections for row in s["rows"])
    text = write_report(chapter_3, tmp_path / "report").read_text()
    assert text.count("<svg") == 8
    assert "table 3.1" in text


def test_only_the_calls_of_a_bounded_heap_are_recorded() -> None:
    with pytest.raises(_core.ScenarioError, match="largest_bid"):
        _core.Calls.record(json.dumps(dumbbell({"kind": "fq"})), "slow")
    with pytest.raises(_core.ScenarioError, match="`slow`"):
        _core.Calls.record(json.dumps(dumbbell()), "slaw")
    with pytest.raises(KeyError, match="perc"):
        _core.Calls.made_up("random", 1, 1).replay("pile", 1)
