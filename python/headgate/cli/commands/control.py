"""headgate control: a flow control by itself, driven by events on the standard input."""

from __future__ import annotations

import json
import sys

import click

from ... import _core
from ...base.errors import HeadgateError, brief
from .. import completing, shared
from ..command import Command, argument, option
from ..scenario_files import plugin_files

#: Maximum length of an event.
_LONGEST = 65536


class ControlCommand(Command):
    """Drive the flow control NAME by events.

    Each line of JSON is answered by a line with its window, threshold and pacing rate. NAME is what other commands take: a name of the
    list, a file (mine.py, libmine.so), module:Class, a table in TOML or JSON, or a program as a list of its arguments.
    """

    group = "Write your own"
    at_once = True
    page = "how-to/process-control"
    heading = """Events, one per line, times in nanoseconds:
  {"t": 0, "ev": "sent"}
  {"t": 40000000, "ev": "ack", "rtt": 40000000}
  {"t": 50000000, "ev": "loss"}
Answers, in packets and packets per second:
  {"t":50000000,"cwnd":5.0,"ssthresh":5.0,"pacing":null}
\b
Examples:"""
    examples = """\
headgate control reno --stdio < events.jsonl
headgate control '{"kind": "cubic", "beta": 0.8}' --stdio --window 1 \\
  < events.jsonl
"""

    name: str = argument(complete=completing.controls)
    stdio: bool = option("Read events from the standard input and answer each on the output.", required=True)
    plugin: tuple[str, ...] = plugin_files()
    window: int | None = option(
        "Initial window in packets; that of its transport unless given.", least=1, most=1_000_000
    )
    seed: int = shared.seed("Seed of its random numbers.")

    def run(self) -> None:
        from ...scenario.subjects import read

        try:
            steps = _core.Steps(json.dumps(read(self.name, "control").table), self.window, self.seed)
        except ValueError as e:
            raise HeadgateError(f"NAME: {e}") from None
        number = 0
        while line := sys.stdin.readline(_LONGEST):
            number += 1
            if len(line) == _LONGEST:
                raise HeadgateError(f"line {number}: expected at most {_LONGEST} characters")
            if not line.strip():
                continue
            try:
                answer = steps.step(line)
            except ValueError as e:
                # The place inside the line that the JSON reader adds is that of one line only.
                raise HeadgateError(f"line {number}: {brief(str(e).split(' at line 1 ')[0])}") from None
            click.echo(answer)
