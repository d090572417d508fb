"""The captures in tests/data: one bulk TCP conversation and one sparse UDP conversation over half a second.

Twenty bursts of ten TCP packets of 1514 bytes, 25 ms apart, each burst at 100 Mbit/s (a packet takes 121 us): 4.8 Mbit/s in all.
Beside it a UDP packet of 214 bytes every 20 ms. Of each packet 64 bytes are captured. The pcap file has microseconds, the
pcapng file the same packets with nanoseconds, 250 ns later. Run this file to write them again.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parent / "data"
START = 1_700_000_000 * 1_000_000
SNAPSHOT = 64
TCP, UDP = 6, 17
CAPABLE = 2  # ECT(0) of RFC 3168
SINK = 3


class Packet(NamedTuple):
    us: int
    length: int
    captured: bytes


def ipv4(source: int, protocol: int, number: int, ecn: int, payload: int) -> bytes:
    """An IPv4 header from 10.0.0.SOURCE to 10.0.0.3, with its checksum."""
    words = [0x4500 | ecn, 20 + payload, number, 0x4000, 64 << 8 | protocol, 0, 0x0A00, source, 0x0A00, SINK]
    total = sum(words)
    words[5] = 0xFFFF ^ (total + (total >> 16)) & 0xFFFF
    return struct.pack(">10H", *words)


def packet(us: int, source: int, protocol: int, number: int, ecn: int, transport: bytes, data: int) -> Packet:
    ethernet = bytes([2, 0, 0, 0, 0, SINK, 2, 0, 0, 0, 0, source, 8, 0])
    headers = ethernet + ipv4(source, protocol, number, ecn, len(transport) + data) + transport
    return Packet(us, len(headers) + data, (headers + bytes(data))[:SNAPSHOT])


def bulk() -> Iterator[Packet]:
    for number in range(200):
        us = number // 10 * 25_000 + number % 10 * 121
        tcp = struct.pack(">HHIIHHHH", 5001, 80, 1 + 1460 * number, 1, 0x5010, 65535, 0, 0)
        yield packet(us, 1, TCP, number, CAPABLE, tcp, 1460)


def sparse() -> Iterator[Packet]:
    for number in range(25):
        yield packet(7_000 + number * 20_000, 2, UDP, number, 0, struct.pack(">HHHH", 5004, 5004, 8 + 172, 0), 172)


def pcap(packets: list[Packet]) -> bytes:
    out = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, SNAPSHOT, 1)]
    for p in packets:
        seconds, fraction = divmod(START + p.us, 1_000_000)
        out.append(struct.pack("<4I", seconds, fraction, len(p.captured), p.length) + p.captured)
    return b"".join(out)


def block(kind: int, body: bytes) -> bytes:
    length = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + length + body + length


def pcapng(packets: list[Packet]) -> bytes:
    nanoseconds = struct.pack("<HHI", 9, 1, 9) + bytes(4)
    section = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    out = [section, block(1, struct.pack("<HHI", 1, 0, SNAPSHOT) + nanoseconds)]
    for p in packets:
        high, low = divmod((START + p.us) * 1000 + 250, 1 << 32)
        out.append(block(6, struct.pack("<5I", 0, high, low, len(p.captured), p.length) + p.captured))
    return b"".join(out)


def files() -> dict[str, bytes]:
    packets = sorted([*bulk(), *sparse()])
    return {"bulk-and-sparse.pcap": pcap(packets), "bulk-and-sparse.pcapng": pcapng(packets)}


if __name__ == "__main__":
    for name, content in files().items():
        (DATA / name).write_bytes(content)
