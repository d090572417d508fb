"""The evidence for a report: the scenario of every cell, and a figure of those that did not pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...base.atomic import write_text
from ...base.toml import file_text
from ..frame.subjects import Judged
from .build import scenario
from .case import Case, label
from .report import RefereeReport

#: Maximum number of figures: each takes a run.
MOST = 60

#: What a figure shows, where the run has it.
TRACES = ("window", "backlog", "drops", "rtt")

#: Verdicts whose cells have a figure.
SHOWN = ("fail", "worse", "open")


@dataclass(frozen=True)
class Evidence:
    """The files of a cell, as paths from the page."""

    scenario: str
    figure: str = ""
    #: A capture of all packets, and a folder of qlog traces.
    capture: str = ""
    qlog: str = ""


def write(
    report: RefereeReport,
    subject: Judged,
    folder: Path,
    name: str,
    captures: bool = False,
    tick: Callable[[float, int, int], object] | None = None,
) -> dict[tuple[str, str], Evidence]:
    """Writes the files into the folder called `name` in `folder`; gives those of each cell, by case and cell.

    With `captures` the runs with a figure have their packets and a qlog as well: up to 100 MB each.
    """
    from ...exports import write as export
    from ...plots.traces import timeline

    found: dict[tuple[str, str], Evidence] = {}
    jobs: list[tuple[Case, dict[str, Any], str]] = []
    for case in report.cases:
        for number, cell in enumerate([] if case.steps else case.grid()):
            entries = [entry for entry in report.of(case.name) if entry.place == label(cell)]
            if not entries or (entries[0].verdict == "n/a" and entries[0].kind == "needs"):
                continue
            made, _ = scenario(case, cell, subject)
            file = f"{name}/{case.name}-{number}.toml"
            (folder / name).mkdir(parents=True, exist_ok=True)
            write_text(folder / file, file_text(_writable(made.data)))
            found[case.name, label(cell)] = Evidence(file)
            if any(entry.verdict in SHOWN for entry in entries):
                jobs.append((case, cell, file))
    for done, (case, cell, file) in enumerate(jobs[:MOST], 1):
        stem = file.removesuffix(".toml")
        made, _ = scenario(case, cell, subject)
        results = made.put("traces", list(TRACES)).run(seed=1)
        timeline(results, folder / f"{stem}.svg")
        more = {}
        if captures:
            export(results, pcapng=folder / f"{stem}.pcapng", qlog=folder / f"{stem}-qlog")
            more = {"capture": f"{stem}.pcapng", "qlog": f"{stem}-qlog"}
        found[case.name, label(cell)] = Evidence(file, f"{stem}.svg", **more)
        if tick is not None:
            tick(done / len(jobs[:MOST]), done, len(jobs[:MOST]))
    return found


def _writable(data: dict[str, Any]) -> dict[str, Any]:
    """A scenario as a file has it. What a plugin's file contains stays: the scenario runs without that file."""
    return {key: value for key, value in data.items() if value not in (None, [], {})}
