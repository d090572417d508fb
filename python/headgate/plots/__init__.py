"""Figures: of a study, built once and drawn by matplotlib for paper or by plotly for a browser, and of one run against time."""

from __future__ import annotations

from .build import KINDS, plot
from .figure import Figure
from .traces import timeline

__all__ = ["KINDS", "Figure", "plot", "timeline"]
