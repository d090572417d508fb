"""Tables over time in the answers of runs: what each flow got in each span, and its window at the end of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.markup import escape

from .. import _core
from ..base.errors import HeadgateError, cut
from ..base.units import scale_of
from ..cli.tables.fit import new_table
from ..cli.terminal import console
from ..results.columns import columns
from ..results.results import digits
from ..stats.means import finite
from .arguments import Schema, text

if TYPE_CHECKING:
    from ..results.results import Results
    from ..scenario.scenario import Scenario

#: Rows that the tables of one answer have at most.
MOST = 240

#: The argument of the tools that make runs.
EVERY: Schema = text(
    "Adds a table over time, with a row for each span of this length, such as 1s: goodput, round trips, waits and drops of each flow, and "
    "its window in packets at the end of the span. Ask for it where the question is when, how long or how fast something changes.",
    "1s",
)


def sampled(scenario: Scenario, every: str) -> Scenario:
    """The same run in spans of a length, with the windows of its flows recorded; its warm-up is as long.

    The packets are the same, but the digest is another one, since it has the ends of spans. So the table over time is that of a run of its
    own, and the other tables and the digest of an answer are those of the command.

    Raises:
        HeadgateError: the length is none, or the table would be too long.
        ScenarioError: something in the scenario is wrong.
    """
    try:
        span = _core.quantity(every, "s")[1]
    except ValueError:
        span = 0
    if span <= 0:
        raise HeadgateError(f"every: found {cut(repr(every))}; expected a time such as 1s")
    resolved = scenario.resolve()
    duration, flows = _core.quantity(resolved["duration"])[1], len(resolved["flows"])
    rows = math.ceil(duration / span) * flows
    if rows > MOST:
        least = math.ceil(duration * flows / MOST / 10**9)
        expected = f"at least {least}ms for {_core.counted(flows, 'flow')}, a shorter duration or fewer flows"
        raise HeadgateError(f"every: found {every}, which gives {rows} rows; expected {expected}")
    traces = [*(scenario.data.get("traces") or []), "window"]
    # The resolved one fills in the warm-up, which may follow from the spans.
    made = scenario.put("warm_up", resolved["warm_up"]).put("interval", every)
    return made.put("traces", list(dict.fromkeys(traces)))


def rows_of(results: Results) -> list[dict[str, Any]]:
    """A row for each span and flow of a single run, in the order of time; None where there is no value. Units end the names."""
    table, traces = results.intervals, results.traces
    goodput = columns("flows")["goodput_bps"].of
    assert goodput is not None
    rates = np.asarray(goodput({name: table[name] for name in table.names}))
    own = {name: table[name].tolist() for name in ("flow", "start_s", "end_s", "drops", "timeouts")}
    means = {name: table[name] for name in ("rtt_mean_s", "queueing_mean_s")}
    windows = _windows(traces)
    return [
        {
            "start_s": own["start_s"][i],
            "end_s": own["end_s"][i],
            "flow": own["flow"][i],
            "goodput_bps": _short(rates[i]),
            "rtt_s": _short(means["rtt_mean_s"][i]),
            "queueing_s": _short(means["queueing_mean_s"][i]),
            "window": _last(windows.get(own["flow"][i]), own["end_s"][i]),
            "drops": own["drops"][i],
            "timeouts": own["timeouts"][i],
        }
        for i in range(len(rates))
    ]


def _windows(traces: Any) -> dict[str, tuple[Any, Any]]:
    """The times at which the windows of flows changed, and what they became."""
    chosen = traces["trace"] == "window"
    objects, times, values = (traces[name][chosen] for name in ("object", "time_s", "value"))
    return {str(name): (times[objects == name], values[objects == name]) for name in dict.fromkeys(objects.tolist())}


def _last(window: tuple[Any, Any] | None, end_s: float) -> float | None:
    """The window of a flow at a time."""
    if window is None:
        return None
    at = int(np.searchsorted(window[0], end_s, side="right")) - 1
    return _short(window[1][at]) if at >= 0 else None


def _short(value: float) -> float | None:
    known = finite(float(value))
    return None if known is None else float(f"{known:.4g}")


def print_over_time(rows: list[dict[str, Any]]) -> None:
    """The table; the name of a flow stands in every row, so that a row says all of itself."""
    table = new_table()
    factor, unit = scale_of("bit/s", [row["goodput_bps"] or 0.0 for row in rows])
    for heading in ("from s", "to s"):
        table.add_column(heading, justify="right")
    table.add_column("flow", no_wrap=True)
    for heading in (f"goodput {unit}", "rtt ms", "queueing ms", "window pkt", "drops", "timeouts"):
        table.add_column(heading, justify="right")
    for row in rows:
        scaled = ((row["goodput_bps"], factor), (row["rtt_s"], 1e3), (row["queueing_s"], 1e3), (row["window"], 1.0))
        cells = ["" if value is None else digits(value * by) for value, by in scaled]
        times = [f"{row['start_s']:g}", f"{row['end_s']:g}"]
        table.add_row(*map(escape, [*times, row["flow"], *cells, str(row["drops"]), str(row["timeouts"])]))
    out = console()
    out.print("\nover time of one run, the warm-up included; the window is that at the end of the span")
    out.print(table)
