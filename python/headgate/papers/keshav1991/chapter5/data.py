"""The check values of chapter 5, computed apart from this package: see the `mark` column."""

from __future__ import annotations

import csv
from functools import cache
from importlib import resources


@cache
def rows(name: str) -> tuple[dict[str, str], ...]:
    """The rows of `ch5_NAME.csv`."""
    text = resources.files(__package__).joinpath("..", f"ch5_{name}.csv").read_text("utf-8")
    return tuple(csv.DictReader(text.splitlines()))


def number(row: dict[str, str], column: str) -> float:
    """A number of a row; nan where the cell is empty."""
    return float(row[column] or "nan")
