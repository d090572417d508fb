"""The papers: what must come out, and that the forms for machines keep their shape."""

from __future__ import annotations

import json

import numpy as np
import pytest

import headgate
from headgate.papers import Reproduction, list_papers, load_paper
from headgate.papers.model import Published, Rule
from headgate.papers.runner import ItemResult
from headgate.papers.verdict import judge
from headgate.stats import Mean


@pytest.fixture(scope="module")
def demers() -> Reproduction:
    return headgate.reproduce("demers1989")


@pytest.fixture(scope="module")
def keshav() -> Reproduction:
    return headgate.reproduce("keshav1991")


def item(r: Reproduction, name: str) -> ItemResult:
    return next(i for i in r.items if i.item.name == name)


def verdicts(r: Reproduction, name: str, rows: str, sources: str, metrics: str) -> set[str]:
    return {
        n.verdict
        for n in item(r, name).numbers
        if n.published.row in rows.split()
        and n.published.source in sources.split()
        and n.published.metric in metrics.split()
    }


def test_a_range_wider_than_the_number_says_nothing() -> None:
    rule = Rule("chaotic", "range", "for the test")
    ours = Mean(3.0, 0.0, 7)

    def verdict(paper: float, *seeds: float) -> str:
        number = Published("table", "row", "1", "throughput", "pkt/s", paper, None, "STATED", 0.05)
        return judge(number, rule, ours, np.array(seeds), np.array(seeds)).verdict

    assert verdict(2.5, 2.0, 4.0) == "match"
    assert verdict(4.5, 2.0, 4.0) == "miss"
    assert verdict(2.5, 0.1, 4.0) == "not-reproduced"
    assert verdict(0.0, 0.0, 4.0) == "not-reproduced"


@pytest.mark.parametrize(
    ("name", "rows", "sources", "metrics"),
    [
        ("scenario-2", "DEC/DEC DEC/FQbit", "1 2 3 4 5 6", "throughput round_trip_time dropped retransmitted"),
        ("scenario-2", "G/FQ JK/FQ DEC/FQbit", "7 8", "round_trip_time"),
        ("scenario-3", "G/FQ JK/FQ", "1 3", "throughput round_trip_time"),
        ("scenario-4", "G+JK/FCFS", "1 2", "throughput round_trip_time"),
        ("scenario-5", "G/FCFS G/FQ JK/FCFS JK/FQ DEC/FQbit", "1 2 3 4", "throughput round_trip_time"),
    ],
)  # fmt: skip
def test_deterministic_numbers_of_1989(name: str, rows: str, sources: str, metrics: str, demers: Reproduction) -> None:
    assert verdicts(demers, name, rows, sources, metrics) == {"match"}


def test_the_base_run_meets_a_row_that_depends_on_phases(demers: Reproduction) -> None:
    row = [n for n in item(demers, "scenario-4").numbers if n.published.row == "G+JK/FCFS"]
    packets = [n for n in row if n.published.metric == "throughput"]
    assert [n.published.source for n in packets] == ["1", "2", "3", "4"]
    assert all(abs(n.ours.mean - (n.published.value or 0)) <= 2 for n in packets)


@pytest.mark.parametrize(
    ("name", "rows", "sources", "metrics"),
    [
        ("scenario-1", "G/FCFS G/FQ JK/FCFS JK/FQ DEC/DEC", "1 2 3 4", "throughput delay"),
        ("scenario-2", "DEC/DEC", "1 2 3 4 5 6 7 8", "throughput delay"),
        ("scenario-4", "G/FQ JK/FQ", "1 2 3", "throughput"),
        ("scenario-6", "G/FCFS JK/FCFS JK/FQ DEC/FQbit", "1 2 3 4", "throughput delay"),
    ],
)
def test_deterministic_numbers_of_1991(name: str, rows: str, sources: str, metrics: str, keshav: Reproduction) -> None:
    assert verdicts(keshav, name, rows, sources, metrics) == {"match"}


def test_claims_that_hold(demers: Reproduction, keshav: Reproduction) -> None:
    held = {f.id: f.holds for r in (demers, keshav) for i in r.items for f in i.findings}
    must = (
        "D1 D2 D3 D6 D7 D8 D9 D10 D11 D13 D14 D15 D17 D18 D18a D18b K1b K1c K2c K2e K2f K3b K3e K3f K4b K5b K6a K6b K6c"
    )
    assert [c for c in must.split() if not held[c]] == []


def test_what_is_not_there_is_never_passed(keshav: Reproduction, demers: Reproduction) -> None:
    for result in keshav.items:
        for n in result.numbers:
            if n.published.row.startswith("PP") or result.item.name in ("scenario-7", "scenario-8"):
                assert n.verdict == "not-reproduced"
    assert {f.holds for i in keshav.items for f in i.findings if f.id in ("K1d", "K2h", "K7", "K8")} == {None}
    # Numbers that are not the paper's own are never shown as the paper's.
    own = json.loads(demers.to_json())["items"]
    for n in [n for i in own if i["item"] in ("scenario-1", "scenario-6") for n in i["numbers"]]:
        assert n["paper"] is None
        assert n["verdict"] == "not-reproduced"


@pytest.mark.parametrize("name", list_papers())
def test_every_number_has_a_tolerance_and_a_metric(name: str) -> None:
    paper = load_paper(name)
    for i in paper.items:
        for n in i.numbers:
            assert paper.rule(i.name, n).reason
            assert n.metric in paper.metrics


def test_the_form_for_machines(demers: Reproduction) -> None:
    got = json.loads(demers.to_json())
    assert set(got) == {"paper", "items"}
    for i in got["items"]:
        assert set(i) == {"item", "numbers", "claims"}
        for n in i["numbers"]:
            assert set(n) == {"table", "row", "source", "metric", "unit", "paper", "ours", "ci95", "verdict"}
            assert n["verdict"] in ("match", "miss", "not-reproduced")
        for c in i["claims"]:
            assert set(c) == {"id", "text", "holds", "measured"}


def test_report(tmp_path: object) -> None:
    from pathlib import Path

    place = Path(str(tmp_path)) / "report"
    page = headgate.reproduce("keshav1991", "scenario-3", seeds=1).save_report(place)
    text = Path(page).read_text()
    assert text.count("<svg") == 3
    assert {p.suffix for p in place.iterdir()} == {".html", ".svg", ".png"}
    assert "K3e" in text
    assert "PP/FQ" in text
