"""The views of a trace that is too long for its rows: sums over many short intervals, in memory that does not depend on the trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..views import Line, View, picture
from .views import WAIT, Slots, Waiting, lost, rates

Floats = npt.NDArray[np.float64]

#: Packets that are added in one step.
BATCH = 500_000


class Binned:
    """Sums by line and interval."""

    BINS = 1 << 14

    def __init__(self, slots: Slots, longest: float) -> None:
        """`longest`: time in s at which the replay ends at the latest."""
        self._slots, self._wide = slots, longest / self.BINS
        shape = (len(slots.names), self.BINS + 1)
        counts = ("offered", "sent", "enqueued", "dequeued", "drops", "marks")
        self._sums = {name: np.zeros(shape) for name in counts}
        self._least, self._greatest = np.full(shape, np.inf), np.full(shape, -np.inf)
        self._waiting: list[dict[str, Any]] = []
        self._held = 0

    def add(self, columns: Mapping[str, Any]) -> None:
        """Adds the next rows of the engine."""
        self._waiting.append({name: np.asarray(column) for name, column in columns.items()})
        self._held += len(columns["packet"])
        if self._held >= BATCH:
            self._add()

    def _add(self) -> None:
        if not self._waiting:
            return
        c = {name: np.concatenate([part[name] for part in self._waiting]) for name in self._waiting[0]}
        self._waiting, self._held = [], 0
        slot = self._slots.of[c["flow"]].astype(np.int64) * (self.BINS + 1)
        arrived, start = (slot + self._bin(c[name]) for name in ("arrived", "start"))
        through = c["reason"] == 0
        left = slot[through] + self._bin(c["left"][through])
        size = c["bytes"].astype(np.float64)
        waits = ~(c["start"] <= c["arrived"])
        self._count("offered", arrived, size)
        self._count("sent", left, size[through])
        self._count("enqueued", arrived[waits])
        self._count("dequeued", start[waits])
        self._count("drops", start[~through])
        self._count("marks", left[c["marked"][through] > 0])
        delay = c["start"][through] - c["arrived"][through]
        np.minimum.at(self._least.reshape(-1), arrived[through], delay)
        np.maximum.at(self._greatest.reshape(-1), arrived[through], delay)

    def _bin(self, t: Floats) -> npt.NDArray[np.int64]:
        return np.minimum(t / self._wide, self.BINS).astype(np.int64)

    def _count(self, name: str, where: npt.NDArray[np.int64], weights: Floats | None = None) -> None:
        sums = self._sums[name]
        sums += np.bincount(where, weights, minlength=sums.size).reshape(sums.shape)

    def views(self, until: float) -> list[View]:
        """The views, the same ones as those that are made of rows."""
        self._add()
        slots, wide = self._slots, self._wide
        last = min(int(until / wide) + 1, self.BINS + 1)
        edges = np.minimum(np.arange(1.0, last + 1) * wide, until).astype(np.float64)
        starts = np.arange(last, dtype=np.float64) * wide
        offered, sent = rates(slots, wide, until)
        delays, drops, marked = list[Line](), list[Line](), list[Line]()
        waiting = np.cumsum(self._sums["enqueued"] - self._sums["dequeued"], axis=1)[:, :last]
        backlog = Held(slots.picture(*WAIT, stacked=True), t=edges)
        backlog.total = waiting.sum(axis=0).astype(np.int32)
        backlog.values = waiting
        for k, (name, flow) in enumerate(zip(slots.names, slots.flows, strict=True)):
            for view, key in ((offered, "offered"), (sent, "sent")):
                view.curves.append((starts, edges, np.cumsum(self._sums[key][k, :last])))
            some = np.isfinite(self._least[k, :last])
            both = np.stack([self._least[k, :last][some], self._greatest[k, :last][some]], axis=1).ravel()
            t = np.stack([starts[some], starts[some] + wide / 2], axis=1).ravel()
            if t.size:
                delays.append(Line(name, flow, t, both))
            for key, lines, label in (("drops", drops, name), ("marks", marked, f"{name} (marked)")):
                so_far = np.cumsum(self._sums[key][k, :last])
                if so_far[-1]:
                    lines.append(Line(label, flow, edges, so_far))
        delay = View(picture("queueing", "Queueing delay by flow, least and greatest", "s", delays, steps=False))
        return [view for view in (offered, sent, delay, backlog, lost(drops, marked)) if view.size]


class Held(Waiting):
    """Packets that wait at the ends of intervals."""

    values: Floats

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return super().size + self.values.nbytes

    def counts(self, t: Floats) -> list[npt.NDArray[np.int64]]:
        """Of each line the number at each time."""
        place = np.searchsorted(self.t, t, "right") - 1
        return [np.where(place >= 0, values[np.maximum(place, 0)], 0).astype(np.int64) for values in self.values]
