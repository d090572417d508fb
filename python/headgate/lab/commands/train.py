"""headgate train: a flow control that learns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.counts import counted
from ...base.errors import HeadgateError, cut
from ...cli import shared, signals
from ...cli.command import Command, option
from ...cli.printed import ReportJson, Shape, key
from ...cli.studies import kept_runs

if TYPE_CHECKING:
    from ..training.learning import Progressed


class TrainJson(ReportJson):
    """What was learnt."""

    file: str = key("The file that was written.")
    about: dict[str, Any] = key("How the flow control learnt.")
    measured: list[LearntJson] = key("Each flow control in each company; means over the scenarios.")


class LearntJson(Shape):
    """A flow control in some company."""

    control: str = key("The flow control.")
    company: str = key("What is beside it.")
    episodes: int = key("Number of scenarios.")
    share: float | None = key("Its goodput, in fair shares.")
    queueing: float | None = key("Its queueing delay, in round trips.")
    loss: float | None = key("Share of its packets that are lost.")
    fairness: float | None = key("Jain's index of the goodputs.")
    utility: float | None = key("What it was paid.")


class TrainCommand(Command):
    """Learn a flow control, write it into a file in Python, and measure it on scenarios that it has not seen.

    The example policy is linear, and learns by the cross-entropy method; other methods learn in the environment of headgate.lab.training.
    """

    group = "Write your own"
    page = "how-to/train-a-control"
    question = "can a control be learned?"
    notes = """The scenarios are a line of one bottleneck; --range changes what is drawn for each episode: rate, rtt, buffer, queue,
competitors, control (theirs), loss, duration. A value is one amount, a list with commas between, or a range."""
    examples = """\
headgate train --out learned.py
headgate train --out learned.py --range 'rate=1Mbit/s ... 5Mbit/s log' \\
  --range queue=fcfs,fq --generations 30
headgate train --out calm.py --name calm --delay 2
"""
    prints = {"": TrainJson}

    out: Path = option("File for the flow control.", metavar="FILE", required=True)
    name: str = option("Name of the flow control in scenarios.", "learned")
    seconds: float = option(
        "Real time to learn for; with --resume that of new trials, after those that were kept.", 60, above=0
    )
    generations: int | None = option(
        "Number of generations to learn for, in place of a time: the result is then the same everywhere.", least=1
    )
    ranges: tuple[str, ...] = option(
        "Set what each episode draws; may be given several times.", None, "--range", metavar="NAME=VALUES"
    )
    delay: float | None = option("Weight of delay in the reward; 0.5 unless given.", least=0, metavar="WEIGHT")
    loss: float | None = option("Weight of losses in the reward; 10 unless given.", least=0, metavar="WEIGHT")
    processes: int | None = option("Number of processes; one per processor unless given.", least=1)
    engine: str = shared.engine()
    address: str | None = shared.address()
    resume: Path | None = shared.resume_in()
    no_part: None = shared.no_part(
        "expected --engine dask to use several machines: the candidates of a generation follow from the results of the one before, so "
        "that parts could share out the first one alone"
    )
    seed: int = shared.seed("Seed of all random numbers.", most=2**32 - 1)
    episodes: int = option(
        "Number of scenarios for the measurement afterwards, against aimd and cubic; 0 for none.", 20, least=0
    )
    as_json: bool = shared.as_json("the measurements")
    max_memory: str | None = shared.memory_limit()

    def run(self) -> int:
        with signals.loading():
            from ...base.atomic import require_place
            from ...cli.terminal import progress
            from ...plugins import load
            from ...scenario.baselines import baselines
            from ..frame.terminal import print_report
            from ..training.learning import Progressed, learn
            from ..training.measuring import measure
            from ..training.policy import require_name
            from ..training.report import answer

        # All that can be wrong is found before a minute is spent on learning.
        if self.out.suffix != ".py":
            raise HeadgateError(
                f"--out: found {cut(repr(str(self.out)))}; expected a file in Python, such as learned.py"
            )
        require_place(self.out)
        require_name(self.name)
        drawn = dict(_range(text) for text in self.ranges)
        reward = {key: value for key, value in (("delay", self.delay), ("loss", self.loss)) if value is not None}
        where: dict[str, Any] = {
            "processes": self.processes, "resume": self.resume, "engine": self.engine, "address": self.address
        }  # fmt: skip
        last = Progressed(0, 0.0, 0.0)

        def tell(now: Progressed) -> None:
            nonlocal last
            last = now
            if shown is not None:
                share = now.generation / self.generations if self.generations else now.seconds / self.seconds
                shown(min(share, 1.0), now.generation, self.generations or now.generation)

        with kept_runs(self.resume), progress("train") as shown:
            policy = learn(
                drawn,
                seconds=self.seconds,
                generations=self.generations,
                seed=self.seed,
                reward=reward,
                **where,
                progress=tell,
            )
        policy.write_plugin(self.out, self.name)
        plugins = load(self.out)
        rows = []
        if self.episodes:
            with kept_runs(self.resume), progress("measuring") as shown:
                rows = measure(
                    [*baselines("train")["control"], self.name],
                    drawn,
                    plugins=plugins,
                    episodes=self.episodes,
                    reward=reward,
                    progress=shown,
                    **where,
                )
        data = {"file": str(self.out), "about": policy.about, "measured": [vars(row) for row in rows]}
        kept = "" if self.resume is None else _kept(last, self.resume, self.generations is None)
        return print_report(answer(policy, rows, self.out, self.name, kept), None, "", data if self.as_json else None)


def _kept(last: Progressed, folder: Path, timed: bool) -> str:
    """What a folder of trials gave, and what `--seconds` was then."""
    said = f"Of {counted(last.generation, 'generation')} {last.kept} came from {folder}"
    return (
        f"{said}; --seconds was the time of new trials. --generations gives the same policy after an interruption."
        if timed
        else f"{said}."
    )


def _range(text: str) -> tuple[str, object]:
    """The name and the values of a --range."""
    from ...scenario.subjects import several

    name, found, values = text.partition("=")
    if not found:
        raise HeadgateError(f"--range: found {cut(repr(text))}; expected NAME=VALUES, such as rate=10Mbit/s")
    subjects = name.strip() in ("control", "queue")
    listed = several(values, f"--range {name.strip()}") if subjects else values.split(",")
    parts = [part if subjects else _value(part.strip()) for part in listed]
    if not parts:
        raise HeadgateError(f"--range: found {cut(repr(text))}; expected NAME=VALUES, such as rate=10Mbit/s")
    return name.strip(), parts[0] if len(parts) == 1 else parts


def _value(text: str) -> object:
    """A number, or the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
