"""Captures for tests, byte by byte: Ethernet frames with IPv4 or IPv6, TCP or UDP, of which the headers were captured."""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

TCP, UDP = 6, 17


def udp(source: int = 5001, destination: int = 80) -> bytes:
    """A UDP header; its length is not read."""
    return struct.pack(">HHHH", source, destination, 8, 0)


def tcp(
    source: int = 5001, destination: int = 80, *, seq: int = 1, ack: int = 1, flags: int = 0x10, options: bytes = b""
) -> bytes:
    """A TCP header with options, which are padded."""
    options += bytes(-len(options) % 4)
    words = (20 + len(options)) // 4 << 12 | flags
    return struct.pack(">HHIIHHHH", source, destination, seq, ack, words, 65535, 0, 0) + options


def ip(source: str, destination: str, protocol: int, payload: bytes, *, total: int = 0, dscp: int = 0, ecn: int = 0,
       fragment: int = 0) -> bytes:  # fmt: skip
    """An IP packet; `total` is its length where not all of it is here, `fragment` the third word of an IPv4 header."""
    a, b = ipaddress.ip_address(source), ipaddress.ip_address(destination)
    tos = dscp << 2 | ecn
    if a.version == 4:
        length = total or 20 + len(payload)
        return struct.pack(">BBHHHBBH", 0x45, tos, length, 7, fragment, 64, protocol, 0) + a.packed + b.packed + payload
    length = (total or 40 + len(payload)) - 40
    return struct.pack(">IHBB", 6 << 28 | tos << 20, length, protocol, 64) + a.packed + b.packed + payload


def ethernet(payload: bytes, kind: int | None = None) -> bytes:
    if kind is None:
        kind = 0x0800 if payload[0] >> 4 == 4 else 0x86DD
    return bytes([2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1]) + struct.pack(">H", kind) + payload


def pcap(path: Path, frames: Iterable[tuple[float, bytes, int]], link: int = 1) -> Path:
    """Writes (seconds, what was captured, length on the wire), in the order of time."""
    out = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, link)]
    for at, captured, length in sorted(frames, key=lambda frame: frame[0]):
        seconds, ns = divmod(round(at * 1e9), 10**9)
        out.append(struct.pack("<4I", seconds, ns, len(captured), max(length, len(captured))) + captured)
    path.write_bytes(b"".join(out))
    return path


def table(path: Path, rows: Sequence[tuple[object, ...]], columns: str) -> Path:
    """Writes a trace as CSV; the rows begin with the time, by which they are sorted."""
    lines = [",".join(map(str, (f"{row[0]:.9f}", *row[1:]))) for row in sorted(rows, key=lambda row: row[0])]  # type: ignore[arg-type,return-value]
    path.write_text("\n".join([columns, *lines]) + "\n")
    return path
