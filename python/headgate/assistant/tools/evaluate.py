"""The tool `evaluate`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from ...lab.commands.evaluate import EvaluateCommand
from ..answers import WIDTH, Answer
from ..arguments import Schema, of_command, text
from ..calls import Call
from ..tool import Tool

#: Keys of a judgement that the data of an answer have, besides those of its cases.
KEPT = ("combined_score", "combined_score_half", "beside", "suite", "rounds", "faults")


class EvaluateTool(Tool):
    """The score of a flow control."""

    name = "evaluate"
    title = "Judge a flow control"
    about = (
        "Judges a congestion control on a suite of cases (alone, beside others, with losses, changes, short transfers) and gives a score "
        "from 0 (an idle sender) to 100, a score for each aspect, and those of usual controls on the same runs. The suite smoke has 4 "
        "cases and takes seconds; internet-1 has 40 and takes minutes."
    )
    required = ("control",)
    runs = True

    @property
    def properties(self) -> Mapping[str, Schema]:
        control = text(
            "A flow control of the list flow-controls, with parameters behind a colon if wanted; or, where the user allowed code, a file "
            "in Python.",
            "cubic",
            "cubic:beta=0.5",
        )
        parameters = {"type": "object", "description": "Parameters of the flow control.", "examples": [{"beta": 0.5}]}
        suite = {
            "default": "smoke",
            "description": "smoke (4 cases) unless given; internet-1 (40 cases); or a file of your own in TOML.",
        }
        own = of_command(EvaluateCommand, ["suite", "rounds", "name"], suite=suite)
        return {"control": control, "parameters": parameters, **own}

    def answer(self, given: Mapping[str, Any], call: Call) -> Answer:
        """The report."""
        from ...lab.evaluation import evaluate
        from ...lab.evaluation.report import answer as report_of
        from ...lab.frame.report import lines

        suite = str(given.get("suite", "smoke"))
        if suite.endswith(".toml"):
            suite = str(call.limits.file(suite, "suite"))
        with call.told("judging") as callback:
            found = evaluate(
                given["control"], suite, name=given.get("name", ""), parameters=given.get("parameters"), rounds=given.get("rounds"),
                progress=callback,
            )  # fmt: skip
        words = ["headgate", "evaluate", given["control"], "--suite", suite]
        for key, value in given.get("parameters", {}).items():
            words += ["--set", f"{key}={value}"]
        words += ["--rounds", str(given["rounds"])] if "rounds" in given else []
        words += ["--name", given["name"]] if given.get("name") else []
        command = shlex.join(words)
        report = report_of(found)
        text_ = "\n".join(line for _, line in lines(report, "", "", WIDTH))
        aspects = {
            key: found[key] for key in ("throughput", "delay", "harm", "convergence", "completion") if key in found
        }
        cases = [
            {key: case[key] for key in ("name", "scores", "goodput_bps", "queueing_s", "fault")}
            for case in found["cases"]
        ]
        data = {key: found[key] for key in KEPT} | {
            "aspects": aspects,
            "cases": cases,
            "sentences": [report.sentence, *report.notes],
        }
        return Answer(text_, data, command)
