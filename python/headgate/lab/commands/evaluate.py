"""headgate evaluate: a flow control judged on a suite."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

from ...base.errors import HeadgateError, cut
from ...cli import completing, shared, signals
from ...cli.changes import parameters_of
from ...cli.command import Command, argument, line_of, option
from ...cli.printed import ReportJson, RunsJson, Shape, key

#: Longest file with a key.
LONGEST = 4096


class EvaluateJson(ReportJson):
    """The scores.

    That of an aspect is from 0 to 1, [of the cases that have it](../how-to/evaluate.md#the-scores), and not there if none has it.
    """

    combined_score: float = key("The score: 0 for an idle sender, and up to 100.")
    combined_score_half: float | None = key("Half of its 95 % interval; null for one round.")
    beside: dict[str, float] = key(
        "The scores on the same runs of `idle`, a window of 2 for ever, and of plain and usual flow controls, by their names."
    )
    throughput: float = key("Mean score of how much it delivers.", always=False)
    delay: float = key("Mean score of how little packets wait.", always=False)
    harm: float = key("Mean score of how little others lose beside it.", always=False)
    convergence: float = key("Mean score of how soon flows share alike.", always=False)
    completion: float = key("Mean score of how soon short transfers end.", always=False)
    control: str = key("What was judged.")
    suite: str = key("The suite.")
    hidden: bool = key("Whether a key was given.")
    rounds: int = key("How often each case was run.")
    faults: int = key("How many runs ended by a fault.")
    cases: list[EvaluatedJson] = key("Each case.")


class EvaluatedJson(Shape):
    """A case."""

    name: str = key("Its name.")
    scores: dict[str, float] = key("Scores by aspect.")
    goodput_bps: float | None = key("Goodput; null if no run was sound.", "bit/s")
    queueing_s: float | None = key("Queueing delay; null if no run was sound.", "s")
    digests: list[str] = key("Digests of its runs.")
    fault: str | None = key("Text of the first fault; null without one.")


class EvaluateCommand(Command):
    """Judge the flow control CONTROL: a name of the list, a table in TOML or JSON, or a file in Python.

    It runs on the cases of a suite: alone, beside others, beside itself, with losses, changes and short transfers. A file runs in
    processes of its own, which may use memory and nothing else. A shared object, module:Class and a program need --trusted. Exit code 1
    if runs failed.
    """

    group = "Judge a control or a queue"
    page = "how-to/evaluate"
    question = "how good is a control, from 0 to 100?"
    examples = """\
headgate evaluate cubic
headgate evaluate mine.py --suite internet-1
headgate evaluate mine.py --key-file secret.txt
headgate evaluate mine.py --set gain=0.5 --json
"""
    prints = {"": EvaluateJson, "With `--part`": RunsJson}

    control: str = argument(complete=completing.controls)
    suite: str = option(
        "internet-1 has 40 cases, smoke has 4; or a file of your own, as mine.toml.", "internet-1", metavar="NAME"
    )
    key_file: str | None = option(
        "Judge on the hidden suite, which the key in this file draws: at least 32 characters; - is standard input.",
        metavar="FILE",
    )
    key_env: str | None = option(
        "Judge on the hidden suite, with the key in this variable of the environment.", metavar="NAME"
    )
    name: str = option("The flow control in the file, if there are several.", "", metavar="NAME")
    changes: tuple[str, ...] = shared.parameters("the flow control")
    rounds: int | None = option(
        "Runs of each case; 3 to 5 unless given, until the interval is narrow.", least=1, most=99
    )
    out: str | None = shared.kept_in()
    resume: bool = shared.resume_there()
    workers: int | None = shared.workers()
    engine: str = shared.engine()
    address: str | None = shared.address()
    part: str | None = shared.part()
    trusted: bool = option("Run the file within the simulator: faster, and with no protection against cheating.")
    html: str | None = shared.html()
    as_json: bool = shared.as_json("everything")
    max_memory: str | None = shared.memory_limit()

    def run(self) -> int:
        with signals.loading():
            from ..evaluation import evaluate as judge
            from ..evaluation.report import answer
            from ..evaluation.suite import named
            from ..frame import page
            from ..frame.judging import judging
            from ..frame.terminal import print_report

        parameters = parameters_of(self.changes, "gain=0.5")
        key = _key(self.key_file, self.key_env)
        # A folder of runs knows its suite itself, and says so better.
        of_suite = [named(self.suite), *(["hidden"] if key else [])] if self.html is not None else []
        whose = " ".join([self.control, self.name, *of_suite, *self.changes])
        index = page.asked(self.html, self.out if self.part is None else None, "evaluate", self.control, whose)
        # What is judged by its name is the engine's own.
        hint = (
            ""
            if self.trusted or not re.search(r"\.py(:|$)", self.control)
            else "; --trusted runs the file within the simulator, sooner and without protection"
        )
        with judging(self, "judging", self.out, hint) as where:
            found = judge(
                self.control, self.suite, key, name=self.name, parameters=parameters, rounds=self.rounds,
                trusted=self.trusted, **where,
            )  # fmt: skip
        tested = shlex.join(["headgate", "conform", self.control, *(["--name", self.name] if self.name else [])])
        said = answer(found, tested, whose)
        if index is not None:
            page.write(said, index)
        everything = line_of(self, "evaluate", html="report.html", as_json=False)
        return print_report(said, index, everything, found if self.as_json else None)


def _key(file: str | None, variable: str | None) -> str:
    """The key of the hidden suite; empty for the open one. Arguments of programs can be read by others, files and variables cannot."""
    if file is not None and variable is not None:
        raise HeadgateError("--key-file and --key-env: found both; expected one of them")
    if variable is not None:
        key, place = os.environ.get(variable, "").strip(), f"--key-env {cut(variable)}"
    elif file is not None:
        place = f"--key-file {cut(file)}"
        try:
            with sys.stdin.buffer if file == "-" else Path(file).open("rb") as stream:
                key = stream.read(LONGEST + 1).decode().strip()
        except UnicodeDecodeError:
            raise HeadgateError(f"{place}: expected a text in UTF-8") from None
        except OSError as e:
            raise HeadgateError(f"{place}: expected a file with a key; {e.strerror or e}") from None
        if len(key) > LONGEST:
            raise HeadgateError(f"{place}: expected a key of at most {LONGEST} characters")
    else:
        return ""
    if not key:
        raise HeadgateError(f"{place}: found nothing; expected a key of at least 32 characters")
    return key
