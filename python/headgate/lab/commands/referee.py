"""headgate referee: a flow control or a queue judged by cases from the documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.errors import HeadgateError, cut, nearest
from ...cli import completing, shared, signals
from ...cli.changes import parameters_of
from ...cli.command import Command, argument, line_of, option
from ...cli.printed import ReportJson, RunsJson, Shape, key
from ...cli.scenario_files import allow_code, permit_all, permitted

if TYPE_CHECKING:
    from ..referee.case import Case
    from ..referee.report import RefereeReport


class RefereeJson(ReportJson):
    """The verdicts."""

    counts: dict[str, dict[str, int]] = key(
        "By where a line comes from (`document`, `derived`, `practice`, `ours`, `than BASELINE`, `report`), how many of each verdict; "
        "`weak` of the passes."
    )
    cases: list[JudgedCaseJson] = key("Each case.")


class JudgedCaseJson(Shape):
    """A case."""

    name: str = key("Its name.")
    title: str = key("What it looks at.")
    family: str = key("Its family.")
    source: str = key("The document that it comes from.")
    rules: list[str] = key("The rules of the document that it covers.")
    note: str = key("What else there is to know.")
    weak: bool = key("Whether trivial subjects pass all of it.")
    entries: list[VerdictJson] = key("The verdicts. What does not apply is left out.")


class VerdictJson(Shape):
    """A verdict."""

    case: str = key("The case.")
    cell: dict[str, Any] = key("Values of the cell by name.")
    kind: str = key(
        "`must`, `must_not`, `better_than`, `report` or `steps`; `needs` or `run` where it could not be judged.",
        always=False,
    )
    key_: str = key("What was measured.", always=False)
    verdict: str = key("The verdict.")
    value: RefereeMeanJson = key("The value.", always=False)
    range: list[float | None] = key("Two bounds, null for none.", always=False)
    origin: str = key("Where the line comes from.", always=False)
    clause: str = key("What the source says.", always=False)
    nulls: dict[str, str] = key("Verdicts of trivial subjects.", always=False)
    weak: bool = key("Whether all of these pass.", always=False)
    baseline: str = key("With whom it is compared.", always=False)
    baseline_value: RefereeMeanJson = key("The value of that one.", always=False)
    why: str = key("A sentence, where there is more to say.", always=False)
    digests: list[str] = key("Digests of the runs.", always=False)
    seeds: int = key("Number of runs.", always=False)
    steps: list[StepJson] = key("Expectations of a case of steps.", always=False)


class RefereeMeanJson(Shape):
    """A mean."""

    mean: float | None = key("The mean.")
    ci95: list[float | None] = key("The two ends of its 95 % interval.")
    n: int = key("Number of runs.", always=False)


class StepJson(Shape):
    """An expectation of a step."""

    rest = "What the step had to be, by its kind."

    step: int = key("Number of the step.")
    name: str = key("What is expected of.", always=False)
    value: Any = key("What was found.", always=False)
    wanted: Any = key("What was expected.", always=False)
    met: bool = key("Whether it was met.", always=False)


class CaseJson(Shape):
    """A case."""

    name: str = key("Its name.")
    family: str = key("Its family.")
    title: str = key("What it looks at.")
    source: str = key("The document that it comes from.")
    rules: list[str] = key("The rules of the document that it covers.")
    cells: int = key("Number of its cells.")


class RefereeCommand(Command):
    """Judge the flow control NAME by cases.

    NAME is a name of the list, a file (mine.py, libmine.so), module:Class, a table in TOML or JSON, or a program as a list.

    Cases come from RFC 9743, RFC 7928, RFC 8867, the draft of BBR and others, or from files of your own. Beside each verdict stands
    what trivial senders would have got. Exit code 1 if a case failed.
    """

    group = "Judge a control or a queue"
    page = "how-to/referee"
    question = "does a control do what RFC 9743, RFC 7928 and others ask for?"
    examples = """\
headgate referee cubic --quick
headgate referee mine.py --out out/mine --html out/mine/index.html
headgate referee --aqm fq_codel --family a79
headgate referee bbr3 --case mine.case
headgate referee cubic --only 'r97-1?' --junit referee.xml
"""
    prints = {"": RefereeJson, "With `--list`": list[CaseJson], "With `--part`": RunsJson}

    name: str | None = argument(metavar="NAME", complete=completing.controls)
    aqm: str | None = option("Judge this queueing discipline instead of a flow control.", metavar="QUEUE")
    files: tuple[str, ...] = option("Use the case in this file; may be given again.", None, "--case", metavar="FILE")
    family: tuple[str, ...] = option("Use the cases of this family; may be given again.", metavar="NAME")
    only: tuple[str, ...] = option("Use the cases whose name matches, such as 'r97-1?'.", metavar="PATTERN")
    quick: bool = option("Use a part of the cases, which takes less than a minute.")
    listed: bool = option("List the cases that would be used, and run none.", False, "--list")
    code: bool = allow_code()
    own_name: str = shared.own_name("scheme")
    changes: tuple[str, ...] = shared.parameters("what is judged")
    declares: tuple[str, ...] = option("Declare that NAME has this property (reno-window, say).", metavar="WORD")
    out: str | None = shared.kept_in(" and the report")
    html: str | None = option("Write the report as a page, with the evidence of each verdict.", metavar="FILE")
    junit: str | None = option("Write the verdicts as JUnit XML.", metavar="FILE")
    badge: str | None = option("Write a badge (.svg).", metavar="FILE")
    captures: bool = option("Keep packets (pcapng) and qlog of the cells with a figure: up to 100 MB each.")
    no_worse_than: str = option("Exit with 1 if it is worse than this baseline.", "", metavar="BASELINE")
    strict: bool = option("Exit with 1 if a verdict stays open as well.")
    fresh_baselines: bool = option("Run the baselines, whose runs come with headgate otherwise.")
    write_baselines: bool = option("Run the baselines and replace those that come with headgate.")
    runs: int | None = option("Runs of each cell, instead of what a case asks for.", least=1, most=30)
    resume: bool = shared.resume_there()
    workers: int | None = shared.workers()
    engine: str = shared.engine()
    address: str | None = shared.address()
    part: str | None = shared.part()
    as_json: bool = shared.as_json("everything")
    max_memory: str | None = shared.memory_limit()

    def run(self) -> int:
        with signals.loading():
            from ...cli.terminal import progress
            from ..frame.judging import judging
            from ..frame.subjects import BASELINES, named
            from ..frame.terminal import print_report
            from ..referee import judge, outputs
            from ..referee.judge import write_baselines as made_anew
            from ..referee.page import answer
            from ..referee.terminal import print_cases

        judges = "aqm" if self.aqm is not None else "control"
        if (self.name is None) == (self.aqm is None) and not (self.write_baselines or self.listed):
            raise HeadgateError("NAME: expected either a flow control or --aqm with a queueing discipline")
        cases = _chosen(judges, self.files, self.family, self.only, self.quick)
        if self.listed:
            print_cases(cases, self.as_json)
            return 0
        if self.write_baselines:
            with progress("running the baselines") as callback:
                made_anew(self.workers, callback)
            return 0
        parameters = parameters_of(self.changes, "beta=0.5")
        if self.no_worse_than and self.no_worse_than not in BASELINES[judges]:
            known = BASELINES[judges]
            raise HeadgateError(
                f"--no-worse-than: found {cut(repr(self.no_worse_than))}; "
                f"expected one of {', '.join(known)}.{nearest(self.no_worse_than, known)}"
            )
        permit_all(self.code)
        subject = named(str(self.aqm or self.name), judges, self.own_name, parameters, self.declares)
        folder = self.out if self.part is None else None
        outputs.require(folder, self.html, self.junit, self.badge, subject.name, subject.text)

        def judged() -> RefereeReport:
            with judging(self, "judging", self.out) as where:
                return judge(subject, cases, fresh=self.fresh_baselines, runs=self.runs, more=not self.quick, **where)

        report = permitted(judged)
        said = answer(report, self._show, subject.text, self.strict, self.no_worse_than)
        if pages := outputs.pages(self.out, self.html):
            with progress("writing the report") as callback:
                outputs.write(
                    report, said, subject, self.out, self.html, self.junit, self.badge, self.captures, callback
                )
        else:
            outputs.write(report, said, subject, junit_file=self.junit, badge=self.badge)
        everything = line_of(self, "referee", html="report.html", as_json=False)
        return print_report(said, pages[0] if pages else None, everything, report.to_dict() if self.as_json else None)

    def _show(self, case: str) -> str:
        """The command that shows a case."""
        alone = {
            "only": (case,),
            "family": (),
            "quick": False,
            "out": None,
            "html": f"{case}.html",
            "no_worse_than": "",
        }
        files = {"junit": None, "badge": None, "captures": False, "as_json": False, "strict": False, "resume": False}
        return line_of(self, "referee", **alone, **files)


def _chosen(
    judges: str, files: tuple[str, ...], families: tuple[str, ...], only: tuple[str, ...], quick: bool
) -> list[Case]:
    from fnmatch import fnmatchcase

    from ..referee.files import cases, read

    known = cases()
    names = list(dict.fromkeys(case.family for case in known))
    for wanted in families:
        if wanted not in names:
            raise HeadgateError(
                f"--family: found {cut(repr(wanted))}; expected one of {', '.join(names)}.{nearest(wanted, names)}"
            )
    own = [read(file, "own") for file in files]
    wrong = next((case for case in own if case.judges != judges), None)
    if wrong is not None:
        kind = "a flow control" if wrong.judges == "control" else "a queue (--aqm)"
        raise HeadgateError(f"--case: {wrong.name} judges {kind}")
    found = [case for case in known if case.judges == judges and (not families or case.family in families)]
    found = own if own and not families else [*found, *own]
    if quick:
        found = [case for case in found if case.quick or case in own]
    if only:
        found = [case for case in found if any(fnmatchcase(case.name, pattern) for pattern in only)]
    if not found:
        raise HeadgateError("no case is left; expected fewer of --family, --only and --quick")
    return found
