"""Instructions that a packet costs under each control, relative to jk_reno, counted by valgrind: the same on every machine of one kind.

    make bench-instructions

The build of a checkout is counted: wheels take a fifth fewer instructions, and what controls cost relative to one another differs by
0.03 at most. Two runs of different length are subtracted from each other, so that starting costs nothing. Fails if a control costs more
than its bound.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROGRAM = Path(__file__).parent.parent / "target/debug/examples/workload"

#: Simulated seconds of the shorter and the longer run.
SECONDS = {"W2": (5, 25), "W3": (2.5, 3)}

#: Most instructions of a control, in those of jk_reno; 3 to 5 % above what was measured with the build of a checkout.
BOUNDS = {
    "W2": {"reno": 1.34, "newreno": 1.32, "sack": 1.46, "cubic": 1.47, "cubic_linux": 1.66, "bbr1": 2.43},
    "W3": {"reno": 1.25, "newreno": 1.25, "sack": 1.25, "cubic": 1.32, "cubic_linux": 1.41, "bbr1": 2.51},
}


def count(workload: str, control: str, seconds: float) -> tuple[int, int]:
    """Instructions and transmissions of a run."""
    command = [
        "valgrind",
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
        str(PROGRAM),
        workload,
        "fcfs",
        control,
        str(seconds),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    instructions = re.search(r"Collected : (\d+)", done.stderr)
    transmissions = re.search(r", (\d+) transmissions", done.stdout)
    if not instructions or not transmissions:
        sys.exit(f"valgrind gave no counts: {done.stderr[-500:]}")
    return int(instructions[1]), int(transmissions[1])


def cost(workload: str, control: str) -> float:
    """Instructions per transmission, of data and acknowledgements."""
    (less, first), (more, second) = (count(workload, control, seconds) for seconds in SECONDS[workload])
    return (more - less) / (second - first)


def main() -> None:
    """Counts, prints a table, and exits with 1 if a bound is passed."""
    if not shutil.which("valgrind"):
        sys.exit("expected valgrind: install it (Debian or Ubuntu: apt install valgrind)")
    keys = [(workload, control) for workload, bounds in BOUNDS.items() for control in ("jk_reno", *bounds)]
    with ThreadPoolExecutor(2) as pool:
        costs = dict(zip(keys, pool.map(lambda key: cost(*key), keys), strict=True))
    too_many = False
    print(f"{'workload':8} {'control':12} {'instructions':>12} {'jk_reno = 1':>12} {'bound':>6}")
    for (workload, control), instructions in costs.items():
        ratio, bound = instructions / costs[workload, "jk_reno"], BOUNDS[workload].get(control)
        too_many |= bound is not None and ratio > bound
        print(
            f"{workload:8} {control:12} {instructions:12.0f} {ratio:12.2f} {'' if bound is None else f'{bound:6.2f}'}"
        )
    if too_many:
        sys.exit("a control costs more instructions than its bound")


if __name__ == "__main__":
    main()
