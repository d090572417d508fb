"""The table of `headgate quick` with several values of an option."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape

from ...base.units import scale_of
from ...results.groups import groups
from ...results.results import Results, digits
from ..terminal import console
from .fit import new_table


def print_several(option: str, values: Sequence[str], results: Sequence[Results]) -> None:
    """Each value with the goodput and the delays of its flows; those that are alike have a row together."""
    table = new_table()
    found = [groups(one) for one in results]
    factor, unit = scale_of("bit/s", [group.goodput_bps.mean for own in found for group in own])
    table.add_column(option)
    table.add_column("flows", no_wrap=True)
    for heading in (f"goodput {unit}", "rtt ms", "rtt p99 ms", "queueing ms", "drops"):
        table.add_column(heading, justify="right")
    for value, own in zip(values, found, strict=True):
        for i, group in enumerate(own):
            cells = [value if i == 0 else "", group.name, digits(group.goodput_bps.mean * factor)]
            trips = (group.rtt_s.mean, group.rtt_p99_s)
            cells += [digits(1e3 * trip) if trip >= 0 else "" for trip in trips]
            cells.append(digits(1e3 * group.queueing_s.mean))
            table.add_row(*map(escape, [*cells, str(group.counts["drops"])]))
    console().print(table)
