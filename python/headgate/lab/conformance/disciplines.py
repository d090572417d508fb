"""Tests of a discipline: one function each, which gives nothing, or what is wrong.

The engine itself sees to it that no packet is lost or invented.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...replays import replay
from ...scenario.baselines import MODERN
from ...scenario.scenario import Scenario
from ...scenario.subjects import Scheme
from .parameters import bounds, other_hash, parameters

#: Gives a sentence about what is wrong, or nothing.
Work = Callable[[Scheme], str | None]


def _next(state: int) -> int:
    """A step of a generator of numbers (Knuth's MMIX), the same everywhere."""
    return (state * 6364136223846793005 + 1442695040888963407) % 2**64


def trace(seed: int, packets: int, pattern: str) -> dict[str, list[Any]]:
    """Packets of four flows.

    `busy` arrive faster than the line of 1 Mbit/s sends, `bursts` in groups at one instant with pauses, `light` one by one.
    """
    out: dict[str, list[Any]] = {"time_s": [], "flow": [], "size_bytes": [], "ecn": []}
    state, now = seed, 0.0
    for number in range(packets):
        state = _next(state)
        chance = state >> 33
        if pattern == "busy":
            now += (chance % 9000) / 1e6
        elif pattern == "bursts":
            now += (chance % 300000) / 1e6 if number % 12 == 0 else 0.0
        else:
            now += 0.02 + (chance % 30000) / 1e6
        state = _next(state)
        chance = state >> 33
        out["time_s"].append(round(now, 6))
        out["flow"].append("abcd"[chance % 4])
        out["size_bytes"].append((40, 576, 1500, 1, 9000)[(chance >> 8) % 5])
        out["ecn"].append((0, 1, 2)[(chance >> 16) % 3])
    return out


def _rows(
    subject: Scheme, seed: int, pattern: str, packets: int = 400
) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    import pyarrow as pa

    sent = trace(seed, packets, pattern)
    result = replay(pa.table(sent), queue=subject.table, rate="1Mbit/s", seed=seed)
    rows = result.packets(subject.name)
    return sent, {"departure_s": [float(value) for value in rows["departure_s"]]}


def _on(pattern: str) -> Work:
    def work(subject: Scheme) -> str | None:
        for seed in (1, 2, 3):
            sent, rows = _rows(subject, seed, pattern)
            last: dict[str, float] = {}
            for i, (flow, departure) in enumerate(zip(sent["flow"], rows["departure_s"], strict=True)):
                if departure != departure:
                    continue
                if departure < last.get(flow, -1.0):
                    return f"packet {i} of flow {flow} left before one that arrived earlier; expected that the order within a flow is kept"
                last[flow] = departure
            if not last:
                return "no packet left; expected that it lets packets pass"
        return None

    return work


def _repeats(subject: Scheme) -> str | None:
    first, second = (_rows(subject, 7, "busy")[1]["departure_s"] for _ in range(2))
    same = all(a == b or (a != a and b != b) for a, b in zip(first, second, strict=True))
    return None if same else "the same packets left at other times in a second run; expected the same"


def scenario(subject: Scheme, **change: Any) -> Scenario:
    """Two flows of cubic, a constant one and a mark-capable one over a line of 10 Mbit/s with this discipline."""
    flow = {"from": "a", "to": "b", "packet": "1500B"}
    flows = [
        {**flow, "name": "first", "control": MODERN},
        {**flow, "name": "second", "control": "dctcp", "start": "1s"},
        {**flow, "name": "third", "control": "none", "workload": {"kind": "cbr", "rate": "500kbit/s"}, "weight": 2},
    ]
    data = {
        "duration": "10s",
        "plugins": list(subject.plugins),
        "nodes": [{"name": n, "kind": "host"} for n in "ab"] + [{"name": "g"}],
        "links": [
            {"from": "a", "to": "g", "rate": "1Gbit/s"},
            {
                "name": "line",
                "from": "g",
                "to": "b",
                "rate": "10Mbit/s",
                "delay": "10ms",
                "queue": subject.table,
                "classify": "flow",
            },
        ],
        "flows": flows,
        **change,
    }
    return Scenario(data)


def _elsewhere(subject: Scheme) -> str | None:
    return other_hash(scenario(subject))


def _serves(**change: Any) -> Work:
    def work(subject: Scheme) -> str | None:
        result = scenario(subject, **change).run(seed=1)
        got = sum(float(flow.goodput_pps.mean) for flow in result.flow_summaries())
        return None if got > 100 else f"all flows together received {got:.3g} packets a second; expected more than 100"

    return work


CHECKS: list[tuple[str, Work]] = [
    ("parameters", parameters("discipline")),
    ("determinism", _repeats),
    ("other hash seed", _elsewhere),
    ("more packets than the line sends", _on("busy")),
    ("bursts at one instant, and pauses", _on("bursts")),
    ("one packet at a time", _on("light")),
    ("flows with flow control", _serves()),
    ("a line that changes its rate", _serves(events=[{"at": "4s", "link": "line", "rate": "3Mbit/s"}])),
    (
        "a line that is off for 2 s",
        _serves(events=[{"at": "4s", "link": "line", "up": False}, {"at": "6s", "link": "line", "up": True}]),
    ),
    (
        "bounds of parameters",
        bounds("discipline", lambda subject: scenario(subject, duration="2s").run()),
    ),
]
