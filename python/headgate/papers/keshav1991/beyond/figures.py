"""Figures of what lies beyond the thesis."""

from __future__ import annotations
