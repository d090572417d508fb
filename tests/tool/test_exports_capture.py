"""Captures of runs, read by tshark and by a reader of blocks, against what the run counted."""

from __future__ import annotations

import re
import struct
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import headgate
from headgate import Results, _core, exports
from headgate.base.errors import HeadgateError
from headgate.exports import capture

from ..exported import ODD, busy, follow
from .test_replay import tshark_program

COMMENT = re.compile(
    r"flow (?P<flow>.*?)(?: \(flow (?P<transfer>\d+)\))?, (?P<kind>data|acknowledgement of) (?P<seq>\d+); waited (?P<wait>\d+\.\d{9}) s"
    r"(?:; dropped: (?P<reason>\w+))?(?P<mark>; marked (?:here|before))?(?:; (?P<bytes>\d+) bytes)?",
    re.DOTALL,
)


class Packet(NamedTuple):
    interface: str
    at_ns: int
    captured: bytes
    length: int
    said: re.Match[str]


class Capture(NamedTuple):
    """A capture, block by block."""

    comment: str
    interfaces: list[dict[int, bytes]]
    packets: list[Packet]
    names: dict[bytes, str]
    statistics: dict[int, dict[int, bytes]]


def options(raw: bytes) -> Iterator[tuple[int, bytes]]:
    while raw:
        code, length = struct.unpack_from("<HH", raw)
        if code == 0:
            assert (length, len(raw)) == (0, 4), "the end of the options is the end of the block"
            return
        yield code, raw[4 : 4 + length]
        padded = 4 + length + -length % 4
        assert not any(raw[4 + length : padded])
        raw = raw[padded:]


def read(file: Path) -> Capture:
    raw = file.read_bytes()
    found, at = Capture("", [], [], {}, {}), 0
    while at < len(raw):
        kind, length = struct.unpack_from("<II", raw, at)
        body = raw[at + 8 : at + length - 4]
        assert length % 4 == 0
        assert struct.unpack_from("<I", raw, at + length - 4) == (length,)
        if kind == 0x0A0D0D0A:
            assert (at, struct.unpack_from("<IHHq", body)) == (0, (0x1A2B3C4D, 1, 0, -1))
            found = found._replace(comment=dict(options(body[16:]))[1].decode())
        elif kind == 1:
            assert struct.unpack_from("<HHI", body) == (101, 0, 0)
            found.interfaces.append(dict(options(body[8:])))
        elif kind == 4:
            found.names.update(names_of(body))
        elif kind == 5:
            assert struct.unpack_from("<I", body)[0] not in found.statistics
            found.statistics[struct.unpack_from("<I", body)[0]] = dict(options(body[12:]))
        else:
            assert kind == 6
            interface, high, low, captured, length_of = struct.unpack_from("<5I", body)
            said = dict(options(body[20 + captured + -captured % 4 :]))
            assert said[2] == struct.pack("<I", 2)
            match = COMMENT.fullmatch(said[1].decode())
            assert match, said[1]
            name = found.interfaces[interface][2].decode()
            found.packets.append(Packet(name, high << 32 | low, body[20 : 20 + captured], length_of, match))
        at += length
    assert at == len(raw)
    return found


def names_of(body: bytes) -> Iterator[tuple[bytes, str]]:
    while True:
        kind, length = struct.unpack_from("<HH", body)
        if kind == 0:
            assert len(body) == 4
            return
        assert kind == 1
        assert body[3 + length :][:1] == b"\0"
        yield body[4:8], body[8 : 3 + length].decode()
        body = body[4 + length + -length % 4 :]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    (file,) = exports.write(busy(), pcapng=tmp_path_factory.mktemp("capture") / "a.pcapng")
    return file


def rows(results: Results, table: str, key: str) -> dict[str, dict[str, Any]]:
    return {row[key]: row for row in getattr(results, table).rows()}


def test_counts_are_those_of_the_run(made: Path) -> None:
    found, links, flows = read(made), rows(busy(), "links", "link"), rows(busy(), "flows", "flow")
    seen = Counter(packet.interface for packet in found.packets)
    marked = Counter(p.interface for p in found.packets if p.said["mark"] == "; marked here")
    kinds = dict(zip(_core.DROP_REASONS, _core.DROP_REASON_KINDS, strict=True))
    dropped: Counter[tuple[str, str]] = Counter()
    by_flow: Counter[str] = Counter()
    for packet in found.packets:
        if packet.said["reason"]:
            dropped[packet.interface.removesuffix(" (dropped)"), kinds[packet.said["reason"]]] += 1
            by_flow[packet.said["flow"]] += packet.said["kind"] == "data"
        assert packet.interface.endswith(" (dropped)") == (packet.said["reason"] is not None)
    for name, link in links.items():
        assert seen[name] == link["sent"]
        assert {k: dropped[name, k] for k in ("full", "evicted", "early")} == {
            k: link[f"drops_{k}"] for k in ("full", "evicted", "early")
        }
        # A mark is counted when the packet has left the wire.
        assert link["marks"] <= marked[name] <= link["marks"] + 3
    assert all(dropped[where] for where in [("early", "early"), ("short", "full"), ("late", "early")])
    assert marked["early"] > 10
    assert {name: flow["drops"] for name, flow in flows.items()} == {name: by_flow[name] for name in flows}
    # What is not sent or dropped waits, and what a wire lost is at no further port.
    for place, interface in enumerate(found.interfaces):
        name = interface[2].decode()
        port, stats = links[name.removesuffix(" (dropped)")], found.statistics[place]
        assert struct.unpack("<Q", interface[8]) == (round(port["rate_bps"]),)
        received = seen[name] if name.endswith("(dropped)") else port["offered"]
        assert struct.unpack("<Q", stats[4]) == (received,)
        if not name.endswith("(dropped)"):
            assert struct.unpack("<Q", stats[5]) == (sum(dropped[name, k] for k in set(kinds.values())),)
    assert len(found.statistics) == len(found.interfaces)


def test_each_packet_is_the_one_of_the_run(made: Path) -> None:
    packets, _, _ = follow(busy())
    links, flows = busy().links["link"].tolist(), busy().flows["flow"].tolist()
    known = packets["reason"] >= 0
    order = np.lexsort([packets[n][known] for n in ("number", "port", "start_s")])
    column = {name: values[known][order].tolist() for name, values in packets.items()}
    found = read(made)
    assert len(found.packets) == len(order) > 5000
    assert [p.at_ns for p in found.packets] == sorted(p.at_ns for p in found.packets)
    entries = set()
    for i, packet in enumerate(found.packets):
        row = {name: values[i] for name, values in column.items()}
        said = packet.said
        assert packet.interface.removesuffix(" (dropped)") == links[row["port"]]
        assert abs(packet.at_ns - row["start_s"] * 1e9) <= 1
        assert abs(float(said["wait"]) - (row["start_s"] - row["arrived_s"])) < 2.1e-9
        assert (said["flow"], int(said["seq"])) == (flows[row["entry"]], row["seq"])
        assert (said["kind"] == "data") == (row["ack"] == 0)
        assert said["reason"] == (_core.DROP_REASONS[row["reason"] - 1] if row["reason"] else None)
        assert int(said["transfer"] or row["entry"]) == row["flow"]
        assert packet.length == max(row["bytes"], 20)
        assert int(said["bytes"] or packet.length) == row["bytes"]
        here = row["reason"] == 0 and 1 in (row["arrival"], row["departure"])
        before = row["reason"] == 0 and not here and row["marked"] and not row["ack"]
        assert said["mark"] == ("; marked here" if here else "; marked before" if before else None)
        entries.add((said["flow"], said["transfer"] is not None))
        check_headers(packet, row, found.names)
    assert entries == {("ecn", False), (ODD, False), ("web", True), ("tiny", False)}


def check_headers(packet: Packet, row: dict[str, Any], names: dict[bytes, str]) -> None:
    raw, said = packet.captured, packet.said
    first, ecn, length, number, fragment, ttl, protocol, _, source, sink = struct.unpack(">BBHHHBBH4s4s", raw[:20])
    words = struct.unpack(">10H", raw[:20])
    total = sum(words)
    assert (total & 0xFFFF) + (total >> 16) in (0xFFFF, 0x1FFFE - 0xFFFF), "a checksum that fits"
    assert (first, length, number, fragment, ttl) == (0x45, packet.length, row["seq"] % 65536, 0x4000, 64)
    ends = [names[source], names[sink]]
    assert (ends if said["kind"] == "data" else ends[::-1]) == [said["flow"], f"{said['flow']}:sink"]
    expected = 3 if row["marked"] and not row["ack"] else (0, 2, 1, 3)[row["ecn"]]
    assert ecn == expected
    if packet.length < 28:
        assert (protocol, len(raw)) == (253, 20)
        return
    ports = struct.unpack(">4H", raw[20:28])
    assert raw[28:] == (b"headgate" + struct.pack(">Q", row["seq"]))[: packet.length - 28]
    transfer = 49152 + (row["flow"] - row["entry"]) % 16384
    assert (protocol, ports) == (17, (*((transfer, 9) if not row["ack"] else (9, transfer)), length - 20, 0))


def tshark(file: Path, *args: str) -> list[str]:
    done = subprocess.run([tshark_program(), "-r", file, *args], capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0
    # It says so if it is run by root, and nothing else.
    assert [line for line in done.stderr.splitlines() if "root" not in line] == []
    return done.stdout.splitlines()


def test_tshark_reads_it_without_a_complaint(made: Path) -> None:
    found = read(made)
    assert tshark(made, "-Y", "_ws.malformed || _ws.short || _ws.expert.severity > 0x100000") == []
    shown = tshark(made, "-Tfields", "-eframe.interface_name", "-eframe.len", "-eip.dsfield.ecn", "-eframe.time_epoch")
    assert len(shown) == len(found.packets)
    for line, packet in zip(shown, found.packets, strict=True):
        interface, length, ecn, at = line.split("\t")
        assert (interface, int(length), int(ecn)) == (packet.interface, packet.length, packet.captured[1] & 3)
        assert round(float(at) * 1e6) == round(packet.at_ns / 1e3)
    assert len(tshark(made, "-Y", 'frame.comment contains "dropped: full"')) > 10
    drops = tshark(made, "-Y", 'frame.interface_name == "short (dropped)"')
    assert len(drops) == sum(packet.interface == "short (dropped)" for packet in found.packets)
    checked = tshark(made, "-o", "ip.check_checksum:TRUE", "-Y", "ip.checksum.status == 0")
    assert checked == []
    assert busy().digest in tshark_info(made)


def tshark_info(file: Path) -> str:
    return read(file).comment


def test_a_capture_is_a_trace_for_a_replay(made: Path) -> None:
    """Its packets have their lengths, their flows and their times."""
    again = headgate.replay(made, "fcfs", "10Gbit/s", "10000pkt")
    assert len(again.packets()["flow"]) == len(read(made).packets)


def test_very_long_and_very_short_packets_and_odd_numbers_are_written(tmp_path: Path) -> None:
    scenario = headgate.Scenario(
        {
            "duration": "3s", "interval": "1s", "warm_up": "0s", "topology": {"kind": "dumbbell", "hosts": 1},
            "flows": [
                {"name": f"{size}", "from": "s1", "to": "d1", "control": "none", "packet": f"{size}B",
                 "workload": {"kind": "cbr", "rate": f"{8 * size}bit/s"}}
                for size in (1, 20, 27, 28, 1500, 65535, 65536, 10_000_000)
            ],
        }
    )  # fmt: skip
    results = scenario.set("topology.line", {"rate": "1Gbit/s"}).set("topology.access", {"rate": "1Gbit/s"}).run()
    (file,) = exports.write(results, pcapng=tmp_path / "a.pcapng")
    found = read(file)
    lengths = {int(p.said["flow"]): p.length for p in found.packets if p.said["kind"] == "data"}
    assert lengths == {size: max(size, 20) for size in (1, 20, 27, 28, 1500, 65535, 65536, 10_000_000)}
    assert tshark(file, "-Y", "_ws.malformed || _ws.expert.severity > 0x100000") == []
    assert tshark(file, "-o", "ip.check_checksum:TRUE", "-Y", "ip.checksum.status == 0") == []


def test_as_many_flows_as_there_are_addresses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(capture, "MOST_FLOWS", 3)
    with pytest.raises(HeadgateError, match="busy: 4 flows; expected at most 3 in a capture"):
        exports.write(busy(), pcapng=tmp_path / "a.pcapng")
    assert list(tmp_path.iterdir()) == []
