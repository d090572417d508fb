"""Lemmas 1 to 7 compared with the simulator: random chains of gateways, each a separate scenario."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ...formulas import packet_pair as theory
from ...measure import TABLES, Floats, Outcome
from ...model import Table
from ...runs import run_all
from .server import INSTANT, Server, read_port

#: Service times of random chains are whole milliseconds up to this, so that every line has a whole rate: 20160 bits over 1 to 10 ms.
SLOWEST_MS = 9
BITS = 20160
CHAINS, MOST_SERVERS, MOST_PACKETS = 300, 7, 25

#: The chain of the report, service times in ms, and its burst.
EXAMPLE, BURST = (1, 3, 2, 5, 4, 5, 2), 20


@dataclass(frozen=True)
class Chain:
    """A chain and what is sent into it: service times and the spacing of the packets, in milliseconds."""

    service: tuple[int, ...]
    spacing: float
    packets: int


@dataclass(frozen=True)
class Passage:
    """What the simulator made of a chain: a server for each, and when acknowledgements came, all in seconds."""

    chain: Chain
    servers: tuple[Server, ...]
    acknowledged: Floats


def scenario(chain: Chain) -> Table:
    """The chain as a scenario: each server is the line behind a gateway; a source sends `packets` and stops.

    The source's own line takes a picosecond, which also is the spacing of a burst.
    """
    gateways = [f"g{i}" for i in range(1, len(chain.service) + 1)]
    rate = round(1000 * BITS / chain.spacing) if chain.spacing else BITS * 10**12
    hops = zip(gateways, [*gateways[1:], "sink"], chain.service, strict=True)
    gap_ps = round(chain.spacing * 1e9) if chain.spacing else 1
    queue = {"kind": "fq", "buffer": "1000pkt"}
    return {
        "duration": f"{2 + 0.01 * (chain.packets + len(chain.service)) * max(chain.spacing, SLOWEST_MS):.3f}s",
        "interval": "1s",
        "warm_up": "0s",
        "traces": ["backlog", "rtt"],
        "nodes": [
            {"name": "source", "kind": "host"},
            *({"name": g} for g in gateways),
            {"name": "sink", "kind": "host"},
        ],
        "links": [
            {"name": "access", "from": "source", "to": "g1", "rate": f"{BITS * 10**12}bit/s"},
            *({"name": a, "from": a, "to": b, "rate": f"{1000 * BITS // s}bit/s", "queue": queue} for a, b, s in hops),
        ],
        "flows": [
            {
                "name": "probe",
                "from": "source",
                "to": "sink",
                "packet": f"{BITS // 8}B",
                "ack": "1B",
                "control": {"kind": "none"},
                "workload": {"kind": "cbr", "rate": f"{rate}bit/s"},
            }
        ],
        # After the last packet and before the next one; an event comes last at its instant.
        "events": [{"at": f"{(chain.packets - 1) * gap_ps}ps", "stop": "probe"}],
    }


def _passage(chain: Chain, run: Outcome) -> Passage:
    servers = []
    for i, s in enumerate(chain.service, start=1):
        servers.append(read_port(*run.port_trace("backlog", f"g{i}"), [(0.0, s / 1000)], []))
    return Passage(chain, tuple(servers), run.trace("rtt", "probe")[0])


def pass_through(chains: Sequence[Chain]) -> list[Passage]:
    """Runs chains."""
    jobs = [(json.dumps(scenario(c)), 1, 0) for c in chains]
    runs = run_all(jobs, lambda _, result: Outcome(result), TABLES)
    return [_passage(c, r) for c, r in zip(chains, runs, strict=True)]


@cache
def random_chains(count: int = CHAINS) -> tuple[Passage, ...]:
    """This number of random chains, always the same ones; every third is entered by a pair only, every fourth by all packets at once."""
    rng = np.random.default_rng(1991)
    chains = []
    for number in range(count):
        service = rng.integers(1, SLOWEST_MS + 1, rng.integers(1, MOST_SERVERS + 1))
        spacing = 0.0 if number % 4 == 0 else float(rng.integers(1, SLOWEST_MS + 2))
        packets = 2 if number % 3 == 0 else int(rng.integers(2, MOST_PACKETS + 1))
        chains.append(Chain(tuple(service.tolist()), spacing, packets))
    return tuple(pass_through(chains))


@cache
def example(spacing: float) -> Passage:
    """The report's chain with a burst of packets `spacing` ms apart."""
    return pass_through([Chain(EXAMPLE, spacing, BURST)])[0]


@dataclass
class Tally:
    """How often a lemma's statement was looked at, how often it failed, and the greatest difference in seconds."""

    statement: str
    cases: int = 0
    failed: int = 0
    worst: float = 0.0

    def times(self, measured: Floats | float, expected: Floats | Sequence[float] | float) -> None:
        """One more case: times that must agree up to the clock."""
        away = float(np.max(np.abs(np.asarray(measured) - np.asarray(expected)), initial=0.0))
        self.worst = max(self.worst, away)
        self.that(away <= INSTANT)

    def that(self, holds: bool) -> None:
        """One more case: a statement that must hold."""
        self.cases += 1
        self.failed += not holds


STATEMENTS = {
    "recursion": "every departure is that of D = max(A, D of the one before) + s",
    "Lemma 1": "spacing a: if a >= s nobody waits; else packet k waits k (s - a)",
    "Lemma 2": "s_j <= a < s_j+1: waiting at j+1 only",
    "Lemma 3": "a slower than k..L-1, faster than L: waiting at L only",
    "Lemma 4": "waiting at a server iff it is slower than all before it",
    "Lemma 5": "acknowledgements are max(s_0, s_b) apart, of a pair too",
    "Lemma 6": "first arrival, time of the peak (K - 1), peak, end of the burst",
    "Lemma 7": "nobody waits behind the first slowest server",
}


def check(passages: Sequence[Passage]) -> dict[str, Tally]:
    """Every lemma at every place of every chain where it says something."""
    checks = {name: Tally(text) for name, text in STATEMENTS.items()}
    for passage in passages:
        service = [s / 1000 for s in passage.chain.service]
        spacing = passage.chain.spacing / 1000
        into = before = spacing  # of the packets that enter this server, and the one before it
        waited = [bool((server.waits > INSTANT).any()) for server in passage.servers]
        due = theory.chain_departures(passage.servers[0].arrivals.tolist(), service)
        for i, (s, server) in enumerate(zip(service, passage.servers, strict=True)):
            checks["recursion"].times(server.ends, due[i])
            numbers = np.arange(len(server.waits))
            checks["Lemma 1"].times(server.waits, (numbers * max(s - into, 0.0)).tolist())
            checks["Lemma 1"].times(np.diff(server.ends), max(into, s))
            if i and service[i - 1] <= before < s:
                checks["Lemma 2"].that(waited[i] and not waited[i - 1])
            before, into = into, max(into, s)
        _segments(checks["Lemma 3"], service, spacing, waited)
        throttles = theory.rate_throttles(spacing, service)
        checks["Lemma 4"].that([i + 1 for i, w in enumerate(waited) if w] == throttles)
        checks["Lemma 5"].times(np.diff(passage.acknowledged), theory.probe_spacing(spacing, service))
        checks["Lemma 7"].that(not any(waited[theory.bottleneck(service) :]))
        for throttle in throttles:
            _burst(checks["Lemma 6"], passage, throttle)
    return checks


def _segments(lemma: Tally, service: Sequence[float], spacing: float, waited: Sequence[bool]) -> None:
    """Lemma 3 for all segments k..L of two servers and more."""
    into = spacing
    for k in range(len(service)):
        for end in range(k + 1, len(service)):
            if max(service[k:end]) < into < service[end]:
                lemma.that(waited[end] and not any(waited[k:end]))
        into = max(into, service[k])


def _burst(lemma: Tally, passage: Passage, throttle: int) -> None:
    chain, server = passage.chain, passage.servers[throttle - 1]
    # In whole milliseconds, so that the count of packets at the peak is exact.
    due = theory.burst_at_throttle(chain.packets, chain.spacing, chain.service, throttle)
    start = passage.servers[0].arrivals[0]
    for at, expected in (
        (server.arrivals[0], due.first_s),
        (server.arrivals[-1], due.peak_s),
        (server.ends[-1], due.empty_s),
    ):
        lemma.times(float(at - start), expected / 1000)
    lemma.that(server.band(0.0, np.inf)[1] == due.peak_packets)
