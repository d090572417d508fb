"""The command with all commands, and how their errors are reported."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from .. import __version__
from .._core import PluginError, ScenarioError
from ..base.errors import HeadgateError, brief
from . import VERSION, signals
from .command import GROUPS
from .finding import Found

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 120}


@contextmanager
def _ended() -> Iterator[None]:
    """Ends the command without an error when its output is no longer read, and with the code of Ctrl-C after that."""
    # Click would make exit code 1 of the one, and an empty line of the other.
    try:
        yield
    except BrokenPipeError:
        raise click.exceptions.Exit(0) from None
    except KeyboardInterrupt as e:
        signals.keep(e)
        raise click.exceptions.Exit(signals.code()) from None


class Commands(click.Group):
    """The group of all commands."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Reads the arguments; `--help` prints here."""
        with _ended():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command."""
        with _ended():
            return super().invoke(ctx)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Completes the name of a command, or an option of the group."""
        from click.shell_completion import CompletionItem

        commands = self._listed().items()
        return [
            *(CompletionItem(n, help=c.get_short_help_str()) for n, c in commands if n.startswith(incomplete)),
            *click.Command.shell_complete(self, ctx, incomplete),
        ]

    def _listed(self) -> dict[str, click.Command]:
        """The commands, loaded only where their files do not say what a list shows of them."""
        return self.commands.listed() if isinstance(self.commands, Found) else dict(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands under the headings that they name."""
        found = self._listed()
        longest = max(map(len, found))
        under: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for name, command in found.items():
            said = command.get_short_help_str(formatter.width - 6 - longest)
            under.setdefault(getattr(command, "group", "Of other packages"), []).append((name.ljust(longest), said))
        for group, rows in under.items():
            with formatter.section(group):
                formatter.write_dl(rows)


@click.group(
    cls=Commands,
    commands=Found(),
    context_settings=CONTEXT,
    epilog="Start with:  headgate reproduce demers1989 scenario-2",
)
@click.version_option(__version__, message=VERSION)
def cli() -> None:
    """Queueing disciplines and congestion control: simulated, measured, compared with the papers."""


def call() -> int:
    """Runs the command that the process was started with; gives its exit code."""
    try:
        signals.interrupt()
        _open_streams()
        code = _guarded()
    except KeyboardInterrupt:
        code = signals.code()
    signals.ignore()
    if signals.interrupted():
        code = signals.code()
    if code == signals.code() and not signals.reported():
        print("stopped", file=sys.stderr)
    return _flush(code)


def _guarded() -> int:
    """Runs the command; every error has been printed when it returns."""
    try:
        return int(cli.main(standalone_mode=False) or 0)
    except BaseException as e:
        # Whatever exception a library made of Ctrl-C.
        return signals.code() if signals.interrupted() else _report(e)


def _report(e: BaseException) -> int:
    """Prints the error; returns the exit code."""
    if isinstance(e, SystemExit):
        # Completion ends so, at each key: what prints errors takes longer to load than all that it does.
        raise e
    if isinstance(e, click.UsageError):
        click.UsageError(brief(e.format_message()), e.ctx).show()
        return 2
    from .terminal import fail

    if isinstance(e, click.ClickException):
        fail(brief(e.format_message()))
    elif isinstance(e, HeadgateError | ScenarioError):
        fail(brief(str(e)))
    elif isinstance(e, PluginError):
        from ..plugins.calls import story

        fail("\n".join(filter(None, [brief(str(e)), story(e)])))
    elif isinstance(e, click.Abort | KeyboardInterrupt):
        return signals.code()
    elif isinstance(e, BrokenPipeError):
        return 0
    elif isinstance(e, OSError) and e.filename is not None:
        fail(brief(f"{e.filename}: {e.strerror or e}"))
    elif isinstance(e, OSError):
        # Code that writes files names the file; the rest is what click prints.
        fail(f"standard output: cannot be written; {e.strerror or e}")
    elif isinstance(e, MemoryError):
        fail("no memory is left; expected a smaller scenario, study or trace")
    elif isinstance(e, ModuleNotFoundError) and (e.name or "").split(".")[0] == "pyarrow":
        # The one library of those that every installation has which `make demo` leaves out: it is large, and belongs to studies.
        fail(
            "studies and files of tables need pyarrow, which `make demo` leaves out; expected: `make install` in the checkout"
        )
    else:
        raise e
    return 2


def _open_streams() -> None:
    """Gives the process the streams it expects: the program that started it may have closed them, or set them to ASCII."""
    # A file that is opened later must not become one of them.
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(handle)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w")
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A character that cannot be printed is no reason for an error.
        sys.stdout.reconfigure(errors="replace")


def _flush(code: int) -> int:
    """Flushes the output, so that no error can occur after this; returns the exit code."""
    try:
        sys.stdout.flush()
    except OSError as e:
        # The rest of its buffer would be written at the end of the process, and fail again.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
        sys.stdout.flush()
        if code == 0 and not isinstance(e, BrokenPipeError):
            from .terminal import fail

            return fail(f"standard output: cannot be written; {e.strerror or e}")
    return code
