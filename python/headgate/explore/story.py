"""One packet at a port, in numbers and in sentences: which packets waited before it, what was decided about it, and by which rule."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .. import _core
from ..base.catalogue import catalogue
from ..base.counts import counted
from ..base.units import scale_of
from .numbers import KNOWN, with_unit
from .numbers import shown as numbers_shown
from .packets import AtPort, Followed, followed, name_of, port_of, shown
from .rules import order_of, sentences
from .store import Finished
from .wire import RequestError

#: What happened to a packet that was dropped, by the engine's reason.
DROPPED = dict(zip(_core.DROP_REASONS, _core.DROP_REASON_ABOUT, strict=True))

#: Part of a round trip within which a sender cannot have learned of the loss or the mark of a packet.
_SOON = 0.25

#: Round trips of the flow after a drop within which a fall of the window is attributed to it.
_AFTER = 4.0


def story_of(run: Finished, part: Followed, port: str, number: int) -> dict[str, Any]:
    """A packet at a port.

    Raises:
        RequestError: no such port or packet.
    """
    place = port_of(run, port)
    packets = part.at(place)
    i = packets.place(number)
    if i is None:
        raise RequestError(
            404, f"packet {number}; expected one that arrived at {port[:80]} from {part.start:g} to {part.until:g} s"
        )
    packet = shown(run, packets, i)
    ahead = _ahead(packets, i)
    queue = _discipline(run, place)
    counts = np.bincount(packets.flow[ahead])
    behind = [{"flow": name_of(run, f), "packets": int(n)} for f, n in enumerate(counts.tolist()) if n]
    return {
        "packet": {**packet, "port": port},
        "waited_behind": sorted(behind, key=lambda b: -int(str(b["packets"]))),
        "decision": _decision(queue, packet, packets, i, int(ahead.sum())),
        "story": _story(run, part, port, queue, packet, packets, i, ahead),
        "followed": followed(part),
    }


def _ahead(packets: AtPort, i: int) -> Any:
    """Which packets waited when this one arrived."""
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


def _decision(queue: dict[str, Any], packet: dict[str, Any], packets: AtPort, i: int, ahead: int) -> dict[str, Any]:
    known, deciding = catalogue("disciplines"), packets.numbers(i)
    summary = (
        known[queue["kind"]].summary
        if queue["kind"] in known
        else "A host's own queue: first come, first served, unlimited."
    )
    if packet["reason"] is not None:
        rule = f"{DROPPED[packet['reason']]} {queue['kind']}: {summary}"
    elif packet["started"] is None:
        rule = f"The packet still waited at the end of what is followed. {queue['kind']}: {summary}"
    else:
        rule = f"{queue['kind']}: {summary}"
    numbers: list[dict[str, Any]] = []
    if not deciding:
        about = "Packets that waited in this queue when it arrived."
        numbers.append({"name": "waited when it arrived", "value": ahead, "unit": "packets", "about": about})
    if packet["started"] is not None:
        waited = packet["started"] - packet["arrived"]
        about = "Time from its arrival to the start of its transmission."
        numbers.append({"name": "its wait", "value": waited, "unit": "s", "about": about})
    if not deciding and "buffer" in queue:
        numbers.append({"name": "buffer", "value": queue["buffer"], "unit": "", "about": "Capacity of the buffer."})
    if "drop_policy" in queue and packet["reason"] is not None:
        about = "Which packet is dropped from a full buffer."
        numbers.append({"name": "drop policy", "value": queue["drop_policy"], "unit": "", "about": about})
    of = {"arrival": deciding, "departure": packets.leaving(i)}
    taken = [
        {"moment": moment, "at": at, "decision": decision, "reason": reason, "numbers": numbers_shown(of[moment])}
        for moment, at, decision, reason in packets.taken(i)
    ]
    return {"rule": rule, "numbers": numbers, "taken": taken}


def _story(
    run: Finished,
    part: Followed,
    port: str,
    queue: dict[str, Any],
    packet: dict[str, Any],
    packets: AtPort,
    i: int,
    ahead: Any,
) -> list[str]:
    flow, arrived = packet["flow"], packet["arrived"]
    waiting = int(ahead.sum())
    own = int((packets.flow[ahead] == packets.flow[i]).sum())
    story = [
        (
            f"Packet {packet['seq']} of the trace, {packet['bytes']} bytes of {flow}, arrived at the line at {arrived:.6f} s; "
            if run.done.get("kind") == "replay"
            else f"Packet {packet['seq']} of {flow}, {packet['bytes']} bytes, arrived at {port} at {arrived:.6f} s; "
        )
        + (
            f"{counted(waiting, 'packet')} waited there, {own} of them of {flow}."
            if waiting
            else "nothing waited there."
        )
    ]
    outcome = packet["reason"] or ("waits" if packet["started"] is None else "sent")
    aqm = (queue.get("aqm") or {}).get("kind")
    taken = {moment: decision for moment, _, decision, _ in packets.taken(i)}
    story += sentences(queue["kind"], packets.numbers(i), outcome, aqm)
    if taken.get("arrival") == "marked":
        story.append("It was marked as it arrived.")
    if "departure" in taken:
        left = "marked" if taken["departure"] == "marked" else outcome
        story += sentences(queue["kind"], packets.leaving(i), left, aqm, leaves=True)
    if packet["dropped"] is not None:
        story.append(_dropped(run, packet, packets, i))
        story += _after_drop(run, packet, packets, i)
    elif packet["started"] is None:
        end = "the run ended" if part.until >= run.until else f"the part that is followed ended, at {part.until:.6f} s"
        story.append(f"It still waited when {end}.")
    else:
        story.append(
            f"Its transmission began at {packet['started']:.6f} s, after a wait of {_time(packet['started'] - arrived)}, and ended at "
            f"{packet['left']:.6f} s."
        )
        story += _overtaken(queue["kind"], packet, packets, i, ahead)
        if packet["marked"]:
            story.append("It carried a congestion mark when it left.")
            story += _window_fell(run, flow, packet["left"])
    return story


def _dropped(run: Finished, packet: dict[str, Any], packets: AtPort, i: int) -> str:
    arrived, dropped, reason = packet["arrived"], packet["dropped"], packet["reason"]
    if dropped <= arrived:
        return f"It was dropped at once ({reason})."
    first, last = np.searchsorted(packets.arrived, [dropped, np.nextafter(dropped, np.inf)]).tolist()
    by = next((k for k in range(first, last) if packets.start[k] != dropped or packets.reason[k] <= 0), None)
    cause = ""
    if by is not None and reason == "evicted":
        cause = (
            f", to make room for packet {packets.seq[by]} of {name_of(run, int(packets.flow[by]))}, which arrived then"
        )
    return f"It waited {_time(dropped - arrived)} and was dropped at {dropped:.6f} s ({reason}){cause}."


def _overtaken(kind: str, packet: dict[str, Any], packets: AtPort, i: int, ahead: Any) -> list[str]:
    """Sentences about packets that overtook this one or that it overtook, with the numbers that decided."""
    sent = packets.reason == 0
    later = sent & (packets.arrived > packet["arrived"]) & (packets.start < packet["started"])
    passed = ahead & ~(packets.start <= packet["started"])
    story = []
    order = order_of(kind)
    own = packets.numbers(i).get(order, np.nan) if order else np.nan
    if order and own == own:
        before = np.flatnonzero(
            (ahead | later) & sent & (packets.start < packet["started"]) & (packets.flow != packets.flow[i])
        )
        smaller = int((packets.decisions.column(before, order) < own).sum()) if packets.decisions is not None else 0
        text = f"Its {order} was {with_unit(own, KNOWN[order][0])}"
        story.append(
            f"{text}; {_count(smaller)} of other flows had smaller ones and left before it." if smaller
            else f"{text}, and no packet of another flow with a smaller one left before it while it waited."
        )  # fmt: skip
    if later.any():
        story.append(f"{_count(int(later.sum()))} that arrived after it left before it.")
    if passed.any():
        story.append(f"{_count(int(passed.sum()))} that waited when it arrived left after it.")
    return story


def _count(packets: int) -> str:
    return with_unit(float(packets), "packets")


def _after_drop(run: Finished, packet: dict[str, Any], packets: AtPort, i: int) -> list[str]:
    """What the sender did when it learned of the drop, as far as it can be seen."""
    story = []
    again = (packets.flow == packets.flow[i]) & (packets.seq == packets.seq[i]) & (packets.arrived > packet["dropped"])
    if again.any():
        when = float(packets.arrived[again][0])
        story.append(
            f"The sender sent it again: the copy arrived at {when:.6f} s, {_time(when - packet['dropped'])} later."
        )
    return story + _window_fell(run, packet["flow"], packet["dropped"])


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
        return ["Its sender's window was falling already: an earlier loss or mark had reached it."]
    # Some flow controls cut the window a packet at a time.
    end = int(np.searchsorted(line.t, when + rtt / 1e3, "right"))
    return [
        f"Its sender's window began to fall at {when:.6f} s, {_time(when - since)} later, which is {(when - since) * 1e3 / rtt:.1f} "
        f"round trips: from {before:.1f} packets to {line.y[k + 1 : end].min():.1f} within another one."
    ]


def _time(s: float) -> str:
    factor, unit = scale_of("s", [s])
    return f"{s * factor:.3g} {unit}"
