"""Single packets of a replay: they are there if its rows were kept; otherwise the beginning of the replay is repeated for them."""

from __future__ import annotations

import threading

import numpy as np

from ... import _core
from ..packets import AtPort
from .rows import ALL, EACH, Filling, Rows
from .settings import Settings

#: Packets that are followed where not all are kept.
MOST = 1_000_000

_lock = threading.Lock()


class ReplayedPackets:
    """All packets at the line, or those at the beginning."""

    def __init__(self, settings: Settings, rows: Rows | None, until: float, most_bytes: int) -> None:
        """Takes the rows, if all were kept."""
        self._settings, self._end, self._most = settings, until, min(MOST, most_bytes // ALL)
        self._port: AtPort | None = None if rows is None else _at_port(rows)
        self.start, self._until = 0.0, until

    @property
    def size(self) -> int:
        """Bytes of all columns."""
        return 0 if self._port is None else int(self._port.flow.size) * (EACH + 8)

    @property
    def until(self) -> float:
        """The time up to which packets are followed."""
        self.at(0)
        return self._until

    def at(self, _: int) -> AtPort:
        """The packets at the line."""
        if self._port is None:
            with _lock:
                if self._port is None:
                    self._port = self._followed()
        return self._port

    def _followed(self) -> AtPort:
        settings = self._settings
        core = _core.Replay(settings.engine)
        core.follow(0, 0.0, float("inf"), self._most)
        filling = Filling(self._most)
        for _ in settings.trace.steps(core, settings.reading):
            filling.take(core.followed(0))
            if filling.count >= self._most:
                break
        rows = filling.rows()
        if filling.count >= self._most:
            self._until = float(rows.arrived[-1])
        return _at_port(rows)


def _at_port(rows: Rows) -> AtPort:
    number = np.arange(len(rows))
    return AtPort(
        rows.flow, rows.packet, rows.arrived, rows.start, rows.left, rows.bytes, rows.marked, rows.reason, number
    )  # fmt: skip
