"""Options that write runs in the formats of other programs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..base.choices import EXPORTS

if TYPE_CHECKING:
    from ..results.results import Results


def exported(command: Callable[..., None]) -> Callable[..., None]:
    """Adds an option for each format; the command gets their places by format, as `exports`."""

    @functools.wraps(command)
    def gathered(**given: Any) -> None:
        places = {name: given.pop(name) for name in EXPORTS}
        command(exports={name: place for name, place in places.items() if place is not None}, **given)

    for name, (what, about) in reversed(EXPORTS.items()):
        gathered = click.option(f"--{name}", type=click.Path(path_type=Path), metavar=what, help=about)(gathered)
    return gathered


def write_exports(results: Results, places: Mapping[str, Path], max_memory: str | None) -> list[Path]:
    """Writes the files, with a bar that shows how far they are; gives their names."""
    from ..exports import write
    from .terminal import progress

    with progress(f"writing {', '.join(places)}") as callback:
        return write(results, **places, progress=callback, max_memory=max_memory)
