"""Runs whose slow line walks at random or steps at many phases: too many events for a scenario file, so they are made here, from seeds.

All are the bench of `chapter-5.toml` with other events, R = 1 s and 10 packets/s in the middle.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from ....base.parallel import Progress
from ...claims import Runs
from ...formulas.setpoint import random_walk
from ...measure import TABLES, Outcome
from ...model import Table
from ...runs import run_all

#: Random walks of the rate: one step a second, which is R, of a tenth of the middle rate; five walks.
SEEDS = (1, 2, 3, 4, 5)
SECONDS = 600
MIDDLE, SIGMA, LOW, HIGH = 10.0, 1.0, 4.0, 16.0

#: Set-points of C5-05 and the buffers B.
SETPOINTS = (2.0, 5.0, 8.0)
BUFFER = 10

#: A window that is reserved in the switch, and rates that jump to anywhere between two ends in one second out of five. A packet that
#: is sent again while it still waits stands in the queue twice, above the window; with a long timeout this does not happen.
RESERVED = 20
JUMP, ENDS = 0.2, (1.0, 20.0)
PATIENT = 1000.0
WINDOWS: Mapping[str, Table] = {
    "reserved": {"window": RESERVED, "timeout": PATIENT},
    "reserved, timer 3 r_t": {"window": RESERVED},
    "no window": {},
}

#: Round trips between two resynchronisations.
RESYNC = 20

#: By how much the first probe over-estimates R, in seconds, at 5 packets/s. S rests at a whole number of pairs, so that set-points over
#: the width of a pair are taken.
OVER = (0.0, 0.1, 0.4)
AROUND = tuple(round(4 + 0.1 * i, 1) for i in range(20))

#: Rates of the steps, one every 30.3 s: each at another phase of the epochs.
STEPS, EVERY = 20, 30.3
SLOW, FAST = 5.0, 10.0

#: The laws that are compared, as parameters of `pp_cth`; law 5.9 knows all buffers, else its count ends below the queue.
CONTROLS: Mapping[str, Table] = {
    "per probe": {"law": "per_probe"},
    "per probe, last probe": {"law": "per_probe", "predictor": "exponential", "weight": 0.0},
    "per round trip": {"law": "per_round_trip", "alpha": 0.9, "buffer": 100.0},
    "as printed": {"law": "as_printed", "alpha": 0.9, "buffer": 100.0},
    "alpha = 1": {"law": "per_round_trip", "alpha": 1.0, "buffer": 100.0},
}

Key = tuple[str, str, int]


@dataclass(frozen=True)
class Walks:
    """Outcomes by (kind, variant, seed); the seed is 0 where nothing is random."""

    of: Mapping[Key, Outcome]

    def over_seeds(self, kind: str, variant: str) -> list[Outcome]:
        """The outcomes of one variant, one per walk."""
        return [self.of[kind, variant, seed] for seed in SEEDS]


def rates_of(seed: int) -> list[float]:
    """The rate in packets/s in each second of a walk."""
    walk = random_walk(np.random.default_rng(seed), SECONDS, MIDDLE, SIGMA, LOW, HIGH)
    return [float(x) for x in walk]


def step_times() -> list[float]:
    """When the rate steps, down and up in turn."""
    return [round(EVERY * (i + 1), 3) for i in range(STEPS)]


def _event(at: float, rate: float) -> Table:
    return {"at": f"{round(at * 1000)}ms", "link": "slow", "rate": f"{round(rate * 8000)}bit/s"}


def _walk(seed: int) -> list[Table]:
    return [_event(at, rate) for at, rate in enumerate(rates_of(seed)) if at > 0]


def _jumps(seed: int) -> list[Table]:
    rng = np.random.default_rng(seed)
    times = [at for at in range(1, SECONDS) if rng.random() < JUMP]
    return [_event(at, float(rng.uniform(*ENDS))) for at in times]


def _changed(base: Table, events: Sequence[Table], buffer: int, seconds: float, control: Table) -> Table:
    scenario = copy.deepcopy(base)
    scenario.update(events=list(events), duration=f"{round(seconds * 1000)}ms", interval="60s", warm_up="60s")
    scenario["flows"][0]["control"].update(control)
    slow = next(x for x in scenario["links"] if x["name"] == "slow")
    slow["queue"] = {**slow["queue"], "buffer": f"{buffer}pkt"}
    return scenario


def scenarios(base: Table) -> dict[Key, Table]:
    """Everything to run, on the bench given."""
    found: dict[Key, Table] = {}
    for seed in SEEDS:
        walk = _walk(seed)
        for setpoint in SETPOINTS:
            found["setpoint", f"{setpoint:g}", seed] = _changed(base, walk, BUFFER, SECONDS, {"setpoint": setpoint})
        for window, control in WINDOWS.items():
            found["window", window, seed] = _changed(base, _jumps(seed), RESERVED, SECONDS, control)
        for resync in (0, RESYNC):
            control = {**CONTROLS["per round trip"], "resync": resync}
            found["drift", str(resync), seed] = _changed(base, walk, 100, SECONDS, control)
    control = {**CONTROLS["per round trip"], "resync": RESYNC}
    found["drift", "constant", 0] = _changed(base, [], 100, SECONDS, control)
    steps = [_event(at, (SLOW, FAST)[i % 2]) for i, at in enumerate(step_times())]
    for name, control in CONTROLS.items():
        found["steps", name, 0] = _changed(base, steps, 100, EVERY * (STEPS + 1), control)
    for over in OVER:
        for i, setpoint in enumerate(AROUND):
            found["first probe", f"{over:g}", i] = _late_first_probe(base, over, setpoint)
    return found


def _late_first_probe(base: Table, over: float, setpoint: float) -> Table:
    """The slow line at 5 packets/s, longer by `over` in all until the first probe is back."""
    delay = 442_800
    back_to_normal = [{"at": "2500ms", "link": "slow", "delay": f"{delay}us"}]
    scenario = _changed(base, back_to_normal if over else [], 100, 180, {"setpoint": setpoint})
    slow = next(x for x in scenario["links"] if x["name"] == "slow")
    slow.update(rate=f"{round(SLOW * 8000)}bit/s", delay=f"{delay + round(over * 500_000)}us")
    return scenario


#: The walks that belong to a set of runs: the study makes them, the claims look at them again.
_KEPT: WeakKeyDictionary[Runs, Walks] = WeakKeyDictionary()


def walks(runs: Runs, progress: Progress | None = None) -> Walks:
    """Runs everything on the item's bench, once for each set of runs."""
    if runs not in _KEPT:
        assert runs.item.scenario is not None
        jobs = scenarios(runs.item.scenario)
        texts = [(json.dumps(s), None, 0) for s in jobs.values()]
        outcomes = run_all(texts, lambda _, result: Outcome(result), TABLES, progress)
        _KEPT[runs] = Walks(dict(zip(jobs, outcomes, strict=True)))
    return _KEPT[runs]
