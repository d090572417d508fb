"""headgate bench: speed and memory on this machine."""

from __future__ import annotations

from .. import shared, signals
from ..command import Command, option
from ..printed import Shape, key
from ..show import print_json


class BenchJson(Shape):
    """Figures of this machine, each of a separate process."""

    version: str = key("Version of headgate.")
    workloads: list[WorkloadJson] = key("Costs of scenarios.")
    controls: list[ControlCostJson] = key("Costs of flow controls.")
    disciplines: list[DisciplineCostJson] = key("Costs of disciplines alone.")
    engine: EngineJson = key("The engine.")


class WorkloadJson(Shape):
    """A workload."""

    name: str = key("Its name.")
    queue: str = key("Discipline.")
    flows: int = key("Number of flows.")
    offered_pps: float = key("Packets that were offered, in a second of processor time.", "packets/s")
    bottleneck_pps: float = key("Packets that the bottleneck sent, in a second of processor time.", "packets/s")
    hops_pps: float = key("Packets that all ports sent, in a second of processor time.", "packets/s")
    cpu_s: float = key("Processor time.", "s")
    rss_mb: float = key("Greatest memory.", "MB")


class ControlCostJson(Shape):
    """A flow control beside the plainest one."""

    workload: str = key("The workload.")
    control: str = key("The flow control.")
    bottleneck_pps: float = key("Packets that the bottleneck sent, in a second of processor time.", "packets/s")
    times: float = key("Its time per packet over that of the plainest one.")


class DisciplineCostJson(Shape):
    """A discipline without a network."""

    name: str = key("Its name.")
    flows: int = key("Flows with packets in it.")
    ns_per_packet: float = key("Time of a packet.", "ns")


class EngineJson(Shape):
    """The engine."""

    start_up_s: float = key("Time until the command has started.", "s")
    events_per_s: dict[str, float] = key("Events in a second of processor time, by workload and discipline.")
    base_mb: float = key("Memory without a scenario.", "MB")
    bytes_per_flow: float = key("Memory of a flow.", "bytes")
    bytes_per_controlled_flow: dict[str, float] = key("Memory of a flow under a flow control, by its name.", "bytes")
    side_by_side: SideBySideJson = key("Runs side by side, one on each processor.")
    repeats: int = key("Repeats of each measurement; the best counts.")
    machine: str = key("The machine.")


class SideBySideJson(Shape):
    """Runs side by side."""

    name: str = key("The workload.")
    queue: str = key("Its discipline.")
    processors: int = key("Processors.")
    of_ideal: float = key("The time of a run alone over that of the slowest of them.")
    equal_digests: bool = key("Whether all gave the same.")


class BenchCommand(Command):
    """Measure the speed of the engine and of every discipline, and the memory of a flow."""

    group = "Look up"
    examples = """\
headgate bench
headgate bench --quick --json
"""
    prints = {"": BenchJson}

    quick: bool = option("Measure fewer workloads and flows.")
    repeats: int = option("Repeats of each measurement; the best is printed.", 3, least=1, most=100)
    as_json: bool = shared.as_json("the figures")

    def run(self) -> None:
        with signals.loading():
            from ...checks.bench import run
            from ..tables.bench import print_bench
            from ..terminal import progress

        with progress("measuring") as callback:
            found = run(
                self.quick, self.repeats, lambda done, total: callback(done / total, done, total) if callback else None
            )
        if self.as_json:
            print_json(found)
        else:
            print_bench(found)
