"""How fairly the flows of a run shared the network: against the max-min ideal, and plainly. The names here are those of every command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ..analysis import jain_index, network_max_min, shortfall
from ..analysis.fairness import filled
from ..stats.means import finite

#: The columns of flows that the max-min ideal follows from.
DEMAND_COLUMNS = ("demand_bps", "weight", "start_s", "end_s", "sends_from_s", "sends_until_s")

#: Maximum number of times at which flows begin or end for which the shares before and after each are computed.
MOST_CHANGES = 64


def ideal_bps(flows: Mapping[str, Any], links: Mapping[str, Any], routes: Mapping[str, Any]) -> npt.NDArray[np.float64]:
    """The weighted max-min fair allocation of every flow of one run in bit/s, from columns of its tables.

    Where flows begin or end within the time measured, it is the mean over that time of the allocations for those that send; if there are
    more than `MOST_CHANGES` such times, all flows are taken to send all of the time.

    Args:
        flows: `demand_bps` and `weight`; where it is known when they send, `start_s`, `end_s`, `sends_from_s` and `sends_until_s` too.
        links: `rate_bps`.
        routes: numbers of flows and links, one pair for each hop, as `flow` and `link`.
    """
    lines = lines_of(routes, len(flows["demand_bps"]))
    if "sends_from_s" not in flows:
        return network_max_min(links["rate_bps"].tolist(), lines, flows["demand_bps"], flows["weight"])
    columns = {name: np.asarray(flows[name], dtype=np.float64).tolist() for name in DEMAND_COLUMNS}
    return np.array(shares_of(columns, links["rate_bps"].tolist(), lines))


def shares_of(flows: Mapping[str, Sequence[float]], rates: Sequence[float], lines: list[list[int]]) -> list[float]:
    """As `ideal_bps`, for plain numbers: the rates of the links, and the numbers of the links that each flow crosses."""
    demands, weights = flows["demand_bps"], flows["weight"]
    if not demands:
        return []
    begins, ends, first, last = flows["sends_from_s"], flows["sends_until_s"], flows["start_s"][0], flows["end_s"][0]
    times = sorted({first, last, *begins, *ends})
    whole = all(begin == first for begin in begins) and all(end == last for end in ends)
    if whole or not last > first or len(times) > MOST_CHANGES + 2:
        return filled(rates, lines, demands, weights)
    total = [0.0] * len(demands)
    for since, until in pairwise(times):
        sends = [d if a <= since and until <= b else 0.0 for d, a, b in zip(demands, begins, ends, strict=True)]
        part = (until - since) / (last - first)
        total = [t + part * x for t, x in zip(total, filled(rates, lines, sends, weights), strict=True)]
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
