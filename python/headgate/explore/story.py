"""The way of one packet through a port, in numbers and in sentences: what waited before it, what was decided and by which rule."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .. import _core
from ..base.catalogue import catalogue
from ..base.units import scale_of
from .numbers import KNOWN, said
from .numbers import shown as numbers_shown
from .packets import AtPort, Followed, followed, name_of, port_of, shown
from .rules import order_of, sentences
from .store import Finished
from .wire import RequestError

#: Why a packet was dropped, by the engine's reason.
RULES = {
    "full": "The buffer was full when the packet came, so the packet was refused.",
    "evicted": "The packet waited in the queue and was dropped to make room for another one.",
    "early": "The discipline dropped the packet before the buffer was full, at random or by its rule.",
}

#: Part of a round trip in which news of a packet hardly comes back to its sender.
_SOON = 0.25

#: Seconds after a drop in which a change of the window is looked for, as round trips of the flow.
_AFTER = 4.0


def way_of(run: Finished, part: Followed, port: str, number: int) -> dict[str, Any]:
    """A packet at a port.

    Raises:
        RequestError: no such port or packet.
    """
    place = port_of(run, port)
    packets = part.at(place)
    i = packets.place(number)
    if i is None:
        raise RequestError(
            404, f"packet {number}; expected one that came to {port[:80]} from {part.start:g} to {part.until:g} s"
        )
    packet = shown(run, packets, i)
    ahead = _ahead(packets, i)
    queue = _discipline(run, place)
    counts = np.bincount(packets.flow[ahead])
    behind = [{"flow": name_of(run, f), "packets": int(n)} for f, n in enumerate(counts.tolist()) if n]
    return {
        "packet": {**packet, "port": port},
        "waited_behind": sorted(behind, key=lambda b: -int(str(b["packets"]))),
        "decision": _decision(queue, packet, packets.numbers(i), int(ahead.sum())),
        "story": _story(run, part, port, queue["kind"], packet, packets, i, ahead),
        "followed": followed(part),
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


def _decision(queue: dict[str, Any], packet: dict[str, Any], told: dict[str, float], ahead: int) -> dict[str, Any]:
    known = catalogue("disciplines")
    summary = (
        known[queue["kind"]].summary
        if queue["kind"] in known
        else "A host's own queue: first come, first served, unlimited."
    )
    if packet["reason"] is not None:
        rule = f"{RULES[packet['reason']]} {queue['kind']}: {summary}"
    elif packet["started"] is None:
        rule = f"The packet still waited at the end of what is followed. {queue['kind']}: {summary}"
    else:
        rule = f"{queue['kind']}: {summary}"
    numbers: list[dict[str, Any]] = []
    if not told:
        about = "Packets that waited in this queue when it came."
        numbers.append({"name": "waited when it came", "value": ahead, "unit": "packets", "about": about})
    if packet["started"] is not None:
        waited = packet["started"] - packet["arrived"]
        about = "Time from its arrival to the start of its transmission."
        numbers.append({"name": "its wait", "value": waited, "unit": "s", "about": about})
    if not told and "buffer" in queue:
        numbers.append({"name": "buffer", "value": queue["buffer"], "unit": "", "about": "Capacity of the buffer."})
    if "drop_policy" in queue and packet["reason"] is not None:
        about = "Which packet is dropped from a full buffer."
        numbers.append({"name": "drop policy", "value": queue["drop_policy"], "unit": "", "about": about})
    return {"rule": rule, "numbers": numbers + numbers_shown(told)}


def _story(
    run: Finished,
    part: Followed,
    port: str,
    kind: str,
    packet: dict[str, Any],
    packets: AtPort,
    i: int,
    ahead: Any,
) -> list[str]:
    flow, came = packet["flow"], packet["arrived"]
    waiting = int(ahead.sum())
    own = int((packets.flow[ahead] == packets.flow[i]).sum())
    told = [
        (
            f"Packet {packet['seq']} of the trace, {packet['bytes']} bytes of {flow}, came to the line at {came:.6f} s; "
            if run.done.get("kind") == "replay"
            else f"Packet {packet['seq']} of {flow}, {packet['bytes']} bytes, came to {port} at {came:.6f} s; "
        )
        + (f"{waiting} packets waited there, {own} of them of {flow}." if waiting else "nothing waited there.")
    ]
    fate = packet["reason"] or ("waits" if packet["started"] is None else "sent")
    told += sentences(kind, packets.numbers(i), fate)
    if packet["dropped"] is not None:
        told.append(_dropped(run, packet, packets, i))
        told += _after_drop(run, packet, packets, i)
    elif packet["started"] is None:
        end = "the run ended" if part.until >= run.until else f"the part that is followed ended, at {part.until:.6f} s"
        told.append(f"It still waited when {end}.")
    else:
        told.append(
            f"Its transmission began at {packet['started']:.6f} s, after a wait of {_time(packet['started'] - came)}, and ended at "
            f"{packet['left']:.6f} s."
        )
        told += _overtaken(kind, packet, packets, i, ahead)
        if packet["marked"]:
            told.append("It carried a congestion mark when it left.")
            told += _window_fell(run, flow, packet["left"])
    return told


def _dropped(run: Finished, packet: dict[str, Any], packets: AtPort, i: int) -> str:
    came, gone, reason = packet["arrived"], packet["dropped"], packet["reason"]
    if gone <= came:
        return f"It was dropped at once ({reason})."
    first, last = np.searchsorted(packets.arrived, [gone, np.nextafter(gone, np.inf)]).tolist()
    by = next((k for k in range(first, last) if packets.start[k] != gone or packets.reason[k] <= 0), None)
    room = ""
    if by is not None:
        room = f", to make room for packet {packets.seq[by]} of {name_of(run, int(packets.flow[by]))}, which came then"
    return f"It waited {_time(gone - came)} and was dropped at {gone:.6f} s ({reason}){room}."


def _overtaken(kind: str, packet: dict[str, Any], packets: AtPort, i: int, ahead: Any) -> list[str]:
    """Which packets left before it although they came later, and the other way round, with the numbers that decided."""
    sent = packets.reason == 0
    later = sent & (packets.arrived > packet["arrived"]) & (packets.start < packet["started"])
    passed = ahead & ~(packets.start <= packet["started"])
    told = []
    order = order_of(kind)
    own = packets.numbers(i).get(order, np.nan) if order else np.nan
    if order and own == own:
        before = np.flatnonzero(
            (ahead | later) & sent & (packets.start < packet["started"]) & (packets.flow != packets.flow[i])
        )
        smaller = int((packets.told.column(before, order) < own).sum()) if packets.told is not None else 0
        text = f"Its {order} was {said(own, KNOWN[order][0])}"
        told.append(
            f"{text}; {_count(smaller)} of other flows had smaller ones and left before it." if smaller
            else f"{text}, and no packet of another flow with a smaller one left before it while it waited."
        )  # fmt: skip
    if later.any():
        told.append(f"{_count(int(later.sum()))} that came after it left before it.")
    if passed.any():
        told.append(f"{_count(int(passed.sum()))} that waited when it came left after it.")
    return told


def _count(packets: int) -> str:
    return said(float(packets), "packets")


def _after_drop(run: Finished, packet: dict[str, Any], packets: AtPort, i: int) -> list[str]:
    """What the sender did when it learned of the drop, as far as it can be seen."""
    told = []
    again = (packets.flow == packets.flow[i]) & (packets.seq == packets.seq[i]) & (packets.arrived > packet["dropped"])
    if again.any():
        when = float(packets.arrived[again][0])
        told.append(
            f"The sender sent it again: the copy came at {when:.6f} s, {_time(when - packet['dropped'])} later."
        )
    return told + _window_fell(run, packet["flow"], packet["dropped"])


def _window_fell(run: Finished, flow: str, since: float) -> list[str]:
    """The first fall of a flow's window within a few round trips."""
    window = next((v for v in run.views if v.name == "window"), None)
    line = next((x for x in window.lines if x.flow == flow), None) if window is not None else None
    rtt = next((f["rtt_ms"] for f in run.done["flows"] if f["name"] == flow), None)
    if line is None or rtt is None or not rtt > 0:
        return []
    first, last = np.searchsorted(line.t, [since, since + _AFTER * rtt / 1e3]).tolist()
    steps = np.diff(line.y[max(first - 1, 0) : last])
    falls = np.flatnonzero(steps < 0)
    if not falls.size:
        return [f"Its sender's window did not fall within {_AFTER:.0f} round trips of {_time(rtt / 1e3)}."]
    k = max(first - 1, 0) + int(falls[0])
    when, before = float(line.t[k + 1]), float(line.y[k])
    if when - since < _SOON * rtt / 1e3:
        return ["Its sender's window was falling already: an earlier loss or mark had come to its notice."]
    # Some flow controls cut the window a packet at a time.
    end = int(np.searchsorted(line.t, when + rtt / 1e3, "right"))
    return [
        f"Its sender's window began to fall at {when:.6f} s, {_time(when - since)} later, which is {(when - since) * 1e3 / rtt:.1f} "
        f"round trips: from {before:.1f} packets to {line.y[k + 1 : end].min():.1f} within another one."
    ]


def _time(s: float) -> str:
    factor, unit = scale_of("s", [s])
    return f"{s * factor:.3g} {unit}"
