"""Infers what the text of a paper leaves open from its numbers, with rows that the search has not seen and null papers beside."""

from __future__ import annotations

from .conclusions import Conclusion, conclusions
from .method import SETTINGS, STARTS, infer
from .result import Answer, Block, Counts, Inference

__all__ = ["SETTINGS", "STARTS", "Answer", "Block", "Conclusion", "Counts", "Inference", "conclusions", "infer"]
