"""Flows that aim at less delay than a packet of theirs takes: what is said of them, and what it means."""

from __future__ import annotations

import pytest

from headgate import Scenario, quick
from headgate.scenario.effects import warnings

LATE = (
    "so that any that waits for another one is too late: base_target of swift, and low and high of timely, are those of data centres "
    "unless given."
)


def said(flows: str, rate: str = "10Mbit/s") -> list[str]:
    return warnings(quick.scenario(rate, "40ms", flows).resolve())


def test_the_sentence_has_the_aim_and_the_time_of_a_packet() -> None:
    # 1000 bytes at 10 Mbit/s; what a small window adds to Swift's target counts.
    one = f"Flow swift aims at 120 us in queues at most, and a packet of it takes 800 us on a link of its path, {LATE}"
    assert said("swift,cubic") == [one]
    assert [text.split(" in queues")[0] for text in said("swift*2,timely*2")] == [
        "Flows swift1 and swift2 aim at 120 us", "Flows timely1 and timely2 aim at 500 us",
    ]  # fmt: skip
    assert "takes 8 ms on" in said("timely", "1Mbit/s")[0] and "takes 0.08 s on" in said("timely", "100kbit/s")[0]


@pytest.mark.parametrize(
    "flows",
    [
        "vivace,allegro,cubic",
        "swift:base_target=700us",
        "timely:high=800us",
        "swift:scaling=780us",
        "swift:hops=7,per_hop=100us",
    ],
)
def test_who_aims_at_a_packet_or_more_is_not_named(flows: str) -> None:
    assert said(flows) == []


def test_the_slowest_link_of_the_path_counts() -> None:
    # A packet takes 8 us, and 133 us.
    assert said("swift,timely", "1Gbit/s") == [] and said("swift", "60Mbit/s") != []
    links = [
        {"name": "host", "from": "a", "to": "g", "rate": "1Gbit/s"},
        {"name": "fast", "from": "g", "to": "b", "rate": "1Gbit/s"},
        {"name": "slow", "from": "g", "to": "c", "rate": "1Mbit/s"},
    ]
    nodes = [{"name": n} | ({} if n == "g" else {"kind": "host"}) for n in "agbc"]
    for to, late in (("b", 0), ("c", 1)):
        flow = {"name": "f", "from": "a", "to": to, "control": "timely", "packet": "1500B"}
        scenario = Scenario({"duration": "10s", "nodes": nodes, "links": links, "flows": [flow]})
        assert len(warnings(scenario.resolve())) == late, to


def test_a_rate_that_changes_is_not_judged() -> None:
    late = quick.scenario("10Mbit/s", "40ms", "timely")
    assert len(warnings(late.resolve())) == 1
    event = {"at": "1s", "link": "bottleneck", "rate": "1Gbit/s"}
    assert warnings(late.put("events", [event]).resolve()) == []


def test_what_it_says() -> None:
    def busy(flows: str) -> float:
        runs = quick.scenario("10Mbit/s", "40ms", flows, duration="20s", buffer="4BDP").run()
        return float(runs.link_summaries()[0].utilisation.mean)

    assert busy("swift*2") < 0.1 and busy("swift*2:base_target=5ms") > 0.97
