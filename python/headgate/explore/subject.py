"""The subject of a page: a scenario, a study, papers, a trace, or the start page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base.errors import HeadgateError
from ..plugins import registry, trust
from ..scenario.links import is_link, linked, short
from ..scenario.scenario import Scenario
from ..sweep import open_study
from . import pages
from .lesson import Lesson, lessons
from .replays.settings import initial_settings
from .replays.trace import Trace, is_trace
from .runs import allowed
from .setup import Setup
from .study import Points

#: The part of the memory that the packets of a trace may take.
TRACE = 8


@dataclass
class Subject:
    """The subject of a page, which it shows first."""

    kind: str = "start"
    title: str = "Start page"
    file: str | None = None
    scenario: Setup | None = None
    points: Points | None = None
    trace: Trace | None = None
    #: What a page of another floor shows, such as papers.
    shelf: Any = None
    #: A second variant, and what was chosen because it was not given.
    other: Setup | None = None
    chosen: list[str] = field(default_factory=list)
    #: The lessons that the page offers, by name.
    lessons: Mapping[str, Lesson] = field(default_factory=lessons)
    #: The folder whose files the start page lists.
    place: Path | None = None
    #: Folders besides its own in which the files that a scenario names may lie.
    allow_files: tuple[Path, ...] = ()


def subject_of(
    file: Path | None,
    options: Mapping[str, Any] | None = None,
    max_memory: str | int | None = None,
    reading: Callable[[], AbstractContextManager[Callable[[float, int], object] | None]] = nullcontext,
    allow_files: tuple[Path, ...] = (),
    allow_code: bool = False,
) -> Subject:
    """What a file, a folder or a link holds, or the paper of that name; the start page, with the files of this folder, if there is none.

    Args:
        file: the file or the folder.
        options: those of `headgate replay` that were given, for a trace only.
        max_memory: that the page may take.
        reading: around the reading of a trace; gives what is called with the share that was read and the packets so far.
        allow_files: folders besides that of the scenario in which the files that it names may lie.
        allow_code: whether the code that a scenario names, or that a paper's own folder has, may run. What is stored is looked at without.

    Raises:
        CodeError: it would have to run, and was not allowed to.
        HeadgateError: the file cannot be read, the folder holds neither a study nor a report, there is no paper of that name, or an option
            is not for what the file holds.
        ScenarioError: something in the scenario is wrong.
        TraceError: something in the trace is wrong.
    """
    link = file is not None and is_link(str(file))
    if file is not None and not link and is_trace(file):
        with reading() as report:
            return _replay(file, dict(options or {}) | ({} if report is None else {"report": report}), max_memory)
    if options:
        name = str(next(iter(options))).replace("_", "-")
        what = "no file" if file is None else f"{short(str(file)) if link else file}, which is none"
        raise HeadgateError(f"--{name}: expected a trace (CSV, Parquet, pcap or pcapng) with this option, found {what}")
    if file is None:
        return Subject(place=Path(), allow_files=allow_files)
    if link:
        return _scenario(linked(str(file)).base(), allow_code)
    found = pages.shown(file, allow_code)
    if found is not None:
        kind, title, shelf = found
        return Subject(kind, title, file.name, shelf=shelf)
    if not file.suffix and not file.exists():
        raise pages.unknown(file)
    if file.is_dir():
        if not (file / "manifest.json").exists():
            raise pages.no_study(file)
        study = open_study(file)
        if not len(study.runs):
            raise HeadgateError(f"{file}: no run of this study has ended yet; expected at least one")
        whole = Scenario({**study.manifest["scenario"], "sweep": study.manifest["sweep"]}, str(file))
        # What is stored is looked at; its scenarios are run on the page only where their code was allowed to.
        if allow_code:
            whole.allow_code()
        trust.show(whole.data)
        if not registry.is_sealed():
            # The flow control `process` may be in an axis alone; to know it starts no program.
            whole.load_plugins()
        scenario = Scenario(study.manifest["scenario"])
        return Subject("study", f"Study {file.name}", file.name, scenario, Points(study))
    return _scenario(Scenario.from_file(file, allow_files).base(), allow_code, file.name)


def _scenario(scenario: Scenario, allow_code: bool, file: str | None = None) -> Subject:
    """The subject of a page that shows a scenario, of a file or of a link."""
    if allow_code:
        scenario.allow_code()
    scenario.require_code()
    scenario.resolve()
    # Errors that the page shows later are about what was changed there, not about the file.
    return Subject("scenario", str(scenario.data.get("name") or file or "A link"), file, Scenario(scenario.data))


def _replay(file: Path, options: dict[str, Any], max_memory: str | int | None) -> Subject:
    trace = Trace(file, allowed(max_memory) // TRACE)
    found = initial_settings(trace, **options)
    first, *more = found.variants
    other = more[0] if more else None
    return Subject("replay", f"Replay of {file.name}", file.name, first, None, trace, None, other, found.chosen)
