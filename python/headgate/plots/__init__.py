"""Figures from a study: built once, drawn by matplotlib for paper or by plotly for a browser."""

from __future__ import annotations

from .build import KINDS, plot
from .figure import Figure

__all__ = ["KINDS", "Figure", "plot"]
