"""What a shell may complete: names of lessons, of examples, and of the entries of lists.

A completion never fails: where nothing is known, nothing is offered.
"""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

from ..base.errors import HeadgateError

#: The names that complete an incomplete one.
Completions = list[str]


def entries(context: click.Context, _: click.Parameter, incomplete: str) -> Completions:
    """Entries of the list whose kind stands before them."""
    from ..base.catalogue import catalogue
    from ..base.floors import registered

    kind, more = context.params.get("kind") or "", registered("lists")
    try:
        return starting_with(more[kind].load().names() if kind in more else catalogue(kind), incomplete)
    except HeadgateError:
        return []


def controls(_: click.Context, __: click.Parameter, incomplete: str) -> Completions:
    """Flow controls."""
    from ..base.catalogue import catalogue

    return starting_with(catalogue("flow-controls"), incomplete)


def schemes(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Disciplines, AQMs, flow controls and workloads; files where there is none."""
    from ..base.catalogue import catalogue

    kinds = ("disciplines", "aqms", "flow-controls", "workloads")
    found = starting_with(dict.fromkeys(name for kind in kinds for name in catalogue(kind)), incomplete)
    return [CompletionItem(name) for name in found] or [CompletionItem(incomplete, type="file")]


def lessons(_: click.Context, __: click.Parameter, incomplete: str) -> Completions:
    """Lessons of the package."""
    from ..explore.lesson import lessons as found

    return starting_with(found(), incomplete)


def examples(_: click.Context, __: click.Parameter, incomplete: str) -> Completions:
    """Scenarios that come with headgate."""
    from ..scenario.examples import examples as found

    return starting_with((e.name for e in found()), incomplete)


def starting_with(names: Iterable[str], incomplete: str) -> Completions:
    """The names that complete an incomplete one."""
    return [name for name in names if name.startswith(incomplete)]
