"""How fairly the flows of a run shared the network: against the max-min ideal, and plainly. The names here are those of every command.

The formulas are the engine's (`crates/view/src/summary`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..analysis import network_max_min
from ..stats.means import finite

if TYPE_CHECKING:
    from .._core import Stretch

#: The columns of flows that the max-min ideal follows from, and those of the ends of the time measured.
DEMAND_COLUMNS = ("demand_bps", "weight", "sends_from_s", "sends_until_s")
_ENDS = ("start_s", "end_s")


def ideal_bps(flows: Mapping[str, Any], links: Mapping[str, Any], routes: Mapping[str, Any]) -> npt.NDArray[np.float64]:
    """The weighted max-min fair allocation of every flow of one run in bit/s, from columns of its tables.

    Where flows begin or end within the time measured, it is the mean over that time of the allocations for those that send. Tables have
    one rate for each port and one path for each flow: that of a run whose links change while flows begin or end is `Results.max_min_bps`.

    Args:
        flows: `demand_bps` and `weight`; where it is known when they send, `start_s`, `end_s`, `sends_from_s` and `sends_until_s` too.
        links: `capacity_bps`, or where there is none `rate_bps`.
        routes: numbers of flows and links, one pair for each hop, as `flow` and `link`.
    """
    hops = (routes["flow"].tolist(), routes["link"].tolist())
    rates = links["capacity_bps" if "capacity_bps" in links else "rate_bps"].tolist()
    if "sends_from_s" not in flows:
        lines = [list[int]() for _ in flows["demand_bps"]]
        for flow, link in zip(*hops, strict=True):
            lines[flow].append(link)
        return network_max_min(rates, lines, flows["demand_bps"], flows["weight"])
    columns = {name: np.asarray(flows[name], dtype=np.float64).tolist() for name in (*DEMAND_COLUMNS, *_ENDS)}
    times = sorted({x for name in (*DEMAND_COLUMNS[2:], *_ENDS) for x in columns[name]})
    return np.array(shares_of(columns, rates, hops, [(a, b, [], []) for a, b in pairwise(times)]))


def shares_of(
    flows: Mapping[str, Sequence[float]],
    rates: Sequence[float],
    hops: tuple[Sequence[int], Sequence[int]],
    stretches: Sequence[Stretch],
) -> list[float]:
    """The weighted max-min fair allocations in bit/s: the mean over the stretches of those of the flows that send in each.

    Args:
        flows: columns `DEMAND_COLUMNS` as plain numbers. With one stretch, those that send at all are taken to send all of the time.
        rates: of each port, in bit/s, where a stretch does not have another one.
        hops: the numbers of flows and of ports that they cross, one pair for each hop, where a stretch does not have other ones.
        stretches: of the time measured, in order, as `RunResult.stretches` gives them.
    """
    demand, weight, begins, ends = (flows[name] for name in DEMAND_COLUMNS)
    return _core.max_min_shares(demand, weight, begins, ends, rates, hops, stretches)


_of_ideal = np.frompyfunc(_core.of_ideal, 2, 1)


def of_ideal(goodput_bps: npt.ArrayLike, max_min_bps: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Goodput over its max-min ideal; nan for a flow whose ideal is 0 (it asks for nothing) or infinite (no line limits it).

    >>> of_ideal([30.0, 5.0, 1.0], [40.0, 5.0, 0.0]).tolist()
    [0.75, 1.0, nan]
    """
    # numpy reads the processor's flags, which a division leaves that is not used.
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(_of_ideal(goodput_bps, max_min_bps), dtype=np.float64)


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
    got = np.asarray(goodput_bps, dtype=np.float64)
    ideal, weight = (
        np.asarray(x, dtype=np.float64) for x in (max_min_bps, np.ones(got.shape) if weights is None else weights)
    )
    return {name: finite(value) for name, value in _core.fairness_of(got, ideal, weight).items()}
