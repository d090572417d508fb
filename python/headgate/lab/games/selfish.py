"""The game of selfish sources: one that does as it likes, among flows that do as their flow control says, in every discipline."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from ... import _core
from ...base.catalogue import parameter_names
from ...base.errors import HeadgateError, cut
from ...quick.amounts import quantity
from ...quick.flows import split
from ...quick.lists import buffer_of, read_controls, read_queues
from ...scenario.scenario import Scenario
from ..frame.study import MOST, Cells, HowToRun, read_length
from .cells import FLOW, GameCell, cells_of, flows_of
from .incentives import SelfishResult
from .payoffs import read_payoff
from .strategies import CONTROL, NULL, Strategy, applies, flow_of, honest_of, read_strategies, transports_of

if TYPE_CHECKING:
    from ...sweep import Study

#: What the queue of a line may call one conversation, as a link has it.
CLASSIFY = ("pair", "source", "destination", "flow")


@dataclass(frozen=True)
class Trial:
    """A strategy in a cell: the numbers of the scenarios with it and with honest flows alone."""

    cell: GameCell
    strategy: Strategy
    variant: int
    honest: int


class SelfishGame(Cells):
    """Every strategy of a selfish source among honest flows, in every cell.

    >>> asked = SelfishGame("reno", flows=4, queues="fcfs", strategies="flood,null", duration="5s", runs=2)
    >>> [trial.strategy.name for trial in asked.trials], asked.runs
    (['flood', 'null'], 6)
    """

    def __init__(
        self,
        controls: str,
        *,
        flows: int = 10,
        queues: str = "all",
        rate: str = "20Mbit/s",
        rtt: str = "40ms",
        buffer: str = "1bdp",
        classify: str = "pair",
        strategies: str = "all",
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
            controls: the flow control of honest sources; others after it are strategies, too.
            flows: sources on the line, one of which is selfish.
            queues: disciplines, or `all`.
            rate: rates of the line.
            rtt: round trips without queueing and transmission.
            buffer: buffers, as `1bdp`, `64KB`, `100pkt` or `50ms`; queues without a buffer have none.
            classify: what the queue calls one conversation: `pair` (of hosts), `source`, `destination`, `flow`.
            strategies: names of `all_strategies()`, or `all`; claims are left out where no discipline reads them.
            payoff: what a source wants more of: `goodput`, `power` or `delay` (less of it).
            tolerance: a gain of at most this part of a fair share is none.
            duration: simulated time of a run.
            warm_up: what is not measured; a quarter of the duration unless given.
            noise: of the hosts, in packet times of the line, or a time.
            runs: of each strategy.
            seed: of all random streams.

        Raises:
            HeadgateError: an argument is not valid; the error names the option and what was expected.
        """
        read_payoff(payoff, flows, tolerance)
        super().__init__("game", runs, seed, read_length(duration, warm_up, noise))
        self.honest, *others = read_controls(controls)
        if re.search(r"[:,]\s*(priority|label)\b", self.honest):
            raise HeadgateError(
                f"--controls: found {cut(self.honest)}; expected no priority and no label: strategies claim them"
            )
        self.flows, self.payoff, self.tolerance = flows, payoff, tolerance
        chosen = read_strategies(strategies) + [
            Strategy(c, f"has the flow control {c}", CONTROL, flow=c) for c in others
        ]
        names = list(parameter_names("disciplines")) if queues.strip() == "all" else read_queues(queues)
        self.cells = cells_of(names, rate, rtt, buffer, read_classify(classify))
        if len(chosen) * len(self.cells) > MOST:
            raise HeadgateError(
                f"{len(chosen)} strategies in {len(self.cells)} cells; expected at most {MOST} scenarios: "
                "fewer strategies, queues, round trips or buffers"
            )
        self.trials = [self._trial(cell, s) for cell in self.cells for s in chosen if applies(s, cell)]

    def _trial(self, cell: GameCell, strategy: Strategy) -> Trial:
        honest = honest_of(self.honest, cell, bool(strategy.reads))
        alone = self.made(cell, flows_of([(honest, self.flows)]), f"{self.flows} {honest}: {cell}", **cell.link)
        own = flow_of(strategy, self.honest, cell, self.flows, _buffer_bytes(cell))
        groups = [(honest, self.flows - 1), (own, strategy.connections)]
        what = f"{strategy.name} among {self.flows - 1} {honest}: {cell}"
        made = _as_one(self.made(cell, flows_of(groups), what, **cell.link), strategy, self.flows)
        return Trial(cell, strategy, self.add(cell, made), self.add(cell, alone))

    @property
    def transports(self) -> str:
        """A sentence if the flow controls of strategies differ from that of honest flows in their transport, too."""
        tried = dict.fromkeys(trial.strategy for trial in self.trials)
        return transports_of(tried, self.honest, self.cells[0], self.flows) if self.cells else ""

    def run(
        self, out: str | os.PathLike[str] | None = None, workers: int | None = None, **how: Unpack[HowToRun]
    ) -> SelfishResult:
        """Runs all strategies, as `Sweep.run` does; with a folder, the study is in `study` there, and the scenarios in `cells`.

        Raises:
            ScenarioError: a strategy makes no valid scenario.
            HeadgateError: the folder holds another study, or cannot be written.
            KeyboardInterrupt: Ctrl-C or SIGTERM; finished runs are stored.
        """
        return self.result_of(self.study(out, workers, **how), out)

    def result_of(self, study: Study, out: str | os.PathLike[str] | None = None) -> SelfishResult:
        """What a study of these strategies gave; `out` is its folder."""
        rows = {(t.cell, t.strategy): (t.variant, t.honest) for t in self.trials}
        return SelfishResult(
            study, rows, self.cells, self.honest, self.flows, self.payoff, self.tolerance, self.replications
        )

    def to_dict(self) -> dict[str, Any]:
        """What would be run, as JSON data."""
        named = [f"{trial.strategy.name}: {trial.cell}" for trial in self.trials]
        return {"seed": self.seed, "runs": self.runs, "strategies": named}


def read_classify(text: str) -> Sequence[str]:
    """The words of `--classify`.

    Raises:
        HeadgateError: one is none, or stands twice.
    """
    found = split(text, "--classify")
    for i, word in enumerate(found):
        if word not in CLASSIFY or word in found[:i]:
            raise HeadgateError(
                f"--classify: found {cut(repr(word))}; expected {', '.join(CLASSIFY)}, each at most once"
            )
    return found or ("pair",)


def _as_one(made: Scenario, strategy: Strategy, flows: int) -> Scenario:
    """The scenario in which all connections of the selfish source leave its own host, and what is honest has another name."""
    entries = [dict(entry) for entry in made.data["flows"]]
    if strategy.connections > 1:
        entries[-1]["from"] = f"s{flows}"
    if strategy.kind == NULL:
        # Random streams go by the name.
        entries[-1]["name"] = f"other_{FLOW}"
    return Scenario({**made.data, "flows": entries}, "game")


def _buffer_bytes(cell: GameCell) -> float:
    """Bytes of the buffer; those of a bandwidth-delay product where it is in packets, or the queue has its own."""
    text = buffer_of(cell.queue, cell.rate, cell.rtt, cell.buffer)
    product = quantity("--rate", cell.rate, "bps") * cell.rtt_s / 8
    try:
        return float(_core.quantity(text, "bytes")[1]) if text is not None else product
    except ValueError:
        return product
