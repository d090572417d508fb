"""Parameters without effect: which are named, by which commands, and that nothing else is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

import headgate
from headgate import Scenario, _core, quick
from headgate.base.catalogue import catalogue
from headgate.plugins import registry
from headgate.scenario.effects import warnings

#: What a discipline may do with a packet.
MARKS, WEIGHTS, PRIORITIES, LABELS, BY_RATE = "marks", "weights", "priorities", "labels", "rounds by rate"

COMES = "responds to ECN marks, but no queue on its path sets any, so ECN has no effect."
WEIGHED = "has a weight, and no queue on its path reads weights: its packets are served as with a weight of 1."
HURRIED = "has a priority, and no queue on its path reads priorities: its packets are served as those of all others."
LABELLED = "claims a label, and no queue on its path reads labels: its packets are served as without one."


def said(flows: str, queue: str = "fcfs", **more: str) -> list[str]:
    return warnings(quick.scenario("20Mbit/s", "20ms", flows, queue, **more).resolve())


@pytest.mark.parametrize(
    ("flows", "queue", "expected"),
    [
        ("dctcp", "fcfs", [f"Flow dctcp {COMES}"]),
        ("decbit", "fq", [f"Flow decbit {COMES}"]),
        ("prague", "fcfs", [f"Flow prague {COMES}"]),
        ("prague", "dualpi2", []),
        ("scream:l4s=true", "fcfs", [f"Flow scream {COMES}"]),
        ("reno:transport.ecn=true", "red", [f"Flow reno {COMES}"]),
        ("reno:transport.ecn=true", "red:mark=true", []),
        ("dctcp", "codel", [f"Flow dctcp {COMES}"]),
        ("dctcp", "codel:mark=true", []),
        ("dctcp:transport.ecn=false", "fcfs", []),
        ("reno:transport.ecn=false", "fcfs", []),
        ("reno:transport.preset=linux", "fcfs", []),
        ("decbit", "decbit", []),
        ("cubic:weight=3", "fcfs", [f"Flow cubic {WEIGHED}"]),
        ("cubic:weight=3", "drr", []),
        ("cubic:weight=1", "fcfs", []),
        ("cubic:priority=1", "wfq", [f"Flow cubic {HURRIED}"]),
        ("cubic:priority=1", "strict_priority", []),
        ("cubic:priority=1", "strict_priority:levels=1", [f"Flow cubic {HURRIED}"]),
        ("cubic:priority=0", "fcfs", []),
        ("cubic:label=1Mbit/s", "fcfs", [f"Flow cubic {LABELLED}"]),
        ("cubic:label=1Mbit/s", "csfq", []),
        ("cubic:label=1Mbit/s", "csfq:role=island", [f"Flow cubic {LABELLED}"]),
        ("cubic:weight=2", "csfq:role=core", [f"Flow cubic {WEIGHED}"]),
        ("cubic,jk_reno,cbr:1Mbit/s,bbr1,scream", "fcfs", []),
    ],
)
def test_each_sentence_and_where_it_is_not_said(flows: str, queue: str, expected: list[str]) -> None:
    assert said(flows, queue) == expected


def test_rounds_by_a_rate_that_bursts_do_not_reach() -> None:
    wifi = quick.preset("wifi")
    for queue in ("fq", "wfq", "fq_bit", "drr", "scfq", "wf2q_plus", "sfq", "virtual_clock", "fcfs"):
        assert (BY_RATE in catalogue("disciplines")[queue].does) == (queue in ("fq", "wfq", "fq_bit"))
        scenario = quick.scenario(flows="game,bulk", queue=queue, duration="4s", **wifi)
        found = warnings(scenario.resolve())
        game = scenario.run().flow_summaries()[0].queueing_s.mean
        behind = queue in ("fq", "wfq", "fq_bit")
        assert (found[:1] == []) != behind, queue
        if behind:
            assert found[0].startswith("Link bottleneck sends in bursts, which carry less than its rate")
        # What it says: the packets of a game wait for milliseconds behind a download.
        assert (game > 2e-3) == (behind or queue == "fcfs"), (queue, game)


def lossy(law: object, flows: str = "reno", **more: Any) -> Scenario:
    scenario = quick.scenario("10Mbit/s", "40ms", flows, noise="0", duration="100s", **more)
    return scenario.put("topology.line.loss", law)


def test_bursts_that_only_packets_end() -> None:
    long = {"kind": "gilbert_elliott", "to_bad": 0.0005, "to_good": 0.02}
    in_time = {"kind": "gilbert_elliott_time", "good": "2s", "bad": "50ms"}
    for law, said_so in (
        (long, True), ({"reverse": long}, True), (in_time, False), (long | {"to_good": 0.25}, False), (long | {"loss_bad": 0.3}, False),
        ({"kind": "bernoulli", "probability": 0.01}, False),
    ):  # fmt: skip
        found = [
            text
            for text in warnings(lossy(law).resolve())
            if text.startswith("Link bottleneck loses packets in bursts")
        ]
        assert bool(found) == said_so, law
    # A stream does not back off.
    assert warnings(lossy(long, "cbr:1Mbit/s").resolve()) == []
    # What it says: a flow that backs off stays in a burst of the one, and leaves that of the other.
    goodput = [
        [lossy(law, seed=seed).run().flow_summaries()[0].goodput_bps.mean for seed in (1, 3, 4)]
        for law in (long, in_time)
    ]
    assert max(goodput[0]) < 0.1e6 and min(goodput[1]) > 1e6, goodput


def test_flows_of_which_the_same_is_to_be_said_are_said_together() -> None:
    assert said("dctcp:name=a,dctcp:name=b")[0].startswith("Flows a and b respond to ECN marks")
    assert said("dctcp*3")[0].startswith("Flows dctcp1, dctcp2 and dctcp3 respond to ECN marks")
    found = said("cubic:label=1Mbit/s,cubic*5:weight=2,reno:weight=7,dctcp,reno:priority=1")
    assert [re.split(" (?:and|but) no queue", text)[0] for text in found] == [
        "Flow dctcp responds to ECN marks,", "Flows cubic2, cubic3 and 4 more have weights,", "Flow reno2 has a priority,",
        "Flow cubic1 claims a label,",
    ]  # fmt: skip
    many = said("cubic*2:priority=1,label=1Mbit/s,weight=2")
    assert len(many) == 3 and all(text.startswith("Flows cubic1 and cubic2 ") for text in many)


# What disciplines do: runs with and without each parameter, of which the digests differ where it is read.

#: Parameters with which a short run shows what a discipline does.
SHOWN = {
    "enhanced_red": {"weight": 1.0, "constant": True, "initial_p": 0.2},
    "fq_pie": {"target": "1ms", "mark_threshold": 0.5},
}

QUEUES: list[dict[str, Any]] = [
    *({"kind": name, **SHOWN.get(name, {})} for name in catalogue("disciplines")),
    *(
        {"kind": name, **SHOWN.get(name, {}), "mark": True}
        for name, entry in catalogue("disciplines").items()
        if entry.takes("mark")
    ),
    *({"kind": "fcfs", "aqm": {"kind": name, **SHOWN.get(name, {})}} for name in catalogue("aqms")),
    *({"kind": "csfq", "role": role} for role in ("edge", "core", "island")),
    {"kind": "strict_priority", "levels": 1},
    {"kind": "cake", "diffserv": "besteffort"},
    {"kind": "linux_fq", "max_rate": "10Mbit/s", "ce_threshold": "1ms"},
    {"kind": "htb", "classes": [{"name": "all", "rate": "900kbit/s"}]},
]


def line(queue: object, *flows: dict[str, Any], **more: Any) -> Scenario:
    """Two hosts on a line of 1 Mbit/s with this queue."""
    ends = [{"name": name, "kind": "host"} for name in ("a", "b", "k")]
    fast = [{"name": f"{name}-in", "from": name, "to": "g", "rate": "10Mbit/s"} for name in ("a", "b")]
    slow = {"name": "slow", "from": "g", "to": "k", "rate": "1Mbit/s", "queue": queue}
    whole = {"duration": "4s", "nodes": [*ends, {"name": "g"}], "links": [*fast, slow], "flows": list(flows)}
    return Scenario({**whole, **more})


def cbr(name: str, host: str, rate: str, **more: Any) -> dict[str, Any]:
    stream = {"kind": "cbr", "rate": rate}
    return {"name": name, "from": host, "to": "k", "control": "none", "workload": stream, "acknowledge": False, **more}


def done(queue: object) -> Iterator[str]:
    """What a queue does, as runs show it."""

    def digest(**more: Any) -> str:
        return line(queue, cbr("x", "a", "900kbit/s", **more), cbr("y", "b", "1300kbit/s")).run().runs[0].digest

    sack = {"to": "k", "control": "sack", "transport": {"ecn": True}}
    ports = line(queue, {"name": "x", "from": "a", **sack}, {"name": "y", "from": "b", **sack}).run().link_summaries()
    if sum(port.marks for port in ports):
        yield MARKS
    plain = digest()
    for name, more in ((WEIGHTS, {"weight": 4}), (PRIORITIES, {"priority": 1}), (LABELS, {"label": "100kbit/s"})):
        if digest(**more) != plain:
            yield name


@pytest.mark.parametrize("queue", QUEUES, ids=json.dumps)
def test_each_discipline_does_what_is_said_of_it(queue: dict[str, Any]) -> None:
    """Each says in its own file what it does (`DOES`): one that says too much or too little fails here by its name."""
    facts = line(queue, cbr("x", "a", "1Mbit/s")).resolve().facts
    assert facts.ports[4].does - {BY_RATE} == set(done(queue))
    assert set(_core.does(json.dumps(queue))) == facts.ports[4].does


def test_what_is_listed_holds_for_the_defaults() -> None:
    for name, entry in catalogue("disciplines").items():
        assert entry.does == set(_core.does(json.dumps({"kind": name}))), name
        assert (entry.priorities is not None) == (PRIORITIES in entry.does), name
    # An AQM does the same with each scheduler.
    for name, entry in catalogue("aqms").items():
        assert entry.does == set(_core.does(json.dumps({"kind": "fcfs", "aqm": name}))), name


def test_a_discipline_of_ones_own_may_do_everything() -> None:
    @headgate.discipline("anything")
    class Anything:
        def enqueue(self, packet: object, cx: object) -> None:
            """Keeps nothing."""

        def dequeue(self, cx: object) -> None:
            """Has nothing."""

    try:
        assert {MARKS, WEIGHTS, PRIORITIES, LABELS} == set(_core.does('{"kind": "anything"}'))
    finally:
        registry.remove("anything")


# The queues on the way.


def chain(flow: dict[str, Any], forward: object, back: object, **more: Any) -> Scenario:
    """From host h1 at r1 over r2 to host h2, with these queues on the link of the gateways."""
    nodes = [{"name": "h1", "kind": "host"}, {"name": "h2", "kind": "host"}, {"name": "r1"}, {"name": "r2"}]
    links = [
        {"name": "first", "from": "h1", "to": "r1", "rate": "10Mbit/s", "queue": "fcfs"},
        {"name": "middle", "from": "r1", "to": "r2", "rate": "1Mbit/s", "queue": forward, "reverse_queue": back},
        {"name": "last", "from": "h2", "to": "r2", "rate": "10Mbit/s", "queue": "fcfs"},
    ]
    flow = {"name": "x", "from": "h1", "to": "h2", "control": "sack", **flow}
    return Scenario({"duration": "9s", "nodes": nodes, "links": links, "flows": [flow], **more})


MARK = {"kind": "red", "mark": True}


def test_marks_and_labels_count_on_the_way_of_data_and_the_others_both_ways() -> None:
    for needs, does, both in (
        ({"transport": {"ecn": True}}, MARK, False),
        ({"label": "1Mbit/s"}, "csfq", False),
        ({"weight": 2}, "fq", True),
        ({"priority": 2}, "blt", True),
    ):
        assert warnings(chain(needs, does, "fcfs").resolve()) == []
        assert (warnings(chain(needs, "fcfs", does).resolve()) == []) == both
        assert len(warnings(chain(needs, "fcfs", "fcfs").resolve())) == 1
    # Without acknowledgements nothing comes back.
    silent = {"control": "none", "workload": {"kind": "cbr", "rate": "1kbit/s"}, "weight": 2}
    assert warnings(chain(silent, "fcfs", "fq").resolve()) == []
    assert len(warnings(chain({**silent, "acknowledge": False}, "fcfs", "fq").resolve())) == 1


def test_packets_may_be_marked_where_source_and_receiver_agreed_on_it() -> None:
    """Rows of the table of docs/how-to/choose-a-transport.md, at a queue that marks everything that it may and drops the rest."""
    red = {"kind": "red", "mark": True, "min_threshold": "1pkt", "max_threshold": "2pkt"}
    for kind in ("reno", "dctcp", "prague"):
        for ecn in (None, True, False, "off", "classic", "accecn"):
            for receiver in (None, "counts", "accecn", "classic", "dctcp", "none"):
                flow: dict[str, Any] = {"control": kind}
                flow |= {} if ecn is None else {"transport": {"ecn": ecn}}
                flow |= {} if receiver is None else {"receiver": {"ecn": receiver}}
                warned = warnings(chain(flow, "fcfs", "fcfs").resolve()) != []
                marks = chain(flow, red, "fcfs").run().flows["marks"][0]
                assert warned == (marks > 0), (kind, ecn, receiver)


def test_a_queue_beside_the_way_or_at_a_host_does_not_count() -> None:
    base = chain({"weight": 2}, "fcfs", "fcfs").data
    for name, start, kind, expected in (("h3", "r2", "host", 1), ("r3", "r2", "gateway", 1)):
        spur = {"name": "spur", "from": start, "to": name, "rate": "1Mbit/s", "queue": "fq"}
        beside = {**base, "nodes": [*base["nodes"], {"name": name, "kind": kind}], "links": [*base["links"], spur]}
        assert len(warnings(Scenario(beside).resolve())) == expected
    # The link of a host has the discipline at its gateway only.
    at_source = Scenario(base).set("links.first.queue", MARK).set("flows.x.weight", 1)
    marked = at_source.set("flows.x.transport", {"ecn": True})
    assert len(warnings(marked.resolve())) == 1
    assert warnings(marked.set("links.last.queue", MARK).resolve()) == []


def test_a_queue_between_two_hosts_is_never_used() -> None:
    ends = {"a": "host", "b": "host", "g": "gateway"}
    for to, link, said in (
        ("b", {"queue": "drr"}, True), ("b", {"reverse_queue": "fq"}, True), ("b", {}, False), ("g", {"queue": "drr"}, False),
    ):  # fmt: skip
        nodes = [{"name": name, "kind": ends[name]} for name in ("a", to)]
        line = {"name": "line", "from": "a", "to": to, "rate": "1Mbit/s", "delay": "20ms"} | link
        scenario = {
            "nodes": nodes,
            "links": [line],
            "flows": [{"name": "x", "from": "a", "to": to, "control": "cubic"}],
            "duration": "5s",
        }
        sentences = [
            text for text in warnings(Scenario(scenario).resolve()) if text.startswith("Link line has a queue")
        ]
        assert bool(sentences) == said, (to, link)
        if said:
            # What it says: nothing is dropped, whatever waits.
            summary = Scenario(scenario).run().link_summaries()[0]
            assert summary.queue == "host", summary


def test_a_link_that_goes_down_may_send_flows_anywhere() -> None:
    base = chain({"weight": 2}, "fcfs", "fcfs").data
    spur = {"name": "spur", "from": "r2", "to": "r3", "rate": "1Mbit/s", "queue": "fq"}
    beside = {**base, "nodes": [*base["nodes"], {"name": "r3"}], "links": [*base["links"], spur]}
    down = [{"at": "1s", "link": "spur", "up": False}]
    slower = [{"at": "1s", "link": "spur", "rate": "2Mbit/s"}]
    assert warnings(Scenario({**beside, "events": down}).resolve()) == []
    assert len(warnings(Scenario({**beside, "events": slower}).resolve())) == 1
    # If no queue anywhere does it, that is sure even then.
    nowhere = Scenario({**beside, "events": down}).set("links.spur.queue", "fcfs")
    assert len(warnings(nowhere.resolve())) == 1


@pytest.mark.parametrize(
    "topology",
    [
        {"kind": "dumbbell", "hosts": 6}, {"kind": "parking_lot", "hops": 3}, {"kind": "chain", "gateways": 5}, {"kind": "star"},
        {"kind": "fat_tree", "k": 4}, *({"kind": "random", "gateways": 12, "seed": seed} for seed in range(1, 5)),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("routing", ["shortest", "ecmp"])
def test_routes_are_those_of_the_engine(topology: dict[str, Any], routing: str) -> None:
    plain = Scenario({"duration": "1s", "topology": topology, "flows": [], "routing": routing})
    hosts = _hosts(plain)
    pairs = [(hosts[i], hosts[(3 * i + 1) % len(hosts)]) for i in range(len(hosts))]
    flows = [
        {"name": f"f{i}", "from": a, "to": b, "control": "reno"} for i, (a, b) in enumerate(p for p in pairs if p[0] != p[1])
    ]  # fmt: skip
    scenario = plain.set("flows", flows)
    resolved, table = scenario.resolve(), scenario.run().routes
    ends = [end for link in resolved["links"] for end in (link["from"], link["to"])]
    kinds = {node["name"]: node["kind"] for node in resolved["nodes"]}
    names = [name for link in resolved["links"] for name in (link["name"], f"{link['name']}:reverse")]
    for number, flow in enumerate(resolved["flows"]):
        taken = {str(name) for name in table["link"][table["flow"] == flow["name"]]}
        at_gateways = {name for name, end in zip(names, ends, strict=True) if name in taken and kinds[end] != "host"}
        found = resolved.facts.path(number, False)
        assert found is not None
        found_names = {names[port] for port in found}
        assert at_gateways == found_names if routing == "shortest" else at_gateways <= found_names
        both = resolved.facts.path(number, True)
        assert both is not None and both >= found


def _hosts(scenario: Scenario) -> list[str]:
    """Some hosts of a topology, which are known once there is a flow."""
    first, last = ("s1", "d1") if scenario.data["topology"]["kind"] in ("dumbbell", "parking_lot") else ("h1", "h2")
    flow = {"name": "f", "from": first, "to": last, "control": "reno"}
    nodes = scenario.set("flows", [flow]).resolve()["nodes"]
    return [node["name"] for node in nodes if node["kind"] == "host"][:24]


def test_a_way_by_hand_is_the_one_that_counts() -> None:
    nodes = [{"name": "h1", "kind": "host"}, {"name": "h2", "kind": "host"}, *({"name": f"r{i}"} for i in range(1, 5))]
    ends = [("h1", "r1"), ("r1", "r2"), ("r2", "r4"), ("r1", "r3"), ("r3", "r4"), ("r4", "h2")]
    queues = {("r1", "r3"): "fq"}
    links = [
        {"name": f"{a}-{b}", "from": a, "to": b, "rate": "1Mbit/s", "queue": queues.get((a, b), "fcfs")} for a, b in ends
    ]  # fmt: skip
    flow = {"name": "x", "from": "h1", "to": "h2", "control": "reno", "weight": 2}
    scenario = Scenario({"duration": "9s", "nodes": nodes, "links": links, "flows": [flow]})
    assert len(warnings(scenario.resolve())) == 1
    assert warnings(scenario.set("flows.x.via", ["r3"]).resolve()) == []
    assert warnings(scenario.set("routing", "ecmp").resolve()) == []
    # Back over the links of the data: the port of the far end.
    back = scenario.set("links.r1-r3.queue", "fcfs").set("links.r3-r4.reverse_queue", "fq")
    assert warnings(back.set("flows.x.via", ["r3"]).resolve()) == []
    assert len(warnings(back.resolve())) == 1
