"""Harm: what a flow control loses because another one is on the link.

Source: Ware, Mukerjee, Seshan, Sherry, "Beyond Jain's Fairness Index: Setting the Bar for the Deployment of Congestion Control Algorithms",
HotNets 2019, section 4. With x the performance of A alone on the link and y its performance beside B,

    harm = (x - y) / x    of a metric of which more is better, such as throughput,
    harm = (y - x) / y    of a metric of which less is better, such as delay or loss.

0 is no harm and 1 the most there can be; below 0 B is of use to A. The bar that the paper sets for B is the harm that A does to another
A: B may do no more than that. Deviation: the paper compares one run with another; here each replication of the pair is compared with the
replication of the same number alone, and the mean over these has an interval.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def harm(alone: npt.ArrayLike, beside: npt.ArrayLike, less_is_better: bool = False) -> npt.NDArray[np.float64]:
    """The harm of each run; nan where a value is missing, or where what it is compared with is 0.

    Nothing was harmed where both are 0 and less is better: no loss alone, and none beside.

    >>> harm([10.0, 8.0], [4.0, 8.0]).tolist(), harm([0.5, 0.0], [2.0, 0.0], less_is_better=True).tolist()
    ([0.6, 0.0], [0.75, 0.0])
    """
    x, y = np.asarray(alone, dtype=np.float64), np.asarray(beside, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.asarray((y - x) / y if less_is_better else (x - y) / x, dtype=np.float64)
    found[~np.isfinite(found)] = np.nan
    if less_is_better:
        found[(x == 0) & (y == 0)] = 0.0
    return found
