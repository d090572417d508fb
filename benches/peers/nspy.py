"""W1 to W4 in ns.py: python nspy.py WORKLOAD FLOWS SECONDS. Prints the packets that crossed the line."""

from __future__ import annotations

import random
import sys

import simpy
from ns.demux.flow_demux import FlowDemux
from ns.flow.cc import TCPReno
from ns.flow.flow import Flow
from ns.packet.dist_generator import DistPacketGenerator
from ns.packet.sink import PacketSink
from ns.packet.tcp_generator import TCPPacketGenerator
from ns.packet.tcp_sink import TCPSink
from ns.port.port import Port
from ns.port.wire import Wire


def main(work: str, flows: int, seconds: float) -> int:
    """Builds and runs a workload."""
    env = simpy.Environment()
    rate, delay, limit = {
        "W1": (10e6, 0.001, 64_000), "W2": (10e6, 0.01, 64_000), "W3": (1e9, 0.015, 3_750_000), "W4": (1e9, 0.001, 64_000),
    }[work]  # fmt: skip
    port, wire = Port(env, rate, qlimit=limit, limit_bytes=True), Wire(env, lambda: delay)
    port.out = wire
    if work in ("W1", "W4"):
        sink = PacketSink(env, rec_arrivals=False, rec_waits=False, rec_flow_ids=False)
        wire.out = sink
        for i in range(flows):
            gap = 8000 / ((i + 1) * 312_500 if work == "W1" else 2e9 / flows)
            start = 0.0 if work == "W1" else random.uniform(0, gap)
            source = DistPacketGenerator(
                env, f"s{i}", lambda gap=gap: gap, lambda: 1000, initial_delay=start, flow_id=0, rec_flow=False
            )
            source.out = port
        env.run(until=seconds)
        return port.packets_received - port.packets_dropped - len(port.store.items)
    sinks, answers, back = [], [], Wire(env, lambda: delay)
    size = 1000 if work == "W2" else 1500
    for i in range(flows):
        flow = Flow(fid=i, src="a", dst="b", size=10**12, finish_time=seconds)
        source = TCPPacketGenerator(env, flow=flow, cc=TCPReno(mss=size, cwnd=size), element_id=flow.src)
        sink = TCPSink(env, rec_waits=False, rec_arrivals=False)
        source.mss = size
        source.out, sink.out = port, back
        sinks.append(sink)
        answers.append(source)
    wire.out = FlowDemux(sinks)

    class Answers:
        """Acknowledgements carry the number of their flow plus 10,000."""

        def put(self, packet: object) -> None:
            answers[packet.flow_id - 10_000].put(packet)  # type: ignore[attr-defined]

    back.out = Answers()
    env.run(until=seconds)
    return port.packets_received - port.packets_dropped - len(port.store.items)


if __name__ == "__main__":
    print(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
