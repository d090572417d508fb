"""The flows of a trace that are sparse, and what queues do to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..analysis import max_min


def sparse(rate_bps: float, sizes: Any, weights: Any, length_s: float) -> npt.NDArray[np.bool_]:
    """Which flows are sparse: those that ask for no more than their weighted max-min fair share of the link.

    As in runs (`crates/view/src/summary/fairness.rs`), but that a trace does not say what kind of source a flow has. On a link that could
    carry all that is asked for, everything would be a max-min share: there sparse flows ask for no more than an equal part of the link, by
    weight.
    RFC 8290, section 4.2, calls a flow sparse for the same reason: its packets come more slowly than its share would be served.

    Args:
        rate_bps: of the link.
        sizes: bytes of each flow.
        weights: of each flow.
        length_s: from the first packet to the last; without it all packets come at once, and no flow is sparse.

    >>> sparse(9e6, [125_000, 1_250_000, 1_250_000], [1, 1, 1], 1.0).tolist()
    [True, False, False]
    >>> sparse(30e6, [125_000, 1_250_000, 1_250_000], [1, 1, 1], 1.0).tolist()
    [True, True, True]
    >>> sparse(24e6, [125_000, 1_250_000, 1_250_000], [1, 1, 1], 1.0).tolist()
    [True, False, False]
    """
    sizes, weights = np.asarray(sizes, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if not length_s > 0:
        return np.zeros(sizes.size, dtype=bool)
    asked = 8.0 * sizes / length_s
    shares = max_min(rate_bps, asked, weights) if asked.sum() > rate_bps else rate_bps * weights / weights.sum()
    found: npt.NDArray[np.bool_] = asked <= shares * (1 + 1e-9)
    return found


@dataclass(frozen=True)
class QueueRank:
    """What a queue did to some flows together."""

    queue: str
    packets: int
    drops: int
    #: Mean queueing delay of their packets that were sent; nan if none was.
    delay_s: float
    #: The same of all packets, where one that was dropped waited as long as the longest of any queue.
    counted_s: float


def ranked(flows: Mapping[str, Any], queues: Sequence[str], chosen: npt.NDArray[np.bool_]) -> list[QueueRank]:
    """The queues, the one with the least delay of the chosen flows first; of equal ones in their order.

    A packet that was dropped counts as one that waited as long as the longest of these flows in any queue: a queue does not come first
    because it drops what would have waited.

    Args:
        flows: the table of all queues' flows.
        queues: their names.
        chosen: which flows of each queue.
    """
    of = {name: np.flatnonzero(flows["queue"] == name)[chosen] for name in queues}
    longest = max((float(np.nanmax([0.0, *flows["delay_max_s"][rows]])) for rows in of.values()), default=0.0)
    found = []
    for name, rows in of.items():
        sent, packets = int(flows["sent"][rows].sum()), int(flows["packets"][rows].sum())
        drops = int(sum(flows[f"drops_{kind}"][rows].sum() for kind in _core.DROP_KINDS))
        waited = float(np.nansum(flows["delay_mean_s"][rows] * flows["sent"][rows]))
        mean = waited / sent if sent else float("nan")
        found.append(QueueRank(name, packets, drops, mean, (waited + drops * longest) / packets if packets else 0.0))
    return sorted(found, key=lambda rank: rank.counted_s)
