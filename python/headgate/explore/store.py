"""Finished runs, bounded by the memory that they take: the least recently used one is discarded first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from .views import View
from .wire import RequestError

#: Maximum number of runs that are kept, however small they are.
MOST = 32


@dataclass
class Finished:
    """A run that is kept: the scenario as it was given and as it was run, its summary, its views."""

    name: str
    scenario: dict[str, Any]
    as_run: dict[str, Any]
    seed: int
    #: Names of ports and of flows, in the order of the engine.
    ports: list[str]
    flows: list[str]
    until: float
    done: dict[str, Any]
    views: list[View] = field(default_factory=list)
    #: Of each flow and port on its path: the port before it, if there is one.
    before: dict[tuple[int, int], int | None] = field(default_factory=dict)
    #: Rate in bit/s and propagation delay in s of each port's line.
    lines: list[tuple[float, float]] = field(default_factory=list)
    #: Results that were computed on demand, by one request at a time.
    more: dict[str, Any] = field(default_factory=dict)
    #: Number of the replication.
    number: int = 0
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def size(self) -> int:
        """Bytes of its points, and a little for the rest."""
        return sum(view.size for view in self.views) + 100_000 + int(self.more.get("size", 0))

    def view(self, name: str) -> View:
        """A view by its name.

        Raises:
            RequestError: it has none of this name.
        """
        for view in self.views:
            if view.name == name:
                return view
        raise RequestError(404, f"view {name[:80]!r}; expected one of {', '.join(v.name for v in self.views)}")


class KeptRuns:
    """Finished runs by their names."""

    def __init__(self, most_bytes: int) -> None:
        """`most_bytes`: that all runs may take together; the last one always stays."""
        self._most = most_bytes
        self._lock = threading.Lock()
        self._runs: OrderedDict[str, Finished] = OrderedDict()

    def put(self, run: Finished) -> None:
        """Keeps a run, and discards others if all together take too much memory."""
        with self._lock:
            self._runs[run.name] = run
            self._runs.move_to_end(run.name)
            while len(self._runs) > 1 and (self.size > self._most or len(self._runs) > MOST):
                self._runs.popitem(last=False)

    def get(self, name: str) -> Finished:
        """A run by its name.

        Raises:
            RequestError: it was discarded, or there was none.
        """
        with self._lock:
            if name not in self._runs:
                raise RequestError(404, f"run {name[:80]!r} is not kept any more; expected a newer one: run it again")
            self._runs.move_to_end(name)
            return self._runs[name]

    def like(self, key: str) -> Finished | None:
        """A whole run with this key, if there is one that has a key."""
        with self._lock:
            return next((run for run in reversed(self._runs.values()) if run.more.get("key") == key), None)

    @property
    def size(self) -> int:
        """Bytes of all runs."""
        return sum(run.size for run in self._runs.values())

    def __len__(self) -> int:
        return len(self._runs)
