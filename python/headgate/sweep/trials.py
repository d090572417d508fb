"""Scenarios that were made one by one as a study, and the processor time that it will take."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from ..quick.amounts import quantity, text_of
from ..scenario.scenario import Scenario
from .sweep import Sweep

#: Packets of a trial run, by which the processor time is estimated, and the maximum number of trials.
_TRIAL_PACKETS, _TRIALS = 20_000, 6

#: Bits of the packets of flows under flow control.
_PACKET_BITS = 8000


def study_of(scenarios: Sequence[Scenario], replications: int, seed: int, keys: Sequence[str], origin: str) -> Sweep:
    """A study with the axis `cell`, a point for each scenario; they differ in `keys` of the file and in their description."""
    base = Scenario({k: v for k, v in scenarios[0].data.items() if k != "description"}, origin)
    points = {
        f"{number:04} {made.data['description']}": {key: made.data[key] for key in keys}
        for number, made in enumerate(scenarios)
    }
    return Sweep(base, cases={"cell": points}, replications=replications, seed=seed)


def expected_seconds(
    scenarios: Sequence[Scenario],
    rates: Sequence[int],
    replications: int,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """Seconds of processor time of all runs, from short trials of scenarios all over the list.

    What a run costs is a fixed part and one that follows its packets: the cost of a simulated bit is measured, and the line is
    taken to be full.

    Args:
        scenarios: as `headgate quick` makes them, all of the same duration.
        rates: of the line of each, in bit/s.
        replications: of each.
        clock: gives seconds of processor time.
    """
    step = max(1, len(scenarios) // _TRIALS)
    length = quantity("--duration", scenarios[0].data["duration"], "s") / 1e12
    fixed: list[float] = []
    per_bit: list[float] = []
    _trial(scenarios[0], 0.001, clock)  # loads what a first run loads
    for number in range(0, len(scenarios), step):
        seconds = min(length, max(_TRIAL_PACKETS * _PACKET_BITS / rates[number], 0.002))
        fixed.append(_trial(scenarios[number], 0.001, clock))
        per_bit.append((_trial(scenarios[number], seconds, clock) - fixed[-1]) / (seconds * rates[number]))
    each, bit = sum(fixed) / len(fixed), max(0.0, sum(per_bit) / len(per_bit))
    return sum(each + bit * rate * length for rate in rates) * replications


def _trial(scenario: Scenario, seconds: float, clock: Callable[[], float]) -> float:
    """Processor time of a scenario that lasts some seconds."""
    data = {k: v for k, v in scenario.data.items() if k != "warm_up"}
    # Flows begin within ten round trips, which would leave a part of the trial empty.
    flows = [{k: v for k, v in flow.items() if k != "start_spread"} for flow in data["flows"]]
    trial = Scenario({**data, "flows": flows, "duration": text_of("s", round(seconds * 1e12))}, scenario.origin)
    before = clock()
    trial.run()
    return max(0.0, clock() - before)
