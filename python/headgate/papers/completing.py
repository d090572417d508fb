"""What a shell may complete of papers: their names, and those of their items."""

from __future__ import annotations

import click

from ..base.errors import HeadgateError
from ..cli.completing import Completions, starting_with


def papers(_: click.Context, __: click.Parameter, incomplete: str) -> Completions:
    """Papers of the list, and all of them."""
    from .packaged import list_papers

    return starting_with([*list_papers(), "all"], incomplete)


def items(context: click.Context, _: click.Parameter, incomplete: str) -> Completions:
    """Items of the paper that stands before them."""
    from .folder import find
    from .heads import head

    try:
        return starting_with((item.name for item in head(find(context.params["paper"])).items), incomplete)
    except (HeadgateError, KeyError, TypeError):
        return []
