"""What the figures show of a run, and two models that predicates have to distinguish from it.

A case is a discipline and a TCP, "RED Reno", in the reverse model "reverse RED Reno"; with the output link's rate it is a variant. Values
are means over the base run and those with other start times. Connections are in the order of their input links.
"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

import numpy as np

from ...analysis import jain_index
from ..claims import Runs
from ..formulas import red_reno, red_vegas
from ..formulas.red import Phases, RenoThroughput
from ..measure import Floats, Outcome
from ..model import Measure
from .cycles import held_share

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
    """What was simulated.

    With settings of `paper.toml` the runs of the first one that has this case take the place of those of the text alone.
    """

    name: ClassVar[str] = "simulation"

    def __init__(self, runs: Runs, *settings: str) -> None:
        """Takes the runs of an item, and settings, the first of which comes first."""
        self._runs, self._settings = runs, settings
        self._made: dict[tuple[str, int], dict[str, Floats]] = {}

    @classmethod
    @lru_cache(maxsize=24)
    def of(cls, runs: Runs, *settings: str) -> Measured:
        """That of an item's runs, made once and shared."""
        return cls(runs, *settings)

    def variant(self, case: str, line: int) -> str:
        """The variant whose runs are taken for a case and an output link."""
        names = [*(f"{setting} {case} {line}" for setting in self._settings), f"{case} {line}"]
        return next(n for n in names if n in self._runs.base)

    def every(self, case: str, line: int) -> dict[str, Floats]:
        """All measures in every run, shape (runs, 4)."""
        if (case, line) not in self._made:
            variant = self.variant(case, line)
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

    def expected(self, case: str, line: int) -> tuple[Floats, Floats]:
        """What equations 7 and 8 give for the mean window, and equation 12 for the share of windows with a timeout, with the measured p.

        The second one takes the measured window too.
        """
        p, window = self.loss(case, line), self.window(case, line)
        with np.errstate(divide="ignore"):
            return 0.75 * np.sqrt(8 / (3 * p)), 1 - (1 - p) ** window - window * p * (1 - p) ** (window - 1)

    def timeouts_of_windows(self, case: str, line: int) -> Floats:
        """Timeouts over windows sent: how many windows end by one."""
        every = self.every(case, line)
        windows = every["sent"] / (every["throughput"] / PACKET * every["rtt"])
        return np.asarray(every["timeouts"].sum(axis=0) / windows.sum(axis=0))

    def phases(self, line: int) -> Phases:
        """Service of windows that arrive at once, by the paper's equations."""
        return red(line).phases

    def least_round_trips(self, case: str, line: int) -> Floats:
        """Least round trips in s from the start on: Vegas's base_rtt."""
        return np.array([self._runs.trace(f"windows {case} {line}", "rtt", flow)[1].min() for flow in FLOWS])

    def rounds(self, case: str, line: int) -> Floats:
        """Mean windows in packets over round trips instead of over time."""
        return np.array([self._round(f"windows {case} {line}", flow) for flow in FLOWS])

    def _round(self, variant: str, flow: str) -> float:
        """Each time counts by how many round trips it is."""
        (at, trips), (changed, windows) = (self._runs.trace(variant, kind, flow) for kind in ("rtt", "window"))
        there = windows[np.maximum(np.searchsorted(changed, at[:-1], "right") - 1, 0)]
        return float(np.average(there, weights=np.diff(at) / trips[:-1]))

    def windows(self, case: str, line: int, flow: str) -> tuple[Floats, Floats]:
        """The trace of a connection's window: times in s and packets. Few variants have one."""
        return self._runs.trace(f"windows {case} {line}", "window", flow)

    def held(self, case: str, line: int) -> float:
        """How much of the second half of its cycles a window stays at one value, mean over the connections."""
        return float(np.mean([held_share(*self.windows(case, line, flow)) for flow in FLOWS]))


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

    def least_round_trips(self, case: str, line: int) -> Floats:
        """Those of an empty network."""
        return np.asarray(self.every(case, line)["rtt"][0])

    def held(self, case: str, line: int) -> float:
        """Nothing is lost: there are no cycles."""
        return float("nan")

    def simulated(self, case: str, line: int) -> Floats:
        """A prediction by fair shares is compared with the real simulation."""
        return Measured.of(self._runs, *self._settings).throughput(case, line)

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

    def held(self, case: str, line: int) -> float:
        """Reno's windows for those of Vegas."""
        return super().held("RED Reno", line)


class Early(Measured):
    """What was simulated up to a time, to be compared with shorter runs."""

    name: ClassVar[str] = "1000 s of it"

    def every(self, case: str, line: int) -> dict[str, Floats]:
        """Those of the first intervals that are measured."""
        if (case, line) not in self._made:
            variant = self.variant(case, line)
            outcomes = [self._runs.base[variant], *self._runs.seeds.get(variant, [])]
            self._made[case, line] = {
                name: np.array([[_early(o, f, of) for f in FLOWS] for o in outcomes]) for name, of in _COUNTS.items()
            }
        return self._made[case, line]


#: The end of what is measured as long as in shorter runs, in s: the first interval does not count.
EARLY = 1500.0

#: What intervals have of each measure.
_COUNTS = {
    "throughput": Measure("throughput", counts=("unique_bytes",), per_second=True, scale=8e-3),
    "losses": Measure("losses", counts=("drops",)),
    "sent": Measure("sent", counts=("sent",)),
    "rtt": Measure("rtt", mean="rtt_mean_s"),
    "timeouts": Measure("timeouts", counts=("timeouts",)),
}


def _early(outcome: Outcome, flow: str, measure: Measure) -> float:
    """Totals of counts over the first intervals, and means of the rest."""
    found = outcome.series(measure, flow, (0.0, EARLY))
    return float(found.sum() if measure.counts and not measure.per_second else found.mean())


def red(line: float) -> RenoThroughput:
    """Equations 3 to 14 in packets/s."""
    return red_reno(INPUTS / PACKET, line / PACKET, DELAY, LOSS)


def reno(line: float, reading: str = "time") -> Floats:
    """Equations 3 to 14 in kbit/s."""
    found = red_reno(INPUTS / PACKET, line / PACKET, DELAY, LOSS, "rates" if reading == "rates" else "time")
    return found.throughput * PACKET


def vegas(line: float) -> Floats:
    """Equations 15 to 32 in kbit/s."""
    return red_vegas(INPUTS / PACKET, line / PACKET, DELAY, LOSS).throughput * PACKET
