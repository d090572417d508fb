"""The files of an attack: each break as a scenario, a figure and a case of the referee, and a report."""

from __future__ import annotations

import json
import math
import shlex
import textwrap
from pathlib import Path
from typing import Any

from ...base.atomic import require_folder, write_text
from ...base.counts import counted
from ...base.toml import file_text
from ..frame import page
from ..frame.report import FailedLine, JudgeReport, Mark, ReportFigure, ReportPart, ReportTable, TableCell, document
from ..frame.subjects import Judged
from .break_runs import Told, told
from .build import compact, scenario
from .finding import FoundBreak
from .objective import left
from .run import AttackResult
from .sentences import sentence, time


def answer(result: AttackResult, folder: Path | None = None, see: str = "", key: str = "") -> JudgeReport:
    """An attack in the form of all judges; `see` is the command that writes its files, where there is no folder."""
    objective, found = result.objective, counted(len(result.findings), "break")
    limit = f"{objective.name} {'below' if objective.more else 'above'} {objective.amount(result.limit)}"
    limit += f", and {result.margin:g} times worse than the best reference" if result.references else ""
    answered = (
        f"{result.subject.name}: {found} found. A break is {limit}."
        if result.findings
        else f"No break of {result.subject.name} was found ({limit}): this says nothing of scenarios that were not tried."
    )
    rate = f"{3600 * result.candidates / result.cpu_s:,.0f} candidates a processor hour" if result.cpu_s else ""
    notes = [
        f"{counted(result.candidates, 'candidate', commas=True)}, {counted(result.runs, 'run', commas=True)}, "
        f"{result.cpu_s:.0f} s of processor time; {rate}"
    ]
    if result.rejected:
        notes.append(f"{counted(result.rejected, 'candidate')} failed with one seed and not with most others.")
    failed, parts = [], []
    for number, finding in enumerate(result.findings, 1):
        stem, said = f"break-{number}", sentence(result.at, finding)
        beside = ", ".join(f"{name} {objective.amount(value)}" for name, value in finding.references.items())
        bound = f"at {'least' if objective.more else 'most'} {objective.amount(result.limit)}"
        bound += f", or within {result.margin:g} times of the best reference" if beside else ""
        shown = f"headgate explore {shlex.quote(str(folder / f'{stem}.toml'))}" if folder is not None else see
        details = (f"in the same place: {beside}",) if beside else ()
        value = objective.amount(finding.value)
        failed.append(
            FailedLine(
                f"break {number}", value, bound, "ours", objective.meaning, shown, f"{number}  {said}", details, stem
            )
        )
        files: list[list[TableCell]] = [
            [Mark(f"{stem}.{ending}", href=f"{stem}.{ending}"), what] for ending, what in _FILES.items()
        ]
        figure = ReportFigure(
            "Goodput and waits over time; the moment of failure is shaded.", file=f"{stem}.svg", text=said
        )
        table = ReportTable("", ("file", "what"), files, range(2))
        parts.append(ReportPart(f"Break {number}", [said, *details], [table], [figure], stem))
    return JudgeReport("attack", result.subject.name, answered, notes, failed, parts=parts, key=key)


#: The files of a break, by their endings.
_FILES = {
    "toml": "the scenario, with what happens in it above",
    "case": "a case of the referee that the scheme fails",
    "svg": "the figure",
}


def write(result: AttackResult, folder: Path, figures: bool = True, said: JudgeReport | None = None) -> list[Path]:
    """Writes `break-1.toml`, its figure and its case, and so on, `report.json`, and the page of a report; gives the scenarios' paths.

    Raises:
        HeadgateError: the folder cannot be written.
    """
    require_folder(folder, "the folder of the attack")
    folder.mkdir(parents=True, exist_ok=True)
    out = []
    for number, finding in enumerate(result.findings, 1):
        stem = f"break-{number}"
        found = told(result.at, finding, result.references)
        write_text(folder / f"{stem}.toml", file_of(result, finding, found, stem))
        write_text(folder / f"{stem}.case", case(result, finding, found))
        if figures:
            from .picture import draw

            draw(result.at, finding, found).save(folder / f"{stem}.svg")
        out.append(folder / f"{stem}.toml")
    data = result.to_dict()
    write_text(folder / "report.json", json.dumps(data if said is None else document(said, data), indent=1) + "\n")
    if said is not None:
        page.write(said, folder / "index.html")
    return out


def file_of(result: AttackResult, finding: FoundBreak, found: Told, stem: str) -> str:
    """The text of a scenario file, with what happens in it above."""
    return comment(result, finding, found, stem) + file_text(_named(compact(found.data), stem))


def _named(data: dict[str, Any], stem: str) -> dict[str, Any]:
    return {**data, "name": stem, "traces": ["window", "backlog", "drops"]}


def comment(result: AttackResult, finding: FoundBreak, found: Told, stem: str) -> str:
    """The lines above the scenario of a break."""
    lines = [*_wrapped(sentence(result.at, finding)), ""]
    for name, value in finding.references.items():
        lines.append(f"{name} in the same place: {result.objective.amount(value)}")
    lines += [
        f"Limit of `{result.objective.name}`: {result.objective.amount(result.limit)}; found after {counted(finding.asked, 'candidate')}.",
        f"Its moment: {found.when[0]:.2f} s to {found.when[1]:.2f} s. Look at it:",
        f"  headgate explore {stem}.toml --at {found.when[0]:.2f}s",
    ]
    return "".join(f"# {line}".rstrip() + "\n" for line in lines) + "\n"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 100)


def case(result: AttackResult, finding: FoundBreak, found: Told) -> str:
    """The break as a case of the referee: a scheme passes that does not fail there."""
    objective = result.objective
    entries = []
    wanted = result.at.wanted(finding.candidate)[0]
    bound = _bound(result, finding)
    entry: dict[str, Any] = {"metric": wanted.metric, "at_least" if objective.more else "at_most": bound}
    if wanted.of:
        entry["of"] = wanted.of
    if wanted.start is not None:
        entry["from"] = time(wanted.start).replace(" ", "")
    entry["clause"] = f"no break: {objective.meaning}"
    entries.append(entry)
    there = result.at.put(Judged("subject", {"kind": "subject"}))
    data, _ = scenario(finding.candidate, there)
    data.pop("plugins", None)
    data.pop("name")
    data = compact(data)
    for flow in data["flows"]:
        # The referee puts the scheme's own transport there.
        if isinstance(flow["control"], dict) and flow["control"].get("kind") == "subject":
            flow["control"] = "subject"
    own = {
        "title": f"A break of {result.subject.name}",
        "source": "found by `headgate attack`",
        "judges": "control" if objective.judges == "control" else "aqm",
        "runs": 5,
        **{k: data.pop(k) for k in ("duration", "warm_up", "interval")},
        "must": entries,
        "note": sentence(result.at, finding),
        "scenario": data,
    }
    return file_text(own)


def _bound(result: AttackResult, finding: FoundBreak) -> float:
    """Between what the scheme and the best reference have, by their ratio, as the metric counts it: without references the limit."""
    objective, c = result.objective, finding.candidate
    value, best = finding.value, objective.best(list(finding.references.values()))
    value = result.limit if best is None else math.sqrt(max(value or 0.0, best / 100) * max(best, (value or 0.0) / 100))
    scale = {
        "goodput": left(c), "bursts": left(c), "delay": c["rtt"], "recovery": c["rtt"], "unfairness": 0.5,
    }.get(objective.name, 1.0)  # fmt: skip
    return float(f"{value * scale:.4g}")
