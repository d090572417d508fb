"""The packets of some files as they pass S1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..measure import Floats


@dataclass(frozen=True)
class Stream:
    """The data packets at S1 in their order: time in seconds from the first one, file, number in the file, priority, taken or not."""

    time: Floats
    file: Floats
    seq: Floats
    priority: Floats
    taken: Floats

    def of(self, file: int) -> Stream:
        """Those of one file."""
        mine = self.file == file
        return Stream(*(values[mine] for values in (self.time, self.file, self.seq, self.priority, self.taken)))

    @property
    def rounds(self) -> Floats:
        """How many pauses of 5 ms and more there were before each packet."""
        return np.concatenate([[0.0], np.cumsum(np.diff(self.time) > 0.005)])
