"""Contracts: the rate of a flow control as a function of delay and of loss, measured, and what follows from it."""

from __future__ import annotations

from .result import Contract
from .run import contract

__all__ = ["Contract", "contract"]
