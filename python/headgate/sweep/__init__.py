"""Studies: many variants of a scenario, each run several times, on one machine or a cluster."""

from __future__ import annotations

from .study import Study, open_study
from .sweep import Sweep

__all__ = ["Study", "Sweep", "open_study"]
