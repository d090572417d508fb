"""What the studies measure, per variant: shares, what the probes read, delays, losses, completion times.

A reading is the rate that a pair measures, 1/spacing of its acknowledgements, over the rate that the source would have at a fair
bottleneck; 1 is right, and the line's rate reads as many as there are conversations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...analysis import jain_index
from ...stats import Mean, mean_of
from ..claims import Runs
from ..measure import Floats, Outcome
from ..model import Measure

#: Round trip without queueing of sharing.toml, starts.toml and bursts.toml: both propagations, three data and two acknowledgement
#: transmissions (800, 80 and 800 kbit/s; the last is the sink's line, which is the slow one's way back).
ROUND_TRIP = 2 + 0.01 + 0.1 + 0.004 + 0.0004
#: Packets per second of the slow line, packets that pp_cth wants in the queue, and sources.
LINE, SETPOINT, SOURCES = 10.0, 5.0, 4
#: Sizes of the short transfers, in packets, and the round trip without queueing there.
SIZES, SHORT_ROUND_TRIP = (2, 4, 8, 16, 32), 0.2

_UNIQUE = Measure("unique", counts=("unique",), per_second=True)
_ARRIVED = Measure("arrived", counts=("unique",))
_DROPS = Measure("drops", counts=("drops",), per_second=True)
_SENT = Measure("sent", counts=("sent",), per_second=True)
QUEUEING = Measure("queueing", mean="queueing_mean_s")


class Measured:
    """The runs of the item, by what they measure."""

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
        """Packets per second that arrived for the first time, mean of these flows."""
        return self.mean(variant, lambda run: rates(run, *flows).mean())

    def jain(self, variant: str, *flows: str) -> Mean:
        """Jain's index over these flows."""
        return self.mean(variant, lambda run: jain_index(rates(run, *flows)))

    def queueing(self, variant: str, *flows: str) -> Mean:
        """Seconds in queues on the way there, mean of these flows."""
        return self.mean(variant, lambda run: float(np.mean([run.value(QUEUEING, f).mean for f in flows])))

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
        return Readings(
            [np.concatenate([spacings(run, f, start) for f in flows]) for run in self.runs_of(variant)], fair
        )

    def estimate(self, variant: str, fair: float, *flows: str, start: float = 100.0) -> Mean:
        """What the law took the bottleneck's rate for, over the fair rate: mean of its values at the pairs."""

        def average(run: Outcome) -> float:
            found = [at_pairs(run, "service_rate", f, start) for f in flows]
            return float(mean_of(np.concatenate(found)).mean) / fair

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
    """Packets per second that arrived for the first time, per flow."""
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


def longest_silence(run: Outcome, flow: str, start: float = 100.0) -> float:
    """The longest time after `start`, in seconds, in which a source measured no pair."""
    times, _ = run.trace("pairs", flow)
    return float(np.diff([start, *times[times >= start], run.end]).max())


def started(run: Outcome, flow: str) -> float:
    """When a flow sent its first packet."""
    return float(run.trace("in_flight", flow)[0][0])


def completion(run: Outcome, flow: str, packets: int) -> float:
    """Seconds from the first packet of a transfer to its last acknowledgement; nan if it did not end."""
    times, sent = run.trace("in_flight", flow)
    ended = run.series(_ARRIVED, flow).sum() == packets and sent[-1] == 0
    return float(times[-1] - times[0]) if ended else float("nan")


def completions(run: Outcome, size: int) -> Floats:
    """Completion times of the short transfers of one size."""
    flows = [f for f in run.flows if f.startswith(f"short{size:02d}-")]
    return np.array([completion(run, f, size) for f in flows])


def settled(run: Outcome, flow: str, span: tuple[float, float], fair: float) -> float:
    """Seconds from `span`'s beginning until a flow's throughput stays within a fifth of the fair rate; nan if it never does."""
    got = run.series(_UNIQUE, flow, span)
    wrong = np.flatnonzero(abs(got / fair - 1) > 0.2)
    after = int(wrong[-1]) + 1 if wrong.size else 0
    return (span[1] - span[0]) * after / got.size if after < got.size else float("nan")


def line_windows(round_trip: float = ROUND_TRIP, sources: int = SOURCES) -> Floats:
    """Our first prediction of what sources at one queue have outstanding, set-point + R x line; it was wrong.

    It is what law 5.14 would hold if the line's rate were the source's own. They start one after another, and each takes the queue of
    all before for a part of R.

    >>> line_windows().round(1).tolist()
    [26.1, 31.1, 62.3, 124.6]
    """
    windows: list[float] = []
    for _ in range(sources):
        queue = max(0.0, sum(windows) - round_trip * LINE)
        windows.append(SETPOINT + round_trip * LINE + queue)
    return np.array(windows)


def line_loss(buffer: float) -> float:
    """Our first prediction of the packets lost per second, if four such windows overfill a buffer; it was wrong.

    What fits neither line nor buffer is lost and waits for its timer, three round trips.
    """
    excess = SOURCES * (SETPOINT + ROUND_TRIP * LINE) - ROUND_TRIP * LINE - (buffer + 1)
    return max(0.0, excess) / _timer(buffer)


def outstanding(round_trip: float, sources: int) -> Floats:
    """Outstanding packets of sources at one endless queue, by the corrected theory.

    Law 5.14 sends mu W/S. Where mu is the line's rate and not the source's, it does not rest at S = W. Packets come back at
    line x S / sum S; both are equal at S = sqrt(W sum S), whence sum S is the square of the sum of sqrt W: for N equal sources N W each,
    N^2 W in all. W takes R from the first probe, which waited for the queue of those before.

    >>> outstanding(0.2144, 3).round(1).tolist()
    [34.0, 44.3, 83.3]
    """
    windows: list[float] = []
    for _ in range(sources):
        queue = max(0.0, _squared(windows) - round_trip * LINE)
        windows.append(SETPOINT + round_trip * LINE + queue)
    return np.sqrt(np.array(windows) * _squared(windows))


def _squared(windows: list[float]) -> float:
    return float(np.sqrt(windows).sum()) ** 2


def loss(buffer: float) -> float:
    """Packets lost per second by the corrected theory, where the buffer is too small.

    N^2 W line / S are sent, of which the line takes its own. S is what fits line and buffer, and the lost, each until its timer, which
    doubles each time that the packet is lost again.
    """
    window, inside = SETPOINT + ROUND_TRIP * LINE, ROUND_TRIP * LINE + buffer + 1

    def too_many(lost: float) -> bool:
        again = lost / (LINE + lost)
        wait = _timer(buffer) * (1 - again) / (1 - 2 * again) if again < 0.5 else np.inf
        return (LINE + lost) * (inside + lost * wait) > SOURCES**2 * window * LINE

    low, high = 0.0, LINE
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if too_many(middle) else (middle, high)
    return 0.0 if too_many(0.0) else low


def _timer(buffer: float) -> float:
    return 3 * (ROUND_TRIP + (buffer + 1) / LINE)
