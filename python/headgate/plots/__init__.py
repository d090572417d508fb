"""Figures: of a study, drawn by matplotlib for paper or by plotly for a browser; of one run against time, and of its transfers."""

from __future__ import annotations

from .build import KINDS, plot
from .completions import completions
from .figure import Figure
from .grids import grids
from .shares import shares
from .traces import timeline

__all__ = ["KINDS", "Figure", "completions", "grids", "plot", "shares", "timeline"]
