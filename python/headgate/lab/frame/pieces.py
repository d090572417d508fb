"""A trace or a gauge over time, as pieces in which its value holds, and what is counted of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .part import Array, Part


@dataclass
class Pieces:
    """A trace as pieces in which its value holds."""

    starts: Array
    values: Array
    ends: Array
    part: Part

    def mean(self) -> float:
        """Over time."""
        spans = self.ends - self.starts
        return float((self.values * spans).sum() / spans.sum()) if spans.sum() > 0 else float(self.values[-1])

    def changes(self) -> float:
        """How often the value changed."""
        return float((np.diff(self.values) != 0).sum())

    def stays(self) -> list[tuple[float, float, float]]:
        """Start, end and value before, of each stay at the level."""
        found: list[tuple[float, float, float]] = []
        before, last = math.nan, math.nan
        for start, value, end in zip(self.starts, self.values, self.ends, strict=True):
            if value == self.part.what.level:
                if last == value and found and found[-1][1] >= start:
                    found[-1] = found[-1][0], float(end), found[-1][2]
                else:
                    before = last
                    found.append((float(start), float(end), before))
            last = float(value)
        return found

    def share(self) -> float:
        """Of the time at the level."""
        return sum(end - start for start, end, _ in self.stays()) / max(float((self.ends - self.starts).sum()), 1e-12)

    def entries(self) -> float:
        """How often it came to the level, from the value `after` if that is given."""
        after = self.part.what.after
        # What held at the start did not come.
        return float(sum(not math.isnan(b) and after in (None, b) for _, _, b in self.stays()))

    def first(self) -> float:
        """Time until it first is at the level; the whole time if never."""
        stays = self.stays()
        return (stays[0][0] if stays else self.part.end) - self.part.start

    def stay(self) -> float:
        """The longest stay."""
        return max((end - start for start, end, _ in self.stays()), default=0.0)

    def stay_least(self) -> float:
        """The shortest stay that began and ended in this time."""
        part = self.part
        return min(
            (end - start for start, end, _ in self.stays() if start > part.start and end < part.end), default=math.nan
        )
