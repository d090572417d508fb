"""Options of commands that read a scenario: for its files and its code, and for flow controls and disciplines of one's own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..base.errors import HeadgateError, visible
from .command import option

if TYPE_CHECKING:
    from ..scenario.scenario import Scenario

T = TypeVar("T")


def _load(_: click.Context, __: click.Parameter, files: tuple[str, ...]) -> tuple[str, ...]:
    """Loads plugins before anything names what they have; gives their files."""
    if files:
        from ..plugins import load

        load(*files)
    return files


def plugin_files() -> Any:
    """`--plugin`, of commands in which flow controls and disciplines are named."""
    about = "Take flow controls and disciplines from this file in Python, or from MODULE:CLASS."
    return option(about, metavar="FILE", is_eager=True, callback=_load)


def allow_files() -> Any:
    """`--allow-files`."""
    about = "Let the scenario name files in this folder too; without it they lie in the folder of the scenario."
    return option(about, None, "--allow-files", metavar="DIR")


def allow_code() -> Any:
    """`--allow-code`, of commands that run a scenario, which may name code."""
    return option("Run the plugins and programs that the scenario names, without a question.", False, "--allow-code")


def read(file: Path, allowed: Iterable[Path]) -> Scenario:
    """The scenario of a file or in a link; in a terminal the user is asked about files outside of its folder. Runs none of its code.

    Raises:
        HeadgateError: as for `Scenario.from_file`.
        ScenarioError: likewise.
    """
    from ..base.folders import OutsideError
    from ..scenario.links import is_link, linked
    from ..scenario.scenario import Scenario

    if is_link(str(file)):
        return linked(str(file))
    places = list(allowed)
    while True:
        try:
            return Scenario.from_file(file, places)
        except OutsideError as e:
            if not _asked(f"{e.where}: {e.file}\nlies outside of the folder of the scenario. Read it?"):
                raise
            places.append(e.file)


def titled(file: Path) -> str:
    """What the lines of progress call a file, or a link that holds a scenario."""
    from ..scenario.links import is_link, short

    return short(str(file)) if is_link(str(file)) else file.name


def permit(scenario: Scenario, allow: bool) -> None:
    """Lets the code of a scenario run, if the user allows that: by the option, by the list of trusted files, or asked in a terminal.

    Raises:
        CodeError: the user does not; the error shows the code.
    """
    if allow:
        scenario.allow_code()
    else:
        permitted(scenario.require_code)


def permit_all(allow: bool) -> None:
    """Lets the code run of all scenarios that the command reads, if its option says so."""
    if allow:
        from ..plugins import trust

        trust.allow_all()


def permitted(work: Callable[[], T]) -> T:
    """What a function gives; where it would run code that was not allowed to, the user is asked in a terminal, and it is called again.

    Raises:
        CodeError: the user does not allow it.
    """
    while True:
        try:
            return work()
        except HeadgateError as e:
            # Loaded only when it is needed.
            from ..plugins import CodeError, trust

            if not isinstance(e, CodeError) or not _asked(
                f"{e.where}it would run code:\n{e.shown()}\nRun it this once?"
            ):
                raise
            trust.allow(e.codes)


def _asked(question: str) -> bool:
    """Asks in a terminal; where there is none, the answer is no."""
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    sys.stderr.write(f"{visible(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
