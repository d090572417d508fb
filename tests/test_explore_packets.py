"""Single packets of a run: they add up to the run's tables, and their ways say what happened to them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from headgate import _core
from headgate.explore.packets import packets_of
from headgate.explore.prepared import prepared
from headgate.explore.runs import finished, run
from headgate.explore.store import Finished
from headgate.explore.story import way_of
from headgate.scenario import Scenario

from .explorer import Page, scenario
from .explorer import page as page


def done(**more: Any) -> Finished:
    given = Scenario(scenario(**more))
    ready = prepared(given)
    return finished(given, ready, run(ready, None, _core.Control()), 0.0, None)


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
    assert by_reason == [row[f"drops_{reason}"] for reason in _core.DROP_REASONS]
    # Those on the wire when the run ends are not seen any more.
    assert 0 <= row["sent"] - int((packets.reason == 0).sum()) <= 2
    assert row["offered"] == packets.flow.size
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
    lines = found.view("backlog").whole(found).lines  # type: ignore[attr-defined]
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
    assert {"name": "buffer", "value": "10pkt", "unit": ""} in way["decision"]["numbers"]
    assert any("sent it again" in s for s in way["story"])
    assert any("window fell" in s for s in way["story"])


def test_an_early_drop_shows_the_average_queue(page: Page) -> None:
    links = queue("red", buffer="60pkt", min_threshold="2pkt", max_threshold="9pkt", max_p=0.1, weight=0.05)
    run = page.run(scenario(links=links))["run"]
    drops = page.get(f"/api/run/{run}/packets", port="slow", kind="drop", limit=200).json()["packets"]
    early = next(p for p in drops if p["reason"] == "early")
    numbers = page.get(f"/api/run/{run}/packet/slow/{early['id']}").json()["decision"]["numbers"]
    average = next(n["value"] for n in numbers if n["name"] == "average")
    assert average >= 2


def test_a_packet_that_was_sent_says_when_and_who_overtook_it() -> None:
    found = done()
    packets = packets_of(found).at(found.ports.index("slow"))
    waits = np.where(packets.reason == 0, packets.start - packets.arrived, 0)
    way = way_of(found, "slow", int(np.argmax(waits)))
    assert way["packet"]["left"] == pytest.approx(way["packet"]["started"] + 0.1)
    assert any("left before it" in s for s in way["story"])
    # Under first come, first served nobody overtakes.
    found = done(links=queue("fcfs", buffer="15pkt"))
    packets = packets_of(found).at(found.ports.index("slow"))
    for i in range(0, packets.flow.size, 37):
        assert not any("left before it" in s for s in way_of(found, "slow", i)["story"])


def test_queues_at_a_time_are_those_of_the_trace(page: Page) -> None:
    run = page.run(scenario())["run"]
    line = next(x for x in page.explorer.runs.store.get(run).view("ports").lines if x.name == "slow")
    for at in (10.03, 33.33, 60.07):
        queues = {q["port"]: q for q in page.get(f"/api/run/{run}/network", at=at).json()["queues"]}
        assert queues["slow"]["packets"] == line.y[np.searchsorted(line.t, at, "right") - 1]
        assert sum(f["packets"] for f in queues["slow"]["by_flow"]) == queues["slow"]["packets"]


def test_only_the_beginning_of_a_long_run_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headgate.explore.packets.MOST", 500)
    found = done(duration="7000s")
    packets = packets_of(found)
    assert packets.until < 100
    assert packets.at(found.ports.index("slow")).flow.size <= 500
    points = found.view("backlog").points_of(found, 0, 7000, 100)  # type: ignore[attr-defined]
    assert points["series"][0]["t"][-1] == pytest.approx(packets.until)


def test_wrong_names_and_numbers_are_named(page: Page) -> None:
    run = page.run(scenario())["run"]
    for path, said in [
        ("packets?port=nothing", "port"), ("packets?port=slow&flow=x", "flow"), ("packets?port=slow&kind=x", "kind"),
        ("packet/slow/100000", "packet"), ("packet/nothing/0", "port"), ("network?at=x", "at"),
    ]:  # fmt: skip
        answer = page.get(f"/api/run/{run}/{path}")
        assert answer.status_code in (400, 404)
        assert answer.json()["error"]["message"].startswith(said)
