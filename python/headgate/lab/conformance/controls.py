"""Tests of a flow control: one function each, which gives nothing, or what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ...base.counts import counted, verb
from ...base.parallel import run_once
from ...scenario.baselines import MODERN, PLAIN
from ...scenario.scenario import Scenario
from ...scenario.subjects import Scheme
from .parameters import bounds, elsewhere, parameters

#: Gives a sentence about what is wrong, or nothing.
Work = Callable[[Scheme], str | None]


def scenario(subject: Scheme, **change: Any) -> Scenario:
    """One flow over a line of 10 Mbit/s and 20 ms, unless something is changed."""
    line: dict[str, Any] = {"name": "line", "from": "g", "to": "h", "rate": "10Mbit/s", "delay": "10ms"}
    line |= {"queue": {"kind": PLAIN, "buffer": "1BDP"}, **change.pop("line", {})}
    flow = {
        "name": "own",
        "from": "a",
        "to": "b",
        "packet": "1500B",
        "control": subject.table,
        **change.pop("flow", {}),
    }
    if subject.transport:
        flow["transport"] = {**subject.transport, **flow.get("transport", {})}
    data = {
        "duration": "10s",
        "plugins": list(subject.plugins),
        "nodes": [{"name": n, "kind": "host"} for n in "ab"] + [{"name": n} for n in "gh"],
        "links": [
            {"from": "a", "to": "g", "rate": "1Gbit/s"},
            line,
            {"from": "h", "to": "b", "rate": "1Gbit/s"},
        ],
        "flows": [flow, *change.pop("beside", [])],
        **change,
    }
    return Scenario(data)


def digest(subject: Scheme, **change: Any) -> str:
    """The digest of a run."""
    return run_once(scenario(subject, **change).to_json(), 1).digest


def goodput(subject: Scheme, **change: Any) -> float:
    """What the flow receives, in packets a second."""
    result = scenario(subject, **change).run(seed=1)
    return float(result.flow_summaries()[0].goodput_pps.mean)


#: Paths on which a flow control must not fail, with the least goodput in packets a second that shows that it goes on.
PATHS: dict[str, tuple[dict[str, Any], float]] = {
    "a long queue": ({"line": {"queue": {"kind": PLAIN, "buffer": "1000pkt"}}}, 40),
    "a buffer of one packet": ({"line": {"queue": {"kind": PLAIN, "buffer": "1pkt"}}}, 1),
    "loss of 5 % both ways": ({"line": {"loss": {"kind": "bernoulli", "probability": 0.05}}}, 1),
    "loss of half of all packets": ({"line": {"loss": {"kind": "bernoulli", "probability": 0.5}}}, 0.01),
    "marks": (
        {
            "line": {"rate": "1Mbit/s", "queue": {"kind": "codel", "mark": True, "target": "1ms", "interval": "10ms"}},
            "flow": {"transport": {"ecn": "classic"}},
        },
        5,
    ),
    "packets out of order": ({"line": {"jitter": {"mean": "10ms", "reorder": True}}}, 1),
    "a slow line": (
        {"line": {"rate": "20kbit/s", "queue": {"kind": PLAIN, "buffer": "10pkt"}}, "duration": "30s"},
        0.1,
    ),
    "a fast line": ({"line": {"rate": "400Mbit/s", "delay": "1ms"}, "duration": "2s"}, 40),
    "a round trip of 2 s": ({"line": {"delay": "1s"}, "duration": "60s"}, 0.1),
    "a line that is off for 3 s": (
        {"events": [{"at": "3s", "link": "line", "up": False}, {"at": "6s", "link": "line", "up": True}]},
        5,
    ),
    "a line that becomes slow": ({"events": [{"at": "5s", "link": "line", "rate": "100kbit/s"}]}, 1),
    "short transfers with pauses": ({"flow": {"workload": {"kind": "on_off"}}}, 0.01),
    "a source with little to send": ({"flow": {"workload": {"kind": "cbr", "rate": "100kbit/s"}}}, 4),
    "delayed acknowledgements": ({"flow": {"receiver": {"every": 2}}}, 20),
    "Linux's transport": ({"flow": {"transport": {"preset": "linux"}}}, 20),
    "a neighbour": (
        {"beside": [{"name": MODERN, "from": "a", "to": "b", "packet": "1500B", "control": MODERN}]},
        1,
    ),
}


def _on(path: str) -> Work:
    change, least = PATHS[path]

    def work(subject: Scheme) -> str | None:
        got = goodput(subject, **json.loads(json.dumps(change)))
        if got < least:
            return f"it received {got:.3g} packets a second; expected at least {least:g}"
        return None

    return work


def _repeats(subject: Scheme) -> str | None:
    lossy = {"line": {"loss": {"kind": "bernoulli", "probability": 0.01}}}
    first, second = digest(subject, **lossy), digest(subject, **lossy)
    return None if first == second else f"two runs of one scenario have digests {first} and {second}; expected the same"


def _elsewhere(subject: Scheme) -> str | None:
    text = scenario(subject, line={"loss": {"kind": "bernoulli", "probability": 0.01}}).to_json()
    here = run_once(text, 1).digest
    there = elsewhere(text)
    if here != there:
        return (
            f"in a process with other hash values of texts the digest is {there}, not {here}; expected that nothing depends on the order "
            "of a set or on hash values"
        )
    return None


def _later(subject: Scheme) -> str | None:
    """Everything happens as much later as the flow starts."""
    times = [goodput(subject, flow={"start": start}, duration=f"{10 + after}s", warm_up=f"{after}s")
             for start, after in (("0s", 0), ("64s", 64))]  # fmt: skip
    if abs(times[0] - times[1]) > 0.05 * max(times):
        return (
            f"from 0 s on it receives {times[0]:.4g} packets a second, and in the same run 64 s later {times[1]:.4g}; expected "
            "about the same: what it does must not depend on the time since the start of the simulation"
        )
    return None


def _reacts(subject: Scheme) -> str | None:
    """Packets that are lost make it send less: without a reaction a queue stays full of retransmissions."""
    result = scenario(subject, line={"queue": {"kind": PLAIN, "buffer": "20pkt"}}).run(seed=1)
    flow = result.flow_summaries()[0]
    sent = float(flow.goodput_pps.mean) * 10
    if flow.drops > 0.3 * max(sent, 1):
        gone = f"{counted(flow.drops, 'packet')} {verb(flow.drops, 'was', 'were')} dropped"
        return f"{gone} for {sent:.0f} that arrived; expected that it slows down when packets are lost"
    return None


CHECKS: list[tuple[str, Work]] = [
    ("parameters", parameters("control")),
    ("determinism", _repeats),
    ("other hash seed", _elsewhere),
    ("time of the start", _later),
    ("reaction to loss", _reacts),
    *((path, _on(path)) for path in PATHS),
    ("bounds of parameters", bounds("control", lambda subject: goodput(subject, duration="2s"))),
]
