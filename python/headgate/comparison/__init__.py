"""The results of a study as a cube: one number for every point of the axes and every replication, and the comparison of points."""

from __future__ import annotations

from .differences import Difference
from .metrics import Metric, find
from .points import Compared, compare
from .values import Cube, cube
from .xarrays import to_xarray

__all__ = ["Compared", "Cube", "Difference", "Metric", "compare", "cube", "find", "to_xarray"]
