"""Sentences about a replay: what of a trace had no effect, and what could not be known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

#: What `isolation` of `cake` is fair between that needs hosts.
BETWEEN_HOSTS = ("srchost", "dsthost", "hosts", "dual_srchost", "dual_dsthost", "triple_isolate")

#: How the engine names packets of which too little was captured.
CUT_OFF = "cut off"

#: The part of a trace's packets from which on it is said that they were left out.
MANY = 0.1

#: Kinds of packets that are named; the others are added up.
MOST = 5


def notes(
    queues: Mapping[str, Mapping[str, Any]], not_ip: Mapping[str, int], hosts: int, classify: str, kind: str
) -> list[str]:
    """The sentences.

    Args:
        queues: the disciplines by their names, with every parameter.
        not_ip: how many packets have no addresses, by what they are.
        hosts: how many hosts the trace names.
        classify: which packets are one flow.
        kind: of the trace: `capture` or another.
    """
    return [*_without_addresses(not_ip), *_without_hosts(queues, hosts, classify, kind)]


def left_out(packets: int, skipped: Mapping[str, int]) -> Iterator[str]:
    """A sentence where so many packets were skipped that the rest is another trace.

    >>> list(left_out(90, {"time_backwards": 10})), list(left_out(91, {"bad_size": 4, "time_ahead": 7}))
    ([], ['11 of 102 packets (10.8 %) were left out: what follows is about the others.'])
    """
    count = sum(skipped.values())
    if count > MANY * (packets + count):
        share = 100 * count / (packets + count)
        yield f"{count:,} of {packets + count:,} packets ({share:.1f} %) were left out: what follows is about the others."


def _without_addresses(not_ip: Mapping[str, int]) -> Iterator[str]:
    r"""Packets that are not IP, by kind, and apart from them those of which too little was captured.

    >>> print(*_without_addresses({"ARP": 1204, "LLDP": 1, "cut off": 3}), sep="\n")
    1,205 packets are not IP: 1,204 ARP, 1 LLDP. They are one flow.
    Of 3 packets too little was captured to find addresses. They are one flow.
    """
    kinds = sorted(((n, kind) for kind, n in not_ip.items() if kind != CUT_OFF), key=lambda x: (-x[0], x[1]))
    if kinds:
        named = [f"{n:,} {kind}" for n, kind in kinds[:MOST]]
        if rest := sum(n for n, _ in kinds[MOST:]):
            named.append(f"{rest:,} of {len(kinds) - MOST} other kinds")
        yield f"{_packets(sum(n for n, _ in kinds), 'is', 'are')} not IP: {', '.join(named)}. They are one flow."
    if n := not_ip.get(CUT_OFF, 0):
        yield f"Of {n:,} packet{'s' * (n != 1)} too little was captured to find addresses. They are one flow."


def _packets(n: int, one: str, more: str) -> str:
    return f"{n:,} packet{'s' * (n != 1)} {one if n == 1 else more}"


def _without_hosts(queues: Mapping[str, Mapping[str, Any]], hosts: int, classify: str, kind: str) -> Iterator[str]:
    """What a discipline that is fair between hosts does where it knows none."""
    if hosts:
        return
    fair = [name for name, spec in queues.items() if spec.get("isolation") in BETWEEN_HOSTS]
    if fair:
        why = f"with --classify {classify} flows have no addresses" if kind == "capture" else (
            "the trace has no columns source and destination"
        )  # fmt: skip
        verb = "counts" if len(fair) == 1 else "count"
        yield (
            f"{_and(fair)} {verb} each flow as between two hosts of its own, since {why}: "
            "the link is shared between flows, as with isolation = flows."
        )


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
