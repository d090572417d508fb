"""What a packet and a flow cost: processor time and memory of disciplines alone, measured on this machine."""

from __future__ import annotations

from ...base.parallel import Progress
from ...checks import bench
from ..claims import Result, Runs
from ..layout import Layouts
from ..model import Table
from ..study import Shown
from .statements import claim

TABLES = Layouts(__file__)

#: Disciplines, and backlogged flows.
QUEUES = {"core": bench.CORE, "edge": "csfq", "fq": "fq", "drr": "drr", "fifo": "fcfs"}
FLOWS = (10, 100, 1000, 10_000, 100_000, 1_000_000)

#: Below this number of flows their memory cannot be distinguished from that of the process.
TELLS = 10_000


def study(runs: Runs, progress: Progress | None) -> Shown:
    """Times and memory, each from separate processes; `progress` has nothing more to show."""
    del progress
    found = {(key, n): bench.discipline(name, n, repeats=2) for key, name in QUEUES.items() for n in FLOWS}

    def times(n: int) -> Table:
        return {"flows": n, **{key: found[key, n].ns_per_packet for key in QUEUES}}

    def memory(n: int) -> Table:
        # FCFS holds the same packets, and nothing per flow.
        held = {key: (found[key, n].rss_bytes - found["fifo", n].rss_bytes) / n for key in QUEUES if key != "fifo"}
        return {"flows": n, **{key: max(0.0, value) for key, value in held.items()}}

    def exact(n: int) -> Table:
        return {"flows": n, "edge": held_bytes(runs, n, "hop1") / n, "core": held_bytes(runs, n, "hop2")}

    sizes = [n for n in FLOWS if n >= TELLS]
    return Shown(
        (
            TABLES.section("cost", map(times, FLOWS)),
            TABLES.section("memory", map(memory, sizes)),
            TABLES.section("island", map(exact, FLOWS[:-1])),
        )
    )


def held_bytes(runs: Runs, flows: int, port: str) -> float:
    """What a port of the island keeps about flows at the end of a run."""
    return float(runs.gauge(f"{flows} flows", port, "conversation_bytes")[1][-1])


@claim("B41")
def _b41(runs: Runs) -> Result:
    core, edge = ([held_bytes(runs, n, port) for n in FLOWS[:-1]] for port in ("hop2", "hop1"))
    busy = [runs.link(f"{n} flows", "hop2", "sent") for n in FLOWS[:-1]]
    each = min(held / n for held, n in zip(edge, FLOWS, strict=False))
    good = max(core) == 0 and each >= 8 and min(busy) > 0
    return good, f"core {max(core):.0f} bytes, edge {each:.0f} bytes a flow or more"
