"""The game of mixes: flows that choose between flow controls."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Unpack

from ...base.errors import HeadgateError
from ...quick.lists import read_controls, read_queues
from ..frame.study import MOST, Cells, HowToRun, read_length
from .cells import GameCell, cells_of, flows_of
from .payoffs import read_payoff
from .result import MixResult
from .theory import Mix, count, mix_text, mixes

if TYPE_CHECKING:
    from ...sweep import Study


@dataclass(frozen=True)
class MixPlace:
    """A mix in a cell; `variant` is the number of its scenario in the study."""

    cell: GameCell
    mix: Mix
    variant: int = field(default=0, compare=False)


class MixGame(Cells):
    """Every mix of some flow controls, in every cell.

    >>> asked = MixGame("cubic,bbr3", flows=4, queues="fcfs", duration="5s", runs=2)
    >>> len(asked.places), asked.runs, asked.places[1].mix
    (5, 10, (3, 1))
    """

    def __init__(
        self,
        controls: str,
        *,
        flows: int = 10,
        queues: str = "fcfs,fq_codel",
        rate: str = "20Mbit/s",
        rtt: str = "40ms",
        buffer: str = "1bdp",
        payoff: str = "goodput",
        tolerance: float = 0.02,
        duration: str = "60s",
        warm_up: str | None = None,
        noise: str = "1",
        runs: int = 5,
        seed: int = 1,
    ) -> None:
        """Takes lists as the command does: names between commas.

        Args:
            controls: flow controls, at least two, each with parameters, as `cubic,bbr3,dctcp:packet=1500B`.
            flows: flows on the line, of which each has one of the controls.
            queues: disciplines, as `fcfs,red:gentle=true`.
            rate: rates of the line.
            rtt: round trips without queueing and transmission.
            buffer: buffers, as `1bdp`, `64KB`, `100pkt` or `50ms`; queues without a buffer have none.
            payoff: what a flow wants more of: `goodput`, `power` or `delay` (less of it).
            tolerance: a gain of at most this part of a fair share is none.
            duration: simulated time of a run.
            warm_up: what is not measured; a quarter of the duration unless given.
            noise: of the hosts, in packet times of the line, or a time.
            runs: of each mix.
            seed: of all random streams.

        Raises:
            HeadgateError: an argument is not valid; the error names the option and what was expected.
        """
        read_payoff(payoff, flows, tolerance)
        super().__init__("game", runs, seed, read_length(duration, warm_up, noise))
        self.controls = read_controls(controls)
        if len(self.controls) < 2:
            raise HeadgateError(f"--controls: found {controls}; expected at least two, such as cubic,bbr3")
        self.flows, self.payoff, self.tolerance = flows, payoff, tolerance
        self.cells = cells_of(read_queues(queues), rate, rtt, buffer)
        number = count(flows, len(self.controls)) * len(self.cells)
        if number > MOST:
            raise HeadgateError(
                f"{number} mixes: {count(flows, len(self.controls))} of {flows} flows of {len(self.controls)} controls, in "
                f"{len(self.cells)} cells; expected at most {MOST}: fewer flows, controls, queues, round trips or buffers"
            )
        self.places: list[MixPlace] = []
        for cell in self.cells:
            for mix in mixes(flows, len(self.controls)):
                flows_of_mix = flows_of(list(zip(self.controls, mix, strict=True)))
                made = self.made(cell, flows_of_mix, f"{mix_text(mix, self.controls)}: {cell}")
                self.places.append(MixPlace(cell, mix, self.add(cell, made)))

    def run(
        self, out: str | os.PathLike[str] | None = None, workers: int | None = None, **how: Unpack[HowToRun]
    ) -> MixResult:
        """Runs all mixes, as `Sweep.run` does; with a folder, the study is in `study` there, and the scenarios of mixes in `cells`.

        Raises:
            ScenarioError: a mix makes no valid scenario.
            HeadgateError: the folder holds another study, or cannot be written.
            KeyboardInterrupt: Ctrl-C or SIGTERM; finished runs are stored.
        """
        return self.result_of(self.study(out, workers, **how), out)

    def result_of(self, study: Study, out: str | os.PathLike[str] | None = None) -> MixResult:
        """What a study of these mixes gave; `out` is its folder."""
        variants = {(place.cell, place.mix): place.variant for place in self.places}
        return MixResult(
            study, variants, self.cells, self.controls, self.flows, self.payoff, self.tolerance, self.replications
        )

    def to_dict(self) -> dict[str, Any]:
        """What would be run, as JSON data."""
        named = [f"{mix_text(place.mix, self.controls)}: {place.cell}" for place in self.places]
        return {"seed": self.seed, "runs": self.runs, "mixes": named}
