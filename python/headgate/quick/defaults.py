"""What `quick` chooses for flows that do not set it themselves."""

from __future__ import annotations

from .. import _core
from ..base.catalogue import has_transport, preset_of
from ..base.counts import verb
from ..base.errors import cut
from ..scenario.baselines import MODERN
from ..scenario.transports import EACH, by_recovery, control_of, differ, differing, kept, names, names_one, number
from .flows import Flows

#: Round trips in seconds below which flows have Linux's transport unless they choose another one. The least timeout of RFC 6298, 1 s, is a
#: thousand of them or more, and a flow whose retransmission is lost waits for it; Linux finds such losses by time (RACK), and its least
#: timeout is 0.2 s.
SHORT_S = 0.001

#: What `--transport` may be besides a preset: one for all flow controls that stand beside each other, or each its own.
SAME, OWN = "same", "own"
TRANSPORTS = (SAME, OWN, *_core.PRESETS)


def complete(groups: list[Flows], trips: list[int], transport: str = SAME) -> list[str]:
    """Chooses what the flows do not set themselves, with a sentence about each choice.

    Workloads without a rate have the first modern flow control of the list, one that the transport serves, or `MODERN`. Flows over a short
    path have Linux's transport, if their flow control may have one. Different flow controls beside each other have Linux's transport, too,
    unless `transport` leaves each its own or names a preset.
    """
    beside = next((control_of(g) for g in groups if has_transport(control_of(g))), None)
    without = [g for g in groups if "control" not in g.entry]
    for group in without:
        group.entry["control"] = beside or MODERN
    sentences = []
    if without:
        others = [g for g in groups if g not in without]
        it = "it" if _one(without) else "them"
        if beside:
            why = f"as {verb(number(others), 'the flow', 'the flows')} beside {it}"
        elif others:
            why = f"since no flow beside {it} has a modern one"
        else:
            why = "which flows have unless they name another one"
        sentences.append(
            f"{names(without)} {_have(without)} the flow control {beside or MODERN}, {why}; "
            f"{cut(without[0].name)}:control=reno, for example, names another one."
        )
    short = [
        g
        for g, trip in zip(groups, trips, strict=True)
        if trip < SHORT_S * 10**12
        and has_transport(control_of(g))
        and preset_of(control_of(g)) != "linux"
        and not names_one(g)
    ]
    if transport not in (SAME, OWN):
        short = []
    for group in short:
        group.entry["transport"] = {"preset": "linux", **kept(group), **group.entry.get("transport", {})}
    if short:
        sentences.append(
            f"{names(short)} {_have(short)} Linux's transport (transport.preset=linux), since round trips are below 1 ms; "
            "transport.preset=rfc is that of the RFCs, with timeouts of at least 1 s."
        )
    return sentences + _transports(groups, transport, short)


def _transports(groups: list[Flows], transport: str, short: list[Flows]) -> list[str]:
    """Gives flows beside each other one transport, with sentences on that, and on what still differs."""
    modern = [g for g in groups if has_transport(control_of(g))]
    free = [g for g in modern if not names_one(g) or any(g is one for one in short)]
    if transport not in (SAME, OWN):
        for group in free:
            group.entry["transport"] = {**group.entry.get("transport", {}), "preset": transport, **kept(group)}
        return list(filter(None, [differing(groups)]))
    changed: list[Flows] = []
    if transport == SAME and differ(modern) and not all(by_recovery(control_of(g)) for g in modern):
        changed = [g for g in free if preset_of(control_of(g)) != "linux"]
        for group in changed:
            own = {**kept(group), **group.entry.get("transport", {})}
            group.entry |= {"transport": {"preset": "linux", **own}, "receiver": dict(EACH)}
    more = differing(groups)
    sentences = []
    if changed:
        why = "" if more else ", so that the flow controls alone differ"
        sentences.append(
            f"{names(changed)} {_have(changed)} Linux's transport (transport.preset=linux, receiver.every=1){why}; --transport own leaves "
            "each its own."
        )
    return [*sentences, *filter(None, [more])]


def _have(groups: list[Flows]) -> str:
    return "has" if _one(groups) else "have"


def _one(groups: list[Flows]) -> bool:
    """Whether they are one flow, or have one name between them, which a sentence has once."""
    one = len({group.label or group.name for group in groups}) == 1
    return number(groups) == 1 or (one and all(group.count == 1 for group in groups))
