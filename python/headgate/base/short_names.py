"""Short names of flows and other names of queues, as the engine has them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from .. import _core
from .documents import loads


@dataclass(frozen=True)
class ShortName:
    """A name for others: for a flow control or a workload with fitting parameters and further keys of a flow, or for a discipline.

    Attributes:
        name: in scenario files, or of a queue in `headgate quick`.
        source: what it stands for: keys of a flow as TOML has them between braces, or an option.
        summary: what it sends, and why that fits the name.
        key: where it may stand: `control`, `workload` or `queue`.
        kind: the flow control, the workload or the discipline that it stands for.
        sends: what a flow of this name sends.
        lasts_s: least simulated time in seconds in which one sees enough of it.
        up: whether it goes in the other direction where nothing says a direction.
    """

    name: str
    source: str
    summary: str
    key: str
    kind: str
    sends: str = ""
    lasts_s: int = 10
    up: bool = False

    @property
    def entry(self) -> dict[str, Any]:
        """The keys of a flow that it stands for."""
        found: dict[str, Any] = loads(f"x = {{ {self.source} }}")["x"]
        return found


@cache
def short_names() -> tuple[ShortName, ...]:
    """All names for others, as `headgate list short-names` has them."""
    return tuple(ShortName(**said) for said in json.loads(_core.catalogue("short-names")))


@cache
def shorthands() -> dict[str, ShortName]:
    """Those of flows.

    >>> shorthands()["call"].entry["packet"], shorthands()["bbr"].kind
    ('200B', 'bbr3')
    """
    return {short.name: short for short in short_names() if short.key != "queue"}


@cache
def other_queues() -> dict[str, str]:
    """Other names of disciplines that the list has, each with the one here; `headgate quick --queue` takes all that their cards have.

    >>> other_queues()
    {'droptail': 'fcfs', 'fifo': 'fcfs'}
    """
    return {short.name: short.kind for short in short_names() if short.key == "queue"}
