"""The columns of a study's tables: what the engine counted, and what is computed from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..results.columns import ColumnInfo
from ..results.columns import columns as known

#: Columns that every table of a study has beside the axes.
KEYS = ("variant", "replication", "seed", "digest")


def name_of(column: ColumnInfo) -> str:
    """The name of a column in a study: one that describes a flow or port gets a prefix, since axes have names such as `queue`."""
    return f"{column.table[:-1]}_{column.name}" if column.kind == "given" else column.name


def derived(table: str, columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of `flows` or `links` in a study, from those of the engine and, for flows, `max_min_bps`."""
    return {name_of(c): columns[c.name] if c.of is None else c.of(columns) for c in known(table).values()}


def names(table: str) -> list[str]:
    """The columns of a table without those of axes."""
    return [name_of(c) for c in known(table).values()]


def measured(table: str) -> list[str]:
    """Those of them that measure something."""
    return [c.name for c in known(table).values() if c.measured]


def reserved() -> set[str]:
    """Every name that an axis cannot have."""
    return {*names("flows"), *names("links"), *KEYS, "cpu_s", "key", "events", "value", "error", "scenario"}
