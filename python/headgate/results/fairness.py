"""How fairly the flows of a run shared the network: against the max-min ideal, and plainly. The names here are those of every command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..analysis import jain_index, network_max_min, shortfall
from ..analysis.fairness import filled
from ..stats.means import finite

if TYPE_CHECKING:
    from .. import _core

#: The columns of flows that the max-min ideal follows from.
DEMAND_COLUMNS = ("demand_bps", "weight", "start_s", "end_s", "sends_from_s", "sends_until_s")


@dataclass(frozen=True)
class Stretch:
    """A part of the time measured in which the same flows send over the same paths.

    Attributes:
        since_s: its beginning.
        until_s: its end.
        rates: of each port, the mean rate in bit/s that its line offers in it.
        lines: of each flow, the numbers of the ports that it crosses, each once.
    """

    since_s: float
    until_s: float
    rates: Sequence[float]
    lines: Sequence[Sequence[int]]


def stretches_of(
    pieces: Sequence[_core.Stretch], rates: Sequence[float], lines: Sequence[Sequence[int]]
) -> list[Stretch]:
    """The stretches of a run: what the engine says of them, with the rates of the scenario, and the ports of each flow at the end."""
    out = []
    for since, until, others, paths in pieces:
        own, ports = list(rates), list(lines)
        for port, bps in others:
            own[port] = bps
        for flow, path in paths:
            ports[flow] = sorted(set(path))
        out.append(Stretch(since, until, own, ports))
    return out


def ideal_bps(flows: Mapping[str, Any], links: Mapping[str, Any], routes: Mapping[str, Any]) -> npt.NDArray[np.float64]:
    """The weighted max-min fair allocation of every flow of one run in bit/s, from columns of its tables.

    Where flows begin or end within the time measured, it is the mean over that time of the allocations for those that send. Tables have
    one rate for each port and one path for each flow: that of a run whose links change while flows begin or end is `Results.max_min_bps`.

    Args:
        flows: `demand_bps` and `weight`; where it is known when they send, `start_s`, `end_s`, `sends_from_s` and `sends_until_s` too.
        links: `capacity_bps`, or where there is none `rate_bps`.
        routes: numbers of flows and links, one pair for each hop, as `flow` and `link`.
    """
    lines = lines_of(routes, len(flows["demand_bps"]))
    rates = links["capacity_bps" if "capacity_bps" in links else "rate_bps"].tolist()
    if "sends_from_s" not in flows:
        return network_max_min(rates, lines, flows["demand_bps"], flows["weight"])
    columns = {name: np.asarray(flows[name], dtype=np.float64).tolist() for name in DEMAND_COLUMNS}
    times = sorted({x for name in DEMAND_COLUMNS[2:] for x in columns[name]})
    return np.array(shares_of(columns, [Stretch(a, b, rates, lines) for a, b in pairwise(times)]))


def shares_of(flows: Mapping[str, Sequence[float]], stretches: Sequence[Stretch]) -> list[float]:
    """The weighted max-min fair allocations in bit/s: the mean over the stretches of those of the flows that send in each.

    Args:
        flows: columns `DEMAND_COLUMNS` as plain numbers. With one stretch, those that send at all are taken to send all of the time.
        stretches: of the time measured, in order.
    """
    demands, weights = flows["demand_bps"], flows["weight"]
    if not demands:
        return []
    span = sum(s.until_s - s.since_s for s in stretches)
    begins, ends, total = flows["sends_from_s"], flows["sends_until_s"], [0.0] * len(demands)
    if len(stretches) == 1 or not span > 0:
        asked = [d if a < b or not span > 0 else 0.0 for d, a, b in zip(demands, begins, ends, strict=True)]
        return filled(stretches[0].rates, stretches[0].lines, asked, weights)
    for s in stretches:
        sending = (a <= s.since_s and s.until_s <= b for a, b in zip(begins, ends, strict=True))
        asked = [d if sends else 0.0 for d, sends in zip(demands, sending, strict=True)]
        part = (s.until_s - s.since_s) / span
        total = [t + part * x for t, x in zip(total, filled(s.rates, s.lines, asked, weights), strict=True)]
    return total


def lines_of(routes: Mapping[str, Any], flows: int) -> list[list[int]]:
    """The numbers of the lines that each of `flows` flows crosses, in rising order and each once."""
    paths: list[set[int]] = [set() for _ in range(flows)]
    for flow, link in zip(routes["flow"].tolist(), routes["link"].tolist(), strict=True):
        paths[flow].add(link)
    return [sorted(path) for path in paths]


#: Workloads that send as fast as their flow control allows, while they have something to send.
BULK = ("ftp", "transfer", "requests")


def sparse(workload: npt.ArrayLike, demand_bps: npt.ArrayLike, max_min_bps: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Which flows of one run are sparse; the others are bulk. There is no third class.

    A sparse flow has a workload with a rate of its own (a call, a game), and needs no more than its weighted max-min fair share. A bulk
    flow sends as fast as its flow control allows (`BULK`), or sends more than its share, as a flood does.

    Args:
        workload: its name, shape (flows,).
        demand_bps: what it asks for in bit/s, infinite if it has no limit, shape (flows,).
        max_min_bps: its share in bit/s, shape (flows,).

    >>> sparse(["cbr", "ftp", "cbr"], [64e3, np.inf, 20e6], [64e3, 5e6, 5e6]).tolist()
    [True, False, False]
    """
    demand, share = (np.asarray(x, dtype=np.float64) for x in (demand_bps, max_min_bps))
    own = ~np.isin(np.asarray(workload), BULK)
    # The share of a flow that gets all that it asks for is computed, so it may be off by a rounding.
    fits: npt.NDArray[np.bool_] = own & (demand <= share * (1 + 1e-9))
    return fits


def of_ideal(goodput_bps: npt.ArrayLike, max_min_bps: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Goodput over its max-min ideal; nan for a flow whose ideal is 0 (it asks for nothing) or infinite (no line limits it).

    >>> of_ideal([30.0, 5.0, 1.0], [40.0, 5.0, 0.0]).tolist()
    [0.75, 1.0, nan]
    """
    got, ideal = np.asarray(goodput_bps, dtype=np.float64), np.asarray(max_min_bps, dtype=np.float64)
    some = (ideal > 0) & np.isfinite(ideal)
    ratio: npt.NDArray[np.float64] = np.divide(got, ideal, out=np.full(got.shape, np.nan), where=some)
    return ratio


def fairness(
    goodput_bps: npt.ArrayLike, max_min_bps: npt.ArrayLike, weights: npt.ArrayLike | None = None
) -> dict[str, float | None]:
    """Four measures: `jain_of_max_min` measures how fair a run was; the other indices ignore the demands of flows.

    - `jain_of_max_min`: Jain's index of goodput over its weighted max-min ideal: 1 if all have the same share of their ideal.
    - `jain_of_weights`: Jain's index of goodput over weight, such as the capacity that a subscriber pays for: 1 if all have the same of it.
    - `jain`: Jain's index of goodput: 1 if all have the same, so it is below 1 for a perfect share if one flow asks for less.
    - `shortfall`: the largest share of its ideal that a flow lacks.

    The first and the last leave out flows whose ideal is 0 or infinite; None if there is no other, or nothing arrived. Weights are 1
    unless given.

    >>> fairness([40.0, 40.0, 0.5], [40.0, 40.0, 0.5])["jain_of_max_min"]
    1.0
    >>> fairness([64.0, 128.0], [64.0, 128.0], weights=[1, 2])["jain_of_weights"]
    1.0
    """
    ratio = of_ideal(goodput_bps, max_min_bps)
    got = np.asarray(goodput_bps, dtype=np.float64)
    return {
        "jain_of_max_min": finite(jain_index(ratio[~np.isnan(ratio)])),
        "jain_of_weights": finite(jain_index(got if weights is None else got / np.asarray(weights, dtype=np.float64))),
        "jain": finite(jain_index(goodput_bps)),
        "shortfall": finite(shortfall(goodput_bps, max_min_bps)),
    }
