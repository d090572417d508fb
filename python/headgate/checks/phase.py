"""Whether the numbers of a run depend on the phase of arrivals: the same run with three levels of host noise.

Source: Floyd and Jacobson 1991, "On Traffic Phase Effects in Packet-Switched Gateways": flows with windows keep in step with a queue in
order of arrival, so that one of them may always find it full. A random time before each packet takes the phase away.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .._core import ScenarioError
from ..base.counts import listed, verb
from ..base.parallel import Progress, run_all
from ..results.results import Results
from ..scenario.scenario import Scenario

#: The levels of noise, in packet times.
LEVELS = ("0pkt", "0.1pkt", "1pkt")

#: No noise, as resolved scenarios write it.
NONE = ("0pkt", "0ps")

#: What follows from a share that depends on the phase.
ADVICE = "Real hosts have noise: use the values with 1, and see with several seeds how far these differ."

#: A share depends on the phase when it moves by more than this part of an equal share: of two flows by more than 0.1.
MOVES = 0.2


@dataclass(frozen=True)
class FlowPhase:
    """A flow at each level of noise.

    Attributes:
        flow: its name.
        shares: its part of the goodput of all flows, of each level.
        queueing_s: mean time that its packets waited, in seconds, of each level; nan without packets.
        depends: its share depends on the phase.
    """

    flow: str
    shares: tuple[float, ...]
    queueing_s: tuple[float, ...]
    depends: bool

    @property
    def share_moves(self) -> float:
        """Largest share less smallest one."""
        return max(self.shares) - min(self.shares)

    @property
    def queueing_moves_s(self) -> float:
        """Longest mean wait less the shortest one, in seconds."""
        known = [x for x in self.queueing_s if math.isfinite(x)]
        return max(known) - min(known) if known else math.nan

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        finite = [x if math.isfinite(x) else None for x in (*self.queueing_s, self.queueing_moves_s)]
        return {
            "flow": self.flow, "shares": list(self.shares), "share_moves": self.share_moves, "queueing_s": finite[:-1],
            "queueing_moves_s": finite[-1], "depends": self.depends,
        }  # fmt: skip


@dataclass(frozen=True)
class Phase:
    """The runs with each level of noise, flow by flow."""

    flows: Sequence[FlowPhase]

    @property
    def depends(self) -> bool:
        """Whether the share of a flow depends on the phase."""
        return any(flow.depends for flow in self.flows)

    def most_moved(self, count: int) -> Sequence[FlowPhase]:
        """The flows, or if they are more than `count`, that many of them whose shares move most."""
        return (
            self.flows if len(self.flows) <= count else sorted(self.flows, key=lambda flow: -flow.share_moves)[:count]
        )

    def sentence(self) -> str:
        """The result in a sentence; empty where nothing depends on the phase.

        >>> Phase([FlowPhase("a", (0.91, 0.7, 0.61), (0.01, 0.01, 0.01), True)]).sentence()
        'The share of a depends on the phase of arrivals: 0.91 without host noise, 0.70 with 0.1 packet times of it, 0.61 with 1.'
        """
        found = sorted((flow for flow in self.flows if flow.depends), key=lambda flow: -round(flow.share_moves, 9))
        if not found:
            return ""
        first = found[0]
        without, little, with_it = first.shares
        others = [flow.flow for flow in found[1:]]
        too = verb(len(others), "so does the share", "so do the shares")
        more = f"; {too} of {listed(others)}" if others else ""
        return (
            f"The share of {first.flow} depends on the phase of arrivals: {without:.2f} without host noise, "
            f"{little:.2f} with 0.1 packet times of it, {with_it:.2f} with 1{more}."
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "noise": list(LEVELS), "depends": self.depends, "sentence": self.sentence(),
            "flows": [flow.to_dict() for flow in self.flows],
        }  # fmt: skip


def noise_sentence(scenario: Mapping[str, Any]) -> str:
    """A line about the noise that the hosts of a resolved scenario have; empty where they have none.

    >>> noise_sentence({"hosts": {"noise": "1pkt"}, "flows": []})
    'host noise: each packet leaves its host later by 0 to 1 packet time'
    """
    noise = scenario.get("hosts", {}).get("noise", LEVELS[0])
    if noise in NONE:
        own = sum(flow.get("noise", LEVELS[0]) not in NONE for flow in scenario["flows"])
        return (
            f"host noise: {own} of {len(scenario['flows'])} flows have some, as their own key `noise` says"
            if own
            else ""
        )
    times = noise.removesuffix("pkt")
    span = noise if times == noise else f"{times} packet time{'s' * (times != '1')}"
    return f"host noise: each packet leaves its host later by 0 to {span}"


def in_step(scenario: Scenario, control: _core.Control | None = None) -> list[int]:
    """The numbers of the flows whose shares may depend on the phase: with a window, and others at a queue in order of arrival.

    Raises:
        ScenarioError: the scenario is wrong.
    """
    base = scenario.base()
    with base.looking():
        found: list[int] = scenario._checked(lambda: _core.in_step(base.to_json(), control))
    return found


def at_noise(scenario: Scenario, level: str) -> Scenario:
    """The scenario with this noise at all hosts, and no other of a flow's own."""
    changed = scenario.put("hosts.noise", level)
    for flow in changed.data.get("flows", []):
        if isinstance(flow, dict):
            flow.pop("noise", None)
    return changed


def check(
    scenario: Scenario,
    results: Results | None = None,
    seed: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Phase:
    """Runs a scenario with each level of noise, once each, and compares the flows.

    A share depends on the phase if it moves by more than `MOVES` of an equal share between two levels, and by more than two standard errors
    of the difference; the errors are those of means over the measured intervals. `benches/phase.py` judges this rule.

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
    bare = scenario.base().put("traces", [])
    known = "" if results is None else _level(results.scenario)
    seed = results.seed if results is not None and seed is None else seed
    jobs = [level for level in LEVELS if level != known]
    # Each level is a run of a study, so that all processors work.
    runs = scenario._checked(
        lambda: run_all(
            [(at_noise(bare, level).to_json(), seed, 0) for level in jobs], lambda _, run: run, threads, progress
        )
    )
    by_level = {level: Results([run]) for level, run in zip(jobs, runs, strict=True)}
    if results is not None and known:
        by_level[known] = results
    return compared([by_level[level] for level in LEVELS])


def compared(levels: Sequence[Results]) -> Phase:
    """The flows of the runs with each level of `LEVELS`, in this order; of several replications the first."""
    shares, errors, waits = zip(*(_shares(results) for results in levels), strict=True)
    names = levels[0].flows["flow"][: levels[0].flow_count].tolist()
    least = MOVES / max(len(names), 1)
    found = []
    for i, name in enumerate(names):
        pairs = [
            (shares[a][i] - shares[b][i], math.hypot(errors[a][i], errors[b][i])) for a, b in ((0, 1), (0, 2), (1, 2))
        ]
        depends = any(abs(moved) > max(least, 2 * error) for moved, error in pairs)
        found.append(FlowPhase(name, tuple(float(s[i]) for s in shares), tuple(float(w[i]) for w in waits), depends))
    return Phase(found)


def _level(resolved: Mapping[str, Any]) -> str:
    """The level of `LEVELS` that a resolved scenario has; empty for another noise."""
    noise = resolved.get("hosts", {}).get("noise", LEVELS[0])
    return noise if noise in LEVELS and not any("noise" in flow for flow in resolved["flows"]) else ""


def _shares(results: Results) -> tuple[Any, Any, Any]:
    """Of each flow in the first run: its share of all goodput, the standard error of this share, and the mean wait in seconds."""
    flows, measured = results.flows, results._measured
    bytes_, waits = (flows[name][: results.flow_count] for name in ("unique_bytes", "queueing_mean_s"))
    parts = measured["unique_bytes"][0].astype(float)
    by_interval = parts / np.maximum(parts.sum(axis=1, keepdims=True), 1)
    count = len(by_interval)
    errors = by_interval.std(axis=0, ddof=1) / math.sqrt(count) if count > 1 else np.zeros(results.flow_count)
    return bytes_ / max(bytes_.sum(), 1), errors, waits


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
        resolved = base.resolve()
        noises = [part.get("noise", NONE[0]) for part in (resolved.get("hosts", {}), *resolved["flows"])]
        if any(noise not in NONE for noise in noises) or not in_step(base):
            return ""
    except ScenarioError:
        # A base that is no scenario without its axes: its variants are checked by themselves.
        return ""
    return (
        f"Axis {found} varies round trips, and flows with windows share a queue in order of arrival. Without host noise their "
        "shares may depend on the phase of arrivals at each point (Floyd and Jacobson 1991); "
        'hosts = { noise = "1pkt" } takes that away.'
    )
