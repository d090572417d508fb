"""Where flows meet, and the scenario of flows there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...base.errors import HeadgateError
from ...quick import scenario as of_quick
from ...quick.amounts import quantity
from ...quick.lists import buffer_of, flows_text
from ...scenario.scenario import Scenario

#: The name of every flow, before its number. Random streams go by the name, so that a flow that changes its strategy starts at the
#: same time and is disturbed in the same way as before.
FLOW = "flow"


@dataclass(frozen=True)
class GameCell:
    """A queue, a rate, a round trip and a buffer; `classify` says which packets are one conversation at the queue."""

    queue: str
    rate: str
    rtt: str
    buffer: str
    classify: str = "pair"

    def __str__(self) -> str:
        by = f", by {self.classify}" if self.classify != "pair" else ""
        return f"{self.queue}{by}, {self.rate}, {self.rtt}, {self.buffer}"

    def fair_bps(self, flows: int) -> float:
        """The line's rate over the number of flows, in bit/s."""
        return quantity("--rate", self.rate, "bps") / flows

    @property
    def rtt_s(self) -> float:
        """The round trip without queueing, in s."""
        return quantity("--rtt", self.rtt, "s") / 1e12


@dataclass(frozen=True)
class Length:
    """How long a run is, what of it is not measured, and the noise of hosts."""

    duration: str = "60s"
    warm_up: str = "15s"
    noise: str = "1"


def scenario(
    cell: GameCell, groups: Sequence[tuple[str, int]], length: Length, seed: int, description: str
) -> Scenario:
    """Flows of some controls over the line of a cell, as `headgate quick` makes them: each between hosts of its own.

    Args:
        cell: where they meet.
        groups: a control with its parameters, or a flow as `--flows` has it, and its number; flows are numbered through.
        length: of the run.
        seed: of all random streams.
        description: of the scenario.

    Raises:
        HeadgateError: the queue, the buffer or a control is not valid.
    """
    flows = [flows_text(control, FLOW, number) for control, number in groups if number]
    try:
        made = of_quick(
            cell.rate,
            cell.rtt,
            flows,
            cell.queue,
            buffer_of(cell.queue, cell.rate, cell.rtt, cell.buffer),
            length.duration,
            seed,
            length.noise,
            transport="own",
            link={"classify": cell.classify} if cell.classify != "pair" else None,
        )
    except HeadgateError as e:
        raise HeadgateError(str(e).replace("--queue:", "--queues:")) from None
    return Scenario({**made.data, "name": "game", "description": description, "warm_up": length.warm_up}, "game")
