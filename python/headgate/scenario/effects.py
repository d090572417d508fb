"""Parameters of a scenario that have no effect: which they are, in sentences.

These are marks that no queue on a flow's path sets; a weight, a priority or a label that none reads; a queue between two hosts; rounds
that are counted by a rate that bursts do not reach; a rate of a queue that its link does not reach; and a run so short that a flow whose
retransmission is lost waits for the rest of it. There is a sentence only where it certainly holds: where a flow's path is not known, as
with links that go down, every queue of the network counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .. import _core
from ..base.errors import cut
from ..base.resolved import FlowFacts, Resolved, ScenarioFacts
from .baselines import PLAIN

#: What a discipline may do with a packet.
MARKS, WEIGHTS, PRIORITIES, LABELS = "marks", "weights", "priorities", "labels"

#: A run is short if it has fewer of a flow's least timeouts than this.
TIMEOUTS = 2

#: It counts rounds by the rate of the link. Where bursts carry less than that, rounds run ahead of what is sent, and a flow that sends now
#: and then waits behind the others.
BY_RATE = "rounds by rate"

#: A burst of losses is long if it has more packets than this in the mean.
PACKETS = 10

#: The kinds of effects that belong to a link: a queue at hosts, which have queues of their own; one that counts rounds by the rate; and
#: losses in bursts that move on with packets alone.
UNUSED, ROUND, STUCK = "unused", "round", "stuck"

#: Kinds of effects besides these and the properties: a run shorter than the least timeout, and one shorter than `TIMEOUTS` of them.
SHORTER, SHORT = "shorter", "short"

#: The kind of an effect of a queue that holds packets to a rate that its link does not reach.
ABOVE = "above"

#: The kind of an effect of a flow that aims at less delay than a packet of it takes.
TARGET = "target"

#: The sentence of each kind for a flow and for several ones.
_SENTENCES = {
    MARKS: (
        "{} responds to ECN marks, but no queue on its path sets any, so ECN has no effect.",
        "{} respond to ECN marks, but no queue on their paths sets any, so ECN has no effect.",
    ),
    WEIGHTS: (
        "{} has a weight, and no queue on its path reads weights: its packets are served as with a weight of 1.",
        "{} have weights, and no queue on their paths reads weights: their packets are served as with a weight of 1.",
    ),
    PRIORITIES: (
        "{} has a priority, and no queue on its path reads priorities: its packets are served as those of all others.",
        "{} have priorities, and no queue on their paths reads priorities: their packets are served as those of all others.",
    ),
    LABELS: (
        "{} claims a label, and no queue on its path reads labels: its packets are served as without one.",
        "{} claim labels, and no queue on their paths reads labels: their packets are served as without them.",
    ),
    UNUSED: (
        "{} has a queue, and both its ends are hosts, whose ports hold any number of packets in order of arrival: its queue is never used.",
        "{} have queues, and both their ends are hosts, whose ports hold any number of packets in order of arrival: their queues are never "
        "used.",
    ),
    ROUND: (
        "{} sends in bursts, which carry less than its rate, and its queue counts rounds by that rate: new packets may wait behind a "
        "backlog. drr and scfq do not count so.",
        "{} send in bursts, which carry less than their rate, and their queues count rounds by that rate: new packets may wait behind a "
        "backlog. drr and scfq do not count so.",
    ),
    STUCK: (
        "{} loses packets in bursts that end after a number of packets, however long these take: a flow that backs off hardly leaves a "
        "burst. gilbert_elliott_time has bursts that last for a time.",
        "{} lose packets in bursts that end after a number of packets, however long these take: a flow that backs off hardly leaves a "
        "burst. gilbert_elliott_time has bursts that last for a time.",
    ),
    ABOVE: (
        "{} has a queue that holds packets to {run}, and sends {timeout} at most: that rate changes nothing. Where packets wait behind the "
        "queue, as in a modem, a rate below that of the slower link helps.",
        "{} have queues that hold packets to {run}, and send {timeout} at most: that rate changes nothing. Where packets wait behind the "
        "queue, as in a modem, a rate below that of the slower link helps.",
    ),
    SHORTER: (
        "The run of {run} is shorter than the least retransmission timeout of {} ({timeout}): a lost retransmission ends its transfer.",
        "The run of {run} is shorter than the least retransmission timeout of {} ({timeout}): a lost retransmission ends a transfer.",
    ),
    SHORT: (
        "The run of {run} is shorter than two of the least retransmission timeouts of {} ({timeout}): a lost retransmission stops it "
        "for more than half of the run.",
        "The run of {run} is shorter than two of the least retransmission timeouts of {} ({timeout}): a lost retransmission stops a "
        "flow for more than half of the run.",
    ),
    TARGET: (
        "{} aims at {run} in queues at most, and a packet of it takes {timeout} on a link of its path, so that any that waits for another "
        "one is too late: base_target of swift, and low and high of timely, are those of data centres unless given.",
        "{} aim at {run} in queues at most, and a packet of them takes {timeout} on a link of their paths, so that any that waits for "
        "another one is too late: base_target of swift, and low and high of timely, are those of data centres unless given.",
    ),
}


@dataclass(frozen=True)
class Effect:
    """Something that has no effect.

    Attributes:
        kind: one of `_SENTENCES`.
        flow: the name of the flow, or of the link with `UNUSED`, `ROUND`, `STUCK` and `ABOVE`.
        run: the duration in picoseconds where it matters, the delay aimed at with `TARGET`, and the queue's rate with `ABOVE`; 0 elsewhere.
        timeout: the least timeout in picoseconds where it matters, the time of a packet with `TARGET`, and the link's rate with `ABOVE`; 0
            elsewhere.
    """

    kind: str
    flow: str
    run: int = 0
    timeout: int = 0


def warnings(scenario: Resolved) -> list[str]:
    """A sentence for each kind of parameter without effect in a resolved scenario.

    >>> from headgate import quick
    >>> warnings(quick.scenario("20Mbit/s", "20ms", "dctcp,cubic").resolve())
    ['Flow dctcp responds to ECN marks, but no queue on its path sets any, so ECN has no effect.']
    >>> warnings(quick.scenario("20Mbit/s", "20ms", "dctcp,cubic", "red:mark=true").resolve())
    []
    """
    return sentences(without_effect(scenario))


def warnings_of_all(scenarios: Iterable[Resolved]) -> list[str]:
    """As `warnings`, for what has no effect in any of these resolved scenarios: what some need, the others may have."""
    common: list[Effect] | None = None
    for scenario in scenarios:
        found = list(without_effect(scenario))
        known = {(effect.kind, effect.flow) for effect in found}
        common = found if common is None else [effect for effect in common if (effect.kind, effect.flow) in known]
        if not common:
            break
    return sentences(common or [])


def without_effect(scenario: Resolved) -> Iterator[Effect]:
    """What has no effect in a resolved scenario, by kind and then in the order of the flows."""
    flows, facts = scenario["flows"], scenario.facts
    found: list[Effect] = []
    for number, flow in enumerate(flows):
        for name in _needs(flow, facts.flow(number)):
            if name not in facts.anywhere or not _met(facts, number, flow, name):
                found.append(Effect(name, flow["name"]))
    windowed = any(flow["control"]["kind"] != "none" for flow in flows)
    for number, link in enumerate(scenario["links"]):
        queues = (link["queue"], link.get("reverse_queue") or link["queue"])
        ports = facts.ports[2 * number : 2 * number + 2]
        if all(port.host for port in ports) and any(queue["kind"] != PLAIN for queue in queues):
            found.append(Effect(UNUSED, link["name"]))
        if link.get("aggregation") and any(BY_RATE in port.does for port in ports):
            found.append(Effect(ROUND, link["name"]))
        if windowed and any(_sticks(law) for law in _both(link.get("loss"))):
            found.append(Effect(STUCK, link["name"]))
    found += _above(scenario)
    found += _late(scenario)
    run = _ps(scenario["duration"])
    for number, flow in enumerate(flows):
        timeout = facts.flow(number).least_timeout_ps
        if run < TIMEOUTS * timeout:
            found.append(Effect(SHORTER if run < timeout else SHORT, flow["name"], run, timeout))
    order = list(_SENTENCES)
    return iter(sorted(found, key=lambda effect: order.index(effect.kind)))


def _above(scenario: Resolved) -> Iterator[Effect]:
    """Queues that hold packets to a rate at or above that of their link. With overhead a queue is slower than its rate."""
    if any(event.get("rate") is not None for event in scenario.get("events", [])):
        return
    for number, link in enumerate(scenario["links"]):
        rate = link["rate"]
        both = (rate, rate) if isinstance(rate, str) else (rate.get("forward"), rate.get("reverse"))
        for way, line in enumerate(both):
            held = scenario.facts.ports[2 * number + way].held_bps
            if held is None or not isinstance(line, str):
                continue
            sent = int(_core.quantity(line)[1])
            if held >= sent:
                yield Effect(ABOVE, link["name"] + ("", ":reverse")[way], held, sent)


def _late(scenario: Resolved) -> list[Effect]:
    """Flows that aim at less delay than a packet of them takes on the slowest link of their path."""
    found: list[Effect] = []
    if any(event.get("rate") is not None for event in scenario.get("events", [])):
        return found
    for number, flow in enumerate(scenario["flows"]):
        aim, packet = scenario.facts.flow(number).aims_ps, flow.get("packet")
        if aim is None or not isinstance(packet, str):
            continue
        rates = [scenario["links"][port // 2]["rate"] for port in scenario.facts.path(number, False) or ()]
        known = [int(_core.quantity(rate)[1]) for rate in rates if isinstance(rate, str)]
        takes = int(_core.quantity(packet)[1]) * 8 * 10**12 // min(known, default=10**18)
        if aim < takes:
            found.append(Effect(TARGET, flow["name"], aim, takes))
    return found


def sentences(effects: Iterable[Effect]) -> list[str]:
    """The sentences of effects: flows with the same effect share a sentence.

    >>> sentences([Effect(MARKS, name) for name in "abcde"])
    ['Flows a, b and 3 more respond to ECN marks, but no queue on their paths sets any, so ECN has no effect.']
    """
    together: dict[tuple[str, int, int], list[str]] = {}
    for effect in effects:
        together.setdefault((effect.kind, effect.run, effect.timeout), []).append(effect.flow)
    messages = []
    for (kind, run, timeout), names in together.items():
        one, several = _SENTENCES[kind]
        form = one if len(names) == 1 else several
        who = _named("Link" if kind in (UNUSED, ROUND, STUCK, ABOVE) else "Flow", names)
        who = who if form.startswith("{}") else who[0].lower() + who[1:]
        shown = _rate if kind == ABOVE else _core.ps_text
        messages.append(form.format(who, run=shown(run), timeout=shown(timeout)))
    return messages


def _both(law: Any) -> list[Mapping[str, Any]]:
    """The laws of the two directions of a link, or the one of both."""
    found = [law] if not isinstance(law, dict) or "kind" in law else [law.get("forward"), law.get("reverse")]
    return [each for each in found if isinstance(each, dict)]


def _sticks(law: Mapping[str, Any]) -> bool:
    """Whether a burst of losses needs more than `PACKETS` packets to end, nearly all of which are lost."""
    if law["kind"] != "gilbert_elliott":
        return False
    leaves, lost, begins = (float(law[name]) for name in ("to_good", "loss_bad", "to_bad"))
    return leaves * PACKETS < 1 and lost > 0.5 and begins > 0


def _named(what: str, names: list[str]) -> str:
    """The flows or links of a sentence; no name breaks its line."""
    shown = [" ".join(cut(name).split()) or repr(name) for name in names[:3]]
    if len(names) == 1:
        return f"{what} {shown[0]}"
    last = shown[-1] if len(names) <= 3 else f"{len(names) - 2} more"
    return f"{what}s {', '.join(shown[: min(2, len(names) - 1)])} and {last}"


def _needs(flow: Mapping[str, Any], served: FlowFacts) -> list[str]:
    """What the parameters of a flow need of a queue on its path."""
    given = {
        MARKS: served.marked,
        WEIGHTS: flow.get("weight", 1) != 1,
        PRIORITIES: flow.get("priority", 0) != 0,
        LABELS: flow.get("label") is not None,
    }
    return [name for name, needed in given.items() if needed]


def _met(facts: ScenarioFacts, number: int, flow: Mapping[str, Any], name: str) -> bool:
    """Whether a queue on the path of a flow does what is needed. Acknowledgements have its weight and priority, no marks and no label."""
    both = name in (WEIGHTS, PRIORITIES) and flow.get("acknowledge", True)
    found = facts.path(number, both)
    return found is None or any(name in facts.ports[port].does for port in found)


def _ps(text: str) -> int:
    return int(_core.quantity(text)[1])


def _rate(bps: int) -> str:
    return _core.quantity_text("bps", bps) if bps else "0bit/s"
