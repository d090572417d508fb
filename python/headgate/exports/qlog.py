"""A run as qlog: a folder with a file for each flow, as its source sees it, and one for the network.

Source: draft-ietf-quic-qlog-main-schema (JSON text sequences, RFC 7464; `simulation` events) and draft-ietf-quic-qlog-quic-events
(packets, metrics), in the state of July 2026; qvis (quiclog/qvis of October 2025, QlogLoaderV2 and the congestion graph) for the older
form that it reads. Deviations, all said in the description of each trace:

- flows are no QUIC: a packet number is the order of transmission, and all packets are of type `1RTT`;
- an `ack` frame has the packets that an acknowledgement newly acknowledges, so that it follows from sequence numbers;
- `packet_lost` stands where a source sends data again, which is when it holds the first packet for lost at the latest;
- windows are in bytes: a control's packets times the mean length of the flow's packets;
- what qlog has no event for is in the namespace `headgate`: `link_state`, `queue_sampled`, `packet_dropped_at`, `controller_probe`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .. import _core
from .follow import Batch, RunInfo, is_estimate, reason_of, rows
from .sender import Sender

TRACES: tuple[str, ...] = ("window", "in_flight", "rtt", "backlog", "estimates")
PACKETS = True

#: The draft of the QUIC events that is followed: until there is an RFC, its number is part of the URI.
QUIC_DRAFT = 12
EVENT_SCHEMAS = (
    f"urn:ietf:params:qlog:events:quic-{QUIC_DRAFT}",
    "urn:ietf:params:qlog:events:simulation",
    "urn:headgate:qlog:net-1",
)
FILE_SCHEMA = "urn:ietf:params:qlog:file:sequential"

#: The folder with the same traces in the older form, and the names of events there.
OLDER = "qvis"
_OLDER_NAMES = {
    "quic:packet_sent": "transport:packet_sent",
    "quic:packet_received": "transport:packet_received",
    "quic:packet_lost": "recovery:packet_lost",
    "quic:recovery_metrics_updated": "recovery:metrics_updated",
}

#: Estimates that are rates in packets/s, of which the first is that at which packets are sent.
_PACING = "rate"

#: Bytes of text that all files together keep before they are written.
_KEPT = 16_000_000
#: Names of files have at most as many characters of the flow's name.
_LONGEST = 60

_ABOUT = (
    "The flow is no QUIC: packet_number is the order of transmission; acked_ranges are the packets newly acknowledged; packet_lost stands "
    "where data is sent again; windows are packets times the mean length of packets."
)


class QlogWriter:
    """Writes the traces as they come; each file is opened only to add to it, since there may be thousands."""

    def __init__(self, folder: Path, of: RunInfo) -> None:
        """Makes the files, in a folder that is there."""
        self._of, self._folder = of, folder
        (folder / OLDER).mkdir()
        self._text: list[list[str]] = []
        self._kept = 0
        self._files = file_names([flow.name for flow in of.flows])
        self._senders: dict[int, Sender] = {}
        self._sent = [0] * len(of.flows)
        self._least_rtt = [float("inf")] * len(of.flows)
        for entry, flow in enumerate(of.flows):
            about = (
                f"Data from {flow.source} to {flow.sink}; control {flow.control}, workload {flow.workload}. {_ABOUT}"
            )
            self._text.append([_head(of, f"flow {flow.name}", about, {"name": flow.source, "type": "client"})])
            details = {
                "seed": of.run.seed,
                "run": of.run.run,
                "digest": of.run.digest,
                "flow": of.scenario["flows"][entry],
            }
            self._add(entry, 0, "simulation:scenario", {"name": of.name, "details": details})
        self._network = len(of.flows)
        self._text.append(
            [_head(of, "network", "What happens at ports.", {"name": "network", "type": "network", "flow": "client"})]
        )
        self._add(self._network, 0, "simulation:scenario", {"name": of.name, "details": of.scenario})
        for port in of.ports:
            state: dict[str, Any] = {"port": port.name, "from": port.start, "to": port.end, "queue": port.queue}
            state |= {"rate_bps": port.rate_bps, "delay_ms": port.delay_s * 1e3}
            self._add(self._network, 0, "headgate:link_state", state)
        self._markers = of.events()

    def take(self, batch: Batch) -> None:
        """Writes a part of the run."""
        for at, rank, row in _merged(batch):
            while self._markers and self._markers[0][0] <= at:
                self._mark(*self._markers.pop(0))
            if rank == _END:
                self._end(at, *row)
            elif rank == _DROP:
                self._dropped(at, *row)
            else:
                self._values(at, batch.kinds, row)
        if self._kept > _KEPT:
            self._flush()

    def finish(self) -> None:
        """Writes the rest."""
        while self._markers:
            self._mark(*self._markers.pop(0))
        self._flush()

    def close(self) -> None:
        """No file stays open."""

    def _end(
        self, at: int, what: int, entry: int, flow: int, seq: int, cumulative: int, size: int, marked: int
    ) -> None:
        """Something happened at an end of a path."""
        sender = self._senders.get(flow)
        if sender is None or sender.entry != entry or (what == 0 and sender.begins_again(seq)):
            sender = self._senders[flow] = Sender(entry)
        if what == 0:
            packet = self._sent[entry]
            self._sent[entry] += 1
            lost = sender.send(seq, packet)
            if lost is not None:
                self._add(entry, at, "quic:packet_lost", {"header": {"packet_type": "1RTT", "packet_number": lost}})
            data = {
                "header": {"packet_type": "1RTT", "packet_number": packet},
                "raw": {"length": size},
                "headgate_seq": seq,
            }
            if flow != entry:
                data["headgate_flow"] = flow
            self._add(entry, at, "quic:packet_sent", data)
        elif what == 2:
            frame: dict[str, Any] = {"frame_type": "ack"}
            ranges = sender.acknowledge(seq, cumulative)
            if ranges:
                frame["acked_ranges"] = ranges
            if marked:
                frame["ce"] = sender.count_mark()
            data = {
                "header": {"packet_type": "1RTT", "packet_number": sender.count_received()},
                "raw": {"length": size},
                "frames": [frame],
            }
            self._add(entry, at, "quic:packet_received", data)

    def _dropped(self, at: int, port: int, entry: int, flow: int, seq: int, size: int, reason: int, ack: int) -> None:
        name = reason_of(reason)
        data = {
            "port": self._of.ports[port].name, "flow": self._of.flows[entry].name, "seq": seq, "kind": "acknowledgement" if ack else "data",
            "bytes": size, "reason": name, "reason_kind": _core.DROP_REASON_KINDS[reason - 1],
        }  # fmt: skip
        if flow != entry:
            data["transfer"] = flow
        self._add(self._network, at, "headgate:packet_dropped_at", data)
        self._add(entry, at, "headgate:packet_dropped_at", data)

    def _values(self, at: int, kinds: list[str], found: list[tuple[int, int, float]]) -> None:
        """Values of one instant: those of a flow are one event."""
        metrics: dict[int, dict[str, float]] = {}
        for kind, of, value in found:
            name = kinds[kind]
            if value != value:
                continue
            if of >= self._network:
                port = self._of.ports[of - self._network].name
                self._add(self._network, at, "headgate:queue_sampled", {"port": port, "packets": int(value)})
                continue
            if is_estimate(name):
                self._add(of, at, "headgate:controller_probe", {"name": name, "value": value})
            metrics.setdefault(of, {}).update(self._metrics(of, name, value))
        for of, data in metrics.items():
            if data:
                self._add(of, at, "quic:recovery_metrics_updated", data)

    def _metrics(self, of: int, name: str, value: float) -> dict[str, float]:
        size = self._of.flows[of].packet_bytes
        if name == "window":
            return {"congestion_window": round(max(value, 0.0) * size)}
        if name == "in_flight":
            return {"bytes_in_flight": round(value * size), "packets_in_flight": round(value)}
        if name == "rtt":
            found = {"latest_rtt": _ms(value)}
            if value < self._least_rtt[of]:
                self._least_rtt[of] = value
                found["min_rtt"] = _ms(value)
            return found
        if name == _PACING:
            return {"pacing_rate": round(max(value, 0.0) * size * 8)} if value < 1e15 else {}
        return {}

    def _mark(self, at: int, what: str) -> None:
        for trace in range(len(self._text)):
            self._add(trace, at, "simulation:marker", {"type": "network event", "message": what})

    def _add(self, trace: int, at: int, name: str, data: dict[str, Any]) -> None:
        text = f'{{"time":{at / 1e6:.6f},"name":"{name}","data":{_dumps(data)}}}\n'
        self._text[trace].append(text)
        self._kept += len(text)

    def _flush(self) -> None:
        for trace, texts in enumerate(self._text):
            if not texts:
                continue
            name = "network" if trace == self._network else self._files[trace]
            for folder, form in ((self._folder, _newer), (self._folder / OLDER, _older)):
                with (folder / f"{name}.sqlog").open("a", encoding="utf-8") as out:
                    out.writelines(f"\x1e{form(text)}" for text in texts)
            texts.clear()
        self._kept = 0


_dumps = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode

#: What comes first of what happens at one instant.
_END, _DROP, _VALUE = range(3)


def _merged(batch: Batch) -> list[tuple[int, int, Any]]:
    """What happened, in the order of time."""
    found: list[tuple[int, int, Any]] = []
    names = ("at_ns", "what", "entry", "flow", "seq", "cumulative", "bytes", "marked")
    found.extend((at, _END, row) for at, *row in rows(batch.ends, *names))
    names = ("start_ns", "reason", "port", "entry", "flow", "seq", "bytes", "ack")
    for at, reason, port, entry, flow, seq, size, ack in rows(batch.packets, *names):
        if reason > 0:
            found.append((at, _DROP, (port, entry, flow, seq, size, reason, ack)))
    last: tuple[int, int, list[Any]] | None = None
    for at, *row in rows(batch.values, "at_ns", "kind", "object", "value"):
        if last is None or last[0] != at:
            last = (at, _VALUE, [])
            found.append(last)
        last[2].append(row)
    found.sort(key=lambda row: row[:2])
    return found


def _head(of: RunInfo, title: str, about: str, vantage: dict[str, Any]) -> str:
    """The first record of a file: both forms, of which each file gets its own."""
    description = f"{about} {of.origin}."
    trace = {"title": title, "description": description, "vantage_point": vantage}
    reference = {"clock_type": "monotonic", "epoch": "unknown"}
    both = {"title": title, "description": of.origin}
    common = {"time_format": "relative_to_epoch", "reference_time": reference}
    newer: dict[str, Any] = {"file_schema": FILE_SCHEMA, "serialization_format": "application/qlog+json-seq", **both}
    newer |= {"trace": trace | {"common_fields": common, "event_schemas": EVENT_SCHEMAS}}
    older: dict[str, Any] = {"qlog_version": "0.3", "qlog_format": "JSON-SEQ", **both}
    older |= {
        "trace": trace | {"common_fields": {"time_format": "relative", "reference_time": 0, "protocol_type": ["QUIC"]}}
    }
    return f"{_dumps(newer)}\n{_dumps(older)}\n"


def _newer(text: str) -> str:
    return text.partition("\n")[0] + "\n" if text.startswith('{"file_schema"') else text


def _older(text: str) -> str:
    if text.startswith('{"file_schema"'):
        return text.partition("\n")[2]
    before, name, after = text.split('"name":"', 1)[0], *text.split('"name":"', 1)[1].split('"', 1)
    return f'{before}"name":"{_OLDER_NAMES.get(name, name)}"{after}'


def _ms(seconds: float) -> float:
    return round(seconds * 1e3, 6)


def file_names(flows: list[str]) -> list[str]:
    """A name of a file for each flow: what file systems or shells act upon is replaced, and names that are equal then get numbers.

    >>> file_names(["ftp", "a/b", "a:b", "..", "network", "FTP"])
    ['ftp', 'a_b', 'a_b-2', '_', 'network-4', 'FTP-5']
    """
    found, taken = [], {"network"}
    for place, flow in enumerate(flows):
        name = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in flow)[:_LONGEST]
        name = name if name.strip(".") and not name.startswith(".") else "_" + name.strip(".")
        # Some file systems do not tell capitals apart.
        while name.lower() in taken:
            name = f"{name}-{place}"
        taken.add(name.lower())
        found.append(name)
    return found
