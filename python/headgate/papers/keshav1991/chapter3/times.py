"""Table 3.2's method today: nanoseconds and instructions of the structures alone, on the machine at hand."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .... import _core
from ....base.parallel import Progress
from ...build import build_scenario
from ...model import Point, Table
from ...runs import remember
from ...study import Section
from .costs import STRUCTURES, TRUNK, Costs
from .growth import TABLES

#: How often each time is measured, and the minimum length of a measurement in nanoseconds.
REPEATS, LEAST_NS = 5, 2_000_000

#: Packets of a made-up trace, and the orders of its tags. Insertions with falling tags take more operations than those with random
#: ones; the difference in cost is that of the operations.
SIZE = 256
ORDERS = ("random", "falling")

#: Points where the instructions of a whole trace are counted: one without loss, one overloaded.
COUNTED = ((10, 400), (20, 200))
COUNTED_FOR = "300s"

NOT_COUNTED = "not counted"

#: The child of an instruction count: it loads the engine alone, so that little else is counted.
_CHILD = """\
import importlib.util, json, sys
task = json.loads(sys.argv[1])
spec = importlib.util.spec_from_file_location("headgate._core", task["core"])
core = importlib.util.module_from_spec(spec)
spec.loader.exec_module(core)
make = core.Calls.record if "link" in task else core.Calls.made_up
make(*[task[k] for k in ("scenario", "link", "order", "conversations", "packets") if k in task]).replay(
    task["structure"], task["rounds"]
)
"""


@dataclass(frozen=True)
class Nanoseconds:
    """Median, least and most of several repetitions."""

    median: float
    least: float
    most: float

    def text(self) -> str:
        """The median and, in brackets, the ends."""
        return f"{self.median:.1f} [{self.least:.1f}, {self.most:.1f}]"


def clock(calls: _core.Calls, structure: str) -> Nanoseconds:
    """Processor time per insertion, whatever else the trace holds included."""
    rounds = 1
    while True:
        began = time.thread_time_ns()
        (inserts, _, _), _ = calls.replay(structure.lower(), rounds)
        spent = time.thread_time_ns() - began
        if spent >= LEAST_NS:
            break
        rounds = max(2 * rounds, int(1.2 * rounds * LEAST_NS / max(spent, 1)))
    found = [spent / inserts]
    for _ in range(REPEATS - 1):
        began = time.thread_time_ns()
        calls.replay(structure.lower(), rounds)
        found.append((time.thread_time_ns() - began) / inserts)
    return Nanoseconds(statistics.median(found), min(found), max(found))


def counter() -> str:
    """What can count instructions here: perf, where the processor's counters can be read, valgrind, or nothing."""
    if shutil.which("perf"):
        done = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", "true"], capture_output=True, text=True)
        if re.search(r"^\d+,", done.stderr, re.MULTILINE):
            return "perf"
    return "valgrind" if shutil.which("valgrind") else ""


def _count(tool: str, task: dict[str, Any]) -> int:
    """Instructions of a process that does a task."""
    child = [sys.executable, "-S", "-s", "-P", "-c", _CHILD, json.dumps({**task, "core": _core.__file__})]
    tools = {
        "perf": (["perf", "stat", "-x,", "-e", "instructions:u"], r"^(\d+),"),
        "valgrind": (["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"], r"Collected : (\d+)"),
    }
    before, pattern = tools[tool]
    # A fixed environment: with the same hashes and search paths two processes differ by little but the task.
    environment = {"PATH": os.environ.get("PATH", ""), "PYTHONHASHSEED": "0"}
    done = subprocess.run([*before, *child], capture_output=True, text=True, env=environment)
    found = re.search(pattern, done.stderr, re.MULTILINE)
    return int(found[1]) if done.returncode == 0 and found else 0


def instructions(tool: str, what: Sequence[dict[str, Any]], rounds: int) -> dict[tuple[int, str], float]:
    """Instructions of one replay of each of several traces, by (number of the trace, structure); empty if they cannot be counted.

    A process that only makes the trace is counted too, and subtracted.
    """
    if not tool:
        return {}
    jobs = [(i, s, rounds) for i in range(len(what)) for s in STRUCTURES] + [(i, "LINK", 0) for i in range(len(what))]
    tasks = [{**what[i], "structure": s.lower(), "rounds": n} for i, s, n in jobs]
    with ThreadPoolExecutor(2) as pool:
        try:
            counts = dict(zip(jobs, pool.map(lambda t: _count(tool, t), tasks), strict=True))
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)  # Ctrl-C: what has not begun never does
            raise
    if not all(counts.values()):
        return {}
    return {(i, s): (counts[i, s, n] - counts[i, "LINK", 0]) / n for i, s, n in jobs if n}


@dataclass(frozen=True)
class Times:
    """What was measured per packet: of made-up traces by (structure, order of the tags), of recorded ones by (structure, point).

    `operations` are those per insertion; instructions are missing where they were not to be counted or cannot be.
    """

    tool: str
    operations: dict[tuple[str, str], float]
    made_up: dict[tuple[str, str], Nanoseconds]
    made_up_instructions: dict[tuple[str, str], float]
    recorded: dict[tuple[str, Point], Nanoseconds]
    recorded_instructions: dict[tuple[str, Point], float]

    def fastest(self, point: Point) -> str:
        """The structure with the least median at a point."""
        return min(STRUCTURES, key=lambda s: self.recorded[s, point].median)

    def sections(self) -> tuple[Section, ...]:
        """The tables: table 3.2, and the whole traces."""
        return self._table_3_2(), self._nanoseconds(), self._instructions()

    def _table_3_2(self) -> Section:
        times = {k: v.median for k, v in self.made_up.items()}

        def row(structure: str, **_: float) -> Table:
            return {"count": self._split(structure, self.made_up_instructions), "time": self._split(structure, times)}

        return TABLES.section("table_3_2", row, packets=SIZE, repeats=REPEATS, counted=self._counted_by())

    def table_3_2(self) -> dict[tuple[str, str, str], float]:
        """Code size over LINK's, and instructions per elementary operation where they can be counted here."""
        found = {("code_size", str(row["structure"]), ""): float(row["ours"]) for row in TABLES.about("table_3_2")}
        if self.made_up_instructions:
            for s in STRUCTURES:
                found["instructions", s, ""] = self._slope(s, self.made_up_instructions)[0]
        return found

    def _split(self, structure: str, cost: dict[tuple[str, str], float]) -> tuple[str, str]:
        """Cost per operation and besides."""
        if not cost:
            return NOT_COUNTED, NOT_COUNTED
        slope, rest = self._slope(structure, cost)
        return f"{slope:.1f}", f"{rest:.0f}"

    def _slope(self, structure: str, cost: dict[tuple[str, str], float]) -> tuple[float, float]:
        low, high = ((self.operations[structure, o], cost[structure, o]) for o in ORDERS)
        slope = (high[1] - low[1]) / (high[0] - low[0])
        return slope, low[1] - slope * low[0]

    def _counted_by(self) -> str:
        if self.made_up_instructions:
            return f"Instructions counted by {self.tool}."
        return "Instructions: not counted; --count-instructions counts them where perf or valgrind works."

    def _nanoseconds(self) -> Section:
        rows = (
            {"n": p[0], "b": p[1], "fastest": self.fastest(p), **{s: self.recorded[s, p].text() for s in STRUCTURES}}
            for p in dict.fromkeys(p for _, p in self.recorded)
        )
        return TABLES.section("nanoseconds", rows, repeats=REPEATS)

    def _instructions(self) -> Section:
        count = self.recorded_instructions
        points = dict.fromkeys(p for _, p in count)
        rows = ({"n": p[0], "b": p[1], **{s: count[s, p] for s in STRUCTURES}} for p in points)
        return TABLES.section("instructions", rows, span=COUNTED_FOR, counted=self._counted_by())


def measure(costs: Costs, progress: Progress | None) -> Times:
    """Takes the time of each structure on made-up traces and on the recorded calls of every point's run, one after the other.

    A reproduction that is resumed after an interruption keeps the times measured before, on the same machine.
    """
    item = costs.runs.item
    scenarios = {p: build_scenario(item, item.variant(Costs.variant("PERC", p))) for p in costs.points}
    here = [platform.node(), os.cpu_count(), Path(__file__).read_text("utf-8"), costs.runs.count_instructions]
    return _times(remember(lambda: _plain(_measure(costs, scenarios, progress)), here, list(scenarios.values())))


def _plain(times: Times) -> dict[str, Any]:
    """Times as values of JSON: a mapping is a list of keys and values."""
    return {
        name: [[key, asdict(v) if isinstance(v, Nanoseconds) else v] for key, v in x.items()]
        if isinstance(x, dict)
        else x
        for name, x in vars(times).items()
    }


def _times(plain: dict[str, Any]) -> Times:
    """The opposite of `_plain`."""

    def key(first: str, second: str | list[int]) -> tuple[str, str | Point]:
        return first, second if isinstance(second, str) else tuple(second)

    def value(v: float | dict[str, float]) -> float | Nanoseconds:
        return Nanoseconds(**v) if isinstance(v, dict) else v

    mappings: dict[str, Any] = {
        name: {key(*k): value(v) for k, v in x} for name, x in plain.items() if not isinstance(x, str)
    }
    return Times(tool=plain["tool"], **mappings)


def _measure(costs: Costs, scenarios: dict[Point, Table], progress: Progress | None) -> Times:
    """Takes the times."""
    steps, done = len(ORDERS) + len(scenarios) + 2, 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done / steps, done, steps)

    operations, times = {}, {}
    for order in ORDERS:
        calls = _core.Calls.made_up(order, SIZE, SIZE)
        for s in STRUCTURES:
            times[s, order] = clock(calls, s)
            (inserts, total, _), _ = calls.replay(s.lower(), 1)
            operations[s, order] = total / inserts
        step()
    recorded = {}
    for point, scenario in scenarios.items():
        calls = _core.Calls.record(json.dumps(scenario), TRUNK)
        for s in STRUCTURES:
            recorded[s, point] = clock(calls, s)
        step()
    tool = counter() if costs.runs.count_instructions else ""
    fresh = [{"order": order, "conversations": SIZE, "packets": SIZE} for order in ORDERS]
    counts = instructions(tool, fresh, 64)
    made_up_instructions = {(s, ORDERS[i]): count / SIZE for (i, s), count in counts.items()}
    step()
    points = [p for p in COUNTED if p in scenarios]
    short = [json.dumps({**scenarios[p], "duration": COUNTED_FOR}) for p in points]
    packets = [_core.Calls.record(s, TRUNK).replay("perc", 1)[0][0] for s in short]
    counts = instructions(tool, [{"scenario": s, "link": TRUNK} for s in short], 2)
    step()
    return Times(
        tool,
        operations,
        times,
        made_up_instructions,
        recorded,
        {(s, points[i]): count / packets[i] for (i, s), count in counts.items()},
    )
