"""Replays in the explorer: the numbers of `headgate.replay`, whatever form the trace has and however it is kept."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headgate
from headgate import _core
from headgate.analysis import max_min
from headgate.base.catalogue import catalogue
from headgate.explore import answers
from headgate.explore.replays.run import replayed
from headgate.explore.store import Finished
from headgate.explore.subject import subject_of

from ..conftest import Cli
from ..explorer import Page
from .test_explore_types import held
from .test_replay import CAPTURE, OFFICE

#: Bytes that a replay of these tests may take.
PLENTY = 10**9

DISCIPLINES = sorted(catalogue("disciplines"))

LINE = {"rate": "2Mbit/s", "buffer": "64KB"}


@pytest.fixture
def office() -> Iterator[Page]:
    found = Page(subject_of(OFFICE, {"queue": ["fq"], **LINE}))
    yield found
    found.explorer.runs.close()


def begin(page: Page) -> dict[str, Any]:
    return dict(page.get("/api/start").json()["scenario"])


def replay_of(path: Path, **options: Any) -> Finished:
    subject = subject_of(path, {**LINE, **options})
    assert subject.scenario is not None
    return replayed(subject.scenario, _core.Control(), PLENTY)  # type: ignore[arg-type]


def rows_of(found: Finished) -> Any:
    return found.more["packets"].at(0)


def same_rows(found: Finished, result: headgate.Replay) -> None:
    """Every packet came, began, left or was dropped as `headgate.replay` says; times there are those of the trace."""
    mine, due = rows_of(found), result.packets()
    first = float(result.start_s)
    names = np.array(found.flows, dtype=object)
    assert mine.seq.tolist() == due["packet"].tolist()
    assert names[mine.flow].tolist() == due["flow"].tolist()
    assert mine.bytes.tolist() == due["size_bytes"].tolist()
    assert mine.marked.tolist() == due["marked"].tolist()
    assert [("", *_core.DROP_REASONS)[r] for r in mine.reason.tolist()] == due["reason"].tolist()
    # Epoch seconds as floats hold a quarter of a microsecond.
    close = 1e-6 if first > 1e6 else 1e-11
    gone = np.where(due["dropped"], due["drop_s"], due["start_s"]) - first
    for a, b in ((mine.arrived, due["arrival_s"] - first), (mine.start, gone), (mine.left, due["departure_s"] - first)):
        assert np.allclose(a, b, rtol=0, atol=close, equal_nan=True)


def same_numbers(found: Finished, result: headgate.Replay) -> None:
    done = found.done
    whole = next(iter(result.summary.rows()))
    # To the last departure, or to the last arrival, where that packet is dropped after all others have left.
    last = float(result.packets()["arrival_s"].max()) - float(result.start_s)
    assert done["until"] == pytest.approx(max(whole["span_s"], last), abs=1e-6)
    assert done["delay_under_load_ms"] == pytest.approx(1e3 * whole["delay_mean_s"], rel=1e-12)
    assert done["p99_ms"] == 1e3 * whole["delay_p99_s"]
    assert done["ports"][0]["utilisation"] == whole["utilisation"]
    assert done["jain_of_max_min"] == whole["jain_of_max_min"]
    rate = _core.quantity(json.loads(result._core.options)["rate"])[2]
    ideal = max_min(rate, 8.0 * result.flows["bytes"] / whole["span_s"], result.flows["weight"])
    assert [f["max_min_bps"] for f in done["flows"]] == pytest.approx(ideal.tolist())
    assert [f["ideal_share"] for f in done["flows"]] == pytest.approx((ideal / ideal.sum()).tolist())
    for shown, flow in zip(done["flows"], result.flows.rows(), strict=True):
        assert shown["name"] == flow["flow"]
        for mine, theirs in (
            ("packets", "packets"),
            ("bytes", "bytes"),
            ("sent", "sent"),
            ("marks", "marks"),
            ("weight", "weight"),
        ):
            assert shown[mine] == flow[theirs]
        assert shown["goodput_bps"] == flow["throughput_bps"]
        assert shown["share"] == pytest.approx(flow["throughput_bps"] / result.flows["throughput_bps"].sum())
        assert shown["lost"] == sum(flow[f"drops_{kind}"] for kind in _core.DROP_KINDS)
        assert np.array_equal(
            [shown["queueing_ms"], shown["p99_ms"]], [1e3 * flow["delay_mean_s"], 1e3 * flow["delay_p99_s"]], True
        )


def parquet(tmp_path: Path) -> Path:
    table = {"time_s": [], "flow": [], "size_bytes": []}  # type: dict[str, list[Any]]
    for line in OFFICE.read_text().splitlines()[1:]:
        at, flow, size = line.split(",")
        for name, value in zip(table, (float(at), flow, int(size)), strict=True):
            table[name].append(value)
    pq.write_table(pa.table(table), tmp_path / "office.parquet")
    return tmp_path / "office.parquet"


@pytest.mark.parametrize("kind", DISCIPLINES)
def test_a_replay_gives_what_the_function_gives(kind: str) -> None:
    found = replay_of(OFFICE, queue=[kind], rate="2Mbit/s", seed=3)
    result = headgate.replay(OFFICE, kind, "2Mbit/s", "64KB", seed=3)
    same_rows(found, result)
    same_numbers(found, result)


@pytest.mark.parametrize("form", ["csv", "parquet", "capture", "pair"])
@pytest.mark.parametrize("memory", ["1GB", "1KB"])
def test_every_form_of_a_trace_and_both_ways_to_keep_it(form: str, memory: str, tmp_path: Path) -> None:
    """A trace that does not fit into the memory is read again for each replay."""
    path = {"csv": OFFICE, "parquet": parquet(tmp_path)}.get(form, CAPTURE)
    more = {"classify": "pair"} if form == "pair" else {}
    subject = subject_of(path, {"queue": ["fq"], **LINE, **more}, memory)
    settings, trace = subject.scenario, subject.trace
    assert trace is not None
    assert (trace.read(settings.reading).kept is None) == (memory == "1KB")  # type: ignore[union-attr]
    found = replayed(settings, _core.Control(), PLENTY)  # type: ignore[arg-type]
    result = headgate.replay(path, "fq", **LINE, **more)  # type: ignore[arg-type]
    same_rows(found, result)
    same_numbers(found, result)
    assert found.done["digest"] == replayed(settings, _core.Control(), PLENTY).done["digest"]  # type: ignore[arg-type]


def test_weights_priorities_marks_and_skipped_packets_come_from_the_trace(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    lines = ["time_s,flow,size_bytes,weight,priority,ecn"]
    for i in range(3000):
        flow = int(rng.integers(3))
        lines.append(f"{i * 1e-3:.6f},f{flow},{1 + int(rng.integers(1500))},{flow + 1},{flow},{int(rng.integers(4))}")
        if i % 100 == 7:
            lines.append(f"{i * 1e-3:.6f},f{flow},0,{flow + 1},0,0")
    trace = tmp_path / "t.csv"
    trace.write_text("\n".join(lines) + "\n")
    for queue in (
        "wfq",
        "strict_priority",
        {"kind": "red", "mark": True, "min_threshold": "2pkt", "max_threshold": "5pkt", "weight": 0.2},
    ):
        found = replay_of(trace, queue=[queue], rate="5Mbit/s", lenient=True)
        result = headgate.replay(trace, queue, "5Mbit/s", "64KB", lenient=True)
        same_rows(found, result)
        same_numbers(found, result)
        assert "30 packets with faults were skipped" in " ".join(found.done["about"])
    assert found.done["ports"][0]["marks"] > 0
    assert [f["weight"] for f in found.done["flows"]] == [1 + int(f["name"][1]) for f in found.done["flows"]]


def whole(found: Finished, view: str) -> dict[str, tuple[Any, Any]]:
    return {x.name: (x.t, x.y) for x in found.view(view).whole(found).lines}


def test_views_conserve_bytes_and_packets() -> None:
    found = replay_of(OFFICE, queue=["fq"])
    packets = rows_of(found)
    for k, name in enumerate(found.flows):
        own = packets.flow == k
        sent, dropped = own & (packets.reason == 0), own & (packets.reason > 0)
        for view, size in (("offered", packets.bytes[own]), ("throughput", packets.bytes[sent])):
            t, y = whole(found, view)[name]
            assert (np.diff(t) * y[:-1]).sum() == pytest.approx(8 * int(size.sum()))
        t, y = whole(found, "queueing")[name]
        assert t.tolist() == packets.arrived[sent].tolist()
        assert y.tolist() == (packets.start - packets.arrived)[sent].tolist()
        drops = whole(found, "drops")
        assert (drops[name][1][-1] if name in drops else 0) == dropped.sum()
        t, y = whole(found, "backlog")[name]
        # Between two changes nothing happens.
        for at in (t[:-1] + np.diff(t) / 2)[np.diff(t) > 1e-9].tolist():
            assert y[np.searchsorted(t, at, "right") - 1] == (own & packets.waiting(at)).sum()
    assert (packets.reason == 2).any(), "no packet waited and was dropped then"
    # At the end nothing waits.
    assert sum(y[-1] for _, y in whole(found, "backlog").values()) == 0
    # However narrow the picture, the sum of all lines keeps its maximum.
    total = np.sum([y for _, y in whole(found, "backlog").values()], axis=0)
    for width in (1, 10):
        points = json.loads(found.view("backlog").points_of(found, 0.0, found.until, width))
        assert np.sum([x["y"] for x in points["series"]], axis=0).max() == total.max()
    # The line never sends more than its rate, nor do intervals between those of the picture.
    for start, end in ((0.0, 3.4), (1.0, 1.3), (1.001, 1.002)):
        points = json.loads(found.view("throughput").points_of(found, start, end, 800))
        total = np.sum([x["y"] for x in points["series"]], axis=0)
        assert total.max() <= 2e6 * (1 + 1e-6)


def test_every_view_is_sent_reduced(office: Page) -> None:
    done = office.run(begin(office))
    for view in done["views"]:
        for start, end in ((0, 4), (1.5, 1.6), (2.9, 9)):
            query = {"view": view["name"], "from": start, "to": end, "width": 20}
            found = office.get(f"/api/run/{done['run']}/series", **query).json()
            held(answers.SeriesData, found)
            assert [s["name"] for s in found["series"]] == [s["name"] for s in view["series"]]
            for series in found["series"]:
                assert len(series["t"]) == len(series["y"]) <= 4 * 20 + 4
                assert series["t"] == sorted(series["t"])


def test_answers_have_their_types(office: Page) -> None:
    held(answers.Start, office.get("/api/start").json())
    given = {"scenario": begin(office)}
    held(answers.Controls, office.post("/api/controls", given).json())
    held(answers.Turned, office.post("/api/set", {**given, "path": "queue.kind", "value": "red"}).json())
    lines = office.lines("/api/run", {**given, "seed": None, "tab": "x"})
    for line in lines:
        held(answers.RunLine, line)
    run = f"/api/run/{lines[-1]['done']['run']}"
    held(answers.NetworkState, office.get(f"{run}/network", at=1.5).json())
    for way in ("all", "drop"):
        found = office.get(f"{run}/packets", port="line", kind=way, limit=20).json()
        held(answers.PacketList, found)
        for packet in found["packets"][-3:]:
            held(answers.PacketStory, office.get(f"{run}/packet/line/{packet['id']}", at=packet["arrived"]).json())
    other = {**begin(office), "queue": {"kind": "red", "buffer": "64KB"}}
    held(
        answers.ComparisonDone,
        office.lines("/api/compare", {"a": given, "b": {"scenario": other}, "seeds": 2})[-1]["done"],
    )


def test_a_packet_of_a_replay_has_its_number_and_its_way(office: Page) -> None:
    run = office.run({**begin(office), "queue": {"kind": "fcfs", "buffer": "16KB"}})["run"]
    rows = headgate.replay(OFFICE, "fcfs", "2Mbit/s", "16KB").packets()
    first = int(np.flatnonzero(rows["dropped"])[0])
    found = office.get(f"/api/run/{run}/packets", port="line", kind="drop", limit=1).json()["packets"][0]
    assert (found["seq"], found["flow"]) == (first + 1, rows["flow"][first])
    way = office.get(f"/api/run/{run}/packet/line/{found['id']}", at=found["arrived"]).json()
    assert way["story"][0].startswith(
        f"Packet {first + 1} of the trace, {found['bytes']} bytes of {found['flow']}, arrived at the line at "
    )
    before = (np.arange(len(rows)) < first) & ~(
        np.where(rows["dropped"], rows["drop_s"], rows["start_s"]) <= rows["arrival_s"][first]
    )
    assert sum(b["packets"] for b in way["waited_behind"]) == before.sum() > 0
    assert "full" in way["decision"]["rule"]
    (taken,) = way["decision"]["taken"]
    assert (taken["moment"], taken["decision"], taken["reason"]) == ("arrival", "dropped", "full")
    assert ("buffer", 16000.0) in [(n["name"], n["value"]) for n in taken["numbers"]]
    # CoDel decides as a packet leaves.
    run = office.run({**begin(office), "queue": {"kind": "codel", "buffer": "unlimited"}})["run"]
    drops = office.get(f"/api/run/{run}/packets", port="line", kind="drop", limit=9).json()["packets"]
    assert drops
    for packet in drops:
        way = office.get(f"/api/run/{run}/packet/line/{packet['id']}", at=packet["arrived"]).json()
        moments = [(t["moment"], t["at"], t["decision"]) for t in way["decision"]["taken"]]
        assert moments == [("arrival", packet["arrived"], "queued"), ("departure", packet["dropped"], "dropped")]
        numbers = {n["name"]: n["value"] for n in way["decision"]["taken"][1]["numbers"]}
        assert numbers["sojourn"] == pytest.approx(packet["dropped"] - packet["arrived"])


def test_the_command_and_the_python_lines_give_the_same(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "-a b.csv").write_bytes(OFFICE.read_bytes())
    options = {"queue": [{"kind": "red", "max_p": 0.5}], **LINE, "seed": 9, "in_service": "counts", "ties": "together"}
    page = Page(subject_of(tmp_path / "-a b.csv", options))
    done = page.run(begin(page))
    run = f"/api/run/{done['run']}/export"
    words = shlex.split(page.get(run, form="command").text)
    assert words[:2] == ["headgate", "replay"]
    told = json.loads(cli(*words[1:], "--json").stdout)["queues"][0]
    assert [f["sent"] for f in told["flows"]] == [f["sent"] for f in done["flows"]]
    assert 1e3 * told["delay_s"]["mean"] == pytest.approx(done["delay_under_load_ms"])
    lines = page.get(run, form="python").text
    space: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        exec(lines, space)
    assert [f["sent"] for f in space["result"].flows.rows()] == [f["sent"] for f in done["flows"]]
    page.explorer.runs.close()


def test_the_rows_are_those_of_the_command(tmp_path: Path, cli: Cli, office: Page) -> None:
    run = office.run(begin(office))["run"]
    for form in ("csv", "parquet"):
        cli("replay", OFFICE, "--queue", "fq", "--rate", "2Mbit/s", "--buffer", "64KB", "--out", f"o.{form}")
        answer = office.get(f"/api/run/{run}/rows", form=form)
        assert answer.headers["content-disposition"] == f'attachment; filename="office-packets.{form}"'
        if form == "csv":
            assert answer.content == (tmp_path / "o.csv").read_bytes()
        else:
            assert pq.read_table(pa.BufferReader(answer.content)).equals(pq.read_table(tmp_path / "o.parquet"))
    assert office.get(f"/api/run/{run}/rows", form="exe").status_code == 422
    for form in ("csv", "parquet"):
        assert len(office.get(f"/api/run/{run}/export", form=form, view="backlog").content) > 100
    assert office.get(f"/api/run/{run}/export", form="toml").status_code == 400


def test_two_replays_differ_as_those_of_the_function_do(office: Page) -> None:
    a = begin(office)
    b = {**a, "queue": {"kind": "fcfs", "buffer": "64KB"}}
    last = office.lines("/api/compare", {"a": {"scenario": a}, "b": {"scenario": b}, "seeds": 50})[-1]["done"]
    # Nothing in these replays is random, so one of each is all there is.
    assert (last["random"], last["seeds"]) == (False, 1)
    assert last["changed"] == [{"path": "queue.kind", "a": "fq", "b": "fcfs"}]
    both = headgate.replay(OFFICE, ["fq", "fcfs"], "2Mbit/s", "64KB")
    mine = next(d for d in last["differences"] if (d["metric"], d["flow"]) == ("mean queueing delay", "voice"))
    due = [f["delay_mean_s"] for f in both.flows.rows() if f["flow"] == "voice"]
    assert [mine["a"], mine["b"]] == pytest.approx(due, rel=1e-9)
    assert any("voice" in s and "higher in B" in s for s in last["sentences"])
    same = office.lines("/api/compare", {"a": {"scenario": a}, "b": {"scenario": a}, "seeds": 1})[-1]["done"]
    assert (same["changed"], same["sentences"]) == ([], ["Both runs gave the same."])


def test_disciplines_that_draw_random_numbers_are_paired_over_seeds(office: Page) -> None:
    red = {"kind": "red", "buffer": "64KB", "max_p": 0.5}
    a, b = {**begin(office), "queue": red, "seed": 5}, {**begin(office), "queue": {**red, "max_p": 0.1}, "seed": 5}
    last = office.lines("/api/compare", {"a": {"scenario": a}, "b": {"scenario": b}, "seeds": 3})[-1]["done"]
    assert (last["random"], last["seeds"]) == (True, 3)
    mine = next(d for d in last["differences"] if (d["metric"], d["flow"]) == ("drops", None))
    results = [
        [headgate.replay(OFFICE, q["queue"], "2Mbit/s", seed=s, packets=False).summary for s in (5, 6, 7)]
        for q in (a, b)
    ]
    means = [np.mean([sum(r[f"drops_{x}"][0] for x in _core.DROP_KINDS) for r in side]) for side in results]
    assert [mine["a"], mine["b"]] == pytest.approx(means)
    assert mine["low"] <= mine["difference"] <= mine["high"]
