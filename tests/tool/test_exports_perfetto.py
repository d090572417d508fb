"""Traces of Perfetto, read by its own messages, against what happened in the run."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

import headgate
from headgate import _core, exports
from headgate.exports import protobuf
from headgate.exports.follow import Batch, RunInfo
from headgate.exports.timeline import TimelineWriter

from ..exported import ODD, busy, follow

#: What the trace has of a run, and as which unit.
SCALED = {"window": ("packets", 1), "in_flight": ("packets", 1), "backlog": ("packets", 1), "rtt": ("ms", 1e3)}


class Read:
    """A trace as the trace processor understands it: tracks by their full names, with slices, instants and values."""

    def __init__(self, file: Path) -> None:
        trace = protos.Trace()
        trace.ParseFromString(file.read_bytes())
        self.names: dict[int, tuple[str, ...]] = {}
        self.units: dict[tuple[str, ...], str] = {}
        self.slices: dict[tuple[str, ...], list[Any]] = defaultdict(list)
        self.instants: dict[tuple[str, ...], list[Any]] = defaultdict(list)
        self.values: dict[tuple[str, ...], list[tuple[int, float]]] = defaultdict(list)
        interned: dict[str, dict[int, str]] = {"events": {}, "notes": {}}
        open_slices: dict[int, Any] = {}
        cleared = False
        events = []
        for packet in trace.packet:
            assert packet.trusted_packet_sequence_id == 1
            cleared = cleared or bool(packet.sequence_flags & protos.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED)
            for kind, entries in (
                ("events", packet.interned_data.event_names),
                ("notes", packet.interned_data.debug_annotation_names),
            ):
                for entry in entries:
                    assert cleared
                    assert entry.iid not in interned[kind]
                    interned[kind][entry.iid] = entry.name
            if packet.HasField("track_descriptor"):
                self._describe(packet.track_descriptor)
            if packet.HasField("track_event"):
                event = packet.track_event
                assert event.track_uuid in self.names, "a track is described before it is used"
                name = interned["events"][event.name_iid] if event.name_iid else event.name
                notes = {
                    interned["notes"][n.name_iid]: getattr(n, n.WhichOneof("value")) for n in event.debug_annotations
                }
                # An event that refers to names says so.
                assert packet.sequence_flags & protos.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
                events.append((packet.timestamp, event.type, event, name, notes))
        ends_first = {protos.TrackEvent.TYPE_SLICE_END: 0}
        # As the trace processor does, in the order of time; the file has them in that of each track.
        for at, kind, event, name, notes in sorted(events, key=lambda e: (e[0], ends_first.get(e[1], 1))):
            track, uuid = self.names[event.track_uuid], event.track_uuid
            if kind == protos.TrackEvent.TYPE_COUNTER:
                assert track in self.units
                self.values[track].append((at, event.double_counter_value))
            elif kind == protos.TrackEvent.TYPE_INSTANT:
                self.instants[track].append((at, name, notes))
            elif kind == protos.TrackEvent.TYPE_SLICE_BEGIN:
                if uuid in open_slices:
                    raise AssertionError(f"{track}: slices lie in each other")
                open_slices[uuid] = (at, name, notes)
            else:
                start, name, notes = open_slices.pop(uuid)
                self.slices[track].append((start, at, name, notes))
        assert not open_slices

    def _describe(self, track: Any) -> None:
        assert track.uuid not in self.names
        above = self.names[track.parent_uuid] if track.HasField("parent_uuid") else ()
        full = (*above, track.name)
        assert full not in self.names.values()
        self.names[track.uuid] = full
        if track.HasField("counter"):
            self.units[full] = track.counter.unit_name


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Read:
    (file,) = exports.write(busy(), perfetto=tmp_path_factory.mktemp("perfetto") / "a.pftrace")
    return Read(file)


def test_slices_are_the_transmissions_of_the_run(read: Read) -> None:
    packets, _, _ = follow(busy())
    links, flows = busy().links["link"].tolist(), busy().flows["flow"].tolist()
    known = 0
    for port, link in enumerate(links):
        mine = (packets["port"] == port) & (packets["reason"] == 0)
        order = np.lexsort([packets[name][mine] for name in ("number", "start_s")])
        row = {name: column[mine][order].tolist() for name, column in packets.items()}
        found = read.slices[("ports", f"port {link}")]
        assert len(found) == int(mine.sum())
        known += len(found)
        for i, (start, end, name, notes) in enumerate(found):
            assert abs(start - row["start_s"][i] * 1e9) <= 1
            assert abs(end - row["left_s"][i] * 1e9) <= 1
            assert name == flows[row["entry"][i]]
            assert (notes["seq"], notes["bytes"], notes["marked"]) == (row["seq"][i], row["bytes"][i], row["marked"][i])
            assert notes["kind"] == ("acknowledgement" if row["ack"][i] else "data")
            assert abs(notes["waited_ms"] - 1e3 * (row["start_s"][i] - row["arrived_s"][i])) < 3e-6
            assert notes.get("transfer", row["entry"][i]) == row["flow"][i]
    assert known == sum(map(len, read.slices.values())) == int(busy().links["sent"].sum()) > 5000


def test_drops_are_instants_with_their_reasons(read: Read) -> None:
    kinds = dict(zip(_core.DROP_REASONS, _core.DROP_REASON_KINDS, strict=True))
    for link in busy().links.rows():
        found = read.instants[("ports", f"port {link['link']}", "drops")]
        counts = Counter(kinds[name] for _, name, _ in found)
        assert {k: counts[k] for k in ("full", "evicted", "early")} == {
            k: link[f"drops_{k}"] for k in ("full", "evicted", "early")
        }
        assert {notes["flow"] for _, _, notes in found} <= {"ecn", ODD, "web", "tiny"}
        assert all(notes["waited_ms"] >= 0 for _, _, notes in found)
    by_flow = Counter(
        notes["flow"] for track, found in read.instants.items() for _, _, notes in found
        if track[-1] == "drops" and notes["kind"] == "data"
    )  # fmt: skip
    assert by_flow == Counter({row["flow"]: row["drops"] for row in busy().flows.rows() if row["drops"]})


def test_counters_are_the_samples_of_the_run(read: Read) -> None:
    _, _, values = follow(busy(), ["window", "in_flight", "rtt", "backlog", "estimates"])
    expected: dict[tuple[str, ...], list[tuple[float, float]]] = defaultdict(list)
    links = set(busy().links["link"].tolist())
    for kind, of, at, value in zip(*(values[n].tolist() for n in ("trace", "object", "time_s", "value")), strict=True):
        if not math.isnan(value):
            place = ("ports", f"port {of}") if of in links else ("flows", f"flow {of}")
            expected[(*place, kind)].append((at, value * SCALED.get(kind, ("", 1))[1]))
    assert set(expected) == set(read.values)
    assert {track[-1] for track in expected} > set(SCALED)
    for track, samples in expected.items():
        assert read.units[track] == SCALED.get(track[-1], ("", 1))[0]
        found = read.values[track]
        assert len(found) == len(samples)
        assert np.allclose([at for at, _ in found], [at * 1e9 for at, _ in samples], atol=1, rtol=0)
        assert [value for _, value in found] == [value for _, value in samples]


def test_events_of_the_network_and_the_origin_stand_above(read: Read) -> None:
    ((at, name, _),) = read.instants[("network events",)]
    assert at == 9_000_000_000
    assert "short" in name
    assert "600kbit/s" in name
    ((_, about, _),) = read.instants[("about this trace",)]
    assert busy().digest in about
    assert "seed 1" in about


def test_what_is_left_to_rounding_does_not_overlap(tmp_path: Path) -> None:
    """A line that is always busy, whose transmissions are no whole nanoseconds."""
    scenario = headgate.Scenario(
        {
            "duration": "1s", "interval": "1s", "warm_up": "0s",
            "topology": {"kind": "dumbbell", "hosts": 1, "line": {"rate": "7Mbit/s"}, "access": {"rate": "1Gbit/s"}},
            "flows": [{"name": "a", "from": "s1", "to": "d1", "packet": "333B", "control": "cubic"}],
        }
    )  # fmt: skip
    results = scenario.run()
    found = Read(exports.write(results, perfetto=tmp_path / "a.perfetto-trace")[0])
    assert sum(map(len, found.slices.values())) == int(results.links["sent"].sum()) > 3000


def test_what_is_no_number_is_no_value(tmp_path: Path) -> None:
    values = {
        "kind": np.array([0, 0]),
        "object": np.array([0, 0]),
        "at_ns": np.array([1, 2]),
        "value": np.array([math.nan, 3.0]),
    }
    writer = TimelineWriter(tmp_path / "a.pftrace", RunInfo(busy(), 0))
    writer.take(Batch({}, {}, values, ["rate"]))
    writer.finish()
    assert Read(tmp_path / "a.pftrace").values == {("flows", "flow ecn", "rate"): [(2, 3.0)]}


@given(st.integers(0, 2**64 - 1))
def test_numbers_are_as_the_library_has_them(value: int) -> None:
    packet = protos.TracePacket(timestamp=value)
    assert protobuf.number(8, value) == packet.SerializeToString()


@given(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(alphabet=st.characters(exclude_categories=["Cs"])),
)
def test_fields_are_as_the_library_has_them(whole: int, real: float, words: str) -> None:
    note = protos.DebugAnnotation.FromString(protobuf.number(4, whole))
    assert note.int_value == whole
    assert protos.DebugAnnotation.FromString(protobuf.double(5, real)).double_value == real
    event = protos.TrackEvent.FromString(protobuf.text(23, words) + protobuf.message(4, protobuf.text(6, words)))
    assert event.name == words == event.debug_annotations[0].string_value
