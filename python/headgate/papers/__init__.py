"""Papers reproduced: each is a folder of data, and one runner serves them all."""

from __future__ import annotations

from .load import list_papers, load_paper
from .model import Paper, PaperError
from .report import write_report
from .reproduction import Reproduction
from .runner import reproduce
from .terminal import print_reproduction

__all__ = [
    "Paper",
    "PaperError",
    "Reproduction",
    "list_papers",
    "load_paper",
    "print_reproduction",
    "reproduce",
    "write_report",
]
