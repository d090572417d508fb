"""A run as a trace of Perfetto, which ui.perfetto.dev and the trace processor read.

Source: google/perfetto, protos/perfetto/trace: trace_packet.proto, track_event/track_event.proto, track_event/track_descriptor.proto,
track_event/counter_descriptor.proto, track_event/debug_annotation.proto and interned_data/interned_data.proto, as release 59.1 has them.
Deviations: none of the format. Tracks:

- `port NAME`: a slice for each transmission, named by its flow; an instant for each drop, named by its reason; a counter of what waits
- `flow NAME`: counters of its window, packets in flight, round-trip times and estimates, as far as its control has them
- `network events`: an instant for each event of the scenario
"""

from __future__ import annotations

import struct
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from .follow import Batch, Columns, RunInfo, reason_of, rows
from .protobuf import double, message, number, text, varint

TRACES: tuple[str, ...] = ("window", "in_flight", "rtt", "backlog", "estimates")
PACKETS = True

# Fields of the messages, by their names in the protos.
_PACKET = 1  # Trace.packet
_TIMESTAMP, _TRACK_EVENT, _SEQUENCE, _INTERNED, _FLAGS, _DESCRIPTOR = 8, 11, 10, 12, 13, 60
_UUID, _NAME, _PARENT, _COUNTER = 1, 2, 5, 8
_UNIT_NAME = 6
_TYPE, _TRACK, _NAME_IID, _DOUBLE, _NOTE, _EVENT_NAME = 9, 11, 10, 44, 4, 23
_NOTE_IID, _NOTE_BOOL, _NOTE_INT, _NOTE_DOUBLE, _NOTE_TEXT = 1, 2, 4, 5, 6
_EVENT_NAMES, _NOTE_NAMES = 2, 3
_BEGIN, _END, _INSTANT, _COUNT = 1, 2, 3, 4
#: Interned names begin here, and are referred to.
_CLEARED, _REFERS = 1, 2

#: Names of what is noted of a slice or an instant.
_NOTES = ("seq", "kind", "bytes", "waited_ms", "marked", "flow", "transfer")
_ROOTS = ("ports", "flows")
#: Units of counters, with the factor from the trace's unit.
_UNITS = {"window": ("packets", 1.0), "in_flight": ("packets", 1.0), "backlog": ("packets", 1.0), "rtt": ("ms", 1e3)}

_SEQUENCED = number(_SEQUENCE, 1)
_BASE = _SEQUENCED + number(_FLAGS, _REFERS)
# What many packets have in common, encoded once.
_AT, _CONTENT = _BASE + varint(_TIMESTAMP << 3), varint(_TRACK_EVENT << 3 | 2)
_IS_BEGIN, _IS_END, _IS_INSTANT, _IS_COUNT = (number(_TYPE, kind) for kind in (_BEGIN, _END, _INSTANT, _COUNT))
_DOUBLE_OF = struct.Struct("<d")
_WAITED = message(_NOTE, number(_NOTE_IID, 4) + double(_NOTE_DOUBLE, 0.0))[:-8]
_COLUMNS = ("port", "flow", "entry", "seq", "arrived_ns", "start_ns", "left_ns", "bytes", "marked", "reason", "ack")


class TimelineWriter:
    """Writes tracks and events as they come."""

    def __init__(self, file: Path, of: RunInfo) -> None:
        """Writes the head of the file."""
        self._of = of
        self._out: BinaryIO = file.open("wb", buffering=1 << 20)
        self._tracks: dict[tuple[Any, ...], int] = {}
        self._names: dict[str, int] = {}
        #: Of each port the track of its transmissions and the end of the last one, which is written when the next one begins.
        self._open: dict[int, tuple[int, int]] = {}
        notes = b"".join(message(_NOTE_NAMES, number(1, i + 1) + text(2, name)) for i, name in enumerate(_NOTES))
        self._write(_SEQUENCED + number(_FLAGS, _CLEARED) + message(_INTERNED, notes))
        self._track(("about",), "about this trace")
        self._instant(0, ("about",), "about this trace", of.origin)
        for at, what in of.events():
            self._track(("events",), "network events")
            self._instant(at, ("events",), "network events", what)

    def take(self, batch: Batch) -> None:
        """Writes a part of the run."""
        self._packets(batch.packets)
        self._values(batch)

    def finish(self) -> None:
        """Ends the last transmissions and the file."""
        for track, end in self._open.values():
            self._event(end, _IS_END + number(_TRACK, track))
        self._open.clear()
        self.close()

    def close(self) -> None:
        """Closes the file, whole or not."""
        self._out.close()

    def _packets(self, packets: Columns) -> None:
        flows = self._of.flows
        for port, flow, entry, seq, arrived, start, left, size, marked, reason, ack in rows(packets, *_COLUMNS):
            root = self._track(("port", port), f"port {self._of.ports[port].name}", ("ports",))
            notes = _note_int(1, seq) + _rest(ack, size, marked) + _WAITED + _DOUBLE_OF.pack((start - arrived) / 1e6)
            if flow != entry:
                notes += _note_int(7, flow)
            if reason > 0:
                track = self._track(("drops", port), "drops", ("port", port))
                notes += _note_text(6, flows[entry].name)
                self._event(start, _IS_INSTANT + number(_TRACK, track) + notes + self._name(reason_of(reason)))
                continue
            # Rounding must not let a transmission end after the next one begins: they would lie in each other.
            before = self._open.get(port)
            if before is not None:
                self._event(min(before[1], start), _IS_END + number(_TRACK, root))
            self._open[port] = (root, left)
            self._event(start, _IS_BEGIN + number(_TRACK, root) + notes + self._name(flows[entry].name))

    def _values(self, batch: Batch) -> None:
        flows, ports = self._of.flows, self._of.ports
        for kind, of, at, value in rows(batch.values, "kind", "object", "at_ns", "value"):
            # There is none where a control has no window.
            if value != value:
                continue
            name = batch.kinds[kind]
            unit, factor = _UNITS.get(name, ("", 1.0))
            track = self._tracks.get(("value", name, of))
            if track is None:
                if of < len(flows):
                    parent: tuple[Any, ...] = ("flow", of)
                    self._track(parent, f"flow {flows[of].name}", ("flows",))
                else:
                    parent = ("port", of - len(flows))
                    self._track(parent, f"port {ports[of - len(flows)].name}", ("ports",))
                track = self._track(("value", name, of), name, parent, unit)
            self._event(at, _IS_COUNT + number(_TRACK, track) + double(_DOUBLE, value * factor))

    def _instant(self, at: int, track: tuple[Any, ...], name: str, what: str) -> None:
        uuid = self._track(track, name)
        self._event(at, _IS_INSTANT + number(_TRACK, uuid) + text(_EVENT_NAME, what))

    def _track(self, key: tuple[Any, ...], name: str, parent: tuple[Any, ...] = (), unit: str | None = None) -> int:
        """The number of a track, which is described when it is used first."""
        known = self._tracks.get(key)
        if known is not None:
            return known
        above = b""
        if parent:
            above = number(_PARENT, self._track(parent, parent[0]) if parent[0] in _ROOTS else self._tracks[parent])
        new = self._tracks[key] = len(self._tracks) + 1
        counter = b""
        if unit is not None:
            counter = message(_COUNTER, text(_UNIT_NAME, unit) if unit else b"")
        self._write(_SEQUENCED + message(_DESCRIPTOR, number(_UUID, new) + text(_NAME, name) + above + counter))
        return new

    def _name(self, name: str) -> bytes:
        """The field with the name of an event, which is written once and referred to by a number."""
        known = self._names.get(name)
        if known is None:
            known = self._names[name] = len(self._names) + 1
            self._write(_BASE + message(_INTERNED, message(_EVENT_NAMES, number(1, known) + text(2, name))))
        return number(_NAME_IID, known)

    def _event(self, at: int, content: bytes) -> None:
        self._write(_AT + varint(at) + _CONTENT + varint(len(content)) + content)

    def _write(self, packet: bytes) -> None:
        self._out.write(b"\x0a" + varint(len(packet)) + packet)


@lru_cache(4096)
def _rest(ack: int, size: int, marked: int) -> bytes:
    """What is noted of many packets alike."""
    kind = _note_text(2, "acknowledgement" if ack else "data")
    return kind + _note_int(3, size) + _note(5, number(_NOTE_BOOL, int(marked)))


def _note(name: int, value: bytes) -> bytes:
    return message(_NOTE, number(_NOTE_IID, name) + value)


def _note_int(name: int, value: int) -> bytes:
    return _note(name, number(_NOTE_INT, value))


def _note_text(name: int, value: str) -> bytes:
    return _note(name, text(_NOTE_TEXT, value))
