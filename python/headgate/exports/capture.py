"""Packets of a run as a capture in pcapng, which Wireshark, tshark and tcpdump read.

Source: draft-ietf-opsawg-pcapng for the blocks and options (sections 4.1 to 4.6), RFC 791 and RFC 768 for the headers, RFC 3168 for the
marks. Deviations: none of the file format. The headers of the packets are made up, since the simulator has none:

- each flow has an address of its own at its source and at its sink, and a record of names says which;
- what is captured of a packet are these headers, the word `headgate` and the sequence number: the packet's own length is in the headers
  and in the block. (Without the word, tshark takes the data for that of other protocols.)

A packet stands in the capture once for each port that it left, at the time at which its transmission began, on the interface of the port;
one that was dropped stands at the time of the drop on an interface of its own.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from ..base.errors import HeadgateError
from .follow import Batch, Columns, RunInfo, reason_of, rows

#: What `Writer.take` needs of a run.
TRACES: tuple[str, ...] = ()
PACKETS = True

#: As many flows have addresses: half of 10.0.0.0/8 is for sources and half for sinks.
MOST_FLOWS = (1 << 23) - 2
#: The first addresses of sources and of sinks: 10.0.0.1 and 10.128.0.1.
_SOURCES, _SINKS = 0x0A000001, 0x0A800001

_SECTION, _INTERFACE, _NAMES, _STATISTICS, _PACKET = 0x0A0D0D0A, 1, 4, 5, 6
_COMMENT, _APPLICATION = 1, 4
_IF_NAME, _IF_DESCRIPTION, _IF_SPEED, _IF_RESOLUTION = 2, 3, 8, 9
_IS_START, _IS_END, _IS_RECEIVED, _IS_DROPPED = 2, 3, 4, 5
_FLAGS = 2
#: The link type of raw IP, and the flags of a packet that leaves.
_RAW_IP, _OUTBOUND = 101, 2
_APPLICATION_NAME = b"headgate"

_IP, _UDP = struct.Struct(">BBHHHBBHII"), struct.Struct(">HHHH8sQ")
_BLOCK, _OPTION, _LENGTH = struct.Struct("<7I"), struct.Struct("<HH"), struct.Struct("<I")
#: The flags of a packet, and the end of its options.
_REST = struct.pack("<HHIHH", _FLAGS, 4, _OUTBOUND, 0, 0)
_COLUMNS = (
    "port", "flow", "entry", "seq", "arrived_ns", "start_ns", "bytes", "marked", "reason", "arrival", "departure", "ack", "ecn",
)  # fmt: skip
#: The protocol for experiments (RFC 3692), for packets that have no room for a UDP header.
_EXPERIMENT, _USER_DATAGRAM = 253, 17
#: Ports of UDP: the first one of the range for private use, and one that no program listens at.
_FIRST_PORT, _PORTS, _SINK_PORT = 49152, 16384, 9
_LONGEST = 65535


class CaptureWriter:
    """Writes packets as they come."""

    def __init__(self, file: Path, of: RunInfo) -> None:
        """Writes the head of the file.

        Raises:
            HeadgateError: there are more flows than addresses.
        """
        if len(of.flows) > MOST_FLOWS:
            raise HeadgateError(f"{of.name}: {len(of.flows)} flows; expected at most {MOST_FLOWS} in a capture")
        self._of = of
        self._out: BinaryIO = file.open("wb", buffering=1 << 20)
        self._interfaces: dict[tuple[int, bool], int] = {}
        #: Of each port the packets that arrived, those that were dropped, and the last time.
        self._counts = [[0, 0] for _ in of.ports]
        self._end_ns = 0
        #: What stands in comments: a very long name would leave no room for the rest.
        self._flows = [flow.name if len(flow.name) <= 200 else f"{flow.name[:200]}..." for flow in of.flows]
        head = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)
        note = f"{of.origin}. The headers are made up; lengths count as those of IP packets."
        self._block(_SECTION, head + _options((_COMMENT, _text(note)), (_APPLICATION, _APPLICATION_NAME)))
        self._write_names()

    def take(self, batch: Batch) -> None:
        """Writes the packets of a part of the run."""
        self._packets(batch.packets)
        for (port,) in rows(batch.waiting, "port"):
            self._counts[port][0] += 1

    def finish(self) -> None:
        """Writes what was counted at each interface and ends the file."""
        for (port, dropped), interface in self._interfaces.items():
            received, lost = self._counts[port]
            counts = [(_IS_RECEIVED, struct.pack("<Q", lost if dropped else received))]
            if not dropped:
                counts.append((_IS_DROPPED, struct.pack("<Q", lost)))
            until = struct.pack("<II", *divmod(self._end_ns, 1 << 32))
            body = struct.pack("<I", interface) + until
            self._block(_STATISTICS, body + _options((_IS_START, bytes(8)), (_IS_END, until), *counts))
        self.close()

    def close(self) -> None:
        """Closes the file, whole or not."""
        self._out.close()

    def _packets(self, packets: Columns) -> None:
        counts, interfaces, write = self._counts, self._interfaces, self._out.write
        for port, flow, entry, seq, arrived, start, size, marked, reason, arrival, departure, ack, ecn in rows(
            packets, *_COLUMNS
        ):
            dropped = reason > 0
            counts[port][0] += 1
            counts[port][1] += dropped
            interface = interfaces.get((port, dropped))
            if interface is None:
                interface = self._describe(port, dropped)
            seconds, rest = divmod(start - arrived, 1_000_000_000)
            text = f"{self._said(flow, entry, ack)} {seq}; waited {seconds}.{rest:09d} s"
            if dropped:
                text += f"; dropped: {reason_of(reason)}"
            elif arrival == 1 or departure == 1:
                text += "; marked here"
            elif marked:
                text += "; marked before"
            # A packet shorter than its header counts as that header: the comment has its length.
            length = max(size, 20)
            if size < length:
                text += f"; {size} bytes"
            captured = self._headers(flow, entry, seq, length, ack, 3 if marked else _ECN[ecn])[:length]
            comment = _text(text)
            # The block as one piece: most of the time of an export is here.
            body = _padded(captured) + _OPTION.pack(_COMMENT, len(comment)) + _padded(comment) + _REST
            whole = 32 + len(body)
            high, low = start >> 32, start & 0xFFFF_FFFF
            write(_BLOCK.pack(_PACKET, whole, interface, high, low, len(captured), length) + body + _LENGTH.pack(whole))
            self._end_ns = start

    def _said(self, flow: int, entry: int, ack: int) -> str:
        """How the comment of a packet begins."""
        number = f" (flow {flow})" if flow != entry else ""
        return f"flow {self._flows[entry]}{number}, {'acknowledgement of' if ack else 'data'}"

    def _headers(self, flow: int, entry: int, seq: int, size: int, ack: int, ecn: int) -> bytes:
        source, sink = _SOURCES + entry, _SINKS + entry
        # Flows that come and go within an entry differ by their port.
        first, second = _FIRST_PORT + (flow - entry) % _PORTS, _SINK_PORT
        if ack:
            source, sink, first, second = sink, source, second, first
        length = min(size, _LONGEST)
        protocol = _USER_DATAGRAM if length >= 28 else _EXPERIMENT
        checksum = _sum(length, seq & 0xFFFF, protocol, ecn, source, sink)
        ip = _IP.pack(0x45, ecn, length, seq & 0xFFFF, 0x4000, 64, protocol, checksum, source, sink)
        if protocol == _EXPERIMENT:
            return ip
        return ip + _UDP.pack(first, second, length - 20, 0, _APPLICATION_NAME, seq)

    def _describe(self, port: int, dropped: bool) -> int:
        info = self._of.ports[port]
        name = f"{info.name} (dropped)" if dropped else info.name
        text = f"port from {info.start} to {info.end}, queue {info.queue}"
        rate = [(_IF_SPEED, struct.pack("<Q", round(info.rate_bps)))] if 0 < info.rate_bps < 1 << 63 else []
        body = struct.pack("<HHI", _RAW_IP, 0, 0)
        options = ((_IF_NAME, _text(name)), (_IF_DESCRIPTION, _text(text)), *rate, (_IF_RESOLUTION, b"\x09"))
        self._block(_INTERFACE, body + _options(*options))
        self._interfaces[port, dropped] = len(self._interfaces)
        return self._interfaces[port, dropped]

    def _write_names(self) -> None:
        """Which flow an address belongs to. A block holds some thousand names."""
        records = bytearray()
        for entry, flow in enumerate(self._of.flows):
            for address, name in ((_SOURCES + entry, flow.name), (_SINKS + entry, f"{flow.name}:sink")):
                value = struct.pack(">I", address) + _text(name).replace(b"\0", b"?") + b"\0"
                records += struct.pack("<HH", 1, len(value)) + _padded(value)
            if len(records) > 1 << 16 or entry + 1 == len(self._of.flows):
                self._block(_NAMES, bytes(records) + bytes(4))
                records.clear()

    def _block(self, kind: int, body: bytes) -> None:
        length = struct.pack("<I", 12 + len(body))
        self._out.write(struct.pack("<I", kind) + length + body + length)


#: The bits of each code point, in the order of the engine's list: Not-ECT, ECT(0), ECT(1), CE.
_ECN = (0, 2, 1, 3)


def _sum(length: int, number: int, protocol: int, ecn: int, source: int, sink: int) -> int:
    """The checksum of a header (RFC 791, section 3.1)."""
    words = (0x4500 | ecn) + length + number + 0x4000 + (64 << 8 | protocol)
    words += (source >> 16) + (source & 0xFFFF) + (sink >> 16) + (sink & 0xFFFF)
    words = (words & 0xFFFF) + (words >> 16)
    words = (words & 0xFFFF) + (words >> 16)
    return 0xFFFF ^ words


def _text(text: str) -> bytes:
    """As options hold it, which have at most 65535 bytes; cut to far fewer.

    >>> _text("a" * 5000)[-3:], len(_text("a" * 5000))
    (b'...', 2003)
    """
    raw = text.encode("utf-8", "replace")
    return raw if len(raw) <= 2000 else raw[:2000].decode("utf-8", "ignore").encode() + b"..."


def _padded(value: bytes) -> bytes:
    return value + bytes(-len(value) % 4)


def _options(*options: tuple[int, bytes]) -> bytes:
    return b"".join(struct.pack("<HH", code, len(value)) + _padded(value) for code, value in options) + bytes(4)
