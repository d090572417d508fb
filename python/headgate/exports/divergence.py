"""Where two qlogs part: windows, bytes in flight, round trips, rates and losses of two ends that sent, over the time that both have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..base.errors import HeadgateError
from .qlogs import QlogTrace

#: A relative difference that is none, unless the user says otherwise.
TOLERANCE = 0.1

#: Parts of the common time in which rates are measured, at most: at least a round trip each.
PARTS = 200

#: Bytes of two packets: rates of one interval that differ by less are the same.
_PACKETS = 3000.0

#: The metrics that are compared, with their names for people and their units.
_NAMES = {
    "congestion_window": ("window", "bytes"),
    "bytes_in_flight": ("in flight", "bytes"),
    "latest_rtt": ("round trip", "s"),
}


@dataclass(frozen=True)
class Parting:
    """One quantity of two traces.

    Attributes:
        name: for people.
        unit: `bytes`, `s`, `bit/s`, or empty for a number of packets.
        mean: of both over the common time; of losses the numbers.
        at_s: where they part first; None if they do not.
        there: both values at that time.
    """

    name: str
    unit: str
    mean: tuple[float, float]
    at_s: float | None = None
    there: tuple[float, float] | None = None

    @property
    def by(self) -> float | None:
        """By which part of the larger one they differ there."""
        return None if self.there is None else _apart(*self.there)


@dataclass(frozen=True)
class QlogDifference:
    """Two qlogs compared: over which time from the first packet on, how much counts as a difference, and for how long it has to last."""

    names: tuple[str, str]
    span_s: float
    tolerance: float
    lasting_s: float
    quantities: tuple[Parting, ...]
    notes: tuple[str, ...] = ()

    @property
    def first(self) -> Parting | None:
        """What parts first."""
        parted = [q for q in self.quantities if q.at_s is not None]
        return min(parted, key=lambda q: q.at_s or 0.0, default=None)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON data."""
        first = self.first
        return {
            "equal": first is None,
            "names": list(self.names),
            "span_s": self.span_s,
            "tolerance": self.tolerance,
            "lasting_s": self.lasting_s,
            "first": None if first is None else first.name,
            "quantities": [{**asdict(q), "by": q.by} for q in self.quantities],
            "notes": list(self.notes),
        }


def compare_qlogs(a: QlogTrace, b: QlogTrace, tolerance: float = TOLERANCE) -> QlogDifference:
    """Compares two traces from the first packet of each on, over the time that both have.

    Values part where they differ by more than the tolerance, in parts of the larger one, for at least a round trip; numbers of losses
    where they differ at all for as long.

    Raises:
        HeadgateError: they have no time or no quantity in common.
    """
    span = min(a.end, b.end)
    if not span > 0:
        short = a.name if a.end <= b.end else b.name
        raise HeadgateError(f"{short}: found events at one time only; expected a trace that lasts")
    lasting = min(max(_trip(a), _trip(b)) or span / PARTS, span)
    found: list[Parting] = []
    for key, (name, unit) in _NAMES.items():
        if key in a.metrics and key in b.metrics:
            found.append(_values(name, unit, a.metrics[key], b.metrics[key], span, lasting, tolerance))
    if any(size for _, size in a.sent) and any(size for _, size in b.sent):
        found.append(_rates(a.sent, b.sent, span, lasting, tolerance))
    if not found:
        raise HeadgateError(
            f"{a.name} and {b.name}: found no quantity that both have; expected windows (recovery metrics) or packets with their lengths"
        )
    found.append(_losses(a.lost, b.lost, span, lasting))
    notes = [
        f"{t.name} has {t.traces} traces; this is the one of the {t.vantage} that sent most."
        for t in (a, b)
        if t.traces > 1
    ]
    notes += [f"The last record of {t.name} is cut off." for t in (a, b) if t.cut_off]
    missing = [
        f"{name} is only in {(a if key in a.metrics else b).name}"
        for key, (name, _) in _NAMES.items()
        if (key in a.metrics) != (key in b.metrics)
    ]
    if missing:
        notes.append(f"Not compared: {', '.join(missing)}.")
    return QlogDifference((a.name, b.name), span, tolerance, lasting, tuple(found), tuple(notes))


def _trip(trace: QlogTrace) -> float:
    """The median round trip; 0 if none is known."""
    for key in ("latest_rtt", "smoothed_rtt", "min_rtt"):
        if key in trace.metrics:
            return float(np.median([value for _, value in trace.metrics[key]]))
    return 0.0


def _apart(x: float, y: float) -> float:
    """The difference in parts of the larger one."""
    most = max(abs(x), abs(y))
    return abs(x - y) / most if most else 0.0


def _steps(series: Sequence[tuple[float, float]], times: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The value that holds from each of these times on; nan before the first."""
    at = np.array([t for t, _ in series])
    values = np.array([math.nan, *(v for _, v in series)])
    return np.asarray(values[np.searchsorted(at, times, side="right")], float)


def _values(
    name: str,
    unit: str,
    a: Sequence[tuple[float, float]],
    b: Sequence[tuple[float, float]],
    span: float,
    lasting: float,
    tolerance: float,
) -> Parting:
    """Values that hold until the next one."""
    times = np.array(sorted({0.0, *(t for t, _ in [*a, *b] if t < span)}))
    one, two = _steps(a, times), _steps(b, times)
    length = np.diff([*times, span])
    known = ~(np.isnan(one) | np.isnan(two))
    if not (length[known] > 0).any():
        return Parting(name, unit, (math.nan, math.nan))
    mean = tuple(float(np.average(v[known], weights=length[known])) for v in (one, two))
    most = np.maximum(np.abs(one), np.abs(two))
    apart = known & (np.abs(one - two) > tolerance * np.where(most > 0, most, 1.0))
    found = _first_lasting(times, apart, span, lasting)
    if found is None:
        return Parting(name, unit, (mean[0], mean[1]))
    return Parting(name, unit, (mean[0], mean[1]), float(times[found]), (float(one[found]), float(two[found])))


def _first_lasting(times: np.ndarray[Any, Any], apart: np.ndarray[Any, Any], span: float, lasting: float) -> int | None:
    """The first place from which on something holds for long enough, or to the end."""
    start: int | None = None
    for i, holds in enumerate(apart):
        if not holds:
            start = None
            continue
        start = i if start is None else start
        end = float(times[i + 1]) if i + 1 < len(times) else span
        if end - float(times[start]) >= lasting * (1 - 1e-9):
            return start
    return start


def _rates(
    a: Sequence[tuple[float, float]], b: Sequence[tuple[float, float]], span: float, lasting: float, tolerance: float
) -> Parting:
    """Bytes sent in intervals of equal length."""
    parts = max(1, min(PARTS, int(span / lasting)))
    edges = np.linspace(0.0, span, parts + 1)
    one, two = (
        np.histogram([t for t, _ in s], edges, weights=[size for _, size in s])[0].astype(float) for s in (a, b)
    )
    apart = (np.abs(one - two) > tolerance * np.maximum(one, two)) & (np.abs(one - two) > _PACKETS)
    per = 8 / (span / parts)
    mean = (float(one.sum() * 8 / span), float(two.sum() * 8 / span))
    # An interval is a round trip or more: one is enough.
    where = np.flatnonzero(apart)
    if not len(where):
        return Parting("rate sent", "bit/s", mean)
    i = int(where[0])
    return Parting("rate sent", "bit/s", mean, float(edges[i]), (float(one[i] * per), float(two[i] * per)))


def _losses(a: Sequence[float], b: Sequence[float], span: float, lasting: float) -> Parting:
    """Numbers of losses so far."""
    own = [[t for t in lost if t < span] for lost in (a, b)]
    times = np.array(sorted({0.0, *own[0], *own[1]}))
    one, two = (np.searchsorted(np.array(lost), times, side="right").astype(float) for lost in own)
    found = _first_lasting(times, one != two, span, lasting)
    counts = (float(len(own[0])), float(len(own[1])))
    if found is None:
        return Parting("losses", "", counts)
    return Parting("losses", "", counts, float(times[found]), (float(one[found]), float(two[found])))
