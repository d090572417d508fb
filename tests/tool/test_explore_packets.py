"""Single packets of a run: they add up to the run's tables, and their ways say what happened to them."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from headgate import _core
from headgate.base.catalogue import catalogue
from headgate.explore.engine import run
from headgate.explore.packets import Packets, listed, packets_of
from headgate.explore.page_scenario import prepared
from headgate.explore.request import until_done
from headgate.explore.runs import finished
from headgate.explore.store import Finished
from headgate.explore.story import story_of
from headgate.explore.wire import RequestError, StoppedError
from headgate.scenario.scenario import Scenario

from ..explorer import Page, scenario
from ..explorer import page as page


def done(**more: Any) -> Finished:
    given = Scenario(scenario(**more))
    ready = prepared(given)
    return finished(given, ready, run(ready, None, _core.Control()), 0.0, None)


def numbers_of(way: Any, moment: str) -> dict[str, Any]:
    """The numbers of the decision of a moment, by their names."""
    (taken,) = [taken for taken in way["decision"]["taken"] if taken["moment"] == moment]
    return {number["name"]: number for number in taken["numbers"]}


def sentences(kind: str, numbers: dict[str, float], outcome: str, leaves: bool = False) -> list[str]:
    return _core.rules(kind, list(numbers.items()), outcome, leaves=leaves)


def queue(kind: str, **more: Any) -> list[Any]:
    links = scenario()["links"]
    links[1]["queue"] = {"kind": kind, **more}
    return list(links)


QUEUES = [("fcfs", {"buffer": "10pkt"}), ("fq", {"buffer": "10pkt"}), ("red", {"buffer": "30pkt"}), ("drr", {"buffer": "10pkt"}),
          ("random_drop", {"buffer": "10pkt"}), ("sfq", {"buffer": "10pkt"})]  # fmt: skip


@pytest.mark.parametrize(("kind", "more"), QUEUES, ids=lambda x: str(x)[:12])
def test_packets_add_up_to_the_tables(kind: str, more: dict[str, Any]) -> None:
    found = done(links=queue(kind, **more), warm_up="0s", interval="1s")
    results = Scenario(found.as_run).run()
    port = found.ports.index("slow")
    packets = packets_of(found).at(port)
    row = next(r for r in results.links.rows() if r["link"] == "slow")
    dropped = packets.reason > 0
    by_reason = [int((packets.reason == i + 1).sum()) for i in range(len(_core.DROP_REASONS))]
    by_kind = dict.fromkeys(_core.DROP_KINDS, 0)
    for kind_of, count in zip(_core.DROP_REASON_KINDS, by_reason, strict=True):
        by_kind[kind_of] += count
    assert by_kind == {name: row[f"drops_{name}"] for name in _core.DROP_KINDS}
    assert row["sent"] == int((packets.reason == 0).sum())
    assert row["offered"] == packets.flow.size
    assert np.array_equal(packets.number, np.arange(packets.flow.size))
    waits = (packets.start - packets.arrived)[packets.reason == 0]
    assert (waits >= -1e-9).all()
    assert waits.mean() == pytest.approx(row["queueing_mean_s"], rel=0.01)
    assert (np.diff(packets.arrived) >= 0).all()
    for f, name in enumerate(found.flows):
        own = next(r for r in results.flows.rows() if r["flow"] == name)
        assert int((dropped & (packets.flow == f)).sum()) == own["drops"]


@pytest.mark.parametrize(("kind", "more"), QUEUES, ids=lambda x: str(x)[:12])
def test_the_backlog_by_flow_adds_up_to_the_backlog(kind: str, more: dict[str, Any]) -> None:
    """At every time that the trace of the port has, to within packets that come and leave at that instant."""
    found = done(links=queue(kind, **more), warm_up="0s")
    lines = found.view("backlog").whole(found).lines
    traced = next(x for x in found.view("ports").lines if x.name == "slow")
    # In the middle between two changes nothing happens. What is on the line when the run ends, at 70 s, counts as waiting.
    t = traced.t[:-1] + np.diff(traced.t) / 2
    quiet = (np.diff(traced.t) > 1e-6) & (t < 69.9)
    total = sum(x.y[np.searchsorted(x.t, t, "right") - 1] for x in lines)
    assert np.array_equal(np.asarray(total)[quiet], traced.y[:-1][quiet])


def test_a_dropped_packet_says_what_was_in_its_way_and_what_followed(page: Page) -> None:
    run = page.run(scenario(links=queue("fcfs", buffer="10pkt")))["run"]
    drops = page.get(f"/api/run/{run}/packets", port="slow", kind="drop", flow="reno", limit=1).json()
    assert drops["more"]
    packet = drops["packets"][0]
    assert (packet["flow"], packet["left"], packet["reason"]) == ("reno", None, "full")
    way = page.get(f"/api/run/{run}/packet/slow/{packet['id']}").json()
    assert way["packet"]["seq"] == packet["seq"]
    assert sum(b["packets"] for b in way["waited_behind"]) == 10
    assert "full" in way["decision"]["rule"]
    assert [(t["moment"], t["decision"], t["reason"]) for t in way["decision"]["taken"]] == [
        ("arrival", "dropped", "full")
    ]
    numbers = {name: (n["value"], n["unit"]) for name, n in numbers_of(way, "arrival").items()}
    assert numbers["buffer"] == (10.0, "packets")
    assert numbers["held"] == (10.0, "packets")
    assert "The buffer held 10 packets of at most 10 packets, so there was no room for it." in way["story"]
    assert any("sent it again" in s for s in way["story"])
    assert any("window began to fall" in s for s in way["story"])


def test_an_early_drop_shows_the_average_queue(page: Page) -> None:
    links = queue("red", buffer="60pkt", min_threshold="2pkt", max_threshold="9pkt", max_p=0.1, weight=0.05)
    run = page.run(scenario(links=links))["run"]
    drops = page.get(f"/api/run/{run}/packets", port="slow", kind="drop", limit=200).json()["packets"]
    early = next(p for p in drops if p["reason"] in ("random", "above_max"))
    way = page.get(f"/api/run/{run}/packet/slow/{early['id']}").json()
    numbers = numbers_of(way, "arrival")
    assert numbers["average queue"]["value"] >= 2
    assert numbers["average queue"]["unit"] == "packets"
    assert 0 < numbers["probability"]["value"] <= 1
    assert numbers["probability"]["about"].startswith("Probability with which")
    assert any("between the thresholds 2 packets and 9 packets" in s or "upper threshold" in s for s in way["story"])
    assert any(f"chosen with probability {numbers['probability']['value']:.3g}" in s for s in way["story"])


def test_marks_are_those_of_the_table() -> None:
    flows = [{**flow, "control": {"kind": "decbit"}} for flow in scenario()["flows"]]
    found = done(links=queue("decbit", buffer="30pkt"), flows=flows, warm_up="0s")
    row = next(r for r in Scenario(found.as_run).run().links.rows() if r["link"] == "slow")
    packets = packets_of(found).at(found.ports.index("slow"))
    sent = packets.reason == 0
    # A mark is counted at the end of the wire, where the last packet may not have come.
    assert 0 <= packets.marked[sent].sum() - row["marks"] <= 1 < row["marks"]
    # By the threshold, and so it is said.
    for i in np.flatnonzero(sent)[::23].tolist():
        numbers = packets.numbers(i)
        assert packets.marked[i] == (numbers["average_queue_packets"] > numbers["threshold"])
        assert ("are marked." in sentences("decbit", numbers, "sent")[0]) == packets.marked[i]


def test_a_packet_that_made_room_says_for_which() -> None:
    found = done(links=queue("random_drop", buffer="10pkt"))
    part = packets_of(found)
    packets = part.at(found.ports.index("slow"))
    evicted = np.flatnonzero(packets.reason == 1 + _core.DROP_REASONS.index("evicted"))
    assert evicted.size
    for i in evicted[::5].tolist():
        story = story_of(found, part, "slow", int(packets.number[i]))["story"]
        (line,) = [line for line in story if "to make room for packet" in line]
        (by,) = np.flatnonzero(packets.arrived == packets.start[i])
        assert f"packet {packets.seq[by]} of {found.flows[packets.flow[by]]}, which arrived then." in line


def test_a_packet_that_was_sent_says_when_and_who_overtook_it() -> None:
    found = done()
    packets = packets_of(found).at(found.ports.index("slow"))
    waits = np.where(packets.reason == 0, packets.start - packets.arrived, 0)
    way = story_of(found, packets_of(found), "slow", int(np.argmax(waits)))
    assert way["packet"]["left"] == pytest.approx(way["packet"]["started"] + 0.1)
    assert any("left before it" in s for s in way["story"])
    # Under first come, first served nobody overtakes.
    found = done(links=queue("fcfs", buffer="15pkt"))
    packets = packets_of(found).at(found.ports.index("slow"))
    for i in range(0, packets.flow.size, 37):
        assert not any("left before it" in s for s in story_of(found, packets_of(found), "slow", i)["story"])


def test_packets_are_those_of_the_replication() -> None:
    given = Scenario(scenario(links=queue("random_drop", buffer="10pkt"), warm_up="0s"))
    ready, seen = prepared(given), []
    for number in (0, 1):
        found = finished(given, ready, run(ready, None, _core.Control(), number), 0.0, None)
        dropped = np.flatnonzero(packets_of(found).at(found.ports.index("slow")).reason > 0)
        seen.append(dropped.tolist())
        assert [p["drops"] for p in found.done["ports"] if p["name"] == "slow"] == [dropped.size]
    assert seen[0] != seen[1]


def test_queues_at_a_time_are_those_of_the_trace(page: Page) -> None:
    run = page.run(scenario())["run"]
    line = next(x for x in page.explorer.runs.store.get(run).view("ports").lines if x.name == "slow")
    for at in (10.03, 33.33, 60.07):
        queues = {q["port"]: q for q in page.get(f"/api/run/{run}/network", at=at).json()["queues"]}
        assert queues["slow"]["packets"] == line.y[np.searchsorted(line.t, at, "right") - 1]
        assert sum(f["packets"] for f in queues["slow"]["by_flow"]) == queues["slow"]["packets"]


def test_a_long_run_is_followed_around_the_time_that_is_looked_at(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    run = page.run(scenario(duration="700s"))["run"]
    found = page.explorer.runs.store.get(run)
    whole = packets_of(found)
    assert (whole.start, whole.until) == (0, 700)
    all_of = whole.at(found.ports.index("slow"))
    monkeypatch.setattr("headgate.explore.packets.MOST", 2000)
    found.more.clear()
    first = packets_of(found)
    assert first.until < 100
    assert isinstance(first, Packets)
    assert len(first) <= 2000
    for at in (5.0, 650.0, 333.3, 331.0, 700.0):
        part = packets_of(found, at)
        assert part.start <= at <= part.until
        assert part.start == 0 or at < 100 or part.start > at - 100
        packets = part.at(found.ports.index("slow"))
        there = all_of.waiting(at)
        assert np.array_equal(packets.number[packets.waiting(at)], all_of.number[there])
        # Each packet is the same one with the same numbers as where the whole run is followed.
        for i in np.flatnonzero(packets.arrived >= part.start)[::97].tolist():
            place = all_of.place(int(packets.number[i]))
            assert place is not None
            assert packets.numbers(i) == all_of.numbers(place)
            assert (packets.seq[i], packets.arrived[i]) == (all_of.seq[place], all_of.arrived[place])
        queue = next(q for q in page.get(f"/api/run/{run}/network", at=at).json()["queues"] if q["port"] == "slow")
        assert queue["packets"] == there.sum()
    asked = {"port": "slow", "from": 0, "to": 700}
    listed = page.get(f"/api/run/{run}/packets", **asked, at=500).json()
    assert listed["followed"]["from"] <= 500 <= listed["followed"]["to"]
    packet = listed["packets"][-1]
    assert listed["followed"]["from"] <= packet["arrived"] <= listed["followed"]["to"]
    # A part that was left is followed again when a packet of it is asked for by its time.
    found.more.pop("parts")
    way = page.get(f"/api/run/{run}/packet/slow/{packet['id']}", at=packet["arrived"]).json()
    assert way["packet"]["arrived"] == packet["arrived"]
    assert page.get(f"/api/run/{run}/packet/slow/{packet['id']}", at=3).status_code == 404
    points = json.loads(found.view("backlog").points_of(found, 600, 610, 100))
    assert points["series"][0]["t"][-1] == 610


@pytest.mark.parametrize("most", [0, 1, 7])
def test_a_part_that_holds_almost_nothing_ends_the_search(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr("headgate.explore.packets.MOST", most)
    found = done()
    part = packets_of(found, 40.0)
    assert part.at(found.ports.index("slow")).flow.size <= most
    assert listed(found, part, "slow", (0, 70), None, False, 9)["followed"]["from"] <= 40
    assert len(found.more["parts"]) <= 4


def test_parts_of_a_run_take_no_more_memory_than_they_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headgate.explore.packets.MOST", 1000)
    found = done(duration="700s")
    first = packets_of(found)
    assert isinstance(first, Packets)
    size = first.size
    # 64 bytes and the numbers, at most 20 of 8 bytes.
    assert 64 * 500 < size < (64 + 8 * 20) * 1000
    monkeypatch.setattr("headgate.explore.packets.KEPT", 3 * size)
    for at in range(0, 700, 20):
        packets_of(found, at)
        assert found.more["size"] == found.more["parts"].size
        assert found.more["size"] < 4 * size


def test_following_ends_when_it_is_stopped() -> None:
    found, control = done(duration="70s"), _core.Control()
    control.stop()
    with pytest.raises(StoppedError):
        packets_of(found, 0.0, control)
    assert packets_of(found).until == 70


def test_following_ends_when_the_page_leaves(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    run = page.run(scenario())["run"]
    began, controls, loops = asyncio.Event(), list[_core.Control](), list[asyncio.AbstractEventLoop]()

    def followed(found: Finished, at: float, control: _core.Control, *more: object) -> None:
        controls.append(control)
        loops[0].call_soon_threadsafe(began.set)
        # The engine looks at its control; here the test does.
        for _ in range(6000):
            if control.stopped:
                break
            threading.Event().wait(0.01)
        raise StoppedError

    monkeypatch.setattr("headgate.explore.packets.packets_of", followed)
    received = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> dict[str, Any]:
        await began.wait()
        return next(received, {"type": "http.disconnect"})

    async def send(_: dict[str, Any]) -> None:
        pass

    async def asked() -> None:
        loops.append(asyncio.get_running_loop())
        head = {"Host": "127.0.0.1:8377", "X-Headgate-Token": page.explorer.token}
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http", "root_path": "",
            "path": f"/api/run/{run}/network", "raw_path": b"", "query_string": b"at=3", "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8377), "headers": [(k.lower().encode(), v.encode()) for k, v in head.items()],
        }  # fmt: skip
        await page.explorer.app()(scope, receive, send)

    asyncio.run(asked())
    assert [control.stopped for control in controls] == [True]


@pytest.mark.parametrize("kind", catalogue("disciplines"))
def test_every_discipline_says_by_which_numbers_it_decided(kind: str) -> None:
    found = done(links=queue(kind, buffer="10pkt" if kind not in ("drr_plus", "enhanced_red", "csfq") else "10KB"))
    part = packets_of(found)
    packets = part.at(found.ports.index("slow"))
    names = set(packets.numbers(0))
    assert {"held_packets", "held_bytes"} < names
    # Without a rate the line alone limits `tbf`.
    plain, said_more = kind in ("fcfs", "random_drop", "tbf"), 0
    for i in range(0, packets.flow.size, 53):
        way = story_of(found, part, "slow", int(packets.number[i]))
        told = [way["decision"]["numbers"], *(taken["numbers"] for taken in way["decision"]["taken"])]
        assert all(n["about"].endswith(".") for numbers in told for n in numbers)
        assert not any(word in line for line in way["story"] for word in ("{", "nan", "None"))
        said_more += bool(sentences(kind, packets.numbers(i), "sent"))
        said_more += bool(sentences(kind, packets.leaving(i), "sent", leaves=True))
    assert plain or said_more
    order = _core.order_of(kind)
    if order is not None:
        # Of two that wait together the one with the smaller number is sent first.
        sent = np.flatnonzero(packets.reason == 0)
        numbers = np.array([packets.numbers(i)[order] for i in sent.tolist()])
        for i in sent[::29].tolist():
            own = packets.numbers(i)[order]
            waited = (packets.arrived[sent] < packets.start[i]) & (packets.start[sent] > packets.start[i])
            assert (numbers[waited] >= own).all()


def test_wrong_names_and_numbers_are_named(page: Page) -> None:
    run = page.run(scenario())["run"]
    for path, said in [
        ("packets?port=nothing", "port"), ("packets?port=slow&flow=x", "flow"), ("packets?port=slow&kind=x", "kind"),
        ("packet/slow/100000", "packet"), ("packet/nothing/0", "port"), ("network?at=x", "at"),
    ]:  # fmt: skip
        answer = page.get(f"/api/run/{run}/{path}")
        assert answer.status_code in (400, 404)
        assert answer.json()["error"]["message"].startswith(said)


def test_work_that_is_stopped_reports_nothing_on_the_terminal() -> None:
    future: Future[int] = Future()
    reported: list[object] = []
    looks = iter([False, False, True])

    class Left:
        """A page that leaves after a while."""

        async def is_disconnected(self) -> bool:
            return next(looks)

    async def wait() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context["message"]))
        request: Any = Left()
        control: Any = SimpleNamespace(stop=lambda: future.set_exception(StoppedError()))
        with pytest.raises(RequestError, match="the page has left"):
            await until_done(request, future, control)
        gc.collect()

    asyncio.run(wait())
    assert reported == []
