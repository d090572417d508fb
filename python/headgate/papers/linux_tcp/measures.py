"""What the kernel's table says of a run: windows from peak to peak, waits packet by packet, and counts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import nan

import numpy as np

from ..claims import Runs
from ..measure import Floats

#: Bytes of a packet that a program gets of its 1500.
PAYLOAD = 1448

#: Drops less than this apart belong to one episode: the longest round trip is 0.2 s.
APART = 0.25


class Measured:
    """A variant of the item "table"."""

    def __init__(self, runs: Runs, variant: str) -> None:
        """Takes the tables and traces of a run."""
        outcome = runs.base[variant]
        flows, self._links = outcome.table("flows"), outcome.table("links")
        self.start, self.end = float(flows["start_s"][0]), float(flows["end_s"][0])
        self._unique = float(flows["unique"][0])
        self.drops: Floats = runs.port_trace(variant, "drops", "line")[0]
        self._backlog = runs.port_trace(variant, "backlog", "line")
        self._times, self._window = runs.trace(variant, "window", "tcp")

    def values(self) -> Mapping[str, float]:
        """All measures, in the units of the table."""
        return {
            "goodput": self._unique * PAYLOAD * 8 / (self.end - self.start) / 1e6,
            "queueing": 1e3 * self.link("line", "queueing_mean_s"),
            "queueing_p95": 1e3 * float(np.quantile(self.waits, 0.95)),
            "peak": self.peak,
            "trough": self.trough,
            "period": float(np.diff(self.episodes).mean()) if len(self.episodes) > 1 else nan,
            "first_losses": self.first_losses,
            "packets_per_ack": self.link("line", "sent") / self.link("line:reverse", "sent"),
        }

    def link(self, name: str, column: str) -> float:
        """A value of the table of links."""
        return float(self._links[column][self._links["link"] == name][0])

    @cached_property
    def waits(self) -> Floats:
        """How long each packet sent after the warm-up waited, in seconds: the queue is first come, first served."""
        times, values = self._backlog
        steps = np.diff(values, prepend=0.0).astype(np.int64)
        came, left = np.repeat(times, np.maximum(steps, 0)), np.repeat(times, np.maximum(-steps, 0))
        counted = left >= self.start
        waited = left[counted] - came[: len(left)][counted]
        # The others found the line free.
        return np.append(waited, np.zeros(max(int(self.link("line", "sent")) - len(waited), 0)))

    @cached_property
    def episodes(self) -> Floats:
        """When each episode of losses after the warm-up began."""
        begins = self.drops[np.diff(self.drops, prepend=-np.inf) > APART]
        return begins[begins >= self.start]

    def windows(self, start: float, end: float) -> Floats:
        """The windows between two times, with the one that held at the first of them."""
        first = max(int(np.searchsorted(self._times, start, "right")) - 1, 0)
        return self._window[first : int(np.searchsorted(self._times, end))]

    @property
    def peak(self) -> float:
        """The maximum window, averaged over the episodes; over all of the run where there are none."""
        if len(self.episodes) == 0:
            return float(self.windows(self.start, self.end).max())
        return float(np.mean([self.windows(t, t + APART).max() for t in self.episodes]))

    @property
    def trough(self) -> float:
        """The minimum window after a loss, averaged over the episodes."""
        whole = [t for t in self.episodes if t + 2 * APART <= self.end]
        return float(np.mean([self.windows(t, t + 2 * APART).min() for t in whole])) if whole else nan

    @property
    def first_losses(self) -> float:
        """Packets lost in the first episode, if it is in the warm-up."""
        if len(self.drops) == 0 or self.drops[0] >= self.start:
            return 0.0
        later = np.flatnonzero(np.diff(self.drops) > APART)
        return float(later[0] + 1 if len(later) else len(self.drops))
