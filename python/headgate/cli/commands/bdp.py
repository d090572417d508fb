"""headgate bdp: the bandwidth-delay product of a path, and what follows from it."""

from __future__ import annotations

import math

from ...base.counts import counted
from .. import shared, signals
from ..command import Command, argument, option
from ..printed import Shape, key
from ..show import print_json


class BdpJson(Shape):
    """A path."""

    rate_bps: int = key("Its rate.", "bit/s")
    rtt_s: float = key("Its round trip without queues.", "s")
    packet_bytes: int = key("Size of a packet.", "bytes")
    flows: int = key("Flows that share it.")
    bytes: float = key("The bandwidth-delay product.", "bytes")
    packets: float = key("The same in packets.", "packets")
    buffers: dict[str, BufferJson] = key("Buffers: `1bdp`, and `bdp/sqrt(n)` of n flows.")
    slow_start_s: float = key("Time in which slow start fills it, without a queue.", "s")
    reno_loss_rate: float = key("Loss rate with which the mean window of one Reno flow fills it.")
    reno_regains_s: float = key("Time in which such a flow grows by what it cuts.", "s")


class BufferJson(Shape):
    """A buffer."""

    bytes: float = key("Its size.", "bytes")
    packets: float = key("The same in packets.", "packets")
    drain_s: float = key("Time in which the line sends a full one.", "s")


class BdpCommand(Command):
    """Print the bandwidth-delay product of a path of RATE and RTT.

    It is what fills the path, in bytes and in packets. Below it stand two usual sizes of a buffer, with the time in which a full one is
    sent, and what one Reno flow would need to use the whole path.
    """

    group = "Look up"
    at_once = True
    notes = """With n flows that are not in step, a buffer of a bandwidth-delay product over the root of n keeps a line busy (Appenzeller,
Keslassy and McKeown 2004). Slow start doubles the window in each round trip. A Reno flow whose mean window is w needs a loss rate of
3/(2 w^2), and regains what a loss took in 2 w/3 round trips (Mathis et al. 1997; RFC 3649 begins with these numbers)."""
    examples = """\
headgate bdp 50Mbit/s 40ms
headgate bdp 10Gbit/s 100ms --flows 10000 --json
"""
    prints = {"": BdpJson}

    rate: str = argument()
    rtt: str = argument()
    flows: int = option("Flows n that share the path.", 100, least=1, most=10**9)
    packet: str = option("Size of a packet.", "1500B", metavar="SIZE")
    initial_window: int = option("Initial window of slow start in packets.", 10, least=1, most=1_000_000)
    as_json: bool = shared.as_json("the numbers")

    def run(self) -> None:
        with signals.loading():
            from ...quick.amounts import quantity, read
            from ..tables.fit import Column, print_fitted
            from ..terminal import console

        bits_per_s = quantity("RATE", read("RATE", self.rate, "bps"), "bps")
        rtt_s = quantity("RTT", read("RTT", self.rtt, "s"), "s") / 1e12
        packet = quantity("--packet", self.packet, "bytes")
        product = bits_per_s * rtt_s / 8
        window = product / packet
        fills_s = rtt_s * max(0.0, math.log2(window / self.initial_window))
        loss_rate, regains_s = min(1.0, 1.5 / window**2), rtt_s * 2 * window / 3
        buffers = {
            name: {"bytes": size, "packets": size / packet, "drain_s": 8 * size / bits_per_s}
            for name, size in (("1bdp", product), ("bdp/sqrt(n)", product / math.sqrt(self.flows)))
        }
        if self.as_json:
            print_json(
                {
                    "rate_bps": bits_per_s,
                    "rtt_s": rtt_s,
                    "packet_bytes": packet,
                    "flows": self.flows,
                    "bytes": product,
                    "packets": window,
                    "buffers": buffers,
                    "slow_start_s": fills_s,
                    "reno_loss_rate": loss_rate,
                    "reno_regains_s": regains_s,
                }
            )
            return
        out = console()
        if window < 1:
            out.print(
                f"The path holds {product:.3g} bytes, less than a packet of {packet} bytes: one packet at a time fills it.",
                soft_wrap=True,
            )
            return
        out.print(f"The path holds {product:,.0f} bytes: {window:,.1f} packets of {packet} bytes.", soft_wrap=True)
        columns = [
            Column("buffer", text=True, cells=["1 BDP", f"BDP/sqrt(n), {counted(self.flows, 'flow')}"]),
            Column("bytes", cells=[f"{b['bytes']:,.0f}" for b in buffers.values()]),
            Column("packets", cells=[f"{b['packets']:,.1f}" for b in buffers.values()]),
            Column("sent in ms", cells=[f"{1e3 * b['drain_s']:,.3f}" for b in buffers.values()]),
        ]
        print_fitted("", columns)
        out.print(
            f"\nSlow start from {counted(self.initial_window, 'packet')} fills it in {fills_s / rtt_s:.1f} round trips, {fills_s:.3g} s."
            f"\nOne Reno flow that uses all of it bears one loss in {1 / loss_rate:,.0f} packets,"
            f"\nand needs {regains_s:,.3g} s to grow by what it cuts.",
            soft_wrap=True,
        )
