"""How good a flow control is on scenarios that no training has seen, beside others on the same ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...analysis import jain_index
from ...base.errors import HeadgateError, cut
from ...results.metrics import LOSS
from ...scenario.baselines import baselines
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

    Raises:
        HeadgateError: an argument is wrong.
        ScenarioError: there is no such flow control.
    """
    utility = Utility.of(reward)
    if episodes < 1:
        raise HeadgateError(f"episodes: found {episodes}; expected at least 1")
    out: list[ControlMeasured] = []
    done, total = 0, len(company) * len(controls) * episodes
    for beside in company:
        if beside not in COMPANY:
            raise HeadgateError(f"company: found {cut(repr(beside))}; expected {', '.join(COMPANY)}")
        others = beside in baselines("train")["beside"]
        given = {**(ranges or {}), "competitors": int(others), "control": beside if others else DEFAULTS["control"]}
        scenarios = Scenarios(ranges=given, agents=2 if beside == "twin" else 1)
        for control in controls:
            random = np.random.default_rng(seed)
            rows = []
            for _ in range(episodes):
                rows.append(_row(scenarios, control, plugins, random, utility))
                done += 1
                if progress is not None:
                    progress(done / total, done, total)
            means = [float(x) for x in np.mean(rows, axis=0)]
            name = control if isinstance(control, str) else str(control.get("kind"))
            out.append(ControlMeasured(name, beside, episodes, *means))
    return out


def _row(
    scenarios: Scenarios, control: Any, plugins: Sequence[Any], random: np.random.Generator, utility: Utility
) -> tuple[float, float, float, float, float]:
    """Share, queueing, loss, fairness and utility of one scenario."""
    _, scenario = scenarios.draw(random)
    seed = int(random.integers(2**63))
    scenario = scenarios.given_to(scenario, lambda _: control)
    if plugins:
        scenario = scenario.put("plugins", list(plugins))
    results = scenario.run(seed=seed, threads=1)
    table, fair = results.flows, results.max_min_bps()
    goodputs, values = [], []
    for i, name in enumerate(table["flow"]):
        if name not in scenarios.flows:
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
