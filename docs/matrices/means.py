"""What a matrix found, for those who hold predictions against it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

#: A mean and half of its interval by measure, queue, ratio, A and B; B is None where A is alone.
Means = dict[tuple[str, str, float, str, str | None], tuple[float, float | None]]


@dataclass(frozen=True)
class Found:
    """The means of a matrix of these flow controls."""

    means: Means
    controls: tuple[str, ...]

    def mean(self, measure: str, queue: str, a: str, b: str | None, ratio: float = 1.0) -> float:
        """One mean."""
        return self.means[measure, queue, ratio, a, b][0]

    def pairs(self, measure: str, queue: str, ratio: float = 1.0) -> list[float]:
        """A measure of all pairs of a queue, each once where round trips are equal."""
        return [
            self.mean(measure, queue, a, b, ratio)
            for i, a in enumerate(self.controls)
            for j, b in enumerate(self.controls)
            if ratio != 1 or i <= j
        ]


def between(values: Iterable[float], scale: float = 1.0, digits: int = 2) -> str:
    """The extremes of some values."""
    scaled = [v * scale for v in values]
    return f"{min(scaled):.{digits}f} to {max(scaled):.{digits}f}"


def off(values: list[float]) -> float:
    """How far shares are from a half, in the mean."""
    return sum(abs(v - 0.5) for v in values) / len(values)
