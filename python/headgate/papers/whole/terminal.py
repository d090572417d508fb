"""What `headgate reproduce all` prints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from operator import attrgetter

from rich.console import Console
from rich.markup import escape
from rich.progress import TaskProgressColumn, TextColumn, TimeElapsedColumn

from ...base.counts import counted
from ...cli.tables.fit import Column, print_fitted
from ...cli.terminal import bar_of, print_error
from ..model import Item, Paper
from ..reproduction import ItemResult
from ..runs import Work
from .page import time_text
from .run import Failure, Took, Whole
from .summary import Summary, summary_of

#: Headings of the table, their counts, and which of them a narrow terminal leaves out first: those of the highest rank.
COLUMNS = (
    ("tested", "printed.tested", 0),
    ("match", "printed.match", 0),
    ("of these 0", "printed.zeros", 3),
    ("of these wide", "printed.wide", 7),
    ("trivial model", "printed.trivial", 3),
    ("wrong pair", "printed.wrong_pair", 4),
    ("only ours", "printed.only_ours", 1),
    ("some run", "printed.some_run", 8),
    ("miss", "printed.miss", 0),
    ("undecided", "printed.undecided", 7),
    ("not tested", "printed.not_tested", 9),
    ("others tested", "others.tested", 2),
    ("others match", "others.match", 2),
    ("others only ours", "others.only_ours", 8),
    ("claims hold", "claims.hold", 0),
    ("fail", "claims.fail", 0),
    ("trivial holds", "claims.trivial", 5),
    ("wrong pair holds", "claims.wrong_pair", 6),
    ("open", "claims.open", 10),
)


class Telling:
    """Prints a line for each item as soon as it is there, and shows progress over all of them."""

    def __init__(self, out: Console | None, work: Work, total: int) -> None:
        """`out` is where lines are printed, if they are."""
        self._out, self._work = out, work
        self._bar = bar_of(lambda: [TextColumn("{task.fields[of]}"), TaskProgressColumn(), TimeElapsedColumn()])
        self._total = total

    @contextmanager
    def showing(self) -> Iterator[Telling]:
        """While it is at work."""
        with self._bar as bar:
            self._shown = bar
            self._task = bar.add_task("", total=self._total, of="") if bar is not None else None
            yield self

    def begin(self, paper: Paper, item: Item, done: int, total: int) -> None:
        """See `Watcher.begin`."""
        bar, task = self._shown, self._task
        if bar is None or task is None:
            return
        name = f"{paper.name} {item.name}"
        bar.update(task, completed=done, total=total, description=name, of=f"item {done + 1} of {total}")

        def far(share: float, runs: int, of: int) -> None:
            bar.update(task, completed=done + share, of=f"item {done + 1} of {total}, run {runs} of {of}")

        self._work.progress = far

    def end(self, paper: Paper, item: Item, result: ItemResult | Failure, took: Took) -> None:
        """See `Watcher.end`."""
        with self._cleared():
            self._report(paper, item, result, took)

    @contextmanager
    def _cleared(self) -> Iterator[None]:
        """Takes the bar off the screen while a line is printed: the two are different streams, often of one terminal."""
        if self._shown is None:
            yield
            return
        self._shown.stop()
        try:
            yield
        finally:
            self._shown.start()

    def _report(self, paper: Paper, item: Item, result: ItemResult | Failure, took: Took) -> None:
        if isinstance(result, Failure):
            print_error(f"[bold red]{paper.name} {escape(item.name)} failed:[/] {escape(result.error)}")
        elif self._out is not None:
            kept = ", kept" if took.runs and took.kept == took.runs else ""
            what = f"{paper.name} {item.name}"
            self._out.print(f"{escape(what):<25} {_in_words(summary_of([result]))}, {time_text(took.seconds)}{kept}")


def _in_words(summary: Summary) -> str:
    found = []
    if summary.printed.tested:
        found.append(f"{summary.printed.match} of {summary.printed.tested} numbers")
    if summary.others.tested:
        found.append(f"{summary.others.match} of {summary.others.tested} others")
    if decided := summary.claims.hold + summary.claims.fail:
        found.append(f"{summary.claims.hold} of {decided} claims")
    return ", ".join(found) or "nothing to be judged"


def print_whole(whole: Whole, out: Console) -> None:
    """Prints the table of all papers, and what failed."""
    summaries = [(p.paper.name, summary_of(p.reproduction.items), p.took) for p in whole.papers]
    columns = [Column("paper", text=True, cells=[name for name, _, _ in summaries])]
    for heading, key, rank in COLUMNS:
        columns.append(Column(heading, rank, cells=[str(attrgetter(key)(s)) for _, s, _ in summaries]))
    columns.append(Column("processor time", 4, cells=[time_text(took.cpu_s) for _, _, took in summaries]))
    print_fitted("papers", columns)
    out.print(
        "tested to not tested: numbers that the papers print; others: worked out of their formulas by us, found in another copy, or "
        "measured. wide: ours may differ by more than a quarter of the number. trivial holds, wrong pair holds: claims",
        style="dim",
    )
    took = whole.took
    kept = f", {took.kept} of which were there already" if took.kept else ""
    out.print(
        f"{counted(took.runs, 'run')}{kept}; {time_text(took.seconds)}, {time_text(took.cpu_s)} of processor time",
        soft_wrap=True,
    )
    for failure in whole.failures:
        out.print(
            f"[red]failed[/]: {escape(failure.paper)} {escape(failure.item)}: {escape(failure.error)}", soft_wrap=True
        )
