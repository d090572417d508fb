"""The columns of a study's tables: what the engine counted, and what follows from it."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np

from .. import _core
from ..fairness import of_ideal
from ..results import flow_rates

#: Columns of the engine that describe a flow or a port rather than measure it; in a study they get this prefix, because
#: axes have names such as `queue`, `control` or `rate_bps`.
DESCRIBE = {
    "flows": ("flow_", ("source", "sink", "control", "workload", "weight", "packet_bytes", "demand_bps")),
    "links": ("link_", ("from", "to", "queue", "rate_bps", "achieved_rate_bps", "delay_s", "achieved_delay_s")),
}

#: Columns that every table of a study has beside the axes.
KEYS = ("variant", "replication", "seed", "digest", "cpu_s")


def derived(table: str, columns: dict[str, Any]) -> dict[str, Any]:
    """The columns of `flows` or `links` in a study, from those of the engine and, for flows, `max_min_bps`."""
    prefix, names = DESCRIBE[table]
    out = {prefix + k if k in names else k: v for k, v in columns.items() if k not in ("run", "max_min_bps")}
    if table == "links":
        return out
    rates = flow_rates(columns)
    rates["max_min_bps"] = columns["max_min_bps"]
    rates["goodput_of_max_min"] = of_ideal(rates["goodput_bps"], columns["max_min_bps"])
    # Rates stand before counts: they are what one looks for.
    place = list(out).index("sent")
    head = dict(list(out.items())[:place])
    return head | rates | dict(list(out.items())[place:])


@cache
def names(table: str) -> tuple[str, ...]:
    """The columns of a table without those of axes, from a run of a millisecond."""
    scenario = {
        "duration": "1ms",
        "nodes": [{"name": "a", "kind": "host"}, {"name": "b", "kind": "host"}],
        "links": [{"from": "a", "to": "b", "rate": "1Mbit/s"}],
        "flows": [{"name": "f", "from": "a", "to": "b"}],
    }
    batch = _core.Batch()
    batch.run(json.dumps(scenario))
    columns = {k: _array(v) for k, v in batch.take(table).items()}
    return tuple(derived(table, columns | {"max_min_bps": np.ones(1)}))


def _array(column: Any) -> Any:
    return column if isinstance(column, list | tuple) else np.asarray(column)


def reserved() -> set[str]:
    """Every name that an axis cannot have."""
    return {*names("flows"), *names("links"), *KEYS, "key", "events", "value", "error", "scenario"}
