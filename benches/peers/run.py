"""W1 to W4 (see docs/performance.md) in headgate and its peers, in turn, several rounds; first come, first served everywhere.

Prints CPU microseconds per packet over the line with their ratio to headgate's, peak memory, and start-up. Each run is a process of
its own; its CPU time less that of a run that is as good as empty is divided by the packets that the simulator itself counted. The
least of the rounds counts. Slow peers run a shorter time of the same workload; a peer that is not installed is left out.

Usage: run.py [ROUNDS]. Only the standard library: the memory of a process starts with that of its parent.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / ".cache" / "peers"
HERE = Path(__file__).parent

HEADGATE = """
import json, sys
from headgate import _core
from headgate.checks import bench
work, flows, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
make = {"W1": bench.w1, "W2": bench.w2, "W3": bench.w3}.get(work)
scenario = (make("fcfs") if make else bench.w4("fcfs", flows)).scenario
scenario["duration"] = scenario["interval"] = f"{round(seconds * 1e9)}ns"
print(_core.measure(json.dumps(scenario))[2])
"""

#: Command of each simulator; workload, flows and seconds follow.
COMMANDS: dict[str, list[str]] = {
    "headgate": [str(ROOT / ".venv/bin/python"), "-c", HEADGATE],
    "htsim": [str(PEERS / "htsim")],
    "ns-2": [str(PEERS / "root/usr/bin/ns"), str(HERE / "ns2.tcl")],
    "ns-3": [str(PEERS / "ns3")],
    "ns.py": [str(PEERS / "venv/bin/python"), str(HERE / "nspy.py")],
}

#: Workload, flows, simulated seconds, and those of the slow ones.
WORKLOADS = [
    ("W1", 32, 100.0, {"ns-3": 20.0, "ns.py": 5.0}),
    ("W2", 32, 100.0, {"ns.py": 10.0}),
    ("W3", 4, 10.0, {"ns-3": 1.0, "ns.py": 2.0}),
    ("W4", 10, 1.0, {"ns.py": 0.1}),
    ("W4", 1000, 1.0, {"ns.py": 0.1}),
    ("W4", 10_000, 1.0, {"ns.py": 0.1}),
]

LIBRARIES = ":".join(str(PEERS / "root/usr/lib" / x) for x in ("", f"{platform.machine()}-linux-gnu"))


def once(simulator: str, work: str, flows: int, seconds: float) -> tuple[float, float, int]:
    """CPU seconds, peak MB and packets of one run."""
    command = [*COMMANDS[simulator], work, str(flows), str(seconds)]
    env = {**os.environ, "LD_LIBRARY_PATH": LIBRARIES} if simulator in ("ns-2", "ns-3") else None
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    assert process.stdout and process.stderr
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{simulator} {work}: exit {process.returncode}; {err.decode()[-500:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, int(float(out.split()[-1]))


def main() -> None:
    """Runs everything and prints the tables."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    for peer in [name for name, command in COMMANDS.items() if not Path(command[0]).exists()]:
        print(f"{peer} is not installed: left out", file=sys.stderr)
        del COMMANDS[peer]
    start: dict[str, float] = {}
    best: dict[tuple[str, int, str], tuple[float, float, int]] = {}
    for _ in range(rounds):
        for simulator in COMMANDS:
            start[simulator] = min(start.get(simulator, 1e9), once(simulator, "W1", 32, 0.001)[0])
        for work, flows, seconds, shorter in WORKLOADS:
            for simulator in COMMANDS:
                got = once(simulator, work, flows, shorter.get(simulator, seconds))
                key = (work, flows, simulator)
                best[key] = min(best.get(key, got), got)
                print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(f"{date.today()}, {platform.machine()}, {os.cpu_count()} processors, least of {rounds}\n")
    print("| workload | flows | " + " | ".join(COMMANDS) + " | ratios |")
    print("| --- | --- |" + " --- |" * (len(COMMANDS) + 1))
    for work, flows, *_ in WORKLOADS:
        cost = {s: 1e6 * (best[work, flows, s][0] - start[s]) / best[work, flows, s][2] for s in COMMANDS}
        ratios = ", ".join(f"{cost[s] / cost['headgate']:.3g}" for s in list(COMMANDS)[1:])
        print(f"| {work} | {flows} | " + " | ".join(f"{c:.3g}" for c in cost.values()) + f" | {ratios} |")
    print("\n| | " + " | ".join(COMMANDS) + " |")
    print("| --- |" + " --- |" * len(COMMANDS))
    print("| start-up, CPU ms | " + " | ".join(f"{1e3 * start[s]:.0f}" for s in COMMANDS) + " |")
    for work, flows in (("W1", 32), ("W3", 4), ("W4", 10_000)):
        row = " | ".join(f"{best[work, flows, s][1]:.0f}" for s in COMMANDS)
        print(f"| peak MB, {work} with {flows} flows | {row} |")
    names = ("workload", "flows", "simulator", "cpu_s", "peak_mb", "packets")
    record = [dict(zip(names, (*key, *value), strict=True)) for key, value in best.items()]
    (PEERS / "results.json").write_text(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
