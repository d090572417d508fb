"""Single packets: when each came to a port, how long it waited, and when it left or was dropped. The run is repeated for it."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..scenario import Scenario
from ..tables import from_core
from .store import Finished
from .wire import RequestError

Floats = npt.NDArray[np.float64]
#: Whole numbers; narrow ones where there are very many.
Ints = npt.NDArray[np.integer[Any]]

#: Packets at ports that are followed; of a longer run only its beginning.
MOST = 1_000_000

#: Packets of one answer.
LISTED = 1000

_lock = threading.Lock()


@dataclass
class AtPort:
    """The packets of one port in the order of their arrival, as columns.

    `start` is when the transmission began, or when the packet was dropped; nan for one that waits or is on the line when the run ends.
    `reason` is 0 for one that was sent, and otherwise the place in the list of reasons plus 1; -1 for one that still waits.
    """

    flow: Ints
    seq: Ints
    arrived: Floats
    start: Floats
    left: Floats
    bytes: Ints
    marked: Ints
    reason: Ints
    row: Ints

    def waiting(self, at: float) -> npt.NDArray[np.bool_]:
        """Which packets wait at a time."""
        return (self.arrived <= at) & ~(self.start <= at)


class Packets:
    """All packets of a run at its ports."""

    def __init__(self, columns: dict[str, Any], numbers: dict[str, Any], run: Finished) -> None:
        """Takes what the engine gives."""
        self._columns = columns
        self._numbers = numbers
        # Not the run itself, which holds these packets.
        self._before, self._lines = run.before, run.lines
        self._ports: dict[int, AtPort] = {}
        self.until = float(columns["at_s"][-1]) if len(columns["at_s"]) >= MOST else run.until

    @property
    def size(self) -> int:
        """Bytes of all columns."""
        return int(sum(c.nbytes for c in self._columns.values())) * 2

    def at(self, port: int) -> AtPort:
        """The packets of a port."""
        if port not in self._ports:
            self._ports[port] = self._of_port(port)
        return self._ports[port]

    def gauges(self, row: int) -> dict[str, float]:
        """What the discipline's gauges showed when it dropped a packet."""
        first, last = np.searchsorted(self._numbers["row"], [row, row + 1]).tolist()
        names, values = self._numbers["name"][first:last], self._numbers["value"][first:last]
        return dict(zip(names.tolist(), values.tolist(), strict=True))

    def _of_port(self, port: int) -> AtPort:
        c = self._columns
        mine = np.flatnonzero(c["port"] == port)
        flow, at, reason = c["flow"][mine], c["at_s"][mine], c["reason"][mine]
        rate, delay = self._lines[port]
        sent = reason == 0
        left = np.where(sent, at - delay, np.nan)
        # At the first port of a path the time of the arrival follows from that of the departure.
        arrived = np.where(sent, left - 8.0 * c["bytes"][mine] / rate - c["waited_s"][mine], at)
        late = list[Ints]()
        for f in np.unique(flow).tolist():
            before = self._before.get((f, port))
            if before is None:
                continue
            up = np.flatnonzero((c["port"] == before) & (c["flow"] == f) & (c["reason"] == 0))
            own = np.flatnonzero(flow == f)
            found = _matched((c["seq"][up], c["at_s"][up]), (c["seq"][mine[own]], at[own], arrived[own], sent[own]))
            known = found >= 0
            arrived[own[known]] = c["at_s"][up[found[known]]]
            rest = np.setdiff1d(np.arange(up.size), found[known])
            # A flow's packets leave in order: those after the last one that left still wait, and earlier ones were lost on the wire.
            newest = float(arrived[own[sent[own]]].max(initial=-1.0))
            late.append(up[rest[c["at_s"][up[rest]] > newest]])
        start = np.where(sent, arrived + c["waited_s"][mine], at)
        rest = np.concatenate(late) if late else np.empty(0, dtype=np.int64)
        rows = np.concatenate([mine, rest])
        order = np.argsort(np.concatenate([arrived, c["at_s"][rest]]), kind="stable")
        none = np.full(rest.size, np.nan)
        return AtPort(
            c["flow"][rows][order], c["seq"][rows][order],
            np.concatenate([arrived, c["at_s"][rest]])[order], np.concatenate([start, none])[order],
            np.concatenate([left, none])[order], c["bytes"][rows][order], c["marked"][rows][order],
            np.concatenate([reason, np.full(rest.size, -1)])[order], rows[order],
        )  # fmt: skip


def _matched(up: tuple[Ints, Floats], own: tuple[Ints, Floats, Floats, npt.NDArray[np.bool_]]) -> Ints:
    """For each packet that left a port or was dropped there, its place among those that came; -1 if it is none of them.

    Args:
        up: numbers and times of the packets that came, in order of time.
        own: numbers, times of leaving, guesses of the times of arrival, and whether each was sent.

    >>> came = np.array([1, 2, 1]), np.array([0.1, 0.2, 0.9])
    >>> gone = np.array([1, 1, 3]), np.array([0.9, 1.0, 1.0]), np.array([0.9, 0.1, 1.0]), np.array([False, True, True])
    >>> _matched(came, gone).tolist()
    [2, 0, -1]
    """
    seq, at = up
    own_seq, own_at, guess, sent = own
    known, first, count = np.unique(seq, return_index=True, return_counts=True)
    place = np.minimum(np.searchsorted(known, own_seq), max(known.size - 1, 0))
    there = (known[place] == own_seq) if known.size else np.zeros(own_seq.size, dtype=bool)
    found = np.full(own_seq.size, -1, dtype=np.int64)
    once = there & (count[place] == 1) if known.size else there
    found[once] = first[place[once]]
    # Of a packet that was sent again there are several, and which is which follows from the times: first those that were dropped as they
    # came, then those that were sent, then those that had to make room for others.
    several = np.flatnonzero(there & ~once)
    order = np.argsort(seq, kind="stable")
    edges = np.append(0, np.cumsum(count))
    open_ = {int(known[k]): order[edges[k] : edges[k + 1]].tolist() for k in np.unique(place[several]).tolist()}
    exact = np.array([not sent[i] and own_at[i] in at[open_[int(own_seq[i])]] for i in several.tolist()], dtype=bool)
    rest = several[~exact] if several.size else several
    for i in [*several[exact].tolist(), *rest[sent[rest]].tolist(), *rest[~sent[rest]].tolist()]:
        places = [p for p in open_[int(own_seq[i])] if at[p] <= own_at[i]]
        if places:
            found[i] = min(places, key=lambda p: (abs(at[p] - guess[i]), -p))
            open_[int(own_seq[i])].remove(int(found[i]))
    return found


def packets_of(run: Finished) -> Packets:
    """The packets of a run; it is repeated when they are first asked for."""
    with run.lock:
        if "packets" not in run.more:
            # One at a time: each takes memory of its own.
            with _lock:
                text = Scenario(run.as_run).set("traces", []).to_json()
                columns, numbers = _core.tracks(text, run.seed, 0, MOST)
            found = Packets(from_core(columns), from_core(numbers), run)
            run.more["packets"], run.more["size"] = found, found.size
        packets: Packets = run.more["packets"]
        return packets


def port_of(run: Finished, name: str) -> int:
    """The number of a port.

    Raises:
        RequestError: there is none of this name.
    """
    if name not in run.ports:
        raise RequestError(404, f"port {name[:80]!r}; expected one of {', '.join(run.ports[:20])[:400]}")
    return run.ports.index(name)


def listed(
    run: Finished, port: str, start: float, end: float, flow: str | None, drops: bool, limit: int
) -> dict[str, Any]:
    """The packets of a port that came or were dropped from `start` to `end`, the first `limit` of them.

    Raises:
        RequestError: no such port or flow.
    """
    packets = packets_of(run).at(port_of(run, port))
    when = packets.start if drops else packets.arrived
    chosen = (when >= start) & (when <= end)
    if drops:
        chosen &= packets.reason > 0
    if flow is not None:
        if flow not in run.flows:
            raise RequestError(404, f"flow {flow[:80]!r}; expected one of {', '.join(run.flows[:20])[:400]}")
        chosen &= packets.flow == run.flows.index(flow)
    places = np.flatnonzero(chosen)
    limit = min(max(limit, 1), LISTED)
    return {"packets": [shown(run, packets, i) for i in places[:limit].tolist()], "more": places.size > limit}


def shown(run: Finished, packets: AtPort, i: int) -> dict[str, Any]:
    """A packet as the page lists it."""
    flow, reason = int(packets.flow[i]), int(packets.reason[i])
    return {
        "id": i,
        "flow": name_of(run, flow),
        "seq": int(packets.seq[i]),
        "arrived": float(packets.arrived[i]),
        "started": float(packets.start[i]) if reason == 0 else None,
        "left": float(packets.left[i]) if reason == 0 else None,
        "dropped": float(packets.start[i]) if reason > 0 else None,
        "reason": _core.DROP_REASONS[reason - 1] if reason > 0 else None,
        "bytes": int(packets.bytes[i]),
        "marked": bool(packets.marked[i]),
    }


def name_of(run: Finished, flow: int) -> str:
    """The name of a flow; those that come and go have none of their own."""
    return run.flows[flow] if flow < len(run.flows) else f"flow {flow}"


def queues(run: Finished, at: float) -> dict[str, Any]:
    """What waits at each port at a time: packets, and how many of each flow."""
    packets = packets_of(run)
    found: list[dict[str, Any]] = []
    for port in {p for _, p in run.before}:
        queue = packets.at(port)
        counts = np.bincount(queue.flow[queue.waiting(at)], minlength=len(run.flows))
        by_flow = [{"flow": name_of(run, f), "packets": n} for f, n in enumerate(counts.tolist()) if n]
        found.append({"port": run.ports[port], "packets": int(counts.sum()), "by_flow": by_flow})
    return {"queues": sorted(found, key=lambda q: run.ports.index(q["port"])), "until": packets.until}
