"""From a genome and a scheme to a scenario.

Hosts have a line of their own to a gateway, and the line that all share leads to a second one. A scheme's flows come each from its own
host. If a queue is attacked, one host sends all flows of the aggressor, and beside it are a well-behaved source and a call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ...base.catalogue import parameter_names
from ...base.walks import with_texts
from ...scenario.baselines import baselines
from ..frame.part import Place, Wanted
from ..frame.places import PACKET, call, contents, dumbbell, flow, rate_text, time_text
from ..frame.subjects import Judged
from .genome import Bounds, Candidate
from .objective import STEP, Objective

#: The flow control of the flows through a queue that is attacked.
(BESIDE,) = baselines("attack")["beside"]

#: Maximum number of events of a delay that goes on and off.
_EVENTS = 4000


@dataclass(frozen=True)
class Setting:
    """What all candidates of an attack have in common.

    Attributes:
        control: the flow control of the flows.
        queue: the queue of the line, where it is attacked or held; None if the genome chooses it.
        objective: what is looked for.
        bounds: of the genome.
        noise: of the hosts, as a scenario has it.
    """

    control: Judged
    queue: Judged | None
    objective: Objective
    bounds: Bounds
    noise: str = "1pkt"

    @property
    def subject(self) -> Judged:
        """What is attacked."""
        return self.queue if self.objective.judges == "queue" and self.queue is not None else self.control

    def put(self, other: Judged) -> Setting:
        """The same with another scheme in the place of what is attacked."""
        return replace(self, queue=other) if self.objective.judges == "queue" else replace(self, control=other)

    def length(self, candidate: Candidate) -> float:
        """How long a run of a candidate is, in s."""
        return round(self.objective.longer * self.bounds.length(candidate["rate"], candidate["rtt"]), 9)

    def offset(self, candidate: Candidate) -> float:
        """Time between the starts of two flows, in s: the last one starts in the first half of a run."""
        return min(candidate["offset"], self.length(candidate) / 2 / max(1.0, candidate["flows"] - 1))

    def warm_up(self, candidate: Candidate) -> float:
        """What is not measured, in s: a quarter of a run, and at least an eighth of it after the last start."""
        length = self.length(candidate)
        return round(max(length / 4, (candidate["flows"] - 1) * self.offset(candidate) + length / 8), 9)

    def wanted(self, candidate: Candidate) -> tuple[Wanted, ...]:
        """What is measured."""
        length = self.length(candidate)
        return tuple(w if w.start is None else replace(w, start=w.start * length) for w in self.objective.wanted)


def scenario(candidate: Candidate, at: Setting) -> tuple[dict[str, Any], Place]:
    """The contents of the scenario's file, and what the metrics have to know of it."""
    length, warm_up = at.length(candidate), at.warm_up(candidate)
    rate, rtt = candidate["rate"], candidate["rtt"]
    hosts, flows = (_of_queue if at.objective.judges == "queue" else _of_control)(candidate, at)
    fastest = rate * (4 if at.objective.step else 1)
    access = rate_text(min(10 * fastest * max(1.0, candidate["burst_rate"]), 1e12))
    far = rtt * (candidate["ratio"] - 1) / 2
    links: dict[str, dict[str, Any]] = {}
    for host, first in hosts:
        link = links[host] = _bounded(candidate) if first else {}
        if first is False and far > 0:
            link["delay"] = time_text(far)
        if first is not None and candidate["ack_aggregation"]:
            link.setdefault("aggregation", {})["reverse"] = _gather(candidate["ack_aggregation"])
    line: dict[str, Any] = {"rate": rate_text(rate), "delay": time_text(rtt / 2), "rtt": time_text(rtt)}
    line |= {"classify": "flow", "queue": _queue(candidate, at)}
    if candidate["loss"]:
        line["loss"] = {"forward": {"kind": "bernoulli", "probability": candidate["loss"]}}
    events = _switched(candidate, length, f"access-{hosts[0][0]}")
    rates = [(0.0, rate)]
    if at.objective.step:
        rates.append((STEP * length, 4 * rate))
        events.append({"at": time_text(STEP * length), "link": "line", "rate": rate_text(4 * rate)})
    place = Place(length, warm_up, rates, subject="" if at.objective.judges == "queue" else "own")
    return contents(
        "attack", place, max(length / 400, 0.001), dumbbell(links, line, access), flows, noise=at.noise, events=events,
        plugins=[*at.control.plugins, *(at.queue.plugins if at.queue else ())],
    ), place  # fmt: skip


Hosts = list[tuple[str, bool | None]]


def _of_control(candidate: Candidate, at: Setting) -> tuple[Hosts, list[dict[str, Any]]]:
    """Hosts, each with whether it is the first flow's (None: of bursts), and flows."""
    hosts: Hosts = []
    flows = []
    for i in range(round(candidate["flows"])):
        hosts.append((f"near{i + 1}", i == 0))
        flows.append(_flow(f"own{i + 1}", f"near{i + 1}", at.control, i * at.offset(candidate)))
    return _with_bursts(candidate, hosts, flows)


def _of_queue(candidate: Candidate, at: Setting) -> tuple[Hosts, list[dict[str, Any]]]:
    hosts: Hosts = [("near", True), ("other", False), ("phone", None)]
    flows = [
        _flow(f"aggressor{i + 1}", "near", at.control, i * at.offset(candidate))
        for i in range(round(candidate["flows"]))
    ]
    flows.append(_flow("honest", "other", Judged(BESIDE, {"kind": BESIDE}), 0.0))
    flows.append(call("phone", jitter=0.5))
    return _with_bursts(candidate, hosts, flows)


def _with_bursts(candidate: Candidate, hosts: Hosts, flows: list[dict[str, Any]]) -> tuple[Hosts, list[dict[str, Any]]]:
    if candidate["burst_rate"]:
        period, part = candidate["period"], candidate["burst_length"]
        load = {"kind": "on_off", "spans": "fixed", "rate": rate_text(candidate["burst_rate"] * candidate["rate"])}
        load |= {"on": time_text(period * part), "off": time_text(max(period * (1 - part), 1e-6))}
        bursts = {"name": "bursts", "from": "burster", "to": "sink", "packet": f"{PACKET}B", "control": "none"}
        hosts.append(("burster", None))
        flows.append({**bursts, "workload": load, "acknowledge": False})
    return hosts, flows


def _flow(name: str, host: str, control: Judged, start: float) -> dict[str, Any]:
    return flow(name, host, control.table, control.transport, **({"start": time_text(start)} if start else {}))


def _queue(candidate: Candidate, at: Setting) -> dict[str, Any]:
    table = dict(at.queue.table) if at.queue else {"kind": candidate.queue}
    packets = max(3, round(candidate["buffer"] * candidate["rate"] * candidate["rtt"] / 8 / PACKET))
    known = parameter_names("disciplines").get(str(table["kind"]), ())
    if "buffer" in known:
        table.setdefault("buffer", f"{packets}pkt")
    if "limit" in known and "buffer" not in known:
        table.setdefault("limit", f"{packets}pkt")
    if table["kind"] == "red":
        # A sixth and a half of the buffer, as ns-2 and Linux's examples have it: the defaults are numbers of packets.
        table.setdefault("min_threshold", f"{max(1, packets // 6)}pkt")
        table.setdefault("max_threshold", f"{max(2, packets // 2)}pkt")
    return table


def _bounded(candidate: Candidate) -> dict[str, Any]:
    """The law of the first flow's delay where it is one of its link."""
    if candidate.pattern == "uniform":
        return {"jitter": {"forward": {"mean": time_text(candidate["delay"] / 2), "law": {"kind": "uniform"}}}}
    if candidate.pattern == "sawtooth":
        return {"aggregation": {"forward": _gather(candidate["delay"])}}
    return {}


def _gather(every: float) -> dict[str, Any]:
    return {"packets": 100_000, "every": time_text(every)}


def _switched(candidate: Candidate, length: float, link: str) -> list[dict[str, Any]]:
    """The changes of the first flow's delay between nothing and its bound."""
    if candidate.pattern == "worst":
        times = list(candidate.times)
    elif candidate.pattern == "on-off":
        half = max(candidate["period"] / 2, length / _EVENTS)
        times = [half * (i + 1) for i in range(int(length / half))]
    else:
        return []
    return [
        {
            "at": time_text(t),
            "link": link,
            "direction": "forward",
            "delay": time_text(0.0 if i % 2 else candidate["delay"]),
        }
        for i, t in enumerate(times)
        if t < length * 0.999
    ]


def compact(data: dict[str, Any]) -> dict[str, Any]:
    """A scenario in which entries of a list that differ in the number of their names alone are one entry with a count.

    >>> compact({"nodes": [{"name": "near1"}, {"name": "near2"}, {"name": "near3"}]})
    {'nodes': [{'name': 'near{i}', 'count': 3}]}
    """
    out = dict(data)
    for key in ("nodes", "links", "flows"):
        made: list[dict[str, Any]] = []
        first: list[int] = []
        for entry in data.get(key, []):
            number = re.search(r"(?<=[a-z])\d+$", entry["name"])
            pattern = with_texts(entry, partial(_numbered(number[0]).sub, "{i}")) if number else entry
            last = made[-1] if made else {}
            same = {k: v for k, v in last.items() if k not in ("count", "first")} == pattern
            if number and same and int(number[0]) == first[-1] + last["count"]:
                last["count"] += 1
                continue
            first.append(int(number[0]) if number else 0)
            made.append({**pattern, **({"first": first[-1]} if first[-1] > 1 else {}), "count": 1} if number else entry)
        out[key] = [
            _alone(entry, k) if entry.get("count") == 1 else entry for entry, k in zip(made, first, strict=True)
        ]
        if key not in data:
            del out[key]
    return out


def _numbered(number: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=near){number}\b|(?<=own){number}\b|(?<=aggressor){number}\b")


def _alone(entry: dict[str, Any], number: int) -> dict[str, Any]:
    """An entry with a count of one, as it was."""
    own = {k: v for k, v in entry.items() if k not in ("count", "first")}
    found: dict[str, Any] = with_texts(own, lambda text: text.replace("{i}", str(number)))
    return found
