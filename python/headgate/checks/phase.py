"""Whether the numbers of a run depend on the phase of arrivals: the same run with three levels of host noise.

Source: Floyd and Jacobson 1991, "On Traffic Phase Effects in Packet-Switched Gateways": flows with windows keep in step with a queue in
order of arrival, so that one of them may always find it full. A random time before each packet takes the phase away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .. import _core
from .._core import ScenarioError
from ..base.parallel import Progress, run_all
from ..results.results import Results
from ..scenario.scenario import Scenario

#: The levels of noise, in packet times, and what follows from a share that depends on the phase.
LEVELS, ADVICE = _core.PHASE_LEVELS, _core.PHASE_ADVICE

#: What counts of a run: the names of flows, their bytes, the mean waits of their packets in s, and their bytes in each measured interval.
Level: TypeAlias = tuple[list[str], list[float], list[float], list[list[float]]]


@dataclass(frozen=True)
class Phase:
    """The runs with each level of noise, flow by flow.

    A share depends on the phase if it moves by more than a fifth of an equal share between two levels, and by more than two standard errors
    of the difference; the errors are those of means over the measured intervals. `benches/phase.py` judges this rule, which is the engine's
    (`crates/view/src/phase.rs`).
    """

    levels: Sequence[Level]

    def answer(self, most: int) -> dict[str, Any]:
        """As the page has it, with the `most` flows whose shares move most, if there are more."""
        found: dict[str, Any] = json.loads(_core.phase_answer(self.levels, most)[0])
        return found

    @property
    def depends(self) -> bool:
        """Whether the share of a flow depends on the phase."""
        return self.sentence() != ""

    def sentence(self) -> str:
        """The result in a sentence; empty where nothing depends on the phase."""
        return _core.phase_answer(self.levels, 0)[1]

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        answer = self.answer(len(self.levels[0][0]))
        return {key: answer[key] for key in ("noise", "depends")} | {
            "sentence": self.sentence(),
            "flows": answer["flows"],
        }


def in_step(scenario: Scenario, control: _core.Control | None = None) -> list[int]:
    """The numbers of the flows whose shares may depend on the phase: with a window, and others at a queue in order of arrival.

    Raises:
        ScenarioError: the scenario is wrong.
    """
    base = scenario.base()
    with base.looking():
        found: list[int] = scenario._checked(lambda: _core.in_step(base.to_json(), control))
    return found


def at_levels(scenario: Scenario) -> list[Scenario]:
    """The scenario with each of `LEVELS` of noise at all hosts, and no other of a flow's own; nothing is traced.

    Raises:
        HeadgateError: it holds a value that JSON does not know.
    """
    texts = _core.phase_scenarios(scenario.base().to_json())
    return [scenario.derived(json.loads(text)) for text in texts]


def check(
    scenario: Scenario,
    results: Results | None = None,
    seed: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Phase:
    """Runs a scenario with each level of noise, once each, and compares the flows.

    Args:
        scenario: with any noise.
        results: of a run of it with the same seed, which serves for its own level.
        seed: of the runs; that of the results, or the scenario's, unless given.
        threads: runs at a time; all processors unless given.
        progress: called with (share done, runs completed, runs in all).

    Raises:
        ScenarioError: something in the scenario is wrong.
    """
    scenario.require_code()
    known = "" if results is None else _level(results.scenario)
    seed = results.seed if results is not None and seed is None else seed
    jobs = {level: noisy for level, noisy in zip(LEVELS, at_levels(scenario), strict=True) if level != known}
    # Each level is a run of a study, so that all processors work.
    runs = scenario._checked(
        lambda: run_all([(noisy.to_json(), seed, 0) for noisy in jobs.values()], lambda _, run: run, threads, progress)
    )
    by_level = {level: Results([run]) for level, run in zip(jobs, runs, strict=True)}
    if results is not None and known:
        by_level[known] = results
    return compared([by_level[level] for level in LEVELS])


def compared(levels: Sequence[Results]) -> Phase:
    """The flows of the runs with each level of `LEVELS`, in this order; of several replications the first."""
    return Phase([_counts(results) for results in levels])


def _level(resolved: Mapping[str, Any]) -> str:
    """The level of `LEVELS` that a resolved scenario has; empty for another noise."""
    noise = resolved.get("hosts", {}).get("noise", LEVELS[0])
    return noise if noise in LEVELS and not any("noise" in flow for flow in resolved["flows"]) else ""


def _counts(results: Results) -> Level:
    names, bytes_, waits = (
        results.flows[name][: results.flow_count].tolist() for name in ("flow", "unique_bytes", "queueing_mean_s")
    )
    return names, bytes_, waits, results._measured["unique_bytes"][0].tolist()


#: Where a scenario keeps what a round trip is made of.
_OF_ROUND_TRIPS = re.compile(r"(^|\.)(delay|rtt)(\.(forward|reverse|\d+))?$")


def axis_warning(scenario: Scenario, axes: Iterable[str]) -> str:
    """A sentence if a study varies round trips of flows that may keep in step with a queue, and their hosts have no noise; empty otherwise.

    Args:
        scenario: the base of the study.
        axes: the paths that it varies.

    >>> from headgate import quick
    >>> study = quick.scenario("20Mbit/s", "20ms", "reno*2", noise="0")
    >>> axis_warning(study, ["topology.line.delay"])[:48], axis_warning(study, ["topology.line.rate"])
    ('Axis topology.line.delay varies round trips, and', '')
    """
    found = next((path for path in axes if _OF_ROUND_TRIPS.search(path)), None)
    if found is None:
        return ""
    base = scenario.base()
    try:
        if base.resolve().engine.noise() or not in_step(base):
            return ""
    except ScenarioError:
        # A base that is no scenario without its axes: its variants are checked by themselves.
        return ""
    return (
        f"Axis {found} varies round trips, and flows with windows share a queue in order of arrival. Without host noise their "
        "shares may depend on the phase of arrivals at each point (Floyd and Jacobson 1991); "
        'hosts = { noise = "1pkt" } takes that away.'
    )
