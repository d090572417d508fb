"""What `quick` chooses for flows that do not set it themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..base.catalogue import has_transport
from ..base.counts import verb
from ..base.errors import cut
from ..scenario.effects import LEAST_TIMEOUT, LINUX
from ..scenario.shorthands import MODERN
from .flows import Flows

#: Round trips in seconds below which flows have Linux's transport unless they choose another one. The least timeout of RFC 6298, 1 s, is a
#: thousand of them or more, and a flow whose retransmission is lost waits for it; Linux finds such losses by time (RACK), and its least
#: timeout is 0.2 s.
SHORT_S = 0.001

#: What `--transport` may be besides a preset: one for all flow controls that stand beside each other, or each its own.
SAME, OWN = "same", "own"
TRANSPORTS = (SAME, OWN, *LEAST_TIMEOUT)

#: Flow controls that differ by their recovery alone: one transport would leave nothing of the difference.
BY_RECOVERY = frozenset({"tahoe", "reno", "newreno", "sack"})

#: What belongs to a flow control and not to the transport, where a preset would change it: pacing of Copa, the initial window of LEDBAT.
_KEPT: Mapping[str, Mapping[str, Any]] = {
    "copa": {"paced": True},
    "ledbat": {"initial_window": 2},
    "ledbat_plus_plus": {"initial_window": 2},
}

#: Keys of a transport that leave open which one it is.
_OPEN_KEYS = frozenset({"ecn", "initial_window"})

#: Each packet is acknowledged, as for the flow controls with Linux's transport of their own.
_EACH = {"every": 1}


def complete(groups: list[Flows], trips: list[int], transport: str = SAME) -> list[str]:
    """Chooses what the flows do not set themselves, with a sentence about each choice.

    Workloads without a rate have the first modern flow control of the list, one that the transport serves, or `MODERN`. Flows over a short
    path have Linux's transport, if their flow control may have one. Different flow controls beside each other have Linux's transport, too,
    unless `transport` leaves each its own or names a preset.
    """
    beside = next((_control(g) for g in groups if has_transport(_control(g))), None)
    without = [g for g in groups if "control" not in g.entry]
    for group in without:
        group.entry["control"] = beside or MODERN
    sentences = []
    if without:
        others = [g for g in groups if g not in without]
        it = verb(_number(without), "it", "them")
        if beside:
            why = f"as {verb(_number(others), 'the flow', 'the flows')} beside {it}"
        elif others:
            why = f"since no flow beside {it} has a modern one"
        else:
            why = "which flows have unless they name another one"
        sentences.append(
            f"{_names(without)} {_have(without)} the flow control {beside or MODERN}, {why}; "
            f"{cut(without[0].name)}:control=reno, for example, names another one."
        )
    short = [
        g
        for g, trip in zip(groups, trips, strict=True)
        if trip < SHORT_S * 10**12 and has_transport(_control(g)) and _control(g) not in LINUX and not _names_one(g)
    ]
    if transport not in (SAME, OWN):
        short = []
    for group in short:
        group.entry["transport"] = {"preset": "linux", **_kept(group), **group.entry.get("transport", {})}
    if short:
        sentences.append(
            f"{_names(short)} {_have(short)} Linux's transport (transport.preset=linux), since round trips are below 1 ms; "
            "transport.preset=rfc is that of the RFCs, with timeouts of at least 1 s."
        )
    return sentences + _transports(groups, transport, short)


def _transports(groups: list[Flows], transport: str, short: list[Flows]) -> list[str]:
    """Gives flows beside each other one transport, with sentences on that, and on what still differs."""
    served = [g for g in groups if has_transport(_control(g))]
    free = [g for g in served if not _names_one(g) or any(g is one for one in short)]
    if transport not in (SAME, OWN):
        for group in free:
            group.entry["transport"] = {**group.entry.get("transport", {}), "preset": transport, **_kept(group)}
        return list(filter(None, [differing(groups)]))
    changed: list[Flows] = []
    if transport == SAME and _differ(served) and not {_control(g) for g in served} <= BY_RECOVERY:
        changed = [g for g in free if _control(g) not in LINUX]
        for group in changed:
            own = {**_kept(group), **group.entry.get("transport", {})}
            group.entry |= {"transport": {"preset": "linux", **own}, "receiver": dict(_EACH)}
    more = differing(groups)
    sentences = []
    if changed:
        why = "" if more else ", so that the flow controls alone differ"
        sentences.append(
            f"{_names(changed)} {_have(changed)} Linux's transport (transport.preset=linux, receiver.every=1){why}; --transport own leaves "
            "each its own."
        )
    return [*sentences, *filter(None, [more])]


def differing(groups: list[Flows]) -> str:
    """A sentence if flows with different flow controls differ in their transport, too; empty otherwise."""
    windowed = [g for g in groups if _control(g) not in ("", "none", "rlm")]
    served = [g for g in windowed if has_transport(_control(g))]
    others = [g for g in windowed if not has_transport(_control(g))]
    if others and len({_control(g) for g in windowed}) > 1:
        own = verb(_number(others), "repairs losses by rules of its own", "repair losses by rules of their own")
        return (
            f"{_names(others)} {own}, not by the transport of the others: a difference between them may come from that."
        )
    if len({_control(g) for g in served}) < 2 or not _differ(served):
        return ""
    if {_control(g) for g in served} <= BY_RECOVERY:
        return f"{_names(served)} differ in how they repair losses: each has the recovery that it is named for."
    return (
        f"{_names(served)} have different transports (recovery, timers, acknowledgements): a difference between them may come from that, "
        "and not from the flow control."
    )


def _differ(served: list[Flows]) -> bool:
    """Whether flows with different flow controls have different transports."""
    return len({_control(g) for g in served}) > 1 and len({_kind(g) for g in served}) > 1


def _kind(flow: Flows) -> str:
    """What two flows with the same transport have in common."""
    transport, receiver = flow.entry.get("transport", {}), flow.entry.get("receiver", {})
    transport = {k: v for k, v in transport.items() if k not in _OPEN_KEYS}
    if not transport and not receiver:
        return "linux" if _control(flow) in LINUX else _control(flow)
    preset = transport.get("preset", "linux" if _control(flow) in LINUX else _control(flow))
    if preset == "linux" and receiver == _EACH:
        return "linux"
    keys = {k: v for k, v in transport.items() if k not in _kept(flow)}
    return json.dumps([preset, keys, receiver], sort_keys=True)


def _names_one(flow: Flows) -> bool:
    """Whether a flow names its transport itself."""
    transport = flow.entry.get("transport", {})
    return "receiver" in flow.entry or not isinstance(transport, dict) or bool(transport.keys() - _OPEN_KEYS)


def _kept(flow: Flows) -> Mapping[str, Any]:
    """What a preset of the transport leaves as the flow control has it."""
    return _KEPT.get(_control(flow)) or {}


def _control(flow: Flows) -> str:
    """The name of a flow's control; empty if it has none."""
    control = flow.entry.get("control", "")
    return str(control.get("kind", "") if isinstance(control, dict) else control)


def _number(groups: list[Flows]) -> int:
    return sum(group.count for group in groups)


def _have(groups: list[Flows]) -> str:
    return "has" if _number(groups) == 1 else "have"


def _names(groups: list[Flows]) -> str:
    """Flows as the list has them."""
    texts = list(dict.fromkeys(cut(g.label or g.name) + (f"*{g.count}" if g.count > 1 else "") for g in groups))
    if len(texts) > 3:
        texts[3:] = [f"{len(texts) - 3} more"]
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))
