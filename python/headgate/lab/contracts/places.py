"""The scenarios in which a contract is measured: one flow or two with a deep buffer, with losses, or with a delay of one flow alone."""

from __future__ import annotations

from typing import Any

from ... import _core
from ...base.catalogue import has_transport
from ...scenario.baselines import PLAIN
from ..frame.part import Place
from ..frame.subjects import Judged, null_flow

PACKET = 1500

#: Buffers of the lines whose delay is measured, in bandwidth-delay products.
DEEP = 10.0

#: Rates of the line before, over the rate that is measured: an equilibrium reached from below, and one from above.
FROM = (0.25, 4.0)

#: How often the delay of one flow is absent, so that its least round trip stays known, and for how long beyond the delay, in s. Controls
#: that forget do so after 10 s; three round trips of 40 ms are enough for a sample. No packet overtakes those that are still delayed.
EVERY, ABSENT = 9.0, 0.12


def place(
    control: Judged,
    rate: float,
    rtt: float,
    length: float,
    *,
    flows: int = 1,
    buffer: float = DEEP,
    loss: float = 0.0,
    delay: float = 0.0,
    before: float = 1.0,
) -> tuple[dict[str, Any], Place]:
    """The contents of a scenario, and what the metrics have to know of it.

    Args:
        control: of all flows.
        rate: of the line, in bit/s.
        rtt: propagation round trip, in s.
        length: of the run, in s; the first third is not measured.
        flows: how many, all over equal paths.
        buffer: in bandwidth-delay products.
        loss: share of the packets that the line loses at random.
        before: how many times this rate the line has in the first sixth of the run.
        delay: of the first flow's packets beside the propagation, in s: there but for `ABSENT`, and its own length, in each `EVERY`.
    """
    packets = max(20, round(buffer * rate * rtt / 8 / PACKET))
    nodes: list[dict[str, Any]] = [{"name": "g"}, {"name": "h"}, {"name": "sink", "kind": "host"}]
    links: list[dict[str, Any]] = []
    made: list[dict[str, Any]] = []
    for i in range(1, flows + 1):
        nodes.append({"name": f"near{i}", "kind": "host"})
        links.append({"name": f"access{i}", "from": f"near{i}", "to": "g", "rate": _rate(10 * rate * max(1.0, before))})
        flow: dict[str, Any] = {"name": f"own{i}", "from": f"near{i}", "to": "sink", "packet": f"{PACKET}B"}
        # Starts differ, so that no two flows run in step.
        flow |= {"control": control.table, "start": _time((i - 1) * 0.7 * rtt)}
        if has_transport(str(control.table["kind"])):
            flow["transport"] = {"preset": "linux", **control.transport}
        made.append(null_flow(flow, control.null, min(rate, 1e7), rtt) if control.null else flow)
    line: dict[str, Any] = {
        "name": "line",
        "from": "g",
        "to": "h",
        "rate": _rate(before * rate),
        "delay": _time(rtt / 2),
    }
    line["queue"] = {"kind": PLAIN, "buffer": f"{packets}pkt"}
    if loss:
        line["loss"] = {"forward": {"kind": "bernoulli", "probability": loss}}
    links += [line, {"name": "exit", "from": "h", "to": "sink", "rate": _rate(10 * rate * max(1.0, before))}]
    data: dict[str, Any] = {
        "name": "contract",
        "duration": _time(length),
        "warm_up": _time(length / 3),
        "interval": _time(max(0.1, length / 400)),
        # A packet time of the rate that is measured: "1pkt" is one of the rate before.
        "hosts": {"noise": _time(8 * PACKET / rate)},
        "nodes": nodes,
        "links": links,
        "flows": made,
    }
    if delay:
        data["events"] = [
            {"at": _time(k * EVERY + since), "link": "access1", "direction": "forward", "delay": _time(extra)}
            for k in range(int(length / EVERY) + 1)
            for since, extra in ((ABSENT + delay, delay), (EVERY, 0.0))
            if k * EVERY + since < length
        ]
    if before != 1.0:
        data["events"] = [{"at": _time(length / 6), "link": "line", "rate": _rate(rate)}]
    if control.plugins:
        data["plugins"] = list(control.plugins)
    return data, Place(length, length / 3, [(0.0, rate)])


def _time(seconds: float) -> str:
    return _core.quantity_text("s", 1000 * round(seconds * 1e9))


def _rate(bps: float) -> str:
    return _core.quantity_text("bps", round(bps))
