"""headgate referee: a flow control or a queue judged by cases from the documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..base.errors import HeadgateError, cut, nearest
from . import completing, signals
from .changes import parameters_of
from .scenario_files import allow_code, permit_all, permitted
from .show import print_json

if TYPE_CHECKING:
    from ..referee.case import Case
    from ..referee.report import RefereeReport


@click.command(
    epilog="""\b
Examples:
  headgate referee cubic --quick
  headgate referee mine.py --out out/mine --html out/mine/index.html
  headgate referee --aqm fq_codel --family a79
  headgate referee bbr3 --case mine.case
  headgate referee cubic --only 'r97-1?' --junit referee.xml"""
)
@click.argument("name", required=False, metavar="NAME", shell_complete=completing.controls)
@click.option("--aqm", metavar="QUEUE", help="Judge this queueing discipline instead of a flow control.")
@click.option("--case", "files", metavar="FILE", multiple=True, help="Use the case in this file; may be given again.")
@click.option("--family", metavar="NAME", multiple=True, help="Use the cases of this family; may be given again.")
@click.option("--only", metavar="PATTERN", multiple=True, help="Use the cases whose name matches, such as 'r97-1?'.")
@click.option("--quick", is_flag=True, help="Use a part of the cases, which takes less than a minute.")
@click.option("--list", "listed", is_flag=True, help="List the cases that would be used, and run none.")
@allow_code
@click.option("--control", "own_name", default="", metavar="NAME", help="The scheme in the file, if there are several.")
@click.option("--set", "changes", metavar="NAME=VALUE", multiple=True, help="Set a parameter of what is judged.")
@click.option("--declares", metavar="WORD", multiple=True, help="Say that NAME has this, such as reno-window.")
@click.option("--out", metavar="DIR", help="Keep the runs and the report in this folder; a second call goes on there.")
@click.option("--html", metavar="FILE", help="Write the report as a page, with the evidence of each verdict.")
@click.option("--junit", metavar="FILE", help="Write the verdicts as JUnit XML.")
@click.option("--badge", metavar="FILE", help="Write a badge (.svg).")
@click.option(
    "--captures", is_flag=True, help="Keep packets (pcapng) and qlog of the cells with a figure: up to 100 MB each."
)
@click.option("--no-worse-than", default="", metavar="BASELINE", help="Exit with 1 if it is worse than this baseline.")
@click.option("--strict", is_flag=True, help="Exit with 1 if a verdict stays open as well.")
@click.option("--fresh-baselines", is_flag=True, help="Run the baselines, whose runs come with headgate otherwise.")
@click.option("--write-baselines", is_flag=True, help="Run the baselines and replace those that come with headgate.")
@click.option("--runs", type=click.IntRange(1, 30), help="Runs of each cell, instead of what a case asks for.")
@click.option("--workers", type=click.IntRange(1), help="Number of processes; one per processor unless given.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def referee(
    name: str | None,
    aqm: str | None,
    files: tuple[str, ...],
    family: tuple[str, ...],
    only: tuple[str, ...],
    quick: bool,
    listed: bool,
    own_name: str,
    code: bool,
    changes: tuple[str, ...],
    declares: tuple[str, ...],
    out: str | None,
    html: str | None,
    junit: str | None,
    badge: str | None,
    captures: bool,
    no_worse_than: str,
    strict: bool,
    fresh_baselines: bool,
    write_baselines: bool,
    runs: int | None,
    workers: int | None,
    as_json: bool,
) -> int:
    """Judge the flow control NAME by cases.

    NAME is a name of the list, a file (mine.py, libmine.so), module:Class, a table in TOML or JSON, or a program as a list.

    Cases come from RFC 9743, RFC 7928, RFC 8867, the draft of BBR and others, or from files of your own. Beside each verdict stands
    what trivial senders would have got. Exit code 1 if a case failed.
    """
    with signals.loading():
        from ..referee import judge, outputs
        from ..referee.judge import write_baselines as made_anew
        from ..referee.subjects import BASELINES, named
        from .tables.referee import print_cases, print_report
        from .terminal import progress

    judges = "aqm" if aqm is not None else "control"
    if (name is None) == (aqm is None) and not (write_baselines or listed):
        raise HeadgateError("NAME: expected either a flow control or --aqm with a queueing discipline")
    cases = _chosen(judges, files, family, only, quick)
    if listed:
        print_cases(cases, as_json)
        return 0
    if write_baselines:
        with progress("running the baselines") as callback:
            made_anew(workers, callback)
        return 0
    parameters = parameters_of(changes, "beta=0.5")
    if no_worse_than and no_worse_than not in BASELINES[judges]:
        known = BASELINES[judges]
        raise HeadgateError(
            f"--no-worse-than: found {cut(repr(no_worse_than))}; expected one of {', '.join(known)}.{nearest(no_worse_than, known)}"
        )
    permit_all(code)
    outputs.require(out, html, junit, badge)
    subject = named(str(aqm or name), judges, own_name, parameters, declares)

    def judged() -> RefereeReport:
        with progress("judging") as callback:
            return judge(
                subject,
                cases,
                out=out,
                workers=workers,
                fresh=fresh_baselines,
                runs=runs,
                more=not quick,
                progress=callback,
            )

    report = permitted(judged)
    if out is not None or html is not None:
        with progress("writing the report") as callback:
            outputs.write(report, subject, out, html, junit, badge, captures, callback)
    else:
        outputs.write(report, subject, junit_file=junit, badge=badge)
    if as_json:
        print_json(report.to_dict())
    else:
        print_report(report)
    return report.code(strict, no_worse_than)


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
