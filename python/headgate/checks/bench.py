"""Speed and memory, each figure from a separate process: the workloads, the disciplines alone, the engine.

Times are processor time, so another program on the machine has little effect; the best of several repeats is given, because
disturbance only adds to the time.
"""

from __future__ import annotations

import json
import os
import platform
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from .. import _core
from ..base.catalogue import catalogue

#: Backlogged flows at which a discipline is measured.
CHURN_FLOWS = (1, 10, 1000, 100_000)

#: Flow controls whose cost is compared with that of the first one.
CONTROLS = ("jk_reno", "reno", "newreno", "sack", "cubic", "cubic_linux", "bbr1")

#: Core-Stateless Fair Queueing in the core of an island, where packets arrive with labels and nothing is kept per flow.
CORE = "csfq core"


@dataclass(frozen=True)
class Workload:
    """A scenario whose cost is measured."""

    name: str
    queue: str
    flows: int
    scenario: dict[str, Any]


def _line(duration: str, rate: str, delay: str, queue: str, buffer: str, flows: list[dict[str, Any]]) -> dict[str, Any]:
    """One gateway, one line: only the bottleneck has a cost."""
    return {
        "duration": duration,
        "interval": duration,
        "warm_up": "0s",
        "nodes": [{"name": "a"}, {"name": "b", "kind": "host"}],
        "links": [
            {
                "name": "line", "from": "a", "to": "b", "rate": rate, "delay": delay, "classify": "flow",
                "queue": {"kind": queue, "buffer": buffer},
            }
        ],
        "flows": flows,
    }  # fmt: skip


def _cbr(name: str, bps: int, **more: Any) -> dict[str, Any]:
    return {
        "name": name, "from": "a", "to": "b", "acknowledge": False, "control": {"kind": "none"},
        "workload": {"kind": "cbr", "rate": f"{bps}bit/s"}, **more,
    }  # fmt: skip


def w1(queue: str) -> Workload:
    """32 constant-rate flows of 1000-byte packets, flow i at (i + 1) 0.3125 Mbit/s, into 10 Mbit/s, 1 ms, 64 KB, 100 s."""
    flows = [_cbr(f"f{i}", (i + 1) * 312_500) for i in range(32)]
    return Workload("W1", queue, 32, _line("100s", "10Mbit/s", "1ms", queue, "64KB", flows))


def _control(name: str, window: int) -> dict[str, Any]:
    """A flow control; one whose window has no bound of its own gets this one."""
    return {"kind": name, "window": window} if name == "jk_reno" else {"kind": name}


def w2(queue: str, control: str = "jk_reno") -> Workload:
    """32 bulk flows under a flow control over 10 Mbit/s, 20 ms round trip, 64 KB, 100 s."""
    flows = [{"name": "f{i}", "from": "a", "to": "b", "control": _control(control, 1000), "count": 32}]
    return Workload("W2", queue, 32, _line("100s", "10Mbit/s", "10ms", queue, "64KB", flows))


def w3(queue: str, control: str = "jk_reno") -> Workload:
    """4 bulk flows under a flow control over 1 Gbit/s, 30 ms round trip, 1500-byte packets, a bandwidth-delay product of buffer, 10 s."""
    bulk = {"name": "f{i}", "from": "a", "to": "b", "packet": "1500B", "control": _control(control, 100_000)}
    flows = [{**bulk, "count": 4}]
    return Workload("W3", queue, 4, _line("10s", "1Gbit/s", "15ms", queue, "3750KB", flows))


def w4(queue: str, n: int) -> Workload:
    """N constant-rate flows at twice the rate of 1 Gbit/s in total, 1 s."""
    gap_ns = 8000 * n // 2  # of 1000-byte packets at 2 Gbit/s / n
    flows = [_cbr("f{i}", 2_000_000_000 // n, count=n, start_spread=f"{gap_ns}ns")]
    return Workload("W4", queue, n, _line("1s", "1Gbit/s", "1ms", queue, "64KB", flows))


def w5(queue: str) -> Workload:
    """10^6 short transfers: Poisson arrivals, Pareto sizes with a mean of 10 packets of 1500 bytes, load 0.8 of 10 Gbit/s, 15 s."""
    short = {
        "name": "short", "from": "a", "to": "b", "packet": "1500B", "control": "none", "acknowledge": False,
        "arrivals": {"kind": "poisson", "mean": "15us"},
        "workload": {"kind": "transfer", "packets": 10, "size": "pareto"},
    }  # fmt: skip
    return Workload("W5", queue, 1_000_000, _line("15s", "10Gbit/s", "50us", queue, "1MB", [short]))


def w6(queue: str, flows: int = 128, duration: str = "10ms") -> Workload:
    """Bulk flows under jk_reno in a fat tree of 128 hosts, 10 Gbit/s everywhere, ECMP: each host sends to one other, 10 ms."""
    k = 8
    hosts = [f"h{i + 1}" for i in range(k**3 // 4)]
    line = {"rate": "10Gbit/s", "delay": "1us", "queue": {"kind": queue, "buffer": "150KB"}}
    draw, pairs = random.Random(k), list[tuple[str, str]]()
    while len(pairs) < flows:
        sinks = draw.sample(hosts, len(hosts))
        if all(a != b for a, b in zip(hosts, sinks, strict=True)):
            pairs += zip(hosts, sinks, strict=True)
    control = {"kind": "jk_reno", "window": 100}
    bulk = [
        {"name": f"f{i}", "from": a, "to": b, "packet": "1500B", "control": control}
        for i, (a, b) in enumerate(pairs[:flows])
    ]
    scenario = {
        "duration": duration, "interval": duration, "warm_up": "0s", "routing": "ecmp",
        "topology": {"kind": "fat_tree", "k": k, "line": line}, "flows": bulk,
    }  # fmt: skip
    return Workload("W6", queue, flows, scenario)


def w7(queue: str, flows: int = 1_000_000) -> Workload:
    """10^6 bulk flows under cubic that begin at once, 100 Gbit/s, 30 ms round trip, 1500-byte packets, a bandwidth-delay product, 1 s."""
    bulk = {"name": "f{i}", "from": "a", "to": "b", "packet": "1500B", "control": "cubic", "count": flows}
    return Workload("W7", queue, flows, _line("1s", "100Gbit/s", "15ms", queue, "375MB", [bulk]))


def w8(queue: str, n: int = 32) -> Workload:
    """N constant-rate flows of 1500-byte packets that fill 100 Gbit/s together, 1 ms, 1 MB, 1 s: in real time if it takes at most 1 s."""
    gap_ns = 12_000 * n // 100  # of 1500-byte packets at 100 Gbit/s / n
    flows = [_cbr("f{i}", 100_000_000_000 // n, count=n, start_spread=f"{gap_ns}ns", packet="1500B")]
    return Workload("W8", queue, n, _line("1s", "100Gbit/s", "1ms", queue, "1MB", flows))


def w9(queue: str, control: str = "jk_reno") -> Workload:
    """32 bulk flows under a flow control, 100 Gbit/s, 1 ms round trip, 1500-byte packets, a bandwidth-delay product, 1 s."""
    bulk = {"name": "f{i}", "from": "a", "to": "b", "packet": "1500B", "control": _control(control, 100_000)}
    return Workload("W9", queue, 32, _line("1s", "100Gbit/s", "500us", queue, "12500KB", [{**bulk, "count": 32}]))


def in_python() -> list[Workload]:
    """W3 under `aimd`, and under the same in Python: what a call of a flow control of one's own costs."""
    from .. import plugins

    own = w3("fcfs", "my_aimd")
    scenario = {**own.scenario, "plugins": plugins.filled_from(plugins.example("aimd"))}
    return [replace(w3("fcfs", "aimd"), name="W3 aimd"), replace(own, name="W3 my_aimd", scenario=scenario)]


def workloads(quick: bool = False) -> list[Workload]:
    """All measurements; `quick` leaves out most of them."""
    if quick:
        return [w1("fcfs"), w2("fcfs")]
    return [
        *(w(q) for w in (w1, w2, w3) for q in ("fcfs", "fq")),
        *(w4(q, n) for q in ("fcfs", "fq") for n in (10, 100, 1000, 10_000)),
        *(replace(w2(q, "cubic"), name="W2 cubic") for q in ("fcfs", "fq_codel")),
        *(w4(q, 10_000) for q in ("drr", "fq_codel")),
        *(w(q) for w in (w5, w6) for q in ("fcfs", "fq")),
        *(w("fcfs") for w in (w7, w8, w9)),
        *in_python(),
    ]


def _child(task: dict[str, Any]) -> dict[str, Any]:
    """Does a task in a fresh process, so that memory is its own."""
    code = "from headgate.checks.bench import work; work()"
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(task), capture_output=True, text=True, check=True
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def scaling(w: Workload, repeats: int) -> dict[str, Any]:
    """Slowdown of runs side by side, one on each processor: the time of a run alone over that of the slowest of them."""
    task, processors = {"do": "run", "scenario": w.scenario}, os.cpu_count() or 1
    alone = min((_child(task) for _ in range(repeats)), key=lambda a: float(a["wall"]))
    best, same = 0.0, True
    with ThreadPoolExecutor(processors) as pool:
        for _ in range(repeats):
            answers = list(pool.map(_child, [task] * processors))
            best = max(best, alone["wall"] / max(a["wall"] for a in answers))
            same = same and all(a["digest"] == alone["digest"] for a in answers)
    return {"name": w.name, "queue": w.queue, "processors": processors, "of_ideal": best, "equal_digests": same}


def _peak() -> int:
    """Peak memory of this process in bytes, of this program only: the figure of getrusage contains that of the parent."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
        return int(status.split("VmHWM:")[1].split()[0]) * 1024
    except (OSError, IndexError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def work() -> None:
    """The work of a fresh process: a task from standard input, its answer to standard output."""
    task = json.load(sys.stdin)
    answer: dict[str, Any] = {}
    if "plugins" in task.get("scenario", {}):
        # Loaded only here: the memory of other workloads is without it.
        from .. import plugins

        plugins.ensure_given(task["scenario"]["plugins"])
    began, clock = time.process_time(), time.perf_counter()
    if task["do"] == "run":
        names = ("events", "sent", "delivered", "transmissions", "digest")
        answer = dict(zip(names, _core.measure(json.dumps(task["scenario"])), strict=True))
    elif task["do"] == "churn":
        _core.churn(task["discipline"], task["flows"], 0)
        filled = time.process_time() - began
        began = time.process_time()
        _core.churn(task["discipline"], task["flows"], task["rounds"])
        answer = {"filled": filled}
    answer["wall"] = time.perf_counter() - clock
    answer["cpu"] = time.process_time() - began
    answer["rss"] = _peak()
    print(json.dumps(answer))


def _best(task: dict[str, Any], repeats: int) -> dict[str, Any]:
    return min((_child(task) for _ in range(repeats)), key=lambda a: float(a["cpu"]))


@dataclass(frozen=True)
class Cost:
    """Cost of a workload: packets per second of processor time, best of the repeats; `hops_pps` counts each hop, acknowledgements too."""

    name: str
    queue: str
    flows: int
    offered_pps: float
    bottleneck_pps: float
    hops_pps: float
    cpu_s: float
    rss_mb: float
    events_pps: float


def measure(w: Workload, repeats: int) -> Cost:
    """Measures a workload, set-up included."""
    a = _best({"do": "run", "scenario": w.scenario}, repeats)
    cpu = float(a["cpu"])
    offered, delivered, hops, events = (a[k] / cpu for k in ("sent", "delivered", "transmissions", "events"))
    return Cost(w.name, w.queue, w.flows, offered, delivered, hops, cpu, a["rss"] / 1e6, events)


def controls(workload: Callable[[str, str], Workload], names: Sequence[str], repeats: int) -> list[dict[str, Any]]:
    """The cost of ten times a workload over fcfs under each flow control, as rows `{workload, control, bottleneck_pps, times}`.

    `times` is the processor time of a packet over the bottleneck in that of the first control. The controls are measured in turn
    in each repeat.
    """
    cases = [workload("fcfs", name) for name in names]
    long = [
        {**w.scenario, **dict.fromkeys(("duration", "interval"), w.scenario["duration"][:-1] + "0s")} for w in cases
    ]
    rounds = [[_child({"do": "run", "scenario": scenario}) for scenario in long] for _ in range(repeats)]
    speeds = [max(a["delivered"] / a["cpu"] for a in answers) for answers in zip(*rounds, strict=True)]
    return [
        {"workload": w.name, "control": name, "bottleneck_pps": speed, "times": speeds[0] / speed}
        for w, name, speed in zip(cases, names, speeds, strict=True)
    ]


def flow_bytes(control: str, base: float, flows: int = 10_000) -> float:
    """Memory of a flow that has sent its only packet: its share of a process without any, in bytes."""
    one = {
        "name": "f{i}", "from": "a", "to": "b", "count": flows, "control": _control(control, 1000),
        "workload": {"kind": "transfer", "packets": 1},
    }  # fmt: skip
    scenario = _line("1s", "1Gbit/s", "1ms", "fcfs", "64MB", [one])
    return (float(_child({"do": "run", "scenario": scenario})["rss"]) - base) / flows


@dataclass(frozen=True)
class Alone:
    """What a discipline takes by itself: time for one packet in and one out, and peak memory of the whole process."""

    ns_per_packet: float
    rss_bytes: float


def discipline(name: str, flows: int, repeats: int, rounds: int = 300_000) -> Alone:
    """Measures a discipline that holds two packets of each flow; the best of the repeats."""
    task = {"do": "churn", "discipline": name, "flows": flows, "rounds": rounds}
    answers = [_child(task) for _ in range(repeats)]
    best = max(0.0, min(float(a["cpu"]) - float(a["filled"]) for a in answers))
    return Alone(best * 1e9 / rounds, min(float(a["rss"]) for a in answers))


def churn(name: str, flows: int, repeats: int) -> float:
    """Nanoseconds for one packet in and one out of a discipline that holds two packets of each flow."""
    return discipline(name, flows, repeats).ns_per_packet


def start_up(repeats: int) -> float:
    """Seconds from the start of a process to the end of a run of one packet, less those of a process that does nothing."""

    def wall(code: str) -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - began

    tiny = _line("1s", "1Mbit/s", "1ms", "fcfs", "64KB", [_cbr("f", 8000)])
    code = f"from headgate import _core; _core.run({json.dumps(tiny)!r})"
    return min(wall(code) for _ in range(repeats)) - min(wall("pass") for _ in range(repeats))


def run(
    quick: bool = False, repeats: int = 3, tick: Callable[[int, int], None] = lambda done, total: None
) -> dict[str, Any]:
    """The whole suite, as `{workloads, controls, disciplines, engine}`; `tick` is called with the progress."""
    names = [*catalogue("disciplines"), CORE]
    points = [(d, n) for d in names for n in (CHURN_FLOWS[:3] if quick else CHURN_FLOWS)]
    todo = workloads(quick)
    compared = (w2,) if quick else (w2, w3)
    total = len(todo) + len(compared) + len(points) + 2
    steps = _count(tick, total)
    costs = []
    for w in todo:
        costs.append(measure(w, repeats))
        next(steps)
    modern = []
    for workload in compared:
        modern += controls(workload, CONTROLS[:2] if quick else CONTROLS, repeats)
        next(steps)
    alone = []
    for d, n in points:
        alone.append({"name": d, "flows": n, "ns_per_packet": churn(d, n, repeats)})
        next(steps)
    side_by_side = scaling(w2("fcfs") if quick else w5("fcfs"), repeats)
    next(steps)
    base, many = _child({"do": "nothing"})["rss"], 10_000
    used = _child({"do": "run", "scenario": w4("fcfs", many).scenario})["rss"]
    engine = {
        "start_up_s": start_up(max(repeats, 3)),
        "events_per_s": {f"{c.name} {c.queue}": c.events_pps for c in costs if c.name in ("W1", "W2", "W3")},
        "base_mb": base / 1e6,
        "bytes_per_flow": (used - base) / many,
        "bytes_per_controlled_flow": {name: flow_bytes(name, base) for name in (*CONTROLS[:2], *CONTROLS[-3:])},
        "side_by_side": side_by_side,
        "repeats": repeats,
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}",
    }
    tick(total, total)
    rows = [{k: v for k, v in asdict(c).items() if k != "events_pps"} for c in costs]
    return {"version": _core.__version__, "workloads": rows, "controls": modern, "disciplines": alone, "engine": engine}


def _count(tick: Callable[[int, int], None], total: int) -> Iterator[None]:
    for done in range(1, total + 1):
        tick(done, total)
        yield
