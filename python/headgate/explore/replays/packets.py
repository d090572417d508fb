"""Single packets of a replay: all of them as its rows have them, or those of a part of it with the numbers that decided about them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import _core
from ...results.tables import from_core
from ..packets import AtPort, Packets
from ..wire import StoppedError
from .rows import EACH, Rows
from .settings import Settings

#: Packets of a part; each takes 104 bytes and 8 for each of its numbers.
MOST = 200_000


class Whole:
    """All packets of a replay at the line."""

    def __init__(self, rows: Rows, until: float) -> None:
        """Takes the rows."""
        self.start, self.until = 0.0, until
        number = np.arange(len(rows))
        self._port = AtPort(
            rows.flow, rows.packet, rows.arrived, rows.start, rows.left, rows.bytes, rows.marked, rows.reason, number
        )  # fmt: skip

    @property
    def size(self) -> int:
        """Bytes of all columns."""
        return int(self._port.flow.size) * (EACH + 8)

    def at(self, _: int) -> AtPort:
        """The packets at the line."""
        return self._port


def following(settings: Settings, until: float) -> Any:
    """A function that follows a part of a replay: from a time on, with a control that stops it."""
    return partial(_followed, settings, until)


def _followed(settings: Settings, until: float, start: float, control: _core.Control | None) -> Packets:
    core = _core.Replay(settings.engine)
    core.decide(0, start, until, MOST)
    for _ in settings.trace.steps(core, settings.reading):
        if control is not None and control.stopped:
            raise StoppedError
        if core.decided_until(0) is not None:
            break
    columns, values, shapes, end = core.decided(0)
    return Packets(
        from_core(columns), np.asarray(from_core(values)["value"]), shapes, (start, min(end, until))
    )  # fmt: skip
