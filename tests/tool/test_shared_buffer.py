"""A buffer that a gateway's ports share, against an emulation of the rule that was written apart from the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from headgate import Scenario
from headgate.replays import replay

from ..gateways import Arrival, gateway

#: Packets/s, line, and start in ms. Within the run no packets of two of them come at the same time, and none does as a transmission ends.
CBR = {"flood": (201.13, 0, 0.0), "light": (30.13, 0, 1.7037), "busy": (60.37, 1, 3.1013), "other": (55.51, 1, 4.3071)}

#: Seconds that a packet takes from its source to the gateway, and of a run.
ACCESS, SPAN = 0.0001, 60.0

PORTS = ("line1", "line2")


def scenario(places: int, full: str) -> dict[str, Any]:
    """Sources of constant rates at a gateway with two lines."""
    hosts = [{"name": name, "kind": "host"} for name in (*CBR, "k1", "k2")]
    access = [{"name": f"of {name}", "from": name, "to": "g", "rate": "80Mbit/s"} for name in CBR]
    lines = [{"name": f"line{i}", "from": "g", "to": f"k{i}", "rate": "800kbit/s"} for i in (1, 2)]
    flows = [
        {
            "name": name,
            "from": name,
            "to": f"k{line + 1}",
            "start": f"{start}ms",
            "acknowledge": False,
            "control": {"kind": "none"},
            "workload": {"kind": "cbr", "rate": f"{round(8000 * rate)}bit/s"},
        }
        for name, (rate, line, start) in CBR.items()
    ]
    shared = {"buffer": f"{places}pkt", "full": full}
    return {
        "duration": f"{SPAN}s",
        "warm_up": "0s",
        "traces": ["drops"],
        "nodes": [*hosts, {"name": "g", "shared_buffer": shared}],
        "links": [*access, *lines],
        "flows": flows,
    }


def arrivals() -> list[Arrival]:
    """The same packets as they come to the gateway."""
    found = [
        Arrival(start / 1000 + n / rate + ACCESS, name, line)
        for name, (rate, line, start) in CBR.items()
        for n in range(int(SPAN * rate) + 2)
    ]
    return sorted((a for a in found if a.time < SPAN), key=lambda a: a.time)


@pytest.mark.parametrize("full", ["preempt", "arrival"])
@pytest.mark.parametrize("places", [1, 5, 20])
def test_the_engine_drops_what_the_emulation_drops(places: int, full: str) -> None:
    results = Scenario.from_dict(scenario(places, full)).run(seed=1)
    drops = results.traces.to_pandas().query("trace == 'drops'")
    names = list(CBR)
    ours = [(t, port, names[int(f)]) for t, port, f in zip(drops.time_s, drops.object, drops.value, strict=True)]
    sent = arrivals()
    served = gateway(sent, places, preempts=full == "preempt")
    theirs = [(sent[at].time, PORTS[sent[victim].line], sent[victim].source) for victim, at in served.dropped]
    assert len(theirs) > 3000
    assert [d[1:] for d in ours] == [d[1:] for d in theirs]
    assert np.abs(np.subtract([d[0] for d in ours], [d[0] for d in theirs])).max() < 1e-8
    assert ({d[1] for d in ours} == set(PORTS)) or full == "preempt"
    # And the others leave when they do there.
    flows = results.flows.to_pandas().set_index("flow")
    for name in names:
        waits = [
            served.left[n] - a.time + ACCESS for n, a in enumerate(sent) if a.source == name and served.left[n] < SPAN
        ]
        assert abs(np.mean(waits) - flows.owd_mean_s[name]) < 1e-8
        assert len(waits) == flows.received[name]


def test_drop_tail_on_one_line_is_that_of_a_replay() -> None:
    sent = [a for a in arrivals() if a.line == 0][:4000]
    left = gateway(sent, 7, preempts=False).left
    table = pa.table(
        {"time_s": [a.time for a in sent], "flow": [a.source for a in sent], "size_bytes": [1000] * len(sent)}
    )
    replayed = replay(table, "fcfs", "800kbit/s", "7pkt", series=False).packets("fcfs")
    ours = np.array(replayed["departure_s"], dtype=np.float64)
    assert 0 < np.isnan(left).sum() < len(left)
    assert np.array_equal(np.isnan(left), np.isnan(ours))
    assert np.nanmax(abs(left - ours)) < 1e-6


def test_the_emulation_takes_from_the_source_with_most_packets_in_all_buffers() -> None:
    # Three places, two lines. When c comes a has a packet in each buffer and b one: the last one of a goes, which waits for the other line.
    order = [("x", 0), ("x", 1), ("a", 0), ("b", 1), ("a", 1), ("c", 0)]
    packets = [Arrival(1e-4 * i, source, line) for i, (source, line) in enumerate(order)]
    assert gateway(packets, 3, preempts=True).dropped == [(4, 5)]
    # The arrival counts: another one of b would be its second packet, as many as a has, and the last of both.
    packets[5] = Arrival(5e-4, "b", 1)
    assert gateway(packets, 3, preempts=True).dropped == [(5, 5)]
