"""Whether flows that stand beside each other have one transport, and a sentence where they have not.

A difference between flow controls may come from the transports below them: from how they find and repair losses, from their timers, and
from how often their sinks acknowledge.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..base.catalogue import catalogue, has_transport, in_layers, preset_of
from ..base.counts import verb
from ..base.errors import cut
from ..base.resolved import Resolved, ScenarioFacts

#: Keys of a transport that leave open which one it is.
_OPEN_KEYS = frozenset({"ecn", "initial_window"})

#: Each packet is acknowledged, as for the flow controls with Linux's transport of their own.
EACH = {"every": 1}

#: Workloads that send as fast as the flow control allows: of others, such as a game, nobody compares the goodputs.
_FAST = ("ftp", "transfer", "requests")


class Alike(Protocol):
    """Equal flows, as a list of flows or a scenario has them."""

    name: str
    label: str
    count: int
    entry: dict[str, Any]


@dataclass
class _Group:
    """Flows of a scenario with the same flow control and transport."""

    name: str
    count: int
    entry: dict[str, Any]
    label: str = ""


def of_scenario(scenario: Resolved) -> str:
    """The sentences of `differing` about the flows of a resolved scenario whose data meet at a queue; empty if there is none.

    >>> from headgate import quick
    >>> of_scenario(quick.scenario("20Mbit/s", "20ms", "cubic,bbr", transport="own").resolve())[:48]
    'cubic and bbr have different transports (recover'
    >>> of_scenario(quick.scenario("20Mbit/s", "20ms", "cubic,bbr").resolve())
    ''
    """
    groups: dict[tuple[str, str], _Group] = {}
    flows: dict[tuple[str, str], list[int]] = {}
    for number, flow in enumerate(scenario["flows"]):
        if flow["workload"]["kind"] not in _FAST:
            continue
        one = _Group(flow["name"], 1, {k: flow[k] for k in ("control", "transport", "receiver") if flow.get(k)})
        key = control_of(one), _kind(one)
        if key in groups:
            groups[key].count += 1
        else:
            groups[key] = one
        flows.setdefault(key, []).append(number)
    if not differing(list(groups.values())):
        return ""
    met = _met(scenario.facts, flows)
    chosen = [group for key, group in groups.items() if key in met]
    for group in chosen:
        if group.count > 1:
            group.name = control_of(group)
    return differing(chosen)


def _met(facts: ScenarioFacts, flows: Mapping[tuple[str, str], list[int]]) -> set[tuple[str, str]]:
    """The groups of which a flow meets one of another group at a queue; where a path is not known, it meets all."""
    everywhere = [port for port, of in enumerate(facts.ports) if not of.host]
    at = dict[int, set[tuple[str, str]]]()
    for key, own in flows.items():
        for flow in own:
            found = facts.path(flow, acknowledged=False)
            for port in everywhere if found is None else found:
                at.setdefault(port, set()).add(key)
    return {key for keys in at.values() if len(keys) > 1 for key in keys}


def differing(groups: Sequence[Alike]) -> str:
    """Sentences if flows with different flow controls differ in their transport, too; empty otherwise."""
    # Losses change nothing of the others, whatever their transport.
    windowed = [g for g in groups if control_of(g) not in ("", "none") and not in_layers(control_of(g))]
    own = [g for g in windowed if has_transport(control_of(g))]
    others = [g for g in windowed if not has_transport(control_of(g))]
    said = []
    if others and len({control_of(g) for g in windowed}) > 1:
        rules = verb(number(others), "repairs losses by rules of its own", "repair losses by rules of their own")
        said.append(
            f"{names(others)} {rules}, not by the transport of the others: a difference between them may come from that."
        )
    if differ(own) and all(by_recovery(control_of(g)) for g in own):
        said.append(f"{names(own)} differ in how they repair losses: each has the recovery that it is named for.")
    elif differ(own):
        said.append(
            f"{names(own)} have different transports (recovery, timers, acknowledgements): a difference between them may come from that, "
            "and not from the flow control."
        )
    return " ".join(said)


def differ(groups: Sequence[Alike]) -> bool:
    """Whether flows with different flow controls have different transports."""
    return len({control_of(g) for g in groups}) > 1 and len({_kind(g) for g in groups}) > 1


def _kind(flow: Alike) -> str:
    """What two flows with the same transport have in common."""
    transport, receiver = flow.entry.get("transport", {}), flow.entry.get("receiver", {})
    transport = {k: v for k, v in transport.items() if k not in _OPEN_KEYS}
    if not transport and not receiver:
        return "linux" if preset_of(control_of(flow)) == "linux" else control_of(flow)
    preset = transport.get("preset", "linux" if preset_of(control_of(flow)) == "linux" else control_of(flow))
    if preset == "linux" and receiver.get("every") == EACH["every"]:
        return "linux"
    keys = {k: v for k, v in transport.items() if k not in kept(flow)}
    return json.dumps([preset, keys, receiver], sort_keys=True)


def names_one(flow: Alike) -> bool:
    """Whether a flow names its transport itself."""
    transport = flow.entry.get("transport", {})
    return "receiver" in flow.entry or not isinstance(transport, dict) or bool(transport.keys() - _OPEN_KEYS)


def kept(flow: Alike) -> Mapping[str, Any]:
    """What a preset of the transport leaves as the flow control has it, such as pacing or the initial window."""
    return catalogue("flow-controls")[control_of(flow)].kept if has_transport(control_of(flow)) else {}


def by_recovery(control: str) -> bool:
    """Whether a flow control has the name of its recovery, by which alone it differs: one transport would leave nothing of the difference.

    >>> [by_recovery(name) for name in ("tahoe", "reno", "newreno", "sack", "cubic")]
    [True, True, True, True, False]
    """
    return has_transport(control) and catalogue("flow-controls")[control].recovery == control


def control_of(flow: Alike) -> str:
    """The name of a flow's control; empty if it has none."""
    control = flow.entry.get("control", "")
    return str(control.get("kind", "") if isinstance(control, dict) else control)


def number(groups: Iterable[Alike]) -> int:
    """How many flows they are."""
    return sum(group.count for group in groups)


def names(groups: Sequence[Alike]) -> str:
    """Flows as a list of flows has them."""
    texts = list(dict.fromkeys(cut(g.label or g.name) + (f"*{g.count}" if g.count > 1 else "") for g in groups))
    if len(texts) > 3:
        texts[3:] = [f"{len(texts) - 3} more"]
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))
