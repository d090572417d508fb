"""The claims about section 2 of 1989 fail when the mechanism that they speak of is wrong: each with a fault planted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from headgate.base.parallel import run_all
from headgate.papers import load_paper
from headgate.papers.build import build_scenario
from headgate.papers.claims import Predicate, Runs
from headgate.papers.demers1989 import emulation, fractions
from headgate.papers.demers1989.claims import CLAIMS
from headgate.papers.measure import Outcome
from headgate.papers.model import Variant

Fault = Callable[[Variant], dict[str, Any]]

QUEUE = "links.slow.queue"


#: Random starts, so that nobody comes in bunches.
MIXED = {"flows.bunch*.start_spread": "1s", "flows.rest*.start_spread": "1s"}

#: All FTPs start at once.
COINCIDENT = {"flows.ftp2.start": "0s", "flows.ftp3.start": "0s"}


#: Packets in turn, whatever the weights.
TURNS = {"kind": "sfq", "queues": 1000, "buffer": "1000000pkt"}


def when(words: str, settings: dict[str, Any]) -> Fault:
    """Settings for the variants whose names have all these words."""
    return lambda v: settings if all(w in f"{v.name} " for w in words.split()) else {}


def fcfs(words: str) -> Fault:
    return when(words, {QUEUE: {"kind": "fcfs", "buffer": "1000000pkt"}})


def lines(words: str) -> Fault:
    """As `fcfs`, for every line of a network."""
    return when(words, {"links.line*.queue": {"kind": "fcfs", "buffer": "1000000pkt"}})


#: The claim, its item, the variants that it needs (a pattern), what is wrong, and the settings that make it so.
FAULTS: list[tuple[str, str, str, str, Fault]] = [
    ("D20", "section-2.2", "bits", "packets are counted, not bits", when("bits FQ", {QUEUE: {"kind": "sfq", "buffer": "1000000pkt"}})),
    ("D21", "section-2.2", "delta", "delta takes bandwidth from others", fcfs("delta=infinity")),
    ("D21", "section-2.2", "delta", "delta does nothing", when("delta=", {f"{QUEUE}.delta": "0B"})),
    ("D23", "section-2.3", "P=(700 delta=0|1500 delta=800)", "delta does nothing", when("delta=", {f"{QUEUE}.delta": "0B"})),
    ("D23", "section-2.3", "P=(700 delta=0|1500 delta=800)", "delta counts twice", when("delta=800", {f"{QUEUE}.delta": "1600B"})),
    ("D24", "section-2.3", "P=500", "nobody is staggered", when("staggered", COINCIDENT)),
    ("D24", "section-2.3", "P=500", "packets wait for their turn", fcfs("coincident")),
    ("D41", "section-2.3", "P=(500|1500 delta=1000)", "nothing is interrupted", when("preemptive", {f"{QUEUE}.kind": "fq"})),
    ("D41", "section-2.3", "P=(500|1500 delta=1000)", "delta does nothing", when("preemptive delta=", {f"{QUEUE}.delta": "0B"})),
    ("D41", "section-2.3", "P=(500|1500 delta=1000)", "nobody is staggered", when("preemptive staggered", COINCIDENT)),
    ("D25", "section-2.3", "poisson|bursts", "packets wait for their turn", fcfs("poisson P=1500 ")),
    ("D30", "networks", ".", "FQ serves in order of arrival", lines("window/FQ, W=64 ")),
    ("D30", "networks", ".", "a window is too small", when("round robin, W=64 ", {"flows.*.control.window": 1})),
    ("D37", "fractions", "fractions", "everybody takes turns", when("fractions", {QUEUE: TURNS})),
    ("D39", "preemption", "one", "the arrival is dropped", when("preemption", {"nodes.gateway.shared_buffer.full": "arrival"})),
    ("D39", "preemption", "one", "drop-tail preempts", when("drop-tail", {"nodes.gateway.shared_buffer.full": "preempt"})),
    ("D40", "preemption", "own .*FQ|preemption", "FQ serves in order of arrival", when("own FQ", {"links.line{i}.queue.kind": "fcfs"})),
    ("D31", "networks", "W=(4|8|24)", "no bunches come", when("bunches, window/FQ,", MIXED)),
    ("D32", "game", "rates", "FQ serves in order of arrival", fcfs("window/FQ")),
    ("D33", "game", "rates", "FQ serves in order of arrival", fcfs("window/FQ")),
    ("D34", "game", "rates", "FCFS protects", when("window/FCFS", {QUEUE: {"kind": "fq", "buffer": "1000000pkt"}})),
    ("D35", "game", "rates", "FQ serves in order of arrival", fcfs("window/FQ")),
    ("D36", "game", "windows", "FQ serves in order of arrival", fcfs("window/FQ")),
    ("D36", "game", "windows", "FCFS protects", when("window/FCFS", {QUEUE: {"kind": "fq", "buffer": "1000000pkt"}})),
    ("D31", "networks", "W=(4|8|24)", "FQ serves in order of arrival", lines("bunches, window/FQ, W=24")),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("claim", "name", "needs", "what", "fault"), FAULTS, ids=[f"{f[0]}: {f[3]}" for f in FAULTS])
def test_a_claim_fails_when_the_mechanism_is_wrong(claim: str, name: str, needs: str, what: str, fault: Fault) -> None:
    paper = load_paper("demers1989")
    item = paper.item(name)
    needed = tuple(v for v in item.variants if re.search(needs, v.name))
    variants = tuple(replace(v, settings={**v.settings, **fault(v)}) for v in needed)
    assert variants != needed
    jobs = [(json.dumps(build_scenario(item, v)), None, 0) for v in variants]
    outcomes = run_all(jobs, lambda _, result: Outcome(result))
    base = {v.name: o for v, o in zip(variants, outcomes, strict=True)}
    holds, measured = predicate(claim)(Runs(paper, item, base, {}))
    assert not holds, f"{what}: {measured}"


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["first come, first served", "no round number", "longest first"])
def test_the_bound_of_the_emulation_fails_when_the_algorithm_is_wrong(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_packets, by_numbers = emulation.by_packets, emulation.by_numbers
    if fault == "first come, first served":
        monkeypatch.setattr(emulation, "by_packets", lambda trace, queue="fq": by_packets(trace, "fcfs"))
    elif fault == "no round number":
        # Finish numbers without the round number: an idle conversation keeps its credit forever.
        def credit(trace: emulation.Trace) -> emulation.Served:
            last: dict[int, float] = {}
            finish = [last.setdefault(f, 0.0) for f in trace.flows]
            for k, (flow, size) in enumerate(zip(trace.flows, trace.sizes, strict=True)):
                finish[k] = last[flow] = last[flow] + size
            return by_numbers(trace, np.array(finish))

        monkeypatch.setattr(emulation, "in_parts", credit)
    else:
        numbers = emulation.bit_by_bit
        monkeypatch.setattr(emulation, "in_parts", lambda trace: by_numbers(trace, -numbers(trace)[1]))
    # It looks at made-up traces, not at runs.
    assert not predicate("D22")(None)[0]  # type: ignore[arg-type]


def test_fractions_are_no_virtual_clock_by_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = fractions.sent
    monkeypatch.setattr(fractions, "sent", lambda trace, queue, slots=0, **more: sent(trace, queue, **more))
    assert not predicate("D38")(None)[0]  # type: ignore[arg-type]


def predicate(claim: str) -> Predicate:
    (found,) = (c.test for c in CLAIMS.all if c.id == claim)
    return found
