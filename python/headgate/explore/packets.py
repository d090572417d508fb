"""Single packets: when each arrived at a port, with which numbers the port decided, how long it waited, and when it left or was dropped.

The run is repeated to follow its packets. Of a long run one part is followed at a time: the part around the requested time. The engine's
library (`crates/view/src/packets`) says where it starts, and what is listed of it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .. import _core
from ..scenario.scenario import Scenario
from .engine import stoppable
from .store import Finished
from .wire import RequestError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]

#: Maximum number of packets at ports in one part, the bytes of the parts of a run that are kept, and how many parts are tried.
MOST, KEPT, TRIES, _ = _core.PARTS

#: The columns of times; all others are whole numbers.
_TIMES = ("arrived_s", "start_s", "left_s")

_lock = threading.Lock()


def _typed(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns in the types of the engine."""
    return {
        name: np.ascontiguousarray(column, np.float64 if name in _TIMES else np.int64)
        for name, column in columns.items()
    }


class AtPort:
    """The packets of one port in the order of their arrival, as columns.

    `start` is when the transmission began, or when the packet was dropped; it is nan for a packet that waits at the end of the part.
    `reason` is 0 for a packet that was sent, -1 for one that still waits, and otherwise 1 plus the index in the list of drop reasons.
    `number` counts the arrivals at the port since the start of the run.
    """

    def __init__(
        self, flow: Ints, seq: Ints, arrived: Floats, start: Floats, left: Floats, bytes: Ints, marked: Ints, reason: Ints,
        number: Ints,
    ) -> None:  # fmt: skip
        """Takes the columns of packets of whose decisions nothing is known."""
        columns = {
            "port": np.zeros(len(flow)), "flow": flow, "seq": seq, "arrived_s": arrived, "start_s": start, "left_s": left, "bytes": bytes,
            "marked": marked, "reason": reason, "number": number,
        }  # fmt: skip
        self.core = _core.AtPort(_typed(columns))

    @classmethod
    def of(cls, core: _core.AtPort) -> AtPort:
        """The packets of a port in a part."""
        found = cls.__new__(cls)
        found.core = core
        return found

    def _column(self, name: str) -> npt.NDArray[Any]:
        return np.asarray(self.core.column(name))

    @property
    def flow(self) -> Ints:
        """Numbers of flows."""
        return self._column("flow")

    @property
    def seq(self) -> Ints:
        """Numbers in the flows."""
        return self._column("seq")

    @property
    def number(self) -> Ints:
        """Numbers at the port."""
        return self._column("number")

    @property
    def arrived(self) -> Floats:
        """Times of arrival."""
        return self._column("arrived_s")

    @property
    def start(self) -> Floats:
        """When transmissions began, or packets were dropped."""
        return self._column("start_s")

    @property
    def left(self) -> Floats:
        """When transmissions ended."""
        return self._column("left_s")

    @property
    def bytes(self) -> Ints:
        """Lengths."""
        return self._column("bytes")

    @property
    def marked(self) -> npt.NDArray[np.bool_]:
        """Whether packets carried a mark when they left."""
        return self._column("marked").astype(np.bool_)

    @property
    def reason(self) -> Ints:
        """What became of packets."""
        return self._column("reason").view(np.int8)

    def waiting(self, at: float) -> npt.NDArray[np.bool_]:
        """Which packets wait at a time."""
        return np.asarray(self.core.waiting(at)).astype(np.bool_)

    def place(self, number: int) -> int | None:
        """The index of the packet with this number; None if this part does not have it."""
        return self.core.place(number)

    def numbers(self, i: int) -> dict[str, float]:
        """The numbers with which the discipline decided about a packet as it arrived, by their names."""
        return dict(self.core.numbers(i))

    def leaving(self, i: int) -> dict[str, float]:
        """The numbers with which the discipline decided about a packet as it left, by their names."""
        return dict(self.core.leaving(i))

    def taken(self, i: int) -> list[tuple[str, float, str, str | None]]:
        """The decisions about a packet: the moment, the time, what was decided, and the reason of a drop; none where they are not known."""
        return self.core.taken(i)


class Packets:
    """The packets of a part of a run at its ports."""

    def __init__(
        self, columns: Mapping[str, Any], values: Floats, shapes: list[list[int]], span: tuple[float, float]
    ) -> None:
        """Takes the columns of the engine, and the start and the end of the part."""
        self.core = _core.Part(_typed(columns), np.asarray(values, np.float64), shapes, *span)

    @classmethod
    def of(cls, core: _core.Part) -> Packets:
        """A part that the engine has followed."""
        found = cls.__new__(cls)
        found.core = core
        return found

    @property
    def start(self) -> float:
        """Where it starts, in s."""
        return self.core.start

    @property
    def until(self) -> float:
        """Where it ends, in s."""
        return self.core.until

    @property
    def size(self) -> int:
        """Bytes of all columns."""
        return self.core.size

    def __len__(self) -> int:
        return len(self.core)

    def at(self, port: int) -> AtPort:
        """The packets of a port."""
        return AtPort.of(self.core.at(port))


class Followed(Protocol):
    """The packets of a part of a run, or of all of it."""

    @property
    def start(self) -> float:
        """Where it starts, in s."""

    @property
    def until(self) -> float:
        """Where it ends, in s."""

    def at(self, port: int) -> AtPort:
        """The packets of a port."""


def kept_of(run: Finished, at: float, decisions: bool = False) -> Followed | None:
    """The packets around a time if they are kept; with `decisions`, only such as have the numbers of their decisions."""
    # A replay keeps all its packets, without these numbers.
    whole: Followed | None = run.more.get("packets")
    if whole is not None and not decisions:
        return whole
    found = _parts(run).kept(at)
    return None if found is None else Packets.of(found)


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
        parts = _parts(run)
        for tried in range(TRIES):
            if found is None:
                part = parts.keep(_followed(run, parts.start(at, tried), control), at, tried, KEPT)
                run.more["size"] = parts.size + run.more.get("rows", 0)
                found = None if part is None else Packets.of(part)
        assert found is not None
        return found


def _parts(run: Finished) -> _core.Parts:
    """The parts of a run that were followed."""
    with run.lock:
        found: _core.Parts = run.more.setdefault("parts", _core.Parts())
        return found


def _followed(run: Finished, start: float, control: _core.Control | None) -> _core.Part:
    if "follow" in run.more:
        part: Packets = run.more["follow"](start, control)
        return part.core
    text = Scenario(run.as_run).set("traces", []).to_json()
    with stoppable():
        return _core.part_of(text, run.seed, run.number, start, run.until, MOST, control)


def place_of(what: str, name: str, known: list[str]) -> int:
    """The number of a port, or of another thing, by its name.

    Raises:
        RequestError: there is none of this name.
    """
    try:
        return _core.place_of(what, name, known)
    except LookupError as e:
        raise RequestError(404, str(e)) from None


def listed(
    run: Finished, part: Followed, port: str, span: tuple[float, float], flow: str | None, drops: bool, limit: int
) -> dict[str, Any]:
    """The first `limit` packets that arrived at a port, or were dropped there, within a span of time and within a part.

    Raises:
        RequestError: no such port or flow.
    """
    packets = part.at(place_of("port", port, run.ports)).core
    try:
        text = packets.listed(run.flows, (part.start, part.until), span, flow, drops, limit)
    except LookupError as e:
        raise RequestError(404, str(e)) from None
    found: dict[str, Any] = json.loads(text)
    return found


def queues(run: Finished, part: Followed, at: float) -> dict[str, Any]:
    """The queue of each port at a time: how many packets wait, and how many of each flow."""
    crossed = [(port, part.at(port).core) for port in sorted({p for _, p in run.before})]
    found: dict[str, Any] = json.loads(_core.queues(crossed, run.ports, run.flows, at, (part.start, part.until)))
    return found
