"""What the queue discs of ns-3 do with the packets of arrivals.py, as the files of gold/queues have it."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path

from arrivals import STREAMS

HERE = Path(__file__).parent
#: Of the line, in bit/s.
RATE = 10_000_000
#: Runs of a discipline that draws random numbers.
SEEDS = 12


def ran(program: list[str], case: dict, seed: int) -> dict[str, dict[int, int]]:
    """Of the packets that start (S), are dropped (D) or marked (M) the times in nanoseconds, by their numbers."""
    words = [case["theirs"], str(RATE), str(seed), *(f"{name}={value}" for name, value in case["with"].items())]
    text = "".join(f"{time} {flow} {size} {capable}\n" for time, flow, size, capable in STREAMS[case["stream"]])
    done = subprocess.run([*program, *words], input=text, capture_output=True, text=True, check=True)
    found: dict[str, dict[int, int]] = {"S": {}, "D": {}, "M": {}}
    for line in done.stdout.splitlines():
        what, number, time = line.split()
        found[what][int(number)] = int(time)
    return found


def run(program: list[str]) -> dict[Path, str]:
    """The text of each file."""
    table = tomllib.loads((HERE / "queues.toml").read_text())
    texts = {}
    for case in table["case"]:
        gold = {**table["oracle"]["ns3"], "stream": case["stream"]}
        if case.get("random"):
            gold["runs"] = [numbers(ran(program, case, seed), case["stream"]) for seed in range(1, SEEDS + 1)]
        else:
            found = ran(program, case, 1)
            gold["dropped"], gold["at"] = sorted(found["D"]), [found["D"][n] for n in sorted(found["D"])]
            gold["marked"] = sorted(found["M"])
            # A queue in the order of arrival needs none.
            order = [n for _, n in sorted((time, n) for n, time in found["S"].items())]
            gold["order"] = [] if order == sorted(order) else order
        texts[HERE / "gold" / "queues" / f"{case['name']}.json"] = json.dumps(gold) + "\n"
    return texts


def numbers(found: dict[str, dict[int, int]], stream: str) -> list[float]:
    """Of a run how many packets were dropped, how many marked, and the mean wait of those that were sent, in microseconds."""
    waits = [time - STREAMS[stream][n][0] for n, time in found["S"].items()]
    return [len(found["D"]), len(found["M"]), round(sum(waits) / len(waits) / 1000)]
