"""The judgement: runs of all cells with the subject, the baselines and the nulls, and the verdicts from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Unpack

from ...base.errors import HeadgateError
from ..frame import work
from ..frame.jobs import Progress, Runner, Where, started
from ..frame.store import RunStore
from ..frame.subjects import BASELINES, NULLS, Judged, has
from . import steps, verdict
from .build import scenario
from .case import Case, label
from .expected import Better, Bound, Measurement
from .files import cases
from .report import CaseVerdict, RefereeReport
from .shipped import ship, shipped

#: How many times the runs of a case are made more if a verdict is open.
MORE = 3


def judge(
    subject: Judged,
    chosen: Sequence[Case],
    *,
    fresh: bool = False,
    runs: int | None = None,
    more: bool = True,
    **where: Unpack[Where],
) -> RefereeReport:
    """Judges a flow control or a queue by cases.

    Args:
        subject: who is judged.
        chosen: cases, all of one kind, for controls or for AQMs.
        fresh: runs the baselines, instead of taking the runs of them that come with headgate.
        runs: of each cell, instead of what a case asks for.
        more: makes more runs where a bound is open.
        where: the folder, workers and engine of runs, and what is told of their progress; see `headgate.lab.frame.jobs.Where`.

    Raises:
        HeadgateError: a case makes no scenario, or the folder cannot be written.
        KeyboardInterrupt: Ctrl-C; finished runs are kept in the folder.
    """
    stepped = [case for case in chosen if case.steps]
    asked = {"subject": subject.name, "table": subject.table, "transport": subject.transport}
    with started("referee", asked, work.do, where, {} if fresh else _shipped()) as runner:
        runner.expect(len(stepped))
        cells = [_Cell(case, cell, subject, runs) for case in chosen if not case.steps for cell in case.grid()]
        runner.make([job for cell in cells for job in cell.all_jobs()])
        if more and runs is None:
            for _ in range(MORE - 1):
                open_cells = [cell for cell in cells if cell.is_open(runner)]
                runner.make([job for cell in open_cells for job in cell.more()])
        entries = [entry for cell in cells for entry in cell.entries(runner)]
    for case in stepped:
        entries.append(_stepped(case, subject, runner.tell))
        runner.tell(1.0)
    order = {case.name: i for i, case in enumerate(chosen)}
    return RefereeReport(subject.name, sorted(entries, key=lambda entry: order[entry.case]), list(chosen))


def write_baselines(workers: int | None = None, progress: Progress | None = None) -> None:
    """Makes the runs of all baselines and nulls in all cases, and replaces those that come with headgate."""
    runner = Runner(RunStore(), workers=workers, progress=progress)
    with runner:
        jobs = baseline_jobs(cases())
        runner.make([job for own in jobs.values() for job in own])
        for name, own in jobs.items():
            ship(name, [(job.key, found["values"]) for job in own if "values" in (found := runner.get(job))])


def _shipped() -> dict[str, dict[str, Any]]:
    """The runs of all baselines and nulls that come with headgate."""
    names = [n for judges in BASELINES for n in (*BASELINES[judges], *(null.null for null in NULLS[judges]))]
    return {key: run for name in names for key, run in shipped(name).items()}


def baseline_jobs(chosen: Sequence[Case]) -> dict[str, list[work.RunJob]]:
    """The runs of all baselines in these cases, and of the nulls where something is bounded, by their names."""
    jobs: dict[str, list[work.RunJob]] = {}
    for case in chosen:
        for cell in [] if case.steps else case.grid():
            bounded = any(entry.applies(cell) for entry in [*case.must, *case.must_not])
            nulls = [null.null for null in NULLS[case.judges]] if bounded else []
            for name in [*BASELINES[case.judges], *nulls]:
                jobs.setdefault(name, []).extend(_Cell(case, cell, by_name(name, case.judges), None).runs())
    return jobs


def by_name(name: str, judges: str) -> Judged:
    """A baseline or a null."""
    nulls = {null.null: null for null in NULLS[judges]}
    return nulls.get(name) or Judged(name, {"kind": name})


class _Cell:
    """One cell of a case: its jobs, and what they gave."""

    def __init__(self, case: Case, cell: dict[str, Any], subject: Judged, runs: int | None) -> None:
        self.case, self.cell, self.subject = case, cell, subject
        self.count = runs or case.runs
        self.measured = tuple(dict.fromkeys(entry.wanted() for entry in case.measured() if entry.applies(cell)))
        self.missing = [need for need in case.needs if not has(subject, need, case.judges)]
        self._made: dict[str, tuple[str, Any]] = {}

    def _jobs(self, subject: Judged, count: int) -> list[work.RunJob]:
        # A subject with parameters of its own may have the name of a baseline.
        name = json.dumps([subject.null, subject.table, subject.transport], sort_keys=True)
        if not self.measured:
            return []
        if name not in self._made:
            made, place = scenario(self.case, self.cell, subject)
            self._made[name] = made.to_json(), place
        text, place = self._made[name]
        return [work.RunJob(text, seed, self.measured, place) for seed in range(1, count + 1)]

    def own(self) -> list[work.RunJob]:
        """Runs of the subject, if it has what the case needs."""
        return [] if self.missing else self.runs()

    def runs(self) -> list[work.RunJob]:
        """Runs of the subject."""
        return self._jobs(self.subject, self.count)

    def others(self) -> dict[str, list[work.RunJob]]:
        """Runs of baselines and nulls, by name."""
        if self.missing:
            return {}
        found = {}
        wanted = {e.baseline for e in self.case.better_than if e.applies(self.cell)}
        for name in BASELINES[self.case.judges]:
            if name in wanted:
                found[name] = self._jobs(
                    Judged(name, {"kind": name}), self.case.runs if self.count > self.case.runs else self.count
                )
        if any(e.applies(self.cell) for e in [*self.case.must, *self.case.must_not]):
            for null in NULLS[self.case.judges]:
                found[null.null] = self._jobs(null, min(self.count, self.case.runs))
        return found

    def all_jobs(self) -> list[work.RunJob]:
        """Everything that is run at first."""
        return [*self.own(), *(job for jobs in self.others().values() for job in jobs)]

    def more(self) -> list[work.RunJob]:
        """Further runs of the subject."""
        self.count += self.case.runs
        return self.own()

    def _values(self, runner: Runner, jobs: list[work.RunJob], entry: Measurement) -> list[float | None]:
        at = self.measured.index(entry.wanted())
        return [found["values"][at] for job in jobs if "values" in (found := runner.get(job))]

    def _bounds(self) -> list[tuple[Bound, bool]]:
        both = [(entry, False) for entry in self.case.must] + [(entry, True) for entry in self.case.must_not]
        return [(entry, forbidden) for entry, forbidden in both if entry.applies(self.cell)]

    def is_open(self, runner: Runner) -> bool:
        """Whether more runs would help."""
        jobs = self.own()
        if not jobs or any("fault" in runner.get(job) for job in jobs):
            return False
        return any(verdict.bound(self._values(runner, jobs, e), *e.range(), f) == "open" for e, f in self._bounds())

    def entries(self, runner: Runner) -> list[CaseVerdict]:
        """The verdicts."""
        case, place = self.case, label(self.cell)
        if self.missing:
            return [
                CaseVerdict(
                    case.name,
                    place,
                    self.cell,
                    "needs",
                    "",
                    "n/a",
                    why=f"the subject has no {' or '.join(self.missing)}",
                )
            ]
        jobs, others = self.own(), self.others()
        faults = [found["fault"] for job in jobs if "fault" in (found := runner.get(job))]
        if faults:
            return [CaseVerdict(case.name, place, self.cell, "run", "", "invalid", why=faults[0])]
        digests = [runner.get(job).get("digest", "") for job in jobs]
        out = []
        for kind, entry in self._expected():
            values = self._values(runner, jobs, entry)
            made = CaseVerdict(
                case.name,
                place,
                self.cell,
                kind,
                entry.key(),
                "report",
                clause=entry.clause,
                digests=digests,
                seeds=len(jobs),
            )
            if any(value is not None for value in values):
                made.value = verdict.interval(values)
            if isinstance(entry, Bound):
                made.verdict = verdict.bound(values, *entry.range(), kind == "must_not")
                made.range, made.origin = entry.range(), entry.origin
                made.nulls = {
                    null.null: verdict.bound(
                        self._values(runner, others[null.null], entry), *entry.range(), kind == "must_not"
                    )
                    for null in NULLS[case.judges]
                }
            elif isinstance(entry, Better):
                base = self._values(runner, others[entry.baseline], entry) if entry.baseline in others else []
                direction = _direction(entry)
                made.verdict = verdict.better(values, base, direction, entry.zone)
                made.baseline = entry.baseline
                if any(value is not None for value in base):
                    made.baseline_value = verdict.interval(base)
            elif made.value is None:
                made.verdict = "n/a"
            out.append(made)
        return out

    def _expected(self) -> list[tuple[str, Measurement]]:
        kinds: dict[str, Sequence[Measurement]] = {
            "must": self.case.must,
            "must_not": self.case.must_not,
            "better_than": self.case.better_than,
            "report": self.case.report,
        }
        return [(kind, entry) for kind, entries in kinds.items() for entry in entries if entry.applies(self.cell)]


def _direction(entry: Better) -> str:
    from ..frame.metrics import METRICS

    return METRICS[entry.metric].better or "more"


def _stepped(case: Case, subject: Judged, tell: Callable[[float], None]) -> CaseVerdict:
    """The verdict of a case of steps; `tell` gets the part that is done."""
    made = CaseVerdict(case.name, "", {}, "steps", "", "pass", origin=case.origin)
    missing = [need for need in case.needs if not has(subject, need, case.judges)]
    if missing:
        made.verdict, made.why = "n/a", f"the subject has no {' or '.join(missing)}"
        return made
    null = NULLS["control"][0]
    try:
        made.nulls[null.null] = "pass" if all(step["met"] for step in steps.run(case, null.table)) else "fail"
    except HeadgateError:
        made.nulls[null.null] = "fail"
    try:
        found = steps.run(case, subject.table, tell)
    except steps.WindowlessError as e:
        return replace(made, verdict="n/a", why=str(e), nulls={})
    except steps.FaultError as e:
        return replace(made, verdict="invalid", why=str(e), nulls={})
    made.steps = found
    if wrong := [step for step in found if not step["met"]]:
        made.verdict, made.why = "fail", steps.words(wrong[0])
    return made
