"""Output of commands in the terminal: text, progress and errors. Loaded only when there is something to print."""

from __future__ import annotations

import io
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions
from rich.markup import escape
from rich.segment import Segment

from ..base.errors import HeadgateError, visible
from .show import output

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from ..base.parallel import Progress as Callback


#: Seconds after which work says how long it will take.
AFTER_S = 5.0


class _Console(Console):
    """A console whose reader may close it: that is no error here, and the command handles it."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        raise BrokenPipeError

    def print(self, *args: Any, **kwargs: Any) -> None:
        with output():
            super().print(*args, **kwargs)

    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """As usual, but names with characters that a terminal acts upon show them as escapes."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)


#: Where the text of this context goes instead of standard output, and how wide its lines are.
_captured: ContextVar[tuple[io.StringIO, int] | None] = ContextVar("captured", default=None)


@contextmanager
def captured(width: int) -> Iterator[io.StringIO]:
    """What is printed meanwhile in this context goes into a text: for answers that no terminal shows."""
    text = io.StringIO()
    token = _captured.set((text, width))
    try:
        yield text
    finally:
        _captured.reset(token)


def console(width: int | None = None) -> Console:
    """Standard output, as wide as the terminal; a file or a pipe has 80 columns unless `COLUMNS` says otherwise.

    Args:
        width: instead of that.
    """
    if (into := _captured.get()) is not None:
        return _Console(file=into[0], width=width or into[1], force_terminal=False, highlight=False, emoji=False)
    out = _Console(highlight=False, emoji=False, width=width)
    if width is None and not out.is_terminal:
        named = os.environ.get("COLUMNS", "")
        # Another stream may be a terminal, but the contents of a file must not depend on that.
        return _Console(
            highlight=False, emoji=False, width=int(named) if re.fullmatch("0*[1-9][0-9]{0,4}", named) else 80
        )
    return out


def fail(message: str) -> int:
    """Prints an error as one paragraph; gives the exit code."""
    print_error(f"[bold red]error:[/] {escape(message)}")
    return 2


def print_error(markup: str) -> None:
    """Prints to standard error; a closed stream is ignored."""
    with suppress(OSError, HeadgateError):
        _Console(stderr=True, highlight=False, emoji=False, soft_wrap=True).print(markup)


def warn(message: str) -> None:
    """Prints a warning as one paragraph to standard error; nothing for an empty one."""
    if message:
        print_error(f"[bold yellow]warning:[/] {escape(message)}")


def note(message: str) -> None:
    """Prints a note as one paragraph to standard error."""
    print_error(escape(message))


def warn_all(messages: Iterable[str]) -> None:
    """Prints warnings, each as `warn` does."""
    for message in messages:
        warn(message)


#: Lines that tell how far something is come after `AFTER_S`, then after twice as long each, and at least every minute.
MOST = 60.0


@dataclass
class Undrawn:
    """A task of which only lines tell."""

    description: str
    total: float | None = None
    completed: float = 0.0


class Lines:
    """Progress without a terminal: nothing is drawn, and what draws is not loaded."""

    def __init__(self) -> None:
        self.tasks: list[Undrawn] = []
        #: Stands behind each line.
        self.hint = ""

    def add_task(self, description: str, *, total: float | None = None, **_: object) -> Any:
        """As of `Progress`; what is said only beside a bar is left out."""
        self.tasks.append(Undrawn(description, total))
        return len(self.tasks) - 1

    def update(self, number: int, **changes: object) -> None:
        """Likewise."""
        for name, value in changes.items():
            if name in Undrawn.__annotations__ and value is not None:
                setattr(self.tasks[number], name, value)

    def start(self) -> None:
        """Draws nothing."""

    def stop(self) -> None:
        """Draws nothing."""


@contextmanager
def _told(bar: Lines) -> Iterator[Lines]:
    """Meanwhile, lines tell how far it is and how long it will take, also if nothing has ended yet."""
    ended, began = threading.Event(), time.monotonic()

    def tell() -> None:
        due = AFTER_S
        while not ended.wait(max(due - (time.monotonic() - began), 0.0)):
            now = time.monotonic() - began
            if bar.tasks:
                print_error(escape(far(bar.tasks[0], now) + bar.hint))
            # On a machine that stood still several lines may be due: one is said.
            while due <= now:
                due += min(max(due, 1.0), MOST)

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield bar
    finally:
        ended.set()
        thread.join()


def far(task: Undrawn, seconds: float) -> str:
    """How far something is after so many seconds, and how long it will still take if it goes on as so far.

    >>> far(Undrawn("judging", 80, 20), 20.0)
    'judging: 25 % after 20 s, about 60 s more'
    >>> far(Undrawn("judging"), 300.0)
    'judging: 5 min so far'
    """
    share = task.completed / task.total if task.total else 0.0
    if not 0 < share < 1:
        return f"{task.description}: {_span(seconds)} so far"
    more = _about(seconds * (1 - share) / share)
    return f"{task.description}: {100 * share:.0f} % after {_span(seconds)}, about {more} more"


def _span(seconds: float) -> str:
    return (
        f"{seconds:.0f} s"
        if seconds < 100
        else f"{seconds / 60:.0f} min"
        if seconds < 6000
        else f"{seconds / 3600:.1f} h"
    )


@contextmanager
def bar_of(columns: Callable[[], Iterable[ProgressColumn]] = tuple) -> Iterator[Progress | Lines | None]:
    """A bar with its name and these columns on standard error; where that is no terminal, a line now and then, or nothing if so asked."""
    err = _Console(stderr=True, emoji=False)
    if not err.is_terminal:
        if os.environ.get("HEADGATE_PROGRESS") == "off":
            yield None
            return
        with _told(Lines()) as lines:
            yield lines
        return
    from rich.progress import BarColumn, Progress, TextColumn

    first = TextColumn("{task.description}", markup=False)
    with Progress(first, BarColumn(), *columns(), console=err, transient=True, speed_estimate_period=60) as bar:
        yield bar


def _of_runs() -> list[ProgressColumn]:
    from rich.progress import MofNCompleteColumn, TaskProgressColumn, TimeRemainingColumn

    return [TaskProgressColumn(), MofNCompleteColumn(), TimeRemainingColumn()]


def _of_packets() -> list[ProgressColumn]:
    from rich.progress import TaskProgressColumn, TextColumn, TimeRemainingColumn

    return [TaskProgressColumn(), TextColumn("{task.fields[packets]} packets"), TimeRemainingColumn()]


@contextmanager
def progress(what: str, hint: str = "") -> Iterator[Callback | None]:
    """A progress bar that counts runs; `hint` stands behind the first estimate, such as what would make it faster."""
    with bar_of(_of_runs) as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task(what, total=1.0)

        def update(share: float, done: int, total: int) -> None:
            bar.update(task, completed=share * total, total=total)

        if isinstance(bar, Lines):
            bar.hint = hint
            yield update
        else:
            yield Estimate(update, hint) if hint else update


class Estimate:
    """Says once, on standard error, how long work will take that goes on after some seconds."""

    def __init__(self, also: Callback | None, hint: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        """`also` is called as this is; `hint` stands behind the estimate."""
        self._also, self._hint, self._clock = also, hint, clock
        self._began, self._told = clock(), False

    def __call__(self, share: float, done: int, total: int) -> None:
        """As a bar is called."""
        if self._also is not None:
            self._also(share, done, total)
        taken = self._clock() - self._began
        # Of nothing that was done nothing follows.
        if not self._told and taken >= AFTER_S and share > 0:
            self._told = True
            note(f"about {_about(taken / share - taken)} to go ({done} of {total} runs in {taken:.0f} s){self._hint}")


def _about(seconds: float) -> str:
    """A time in words, no more exact than it is known.

    >>> _about(42), _about(200), _about(9000)
    ('40 s', '3 min', '2.5 h')
    """
    if seconds < 90:
        return f"{max(round(seconds, -1), 10):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@contextmanager
def rows_progress(what: str) -> Iterator[Callable[[float, int], object] | None]:
    """A progress bar that counts packets."""
    with bar_of(_of_packets) as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task(what, total=1.0, packets=0)

        def update(share: float, packets: int) -> None:
            known = share == share
            bar.update(task, completed=share if known else 0.0, total=1.0 if known else None, packets=f"{packets:,}")

        yield update
