"""The views of a run: pictures of what happened over time. The engine's side makes them of the tables and reduces their lines to pixels."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core

Array = npt.NDArray[np.float64]


@dataclass
class Line:
    """A line of a view: its name, the flow that it is about if there is one, times in s and values."""

    name: str
    flow: str | None
    t: Array
    y: Array


@dataclass
class View:
    """A picture of a run over time."""

    core: _core.View

    @property
    def name(self) -> str:
        """Its name in requests."""
        return self.core.name

    @property
    def title(self) -> str:
        """Its title."""
        return self.core.title

    @property
    def unit(self) -> str:
        """The unit of its values."""
        return self.core.unit

    @property
    def steps(self) -> bool:
        """Whether a value holds until the next point."""
        return self.core.steps

    @property
    def lines(self) -> list[Line]:
        """Its lines."""
        return [Line(name, flow, np.asarray(t), np.asarray(y)) for name, flow, t, y in self.core.lines]

    def head(self) -> dict[str, Any]:
        """The description of the view, without its points."""
        found: dict[str, Any] = json.loads(self.core.head())
        return found

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return self.core.size

    def whole(self, run: Any) -> View:
        """The view with all its points."""
        return self

    def points_of(self, run: Any, start: float, end: float, width: int) -> bytes:
        """Its lines from `start` to `end`, as a picture of `width` pixels shows them: JSON text."""
        return self.core.points(start, end, width)


def picture(
    name: str, title: str, unit: str, lines: Iterable[Line], steps: bool = True, stacked: bool = False
) -> _core.View:
    """A picture of some lines; `steps` says that a value holds until the next point, `stacked` that values add up."""
    points = [(x.name, x.flow, np.asarray(x.t, np.float64), np.asarray(x.y, np.float64)) for x in lines]
    return _core.View(name, title, unit, steps, stacked, points)
