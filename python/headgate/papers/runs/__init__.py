"""The runs of papers: on threads of this process or on a cluster, and kept in a folder if there is one.

Runs of a paper's own studies use the same function (`run_all`), so that all of them are kept, counted and shown as progress.
"""

from __future__ import annotations

from .store import Store
from .work import Work, open_work, remember, run_all, work_here

__all__ = ["Store", "Work", "open_work", "remember", "run_all", "work_here"]
