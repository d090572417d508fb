"""Papers reproduced: each is a folder of data, and one runner serves them all."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .load import load_paper
    from .model import Paper, PaperError
    from .packaged import list_papers
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

#: Where each stands: loaded on first use, since the commands of papers are below this package and say what they are without any of it.
_NAMES = {
    "Paper": "model",
    "PaperError": "model",
    "Reproduction": "reproduction",
    "list_papers": "packaged",
    "load_paper": "load",
    "print_reproduction": "terminal",
    "reproduce": "runner",
    "write_report": "report",
}


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(import_module(f".{_NAMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
