"""The trivial model: what a table would show if nothing but fair shares mattered.

- Every flow gets its weighted max-min fair share of the network, or what it asks for if that is less.
- The round trip is that of an empty network, or window over share where the window is what a flow waits for.
- Nothing is lost, marked or sent again.

It knows the links, routes, packet sizes, windows and what sources ask for, and nothing of disciplines and flow controls. A number that
it meets too says nothing about either.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ..results.columns import columns as columns_of
from ..results.fairness import ideal_bps
from ..results.metrics import Ratio
from .measure import Columns, Floats, Outcome, together
from .model import Measure

#: Columns that count packets which arrive, each once.
ARRIVALS = ("sent", "received", "unique")

#: The same in bytes.
BYTES = ("received_bytes", "unique_bytes")

#: Columns of what does not happen.
NEVER = ("retransmissions", "timeouts", "drops", "lost", "marks")


def of_study(metric: Measure) -> float:
    """What the model gives for a measure that a study makes: nothing is lost, nobody needs time to find the fair share and to use it.

    Such a measure has no column, so its metric in `paper.toml` says it as `trivial`; nan where the model knows nothing of it.
    """
    return math.nan if metric.trivial is None else metric.trivial


class Trivial:
    """The trivial model of one run."""

    def __init__(self, scenario: Mapping[str, Any], outcome: Outcome) -> None:
        """Takes the resolved scenario, and the run for what it says of links, routes and intervals."""
        self._outcome = outcome
        share = _shares(outcome.table("flows"), outcome.table("links"), outcome.table("routes"))
        self._flows = {f["name"]: _flow(f, i, float(share[i]), outcome) for i, f in enumerate(scenario["flows"])}

    def value(self, metric: Measure, source: str, span: tuple[float, float] | None = None) -> float:
        """What the model gives for a measure of a source of the paper; nan where it gives nothing."""
        return metric.scale * self._found(metric, source, span) + metric.offset

    def _found(self, metric: Measure, source: str, span: tuple[float, float] | None) -> float:
        """The measure in the units of the tables."""
        if metric.over_time or (metric.column and metric.table in ("links", "classes")):
            return math.nan
        if metric.to:
            names = self._named(source)
            sums = {
                c: math.fsum(self._flows[n].get(c, math.nan) for n in names)
                for c in Ratio(metric.counts, metric.to).columns
            }
            # What is counted here is that of a second.
            return float(Ratio(metric.counts, metric.to)(sums | {"start_s": 0.0, "end_s": 1.0}))
        if metric.column and metric.table == "flows":
            return self._column(metric, source)
        flow = self._flows[self._outcome.flow(source)]
        if metric.mean or metric.column:
            return flow.get(metric.mean or metric.column, math.nan)
        signs = [(-1.0, name[1:]) if name.startswith("-") else (1.0, name) for name in metric.counts]
        per_second = float(sum(sign * flow.get(name, math.nan) for sign, name in signs))
        return per_second if metric.per_second else per_second * self._outcome.interval_s(span)

    def _named(self, source: str) -> list[str]:
        """The flows that a name or a pattern fits."""
        return [n for n in self._flows if fnmatchcase(n, source)] if "*" in source else [self._outcome.flow(source)]

    def _column(self, metric: Measure, source: str) -> float:
        """A column of the table of flows, of one flow or of those that a pattern fits."""
        names = self._named(source)
        table = self._outcome.table("flows")
        seconds = float(table["end_s"][0] - table["start_s"][0])

        def of(name: str, column: str) -> float:
            found = self._flows[name].get(column, math.nan)
            return found * seconds if column in (*ARRIVALS, *NEVER, *BYTES) else found

        values = [of(n, metric.column) / (of(n, metric.per) if metric.per else 1.0) for n in names]
        weights = columns_of("flows")[metric.column].weights(lambda column: np.array([of(n, column) for n in names]))
        return values[0] if len(values) == 1 else together(metric, np.array(values), weights)


def _flow(flow: Mapping[str, Any], number: int, share: float, outcome: Outcome) -> dict[str, float]:
    """Columns of the table of intervals for one flow: counts per second, and means in seconds."""
    table, links, routes = outcome.table("flows"), outcome.table("links"), outcome.table("routes")
    asked = float(table["demand_bps"][number])
    bits = 8.0 * float(table["packet_bytes"][number])
    acked = 8.0 * _bytes(flow.get("ack", "40B"))
    name = table["flow"][number]
    path = routes["link"][routes["flow"] == name].tolist()
    there = math.fsum(_hop(links, link, bits) for link in path)
    back = math.fsum(_hop(links, _opposite(link), acked) for link in path)
    window = flow.get("control", {}).get("window")
    limited = share < asked * (1 - 1e-9)
    rtt = there + back
    if window is not None and limited and share > 0:
        rtt = max(rtt, float(window) * bits / share)
    rate = share / bits
    columns = dict.fromkeys(ARRIVALS, rate) | dict.fromkeys(NEVER, 0.0)
    columns |= dict.fromkeys(BYTES, share / 8)
    columns |= {"goodput_bps": share, "goodput_pps": rate, "throughput_pps": rate}
    return columns | {
        "rtt_mean_s": rtt if flow.get("acknowledge", True) else math.nan,
        "owd_mean_s": rtt - back,
        "queueing_mean_s": rtt - back - there,
    }


def _hop(links: Columns, link: str, bits: float) -> float:
    at = links["link"] == link
    return float(bits / links["rate_bps"][at][0] + links["delay_s"][at][0])


def _opposite(link: str) -> str:
    return link.removesuffix(":reverse") if link.endswith(":reverse") else f"{link}:reverse"


def _bytes(text: str) -> float:
    """A size as a resolved scenario writes it, such as "40B"."""
    return float(text.removesuffix("B"))


def _shares(flows: Columns, links: Columns, routes: Columns) -> Floats:
    """The max-min shares in bit/s of the flows of a run, in the order of their table."""
    numbers = {}
    for kind, table in (("flow", flows), ("link", links)):
        places = {name: i for i, name in enumerate(table[kind].tolist())}
        numbers[kind] = np.array([places[name] for name in routes[kind].tolist()], dtype=np.int64)
    return ideal_bps(flows, links, numbers)
