"""What a flow control learnt, in the form of all judges: how it does beside others, and how it is used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...base.counts import counted, listed
from ..frame.report import JudgeReport, ReportTable
from .measuring import ControlMeasured
from .policy import LearnedPolicy

_COMPANY = {"alone": "alone", "twin": "with its like"}


def answer(
    policy: LearnedPolicy, rows: Sequence[ControlMeasured], file: Path, name: str, kept: str = ""
) -> JudgeReport:
    """The report on a policy that was written into a file under a name; `kept` says what a folder of trials gave."""
    learnt = counted(int(policy.about["generations"]), "generation")
    own = [f"{row.share:.2f} {_company(row)}" for row in rows if row.control == name]
    notes = [f'Written to {file}: plugins = ["{file.name}"] and control = "{name}" in a scenario beside it.']
    notes += [kept] if kept else []
    if rows:
        notes.append(
            f"Means over {counted(rows[0].episodes, 'scenario')} that were not learned from. share: of the max-min fair rate; "
            "round trip: over that without the time in the queue."
        )
    found = f"got of its fair share {listed(own)}" if own else "was not measured"
    return JudgeReport(
        "train",
        name,
        f"{name} has learnt for {learnt} and {found}.",
        notes,
        tables=[_table(rows)] if rows else [],
        asked=1,
    )


def _company(row: ControlMeasured) -> str:
    return _COMPANY.get(row.company, f"beside {row.company}")


def _table(rows: Sequence[ControlMeasured]) -> ReportTable:
    cells = [
        [
            _company(row) if not i or rows[i - 1].company != row.company else "", row.control, f"{row.share:.2f}",
            f"{row.queueing:.2f}", f"{100 * row.loss:.2f} %", f"{row.fairness:.3f}" if row.company == "twin" else "",
            f"{row.utility:.2f}",
        ]
        for i, row in enumerate(rows)
    ]  # fmt: skip
    return ReportTable("", ("", "control", "share", "round trip", "loss", "fairness", "utility/s"), cells, (0, 1))
