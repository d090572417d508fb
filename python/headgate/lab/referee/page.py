"""What the referee says: a sentence, what failed, and the parts of the page, where a matrix leads to the evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...base.counts import counted, listed, verb
from ..frame.report import FailedLine, JudgeReport, Mark, ReportFigure, ReportPart, ReportTable, TableCell
from .case import Case, label
from .evidence import Evidence
from .report import CaseVerdict, RefereeReport, amount, line, passed_by_nulls

#: The sign of each verdict in the matrix and what it means, in the order in which they are counted.
SIGNS = {
    "pass": ("P", "the 95 % interval of the mean over the runs lies on the right side of the line"),
    "fail": ("F", "it lies on the wrong side"),
    "open": ("O", "it does not lie on one side"),
    "better": ("+", "better than the baseline, by more than the zone of indifference"),
    "same": ("=", "within that zone"),
    "worse": ("-", "worse than the baseline by more"),
    "report": (".", "no line: the number is the result"),
    "n/a": (" ", "the subject lacks what the case needs, such as ECN"),
    "invalid": ("X", "the subject failed itself"),
}

#: The worst verdict of a cell stands for it in the matrix, in this order.
_WORST = ("invalid", "fail", "worse", "open", "pass", "better", "same", "report", "n/a")

#: In the order in which they are shown.
_KINDS = ("needs", "run", "steps", "must", "must_not", "better_than", "report")

#: Where a line comes from.
_ORIGINS = {
    "document": "of documents",
    "derived": "that follow from documents",
    "practice": "of practice",
    "ours": "of ours",
}


def answer(
    report: RefereeReport,
    see: Callable[[str], str] = lambda _: "",
    key: str = "",
    strict: bool = False,
    no_worse_than: str = "",
) -> JudgeReport:
    """What a report says, without its evidence.

    Args:
        report: the verdicts.
        see: gives the command that shows a case.
        key: the subject with its parameters.
        strict: what is open has failed, too.
        no_worse_than: a baseline; what is worse has failed, too.
    """
    cases = {case.name: case for case in report.cases}
    found = report.worst(len(report.entries))
    worse = [e for e in found if e.verdict == "worse" and e.baseline != no_worse_than]
    failed = [e for e in found if e not in worse] + [e for e in report.entries if strict and e.verdict == "open"]
    weak = [case.name for case in report.cases if report.weak(case.name)]
    which = listed(weak) if 0 < len(weak) <= 4 else counted(len(weak), "case")
    return JudgeReport(
        "referee",
        report.subject,
        _sentence(report),
        notes=[f"Trivial senders pass the whole of {which}."] if weak else [],
        failed=[_failed(entry, cases, see) for entry in failed],
        beside=("worse than a baseline", [_failed(entry, cases, see) for entry in worse]),
        tables=[_counts(report)],
        key=key,
    )


def _sentence(report: RefereeReport) -> str:
    """How many lines it fails, or passes, by where they come from: they are never added up."""
    counts = report.counts()
    verdict = "fail" if any(found.get("fail") for found in counts.values()) else "pass"
    parts: list[str] = []
    for origin, words in _ORIGINS.items():
        found = counts.get(origin, {})
        of = sum(found.get(name, 0) for name in ("pass", "fail", "open"))
        if of and (found.get("fail") or verdict == "pass"):
            parts.append(f"{found.get(verdict, 0)} of {of}{'' if parts else verb(of, ' line', ' lines')} {words}")
    said = [f"{verdict}{'es' if verdict == 'pass' else 's'} {listed(parts)}"] if parts else []
    for name, found in counts.items():
        if name.startswith("than ") and found.get("worse"):
            said.append(f"is worse {name} in {found['worse']} of {counted(sum(found.values()), 'comparison')}")
    if failed := sum(entry.verdict == "invalid" for entry in report.entries):
        said.append(f"fails itself in {counted(failed, 'cell')}")
    return f"{report.subject} {listed(said) if said else 'was measured, and held to no line'}."


def _failed(entry: CaseVerdict, cases: Mapping[str, Case], see: Callable[[str], str]) -> FailedLine:
    case = cases.get(entry.case)
    clause = ": ".join(filter(None, (case.source if case else "", entry.clause)))
    name = f"{entry.case} ({entry.place})" if entry.place else entry.case
    value = entry.why if entry.value is None else _shown(entry.key, entry.value)
    bound, said = line(entry), ""
    if entry.value is None:
        said = f"{name}: {entry.why or entry.verdict}"
    elif entry.baseline_value is not None:
        bound = f"no worse than {entry.baseline}: {_shown(entry.key, entry.baseline_value)}"
        said = f"{name}: {entry.key} is {value}; {entry.baseline} has {_shown(entry.key, entry.baseline_value)}"
    origin = entry.origin or (f"than {entry.baseline}" if entry.baseline else "")
    return FailedLine(
        f"{name}: {entry.key}" if entry.key else name,
        value,
        bound,
        origin,
        clause,
        see(entry.case),
        said,
        anchor=entry.case,
    )


def _counts(report: RefereeReport) -> ReportTable:
    counts = report.counts()
    names = [name for name in SIGNS if any(name in found for found in counts.values())]
    rows = [[group, *(str(found.get(n, "")) for n in (*names, "weak"))] for group, found in counts.items()]
    return ReportTable("Verdicts", ["line from", *names, "weak"], rows)


def parts(report: RefereeReport, evidence: Mapping[tuple[str, str], Evidence]) -> list[ReportPart]:
    """The rest of the page: the matrix with its signs explained, and the evidence of each case."""
    shown = [(name, sign, words) for name, (sign, words) in SIGNS.items()]
    legend: list[list[TableCell]] = [[Mark(sign, f"cell {name}"), name, words] for name, sign, words in shown]
    legend.append([Mark("w", "cell pass"), "pass", "weak: all trivial senders have it as well"])
    legend.append([Mark("P", "cell pass ours"), "", "a dashed border: the line is ours, and stands in no document"])
    families = [
        ReportTable(name, ["case", "cells", "what"], [_row(report, case) for case in cases], range(3))
        for name, cases in report.families()
    ]
    text = (
        f"{counted(len(report.cases), 'case')}, {counted(len(report.entries), 'verdict')}. A sign stands for the worst verdict of a "
        "cell and leads to its evidence; the tip says which cell it is. Lines of different origins are never added up."
    )
    matrix = ReportPart(
        "Matrix", [text], [ReportTable("Signs", ["sign", "verdict", "meaning"], legend, range(3)), *families]
    )
    return [matrix, ReportPart("Evidence"), *(part for case in report.cases for part in _case(report, case, evidence))]


def _row(report: RefereeReport, case: Case) -> list[Any]:
    marks = []
    for place in dict.fromkeys(entry.place for entry in report.of(case.name)):
        entries = [entry for entry in report.of(case.name) if entry.place == place]
        worst = min(entries, key=lambda entry: _WORST.index(entry.verdict))
        sign = "w" if worst.verdict == "pass" and passed_by_nulls(entries) else SIGNS[worst.verdict][0]
        kind = f"cell {worst.verdict}{' ours' if worst.origin == 'ours' else ''}"
        marks.append(Mark(sign, kind, f"#{case.name}", f"{place}: {worst.verdict}".removeprefix(": ")))
    weak = " (weak: trivial senders pass all of it)" if report.weak(case.name) else ""
    return [Mark(case.name, href=f"#{case.name}"), marks, case.title + weak]


def _case(report: RefereeReport, case: Case, evidence: Mapping[tuple[str, str], Evidence]) -> Iterator[ReportPart]:
    # What must hold comes first.
    entries = sorted(report.of(case.name), key=lambda entry: _KINDS.index(entry.kind))
    rules = f" Rules: {', '.join(case.rules)}." if case.rules else ""
    unmet = [
        f"Step {step['step']}: {step['name']} is {step['value']}, expected {step['wanted']}."
        for step in (entries[0].steps if entries else [])
        if not step["met"]
    ]
    heads = ("cell", "what", "expected", "line from", "found", "baseline", "trivial senders", "verdict")
    rows = [_entry(entry) for entry in entries]
    yield ReportPart(
        f"{case.name}: {case.title}", [f"{case.source}.{rules} {case.note}".strip(), *unmet],
        [ReportTable("", heads, rows, (0, 1, 2, 3, 6, 7))], anchor=case.name, level=3,
    )  # fmt: skip
    files = [(label(cell) or "the run", evidence.get((case.name, label(cell)))) for cell in case.grid()]
    known = [(place, found) for place, found in files if found is not None]
    if known:
        figures = [
            ReportFigure(
                f"{place}, seed 1", file=f.figure, text=f"Windows, queue and drops over time: {case.title}, {place}"
            )
            for place, f in known
            if f.figure
        ]
        table = ReportTable("", ("cell", "scenario", "command", "packets"), [_files(*each) for each in known], range(4))
        yield ReportPart("Scenarios and figures" if figures else "Scenarios", (), [table], figures, folded=True)


def _files(place: str, found: Evidence) -> list[Any]:
    more = [Mark("pcapng", href=found.capture), Mark(" "), Mark("qlog", href=found.qlog)] if found.capture else ""
    return [place, Mark(found.scenario, href=found.scenario), f"`headgate explore {found.scenario}`", more]


def _entry(entry: CaseVerdict) -> list[Any]:
    nulls = ", ".join(f"{name}: {found}" for name, found in entry.nulls.items())
    weak = " (weak)" if entry.weak and entry.verdict == "pass" else ""
    verdict = [Mark(entry.verdict + weak, f"cell {entry.verdict}"), Mark(f" {entry.why}")]
    what = Mark(entry.key or entry.kind, tip=entry.clause)
    found, base = _shown(entry.key, entry.value), _shown(entry.key, entry.baseline_value)
    return [entry.place, what, line(entry), entry.origin, found, base, nulls, verdict]


def _shown(key: str, value: tuple[float, float, float] | None) -> str:
    return "" if value is None else amount(key, value[0], (value[2] - value[1]) / 2)
