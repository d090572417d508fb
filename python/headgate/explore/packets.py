"""Single packets: when each arrived at a port, with which numbers the port decided, how long it waited, and when it left or was dropped.

The run is repeated to follow its packets. Of a long run one part is followed at a time: the part around the requested time.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .. import _core
from ..results.tables import from_core
from ..scenario.scenario import Scenario
from .engine import stoppable
from .store import Finished
from .wire import RequestError

Floats = npt.NDArray[np.float64]
#: Arrays of whole numbers, of narrow types where there are very many packets.
Ints = npt.NDArray[np.integer[Any]]

#: Maximum number of packets at ports in one part. Each takes 68 bytes, and 8 for each of its numbers, of which a discipline gives 5 to 20.
MOST = 1_000_000

#: Maximum size of the parts of a run that are kept, in bytes; the last part is kept whatever its size.
KEPT = 200_000_000

#: A part starts at least 1 / BEFORE of its length before the requested time.
BEFORE = 4

#: How many parts are tried until one covers the requested time; the last one starts at that time.
TRIES = 4

#: Maximum number of packets in one response.
LISTED = 1000

#: The columns of the engine, and how they are kept.
_TYPES: dict[str, Any] = {
    "port": np.int32, "number": np.int64, "flow": np.int32, "seq": np.int64, "arrived_s": np.float64, "start_s": np.float64,
    "left_s": np.float64, "bytes": np.uint32, "marked": np.bool_, "reason": np.int8, "arrival": np.int8, "departure": np.int8,
    "shape": np.uint16, "departure_shape": np.uint16, "first": np.int64,
}  # fmt: skip

_lock = threading.Lock()


@dataclass
class Decisions:
    """What a discipline decided about the packets of a port as they arrived and as they left, with the numbers of that moment.

    The numbers of a packet's arrival start at index `first` of `values`; `shapes[shape]` lists their names. Those of its departure follow
    them; `shapes[departure_shape]` lists their names. `arrival` is 0 for a packet that was queued, 1 for one that was marked and queued,
    and otherwise 2 plus the index in the list of drop reasons; `departure` likewise for one that was sent, and -1 for one that did not get
    so far.
    """

    arrival: Ints
    departure: Ints
    shape: npt.NDArray[Any]
    departure_shape: npt.NDArray[Any]
    first: Ints
    values: Floats
    shapes: list[list[str]]

    def of(self, i: int) -> dict[str, float]:
        """The numbers of a packet by their names; the result is empty if it arrived before this part."""
        return self._numbers(int(self.shape[i]), int(self.first[i]))

    def leaving(self, i: int) -> dict[str, float]:
        """The numbers with which was decided about a packet as it left; empty if there was nothing to decide."""
        first = int(self.first[i]) + len(self.shapes[int(self.shape[i])])
        return self._numbers(int(self.departure_shape[i]), first)

    def _numbers(self, shape: int, first: int) -> dict[str, float]:
        names = self.shapes[shape]
        return dict(zip(names, self.values[first : first + len(names)].tolist(), strict=True))

    def column(self, places: Ints, name: str) -> Floats:
        """One number of some packets, nan where a packet has no number of this name."""
        found = np.full(places.size, np.nan)
        for shape, names in enumerate(self.shapes):
            if name in names:
                mine = np.flatnonzero(self.shape[places] == shape)
                found[mine] = self.values[self.first[places[mine]] + names.index(name)]
        return found


@dataclass
class AtPort:
    """The packets of one port in the order of their arrival, as columns.

    `start` is when the transmission began, or when the packet was dropped; it is nan for a packet that waits at the end of the part.
    `reason` is 0 for a packet that was sent, -1 for one that still waits, and otherwise 1 plus the index in the list of drop reasons.
    `number` counts the arrivals at the port since the start of the run.
    """

    flow: Ints
    seq: Ints
    arrived: Floats
    start: Floats
    left: Floats
    bytes: Ints
    marked: npt.NDArray[Any]
    reason: Ints
    number: Ints
    decisions: Decisions | None = None

    def waiting(self, at: float) -> npt.NDArray[np.bool_]:
        """Which packets wait at a time."""
        return (self.arrived <= at) & ~(self.start <= at)

    def place(self, number: int) -> int | None:
        """The index of the packet with this number; None if this part does not have it."""
        place = int(np.searchsorted(self.number, number))
        return place if place < self.number.size and self.number[place] == number else None

    def numbers(self, i: int) -> dict[str, float]:
        """The numbers with which the discipline decided about a packet as it arrived, by their names."""
        return {} if self.decisions is None else self.decisions.of(i)

    def leaving(self, i: int) -> dict[str, float]:
        """The numbers with which the discipline decided about a packet as it left, by their names."""
        return {} if self.decisions is None else self.decisions.leaving(i)

    def taken(self, i: int) -> list[tuple[str, float, str, str | None]]:
        """The decisions about a packet: the moment, the time, what was decided, and the reason of a drop; none where they are not known."""
        if self.decisions is None:
            return []
        arrival, departure = int(self.decisions.arrival[i]), int(self.decisions.departure[i])
        found = [("arrival", float(self.arrived[i]), *_decided(arrival, "queued"))]
        if departure >= 0:
            found.append(("departure", float(self.start[i]), *_decided(departure, "sent")))
        return found


def _decided(code: int, passed: str) -> tuple[str, str | None]:
    """What a decision was, and the reason of a drop."""
    return (passed, None) if code == 0 else ("marked", None) if code == 1 else ("dropped", _core.DROP_REASONS[code - 2])


class Packets:
    """The packets of a part of a run at its ports."""

    def __init__(
        self, columns: Mapping[str, Any], values: Floats, shapes: list[list[int]], span: tuple[float, float]
    ) -> None:
        """Takes the columns of the engine, and the start and the end of the part."""
        self._columns = {name: np.asarray(columns[name]).astype(kind, copy=False) for name, kind in _TYPES.items()}
        self._values = values
        self._shapes = [[_core.NUMBERS[place][0] for place in shape] for shape in shapes]
        self.start, self.until = span

    @property
    def size(self) -> int:
        """Bytes of all columns."""
        return int(sum(c.nbytes for c in self._columns.values()) + self._values.nbytes)

    def covers(self, at: float) -> bool:
        """Whether this part covers a time."""
        return self.start <= at <= self.until

    def at(self, port: int) -> AtPort:
        """The packets of a port."""
        first, last = np.searchsorted(self._columns["port"], [port, port + 1]).tolist()
        c = {name: column[first:last] for name, column in self._columns.items()}
        decisions = Decisions(
            c["arrival"], c["departure"], c["shape"], c["departure_shape"], c["first"], self._values, self._shapes
        )  # fmt: skip
        return AtPort(
            c["flow"], c["seq"], c["arrived_s"], c["start_s"], c["left_s"], c["bytes"], c["marked"], c["reason"],
            c["number"], decisions,
        )  # fmt: skip


class Followed(Protocol):
    """The packets of a part of a run, or of all of it."""

    start: float
    until: float

    def at(self, port: int) -> AtPort:
        """The packets of a port."""


def kept_of(run: Finished, at: float, decisions: bool = False) -> Followed | None:
    """The packets around a time if they are kept; with `decisions`, only such as have the numbers of their decisions."""
    with run.lock:
        # A replay keeps all its packets, without these numbers.
        whole: Followed | None = run.more.get("packets")
        if whole is not None and not decisions:
            return whole
        parts: list[Packets] = run.more.setdefault("parts", [])
        found = next((part for part in parts if part.covers(at)), None)
        if found is not None:
            # The part that was used last is discarded last.
            parts.append(parts.pop(parts.index(found)))
        return found


def packets_of(
    run: Finished, at: float = 0.0, control: _core.Control | None = None, decisions: bool = False
) -> Followed:
    """The packets of the part of a run around a time; the first request repeats the run up to there.

    With `decisions`, the packets have the numbers with which disciplines decided about them.

    Raises:
        StoppedError: the control stopped it.
    """
    at = min(max(at, 0.0), run.until)
    found = kept_of(run, at, decisions)
    if found is not None:
        return found
    with _lock:
        # One at a time: each takes much memory.
        found = kept_of(run, at, decisions)
        for left in reversed(range(TRIES)):
            if found is None:
                part = _followed(run, _beginning(run, at) if left else at, control)
                _keep(run, part)
                # Where packets arrive faster than in the first part, a part is shorter.
                run.more["part"] = min(run.more.get("part", np.inf), part.until - part.start)
                # More packets than a part holds may arrive at one instant: then the part ends there.
                found = part if part.covers(at) or not left else None
        assert found is not None
        return found


def _beginning(run: Finished, at: float) -> float:
    """The start of the part around a time; starts are multiples of one step, so that later requests use the same parts."""
    length: float | None = run.more.get("part")
    if length is None:
        return 0.0
    step = length / BEFORE
    return max(0.0, (at // step - 1) * step) if step > 1e-12 else at


def _followed(run: Finished, start: float, control: _core.Control | None) -> Packets:
    if "follow" in run.more:
        part: Packets = run.more["follow"](start, control)
        return part
    text = Scenario(run.as_run).set("traces", []).to_json()
    with stoppable():
        columns, values, shapes, until = _core.tracks(text, run.seed, 0, start, run.until, MOST, control)
    found = from_core(columns)
    return Packets(found, np.asarray(from_core(values)["value"]), shapes, (start, min(until, run.until)))


def _keep(run: Finished, packets: Packets) -> None:
    with run.lock:
        parts: list[Packets] = run.more.setdefault("parts", [])
        parts.append(packets)
        while len(parts) > 1 and sum(part.size for part in parts) > KEPT:
            parts.pop(0)
        run.more["size"] = sum(part.size for part in parts) + run.more.get("rows", 0)


def port_of(run: Finished, name: str) -> int:
    """The number of a port.

    Raises:
        RequestError: there is none of this name.
    """
    if name not in run.ports:
        raise RequestError(404, f"port {name[:80]!r}; expected one of {', '.join(run.ports[:20])[:400]}")
    return run.ports.index(name)


def listed(
    run: Finished, part: Followed, port: str, span: tuple[float, float], flow: str | None, drops: bool, limit: int
) -> dict[str, Any]:
    """The first `limit` packets that arrived at a port, or were dropped there, within a span of time and within a part.

    Raises:
        RequestError: no such port or flow.
    """
    packets = part.at(port_of(run, port))
    start, end = max(span[0], part.start), min(span[1], part.until)
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
    chosen_ones = [shown(run, packets, i) for i in places[:limit].tolist()]
    return {"packets": chosen_ones, "more": places.size > limit, "followed": followed(part)}


def followed(part: Followed) -> dict[str, float]:
    """The start and the end of a part, as the response has them."""
    return {"from": part.start, "to": part.until}


def shown(run: Finished, packets: AtPort, i: int) -> dict[str, Any]:
    """A packet as the page lists it."""
    flow, reason = int(packets.flow[i]), int(packets.reason[i])
    return {
        "id": int(packets.number[i]),
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
    """The name of a flow; flows of a dynamic workload have only a number."""
    return run.flows[flow] if flow < len(run.flows) else f"flow {flow}"


def queues(run: Finished, part: Followed, at: float) -> dict[str, Any]:
    """The queue of each port at a time: how many packets wait, and how many of each flow."""
    found: list[dict[str, Any]] = []
    for port in {p for _, p in run.before}:
        queue = part.at(port)
        counts = np.bincount(queue.flow[queue.waiting(at)], minlength=len(run.flows))
        by_flow = [{"flow": name_of(run, f), "packets": n} for f, n in enumerate(counts.tolist()) if n]
        found.append({"port": run.ports[port], "packets": int(counts.sum()), "by_flow": by_flow})
    queues = sorted(found, key=lambda q: run.ports.index(q["port"]))
    return {"queues": queues, "until": part.until, "followed": followed(part)}
