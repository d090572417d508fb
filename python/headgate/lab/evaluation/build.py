"""From a case to a scenario."""

from __future__ import annotations

from typing import Any

from ...base.catalogue import has_transport
from ...scenario.scenario import Scenario
from .suite import SuiteCase

#: Packets that a run sends at most, and round trips that it lasts at most; at least `LEAST` seconds, if the packets allow it.
PACKETS, TRIPS, LEAST = 250_000, 400, 8.0

_PACKET = 1500


def seconds(case: SuiteCase) -> float:
    """How long a run of a case is: the same for all controls."""
    longest = PACKETS * _PACKET * 8 / (case.rate * max(1.0, *case.steps, 1.0))
    wanted = max(LEAST, TRIPS * case.rtt)
    return round(max(min(wanted, longest), 20 * case.rtt, 0.2), 3)


def scenario(case: SuiteCase, control: Any, plugins: list[Any] | None = None) -> Scenario:
    """The scenario of a case, in which everything is measured from the first packet to the last: there is no warm-up.

    `plugins` is what a scenario's key of this name has, for a control that is one.
    """
    length = seconds(case)
    line: dict[str, Any] = {
        "name": "line",
        "from": "g",
        "to": "h",
        "rate": f"{round(case.rate)}bit/s",
        "delay": _time(case.rtt / 2),
        "queue": {"kind": case.queue, "buffer": f"{max(int(case.buffer * case.rate * case.rtt / 8), 3 * _PACKET)}B"},
    }
    if case.loss:
        line["loss"] = {"kind": "bernoulli", "probability": case.loss}
    if case.jitter:
        line["jitter"] = {"mean": _time(case.jitter)}
    flows = _flows(case, control, length, has_transport(control["kind"] if isinstance(control, dict) else control))
    hosts = sorted({flow["from"] for flow in flows})
    access = f"{round(min(10 * case.rate * max(1.0, *case.steps, 1.0), 1e11))}bit/s"
    nodes = [{"name": name, "kind": "host"} for name in [*hosts, "sink"]] + [{"name": "g"}, {"name": "h"}]
    links = [
        {"name": f"access-{name}", "from": name, "to": "g", "rate": access}
        | ({"delay": _time(case.rtt * (case.ratio - 1) / 2)} if name == "far" else {})
        for name in hosts
    ]
    data: dict[str, Any] = {
        "name": case.name,
        "seed": case.seed,
        "duration": _time(length),
        "warm_up": "0s",
        "interval": _time(length / 4),
        "hosts": {"noise": "1pkt"},
        "nodes": nodes,
        "links": [*links, line, {"name": "exit", "from": "h", "to": "sink", "rate": access}],
        "flows": flows,
    }
    if case.steps:
        parts = len(case.steps) + 1
        data["events"] = [
            {"at": _time(length * (i + 1) / parts), "link": "line", "rate": f"{round(case.rate * factor)}bit/s"}
            for i, factor in enumerate(case.steps)
        ]
    if plugins:
        data["plugins"] = plugins
    return Scenario(data, "evaluation")


def _time(value: float) -> str:
    return f"{round(value * 1e9)}ns"


def _flows(case: SuiteCase, control: Any, length: float, options: bool) -> list[dict[str, Any]]:
    # All have the transport of Linux, as far as they take one.
    linux = {"transport": {"preset": "linux"}}
    own = {"from": "near", "to": "sink", "packet": f"{_PACKET}B", "control": control, **(linux if options else {})}
    known = {**own, "control": case.other, **linux}
    if case.kind == "alone":
        return [{**own, "name": "own"}]
    if case.kind == "beside":
        return [{**own, "name": "own"}, {**known, "name": "other", "from": "far"}]
    if case.kind == "itself":
        gap = length / (4 * case.flows)
        return [
            {**own, "name": f"own{i + 1}", "from": f"near{i + 1}", "start": _time(i * gap)} for i in range(case.flows)
        ]
    if case.kind == "transfers":
        # Half of the line, in transfers of 100 KB.
        every = 100_000 * 8 / (case.rate / 2)
        arrivals = {"kind": "poisson", "mean": _time(every)}
        return [{**own, "name": "own", "workload": {"kind": "transfer", "bytes": "100KB"}, "arrivals": arrivals}]
    if case.kind == "incast":
        workload = {"kind": "transfer", "bytes": "64KB"}
        return [{**own, "name": f"own{i + 1}", "from": f"near{i + 1}", "workload": workload} for i in range(case.flows)]
    call = {"kind": "cbr", "rate": "64kbit/s"}
    voice = {"name": "call", "from": "far", "to": "sink", "packet": "160B", "workload": call, "control": "none"}
    return [{**own, "name": "own"}, voice]
