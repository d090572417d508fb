"""The options that choose where runs are executed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def engine_options(command: F) -> F:
    """Adds `--engine` and `--address` to a command."""
    address = click.option(
        "--address",
        help="Address of a Dask scheduler, such as tcp://host:8786; a cluster on this machine unless given.",
    )
    engine = click.option(
        "--engine",
        type=click.Choice(["local", "dask"]),
        default="local",
        show_default=True,
        help="Where runs are executed.",
    )
    return engine(address(command))
