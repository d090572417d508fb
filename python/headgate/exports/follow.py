"""What happens in a run, packet by packet: the run is repeated, and what happens is passed on while it runs.

Whatever the length of the run, some 32,000 events are in memory at a time. The repetition is the same run: its digest is compared.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from .. import _core
from ..base.errors import HeadgateError
from ..base.memory import share
from ..scenario.scenario import Scenario

if TYPE_CHECKING:
    from ..results.results import Results

#: Columns of a table as arrays of the same length.
Columns = dict[str, npt.NDArray[Any]]

#: Called with (share done of a repetition).
Progress = Callable[[float], object]

#: The kinds of traces that estimates do not stand under.
_PLAIN = ("window", "in_flight", "rtt", "backlog", "drops", "completions")


@dataclass(frozen=True)
class PortInfo:
    """A port, as the scenario has it."""

    name: str
    start: str
    end: str
    queue: str
    rate_bps: float
    delay_s: float


@dataclass(frozen=True)
class FlowInfo:
    """A flow of the scenario, or a class of flows that come and go."""

    name: str
    source: str
    sink: str
    control: str
    workload: str
    packet_bytes: int


class RunInfo:
    """One run of a scenario: what is known before it is repeated."""

    def __init__(self, results: Results, number: int) -> None:
        """Takes the place of the run among the results."""
        self.results, self.number = results, number
        self.run = results.runs[number]
        self.scenario = results.scenario
        self.name = self.run.name or "scenario"

    def _rows(self, table: str) -> Iterable[Mapping[str, Any]]:
        every = getattr(self.results, table)
        return (row for row in every.rows() if row["run"] == self.run.run)

    @cached_property
    def ports(self) -> list[PortInfo]:
        """In the order of their numbers."""
        return [
            PortInfo(r["link"], r["from"], r["to"], r["queue"], r["rate_bps"], r["delay_s"])
            for r in self._rows("links")
        ]

    @cached_property
    def flows(self) -> list[FlowInfo]:
        """In the order of the scenario's entries."""
        return [
            FlowInfo(r["flow"], r["source"], r["sink"], r["control"], r["workload"], r["packet_bytes"])
            for r in self._rows("flows")
        ]

    @property
    def origin(self) -> str:
        """A sentence that says where the numbers come from."""
        return (
            f"simulated by headgate {_core.__version__}: {self.name}, seed {self.run.seed}, run {self.run.run}, "
            f"digest {self.run.digest}; times are simulated times, and 0 is the beginning of the run"
        )

    def events(self) -> list[tuple[int, str]]:
        """The changes of the network that the scenario gives: time in ns, and what changes."""
        found = []
        for event in self.scenario.get("events", []):
            what = ", ".join(f"{key} {value}" for key, value in event.items() if key != "at" and value is not None)
            found.append((round(_core.quantity(event["at"])[2] * 1e9), what))
        return sorted(found)


@dataclass
class Batch:
    """What happened in a part of a run; each table is in the order of time.

    `packets` has the columns `port`, `number`, `flow`, `seq`, `arrived_ns`, `start_ns` (of the transmission, or when it was dropped),
    `left_ns`, `bytes`, `marked`, `reason` (0: sent, otherwise 1 plus the place in the list of reasons), `arrival`, `departure`, `entry`,
    `ack`, `ecn`. `ends` has `what` (0: data was sent, 1: it reached its sink, 2: an acknowledgement reached the source), `at_ns`,
    `entry`, `flow`, `seq`, `cumulative`, `bytes`, `marked`. `values` has `kind` (a place in `kinds`), `object` (a flow's entry; ports
    follow them), `at_ns`, `value`.
    """

    packets: Columns
    ends: Columns
    values: Columns
    kinds: list[str]
    #: At the end of the run, the packets that still wait at a port.
    waiting: Columns = field(default_factory=dict)


class Writer(Protocol):
    """Writes what happens in a run in some format."""

    def take(self, batch: Batch) -> None:
        """The next part of the run."""

    def finish(self) -> None:
        """The run is over."""


def repeat(
    of: RunInfo,
    writers: Sequence[Writer],
    traces: Iterable[str],
    packets: bool,
    progress: Progress | None = None,
    max_memory: str | int | None = None,
) -> None:
    """Repeats a run and passes what happens to writers.

    Args:
        of: the run.
        writers: each gets all of it.
        traces: the traces that they need, besides packets.
        packets: whether they need packets.
        progress: called with the share that is done.
        max_memory: bytes, or a size such as "4GB", that the simulation may take; three quarters of the machine's unless given.

    Raises:
        HeadgateError: the repetition is another run, as that of a plugin that draws its own random numbers.
        ScenarioError: the run takes more memory than it may.
    """
    text = Scenario(of.scenario).put("traces", sorted(traces)).to_json()
    control = _core.Control(share(max_memory, 1))
    pending = _Pending(writers)

    def take(*parts: Any) -> None:
        pending.take(*parts)
        if progress is not None:
            progress(control.share)

    digest = _core.follow(text, of.run.seed, of.run.run, take, packets, control)
    if digest != of.run.digest:
        raise HeadgateError(
            f"{of.name}: repeated, run {of.run.run} has the digest {digest}; expected {of.run.digest}. "
            "Does a plugin draw its own random numbers?"
        )
    for writer in writers:
        writer.finish()


class _Pending:
    """Packets are known when their transmission has begun, at some ports later than at others: all wait until none can come before them."""

    def __init__(self, writers: Sequence[Writer]) -> None:
        self._writers = writers
        self._held: dict[str, Columns] = {}

    def take(
        self, packets: Mapping[str, Any], ends: Mapping[str, Any], values: Mapping[str, Any], until: float
    ) -> None:
        kinds = _names(values["trace"])
        traced = {"kind": _codes(values["trace"]), "object": _codes(values["object"])}
        traced |= {name: np.asarray(values[name]) for name in ("time_s", "value")}
        arrived = _columns(packets)
        if arrived:
            order = np.lexsort((arrived["number"], arrived["port"], arrived["start_s"]))
            arrived = {name: column[order] for name, column in arrived.items()}
        ready = [
            self._ready("packets", arrived, "start_s", until),
            self._ready("ends", _columns(ends), "at_s", until),
            self._ready("values", traced, "time_s", until),
        ]
        # At the end of the run those are left that have not begun.
        waiting = _times(self._held["packets"]) if np.isposinf(until) and arrived else {}
        batch = Batch(_times(ready[0]), _times(ready[1]), _times(ready[2]), kinds, waiting)
        for writer in self._writers:
            writer.take(batch)

    def _ready(self, table: str, new: Columns, time: str, until: float) -> Columns:
        """The rows before a time, in the order of time; the others wait."""
        held = self._held.get(table)
        if held and new:
            new = {name: np.concatenate([held[name], column]) for name, column in new.items()}
            order = np.argsort(new[time], kind="stable")
            new = {name: column[order] for name, column in new.items()}
        new = new or held or {}
        if not new:
            return {}
        known = new[time] < until
        self._held[table] = {name: column[~known] for name, column in new.items()}
        return {name: column[known] for name, column in new.items()}


def _columns(table: Mapping[str, Any]) -> Columns:
    return {name: np.asarray(column) for name, column in table.items()}


def _times(columns: Columns) -> Columns:
    """Times in whole nanoseconds instead of seconds; -1 where there is none."""
    found: Columns = {}
    for name, column in columns.items():
        if name.endswith("_s"):
            stem = "at" if name == "time_s" else name.removesuffix("_s")
            found[f"{stem}_ns"] = np.where(np.isfinite(column), np.rint(column * 1e9), -1).astype(np.int64)
        else:
            found[name] = column
    return found


def _names(column: Any) -> list[str]:
    names: list[str] = column if isinstance(column, list) else column[1]
    return names


def _codes(column: Any) -> npt.NDArray[np.int64]:
    return np.arange(len(column)) if isinstance(column, list) else np.asarray(column[0], dtype=np.int64)


def rows(columns: Columns, *names: str) -> Iterable[tuple[Any, ...]]:
    """The rows of some columns as Python values; none of an empty table."""
    return zip(*(columns[name].tolist() for name in names), strict=True) if columns else ()


def reason_of(code: int) -> str:
    """The reason of a drop, from the column `reason`."""
    reason: str = _core.DROP_REASONS[code - 1]
    return reason


def is_estimate(kind: str) -> bool:
    """Whether a trace is an internal variable of a flow control.

    >>> is_estimate("rate"), is_estimate("window")
    (True, False)
    """
    return kind not in _PLAIN


def numbered(path: str | os.PathLike[str], run: int, several: bool) -> str:
    """The name of the file of a run: with its number before the endings if there are several.

    >>> numbered("out.d/a.flent.gz", 3, True), numbered("a.pcapng", 0, False), numbered("q", 1, True)
    ('out.d/a-run3.flent.gz', 'a.pcapng', 'q-run1')
    """
    if not several:
        return os.fspath(path)
    folder, name = os.path.split(os.fspath(path))
    stem, dot, ending = name.partition(".") if not name.startswith(".") else (name, "", "")
    return str(Path(folder) / f"{stem}-run{run}{dot}{ending}")
