"""headgate contract: the rate of a flow control as a function of delay and of loss, and what follows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ...cli import completing, shared, signals
from ...cli.changes import parameters_of
from ...cli.command import Command, argument, line_of, option
from ...cli.printed import ReportJson, RunsJson, Shape, key


class ContractJson(ReportJson):
    """What was measured, and what follows. What is not known is null."""

    control: str = key("The flow control.")
    delays: list[EquilibriumJson] = key("Equilibria of one flow and of two.")
    fills: bool = key("Whether it fills a buffer of any depth.")
    losses: list[LossPointJson] = key("Goodput at loss rates.")
    law: LossLawJson | None = key("The law of theory; null without one.")
    slope: list[float | None] = key("The exponent of the goodput in the loss rate, and half of its 95 % interval.")
    null_slope: float | None = key("The exponent of a fixed window.")
    ratio: float = key("From which ratio on a flow counts as starved.")
    predicted: float | None = key("Delay from which on that is predicted.", "s")
    reason: str = key("Why no delay is predicted; empty where one is.")
    rests: bool = key("Whether the waits that the prediction rests on have settled.")
    drifting: list[float] = key("Delays with which the rates of a run have not settled.", "s")
    without: float | None = key("The ratio without a delay.")
    ratios: list[list[float | None]] = key("Delays in s, each with its ratio.")
    seen: list[float] | None = key("The delays between which starvation begins.", "s")
    runs: int = key("How many runs it took.")
    delay_slope: float | None = key("The exponent of the wait in the rate of each of two flows.")
    verdict: str = key("`confirmed`, `refuted` or what else.")
    keeps_law: bool | None = key("Whether the law holds.")


class EquilibriumJson(Shape):
    """An equilibrium."""

    flows: int = key("Number of flows.")
    line: float = key("Rate of the line.", "bit/s")
    buffer: float = key("Its buffer, in bandwidth-delay products.")
    goodput: float = key("Goodput of one flow.", "bit/s")
    mean: float | None = key("Mean wait.", "s")
    p5: float | None = key("Below which 5 % of the waits are.", "s")
    p95: float | None = key("Below which 95 % of the waits are.", "s")
    before: float = key("How many times the rate the line had before.")
    settled: bool = key("Whether the wait had settled.")
    seconds: float = key("Length of the run.", "s")


class LossPointJson(Shape):
    """A loss rate."""

    loss: float = key("Share of the packets that are lost.")
    goodput: list[float] = key("Goodput of each seed.", "bit/s")
    counts: bool = key("Whether it counts for the exponent.")


class LossLawJson(Shape):
    """A law of theory."""

    exponent: float = key("Exponent of the goodput in the loss rate.")
    source: str = key("Where it stands.")
    cubic: bool = key("Whether the law has a term that grows with time, as that of RFC 9438 has.")


class ContractCommand(Command):
    """Measure the contract of the flow control CONTROL: its sending rate as a function of delay and of loss.

    The contract predicts which delay of one flow alone starves one of two equal flows; runs confirm or refute it. CONTROL is a
    name of the list, a file (mine.py, libmine.so), module:Class, a table in TOML or JSON, or a program as a list of its arguments.
    Exit code 1 if the prediction, or a law of theory, does not hold.
    """

    group = "Judge a control or a queue"
    page = "how-to/contract"
    question = "which rate does a control have at each delay and each loss?"
    examples = """\
headgate contract vegas
headgate contract cubic --quick
headgate contract copa --set competes=false --out copa.svg
headgate contract mine.py --ratio 5 --json
"""
    prints = {"": ContractJson, "With `--part`": RunsJson}

    control: str = argument(complete=completing.controls)
    ratio: float = option(
        "Ratio of two goodputs at which the slower flow counts as starved: above 1, at most 19.", 10.0
    )
    seeds: int = option("Runs of each place.", 3, least=1, most=20)
    quick: bool = option("Use a third of the places, and shorter runs.")
    own_name: str = shared.own_name("control")
    changes: tuple[str, ...] = shared.parameters("the control")
    out: str | None = option(
        "Draw the contract into this file (.svg, .png or .pdf). A name without an ending is a folder: keep the runs there, and draw "
        "contract.svg; a second call goes on.",
        metavar="PLACE",
    )
    resume: bool = shared.resume_there()
    html: str | None = shared.html()
    workers: int | None = shared.workers()
    engine: str = shared.engine()
    address: str | None = shared.address()
    part: str | None = shared.part()
    as_json: bool = shared.as_json("everything")
    max_memory: str | None = shared.memory_limit()

    def run(self) -> int:
        with signals.loading():
            from ..contracts import contract as measure
            from ..contracts.report import answer, parts
            from ..frame import page
            from ..frame.judging import judging
            from ..frame.subjects import named
            from ..frame.terminal import print_report

            folder = self.out if self.out is not None and _is_folder(self.out) else None
            figure = self.out if folder is None else str(Path(folder, "contract.svg"))
            if figure is not None and self.part is None:
                from ...plots.canvas import require

                require(figure if folder is None else None)
        parameters = parameters_of(self.changes, "beta=0.5")
        subject = named(self.control, "control", self.own_name, parameters, place="CONTROL")
        index = page.asked(self.html, folder if self.part is None else None, "contract", subject.name, subject.text)
        with judging(self, "measuring", folder) as where:
            found = measure(subject, ratio=self.ratio, seeds=self.seeds, quick=self.quick, **where)
        drawn = line_of(self, "contract", out="contract.svg", html=None, as_json=False, resume=False)
        said = answer(found, figure or drawn, subject.text)
        everything = line_of(self, "contract", html="contract.html", as_json=False)
        try:
            if figure is not None:
                from ..contracts.picture import draw

                draw(found).save(figure)
            if index is not None:
                page.write(replace(said, parts=parts(found)), index)
        finally:
            # What was measured is on the screen even if a file cannot be written.
            code = print_report(said, index, everything, found.to_dict() if self.as_json else None)
        return code


def _is_folder(place: str) -> bool:
    """Whether runs are kept there, rather than a figure."""
    return Path(place).is_dir() or not Path(place).suffix
