"""The table of `headgate quick --shaper sweep`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape

from ...base.units import percent, scale_of
from ...results.results import digits
from ..terminal import console
from .fit import new_table

if TYPE_CHECKING:
    from ...quick.sweeping import ShaperSweep


def print_sweep(found: ShaperSweep) -> None:
    """Each rate with the round trips of the flow that is watched, and what it costs."""
    table = new_table()
    factor, unit = scale_of("bit/s", [p.goodput_bps for p in found.points])
    table.add_column("shaper", no_wrap=True)
    table.add_column(f"{escape(found.watched)} rtt ms", justify="right")
    table.add_column("95 % below ms", justify="right")
    if found.fillers:
        table.add_column(f"{escape(found.fillers)} {unit}", justify="right")
        table.add_column("costs", justify="right")
    for point in found.points:
        cells = [point.shaper or "none", digits(1e3 * point.rtt_s), digits(1e3 * point.rtt_p95_s)]
        cost = found.cost(point)
        if found.fillers:
            cells += [
                digits(point.goodput_bps * factor),
                "" if cost is None or not point.shaper else percent(cost) if cost >= 0.0005 else "0",
            ]
        table.add_row(*map(escape, cells))
    what = " and the ".join({"down": "download", "up": "upload"}[way] for way in found.ways)
    console().print(f"a shaper of the {what} in the router ({found.queue}), before a modem", markup=False)
    console().print(table)
