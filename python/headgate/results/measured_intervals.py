"""The measured full intervals of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from .. import _core
from .columns import columns
from .tables import Column


class Measured(Mapping[str, Column]):
    """The measured full intervals: of each column an array of shape (runs, intervals, flows), computed again on each call."""

    def __init__(self, column: Callable[[str], Column], shape: tuple[int, int, int]) -> None:
        """Takes what gives a column of the table of intervals, all runs one below the other."""
        self._column, self._shape = column, shape
        whole = _core.whole_intervals(column("start_s"), column("end_s"), column("warm_up"))
        self._full = np.asarray(whole, dtype=bool)

    def __getitem__(self, name: str) -> Column:
        found: Column = self._column(name)[self._full].reshape(self._shape)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(columns("intervals"))

    def __len__(self) -> int:
        return len(columns("intervals"))
