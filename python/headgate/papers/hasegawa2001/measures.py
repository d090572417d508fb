"""What the figures show of a run, and two models that predicates have to distinguish from it.

A case is a discipline and a TCP, "RED Reno", in the reverse model "reverse RED Reno"; with the output link's rate it is a variant. Values
are means over the base run and those with other start times. Connections are in the order of their input links.
"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

import numpy as np

from ...analysis import jain_index, red_reno, red_vegas
from ..claims import Runs
from ..measure import Floats, Outcome

#: Input links in kbit/s, output links, and those below the sum of the inputs.
INPUTS = np.array([64.0, 128.0, 256.0, 512.0])
LINES = tuple(range(400, 961, 40))
BELOW = LINES[:-1]
#: What "small" is taken for.
SMALL = (400, 440, 480)

FLOWS = tuple(f"c{rate:.0f}" for rate in INPUTS)

#: Kilobits of a packet, the propagation one way in s, and RED's p.
PACKET = 16.0
DELAY = 0.1
LOSS = 0.02

RENO = ("FIFO", "RED", "enhanced RED", "DRR", "DRR two", "DRR+", "DRR+ two")
CASES = (
    *(f"{q} Reno" for q in RENO),
    *(f"{q} Vegas" for q in ("FIFO", "RED", "DRR")),
    *(f"reverse {q} Reno" for q in ("FIFO", "RED", "enhanced RED", "DRR")),
)


class Measured:
    """What was simulated."""

    name: ClassVar[str] = "simulation"

    def __init__(self, runs: Runs) -> None:
        """Takes the runs of an item."""
        self._runs = runs
        self._made: dict[tuple[str, int], dict[str, Floats]] = {}

    @classmethod
    @lru_cache(maxsize=6)
    def of(cls, runs: Runs) -> Measured:
        """That of an item's runs, made once and shared."""
        return cls(runs)

    def every(self, case: str, line: int) -> dict[str, Floats]:
        """All measures in every run, shape (runs, 4)."""
        if (case, line) not in self._made:
            variant = f"{case} {line}"
            outcomes = [self._runs.base[variant], *self._runs.seeds.get(variant, [])]
            self._made[case, line] = _measures(outcomes)
        return self._made[case, line]

    def throughput(self, case: str, line: int) -> Floats:
        """Throughput in kbit/s."""
        return np.asarray(self.every(case, line)["throughput"].mean(axis=0))

    def relative(self, case: str, line: int) -> Floats:
        """Throughput over the input link."""
        return np.asarray(self.throughput(case, line) / INPUTS)

    def losses(self, case: str, line: int) -> Floats:
        """Packets lost."""
        return np.asarray(self.every(case, line)["losses"].mean(axis=0))

    def loss(self, case: str, line: int) -> Floats:
        """Packets lost over packets sent."""
        every = self.every(case, line)
        return np.asarray(every["losses"].sum(axis=0) / every["sent"].sum(axis=0))

    def window(self, case: str, line: int) -> Floats:
        """Mean windows in packets: throughput times the mean round trip."""
        every = self.every(case, line)
        return np.asarray((every["throughput"] / PACKET * every["rtt"]).mean(axis=0))

    def jain(self, case: str, line: int) -> float:
        """Jain's index of the relative throughputs, mean over the runs."""
        return float(np.mean([jain_index(x / INPUTS) for x in self.every(case, line)["throughput"]]))

    def jains(self, case: str, lines: tuple[int, ...] = BELOW) -> Floats:
        """Jain's index for several output links."""
        return np.array([self.jain(case, line) for line in lines])

    def packets(self, case: str, line: int) -> float:
        """Packets that were sent over the output link."""
        return float(self.every(case, line)["throughput"].sum(axis=1).mean() * 5000 / PACKET)

    def simulated(self, case: str, line: int) -> Floats:
        """Throughput that a prediction is compared with, in kbit/s."""
        return self.throughput(case, line)

    def predicted(self, tcp: str, line: int) -> Floats:
        """What the paper's equations give for RED, in kbit/s."""
        return reno(line) if tcp == "Reno" else vegas(line)

    def timeouts(self, case: str, line: int) -> Floats:
        """Timeouts over packets lost: how often fast retransmit did not repair a loss."""
        every = self.every(case, line)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(every["timeouts"].sum(axis=0) / every["losses"].sum(axis=0))


def _measures(outcomes: list[Outcome]) -> dict[str, Floats]:
    tables = [o.table("flows") for o in outcomes]
    order = [tables[0]["flow"].tolist().index(flow) for flow in FLOWS]
    columns = {
        "throughput": "goodput_bps",
        "losses": "drops",
        "sent": "sent",
        "rtt": "rtt_mean_s",
        "timeouts": "timeouts",
    }
    scale = {"throughput": 1e-3}
    return {
        k: np.array([t[c][order] for t in tables], dtype=np.float64) * scale.get(k, 1.0) for k, c in columns.items()
    }


class FairShares(Measured):
    """The trivial model: every connection has the fair share, which is in proportion to the input links, and nothing is lost."""

    name: ClassVar[str] = "fair shares"

    def every(self, case: str, line: int) -> dict[str, Floats]:
        """The same in every run."""
        share = line * INPUTS / INPUTS.sum()
        nothing, ones = np.zeros(4), np.ones(4)
        # The round trip of an empty network: each packet takes its time on both links.
        rtt = 2 * DELAY + PACKET / INPUTS + PACKET / line
        measures = {"throughput": share, "losses": nothing, "sent": ones, "rtt": rtt, "timeouts": nothing}
        return {k: v[None, :] for k, v in measures.items()}

    def simulated(self, case: str, line: int) -> Floats:
        """A prediction by fair shares is compared with the real simulation."""
        return Measured.of(self._runs).throughput(case, line)

    def predicted(self, tcp: str, line: int) -> Floats:
        """The same fair share."""
        return self.throughput("", line)


class Exchanged(Measured):
    """The wrong discipline: RED in place of FIFO and FIFO in place of all others. The reverse model stays, but for enhanced RED."""

    name: ClassVar[str] = "another discipline"

    def every(self, case: str, line: int) -> dict[str, Floats]:
        """RED's for FIFO, FIFO's for all others."""
        discipline, tcp = case.rsplit(" ", 1)
        if discipline.startswith("reverse") and "enhanced" not in discipline:
            return super().every(case, line)
        return super().every(f"{'RED' if discipline == 'FIFO' else 'FIFO'} {tcp}", line)


def reno(line: float, reading: str = "time") -> Floats:
    """Equations 3 to 14 in kbit/s."""
    found = red_reno(INPUTS / PACKET, line / PACKET, DELAY, LOSS, "rates" if reading == "rates" else "time")
    return found.throughput * PACKET


def vegas(line: float) -> Floats:
    """Equations 15 to 32 in kbit/s."""
    return red_vegas(INPUTS / PACKET, line / PACKET, DELAY, LOSS).throughput * PACKET
