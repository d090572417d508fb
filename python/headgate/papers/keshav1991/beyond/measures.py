"""What the studies measure, per variant: shares, what the probes read, delays, losses, completion times.

A reading is the rate that a pair tells, 1/spacing of its acknowledgements, over the rate that the source would have at a fair
bottleneck; 1 is right, and the line's rate reads as many as there are conversations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ....analysis import jain_index
from ....stats import Mean, mean_of
from ...claims import Runs
from ...measure import Floats, Outcome
from ...model import Metric

#: Round trip without queueing of sharing.toml, starts.toml and bursts.toml: both propagations, three data and two acknowledgement
#: transmissions (800, 80 and 800 kbit/s; the last is the sink's line, which is the slow one's way back).
ROUND_TRIP = 2 + 0.01 + 0.1 + 0.004 + 0.0004
#: Packets per second of the slow line, packets that pp_cth wants in the queue, and sources.
LINE, SETPOINT, SOURCES = 10.0, 5.0, 4
#: Sizes of the short transfers, in packets, and the round trip without queueing there.
SIZES, SHORT_ROUND_TRIP = (2, 4, 8, 16, 32), 0.2

_UNIQUE = Metric("unique", counts=("unique",), per_second=True)
_DROPS = Metric("drops", counts=("drops",), per_second=True)
_SENT = Metric("sent", counts=("sent",), per_second=True)
_QUEUEING = Metric("queueing", mean="queueing_mean_s")


class Measured:
    """The runs of the item, by what they tell."""

    def __init__(self, runs: Runs) -> None:
        """Measures nothing yet."""
        self.runs = runs

    def runs_of(self, variant: str) -> list[Outcome]:
        """The runs over which means are taken."""
        return self.runs.seeds.get(variant) or [self.runs.base[variant]]

    def mean(self, variant: str, of: Callable[[Outcome], float]) -> Mean:
        """Mean over the runs."""
        return mean_of([of(run) for run in self.runs_of(variant)])

    def rate(self, variant: str, *flows: str) -> Mean:
        """Packets per second that came for the first time, mean of these flows."""
        return self.mean(variant, lambda run: rates(run, *flows).mean())

    def jain(self, variant: str, *flows: str) -> Mean:
        """Jain's index over these flows."""
        return self.mean(variant, lambda run: jain_index(rates(run, *flows)))

    def queueing(self, variant: str, *flows: str) -> Mean:
        """Seconds in queues on the way there, mean of these flows."""
        return self.mean(variant, lambda run: float(np.mean([run.value(_QUEUEING, f).mean for f in flows])))

    def drops(self, variant: str, *flows: str) -> Mean:
        """Packets of these flows lost per second, together."""
        return self.mean(variant, lambda run: sum(run.value(_DROPS, f).mean for f in flows))

    def loss(self, variant: str, *flows: str) -> Mean:
        """The part of what these flows sent that was lost."""

        def share(run: Outcome) -> float:
            lost, sent = (sum(run.value(m, f).mean for f in flows) for m in (_DROPS, _SENT))
            return lost / sent

        return self.mean(variant, share)

    def busy(self, variant: str, link: str) -> Mean:
        """The part of the time that a line was busy."""
        return self.mean(variant, lambda run: run.link(link, "utilisation"))

    def readings(self, variant: str, fair: float, *flows: str, start: float = 100.0) -> Readings:
        """What the pairs of these flows read, over the fair rate, from `start` on."""
        return Readings([np.concatenate([spacings(run, f, start) for f in flows]) for run in self.runs_of(variant)], fair)

    def estimate(self, variant: str, fair: float, *flows: str, start: float = 100.0) -> Mean:
        """What the law took the bottleneck's rate for, over the fair rate: mean of its values at the pairs."""

        def average(run: Outcome) -> float:
            found = [at_pairs(run, "service_rate", f, start) for f in flows]
            return float(np.concatenate(found).mean()) / fair

        return self.mean(variant, average)


@dataclass(frozen=True)
class Readings:
    """Spacings in seconds of the pairs of each run, and the fair rate in packets per second."""

    spacings: list[Floats]
    fair: float

    def quantile(self, q: float) -> Mean:
        """A quantile of the readings, mean over the runs."""
        return mean_of([float(np.quantile(1 / s, q)) / self.fair for s in self.spacings if s.size])

    @property
    def median(self) -> Mean:
        """The median reading."""
        return self.quantile(0.5)

    @property
    def spread(self) -> float:
        """Distance of the 5 % and the 95 % quantile."""
        return self.quantile(0.95).mean - self.quantile(0.05).mean

    def closer_than(self, seconds: float) -> Mean:
        """The part of the pairs whose acknowledgements came closer together."""
        return mean_of([float((s < seconds).mean()) for s in self.spacings if s.size])

    @property
    def pairs(self) -> int:
        """How many there were in all runs."""
        return sum(s.size for s in self.spacings)


def rates(run: Outcome, *flows: str, span: tuple[float, float] | None = None) -> Floats:
    """Packets per second that came for the first time, per flow."""
    return np.array([run.value(_UNIQUE, f, span).mean for f in flows])


def at_pairs(run: Outcome, kind: str, flow: str, start: float) -> Floats:
    """What an estimate was at each pair that was measured from `start` on: traces hold changes only, and so a count of pairs."""
    pairs, _ = run.trace("pairs", flow)
    times, found = run.trace(kind, flow)
    wanted = pairs[pairs >= start]
    return found[np.searchsorted(times, wanted, side="right") - 1] if wanted.size else wanted


def spacings(run: Outcome, flow: str, start: float) -> Floats:
    """Spacings of the acknowledgements of pairs, in seconds; chapter 4 calls the last one its estimate."""
    kind = "probe" if run.trace("probe", flow)[0].size else "spacing"
    return at_pairs(run, kind, flow, start)


def started(run: Outcome, flow: str) -> float:
    """When a flow sent its first packet."""
    return float(run.trace("in_flight", flow)[0][0])


def completion(run: Outcome, flow: str) -> float:
    """Seconds from the first packet of a transfer to its last acknowledgement; nan if it did not end."""
    times, sent = run.trace("in_flight", flow)
    return float(times[-1] - times[0]) if sent[-1] == 0 else float("nan")


def completions(run: Outcome, size: int) -> Floats:
    """Completion times of the short transfers of one size."""
    flows = [f for f in run.flows if f.startswith(f"short{size:02d}-")]
    return np.array([completion(run, f) for f in flows])


def settled(run: Outcome, flow: str, span: tuple[float, float], fair: float) -> float:
    """Seconds from `span`'s beginning until a flow's throughput stays within a fifth of the fair rate; nan if it never does."""
    got = run.series(_UNIQUE, flow, span)
    wrong = np.flatnonzero(abs(got / fair - 1) > 0.2)
    after = int(wrong[-1]) + 1 if wrong.size else 0
    return (span[1] - span[0]) * after / got.size if after < got.size else float("nan")


def fcfs_windows() -> Floats:
    """Outstanding packets of sources that start one after another at an FCFS bottleneck: each takes the queue of all before for a part of
    its round trip, and the line's rate for its own.

    >>> fcfs_windows().round(1).tolist()
    [26.1, 31.1, 62.3, 124.6]
    """
    windows: list[float] = []
    for _ in range(SOURCES):
        queue = max(0.0, sum(windows) - ROUND_TRIP * LINE)
        windows.append(SETPOINT + ROUND_TRIP * LINE + queue)
    return np.array(windows)


def fcfs_loss(buffer: float) -> float:
    """Packets lost per second where four such sources that know their round trip overfill an FCFS buffer: what does not fit into line and
    buffer is lost and waits for its timer, three round trips.
    """
    window = SETPOINT + ROUND_TRIP * LINE
    excess = SOURCES * window - ROUND_TRIP * LINE - (buffer + 1)
    return max(0.0, excess) / (3 * (ROUND_TRIP + (buffer + 1) / LINE))
