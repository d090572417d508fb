"""What a shell may complete: names of papers, of their items, and of the entries of lists.

A completion never fails: where nothing can be said, nothing is offered.
"""

from __future__ import annotations

from collections.abc import Iterable

import click

from ..base.errors import HeadgateError

#: A name that was begun, and those that it may become.
Found = list[str]


def papers(_: click.Context, __: click.Parameter, begun: str) -> Found:
    """Papers of the list, and all of them."""
    from ..papers.folder import list_papers

    return _beginning([*list_papers(), "all"], begun)


def items(context: click.Context, _: click.Parameter, begun: str) -> Found:
    """Items of the paper that stands before them."""
    from ..papers.load import load_paper

    try:
        return _beginning((item.name for item in load_paper(context.params["paper"]).items), begun)
    except (HeadgateError, KeyError, TypeError):
        return []


def entries(context: click.Context, _: click.Parameter, begun: str) -> Found:
    """Entries of the list whose kind stands before them."""
    from ..base.catalogue import catalogue
    from ..papers.folder import list_papers

    kind = context.params.get("kind") or ""
    try:
        return _beginning(list_papers() if kind == "papers" else catalogue(kind), begun)
    except HeadgateError:
        return []


def controls(_: click.Context, __: click.Parameter, begun: str) -> Found:
    """Flow controls."""
    from ..base.catalogue import catalogue

    return _beginning(catalogue("flow-controls"), begun)


def examples(_: click.Context, __: click.Parameter, begun: str) -> Found:
    """Scenarios that come with headgate."""
    from ..scenario.examples import examples as found

    return _beginning((e.name for e in found()), begun)


def _beginning(names: Iterable[str], begun: str) -> Found:
    return [name for name in names if name.startswith(begun)]
