"""The next runs of a study: a fixed number per variant, or until a stopping rule holds.

Whatever the order in which runs end, the runs that count are the same: with a stopping rule they are the first n replications
of a variant, n being the first number at which the rule holds for replications 0 to n - 1. Runs started beyond that, because
workers were free, do not count.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from ..base.parts import Share
from ..stats import enough, runs_needed

Run = tuple[int, int]


class Plan(Protocol):
    """The runs to do."""

    @property
    def total(self) -> int:
        """Runs in all, as far as is known."""

    def next(self, most: int) -> list[Run]:
        """Up to `most` runs (variant, replication) to start now; none if all are started or the next ones are not known yet."""

    def put_back(self, runs: Iterable[Run]) -> None:
        """Returns runs that were not started to the plan."""

    def record(self, run: Run, value: float) -> None:
        """Records that a run ended; `value` is the stopping rule's metric, nan if it failed."""

    def keep(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Of each variant, how many replications count."""


class Fixed:
    """A fixed number of replications of every valid variant, or a part of these runs."""

    def __init__(
        self,
        variants: Iterable[int],
        length: int,
        replications: int,
        done: Iterable[Run] = (),
        part: Share | None = None,
    ) -> None:
        """Takes the variants to run, of `length` in all, and the runs that are done."""
        self._length, self._replications = length, replications
        variants, past = list(variants), set(done)
        if part is None:
            self._total = len(variants) * replications
            runs = ((v, k) for v in variants for k in range(replications))
        else:
            # Whether a variant is valid moves no run from one part to another.
            valid = set(variants)
            own = [divmod(p, replications) for p in part.positions(length * replications)]
            runs = (run for run in own if run[0] in valid)
            self._total = sum(v in valid for v, _ in own)
        self._rest = (run for run in runs if run not in past)
        self._back: deque[Run] = deque()

    @property
    def total(self) -> int:
        """See `Plan.total`."""
        return self._total

    def next(self, most: int) -> list[Run]:
        """See `Plan.next`."""
        out = [self._back.popleft() for _ in range(min(most, len(self._back)))]
        while len(out) < most and (run := next(self._rest, None)) is not None:
            out.append(run)
        return out

    def put_back(self, runs: Iterable[Run]) -> None:
        """See `Plan.put_back`."""
        self._back.extend(runs)

    def record(self, run: Run, value: float) -> None:
        """See `Plan.record`."""

    def keep(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """See `Plan.keep`."""
        return np.full(self._length, self._replications, dtype=np.int64)


class Until:
    """Replications of every variant until half the 95 % interval of a metric's mean is at most a share of the mean."""

    def __init__(
        self, variants: Iterable[int], length: int, stop: Mapping[str, Any], done: Mapping[Run, float] | None = None
    ) -> None:
        """Takes the variants to run, of `length` in all, the checked table `stop`, and the values of runs that are done."""
        self._share, self._least, self._most = float(stop["share"]), int(stop["least"]), int(stop["most"])
        self._length = length
        self._variants = {v: _Variant(self._least) for v in variants}
        for (v, k), value in (done or {}).items():
            self._variants[v].values[k] = value
        #: Variants that are not settled.
        self._open = dict(self._variants)
        for v, variant in self._variants.items():
            variant.started = set(variant.values)
            self._advance(v, variant)
        self._back: deque[Run] = deque()

    @property
    def total(self) -> int:
        """See `Plan.total`."""
        return sum(v.goal for v in self._variants.values())

    def next(self, most: int) -> list[Run]:
        """See `Plan.next`."""
        out: list[Run] = []
        while self._back and len(out) < most:
            v, k = self._back.popleft()
            if not self._variants[v].settled:
                out.append((v, k))
        for v, variant in self._open.items():
            if len(out) >= most:
                break
            for k in range(variant.low, variant.goal):
                if len(out) < most and k not in variant.started:
                    variant.started.add(k)
                    out.append((v, k))
        return out

    def put_back(self, runs: Iterable[Run]) -> None:
        """See `Plan.put_back`."""
        self._back.extend(runs)

    def record(self, run: Run, value: float) -> None:
        """See `Plan.record`."""
        variant = self._variants[run[0]]
        variant.values[run[1]] = value
        self._advance(run[0], variant)

    def keep(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """See `Plan.keep`."""
        out = np.full(self._length, self._most, dtype=np.int64)
        for v, variant in self._variants.items():
            if variant.settled:
                out[v] = variant.goal
        return out

    def _advance(self, number: int, variant: _Variant) -> None:
        """Checks the replications up to the first gap: is the rule fulfilled, or how many more may it need?"""
        while not variant.settled and variant.low in variant.values:
            variant.low += 1
            n = variant.low
            if n < self._least:
                continue
            values = [variant.values[k] for k in range(n)]
            if n >= self._most or enough(values, self._share, self._least):
                variant.goal, variant.settled = n, True
                del self._open[number]
            elif n >= variant.goal:
                measured = sum(not math.isnan(x) for x in values)
                needed = runs_needed(values, self._share, self._least) if measured > 1 else self._most
                variant.goal = min(self._most, max(n + 1, min(2 * n, needed)))


class _Variant:
    """Replications of one variant: values that are known, how many of them have no gap, and how many are wanted."""

    def __init__(self, goal: int) -> None:
        self.values: dict[int, float] = {}
        self.started: set[int] = set()
        self.low = 0
        self.goal = goal
        self.settled = False
