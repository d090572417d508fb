"""What ns-2 gives on the line of line.tcl.

`python tests/oracle/ns2/runs.py` runs it and says whether gold.csv is still what it gives; `--write` writes that file again.
It needs `ns`, of Debian's package ns2 2.35+dfsg-5, and some minutes.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

HERE = Path(__file__).parent
GOLD = HERE / "gold.csv"

#: What is run: every combination, each with these seeds. `RED-wait` is RED with ns-2's `wait_`, which spaces drops further apart.
SCENARIOS = ("figure-3b", "table-1")
SCHEMES = ("DRR", "RED", "RED-wait", "FIFO")
FLAVOURS = ("reno", "tahoe", "newreno", "sack")
SEEDS = range(1, 11)

#: What ns prints: packets of the UDP flow that arrived, of so many that were sent, and packets of all TCP flows that were acknowledged.
COLUMNS = ("scenario", "scheme", "flavour", "seed", "udp_received", "udp_sent", "tcp_acknowledged")


def program() -> str | None:
    """Where ns is, if it is installed."""
    return shutil.which("ns")


def run(scenario: str, scheme: str, flavour: str, seed: int) -> tuple[int, ...]:
    """What ns prints for one run."""
    command = [program() or "ns", "line.tcl", str(seed), scenario, scheme, flavour]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True, timeout=300)
    return tuple(int(number) for number in done.stdout.split())


def gold() -> list[dict[str, str]]:
    """The runs that are kept."""
    with GOLD.open(newline="") as file:
        return list(csv.DictReader(file))


def main() -> None:
    """Runs all and compares, or writes."""
    cases = list(product(SCENARIOS, SCHEMES, FLAVOURS, SEEDS))
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda case: run(*case), cases))
    rows = [
        dict(zip(COLUMNS, map(str, (*case, *numbers)), strict=True)) for case, numbers in zip(cases, found, strict=True)
    ]
    if "--write" in sys.argv[1:]:
        with GOLD.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        return
    differ = [kept for kept, row in zip(gold(), rows, strict=True) if kept != row]
    print(f"{len(differ)} of {len(rows)} runs differ from {GOLD.name}.", *differ, sep="\n")
    sys.exit(bool(differ))


if __name__ == "__main__":
    main()
