"""The workloads of `headgate bench` over 100 Gbit/s: what they are, in small."""

from __future__ import annotations

import json

from headgate import _core
from headgate.checks import bench


def measured(w: bench.Workload, duration: str) -> dict[str, int]:
    scenario = {**w.scenario, "duration": duration, "interval": duration}
    names = ("events", "sent", "delivered", "transmissions")
    return dict(zip(names, _core.measure(json.dumps(scenario))[:4], strict=True))


def test_constant_rate_flows_fill_100_gbit_s_and_lose_nothing() -> None:
    # 8,333,333 packets of 1500 bytes a second; those of the last millisecond are on the wire.
    got = measured(bench.w8("fcfs"), "20ms")
    assert abs(got["sent"] - 166_667) <= 32 and abs(got["delivered"] - 19 / 20 * 166_667) <= 32


def test_bulk_flows_fill_most_of_100_gbit_s() -> None:
    got = measured(bench.w9("fcfs", "cubic"), "50ms")
    assert got["delivered"] > 0.8 * 0.05 * 8_333_333


def test_a_million_flows_are_as_many_flows_of_one_kind() -> None:
    # In small: each sends its first window of ten packets at once, and what is lost again after the first timeout of 1 s.
    w = bench.w7("fcfs", 100)
    assert (w.flows, len(w.scenario["flows"]), w.scenario["flows"][0]["count"]) == (100, 1, 100)
    assert measured(w, "10ms")["sent"] == 1000
