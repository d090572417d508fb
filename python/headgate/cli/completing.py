"""What a shell may complete: names of papers, of their items, and of the entries of lists.

A completion never fails: where nothing is known, nothing is offered.
"""

from __future__ import annotations

from collections.abc import Iterable

import click

from ..base.errors import HeadgateError

#: The names that complete an incomplete one.
Completions = list[str]


def papers(_: click.Context, __: click.Parameter, incomplete: str) -> Completions:
    """Papers of the list, and all of them."""
    from ..papers.folder import list_papers

    return _starting_with([*list_papers(), "all"], incomplete)


def items(context: click.Context, _: click.Parameter, incomplete: str) -> Completions:
    """Items of the paper that stands before them."""
    from ..papers.load import load_paper

    try:
        return _starting_with((item.name for item in load_paper(context.params["paper"], look=True).items), incomplete)
    except (HeadgateError, KeyError, TypeError):
        return []


def entries(context: click.Context, _: click.Parameter, incomplete: str) -> Completions:
    """Entries of the list whose kind stands before them."""
    from ..base.catalogue import catalogue
    from ..papers.folder import list_papers

    kind = context.params.get("kind") or ""
    try:
        return _starting_with(list_papers() if kind == "papers" else catalogue(kind), incomplete)
    except HeadgateError:
        return []


def controls(_: click.Context, __: click.Parameter, incomplete: str) -> Completions:
    """Flow controls."""
    from ..base.catalogue import catalogue

    return _starting_with(catalogue("flow-controls"), incomplete)


def lessons(_: click.Context, __: click.Parameter, incomplete: str) -> Completions:
    """Lessons of the package."""
    from ..explore.lesson import lessons as found

    return _starting_with(found(), incomplete)


def examples(_: click.Context, __: click.Parameter, incomplete: str) -> Completions:
    """Scenarios that come with headgate."""
    from ..scenario.examples import examples as found

    return _starting_with((e.name for e in found()), incomplete)


def _starting_with(names: Iterable[str], incomplete: str) -> Completions:
    return [name for name in names if name.startswith(incomplete)]
