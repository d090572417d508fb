"""How good a flow control is on scenarios that no training has seen, beside others on the same ones."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ... import _core
from ...analysis import jain_index
from ...base.errors import HeadgateError, cut
from ...plugins import ensure_text
from ...results.metrics import LOSS
from ...scenario.baselines import baselines
from ...scenario.scenario import Scenario
from ..frame.jobs import Where, started
from ..frame.store import key_of
from .ranges import DEFAULTS, Scenarios
from .utility import Utility

#: Company of the measured flow: none, another of its kind, a flow of CUBIC.
COMPANY = ("alone", "twin", *baselines("train")["beside"])


@dataclass(frozen=True)
class ControlMeasured:
    """The means of one flow control in one sort of company, over all scenarios; of two flows of a kind, over both.

    `share` is the goodput over the flow's max-min fair share; `queueing` its mean round trip over the same without the time in the
    queue; `loss` the part of its packets that are dropped; `fairness` Jain's index of two flows of a kind, 1 otherwise; `utility` that of
    its goodput, round trip and loss, in a second.
    """

    control: str
    company: str
    episodes: int
    share: float
    queueing: float
    loss: float
    fairness: float
    utility: float


def measure(
    controls: Sequence[str | Mapping[str, Any]],
    ranges: Mapping[str, Any] | None = None,
    *,
    plugins: Sequence[Any] = (),
    company: Sequence[str] = COMPANY,
    episodes: int = 20,
    seed: int = 2**32,
    reward: Utility | Mapping[str, Any] | None = None,
    progress: Callable[[float, int, int], object] | None = None,
    processes: int | None = 1,
    resume: str | os.PathLike[str] | None = None,
    engine: str = "local",
    address: str | None = None,
) -> list[ControlMeasured]:
    """Measures flow controls on the same scenarios.

    Args:
        controls: names of flow controls, or tables as in a scenario.
        ranges: of the scenarios, as for the environment; of `competitors` and `control`, `company` decides.
        plugins: as `headgate.plugins.load` gives them.
        company: of `alone`, `twin` (two flows of the same control) and `cubic` (beside one flow of CUBIC).
        episodes: how many scenarios.
        seed: of the scenarios; one that training does not draw from unless given.
        reward: whose utility is measured.
        progress: called with (share done, runs done, runs in all).
        processes: that make the runs; all processors with None.
        resume: folder in which runs are kept: those of before are not made again.
        engine: `local` (processes of this machine) or `dask`.
        address: of a Dask scheduler; without one, `dask` starts a cluster on this machine.

    Raises:
        HeadgateError: an argument is wrong, or the folder holds other runs or cannot be written.
        ScenarioError: there is no such flow control.
    """
    utility = Utility.of(reward)
    if episodes < 1:
        raise HeadgateError(f"episodes: found {episodes}; expected at least 1")
    jobs: list[tuple[str, str, list[EpisodeRun]]] = []
    for beside in company:
        if beside not in COMPANY:
            raise HeadgateError(f"company: found {cut(repr(beside))}; expected {', '.join(COMPANY)}")
        others = beside in baselines("train")["beside"]
        given = {**(ranges or {}), "competitors": int(others), "control": beside if others else DEFAULTS["control"]}
        scenarios = Scenarios(ranges=given, agents=2 if beside == "twin" else 1)
        for control in controls:
            random = np.random.default_rng(seed)
            name = control if isinstance(control, str) else str(control.get("kind"))
            mine = [_job(scenarios, control, plugins, random, utility) for _ in range(episodes)]
            # Errors come from here, not from another process.
            Scenario(mine[0].data, "training").resolve()
            jobs.append((name, beside, mine))
    # One process by itself needs no other.
    workers = 0 if processes == 1 and engine == "local" else processes
    folder = None if resume is None else Path(resume) / "measured"
    where: Where = {"out": folder, "workers": workers, "engine": engine, "address": address, "progress": progress}
    with started("train", {"episodes": episodes, "seed": seed}, do, where) as runner:
        runner.make(job for _, _, mine in jobs for job in mine)
        out = []
        for name, beside, mine in jobs:
            rows = [runner.get(job) for job in mine]
            for row in rows:
                if "fault" in row:
                    raise HeadgateError(f"{name}: {row['fault']}")
            means = [float(x) for x in np.mean([row["values"] for row in rows], axis=0)]
            out.append(ControlMeasured(name, beside, episodes, *means))
        return out


@dataclass(frozen=True)
class EpisodeRun:
    """A run that is measured: its scenario and its seed, the flows that are measured, and whose utility it is."""

    data: dict[str, Any] = field(repr=False)
    seed: int
    flows: list[str]
    utility: Utility
    name: str = ""
    size: float = 1.0

    @cached_property
    def key(self) -> str:
        """Names the run: equal for equal ones."""
        return key_of(self.data, self.seed, self.flows, asdict(self.utility))


def _job(
    scenarios: Scenarios, control: Any, plugins: Sequence[Any], random: np.random.Generator, utility: Utility
) -> EpisodeRun:
    _, scenario = scenarios.draw(random)
    seed = int(random.integers(2**63))
    scenario = scenarios.given_to(scenario, lambda _: control)
    if plugins:
        scenario = scenario.put("plugins", list(plugins))
    return EpisodeRun(json.loads(scenario.to_json()), seed, scenarios.flows, utility)


def do(job: EpisodeRun) -> dict[str, Any]:
    """`{values}` of a run: share, queueing, loss, fairness and utility; or `{wrong: text}` if it cannot be made."""
    try:
        ensure_text(json.dumps(job.data))
        return {"values": _values(job)}
    except (_core.PluginError, _core.ScenarioError, HeadgateError) as e:
        # Not all exceptions can be sent from process to process.
        return {"wrong": str(e)}


def _values(job: EpisodeRun) -> tuple[float, float, float, float, float]:
    results = Scenario(job.data, "training").run(seed=job.seed, threads=1)
    utility, table, fair = job.utility, results.flows, results.max_min_bps()
    goodputs, values = [], []
    for i, name in enumerate(table["flow"]):
        if name not in job.flows:
            continue
        goodput, trip = float(table["goodput_bps"][i]), float(table["rtt_mean_s"][i])
        least = trip - float(table["queueing_mean_s"][i])
        dropped, sent = LOSS.parts({column: float(table[column][i]) for column in LOSS.columns})
        loss = dropped / max(sent, 1.0)
        if not least > 0:
            # Nothing came back.
            trip = least = 1.0
        goodputs.append(goodput)
        values.append(
            (
                goodput / fair[name] if fair[name] > 0 else 1.0,
                trip / least,
                loss,
                utility.per_second(goodput, trip, least, loss),
            )
        )
    share, queueing, loss, value = (float(x) for x in np.mean(values, axis=0))
    fairness = jain_index(goodputs)
    return share, queueing, loss, 1.0 if math.isnan(fairness) else fairness, value
