"""Long traces in the explorer: what is kept of them, what is shown while they are replayed, and how that is stopped."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate import _core
from headgate.base.errors import HeadgateError, TraceError
from headgate.explore import answers
from headgate.explore.packets import packets_of
from headgate.explore.replays import run as replay_run
from headgate.explore.replays.rows import Rows
from headgate.explore.replays.run import replayed
from headgate.explore.store import Finished
from headgate.explore.subject import subject_of
from headgate.explore.wire import StoppedError

from ..explorer import Page
from .test_explore_replay import LINE, PLENTY, begin, replay_of, rows_of, whole
from .test_explore_replay import office as office
from .test_explore_types import held
from .test_replay import OFFICE


def many(path: Path, flows: int, packets: int) -> Path:
    rng = np.random.default_rng(5)
    at, flow, size = np.sort(rng.random(packets)), rng.integers(flows, size=packets), rng.integers(60, 1500, packets)
    rows = (f"{t:.9f},flow {f},{s}" for t, f, s in zip(at.tolist(), flow.tolist(), size.tolist(), strict=True))
    path.write_text("time_s,flow,size_bytes\n" + "\n".join(rows) + "\n")
    return path


def test_a_trace_with_more_packets_than_are_kept_is_shown_in_intervals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = many(tmp_path / "t.csv", 40, 30_000)
    fine = replay_of(trace, queue=["fcfs"], rate="180Mbit/s")
    monkeypatch.setattr(replay_run, "MOST", 20_000)
    monkeypatch.setattr("headgate.explore.replays.packets.MOST", 5_000)
    coarse = replay_of(trace, queue=["fcfs"], rate="180Mbit/s")
    assert "intervals" in coarse.done["note"]
    assert fine.done["note"] is None
    same_numbers_of(fine.done, coarse.done)
    assert [v["name"] for v in fine.done["views"]] == [v["name"] for v in coarse.done["views"]]
    assert [v["series"] for v in fine.done["views"]] == [v["series"] for v in coarse.done["views"]]
    for view in ("offered", "throughput"):
        for (t, y), (t2, y2) in zip(whole(fine, view).values(), whole(coarse, view).values(), strict=True):
            assert (np.diff(t) * y[:-1]).sum() == pytest.approx((np.diff(t2) * y2[:-1]).sum())
    for (_, y), (_, y2) in zip(whole(fine, "queueing").values(), whole(coarse, "queueing").values(), strict=True):
        assert (y.min(), y.max()) == (y2.min(), y2.max())
    for (_, y), (_, y2) in zip(whole(fine, "drops").values(), whole(coarse, "drops").values(), strict=True):
        assert y[-1] == y2[-1]
    most = [sum(y for _, y in whole(x, "backlog").values()).max() for x in (fine, coarse)]
    assert most[1] == pytest.approx(most[0], abs=3)
    # Single packets are followed in a part at a time.
    all_packets = rows_of(fine)
    for at in (0.0, 0.5, coarse.until):
        part = packets_of(coarse, at)
        mine = part.at(0)
        assert part.start <= at <= part.until
        assert 0 < mine.seq.size <= 5000
        there = np.isin(all_packets.seq, mine.seq)
        for column in ("seq", "flow", "arrived", "start", "left", "bytes", "marked", "reason", "number"):
            assert np.array_equal(
                getattr(mine, column), getattr(all_packets, column)[there], equal_nan=column == "left"
            ), column
    assert coarse.size < 30_000_000


@pytest.mark.parametrize("kind", ["fq", "red", "csfq", "drr", "wf2q_plus"])
def test_numbers_of_decisions_do_not_depend_on_the_part_that_is_followed(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = replay_of(OFFICE, queue=[kind], buffer="16KB")
    packets = rows_of(found)
    whole_part = packets_of(found, 0.0, decisions=True).at(0)
    assert whole_part.seq.tolist() == packets.seq.tolist()
    for i in (0, 300, 500, 844):
        numbers = whole_part.numbers(i)
        # The buffer held what waited, and what had come at that instant.
        waiting = packets.waiting(packets.arrived[i])
        waiting[i:] = False
        assert numbers["held_packets"] == waiting.sum()
        assert numbers["held_bytes"] == packets.bytes[waiting].sum()
    monkeypatch.setattr("headgate.explore.replays.packets.MOST", 100)
    found.more.pop("parts")
    for i in (20, 500, 840):
        part = packets_of(found, float(packets.arrived[i]), decisions=True).at(0)
        place = part.place(i)
        assert place is not None
        assert part.seq.size <= 100
        assert part.numbers(place) == whole_part.numbers(i)


def test_numbers_of_packets_with_gaps_are_those_of_the_trace(tmp_path: Path) -> None:
    rows = [f"{i / 1000},a,{0 if i % 7 == 3 else 500}" for i in range(200)]
    (tmp_path / "t.csv").write_text("\n".join(["time_s,flow,size_bytes", *rows]) + "\n")
    for memory in ("1GB", "1KB"):
        subject = subject_of(
            tmp_path / "t.csv", {"queue": ["fq"], "rate": "1Mbit/s", "buffer": "5KB", "lenient": True}, memory
        )
        found = replayed(subject.scenario, _core.Control(), PLENTY)  # type: ignore[arg-type]
        due = [i + 1 for i in range(200) if i % 7 != 3]
        assert rows_of(found).seq.tolist() == due
        assert packets_of(found, 0.0, decisions=True).at(0).seq.tolist() == due


def same_numbers_of(a: dict[str, Any], b: dict[str, Any]) -> None:
    for key in ("flows", "ports", "delay_under_load_ms", "p99_ms", "until", "sentences", "about", "network"):
        assert a[key] == b[key], key


def test_flows_beyond_those_with_most_bytes_are_one_line(tmp_path: Path) -> None:
    found = replay_of(many(tmp_path / "t.csv", 300, 6000), queue=["fq"], rate="30Mbit/s")
    names = [x["name"] for x in found.done["views"][0]["series"]]
    assert len(names) == 12
    assert names[-1] == "289 other flows"
    assert (len(found.done["flows"]), found.done["more_flows"]) == (100, 200)
    sizes = sum(8 * f["bytes"] for f in found.done["flows"])
    total = sum((np.diff(t) * y[:-1]).sum() for t, y in whole(found, "offered").values())
    assert total > sizes
    packets = rows_of(found)
    assert total == pytest.approx(8 * int(packets.bytes.sum()))
    # The others together are many flows, whose packets do not leave in the order in which they came.
    own = (packets.reason == 0) & ~np.isin(np.array(found.flows, dtype=object)[packets.flow], names[:-1])
    assert (np.diff(packets.start[own]) < 0).any()
    t, y = whole(found, "throughput")[names[-1]]
    for i in (10, 50, 90):
        part = np.clip((t[i] - packets.start[own]) / (packets.left[own] - packets.start[own]), 0.0, 1.0)
        assert (np.diff(t) * y[:-1])[:i].sum() == pytest.approx(8 * (packets.bytes[own] * part).sum())


@pytest.mark.parametrize("most", [2_000_000, 1000], ids=["rows", "intervals"])
def test_a_long_replay_shows_its_first_part_which_is_its_beginning(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay_run, "FEW", 1000)
    monkeypatch.setattr(replay_run, "MOST", most)
    monkeypatch.setattr(replay_run, "FIRST_S", 0.0)
    parts: list[Finished] = []
    subject = subject_of(many(tmp_path / "t.csv", 5, 200_000), {"queue": ["fq"], "rate": "1.2Gbit/s"})
    found = replayed(subject.scenario, _core.Control(), PLENTY, parts.append)  # type: ignore[arg-type]
    (part,) = parts
    assert 0 < part.until < found.until
    held(answers.RunLine, json.loads(json.dumps({"preview": part.done}, default=float)))
    assert [v["name"] for v in part.done["views"]] == [v["name"] for v in found.done["views"]]
    for a, b in zip(whole(part, "queueing").values(), whole(found, "queueing").values(), strict=True):
        # All but the interval in which it ends.
        n = a[0].size - (2 if most == 1000 else 0)
        assert 0 < n < b[0].size
        assert np.array_equal(a[0][:n], b[0][:n])
        assert np.array_equal(a[1][:n], b[1][:n])
    if most > 1000:
        mine, due = rows_of(part), rows_of(found)
        assert part.until == mine.arrived[-1]
        for column in ("seq", "arrived", "start", "reason"):
            assert np.array_equal(getattr(mine, column), getattr(due, column)[: mine.seq.size])


def test_what_a_stopped_replay_does() -> None:
    subject = subject_of(OFFICE, {"queue": ["fq"], **LINE})
    control = _core.Control()
    control.stop()
    with pytest.raises(StoppedError):
        replayed(subject.scenario, control, PLENTY)  # type: ignore[arg-type]


def test_a_closed_connection_stops_the_replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = Page(subject_of(OFFICE, {"queue": ["fq"], **LINE}))
    reached = []

    def endless(self: Any, core: Any, how: Any) -> Iterator[float]:
        while True:
            reached.append(1)
            yield 0.1

    scenario = begin(page)
    monkeypatch.setattr("headgate.explore.replays.trace.Trace.steps", endless)
    text = json.dumps({"scenario": scenario, "seed": None, "tab": "x"}).encode()
    asyncio.run(page.client.asked("POST", "/api/run", content=text, close_after=2))
    page.explorer.runs._pool.shutdown(wait=True)
    assert reached
    assert not page.explorer.runs._jobs


def test_rows_that_nobody_waits_for_are_not_made(office: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    run = office.run(begin(office))["run"]
    begun, stopped = threading.Event(), threading.Event()

    def endless(found: Finished, path: Path, control: _core.Control) -> None:
        begun.set()
        while not control.stopped:
            pass
        stopped.set()
        raise StoppedError

    monkeypatch.setattr("headgate.explore.replays.export.rows_into", endless)
    asyncio.run(office.client.asked("GET", f"/api/run/{run}/rows?form=csv", close_after=-1))
    assert begun.is_set()
    assert stopped.is_set()


def test_a_replay_that_would_take_too_much_memory_says_so(tmp_path: Path) -> None:
    trace = many(tmp_path / "t.csv", 5, 200_000)
    subject = subject_of(trace, {"queue": ["fcfs"], "rate": "1Mbit/s", "buffer": "unlimited"})
    with pytest.raises(HeadgateError, match=r"at most 20 MB of memory.*a smaller buffer"):
        replayed(subject.scenario, _core.Control(), 20_000_000)  # type: ignore[arg-type]
    page = Page(subject)
    page.explorer.runs.most = 20_000_000 // 3
    last = page.lines("/api/run", {"scenario": begin(page), "seed": None, "tab": "x"})[-1]
    assert "memory" in last["error"]["message"]
    page.explorer.runs.close()


def test_a_file_that_changes_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(OFFICE.read_bytes())
    subject = subject_of(path, {}, "1KB")
    path.write_text("time_s,flow,size_bytes\n0,a,1\n")
    with pytest.raises(TraceError, match="has changed"):
        replayed(subject.scenario, _core.Control(), PLENTY)  # type: ignore[arg-type]


def test_rows_are_narrow() -> None:
    found = rows_of(replay_of(OFFICE, queue=["fq"]))
    columns = {name: getattr(found, {"packet": "seq"}.get(name, name)) for name in Rows.__annotations__}
    assert sum(c.itemsize for c in columns.values()) == 42
