"""Which curves the paper's figures have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..claims import Runs
from .grid import FEW, LOADS, MANY, Curve, Measured, measured, pair
from .measures import Network, power
from .statements import Exchanged

#: Bottlenecks in Mbit/s by the rate of the sources' lines: 1/5, 3/5 and all of it.
BOTTLENECKS = {15: (3, 9, 15), 150: (30, 90, 150), 1000: (200, 600, 1000)}

#: The loads near the greatest power, for what is asked of many settings.
NEAR = (0.4, 0.5, 0.6, 0.7, 0.8)

#: The parts of the sources' rate, as Table 1 writes them.
PARTS = ("1/5", "3/5", "1")


class Set:
    """TCP and BLT on the three bottlenecks of one rate: what one figure shows."""

    def __init__(
        self,
        runs: Runs,
        line: int,
        delay: float = 30,
        packets: int = 200,
        repeats: int = FEW,
        loads: tuple[float, ...] = LOADS,
    ) -> None:
        """Runs what was not run before."""
        self.line, self.delay, self.packets, self.bottlenecks = line, delay, packets, BOTTLENECKS[line]
        pairs = [pair(line, b, delay, packets, repeats) for b in self.bottlenecks]
        pairs = [(replace(tcp, loads=loads), replace(blt, loads=loads)) for tcp, blt in pairs]
        if packets == 2000:
            # Ten times the packets of a run, and no number is printed: the paper's three runs, once.
            pairs = [(replace(tcp, repeats=1), replace(blt, repeats=1)) for tcp, blt in pairs]
        found = measured(runs, *(curve for both in pairs for curve in both))
        self.tcp = dict(zip(self.bottlenecks, found[::2], strict=True))
        self.blt = dict(zip(self.bottlenecks, found[1::2], strict=True))
        if isinstance(runs, Exchanged):
            self.tcp, self.blt, runs.asked = self.blt, self.tcp, True

    @property
    def schemes(self) -> dict[str, dict[int, Measured]]:
        """The curves by scheme and bottleneck."""
        return {"TCP": self.tcp, "BLT": self.blt}

    def greatest(self, scheme: str) -> list[float]:
        """log10 of the maximum power at each bottleneck, mean over the repetitions."""
        return [float(m.greatest.mean()) for m in self.schemes[scheme].values()]

    def gaps(self) -> list[float]:
        """By how much BLT's maximum power is greater, in decades."""
        return [b - t for b, t in zip(self.greatest("BLT"), self.greatest("TCP"), strict=True)]


def reference(runs: Runs, loads: tuple[float, ...] = LOADS) -> Set:
    """Figures 6 to 11."""
    return Set(runs, 150, repeats=MANY, loads=loads)


def gigabit(runs: Runs, loads: tuple[float, ...] = LOADS) -> Set:
    """Figures 12 and 13."""
    return Set(runs, 1000, repeats=MANY, loads=loads)


def bully(runs: Runs) -> Measured:
    """Bully-Tyrant at the reference's smallest bottleneck, figures 28 and 29; it does not end far above its collapse."""
    (found,) = measured(runs, Curve("BT", Network(150, 30, 30), repeats=FEW, searches=0))
    return found


def everywhere(runs: Runs) -> dict[str, Set]:
    """All sets of the paper by their names in figure 30."""
    return {
        "150 Mbit/s, 30 ms": reference(runs),
        "1 Gbit/s, 30 ms": gigabit(runs),
        "150 Mbit/s, 3 ms": Set(runs, 150, 3),
        "150 Mbit/s, 1.8 ms": Set(runs, 150, 1.8),
        "15 Mbit/s, 30 ms": Set(runs, 15),
        "150 Mbit/s, 1 MB": Set(runs, 150, packets=2000),
        "1 Gbit/s, 1 MB": Set(runs, 1000, packets=2000),
        "150 Mbit/s, 10 KB": Set(runs, 150, packets=20),
    }


#: Numbers of connections of a run, which the paper does not give.
LENGTHS = (30, 100, 150, 300, 1000)


def lengths(runs: Runs) -> dict[str, list[Measured]]:
    """Both schemes at 1 Gbit/s with more and fewer connections a run."""
    loads = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    found = {}
    for curve in pair(1000, 1000):
        curves = [replace(curve, connections=n, loads=loads, searches=0) for n in LENGTHS]
        found[curve.scheme] = measured(runs, *curves)
    return found


#: Readings beside the default ones: the scheme, parameters of its source and of the switch.
READINGS: dict[str, tuple[str, tuple[tuple[str, object], ...], tuple[tuple[str, object], ...]]] = {
    "BLT": ("BLT", (), ()),
    "BLT, corrected switch": ("BLT", (), (("discard", "corrected"),)),
    "BLT, 4 bits of priority": ("BLT", (("bits", 4),), ()),
    "BLT, old duplicates count (S1)": ("BLT", (("count_old", True),), ()),
    "BLT, nothing that came goes again (S2)": ("BLT", (("skip_received", True),), ()),
    "BLT, windows shift with ACKs (S3)": ("BLT", (("shift_on_ack", True),), ()),
    "TCP": ("TCP", (), ()),
    "TCP, old duplicates count": ("TCP", (("count_old", True),), ()),
    "TCP, duplicates by time stamp": ("TCP", (("by_stamp", True),), ()),
    "TCP, timer of 1988 (2 deviations)": ("TCP", (("deviations", 2.0),), ()),
    "TCP, no first threshold": ("TCP", (("threshold", 0),), ()),
}


def readings(runs: Runs) -> dict[str, list[Measured]]:
    """Each reading on the six networks of Table 1."""
    networks = [Network(line, b, 30) for line in (150, 1000) for b in BOTTLENECKS[line]]
    made = {
        name: [Curve(scheme, n, repeats=1, loads=NEAR, searches=0, control=control, queue=queue) for n in networks]
        for name, (scheme, control, queue) in READINGS.items()
    }
    measured(runs, *(c for curves in made.values() for c in curves))
    return {name: measured(runs, *curves) for name, curves in made.items()}


def without_ack(s: Set, scheme: str) -> list[float]:
    """Figure 26: log10 of the maximum power with the delay of the acknowledgement, D/2, taken out of the response time."""
    found = []
    for m in s.schemes[scheme].values():
        powers = [np.asarray(power(p.longest, p.mean("response") - s.delay / 2e3)) for p in m.points.values()]
        found.append(float(np.max(powers, axis=0).mean()))
    return found
