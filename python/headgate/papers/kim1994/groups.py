"""What is measured of groups of files beyond the paper's own curves."""

from __future__ import annotations

from dataclasses import dataclass

from .grid import Measured


@dataclass(frozen=True)
class Group:
    """Files or objects of one kind, over the runs.

    Mean and 99th percentile of their times in ms, the part of their packets that was discarded, and the part that ended.
    """

    mean: float
    late: float
    gone: float
    ended: float = 1.0


#: Of honest files and of abusive ones; where there are none of a kind, None.
Both = tuple[Group | None, Group | None]

#: These by load and part of abusive sources.
Abuse = dict[tuple[float, float], Both]

#: Users and files, without and with the reset, by load and packets of an object.
Interactive = tuple[dict[tuple[float, int], Group], dict[tuple[float, int], Group]]

#: Files by marks and bottleneck.
Files = dict[tuple[str, int], Measured]
