"""What a replay gave, flow by flow, as the page shows it beside the views, and the same in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ... import _core
from ...analysis import max_min
from ...base.counts import counted, verb
from ...base.units import percent, rate_text, scale_of, time_text
from ...replays.gaps import ended, left_out
from ...replays.result import Replay
from .settings import Settings
from .trace import Read
from .views import Slots

#: The name of the line, which is the only port.
PORT = "line"

#: Flows that are listed one by one, and those that have a sentence.
MOST, MOST_SENTENCES = 100, 6

#: Up to this number, flows stand in the order of the trace.
FEW = 12

_DROPS = [f"drops_{kind}" for kind in _core.DROP_KINDS]


def summary(settings: Settings, core: _core.Replay, found: Read, slots: Slots, until: float) -> dict[str, Any]:
    """Flows, the line, the delay under load, the network, and sentences."""
    result = Replay(core, settings.trace.name, settings.reading.classify, settings.trace.kind, [PORT], [], [])
    whole = next(iter(result.summary.rows()))
    table = result.flows
    bps = float(_core.quantity(settings.resolved["rate"])[2])
    kind = settings.resolved["queues"][0]["kind"]
    ideal = (
        max_min(bps, 8.0 * table["bytes"] / whole["span_s"], table["weight"])
        if whole["span_s"] > 0
        else np.full(len(table), np.nan)
    )
    drops = np.asarray(sum(table[name] for name in _DROPS))
    places = np.argsort(-table["bytes"], kind="stable")[:MOST]
    # A few flows stand in the order of the trace, many with the largest first.
    places = (np.sort(places) if len(table) <= FEW else places).tolist()
    columns = {name: table[name].tolist() for name in table.names}
    total, fair = float(table["throughput_bps"].sum()), float(np.nansum(ideal))
    flows = [
        {
            "name": columns["flow"][i], "control": "", "workload": None, "colour": int(slots.of[i]), "weight": columns["weight"][i],
            "packets": columns["packets"][i], "bytes": columns["bytes"][i], "sent": columns["sent"][i],
            "goodput_bps": columns["throughput_bps"][i],
            "share": columns["throughput_bps"][i] / total if total > 0 else None,
            "max_min_bps": float(ideal[i]), "ideal_share": float(ideal[i]) / fair if fair > 0 else None,
            "rtt_ms": None, "queueing_ms": 1e3 * columns["delay_mean_s"][i], "p99_ms": 1e3 * columns["delay_p99_s"][i],
            "max_ms": 1e3 * columns["delay_max_s"][i], "lost": int(drops[i]), "marks": columns["marks"][i], "retransmissions": None,
        }
        for i in places
    ]  # fmt: skip
    lost, marks = sum(whole[name] for name in _DROPS), whole["marks"]
    mean = whole["delay_mean_s"]
    port = {
        "name": PORT, "rate_bps": bps, "discipline": kind, "utilisation": whole["utilisation"], "drops": lost, "marks": marks,
        # By Little's law.
        "mean_queue": mean * whole["sent"] / until if until > 0 else None, "queueing_ms": 1e3 * mean,
    }  # fmt: skip
    return {
        "flows": flows, "more_flows": len(table) - len(flows), "ports": [port],
        "delay_under_load_ms": 1e3 * mean, "p99_ms": 1e3 * whole["delay_p99_s"], "jain_of_max_min": whole["jain_of_max_min"],
        "random": core.drew(0), "packets": core.packets, "sentences": list(_sentences(flows, whole, kind, len(table))),
        "about": about(settings, found), "network": _network(len(table), bps),
    }  # fmt: skip


def about(settings: Settings, found: Read) -> list[str]:
    """What the trace is, in sentences."""
    count, flows = len(found.names), "flow" if len(found.names) == 1 else "flows"
    size, unit = scale_of("bytes", [found.bytes])
    by = f" by {settings.reading.classify}" if settings.trace.kind == "capture" else ""
    sentences = [
        f"{settings.trace.name} has {_packets(found.packets)} of {count} {flows}{by} in {found.span:.6g} s, "
        f"{found.bytes * size:.4g} {unit}."
    ]
    if found.load_bps is not None:
        sentences.append(f"Its mean load is {rate_text(found.load_bps)}.")
    skipped = sum(n for kind, n in found.skipped.items() if kind != "cut_off")
    if skipped:
        sentences.append(f"{_packets(skipped)} with faults {verb(skipped, 'was', 'were')} skipped.")
        sentences += left_out(found.packets, found.skipped)
    return [*sentences, *ended(found.ended)]


def _sentences(flows: list[dict[str, Any]], whole: Mapping[str, Any], kind: str, count: int) -> Iterator[str]:
    for flow in sorted(flows, key=lambda f: -f["bytes"])[:MOST_SENTENCES]:
        yield _of_flow(flow)
    if count > MOST_SENTENCES:
        others = count - MOST_SENTENCES
        yield f"{counted(others, 'other flow')} {verb(others, 'has', 'have')} fewer bytes."
    lost = sum(whole[name] for name in _DROPS)
    dropped = (
        f"dropped {_packets(lost)}, {percent(lost / whole['packets'])} of those that came" if lost else "dropped none"
    )
    marked = f" and marked {_packets(whole['marks'])}" if whole["marks"] else ""
    yield f"The line was busy {percent(min(whole['utilisation'], 1.0))} of the time; its queue ({kind}) {dropped}{marked}."
    if whole["sent"]:
        yield (
            f"A packet waited {time_text(whole['delay_mean_s'])} on average, 99 % of the packets at most "
            f"{time_text(whole['delay_p99_s'])}, and none more than {time_text(whole['delay_max_s'])}."
        )
    if count > 1 and whole["jain_of_max_min"] == whole["jain_of_max_min"]:
        yield (
            f"Jain's index of the sent rates over the max-min shares of what was offered is {whole['jain_of_max_min']:.3f}; "
            "it is 1 if all got the same part of their share."
        )


def _of_flow(flow: Mapping[str, Any]) -> str:
    name, lost = flow["name"], flow["lost"]
    if not flow["sent"]:
        return f"{name} got nothing through: all of its {_packets(flow['packets'])} were dropped."
    ideal = flow["max_min_bps"]
    share = f", {percent(flow['goodput_bps'] / ideal)} of its max-min share" if ideal > 0 else ""
    waited = f"its packets waited {time_text(flow['queueing_ms'] / 1e3)} on average, 99 % of them at most {time_text(flow['p99_ms'] / 1e3)}"
    dropped = f"{lost:,} of {_packets(flow['packets'])} were dropped" if lost else "none was dropped"
    return f"{name} got {rate_text(flow['goodput_bps'])}{share}; {waited}; {dropped}."


def _packets(count: int) -> str:
    return counted(count, "packet", commas=True)


def _network(flows: int, bps: float) -> dict[str, Any]:
    """One queue: the flows, the gateway with it, and the end of the line."""
    first, end = counted(flows, "flow"), "link"
    nodes = [
        {"name": first, "kind": "hosts", "x": 0.0, "y": 0.5}, {"name": "queue", "kind": "gateway", "x": 0.45, "y": 0.5},
        {"name": end, "kind": "host", "x": 1.0, "y": 0.5},
    ]  # fmt: skip
    links = [
        {"name": "trace", "from": first, "to": "queue", "rate": None, "port": None},
        {"name": PORT, "from": "queue", "to": end, "rate": bps, "port": PORT},
    ]
    return {"nodes": nodes, "links": links}
