"""Sentences about a replay: what of a trace had no effect, and what could not be known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: What `isolation` of `cake` is fair between that needs hosts.
BETWEEN_HOSTS = ("srchost", "dsthost", "hosts", "dual_srchost", "dual_dsthost", "triple_isolate")

#: Kinds of packets that are named; the others are added up.
MOST = 5


@dataclass(frozen=True)
class ReplayFacts:
    """What is known of a replay that is over."""

    #: The disciplines by their names, with every parameter.
    queues: Mapping[str, Mapping[str, Any]]
    #: The kind of the trace: `capture` or another.
    kind: str
    #: Which packets are one flow.
    classify: str
    #: How many packets are not IP, by what they are.
    not_ip: Mapping[str, int]
    #: Of how many packets too little was captured, by what is missing.
    truncated: Mapping[str, int]
    #: Captures that stood in the file one after the other.
    captures: int
    #: How many hosts the trace names.
    hosts: int
    #: Packets that do nothing but acknowledge, and those without data of which not all of the header was captured.
    acknowledgements: tuple[int, int]
    #: Packets longer than a link sends, and the length of the longest.
    large: tuple[int, int]
    #: The bytes of IP packets above which they were cut, if they were.
    segment: int | None


def notes(facts: ReplayFacts) -> list[str]:
    """The sentences."""
    return [
        *_joined(facts.captures),
        *_without_addresses(facts.not_ip),
        *_truncated(facts),
        *_large(facts),
        *_without_hosts(facts),
        *_without_acknowledgements(facts),
    ]


def _without_addresses(not_ip: Mapping[str, int]) -> Iterator[str]:
    """Packets that are not IP, by kind.

    >>> for text in _without_addresses({"ARP": 1204, "LLDP": 1}):
    ...     print(text)
    1,205 packets are not IP: 1,204 ARP, 1 LLDP. They are one flow.
    """
    kinds = sorted(((n, kind) for kind, n in not_ip.items()), key=lambda x: (-x[0], x[1]))
    if kinds:
        named = [f"{n:,} {kind}" for n, kind in kinds[:MOST]]
        if rest := sum(n for n, _ in kinds[MOST:]):
            named.append(f"{rest:,} of {len(kinds) - MOST} other kinds")
        yield f"{_packets(sum(n for n, _ in kinds), 'is', 'are')} not IP: {', '.join(named)}. They are one flow."


def _truncated(facts: ReplayFacts) -> Iterator[str]:
    """Packets of which too little was captured."""
    more = "capture more of each packet (tcpdump -s 128)"
    if n := facts.truncated["addresses"]:
        yield f"Of {_packets(n, '', '')}too little was captured to find addresses. They are one flow: {more}."
    if (n := facts.truncated["ports"]) and facts.classify == "5tuple":
        yield (
            f"Of {_packets(n, '', '')}too little was captured to find ports. "
            f"Those with the same addresses and protocol are one flow: {more}."
        )


def _joined(captures: int) -> Iterator[str]:
    """Captures that were joined as files are."""
    if captures > 1:
        yield f"The file holds {captures:,} captures, one after the other."


def _packets(n: int, one: str, more: str) -> str:
    return f"{n:,} packet{'s' * (n != 1)} {one if n == 1 else more}"


def _large(facts: ReplayFacts) -> Iterator[str]:
    """Packets that no link sends as they are."""
    n, longest = facts.large
    if not n:
        return
    if facts.segment is None:
        yield (
            f"{_packets(n, 'is', 'are')} longer than the 1500 bytes of IP that an Ethernet sends, up to {longest:,} bytes: the trace was "
            "recorded before the network card cut them, or after it joined them. --segment 1500B cuts them."
        )
    else:
        yield f"{_packets(n, 'was', 'were')} longer than {facts.segment:,} bytes of IP, up to {longest:,} bytes, and cut."


def _without_hosts(facts: ReplayFacts) -> Iterator[str]:
    """What a discipline that is fair between hosts does where it knows none."""
    fair = [name for name, spec in facts.queues.items() if spec.get("isolation") in BETWEEN_HOSTS]
    if fair and not facts.hosts:
        why = "the trace has no columns source and destination"
        if facts.kind == "capture":
            why = f"with --classify {facts.classify} flows have no addresses"
        yield (
            f"{_and(fair)} {'counts' if len(fair) == 1 else 'count'} each flow as between two hosts of its own, since {why}: "
            "the link is shared between flows, as with isolation = flows."
        )


def _without_acknowledgements(facts: ReplayFacts) -> Iterator[str]:
    """What a filter of acknowledgements does where there are none."""
    filters = [name for name, spec in facts.queues.items() if spec.get("ack_filter", "none") != "none"]
    if not filters:
        return
    pure, cut_off = facts.acknowledgements
    if not pure:
        why = "a table has no acknowledgements"
        if facts.kind == "capture":
            why = "no packet of the capture does nothing but acknowledge" + (
                ", as far as it was captured" if cut_off else ""
            )
        yield f"ack_filter of {_and(filters)} does nothing: {why}."
    if cut_off:
        yield (
            f"ack_filter leaves {cut_off:,} packet{'s' * (cut_off != 1)} without data of which not all TCP options were captured: "
            "capture 128 bytes of each packet (tcpdump -s 128)."
        )


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
