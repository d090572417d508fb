"""Completion in the shell: what is offered for a word that was begun."""

from __future__ import annotations

import os
from unittest.mock import patch

import pytest

from ..conftest import Cli


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("repr", ["reproduce"]),
        ("reproduce st", ["stoica1998"]),
        ("reproduce al", ["all"]),
        ("reproduce demers1989 fig", ["figure-1"]),
        ("list disciplines dr", ["drr", "drr_plus_plus", "drr_plus"]),
        ("list controls cub", ["cubic", "cubic_linux"]),
        ("list papers st", ["stoica1998"]),
        ("control cub", ["cubic", "cubic_linux"]),
        ("examples gam", ["game"]),
        ("cite fq_c", ["fq_codel"]),
        # The shell completes files itself.
        ("cite scenarios/t", ["file,scenarios/t"]),
        # Where nothing can be said, nothing is offered, and nothing fails.
        ("reproduce nobody fig", []),
        ("list nothing dr", []),
    ],
)
def test_names_are_completed(words: str, expected: list[str], cli: Cli) -> None:
    line = f"headgate {words}"
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_HEADGATE_COMPLETE": "bash_complete"}
    with patch.dict(os.environ, asked):
        done = cli()
    assert (done.returncode, done.stderr) == (0, "")
    assert [x.removeprefix("plain,") for x in done.stdout.split()] == expected
