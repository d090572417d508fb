"""Where flows meet, and the scenario of flows there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...quick.amounts import quantity
from ...quick.lists import flows_text
from ..frame.study import MeetingLine, read_lines

#: The name of every flow, before its number. Random streams go by the name, so that a flow that changes its strategy starts at the
#: same time and is disturbed in the same way as before.
FLOW = "flow"


@dataclass(frozen=True)
class GameCell(MeetingLine):
    """A line; `classify` says which packets are one conversation at its queue."""

    classify: str = "pair"

    def __str__(self) -> str:
        by = f", by {self.classify}" if self.classify != "pair" else ""
        return f"{self.queue}{by}, {self.rate}, {self.rtt}, {self.buffer}"

    @property
    def link(self) -> dict[str, str]:
        """What the line of the scenario has beside its queue."""
        return {"classify": self.classify} if self.classify != "pair" else {}

    def fair_bps(self, flows: int) -> float:
        """The line's rate over the number of flows, in bit/s."""
        return quantity("--rate", self.rate, "bps") / flows

    @property
    def rtt_s(self) -> float:
        """The round trip without queueing, in s."""
        return quantity("--rtt", self.rtt, "s") / 1e12


def cells_of(
    queues: Sequence[str], rate: str, rtt: str, buffer: str, classify: Sequence[str] = ("pair",)
) -> list[GameCell]:
    """The cells of lists of options; the queue varies fastest.

    Raises:
        HeadgateError: an entry is not valid.
    """
    return [GameCell(*line, c) for c in classify for line in read_lines(queues, rate, rtt, buffer)]


def flows_of(groups: Sequence[tuple[str, int]]) -> list[str]:
    """The flows of some controls: a control with its parameters, or a flow as `--flows` has it, and its number.

    They are numbered through.
    """
    return [flows_text(control, FLOW, number) for control, number in groups if number]
