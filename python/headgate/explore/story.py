"""The way of one packet through a port, in numbers and in sentences: what waited before it, what was decided and by which rule."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .. import _core
from ..lists import catalogue
from ..plots.units import scale_of
from .packets import AtPort, name_of, packets_of, port_of, shown
from .store import Finished
from .wire import RequestError

#: Why a packet was dropped, by the engine's reason.
RULES = {
    "full": "The buffer was full when the packet came, so the packet was refused.",
    "evicted": "The packet waited in the queue and was dropped to make room for another one.",
    "early": "The discipline dropped the packet before the buffer was full, at random or by its rule.",
}

#: Seconds after a drop in which a change of the window is looked for, as round trips of the flow.
_AFTER = 4.0


def way_of(run: Finished, port: str, number: int) -> dict[str, Any]:
    """A packet at a port.

    Raises:
        RequestError: no such port or packet.
    """
    place = port_of(run, port)
    all_packets = packets_of(run)
    packets = all_packets.at(place)
    if not 0 <= number < packets.flow.size:
        raise RequestError(404, f"packet {number}; expected a number below {packets.flow.size}")
    packet = shown(run, packets, number)
    ahead = _ahead(packets, number)
    gauges = all_packets.gauges(int(packets.row[number])) if packets.reason[number] > 0 else {}
    decision = _decision(run, place, packet, int(ahead.sum()), gauges)
    counts = np.bincount(packets.flow[ahead])
    behind = [{"flow": name_of(run, f), "packets": int(n)} for f, n in enumerate(counts.tolist()) if n]
    return {
        "packet": {**packet, "port": port},
        "waited_behind": sorted(behind, key=lambda b: -int(str(b["packets"]))),
        "decision": decision,
        "story": _story(run, port, packet, packets, number, ahead),
    }


def _ahead(packets: AtPort, i: int) -> Any:
    """Which packets waited when this one came."""
    found = packets.waiting(float(packets.arrived[i]))
    found[i:] = False
    return found


def _discipline(run: Finished, port: int) -> dict[str, Any]:
    """The discipline of a port with its parameters, as the resolved scenario has them."""
    if "disciplines" in run.more:
        return dict(run.more["disciplines"][port])
    whole = run.more.get("resolved")
    if whole is None:
        whole = run.more["resolved"] = json.loads(_core.check(json.dumps(run.as_run)))
    link = whole["links"][port // 2]
    chosen = link.get("reverse_queue") if port % 2 and link.get("reverse_queue") else link["queue"]
    nodes = {n["name"]: n["kind"] for n in whole["nodes"]}
    if nodes[link["to"] if port % 2 else link["from"]] == "host":
        return {"kind": "host"}
    return dict(chosen)


def _decision(run: Finished, port: int, packet: dict[str, Any], ahead: int, gauges: dict[str, float]) -> dict[str, Any]:
    queue = _discipline(run, port)
    known = catalogue("disciplines")
    summary = (
        known[queue["kind"]].summary
        if queue["kind"] in known
        else "A host's own queue: first come, first served, unlimited."
    )
    if packet["reason"] is not None:
        rule = f"{RULES[packet['reason']]} {queue['kind']}: {summary}"
    elif packet["started"] is None:
        rule = f"The packet still waited when the run ended. {queue['kind']}: {summary}"
    else:
        rule = f"{queue['kind']}: {summary}"
    numbers = [{"name": "packets that waited when it came", "value": ahead, "unit": "packets"}]
    if packet["started"] is not None:
        numbers.append({"name": "its wait", "value": packet["started"] - packet["arrived"], "unit": "s"})
    if "buffer" in queue:
        numbers.append({"name": "buffer", "value": queue["buffer"], "unit": ""})
    if "drop_policy" in queue and packet["reason"] is not None:
        numbers.append({"name": "drop policy", "value": queue["drop_policy"], "unit": ""})
    for name, value in gauges.items():
        # Counts of operations say what a discipline costs, not what it decides.
        if not name.startswith(("insert", "get")):
            numbers.append(
                {"name": name.replace("_", " "), "value": value, "unit": "bit/s" if name.endswith("_bps") else ""}
            )
    return {"rule": rule, "numbers": numbers}


def _story(run: Finished, port: str, packet: dict[str, Any], packets: AtPort, i: int, ahead: Any) -> list[str]:
    flow, came = packet["flow"], packet["arrived"]
    waiting = int(ahead.sum())
    own = int((packets.flow[ahead] == packets.flow[i]).sum())
    told = [
        f"Packet {packet['seq']} of {flow}, {packet['bytes']} bytes, came to {port} at {came:.6f} s; "
        + (f"{waiting} packets waited there, {own} of them of {flow}." if waiting else "nothing waited there.")
    ]
    if packet["dropped"] is not None:
        held = packet["dropped"] - came
        told.append(
            f"It was dropped at once ({packet['reason']})."
            if held <= 0
            else f"It waited {_time(held)} and was dropped at {packet['dropped']:.6f} s ({packet['reason']})."
        )
        told += _after_drop(run, packet, packets, i)
    elif packet["started"] is None:
        told.append("It still waited when the run ended.")
    else:
        later = (packets.arrived > came) & (packets.start < packet["started"]) & (packets.reason == 0)
        first = int(later.sum())
        told.append(
            f"Its transmission began at {packet['started']:.6f} s, after a wait of {_time(packet['started'] - came)}, and ended at "
            f"{packet['left']:.6f} s."
        )
        if first:
            told.append(f"{first} packets that came after it left before it.")
        if packet["marked"]:
            told.append("It carried a congestion mark when it left.")
    return told


def _after_drop(run: Finished, packet: dict[str, Any], packets: AtPort, i: int) -> list[str]:
    """What the sender did when it learned of the drop, as far as it can be seen."""
    told = []
    again = (packets.flow == packets.flow[i]) & (packets.seq == packets.seq[i]) & (packets.arrived > packet["dropped"])
    if again.any():
        when = float(packets.arrived[again][0])
        told.append(
            f"The sender sent it again: the copy came at {when:.6f} s, {_time(when - packet['dropped'])} later."
        )
    window = next((v for v in run.views if v.name == "window"), None)
    line = next((x for x in window.lines if x.flow == packet["flow"]), None) if window is not None else None
    rtt = next((f["rtt_ms"] for f in run.done["flows"] if f["name"] == packet["flow"]), None)
    if line is not None and rtt is not None and rtt == rtt:
        first, last = np.searchsorted(line.t, [packet["dropped"], packet["dropped"] + _AFTER * rtt / 1e3]).tolist()
        steps = np.diff(line.y[max(first - 1, 0) : last])
        falls = np.flatnonzero(steps < 0)
        if falls.size:
            k = max(first - 1, 0) + int(falls[0])
            told.append(
                f"Its window fell from {line.y[k]:.1f} to {line.y[k + 1]:.1f} packets at {line.t[k + 1]:.6f} s."
            )
    return told


def _time(s: float) -> str:
    factor, unit = scale_of("s", [s])
    return f"{s * factor:.3g} {unit}"
