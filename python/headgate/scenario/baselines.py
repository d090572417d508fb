"""Who stands beside a scheme when it is judged: one list for all commands that judge (`baselines.toml`)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from .. import _core
from ..base.documents import loads

#: The queue that does nothing but drop what does not fit: that of a link which names none.
PLAIN = "fcfs"

#: The flow control of a workload that needs one and names none.
MODERN: str = _core.MODERN


@cache
def baselines(command: str) -> dict[str, tuple[str, ...]]:
    """Those of a command, by what is judged.

    >>> baselines("train")["control"], baselines("attack")["beside"]
    (('aimd', 'cubic'), ('cubic',))
    """
    return {part: tuple(names) for part, names in _read()[command].items()}


@cache
def _read() -> dict[str, dict[str, list[str]]]:
    return loads((Path(__file__).parent / "baselines.toml").read_text("utf-8"))
