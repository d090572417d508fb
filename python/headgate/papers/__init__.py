"""Papers reproduced: each is a folder of data, and one runner serves them all."""

from __future__ import annotations

from .model import Paper, PaperError, list_papers, load_paper
from .present import print_reproduction
from .runner import Reproduction, reproduce

__all__ = [
    "Paper",
    "PaperError",
    "Reproduction",
    "list_papers",
    "load_paper",
    "print_reproduction",
    "reproduce",
]
