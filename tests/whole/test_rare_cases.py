"""What is shown, counted or said in rare cases: each a fault of tests/planted/faults.toml that no other test noticed."""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import headgate
from headgate import PluginError, Scenario, _core, plugins
from headgate.base.documents import loads
from headgate.base.errors import HeadgateError
from headgate.base.toml import file_text
from headgate.comparison.values import Cube
from headgate.explore.packets import AtPort
from headgate.explore.replays.run import replayed
from headgate.explore.replays.trace import Trace
from headgate.explore.subject import subject_of
from headgate.exports.files import require
from headgate.exports.timeline import TimelineWriter
from headgate.lab.attacks import outputs
from headgate.lab.matrix.measures import _group
from headgate.papers.whole import terminal as tables
from headgate.papers.whole.page import bar
from headgate.papers.whole.summary import Counts, Summary
from headgate.plugins.calls import last_line
from headgate.quick.lists import buffer_of
from headgate.replays.options import disciplines

from ..conftest import Cli
from ..explorer import Page
from ..explorer import page as page
from ..own_plugins import GET, control, data, put, queue


def test_the_line_of_a_failure_is_that_of_the_plugin_and_not_of_what_it_called(tmp_path: Path) -> None:
    there, mine = str(tmp_path / "there.py"), str(tmp_path / "mine.py")
    names: dict[str, Any] = {}
    exec(compile("\n" * 8 + "def fails():\n    raise ValueError('no')\n", there, "exec"), names)
    exec(compile("def call():\n    x = 1\n    fails()\n", mine, "exec"), names)
    with pytest.raises(ValueError, match="no") as e:
        names["call"]()
    # The last frame is line 10 of the other file.
    assert traceback.extract_tb(e.value.__traceback__)[-1].lineno == 10
    assert last_line(e.value, mine) == ", line 3"
    assert last_line(e.value, str(tmp_path / "neither.py")) == ""


def test_the_error_of_an_exception_without_a_text_is_its_name(tmp_path: Path) -> None:
    plugins.load(put(tmp_path, control("        raise ValueError")))
    with pytest.raises(PluginError) as e:
        Scenario(data(control="own")).run(seed=1)
    assert "ValueError" in str(e.value)
    assert "ValueError:" not in str(e.value)


def test_a_discipline_that_drops_what_arrives_holds_as_much_as_before(tmp_path: Path) -> None:
    # The packet that arrives does not wait yet, so that its drop takes nothing from those that do.
    body = """        if len(self.queue) >= 3:
            before = cx.packets, cx.bytes
            cx.drop(packet)
            assert (cx.packets, cx.bytes) == before == (3, 4500)
        else:
            self.queue.append(packet)"""
    plugins.load(put(tmp_path, queue(body, GET)))
    results = Scenario(data(queue="own")).run(seed=1)
    (line,) = [link for link in results.link_summaries() if link.link == "line"]
    assert line.drops["full"] > 0


def test_a_small_bandwidth_delay_product_holds_ten_packets() -> None:
    # 1 Mbit/s and 1 ms are 125 bytes; 20 Mbit/s and 40 ms are 100 KB.
    assert buffer_of("fcfs", "1Mbit/s", "1ms", "1bdp") == "10KB"
    assert buffer_of("fcfs", "20Mbit/s", "40ms", "1bdp") == "100KB"


def test_a_pooled_replication_has_run_when_all_of_its_points_have() -> None:
    ran = np.array([[[True, True], [True, False]]])
    cube = Cube(
        SimpleNamespace(),  # type: ignore[arg-type]
        [["a"], ["x", "y"]],  # type: ignore[list-item]
        np.where(ran, 1.0, np.nan),
        ran,
        np.ones((1, 2), dtype=bool),
    )
    pooled = cube.pool([0])
    assert pooled.ran.tolist() == [[True, False]]
    assert pooled.values[0].tolist() == pytest.approx([1.0, np.nan], nan_ok=True)


def test_two_formats_have_two_places_however_these_are_spelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(HeadgateError, match="has the same place"):
        require({"pcapng": "a.pcapng", "qlog": "./a.pcapng"})
    require({"pcapng": "a.pcapng", "qlog": "b"})


def test_a_buffer_of_all_disciplines_leaves_one_that_a_discipline_sets() -> None:
    found = disciplines([{"kind": "fcfs", "buffer": "9pkt"}, "fq"], "64KB", {})
    assert [spec["buffer"] for spec in found.values()] == ["9pkt", "64KB"]


def test_the_bar_of_a_paper_counts_each_number_once() -> None:
    found = bar(Counts(tested=10, match=6, only_ours=2, some_run=1, undecided=1, miss=2))
    assert [(key, count) for key, _, _, count, _ in found] == [
        ("only_ours", 2), ("shared", 4), ("some_run", 1), ("undecided", 1), ("miss", 2)]  # fmt: skip
    assert sum(part for *_, part in found) == pytest.approx(100)


def test_the_table_of_all_papers_has_each_count_under_its_heading(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = Counts(*range(11, 22))
    others = Counts(*range(31, 42))
    summary = Summary(printed=counts, others=others)
    monkeypatch.setattr(tables, "summary_of", lambda _: summary)
    printed: dict[str, list[str]] = {}
    monkeypatch.setattr(
        tables, "print_fitted", lambda _, columns: printed.update({c.heading: c.cells for c in columns})
    )
    took = SimpleNamespace(cpu_s=1.0, seconds=1.0, runs=1, kept=0)
    one = SimpleNamespace(paper=SimpleNamespace(name="p"), reproduction=SimpleNamespace(items=()), took=took)
    tables.print_whole(
        SimpleNamespace(papers=[one], failures=[], took=took), SimpleNamespace(print=lambda *_, **__: None)
    )  # type: ignore[arg-type]
    assert (printed["tested"], printed["match"]) == (["11"], ["12"])
    assert (printed["others tested"], printed["others match"]) == (["31"], ["32"])


def test_the_loss_of_a_cell_has_what_the_wire_lost() -> None:
    table = {"sent": np.array([[90, 10]]), "drops": np.array([[3, 0]]), "lost": np.array([[1, 1]])}
    table |= {f"owd_p{q}_s": np.array([[0.1, 0.1]]) for q in (50, 95, 99)}
    assert _group("sparse", table)["sparse_loss"].tolist() == [0.05]


def test_a_packet_that_never_begins_to_be_sent_waits() -> None:
    none, start = np.zeros(4, np.int64), np.array([0.5, np.nan, 4.0, np.nan])
    packets = AtPort(none, none, np.array([0.0, 1.0, 2.0, 5.0]), start, start, none, none, none, np.arange(4))
    assert packets.waiting(3.0).tolist() == [False, True, True, False]


def test_a_trace_that_was_changed_is_not_read_on_whatever_its_size(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("time_s,flow,size_bytes\n0,1,100\n")
    trace = Trace(file, 1_000_000)
    file.write_text("time_s,flow,size_bytes\n0,2,100\n")
    os.utime(file, ns=(1, 1))
    with pytest.raises(HeadgateError, match="it has changed since the page began"):
        trace._open(SimpleNamespace(), trace.reading())  # type: ignore[arg-type]


def test_the_network_is_shown_within_the_run(page: Page) -> None:
    run = page.run(data(duration="2s"))["run"]

    def at(time: float) -> Any:
        return page.get(f"/api/run/{run}/network", at=time).json()

    assert at(1e6) == at(2.0)
    assert at(-5.0) == at(0.0)
    assert at(2.0)["queues"] != at(0.0)["queues"]


def test_completions_are_recorded_beside_the_traces_of_the_scenario(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []
    begin = headgate.Scenario.run

    def run(self: Scenario, *args: Any, **more: Any) -> Any:
        seen.append(self.data["traces"])
        return begin(self, *args, **more)

    monkeypatch.setattr(headgate.Scenario, "run", run)
    scenario = Scenario(data(duration="1s", traces=["window"]))
    (tmp_path / "a.toml").write_text(file_text(scenario.data))
    done = cli("run", "a.toml", "--completions", "a.svg")
    assert seen == [["completions", "window"]], done.stderr


def test_a_transmission_in_a_trace_of_perfetto_ends_when_the_next_one_begins() -> None:
    # Rounded to nanoseconds each for itself, the end of the first one is a nanosecond behind the beginning of the second.
    columns = dict.fromkeys(
        ("port", "flow", "entry", "seq", "arrived_ns", "marked", "reason"), np.zeros(2, dtype=np.int64)
    )
    columns |= {"start_ns": np.array([1000, 2000]), "left_ns": np.array([2001, 3000]), "bytes": np.array([100, 100])}
    columns |= {"ack": np.array([-1, -1])}
    times: list[int] = []
    writer = SimpleNamespace(
        _of=SimpleNamespace(flows=[SimpleNamespace(name="a")], ports=[SimpleNamespace(name="line")]),
        _open={},
        _track=lambda *_: 1,
        _name=lambda _: b"",
        _event=lambda at, _: times.append(at),
    )
    TimelineWriter._packets(writer, columns)  # type: ignore[arg-type]
    assert times == [1000, 2000, 2000]
    assert writer._open == {0: (1, 3000)}


@pytest.mark.parametrize("size", [125, 131, 139])
def test_no_quantile_of_a_replay_is_above_the_maximum(size: int) -> None:
    # Pairs of packets at 1 Mbit/s: half of them wait for the other one of their pair, the others not at all. Beyond 1024 packets a
    # histogram counts them, whose bins are 3 % wide.
    times = np.repeat(np.arange(3000) * 0.01, 2)
    trace = pa.table({"time_s": times, "flow": np.zeros(6000, dtype=np.int64), "size_bytes": np.full(6000, size)})
    row = next(headgate.replay(trace, queue="fcfs", rate="1Mbit/s").summary.rows())
    assert row["delay_max_s"] == pytest.approx(8 * size / 1e6)
    assert row["delay_p95_s"] == row["delay_p99_s"] == row["delay_max_s"]


def test_packets_that_a_replay_dropped_do_not_wait(tmp_path: Path) -> None:
    # 200 packets at once into a buffer of ten: those that were dropped take no memory, of which 200 would take too much.
    file = tmp_path / "a.csv"
    file.write_text("time_s,flow,size_bytes\n" + "0,1,1000\n" * 200)
    subject = subject_of(file, {"queue": ["fcfs"], "rate": "1Mbit/s", "buffer": "10pkt"})
    found = replayed(subject.scenario, _core.Control(), 10_000)  # type: ignore[arg-type]
    assert found.done["ports"][0]["drops"] == 189


@pytest.mark.parametrize(("judges", "due"), [("control", "control"), ("queue", "aqm")])
def test_the_case_of_a_break_judges_what_was_attacked(judges: str, due: str, monkeypatch: pytest.MonkeyPatch) -> None:
    flow = {"name": "a", "control": {"kind": "subject"}}
    parts = {"name": "x", "duration": "9s", "warm_up": "1s", "interval": "1s", "flows": [flow]}
    monkeypatch.setattr(outputs, "scenario", lambda *_: (dict(parts), None))
    monkeypatch.setattr(outputs, "compact", lambda found: found)
    monkeypatch.setattr(outputs, "sentence", lambda *_: "It breaks.")
    monkeypatch.setattr(outputs, "_bound", lambda *_: 0.5)
    at = SimpleNamespace(wanted=lambda _: [SimpleNamespace(metric="share", of=None, start=None)], put=lambda _: None)
    objective = SimpleNamespace(more=True, meaning="the share", judges=judges)
    result = SimpleNamespace(objective=objective, at=at, subject=SimpleNamespace(name="mine"))
    text = outputs.case(result, SimpleNamespace(candidate=None), SimpleNamespace())  # type: ignore[arg-type]
    assert loads(text)["judges"] == due


def test_a_route_over_its_last_gateway_goes_round_a_link_that_went_down() -> None:
    # The flow names the gateway of its destination, so that the only distances that are needed, before and after, are those to it.
    links = [{"name": n, "from": f, "to": t, "rate": "10Mbit/s", "delay": "1ms"} for n, f, t in (
        ("in", "a", "g"), ("short", "g", "k"), ("first", "g", "h"), ("second", "h", "k"), ("out", "k", "b"))]  # fmt: skip
    nodes = [{"name": n, "kind": "host"} for n in "ab"] + [{"name": n} for n in "ghk"]
    flow = {
        "name": "ab",
        "from": "a",
        "to": "b",
        "via": ["k"],
        "workload": {"kind": "cbr", "rate": "800kbit/s"},
        "control": "none",
    }
    events = [{"at": "2s", "link": "short", "up": False}]
    scenario = {"duration": "6s", "warm_up": "3s", "nodes": nodes, "links": links, "flows": [flow], "events": events}
    results = Scenario(scenario).run(seed=1)
    # 100 packets of 1000 bytes a second, each over four links.
    assert results.flow_summaries()[0].goodput_bps.mean == pytest.approx(800e3, rel=0.02)
    sent = {link.link: link.utilisation.mean for link in results.link_summaries()}
    assert sent["first"] == sent["second"] == pytest.approx(0.08, rel=0.05)
    assert sent["short"] == 0
