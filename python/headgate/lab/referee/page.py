"""The report as a page: a matrix whose cells lead to their evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ... import __version__
from ...base.atomic import write_text
from ...plots.pages import render
from .case import Case, label
from .evidence import Evidence
from .report import SIGNS, CaseVerdict, RefereeReport, amount, line, passed_by_nulls, sentence

#: The worst verdict of a cell stands for it in the matrix, in this order.
_WORST = ("invalid", "fail", "worse", "open", "pass", "better", "same", "report", "n/a")


#: In the order in which they are shown.
_KINDS = ("needs", "run", "steps", "must", "must_not", "better_than", "report")


def write(report: RefereeReport, path: Path, evidence: dict[tuple[str, str], Evidence]) -> None:
    """Writes the page."""
    counts = report.counts()
    verdicts = [name for name in SIGNS if any(name in found for found in counts.values())]
    text = render(
        "page.html.j2",
        __package__ or "",
        report=report,
        version=__version__,
        families=[(name, [_row(report, case) for case in cases]) for name, cases in report.families()],
        counts=counts,
        verdicts=verdicts,
        signs=SIGNS,
        worst=[(entry.case, sentence(entry)) for entry in report.worst()],
        cases=[_case(report, case, evidence) for case in report.cases],
    )
    write_text(path, text)


def _row(report: RefereeReport, case: Case) -> dict[str, Any]:
    cells = []
    for place in dict.fromkeys(entry.place for entry in report.of(case.name)):
        entries = [entry for entry in report.of(case.name) if entry.place == place]
        worst = min(entries, key=lambda entry: _WORST.index(entry.verdict))
        weak = worst.verdict == "pass" and passed_by_nulls(entries)
        cells.append({"place": place, "verdict": worst.verdict, "weak": weak, "ours": worst.origin == "ours"})
    return {"case": case, "cells": cells}


def _case(report: RefereeReport, case: Case, evidence: dict[tuple[str, str], Evidence]) -> dict[str, Any]:
    # What must hold comes first.
    rows = [_entry(entry) for entry in sorted(report.of(case.name), key=lambda entry: _KINDS.index(entry.kind))]
    files = [
        (label(cell) or "the run", found) for cell in case.grid() if (found := evidence.get((case.name, label(cell))))
    ]
    return {"case": case, "rows": rows, "files": files}


def _entry(entry: CaseVerdict) -> dict[str, Any]:
    return {
        "entry": entry,
        "line": line(entry),
        "value": _shown(entry.key, entry.value),
        "baseline": _shown(entry.key, entry.baseline_value),
        "nulls": ", ".join(f"{name}: {found}" for name, found in entry.nulls.items()),
        "why": entry.why,
    }


def _shown(key: str, value: tuple[float, float, float] | None) -> str:
    return "" if value is None else amount(key, value[0], (value[2] - value[1]) / 2)
