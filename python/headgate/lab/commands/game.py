"""headgate game: which mixes of flow controls are equilibria, and what a selfish source gains."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.choices import PAYOFFS
from ...base.errors import HeadgateError
from ...base.parts import PartMark
from ...cli import shared, signals
from ...cli.command import Command, line_of, option
from ...cli.printed import MeanJson, PartJson, PlanJson, ReportJson, Shape, StudyJson, key
from ...cli.scenario_files import plugin_files
from ...cli.studies import cells_part, gather_cells, of_cells, ran

if TYPE_CHECKING:
    from ..games import MixGame, MixResult, SelfishGame, SelfishResult


class GameJson(ReportJson, StudyJson):
    """The game. `game.json` in the folder is the same."""

    controls: list[str] = key("The flow controls.")
    flows: int = key("Number of flows.")
    payoff: str = key("What a flow wants.")
    unit: str = key("Unit of all payoffs below.")
    tolerance: float = key("A gain of at most this part of a fair share is none.")
    cells: list[GameCellJson] = key("Each line with its queue.")


class GamePlaceJson(Shape):
    """A line with its queue."""

    queue: str = key("Discipline.")
    rate: str = key("Rate.")
    rtt: str = key("Round trip without queueing.")
    buffer: str = key("Buffer.")
    classify: str = key("Which packets are one flow for the queue.")


class GameCellJson(GamePlaceJson):
    """A cell."""

    fair: float = key("What a fair share is paid.")
    equilibria: list[str] = key("Mixes that are equilibria, in words.")
    undecided: list[str] = key("Mixes that may be, in words.")
    best: str = key("The mix in which all together are paid most.")
    mixes: list[MixJson] = key("Each mix.")


class MixJson(Shape):
    """A mix."""

    mix: dict[str, int] = key("Number of flows by flow control.")
    payoff: dict[str, MeanJson | None] = key("Payoff by flow control.")
    switches: list[SwitchJson] = key("What a flow gains by changing its flow control.")
    verdict: str = key("`equilibrium`, `not` or `undecided`.")
    path: list[list[int]] = key(
        "The mixes that follow when the flow that gains most switches, each as numbers in the order of `controls`."
    )
    ends: dict[str, int] = key("The last of them.")
    price: MeanJson = key("What all lose against the best mix, as a part of it.")
    utilisation: MeanJson = key("Part of the time in which the line sends.")
    delay_s: MeanJson = key("Mean one-way delay.", "s")
    scenario: str = key("Its file.")


class SwitchJson(Shape):
    """A flow that changes its flow control."""

    from_: str = key("The flow control that it leaves.")
    to: str = key("The one that it takes.")
    gain: MeanJson = key("What it gains.")


class SelfishGameJson(ReportJson, StudyJson):
    """What selfish sources gain."""

    honest: str = key("Flow control of the honest flows.")
    flows: int = key("Number of flows.")
    payoff: str = key("What a flow wants.")
    tolerance: float = key("A gain of at most this part of a fair share is none.")
    cells: list[SelfishCellJson] = key("Each line with its queue.")
    false_alarms: int = key("Cells in which an honest source under another name gains.")


class SelfishCellJson(GamePlaceJson):
    """A cell."""

    verdicts: dict[str, str | None] = key("Verdicts by the kind of strategy: `behaviour`, `control` or `identity`.")
    best: dict[str, str | None] = key("The best strategy by kind.")
    strategies: list[StrategyJson] = key("Each strategy.")


class StrategyJson(Shape):
    """A strategy."""

    name: str = key("Its name.")
    what: str = key("What it does.")
    kind: str = key("Its kind.")
    gain: MeanJson = key("What it gains, in parts of a fair share.")
    share: MeanJson = key("Its goodput, in fair shares.")
    others: MeanJson = key("What the others gain, in parts of a fair share.")
    delay_s: MeanJson = key("Delay of the others, above that without it.", "s")
    scenario: str = key("Its file.")


class GamePlanJson(PlanJson):
    """What would be run."""

    mixes: list[str] = key("The mixes; with `--selfish` the key is not there.", always=False)
    strategies: list[str] = key("With `--selfish`, the strategies.", always=False)


class GameCommand(Command):
    """Find which mixes of flow controls are equilibria, or what a selfish source gains.

    Some flows on one line choose between flow controls, in every queue, at every round trip and buffer. Exit code 1 if runs failed.
    """

    group = "Compare"
    page = "how-to/game"
    question = "in which mix of controls does no flow gain by changing its own?"
    notes = """A mix is an equilibrium if no flow gains by changing its flow control alone. A gain of at most --tolerance of a fair share
is none; a mix is undecided where the 95 % interval of a gain has the tolerance within. With --selfish one source among honest ones does
as it likes: it sends without flow control, grows faster, never cuts its window, opens several connections, or claims a priority. Then the
first of --controls is that of the honest ones, and the others are strategies, too. Controls, queues, rates, round trips and buffers are
lists with commas between."""
    examples = """\
headgate game --controls cubic,bbr3 --flows 10 --dry-run
headgate game --controls cubic,bbr3 --flows 10 --buffer 0.5bdp,1bdp,5bdp \\
  --rtt 20ms,80ms --queues fcfs,fq_codel --out out/game
headgate game --controls cubic,bbr3,copa --flows 4 --payoff power
headgate game --selfish --controls reno --queues fcfs,fq,drr
"""
    prints = {
        "": GameJson,
        "With `--selfish`": SelfishGameJson,
        "With `--dry-run`": GamePlanJson,
        "With `--part`": PartJson,
    }

    controls: str = shared.controls_of_a_line()
    flows: int = option("Flows on the line.", 10, least=2, most=1000)
    queues: str | None = option(
        "Disciplines of the line; fcfs,fq_codel unless given, and all with --selfish.",
        None,
        "--queues",
        "--queue",
        metavar="LIST",
    )
    rate: str = shared.rate()
    rtt: str = shared.rtt()
    buffer: str = shared.buffer()
    payoff: str = option("What a flow wants: goodput, goodput over delay, or less delay.", PAYOFFS[0], choices=PAYOFFS)
    tolerance: str = option("A gain of at most this part of a fair share counts as none.", "2%", metavar="SHARE")
    selfish: bool = option("Put one selfish source among honest ones, in every discipline.")
    strategies: str | None = option(
        "With --selfish: strategies of the source, such as flood,aimd4; all unless given.", metavar="LIST"
    )
    classify: str | None = option(
        "With --selfish: the packets of one conversation share their pair (unless given), source, destination or flow.",
        metavar="LIST",
    )
    runs: int = option("Runs of each mix.", 5, least=1, most=100_000)
    duration: str = shared.duration()
    warm_up: str | None = shared.warm_up()
    seed: int = shared.seed("Seed of all random streams.")
    noise: str = shared.noise()
    limit: str = shared.limit()
    workers: int | None = shared.workers()
    engine: str = shared.engine()
    address: str | None = shared.address()
    max_memory: str | None = shared.max_memory("the runs of all workers may take together", unless="")
    part: str | None = shared.part()
    resume: bool = shared.resume("game")
    out: Path = option("Folder.", Path("out/game"))
    no_figures: bool = option("Write no page with figures (needs no matplotlib).")
    plugin: tuple[str, ...] = plugin_files()
    dry_run: bool = option("Print what would be run, and the expected processor time.")
    as_json: bool = shared.as_json("the game, or with --dry-run its mixes,")

    def asked(self) -> MixGame | SelfishGame:
        """The game that the options ask for."""
        with signals.loading():
            from ...quick.amounts import share
            from ..games import MixGame, SelfishGame

        common = {**of_cells(self), "payoff": self.payoff, "tolerance": share("--tolerance", self.tolerance)}
        if self.selfish:
            return SelfishGame(
                self.controls,
                queues=self.queues or "all",
                strategies=self.strategies or "all",
                classify=self.classify or "pair",
                **common,
            )
        for name, value in (("--strategies", self.strategies), ("--classify", self.classify)):
            if value is not None:
                raise HeadgateError(f"{name}: found {value}; expected --selfish beside it")
        return MixGame(self.controls, queues=self.queues or "fcfs,fq_codel", **common)

    def run(self) -> int:
        with signals.loading():
            from ...quick.amounts import quantity

        most = quantity("--limit", self.limit, "s") / 1e12
        asked = self.asked()
        if self.part is not None and not self.dry_run:
            return cells_part(self, asked)
        if not self.no_figures and not self.dry_run:
            from ...plots.pages import require_extras

            require_extras()
        fewer = "fewer flows, controls, queues, buffers or runs, or a shorter duration"
        result = ran(self, asked, "running the game", most, fewer)
        return 0 if result is None else self.finish(asked, result)

    def finish(self, asked: MixGame | SelfishGame, result: MixResult | SelfishResult) -> int:
        """Writes the files of a game, and prints it; gives the exit code."""
        from ..frame.terminal import print_report
        from ..games.report import answer, write

        again = line_of(self, "game", resume=True, no_figures=False, as_json=False)
        said = answer(result, self.out, again)
        page = write(result, said, self.out, not self.no_figures)
        return print_report(said, page, again, result.to_dict() if self.as_json else None)

    @classmethod
    def gathered(cls, marks: Sequence[PartMark], out: Path, incomplete: bool, as_json: bool) -> int:
        """Joins parts for `headgate gather`."""
        return gather_cells(cls, marks, out, incomplete, as_json)
