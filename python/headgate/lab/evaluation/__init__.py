"""Judging a flow control: suites of paths and company, scores by aspects with intervals, one declared sum."""

from __future__ import annotations

from .judge import evaluate
from .suite import SuiteCase, suite

__all__ = ["SuiteCase", "evaluate", "suite"]
