"""The scores in the form of all judges: the sum, the aspects, and a row for each case."""

from __future__ import annotations

from typing import Any

from ...base.counts import counted, listed
from ..frame.report import FailedLine, JudgeReport, ReportTable
from .score import WEIGHTS


def answer(found: dict[str, Any], see: str = "", key: str = "") -> JudgeReport:
    """The report; `see` is the command that shows a fault, `key` the control as it was named, with its parameters."""
    half = found["combined_score_half"]
    beside = [f"{name} has {points:.2f}" for name, points in found["beside"].items()]
    kind = "hidden" if found["hidden"] else "open"
    faults = [case for case in found["cases"] if case["fault"]]
    return JudgeReport(
        "evaluate",
        found["control"],
        f"{found['control']}: {found['combined_score']:.2f}{'' if half is None else f' ± {half:.2f}'} of 100; on the same runs "
        f"{listed(beside)}.",
        notes=[f"Suite {found['suite']}, {kind}; {counted(found['rounds'], 'run')} of each case."],
        failed=[
            FailedLine(c["name"], c["fault"], "no fault", see=see, said=f"{c['name']}: {c['fault']}") for c in faults
        ],
        tables=[_aspects(found), _cases(found)],
        key=key,
    )


def _aspects(found: dict[str, Any]) -> ReportTable:
    rows = [[name, f"{found[name]:.3f}", str(weight)] for name, weight in WEIGHTS.items() if name in found]
    return ReportTable("Aspects", ("aspect", "score", "points of"), rows)


def _cases(found: dict[str, Any]) -> ReportTable:
    names = [aspect for aspect in WEIGHTS if aspect in found]
    rows = []
    for case in found["cases"]:
        goodput, queueing = case["goodput_bps"], case["queueing_s"]
        scores = [f"{case['scores'][name]:.3f}" if name in case["scores"] else "" for name in names]
        measured = [
            "" if goodput is None else f"{goodput / 1e6:.2f}",
            "" if queueing is None else f"{queueing * 1e3:.1f}",
        ]
        rows.append([case["name"], *scores, *measured])
    return ReportTable("Cases", ("case", *names, "Mbit/s", "queue ms"), rows)
