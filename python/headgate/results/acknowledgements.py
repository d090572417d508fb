"""What acknowledgements take of a line, and the time that they spend in queues.

Neither is in a flow's goodput or in the wait of its packets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..stats.means import pooled

if TYPE_CHECKING:
    from .results import Results

Array = npt.NDArray[np.float64]


class Acknowledgements:
    """The acknowledgements of all runs together.

    Paths are those at the end of the run, and acknowledgements take the links of the data back.
    """

    def __init__(self, results: Results) -> None:
        """Reads the tables of ports, flows and routes."""
        runs, flows = len(results.runs), results.flow_count
        names = results.links["link"][: len(results.links["link"]) // runs].tolist()
        place = {name: i for i, name in enumerate(names)}
        number = {name: i for i, name in enumerate(results.flows["flow"][:flows].tolist())}
        first = results.routes["run"] == results.runs[0].run
        self._paths: list[list[int]] = [[] for _ in range(flows)]
        for flow, link in zip(results.routes["flow"][first], results.routes["link"][first], strict=True):
            self._paths[number[str(flow)]].append(place[str(link)])

        def of(table: str, column: str) -> Array:
            found = getattr(results, table)[column].astype(np.float64).reshape(runs, -1)
            return np.asarray(found, dtype=np.float64)

        self._wait = pooled(of("links", "queueing_mean_s"), of("links", "sent"), axis=0)
        self._delay = of("links", "delay_s")[0]
        self._rate = of("links", "rate_bps")[0]
        span = (results.flows["end_s"] - results.flows["start_s"]).reshape(runs, -1)[:, :1]
        self._offered = (of("links", "capacity_bps") * span).sum(axis=0)
        self._sent = of("links", "sent_bytes").sum(axis=0)
        self._received, self._packets = (of("flows", name).sum(axis=0) for name in ("received_bytes", "received"))
        self._trip = pooled(of("flows", "rtt_mean_s"), of("flows", "rtt_count"), axis=0)
        self._one_way = pooled(of("flows", "owd_mean_s"), of("flows", "received"), axis=0)
        entries = results.scenario["flows"]
        # Of one that is not acknowledged there is none.
        bytes_ = [_bytes(f.get("ack", "0B")) if f.get("acknowledge", True) else 0.0 for f in entries]
        self._bytes = np.array(bytes_ if len(bytes_) == flows else [0.0] * flows)

    def wait_s(self, flow: int) -> float:
        """The mean wait of a flow's acknowledgements; nan where it is not known.

        It is what its round trips took beyond the way there, queues included, and the way back without them, and no more than packets
        wait in the queues of the way back.
        """
        back = [port ^ 1 for port in self._paths[flow]]
        waits = self._wait[back]
        base = self._delay[back].sum() + (8 * self._bytes[flow] / self._rate[back]).sum()
        beyond = float(self._trip[flow] - self._one_way[flow] - base)
        return max(min(beyond, float(np.nansum(waits))), 0.0) if beyond == beyond else float("nan")

    def share(self, flow: int) -> float:
        """The greatest share of what a line on the flow's path offered that acknowledgements of data in the other direction took."""
        return max((self._of_port(port) for port in self._paths[flow]), default=0.0)

    def _of_port(self, port: int) -> float:
        there = [i for i, path in enumerate(self._paths) if port in path]
        back = [i for i, path in enumerate(self._paths) if port ^ 1 in path]
        # All that was sent but data, and no more than one for each packet.
        taken = min(
            self._sent[port] - self._received[there].sum(), float((self._packets[back] * self._bytes[back]).sum())
        )
        return float(8 * taken / self._offered[port]) if taken > 0 and self._offered[port] > 0 else 0.0


def _bytes(text: str) -> float:
    """A size as a resolved scenario writes it, such as "40B"."""
    return float(str(text).removesuffix("B"))
