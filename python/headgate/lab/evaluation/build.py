"""From a case to a scenario."""

from __future__ import annotations

from typing import Any

from ...scenario.scenario import Scenario
from ..frame.part import Place
from ..frame.places import PACKET, call, contents, dumbbell, flow, rate_text, time_text
from .suite import SuiteCase

#: Packets that a run sends at most, and round trips that it lasts at most; at least `LEAST` seconds, if the packets allow it.
PACKETS, TRIPS, LEAST = 250_000, 400, 8.0


def seconds(case: SuiteCase) -> float:
    """How long a run of a case is: the same for all controls."""
    longest = PACKETS * PACKET * 8 / (case.rate * max(1.0, *case.steps, 1.0))
    wanted = max(LEAST, TRIPS * case.rtt)
    return round(max(min(wanted, longest), 20 * case.rtt, 0.2), 3)


def scenario(case: SuiteCase, control: dict[str, Any], plugins: list[Any] | None = None) -> Scenario:
    """The scenario of a case, in which everything is measured from the first packet to the last: there is no warm-up.

    `plugins` is what a scenario's key of this name has, for a control that is one.
    """
    length = seconds(case)
    fastest = case.rate * max(1.0, *case.steps, 1.0)
    buffer = max(int(case.buffer * case.rate * case.rtt / 8), 3 * PACKET)
    line: dict[str, Any] = {"rate": rate_text(case.rate), "delay": time_text(case.rtt / 2)}
    line["queue"] = {"kind": case.queue, "buffer": f"{buffer}B"}
    if case.loss:
        line["loss"] = {"kind": "bernoulli", "probability": case.loss}
    if case.jitter:
        line["jitter"] = {"mean": time_text(case.jitter)}
    flows = _flows(case, control, length)
    hosts: dict[str, dict[str, Any]] = {host: {} for host in sorted({flow["from"] for flow in flows})}
    if "far" in hosts:
        hosts["far"]["delay"] = time_text(case.rtt * (case.ratio - 1) / 2)
    parts = len(case.steps) + 1
    events = [
        {"at": time_text(length * (i + 1) / parts), "link": "line", "rate": rate_text(case.rate * factor)}
        for i, factor in enumerate(case.steps)
    ]
    data = contents(
        case.name, Place(length, 0.0, []), length / 4, dumbbell(hosts, line, rate_text(min(10 * fastest, 1e11))), flows,
        events=events, plugins=plugins or [],
    )  # fmt: skip
    return Scenario({**data, "seed": case.seed}, "evaluation")


def _flows(case: SuiteCase, control: dict[str, Any], length: float) -> list[dict[str, Any]]:
    if case.kind == "beside":
        return [flow("own", "near", control), flow("other", "far", {"kind": case.other})]
    if case.kind == "itself":
        gap = length / (4 * case.flows)
        return [flow(f"own{i + 1}", f"near{i + 1}", control, start=time_text(i * gap)) for i in range(case.flows)]
    if case.kind == "transfers":
        # Half of the line, in transfers of 100 KB.
        arrivals = {"kind": "poisson", "mean": time_text(100_000 * 8 / (case.rate / 2))}
        load = {"kind": "transfer", "bytes": "100KB"}
        return [flow("own", "near", control, workload=load, arrivals=arrivals)]
    if case.kind == "incast":
        load = {"kind": "transfer", "bytes": "64KB"}
        return [flow(f"own{i + 1}", f"near{i + 1}", control, workload=load) for i in range(case.flows)]
    own = flow("own", "near", control)
    return [own, call("far")] if case.kind == "call" else [own]
