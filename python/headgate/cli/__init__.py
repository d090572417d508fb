"""The command `headgate`: one file per command."""

from __future__ import annotations

import os
import sys

import click

from .. import __version__
from ..errors import HeadgateError
from .bench import bench
from .check import check, schema
from .compare import compare
from .diff import diff
from .lists import list_
from .plot import plot
from .replay import replay
from .reproduce import reproduce
from .run import run
from .show import fail
from .sweep import sweep

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 120}


@click.group(context_settings=CONTEXT, epilog="Start with:  headgate reproduce demers1989 scenario-2")
@click.version_option(__version__, prog_name="headgate")
def cli() -> None:
    """Queueing disciplines and congestion control: simulated, measured, compared with the papers."""


for _command in (run, sweep, compare, plot, replay, reproduce, check, schema, list_, diff, bench):
    cli.add_command(_command)


def main() -> None:
    """Runs the command: exit code 2 for anything that the user gave wrong, 130 after Ctrl-C, no traceback for either."""
    from .._core import ScenarioError

    code = 0
    try:
        code = int(cli.main(standalone_mode=False) or 0)
    except click.ClickException as e:
        e.show()
        code = e.exit_code
    except click.exceptions.Exit as e:
        code = e.exit_code
    except (HeadgateError, ScenarioError) as e:
        code = fail(str(e))
    except (click.Abort, KeyboardInterrupt):
        print("stopped", file=sys.stderr)
        code = 130
    except BrokenPipeError:
        # The reader went away, as `head` does: that is no error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
