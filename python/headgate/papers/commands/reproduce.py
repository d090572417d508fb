"""headgate reproduce: a paper's numbers beside ours."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from ...cli import shared, signals
from ...cli.command import Command, argument, option
from ...cli.show import print_json
from ...cli.studies import kept_runs
from .. import completing
from ..reproduction_json import RecordJson, ReproduceAllJson, ReproduceJson


class ReproduceCommand(Command):
    """Reproduce a PAPER, or some ITEMS of it, and print the paper's numbers beside ours.

    PAPER is a name that `headgate list papers` shows, or a folder, such as ./mypaper. With `all` every paper is reproduced,
    and a table shows the counts of each; an item that fails does not stop the others.

    The exit code is 1 if an item of `all` failed. A number that is missed is no failure.
    """

    group = "Reproduce papers"
    page = "how-to/reproduce"
    question = "which results of a paper come out again?"
    examples = """\
headgate reproduce demers1989 scenario-2
headgate reproduce demers1989 scenario-2 --brief
headgate reproduce keshav1991 --report out/keshav1991
headgate reproduce kim1994 --resume out/runs
headgate reproduce demers1989 scenario-2 --unknown jk_first=6s
headgate reproduce keshav1991 --text-alone
headgate reproduce all --report out/papers
headgate list papers
"""
    prints = {
        "": ReproduceJson,
        "With `all` in place of a paper": ReproduceAllJson,
        "`reproduction.json`, in the folder of a report": RecordJson,
    }

    paper: str | None = argument(metavar="PAPER", complete=completing.papers)
    items: tuple[str, ...] = argument(complete=completing.items)
    seeds: int = option(
        "Minimum number of runs with random start phases for the printed range. No verdict depends on it.",
        0,
        least=0,
        most=10_000,
        show_default=False,
    )
    threads: int | None = shared.threads()
    engine: str = shared.engine()
    address: str | None = shared.address()
    resume: Path | None = shared.resume_in(" With `all` the folder is out/runs unless given.")
    ours: bool = option("With `all`, also run our own experiments, beyond and linux-tcp, which are no papers.")
    report: Path | None = option(
        "Also write an HTML report with figures into this folder; `headgate explore DIR` opens it too.", metavar="DIR"
    )
    details: bool = option("Print a line for each number: its spread over the runs and how it was tested.")
    brief: bool = option("Print the verdict in three lines and no table.")
    count_instructions: bool = option(
        "Also count processor instructions where a paper measures them, by perf or valgrind. Valgrind takes a minute or more."
    )
    unknowns: tuple[str, ...] = option(
        "Set an unknown of the paper to another level than its folder has; may be given several times.",
        None,
        "--unknown",
        metavar="NAME=LEVEL",
    )
    text_alone: bool = option(
        "Set all unknowns to what a reader would take who has the paper's text alone; --unknown comes after it."
    )
    as_json: bool = shared.as_json("the comparison")
    max_memory: str | None = shared.memory_limit()

    def run(self) -> int:
        with signals.loading():
            from rich.markup import escape

            from ...base.atomic import require_folder
            from ...cli.terminal import console, progress
            from ...plots.pages import require_extras
            from .. import Reproduction, load_paper, write_report
            from ..build import check_items
            from ..packaged import list_papers
            from ..runner import each_item
            from ..runs import open_work
            from ..settings import item_with_setting, setting_of
            from ..terminal import print_brief, print_heading, print_item, print_summary

        if self.paper is None:
            raise click.UsageError(
                f"Missing argument 'PAPER': expected all, a folder, or one of {', '.join(list_papers())}."
            )
        if self.report is not None:
            require_extras()
            require_folder(self.report, "--report")
        if self.paper == "all":
            from ..whole.every import KEPT, reproduce_every

            beside = {
                "items": self.items,
                "--details": self.details,
                "--brief": self.brief,
                "--unknown": self.unknowns,
                "--text-alone": self.text_alone,
            }
            if given := [name for name, value in beside.items() if value]:
                raise click.UsageError(f"all: expected no {given[0]} beside it")
            folder = self.resume or KEPT
            where = "on a Dask cluster" if self.engine == "dask" else "on threads of one process"
            opening = partial(open_work, self.threads, folder, self.engine, self.address)
            with kept_runs(folder):
                return reproduce_every(
                    opening, where, self.report, self.ours, self.seeds, self.count_instructions, self.as_json
                )
        if self.ours:
            raise click.UsageError("--ours: expected `all` beside it")
        if self.brief and (self.details or self.as_json):
            raise click.UsageError(f"--brief: expected no {'--details' if self.details else '--json'} beside it")
        found = load_paper(self.paper)
        chosen = [found.item(i) for i in dict.fromkeys(self.items)] or list(found.items)
        setting = setting_of(found, self.unknowns, text_alone=self.text_alone)
        chosen = [item_with_setting(item, found.unknowns, setting) for item in chosen]
        check_items(found, chosen)
        out, results = console(), []
        with kept_runs(self.resume), open_work(self.threads, self.resume, self.engine, self.address) as work:
            for k, item in enumerate(chosen):
                with progress(f"{self.paper} {item.name} ({k + 1} of {len(chosen)})") as work.progress:
                    (result,) = each_item(
                        found, [item], seeds=self.seeds, count_instructions=self.count_instructions, work=work
                    )
                results.append(result)
                # Each table is printed as soon as it is complete.
                if not self.as_json and not self.brief:
                    if k == 0:
                        print_heading(found, out)
                        for u in found.unknowns:
                            if setting.get(u.name, u.default) != u.default:
                                out.print(
                                    f"{escape(u.name)} = {escape(u.levels[setting[u.name]].name)}", soft_wrap=True
                                )
                    print_item(result, out, self.details)
        whole = Reproduction(found, tuple(results))
        page = write_report(whole, self.report) if self.report is not None else None
        if self.as_json:
            print_json(whole.to_dict())
            return 0
        (print_brief if self.brief else print_summary)(whole, out)
        if page is not None:
            out.print(f"report: {escape(str(page))}", soft_wrap=True)
        return 0
