"""Acknowledgements of a capture under cake's filter, and packets that are longer than a link sends."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headgate
from headgate import _core
from headgate.explore.replays.run import replayed
from headgate.explore.subject import subject_of

from ..conftest import Cli
from ..packets import TCP, UDP, ethernet, ip, pcap, table, tcp, udp

ENDS = {4: ("10.0.0.1", "192.0.2.9"), 6: ("2001:db8::1", "2001:db8:9::9")}


def stamp(value: int, echo: int) -> bytes:
    """The option of time stamps (RFC 7323) behind two of padding."""
    return b"\x01\x01\x08\x0a" + struct.pack(">II", value, echo)


def sack(*blocks: tuple[int, int]) -> bytes:
    """The option of selective acknowledgements (RFC 2018) behind two of padding."""
    return b"\x01\x01" + struct.pack(">BB", 5, 2 + 8 * len(blocks)) + b"".join(struct.pack(">II", *b) for b in blocks)


def acks(folder: Path, headers: list[bytes], version: int = 4, snap: int = 10**6, data: int = 0) -> Path:
    """A packet of 1500 bytes, which takes 12 ms at 1 Mbit/s, and behind it these headers of one conversation, 0.1 ms apart."""
    a, b = ENDS[version]
    frames = [(0.0, ethernet(ip(a, b, UDP, udp(), total=1486)), 1500)]
    for k, header in enumerate(headers):
        # Frames of less than 60 bytes are padded.
        frame = ethernet(ip(a, b, TCP, header + bytes(data))).ljust(60, b"\0")
        frames.append((0.001 + 0.0001 * k, frame[:snap], len(frame)))
    return pcap(folder / "t.pcap", frames)


def gone(trace: Path, how: str, **more: Any) -> list[int]:
    """Which of the headers were dropped, from 0."""
    # COBALT drops nothing in so short a time.
    cake = {"kind": "cake", "ack_filter": how, "target": "1s", "rtt": "10s", **more}
    packets = headgate.replay(trace, cake, "1Mbit/s").packets()
    assert set(packets["reason"][packets["dropped"]]) <= {"superseded"}
    return [int(n) - 2 for n in packets["packet"][packets["dropped"]]]


#: Headers in a queue, and which of them Linux's `cake_ack_filter` drops: conservative, aggressive.
CASES: dict[str, tuple[list[bytes], list[int], list[int]]] = {
    # The first of two that wait goes when a third one arrives; in the end two are left, or one.
    "in order": ([tcp(ack=1000 * k) for k in range(1, 8)], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5]),
    "stamped": ([tcp(ack=1000 * k, options=stamp(k, k)) for k in range(1, 5)], [0, 1], [0, 1, 2]),
    "duplicates": ([tcp(ack=1000)] * 5, [], []),
    "not further": ([tcp(ack=3000), tcp(ack=2000), tcp(ack=1000)], [], []),
    "push": ([tcp(ack=1000 * k, flags=0x18) for k in range(1, 5)], [], []),
    "the end": ([tcp(ack=1000), tcp(ack=2000), tcp(ack=3000, flags=0x11), tcp(ack=4000, flags=0x11)], [0], [0, 1]),
    "unknown option": ([tcp(ack=1000 * k, options=b"\xfd\x04\0\0") for k in range(1, 5)], [], []),
    "blocks that grow": ([tcp(ack=5, options=sack((10, 20 + k))) for k in range(4)], [0, 1], [0, 1, 2]),
    "blocks that go": ([tcp(ack=5, options=sack((10, 20))), tcp(ack=5, options=sack((10, 30))), tcp(ack=30)], [], [0]),
    "a duplicate reported": ([tcp(ack=30 + k, options=sack((10, 20))) for k in range(4)], [], []),
    "echo begins": ([tcp(ack=1), tcp(ack=2, flags=0x50), tcp(ack=3, flags=0x50)], [], [1]),
    "round": ([tcp(ack=(1 << 32) - 2 + k & 0xFFFFFFFF) for k in range(4)], [0, 1], [0, 1, 2]),
}  # fmt: skip


@pytest.mark.parametrize("version", [4, 6], ids=["IPv4", "IPv6"])
@pytest.mark.parametrize("case", CASES)
def test_the_filter_drops_what_linux_drops(tmp_path: Path, case: str, version: int) -> None:
    headers, conservative, aggressive = CASES[case]
    trace = acks(tmp_path, headers, version)
    assert gone(trace, "none") == []
    assert gone(trace, "conservative") == conservative
    assert gone(trace, "aggressive") == aggressive


def test_data_is_kept_and_makes_acknowledgements_needless(tmp_path: Path) -> None:
    assert gone(acks(tmp_path, [tcp(ack=1000 * k) for k in range(1, 5)], data=1), "aggressive") == []
    a, b = ENDS[4]
    frames = [(0.0, ethernet(ip(a, b, UDP, udp(), total=1486)), 1500)]
    frames += [(0.001 + k / 1e4, ethernet(ip(a, b, TCP, tcp(ack=1000 * k))), 60) for k in range(1, 3)]
    frames.append((0.002, ethernet(ip(a, b, TCP, tcp(ack=3000, flags=0x18), total=140)), 154))
    assert gone(pcap(tmp_path / "t.pcap", frames), "conservative") == [0]


def test_only_those_of_one_connection_are_compared(tmp_path: Path) -> None:
    two = [tcp(5001 + k % 2, ack=1000 * (k + 1)) for k in range(8)]
    assert gone(acks(tmp_path, two), "conservative") == [0, 1, 2, 3]
    # All of them are one flow, and in one queue, but two connections.
    cake = {"kind": "cake", "ack_filter": "conservative", "isolation": "flowblind"}
    packets = headgate.replay(tmp_path / "t.pcap", cake, "1Mbit/s", classify="pair").packets()
    assert packets["packet"][packets["dropped"]].tolist() == [2, 3, 4, 5]


def test_a_filter_without_acknowledgements_says_so(cli: Cli, tmp_path: Path) -> None:
    def notes(trace: Path | str, *more: str) -> list[str]:
        done = cli("replay", trace, "--queue", "cake", "--set", "ack_filter=aggressive", "--set", "isolation=flows", "--rate", "1Mbit/s",
                   "--json", *more)  # fmt: skip
        assert done.returncode == 0, done.stderr
        return list(json.loads(done.stdout)["notes"])

    table(tmp_path / "t.csv", [(0.0, "a", 100)], "time_s,flow,size_bytes")
    assert notes("t.csv") == ["ack_filter of cake does nothing: a table has no acknowledgements."]
    headers = [tcp(ack=1000 * k, options=stamp(k, k)) for k in range(1, 5)]
    assert notes(acks(tmp_path, headers)) == []
    assert notes(acks(tmp_path, [], 4)) == [
        "ack_filter of cake does nothing: no packet of the capture does nothing but acknowledge."
    ]
    # Ethernet, IP and TCP have 54 bytes; the options end at 66.
    assert notes(acks(tmp_path, headers, snap=64)) == [
        "ack_filter of cake does nothing: no packet of the capture does nothing but acknowledge, as far as it was captured.",
        "ack_filter leaves 4 packets without data of which not all TCP options were captured: "
        "capture 128 bytes of each packet (tcpdump -s 128).",
    ]


def large(folder: Path, version: int = 4) -> Path:
    """Twenty packets of 40 TCP segments, 20 that fit, one datagram of 5000 bytes, and one ping of 3000 bytes."""
    a, b = ENDS[version]
    header = 20 if version == 4 else 40
    frames = []
    for k in range(20):
        size = header + 32 + 40 * (1500 - header - 32)
        captured = ethernet(ip(a, b, TCP, tcp(seq=k, options=stamp(1, 1)), total=size & 0xFFFF))
        frames.append((0.01 * k, captured, 14 + size))
        frames.append((0.01 * k + 0.005, ethernet(ip(a, b, TCP, tcp(seq=k), total=1500)), 1514))
    frames.append((0.3, ethernet(ip(a, b, UDP, udp(), total=header + 8 + 5000)), 14 + header + 8 + 5000))
    frames.append(
        (0.4, ethernet(ip(a, b, 1 if version == 4 else 58, bytes(8), total=header + 3000)), 14 + header + 3000)
    )
    return pcap(folder / "t.pcap", frames)


@pytest.mark.parametrize("version", [4, 6], ids=["IPv4", "IPv6"])
def test_packets_are_cut_as_the_stack_cuts_them(tmp_path: Path, version: int) -> None:
    trace = large(tmp_path, version)
    whole, cut = (headgate.replay(trace, "fcfs", "100Mbit/s", "unlimited", segment=size) for size in (None, "1500B"))
    header = 20 if version == 4 else 40
    rows = cut.packets()
    sizes = {int(n): rows["size_bytes"][rows["packet"] == n].tolist() for n in np.unique(rows["packet"])}
    # Each of the 40 segments fills 1500 bytes; what fits is as it was. All pieces arrive when the packet does.
    assert sizes[1] == [1514] * 40 and sizes[2] == [1514]
    assert len(set(rows["arrival_s"][rows["packet"] == 1])) == 1
    # Datagrams of 1500 bytes, each with headers of IP and UDP.
    full = 1500 - header - 8
    datagram = int(whole.packets()["packet"][whole.packets()["size_bytes"] == 14 + header + 8 + 5000][0])
    assert sizes[datagram] == [1514] * (5000 // full) + [14 + header + 8 + 5000 % full]
    # Fragments hold multiples of 8 bytes; those of IPv6 have a header of 8 bytes more.
    ping = int(whole.packets()["packet"][whole.packets()["size_bytes"] == 14 + header + 3000][0])
    each, more = (1480, 34) if version == 4 else (1448, 62)
    assert sizes[ping] == [more + each, more + each, more + 3000 - 2 * each]
    packets = 22 + 20
    assert whole.notes == [
        f"22 packets are longer than the 1500 bytes of IP that an Ethernet sends, up to {14 + header + 32 + 40 * (1468 - header):,} bytes: "
        "the trace was recorded before the network card cut them, or after it joined them. --segment 1500B cuts them."
    ]
    assert cut.notes == [
        f"22 packets were longer than 1,500 bytes of IP, up to {14 + header + 32 + 40 * (1468 - header):,} bytes, and cut."
    ]
    assert len(np.unique(rows["packet"])) == packets == len(whole.packets())


def test_rows_of_a_table_are_cut_too(tmp_path: Path) -> None:
    trace = table(tmp_path / "t.csv", [(0.0, "a", 3001), (0.001, "b", 1522)], "time_s,flow,size_bytes")
    whole = headgate.replay(trace, "fq", "1Mbit/s")
    assert whole.notes[0].startswith(
        "1 packet is longer than the 1500 bytes of IP that an Ethernet sends, up to 3,001 bytes"
    )
    cut = headgate.replay(trace, "fq", "1Mbit/s", segment="1500B").packets()
    assert list(zip(cut["packet"], cut["size_bytes"], strict=True)) == [
        (1, 1500),
        (1, 1500),
        (1, 1),
        (2, 1500),
        (2, 22),
    ]


def test_a_segment_that_cannot_be(cli: Cli, tmp_path: Path) -> None:
    trace = large(tmp_path)
    for size, why in [
        ("100B", "segment: found 100B; expected 256B to 65535B, such as 1500B"),
        ("1500", "segment: found '1500'; expected a size from 256B to 65535B, such as 1500B (did you mean `1500B`?)"),
        ("100", "segment: found '100'; expected a size from 256B to 65535B, such as 1500B\n"),
        ("many", None),
    ]:
        done = cli("replay", trace, "--queue", "fq", "--rate", "1Mbit/s", "--segment", size)
        assert (done.returncode, done.stdout) == (2, "")
        assert "segment" in done.stderr and "expected" in done.stderr and "Traceback" not in done.stderr
        assert why is None or why in done.stderr
    done = cli("replay", trace, "--queue", "fq", "--rate", "1Mbit/s", "--segment", "1500B", "--out", "o.pcapng")
    assert done.returncode == 2 and "o.pcapng: expected .csv or .parquet" in done.stderr
    assert not (tmp_path / "o.pcapng").exists()


@pytest.mark.parametrize("more", [{"sort": "10ms"}, {"lenient": True}], ids=["sorted", "lenient"])
def test_packets_that_wait_to_be_sorted_keep_their_headers(tmp_path: Path, more: dict[str, Any]) -> None:
    trace = acks(tmp_path, [tcp(ack=1000 * k) for k in range(1, 8)])
    cake = {"kind": "cake", "ack_filter": "conservative", "target": "1s", "rtt": "10s"}
    plain, waited = (headgate.replay(trace, cake, "1Mbit/s", **how).packets() for how in ({}, more))
    assert waited["packet"][waited["dropped"]].tolist() == plain["packet"][plain["dropped"]].tolist() == [2, 3, 4, 5, 6]
    trace = large(tmp_path)
    plain, waited = (headgate.replay(trace, "fq", "9Mbit/s", segment="1500B", **how).packets() for how in ({}, more))
    for name in ("packet", "size_bytes", "start_s"):
        assert np.array_equal(plain[name], waited[name], equal_nan=True)


def test_the_explorer_filters_them_too(tmp_path: Path) -> None:
    """It keeps packets in memory without their headers, and reads the file again where a queue wants them."""
    trace = acks(tmp_path, [tcp(ack=1000 * k) for k in range(1, 8)])
    cake = {"kind": "cake", "ack_filter": "conservative", "target": "1s", "rtt": "10s"}
    subject = subject_of(trace, {"queue": [cake], "rate": "1Mbit/s"})
    assert subject.scenario is not None
    found = replayed(subject.scenario, _core.Control(), 10**9)  # type: ignore[arg-type]
    packets = found.more["packets"].at(0)
    assert sum(reason > 0 for reason in packets.reason) == 5
