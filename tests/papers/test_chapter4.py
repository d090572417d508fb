"""Chapter 4 of Keshav 1991: lemmas, formulas and table 4.1 against the simulator."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import headgate
from headgate.papers import Reproduction, write_report
from headgate.papers.claims import Runs
from headgate.papers.formulas.netblt import netblt_rounds, netblt_step
from headgate.papers.formulas.packet_pair import burst_size, chain_departures, proposition_2_loss, skipped_slots
from headgate.papers.keshav1991.chapter4 import chains, checks, strawman
from headgate.papers.keshav1991.chapter4.server import INSTANT, Server, read_port
from headgate.papers.keshav1991.chapter4.transients import CHANGES, RULES, corrections, prediction, reaction
from headgate.papers.keshav1991.data import rows
from headgate.papers.load import load_paper
from headgate.papers.model import PaperError


@pytest.fixture(scope="module")
def chapter_4() -> Reproduction:
    return headgate.reproduce("keshav1991", "chapter-4")


@pytest.fixture(scope="module")
def runs(chapter_4: Reproduction) -> Runs:
    found = chapter_4.items[0].runs
    assert found is not None
    return found


@pytest.mark.slow
def test_every_claim_holds(chapter_4: Reproduction) -> None:
    findings = chapter_4.items[0].findings
    assert len(findings) == 18
    assert {f.id: f.measured for f in findings if not f.holds} == {}


def test_the_numbers_of_table_4_1(chapter_4: Reproduction) -> None:
    of = {(n.published.row, n.published.metric): n for n in chapter_4.items[0].numbers}
    for name in ("R up, upstream", "R down, upstream", "mu up", "mu down"):
        due = prediction(CHANGES[name]).printed
        assert of[name, "recovery"].published.value == pytest.approx(due, abs=0.005)
    assert of["proposition 2", "lost_bandwidth"].published.value == proposition_2_loss(1.0, 1.4, 0.1, 0.4)
    missed = {k for k, n in of.items() if n.verdict == "miss"}
    # The printed times ignore that the news waits in the queue and that a skipped slot counts two packets; the bubble is a bound.
    late = {("R up, upstream", "recovery"), ("R down, upstream", "recovery"), ("mu down", "recovery")}
    assert missed == late | {("proposition 2", "lost_bandwidth")}
    # A model in which nothing is ever lost meets the table as well, and the table says so.
    printed, evaluated = chapter_4.items[0].tables["table 4.1"]
    assert printed.says_nothing and evaluated.tested == 6


def test_a_server_is_read_from_the_trace_of_its_backlog() -> None:
    # Arrivals at 0, 0, 0.1 (as the first service ends), 0.15 refused, 0.5; an event at 0.5 that comes after the arrival.
    times = np.array([0.0, 0.0, 0.1, 0.1, 0.15, 0.2, 0.5, 0.5])
    backlog = np.array([0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    at = read_port(times, backlog, [(0.0, 0.1), (0.45, 0.3)], [0.5])
    assert at.arrivals.tolist() == [0.0, 0.0, 0.1, 0.5]
    assert at.starts.tolist() == [0.0, 0.1, 0.2, 0.5]
    assert np.allclose(at.ends, [0.1, 0.2, 0.3, 0.8])
    assert np.allclose(at.waits, [0.0, 0.1, 0.1, 0.0])
    assert np.allclose(at.idle(0.0, 1.0), [(0.3, 0.5), (0.8, 1.0)])
    assert (at.band(0.0, 0.3), at.band(0.3, 0.5), at.band(0.35, 1.0)) == ((1, 2), (0, 0), (0, 1))
    assert at.lost(0.0, 0.8, 0.1) == pytest.approx(2.0)
    assert at.busy_again(0.25, 0.8) == pytest.approx(0.25)


def test_recovery_is_when_the_queue_is_back_for_good() -> None:
    # One packet of 0.1 s every 0.1 s, then four at once at 1 s: inside from 0 or 1 to 5 and back to at most 2, a packet more than before.
    arrivals = np.concatenate((np.arange(0, 1, 0.2), np.full(4, 1.0), np.arange(1.6, 4, 0.2)))
    served = np.array(chain_departures(arrivals.tolist(), [0.1])[0])
    server = Server(arrivals, served - 0.1, served)
    assert server.band(0.0, 1.0) == (0, 1)
    assert server.settled(0.99, 3.9, before=0.9) == pytest.approx(1.2 - 0.99)
    assert server.settled(2.0, 3.9, before=0.9) == 0.0
    assert server.settled(0.99, 1.15, before=0.1) == np.inf


def test_a_chain_that_is_off_is_found() -> None:
    """The lemmas are checked against the measured times: a server that took longer than it said fails them."""
    good = chains.pass_through([chains.Chain((2, 5, 3), 1.0, 6)])[0]
    assert not any(c.failed for c in chains.check([good]).values())
    slower = chains.Passage(chains.Chain((2, 4, 3), 1.0, 6), good.servers, good.acknowledged)
    failed = {name for name, c in chains.check([slower]).items() if c.failed}
    assert {"recursion", "Lemma 1", "Lemma 5", "Lemma 6"} <= failed


def test_the_vectors_and_worked_values_come_out(runs: Runs) -> None:
    for row in checks.vectors().rows:
        for cell in row[4:]:
            if " / " in cell:
                expected, found = map(float, cell.split(" / "))
                assert found == pytest.approx(expected, abs=1e-6), row
    for row in checks.formulas(runs).rows:
        # The sheet has the printed form of the buffers.
        ours = row[4] if row[0].startswith("buffer") else row[3]
        assert float(ours) == pytest.approx(float(row[2])), row


def test_the_rules_react_as_worked_out(runs: Runs) -> None:
    """The bench's corrections, exact in size: those of the sheet."""
    expected = {
        "R up, upstream, queue_echo": [4],
        "R down, upstream, queue_echo": [-1, -1],
        "R up, downstream, first_probe": [-4, 8],
        "R up, downstream, queue_echo": [-4, 12],
        "R down, downstream, queue_echo": [-2],
        "mu up, first_probe": [2],
        "mu down, queue_echo": [-2],
    }
    for variant, sizes in expected.items():
        assert [n for _, n in corrections(runs, variant)] == sizes, variant
    # A rule that does not see the change does nothing, forever; as printed one correction brings the next.
    for rule in ("as_printed", "first_probe", "least"):
        assert corrections(runs, f"R up, upstream, {rule}") == ()
        assert reaction(runs, f"R up, upstream, {rule}").settled == np.inf
    for change in ("mu up", "mu down"):
        assert len(corrections(runs, f"{change}, as_printed")) > 2
        assert reaction(runs, f"{change}, as_printed").lost_bandwidth > 0
    for change in CHANGES:
        for rule in RULES:
            assert reaction(runs, f"{change}, {rule}").lost_packets == 0


def test_depths_a_rounding_error_apart_are_corrected_by_whole_packets() -> None:
    assert (10 - 0.6 / 0.1) / 2 > 2
    assert skipped_slots(10, 0.6 / 0.1) == 2
    assert 1.4 / 0.1 - 10 < 4
    assert burst_size(10, 1.4 / 0.1) == 4


def test_the_fluid_gives_the_values_of_the_sheet() -> None:
    for row in rows("ch4_netblt_checks"):
        before, after, decrease, increase = (float(row[k]) for k in ("mu_before", "mu_after", "alpha", "beta"))
        queue = netblt_step(before, after, 400, decrease=decrease, increase=increase).queue
        names = ("queue_after_21_rtt", "queue_after_101_rtt", "queue_after_400_rtt")
        for n, name in zip((21, 101, 400), names, strict=True):
            assert queue[n - 1] == pytest.approx(float(row[name]), abs=1e-3)
        assert netblt_rounds(before, after, decrease=decrease, increase=increase) == int(row["rtts_to_reach_new_rate"])
    assert strawman.fluid((20, 10)).rounds == 7


def test_each_pair_of_a_crossing_is_a_variant() -> None:
    item = load_paper("keshav1991").item("chapter-4")
    assert not any(v.seeds for v in item.variants)
    assert item.variant("mu up, least").controls["*"]["round_trip"] == "least"
    with pytest.raises(PaperError, match='there is no variant "mu up, last"'):
        item.variant("mu up, last")


@pytest.mark.slow
def test_the_report_has_the_tables_and_figures(chapter_4: Reproduction, tmp_path: Path) -> None:
    item = json.loads(chapter_4.to_json())["items"][0]
    assert [s["title"].split(":")[0].split(" (")[0] for s in item["sections"]][3:5] == ["table 4.1", "the bench"]
    assert all(len(row) == len(s["headings"]) for s in item["sections"] for row in s["rows"])
    write_report(chapter_4, tmp_path / "report")
    names = {p.stem.removeprefix("keshav1991-") for p in (tmp_path / "report").glob("*.svg")}
    assert names == {"4.1", "4.2", "transients", "strawman"}


def test_the_same_chains_every_time() -> None:
    assert chains.random_chains(8)[3].chain == chains.random_chains(9)[3].chain
    assert all((p.servers[0].waits >= -INSTANT).all() for p in chains.random_chains(8))
