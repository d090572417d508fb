"""What `quick` chooses for flows that do not set it themselves."""

from __future__ import annotations

import json

from .. import _core
from ..base.counts import verb
from ..base.errors import cut
from ..plugins import registered
from ..scenario.shorthands import MODERN
from .flows import Flows

#: Round trips in seconds below which flows have Linux's transport unless they choose another one. The least timeout of RFC 6298, 1 s, is a
#: thousand of them or more, and a flow whose retransmission is lost waits for it; Linux finds such losses by time (RACK), and its least
#: timeout is 0.2 s.
SHORT_S = 0.001


def complete(groups: list[Flows], trips: list[int]) -> list[str]:
    """Chooses what the flows do not set themselves, with a sentence about each choice.

    Workloads without a rate have the first modern flow control of the list, one that the transport serves, or `MODERN`. Flows over a short
    path have Linux's transport, if their flow control may have one.
    """
    beside = next((_control(g) for g in groups if _control(g) in _served()), None)
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
        if trip < SHORT_S * 10**12 and _control(g) in _served() and "transport" not in g.entry
    ]
    for group in short:
        group.entry["transport"] = {"preset": "linux"}
    if short:
        sentences.append(
            f"{_names(short)} {_have(short)} Linux's transport (transport.preset=linux), since round trips are below 1 ms; "
            "transport.preset=rfc is that of the RFCs, with timeouts of at least 1 s."
        )
    return sentences


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


@registered.cached
def _served() -> frozenset[str]:
    """The flow controls of which a flow may say how they are served."""
    return frozenset(entry["name"] for entry in json.loads(_core.catalogue("flow-controls")) if entry["transport"])
