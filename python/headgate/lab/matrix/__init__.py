"""A matrix: every pair of flow controls against each other, and each alone, over queues, rates, round trips and buffers."""

from __future__ import annotations

from .cells import Cell, Condition
from .harm import harm
from .matrix import Matrix
from .measures import MEASURES, Measure
from .result import MatrixResult, Surprise

__all__ = ["MEASURES", "Cell", "Condition", "Matrix", "MatrixResult", "Measure", "Surprise", "harm"]
