"""Numbers of lines whose rate changes: utilisation by bytes, max-min shares of what was offered, and the ports that are listed."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headgate
from headgate.base.toml import file_text
from headgate.results.fairness import ideal_bps
from headgate.results.results import Results
from headgate.results.sentences import sentences

#: Bits of an opportunity.
BITS = 8 * 1504


def line(rate: Any, *flows: dict[str, Any], **more: Any) -> headgate.Scenario:
    """Flows from a to b through two gateways, over a line of this rate that is not delayed by anything else."""
    ends = {"delay": "1ms", "rate": "1Gbit/s"}
    data = {
        "duration": "21s", "warm_up": "1s", "interval": "1s",
        "nodes": [{"name": "a", "kind": "host"}, {"name": "g"}, {"name": "h"}, {"name": "b", "kind": "host"}],
        "links": [
            {"name": "in", "from": "a", "to": "g", **ends},
            {"name": "l", "from": "g", "to": "h", "rate": {"forward": rate, "reverse": "1Gbit/s"}, "delay": "5ms",
             "queue": {"kind": "fcfs", "buffer": "60pkt"}},
            {"name": "out", "from": "h", "to": "b", **ends},
        ],
        "flows": [{"from": "a", "to": "b", **flow} for flow in flows],
    }  # fmt: skip
    return headgate.Scenario(data | more)


def cbr(rate: str, packet: str = "1504B", name: str = "f", **more: Any) -> dict[str, Any]:
    return {"name": name, "control": "none", "packet": packet, "workload": {"kind": "cbr", "rate": rate}, **more}


def bulk(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "control": {"kind": "cubic"}, "packet": "1504B", **more}


def used(results: Results, port: str = "l") -> float:
    return float(results.links["utilisation"][results.links["link"] == port][0])


@pytest.mark.parametrize(("packets", "share"), [(1, 0.05), (2, 0.1), (10, 0.5), (30, 1.0)])
def test_a_trace_of_opportunities_is_used_by_bytes(packets: int, share: float) -> None:
    # Twenty opportunities in a second, nineteen of them within 19 ms: a packet that waits for the last one took 98 % of the time.
    trace = {"kind": "mahimahi", "times": [*range(1, 20), 1000]}
    results = line(trace, cbr(f"{packets * BITS}bit/s")).run()
    assert used(results) == pytest.approx(share, abs=1e-9 if share < 1 else 1e-3)
    assert used(results) <= 1
    (port,) = [x for x in results.link_summaries() if x.link == "l"]
    assert port.utilisation.mean == used(results)


def test_the_example_of_lossy_links_is_used_by_the_bytes_that_it_sent() -> None:
    path = Path(headgate.__file__).parent / "scenarios" / "lossy-links.toml"
    results = headgate.Scenario.from_file(path).run()
    # 969 opportunities in 2.4 s, and 60 s are measured.
    offered = 969 * 1504 * 60 / 2.4
    sent = float(results.links["sent_bytes"][results.links["link"] == "cell"][0])
    assert used(results, "cell") == pytest.approx(sent / offered, rel=1e-3)


CHANGES = {
    "steps": ({"kind": "steps", "steps": [["0s", "20Mbit/s"], ["6s", "2Mbit/s"]]}, [], (20 * 5 + 2 * 15) / 20),
    "period": (
        {"kind": "steps", "steps": [["0s", "12Mbit/s"], ["1s", "0bit/s"], ["3s", "3Mbit/s"]], "period": "4s"},
        [], (12 + 3) / 4,
    ),
    "long": ({"kind": "steps", "steps": [["0s", "4Mbit/s"], ["11s", "8Mbit/s"], ["500s", "90Mbit/s"]]}, [], 6),
    "events": ("10Mbit/s", [{"at": "11s", "link": "l", "rate": "2Mbit/s"}], 6),
    "down": ("10Mbit/s", [{"at": "5s", "link": "l", "up": False}, {"at": "10s", "link": "l", "up": True}], 7.5),
    "trace": ({"kind": "mahimahi", "times": [1, 2, 3, 4, 5, 6, 7, 8, 9, 5000]}, [], 10 * BITS / 5e6),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_share_is_one_of_what_the_line_offered_in_the_measured_time(name: str) -> None:
    rate, events, mbps = CHANGES[name]
    results = line(rate, bulk("x"), bulk("y"), events=events).run()
    assert list(results.max_min_bps().values()) == pytest.approx([mbps * 1e6 / 2] * 2)
    at = results.links["link"] == "l"
    assert results.links["capacity_bps"][at] == pytest.approx(mbps * 1e6)
    assert results.links["utilisation"].max() <= 1
    # Of all, no more is got than what was offered, but for what waited when the warm-up ended.
    assert sum(f.goodput_bps.mean for f in results.flow_summaries()) <= 1.05 * mbps * 1e6 + 60 * BITS / 20
    # Tables, and a study of it, have the same.
    first = {k: results.runs[0].table("routes")[k] for k in ("flow", "link")}
    pairs = {k: np.asarray(memoryview(v[0] if isinstance(v, tuple) else v)) for k, v in first.items()}
    columns = {
        k: results.flows[k] for k in ("demand_bps", "weight", "start_s", "end_s", "sends_from_s", "sends_until_s")
    }
    assert ideal_bps(columns, results.links.columns, pairs) == pytest.approx([mbps * 1e6 / 2] * 2)


def test_a_study_has_the_shares_of_lines_that_change() -> None:
    scenario = line("10Mbit/s", bulk("x"), bulk("y"), events=[{"at": "11s", "link": "l", "rate": "2Mbit/s"}])
    study = headgate.Sweep(scenario, {"links.1.delay": ["5ms", "6ms"]}).run()
    assert study.flows["max_min_bps"].to_numpy() == pytest.approx([3e6] * 4)


def test_a_flow_that_sends_while_the_line_is_fast_is_due_that() -> None:
    # x sends from 1 to 11 s at 10 Mbit/s alone, y from 11 s on at 2 Mbit/s: means over 20 s.
    events = [{"at": "11s", "link": "l", "rate": "2Mbit/s"}, {"at": "11s", "stop": "x"}]
    results = line("10Mbit/s", bulk("x"), bulk("y", start="11s"), events=events).run()
    assert list(results.max_min_bps().values()) == pytest.approx([5e6, 1e6])


def test_a_flow_that_moves_to_another_line_is_due_what_that_offers() -> None:
    scenario = line("10Mbit/s", bulk("x"), events=[{"at": "6s", "link": "l", "up": False}])
    data = scenario.data | {
        "nodes": [*scenario.data["nodes"], {"name": "far"}],
        "links": [
            *scenario.data["links"],
            {"name": "m", "from": "g", "to": "far", "rate": "2Mbit/s", "delay": "5ms"},
            {"name": "n", "from": "far", "to": "h", "rate": "3Mbit/s", "delay": "5ms"},
        ],
    }
    results = headgate.Scenario(data).run()
    # 5 s at 10 Mbit/s, and 15 s at the 2 Mbit/s of the detour.
    assert results.max_min_bps()["x"] == pytest.approx((5 * 10e6 + 15 * 2e6) / 20)
    assert results.flow_summaries()[0].goodput_bps.mean <= 1.02 * results.max_min_bps()["x"]


OUTAGE = [{"at": "500ms", "link": "l", "up": False}]


@pytest.mark.parametrize("wide", [(), ("--wide",)])
@pytest.mark.parametrize(
    ("buffer", "link", "told"),
    [("20pkt", "l", "held 20.0 packets"), ("9000pkt", "l", "dropped none"), ("20pkt", "in", "its queue (host) held")],
)
def test_the_port_that_explains_an_outage_is_listed(
    tmp_path: Path, cli: Any, wide: tuple[str, ...], buffer: str, link: str, told: str
) -> None:
    scenario = line("10Mbit/s", cbr("1Mbit/s"), events=[OUTAGE[0] | {"link": link}])
    scenario.data["links"][1]["queue"]["buffer"] = buffer
    (tmp_path / "outage.toml").write_text(file_text(scenario.data))
    shown = cli("run", tmp_path / "outage.toml", *wide)
    ports = shown.stdout.partition("ports\n")[2]
    assert any(row.split()[:1] == [link] for row in ports.splitlines()), shown.stdout
    assert told in next(x for x in sentences(scenario.run()) if x.startswith(f"The link {link} sent nothing"))


def test_a_wait_is_a_mean_over_packets() -> None:
    # Bursts that fill the queue, one in two seconds: intervals without one have fewer packets, which wait less.
    flood = cbr("40Mbit/s", name="flood") | {
        "workload": {"kind": "on_off", "rate": "40Mbit/s", "on": "100ms", "off": "2s"}
    }  # fmt: skip
    results = line("10Mbit/s", flood, cbr("100kbit/s", name="thin")).run()
    columns = results.intervals.columns
    measured = columns["warm_up"] == 0
    for flow in results.flow_summaries():
        own = measured & (columns["flow"] == flow.flow)
        count, mean = columns["received"][own], np.nan_to_num(columns["queueing_mean_s"][own])
        assert flow.queueing_s.mean == pytest.approx(float((count * mean).sum() / count.sum()))
        assert flow.queueing_s.mean == results.flows["queueing_mean_s"][results.flows["flow"] == flow.flow][0]
        assert flow.queueing_s.n == 20
    (flow,) = [f for f in results.flow_summaries() if f.flow == "flood"]
    own = measured & (columns["flow"] == "flood")
    of_intervals = float(np.nanmean(columns["queueing_mean_s"][own]))
    assert abs(of_intervals / flow.queueing_s.mean - 1) > 0.02


def test_quick_of_unequal_loads_has_the_mean_over_packets() -> None:
    from headgate import quick

    results = quick.scenario("5Mbit/s", "80ms", "web,web,video", "pie").run()
    waits = {f.flow: 1e3 * f.queueing_s.mean for f in results.flow_summaries()}
    table = dict(zip(results.flows["flow"].tolist(), (1e3 * results.flows["queueing_mean_s"]).tolist(), strict=True))
    assert waits == table
    # The mean of the intervals' means was 18.6.
    assert waits["web2"] == pytest.approx(16.8, abs=0.05)


def test_stretches_follow_each_other() -> None:
    results = line("10Mbit/s", bulk("x"), bulk("y", start="11s"), bulk("z", start="5s")).run()
    pieces = results.runs[0].stretches()
    assert [(a, b) for a, b, *_ in pieces] == list(pairwise([1.0, 5.0, 11.0, 21.0]))
