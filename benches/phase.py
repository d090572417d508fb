"""Judges the phase check: of how many flows whose share moves with the phase of arrivals does it say so, and of how many others.

Cases of two flows are drawn over rates, round trips, buffers, controls and queues. What is true of a case comes from six seeds at each
level of noise: the share moves if two levels differ by more than 0.1 in the mean over the seeds. The check has one run at each level.
The rule was chosen on the cases of seed 1; those of seed 2 judge it. Beside it stands a rule that flags every window at a queue in
order of arrival.

    python benches/phase.py [SEED] [CASES]
"""

from __future__ import annotations

import random
import sys

import numpy as np

from headgate import quick
from headgate.checks import phase
from headgate.results.results import Results
from headgate.scenario.scenario import Scenario

SEEDS = range(1, 7)
CONTROLS = ["reno", "reno", "newreno", "sack", "cubic", "cubic_linux", "jk_reno", "vegas", "jk_tahoe", "bbr1"]
QUEUES = ["fcfs"] * 6 + ["red", "random_drop", "fq", "drr"]
BUFFERS = ["0.25BDP", "0.5BDP", "1BDP", "1BDP", "2BDP", "20pkt", "50pkt"]


def cases(seed: int, count: int) -> list[tuple[str, str, str, str, str]]:
    """Rate, round trip, flows, queue and buffer of each case."""
    draw, found = random.Random(seed), []
    while len(found) < count:
        rate, rtt = draw.choice([2, 5, 10, 20, 50]), draw.choice([10, 20, 30, 50, 100])
        factor = draw.choice([1, 1, 1.5, 2, 2, 2, 3, 5]) * draw.choice([1, 1, 1.01, 0.99, 1.003])
        controls = [draw.choice(CONTROLS) for _ in range(2)]
        if draw.random() < 0.6:
            controls[1] = controls[0]
        queue, buffer = draw.choice(QUEUES), draw.choice(BUFFERS)
        if rate * rtt * factor >= 40:
            flows = f"{controls[0]}:name=a,{controls[1]}:name=b,rtt={rtt * factor:.4g}ms"
            found.append((f"{rate}Mbit/s", f"{rtt}ms", flows, queue, buffer))
    return found


def share(results: Results) -> float:
    """Of the first flow."""
    got = results.flows["unique_bytes"]
    return float(got[0] / got.sum())


def judge(scenario: Scenario) -> tuple[float, bool, list[bool]]:
    """By how much the share moves, whether the check looks at the scenario, and what it says with each seed."""
    runs = [[noisy.run(seed) for noisy in phase.at_levels(scenario)] for seed in SEEDS]
    means = np.mean([[share(results) for results in levels] for levels in runs], axis=0)
    looks = bool(phase.in_step(scenario))
    return float(np.ptp(means)), looks, [looks and phase.compared(levels).depends for levels in runs]


def main() -> None:
    """Prints each case, and then the shares of those that are flagged."""
    seed, count = (
        (int(text) for text in (*sys.argv[1:], "2", "60")[:2]) if len(sys.argv) != 2 else (int(sys.argv[1]), 60)
    )
    flags: dict[bool, list[bool]] = {True: [], False: []}
    null: dict[bool, list[bool]] = {True: [], False: []}
    for rate, rtt, flows, queue, buffer in cases(seed, count):
        moves, looks, said = judge(quick.scenario(rate, rtt, flows, queue, buffer=buffer))
        flags[moves > 0.1] += said
        null[moves > 0.1].append(looks)
        print(
            f"{moves:.3f}  flagged with {sum(said)} of {len(said)} seeds  {rate} {rtt} {flows} {queue} {buffer}",
            flush=True,
        )
    for moving, name in ((True, "whose share moves by more than 0.1"), (False, "others")):
        print(
            f"{len(null[moving])} cases {name}: flagged in {np.mean(flags[moving]):.1%} of {len(flags[moving])} checks; "
            f"the rule that flags all such flows: {np.mean(null[moving]):.1%}"
        )


if __name__ == "__main__":
    main()
