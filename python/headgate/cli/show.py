"""Machine-readable output of commands."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..base.errors import HeadgateError


@contextmanager
def output() -> Iterator[None]:
    """Reports an error of standard output as a message."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as e:
        raise HeadgateError(f"standard output: cannot be written; {e.strerror or e}") from None


def print_json(value: Any) -> None:
    """Prints a value as JSON, and nothing else."""
    # In one piece: writing it bit by bit takes longer than making it.
    text = json.dumps(value, indent=1, allow_nan=False) + "\n"
    with output():
        sys.stdout.write(text)
