"""Core-Stateless Fair Queueing (1998): its claims fail when a mechanism is wrong or the data are, and its numbers are the paper's."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from headgate.base.documents import loads
from headgate.base.parallel import run_all
from headgate.papers import load_paper
from headgate.papers.beyond import core_stateless
from headgate.papers.beyond.statements import CLAIMS as BEYOND
from headgate.papers.build import build_scenario, check_items
from headgate.papers.claim_tables import SHARED
from headgate.papers.claims import Predicate, Runs
from headgate.papers.formulas.csfq import csfq_accepted_rate, csfq_excess_bound
from headgate.papers.measure import Outcome
from headgate.papers.stoica1998 import idle, measures, theory
from headgate.papers.stoica1998.claims import CLAIMS
from headgate.stats import Mean

QUEUE = "topology.line.queue"
Settings = Mapping[str, Any]


def predicate(claim: str) -> Predicate:
    (found,) = (c.test for c in CLAIMS.all if c.id == claim)
    return found


def runs_of(item: str, needs: str, fault: Settings | None = None, on: str = "", seeds: int = 2) -> Runs:
    """The runs of those variants whose names fit `needs`, with a fault in those that fit `on`."""
    paper = load_paper("stoica1998")
    found = paper.item(item)
    variants = tuple(
        replace(v, settings={**v.settings, **(fault or {})}) if re.search(on, v.name) else v
        for v in found.variants
        if re.fullmatch(needs, v.name)
    )
    assert variants
    jobs = [
        (json.dumps(build_scenario(found, v, phases=run > 0)), None, run) for v in variants for run in range(1 + seeds)
    ]
    outcomes = iter(run_all(jobs, lambda _, result: Outcome(result)))
    all_runs = {v.name: [next(outcomes) for _ in range(1 + seeds)] for v in variants}
    return Runs(paper, found, {k: o[0] for k, o in all_runs.items()}, {k: o[1:] for k, o in all_runs.items()})


#: The claim, its item, the variants that it needs, what is wrong, the settings that make it so, and in which variants. Without settings
#: it holds.
FAULTS: list[tuple[str, str, str, str, Settings, str]] = [
    ("S1-3b", "figure-3b", "[^ ]+", "CSFQ forgets what it estimated", {f"{QUEUE}.k": "1us"}, "CSFQ"),
    ("S2", "figure-3a", "[^ ]+", "FIFO is fair", {QUEUE: {"kind": "drr", "quantum": "1000B"}}, "FIFO"),
    ("S2a", "figure-3a", "DRR", "two flows share a queue", {f"{QUEUE}.queues": 31}, "DRR"),
    ("S1-3a", "figure-3a", "[^ ]+", "labels are not looked at", {f"{QUEUE}.role": "core"}, "CSFQ"),
    ("S16", "table-4", "UDP|TCP", "labels are kept", {"links.link*.queue.relabel": False}, "UDP"),
    ("S17", "table-4", ".*UDP.*", "labels are rewritten all the same", {"links.link*.queue.relabel": True}, "without"),
    ("S23", "weights", "CSFQ", "weights do nothing", {"flows.*.weight": 1}, "CSFQ"),
    ("S12a", "table-1", "[^ ]+", "each scheme has its own traffic", {"seed": 2}, "RED"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "item", "needs", "what", "fault", "on"), FAULTS, ids=[f"{f[0]}: {f[3]}" for f in FAULTS]
)
def test_a_claim_fails_when_the_mechanism_is_wrong(
    claim: str, item: str, needs: str, what: str, fault: Settings, on: str
) -> None:
    # Table 1 asks for the number of packets sent only: the first second is enough.
    short = {"duration": "1s", "interval": "1s"} if item == "table-1" else {}
    assert predicate(claim)(runs_of(item, needs, short, seeds=1))[0]
    runs = runs_of(item, needs, {**short, **fault}, on, seeds=1)
    if short:
        others = runs_of(item, needs, short, seeds=1)
        runs = Runs(runs.paper, runs.item, {**others.base, on: runs.base[on]}, {**others.seeds, on: runs.seeds[on]})
    holds, measured = predicate(claim)(runs)
    assert not holds, f"{what}: {measured}"


class Made:
    """Made-up runs: values by (variant, metric, source), the same in each of two runs."""

    def __init__(self, item: str, of: Callable[[str, str, str], float]) -> None:
        self.item = load_paper("stoica1998").item(item)
        self.base = {v.name: None for v in self.item.variants}
        self.seeds: dict[str, list[Outcome]] = {}
        self._of = of

    def over(self, variant: str, metric: str, *sources: str, span: object = None) -> Any:
        del span
        assert variant in self.base
        return np.array([[self._of(variant, metric, s) for s in sources]] * 3)


#: The paper's statements as numbers: what the flow that counts gets with each scheme.
LIKE: dict[str, tuple[str, dict[str, float]]] = {
    "S4": ("figure-3b", {"DRR": 0.40, "CSFQ": 0.36, "FRED-1": 1.8, "FRED-2": 1.9, "RED": 8.1, "FIFO": 8.5}),
    "S4a": ("figure-3b", {"DRR": 0.40, "CSFQ": 0.36, "FRED-1": 1.8, "FRED-2": 1.9, "RED": 8.1, "FIFO": 8.5}),
    "S12": ("table-1", {"DRR": 0.09, "CSFQ": 0.25, "FRED-1": 0.25, "FRED-2": 0.26, "RED": 0.79, "FIFO": 0.81}),
    "S1-t1": ("table-1", {"DRR": 0.09, "CSFQ": 0.25, "FRED-1": 0.25, "FRED-2": 0.26, "RED": 0.79, "FIFO": 0.81}),
    "S13": ("table-2", {"DRR": 25, "CSFQ": 62, "FRED-1": 41, "FRED-2": 40, "RED": 592, "FIFO": 840}),
    "S14": ("table-2", {"DRR": 25, "CSFQ": 62, "FRED-1": 41, "FRED-2": 40, "RED": 592, "FIFO": 840}),
    "S1-t2": ("table-2", {"DRR": 25, "CSFQ": 62, "FRED-1": 41, "FRED-2": 40, "RED": 592, "FIFO": 840}),
    "S15": ("table-3", {"DRR": 6080, "CSFQ": 5761, "FRED-1": 4974, "FRED-2": 4900, "RED": 628, "FIFO": 378}),
    "S1-t3": ("table-3", {"DRR": 6080, "CSFQ": 5761, "FRED-1": 4974, "FRED-2": 4900, "RED": 628, "FIFO": 378}),
    "S8": ("figure-6a", {"DRR": 0.98, "CSFQ": 0.93, "FRED-1": 0.4, "FRED-2": 0.85, "RED": 0.3, "FIFO": 0.2}),
    "S8a": ("figure-6a", {"DRR": 0.98, "CSFQ": 0.93, "FRED-1": 0.4, "FRED-2": 0.85, "RED": 0.3, "FIFO": 0.2}),
    "S1-6a": ("figure-6a", {"DRR": 0.98, "CSFQ": 0.93, "FRED-1": 0.4, "FRED-2": 0.85, "RED": 0.3, "FIFO": 0.2}),
    "S9": ("figure-6b", {"DRR": 0.8, "CSFQ": 0.5, "FRED-1": 0.1, "FRED-2": 0.2, "RED": 0.02, "FIFO": 0.01}),
    "S1-6b": ("figure-6b", {"DRR": 0.8, "CSFQ": 0.5, "FRED-1": 0.1, "FRED-2": 0.2, "RED": 0.02, "FIFO": 0.01}),
}  # fmt: skip


def made(claim: str, swapped: bool) -> Runs:
    item, values = LIKE[claim]

    def of(variant: str, metric: str, source: str) -> float:
        del metric, source
        scheme = variant.split()[0].rstrip(",")
        # CSFQ as if it were FIFO, and the other way round.
        scheme = {"CSFQ": "FIFO", "FIFO": "CSFQ"}.get(scheme, scheme) if swapped else scheme
        # FRED nearer to the others than it is.
        return values["DRR" if swapped and scheme.startswith("FRED") else scheme]

    return cast(Runs, Made(item, of))


@pytest.mark.parametrize("claim", sorted(LIKE))
def test_a_claim_holds_for_the_papers_numbers_and_fails_for_wrong_ones(claim: str) -> None:
    assert predicate(claim)(made(claim, swapped=False))[0]
    assert not predicate(claim)(made(claim, swapped=True))[0]


def curve(csfq: float, fred: float, drop_at: int) -> Runs:
    def of(variant: str, metric: str, source: str) -> float:
        del metric, source
        scheme, flows = variant.split()
        n = int(flows)
        share = {"DRR": 0.97 if n < drop_at else 0.5, "CSFQ": csfq, "FRED-1": fred, "FRED-2": fred / 2}.get(
            scheme, 0.05
        )
        return share * 10 / n

    return cast(Runs, Made("figure-4", of))


@pytest.mark.parametrize(
    ("claim", "good", "bad"),
    [
        ("S5", (0.8, 0.6, 23), (0.8, 0.6, 12)),
        ("S5", (0.8, 0.6, 23), (0.8, 0.6, 30)),
        ("S6", (0.8, 0.6, 23), (0.4, 0.6, 23)),
        ("S7", (0.8, 0.84, 23), (0.8, 0.9, 23)),
        ("S7a", (0.8, 0.7, 23), (0.8, 0.84, 23)),
        ("S1-4", (0.8, 0.7, 23), (0.2, 0.1, 23)),
    ],
)
def test_claims_about_figure_4(claim: str, good: tuple[float, float, int], bad: tuple[float, float, int]) -> None:
    assert predicate(claim)(curve(*good))[0]
    assert not predicate(claim)(curve(*bad))[0]


def multicast(rlm: Mapping[str, float], late: float) -> Runs:
    """Figure 7 with what a session gets under each scheme, and what TCP gets under FIFO if it comes last."""

    def of(variant: str, metric: str, source: str) -> float:
        del metric
        scheme, last = variant.split(",")[0].removesuffix(" 250 ms"), "last" in variant
        if source != "tcp":
            return rlm[scheme]
        return {"FIFO": late, "DRR": 1.0, "CSFQ": late + 0.6}.get(scheme, 1.0) if last else 4 - 3 * rlm[scheme]

    return cast(Runs, Made("figure-7", of))


def test_claims_about_figure_7() -> None:
    fair = {"DRR": 0.99, "CSFQ": 0.95, "FRED-1": 0.48, "FRED-2": 0.48, "RED": 0.2, "FIFO": 0.7}
    for claim, wrong, late in (
        ("S10", {**fair, "FRED-2": 0.99}, 0.3),
        ("S10", {**fair, "CSFQ": 0.7}, 0.3),
        ("S11", fair, 0.6),
        ("S11a", fair, 0.1),
        ("S1-7", {**fair, "CSFQ": 0.71}, 0.3),
    ):
        assert predicate(claim)(multicast(fair, 0.3))[0], claim
        assert not predicate(claim)(multicast(wrong, late))[0], claim


def test_the_idle_line_overflows_before_congestion_is_found() -> None:
    runs = runs_of("idle-line", "paper (1.2|5)", seeds=0)
    assert not idle.overflowed(runs, "paper 1.2") and idle.overflowed(runs, "paper 5")
    # The estimate grows as the theory has it, within a ms and what the gaps vary.
    assert idle.congested(runs, "paper 5") == pytest.approx(idle.detected(5), abs=0.003)
    # With room for everything there is no overflow.
    assert not idle.overflowed(runs_of("idle-line", "paper 5", {f"{QUEUE}.buffer": "10MB"}, seeds=0), "paper 5")


def test_theory_fails_when_a_formula_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = cast(Runs, None)
    estimated, bound, accepted = theory.estimated, csfq_excess_bound, csfq_accepted_rate
    faults: Iterable[tuple[str, str, Callable[..., float]]] = (
        # A constant weight; a bound without its logarithm; every flow gets the share; labels of three bits of mantissa.
        ("S21", "estimated", lambda rate, gap, bits, k: 0.1 * bits / gap + 0.9 * rate),
        ("S19", "estimated", lambda rate, gap, bits, k: estimated(rate, gap, bits, 3 * k)),
        ("S19", "csfq_excess_bound", lambda share, peak, k, longest: share * k + longest),
        ("S19", "csfq_excess_bound", lambda *given: 2 * bound(*given)),
        ("S20", "csfq_accepted_rate", lambda x, rates: x * len(rates)),
        ("S20", "csfq_accepted_rate", lambda x, rates: accepted(x, rates) + (x > 5)),
        ("S24", "decoded", lambda rate: 2.0 ** np.floor(8 * np.log2(rate)) / 8),
    )
    for claim in ("S19", "S20", "S21", "S24"):
        assert predicate(claim)(nothing)[0], claim
    for claim, name, wrong in faults:
        with monkeypatch.context() as patch:
            patch.setattr(theory, name, wrong)
            assert not predicate(claim)(nothing)[0], (claim, name)


def test_every_scenario_of_the_paper_is_one() -> None:
    paper = load_paper("stoica1998")
    check_items(paper, paper.items)
    marks = [n.mark for item in paper.items for n in item.numbers]
    assert (marks.count("STATED"), marks.count("REPAIRED"), marks.count("RECALLED")) == (31, 4, 9)
    # Shares of what was sent, which table 1 does not print.
    assert marks.count("EVALUATED") == 4


def test_the_statements_of_all_claims_are_used() -> None:
    given = loads(load_text("claims.toml"))
    assert {name for item, claims in given.items() if item != SHARED for name in claims} == {c.id for c in CLAIMS.all}


def load_text(name: str) -> str:
    from pathlib import Path

    return (Path(measures.__file__).parent / name).read_text("utf-8")


@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("B27", {"cubic csfq": 0.5}),
        ("B28", {"cubic_linux csfq": 1.2}),
        ("B28", {"cubic csfq": 0.3}),
        ("B29", {"sack drr": 0.7}),
        ("B29", {"1998 fq": 0.7}),
        ("B30", {"100 csfq": 0.5}),
        ("B30", {"1000 drr": 0.1}),
        ("B30", {"12 fcfs": 0.0}),
    ],
)
def test_claims_beyond_the_paper_fail_for_wrong_data(
    claim: str, wrong: Mapping[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    (test,) = (c.test for c in BEYOND.all if c.id == claim)

    def with_data(values: Mapping[str, float]) -> bool | None:
        def contained(_: Runs, control: str, queue: str) -> Mean:
            right = {"csfq": 0.4 if control in ("cubic_linux", "1998") else 1.4}.get(queue, 0.4)
            return Mean(values.get(f"{control} {queue}", right), 0.0, 5)

        def over_share(_: Runs, flows: str, queue: str) -> Any:
            apart = values.get(f"{flows} {queue}", {"csfq": 0.05, "fcfs": 0.6}.get(queue, 0.01))
            return np.array([1 - apart, 1 + apart])

        monkeypatch.setattr(core_stateless, "contained", contained)
        monkeypatch.setattr(core_stateless, "over_share", over_share)
        return test(cast(Runs, None))[0]

    assert with_data({})
    assert not with_data(wrong)
