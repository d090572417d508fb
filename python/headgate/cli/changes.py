"""The options `--set NAME=VALUE`: parameters of what is run, and changes of a scenario."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..base.documents import parse_value
from ..base.errors import HeadgateError, cut


def parameters_of(changes: Iterable[str], example: str) -> dict[str, Any]:
    """The parameters that `--set` gives, of which a later one replaces an earlier one of its name.

    >>> parameters_of(["beta=0.5", "burst = 3ms"], "beta=0.5")
    {'beta': 0.5, 'burst': '3ms'}

    Raises:
        HeadgateError: one is not of the form NAME=VALUE, of which the error shows the example.
    """
    return dict(_parts(change, f"NAME=VALUE, such as {example}") for change in changes)


def changes_of(changes: Iterable[str]) -> Iterator[tuple[str, str, Any]]:
    """The texts, paths and values of `--set`, for a scenario.

    Raises:
        HeadgateError: one is not of the form PATH=VALUE.
    """
    for change in changes:
        yield f"--set {change}", *_parts(change, "PATH=VALUE, such as links.slow.rate=1Mbit/s")


def _parts(change: str, form: str) -> tuple[str, Any]:
    name, sign, value = (part.strip() for part in change.partition("="))
    if not (name and sign):
        raise HeadgateError(f"--set {cut(change)}: expected {form}")
    return name, parse_value(value)
