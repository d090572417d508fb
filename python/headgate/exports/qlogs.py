"""A qlog of a stack, read: windows, round trips, what was sent and what was lost, by time.

Source: draft-ietf-quic-qlog-main-schema (files as JSON and as JSON text sequences, RFC 7464; `time_format`) and
draft-ietf-quic-qlog-quic-events (`packet_sent`, `packet_lost`, `recovery_metrics_updated`, `congestion_state_updated`), in the state of
July 2026; for files of version 0.3, drafts -02 to -04 of both, in which these events are of the categories `transport` and `recovery`.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base.errors import HeadgateError, cut

#: How names of files end that are qlogs.
ENDS = (".qlog", ".sqlog")

#: Maximum length of a file in bytes.
LONGEST = 1_000_000_000

#: The metrics of an event about recovery, with what one unit of ours is there.
METRICS = {
    "congestion_window": 1.0,
    "bytes_in_flight": 1.0,
    "ssthresh": 1.0,
    "pacing_rate": 1.0,
    "smoothed_rtt": 1e-3,
    "latest_rtt": 1e-3,
    "min_rtt": 1e-3,
}

_METRICS_UPDATED = ("metrics_updated", "recovery_metrics_updated")
_SUMMED = ("delta", "relative_to_previous_event")
_PLAIN = ("absolute", "relative", "relative_to_epoch")


@dataclass
class QlogTrace:
    """What one end of a connection told.

    Attributes:
        name: of the file.
        title: of the trace; empty if it has none.
        vantage: `client`, `server`, `network` or `unknown`.
        metrics: of each metric the times in s and the values, in s, bytes or bit/s.
        sent: time in s and bytes of each packet.
        lost: time in s of each loss.
        states: time in s and name of each state of the congestion control.
        traces: how many the file has, of which this one sent most.
        cut_off: whether the last record was not whole.
    """

    name: str
    title: str = ""
    vantage: str = "unknown"
    metrics: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    sent: list[tuple[float, float]] = field(default_factory=list)
    lost: list[float] = field(default_factory=list)
    states: list[tuple[float, str]] = field(default_factory=list)
    traces: int = 1
    cut_off: bool = False
    end: float = 0.0


def is_qlog(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a qlog: by its name, or by how it begins."""
    file = Path(path)
    if file.name.endswith(ENDS):
        return True
    if file.suffix not in (".json", ".log", "") or not file.is_file():
        return False
    try:
        with file.open("rb") as f:
            head = f.read(4096)
    except OSError:
        return False
    return b'"qlog_version"' in head or b'"file_schema"' in head


def read_qlog(path: str | os.PathLike[str]) -> QlogTrace:
    """Reads a qlog; of several traces in a file, the one that sent most bytes. Times begin with its first packet.

    Raises:
        HeadgateError: it is none, of a version below 0.3, or has no window and no packet.
    """
    file = Path(path)
    traces = [_trace(str(file), head, events) for head, events in _traces(file)]
    told = [t for t in traces if t.sent or t.metrics]
    if not told:
        raise HeadgateError(
            f"{file}: found no packet_sent and no metrics of recovery; expected the trace of an end that sends data"
        )
    chosen = max(told, key=lambda t: sum(size for _, size in t.sent))
    chosen.traces = len(traces)
    return _from_first(chosen)


def _traces(file: Path) -> Iterator[tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]]:
    """The head of each trace, and its events with their places in the file."""
    text = _text(file)
    if text.startswith("\x1e") or not text.lstrip().startswith("{"):
        yield _sequence(file, text)
        return
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as e:
        # Records on a line each, without separators, are told from a damaged file by their second line.
        second = text.lstrip().partition("\n")[2].lstrip()
        if second.startswith("{") and "Extra data" in str(e):
            yield _sequence(file, text)
            return
        raise HeadgateError(f"{file}: expected a qlog in JSON; {_why(e)}") from None
    _version(file, whole)
    traces = whole.get("traces")
    if not isinstance(traces, list):
        if "trace" in whole:
            yield _sequence(file, text)
            return
        raise HeadgateError(f"{file}: traces: found {cut(repr(traces))}; expected a list")
    for number, trace in enumerate(traces):
        if not isinstance(trace, dict):
            raise HeadgateError(f"{file}: traces[{number}]: found {cut(repr(trace))}; expected a table")
        events = trace.get("events", [])
        if not isinstance(events, list):
            raise HeadgateError(f"{file}: traces[{number}].events: found {cut(repr(events))}; expected a list")
        yield trace, [(f"traces[{number}].events[{i}]", event) for i, event in enumerate(events)]


def _text(file: Path) -> str:
    try:
        with file.open("rb") as f:
            raw = f.read(LONGEST + 1)
    except OSError as e:
        raise HeadgateError(f"{file}: expected a qlog; {e.strerror or e}") from None
    if len(raw) > LONGEST:
        raise HeadgateError(f"{file}: expected a qlog of at most {LONGEST // 10**9} GB, found a longer one")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise HeadgateError(f"{file}: expected text in UTF-8, found other bytes at position {e.start}") from None


def _sequence(file: Path, text: str) -> tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]:
    """The head and the events of a sequence: each a record after a separator, or a line."""
    records = text.split("\x1e") if "\x1e" in text[:1] else text.splitlines(keepends=True)
    records = [record for record in records if record.strip()]
    found: list[dict[str, Any]] = []
    for number, record in enumerate(records, 1):
        try:
            found.append(json.loads(record))
        except (ValueError, RecursionError) as e:
            if number == len(records) > 1 and not record.endswith("\n"):
                # A program that was ended writes no end of its last record (RFC 7464, section 2.4).
                found[0]["cut_off"] = True
                break
            raise HeadgateError(f"{file}: record {number}: expected JSON; {_why(e)}") from None
        if not isinstance(found[-1], dict):
            raise HeadgateError(f"{file}: record {number}: found {cut(repr(found[-1]))}; expected a table")
    if not found:
        raise HeadgateError(f"{file}: found nothing; expected a qlog")
    _version(file, found[0])
    trace = found[0].get("trace", {})
    if not isinstance(trace, dict):
        raise HeadgateError(f"{file}: record 1: trace: found {cut(repr(trace))}; expected a table")
    head = {"title": found[0].get("title", ""), "cut_off": found[0].get("cut_off", False), **trace}
    return head, [(f"record {number}", event) for number, event in enumerate(found[1:], 2)]


def _version(file: Path, whole: Any) -> None:
    """Whether a file is of a version that is read."""
    if not isinstance(whole, dict) or not {"qlog_version", "file_schema"} & whole.keys():
        raise HeadgateError(f"{file}: expected a qlog: a table with qlog_version or file_schema comes first")
    version = whole.get("qlog_version")
    if version is None:
        return
    try:
        known = float(str(version)) >= 0.3
    except ValueError:
        known = False
    if not known:
        raise HeadgateError(f"{file}: qlog_version: found {cut(repr(version))}; expected 0.3 or newer")


def _why(e: BaseException) -> str:
    return "it is too deep" if isinstance(e, RecursionError) else cut((str(e).splitlines() or ["no JSON"])[0])


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _trace(name: str, head: dict[str, Any], events: list[tuple[str, dict[str, Any]]]) -> QlogTrace:
    """The events that matter, in the order of time."""
    common = _table(head.get("common_fields"))
    form = str(common.get("time_format", "absolute"))
    if form not in (*_SUMMED, *_PLAIN):
        raise HeadgateError(
            f"{name}: time_format: found {cut(repr(form))}; expected one of {', '.join((*_PLAIN, *_SUMMED))}"
        )
    # Files of early drafts in the form of later ones keep this key.
    unit = 1e-6 if _table(head.get("configuration")).get("time_units") == "us" else 1e-3
    made = QlogTrace(name, str(head.get("title", "")), str(_table(head.get("vantage_point")).get("type", "unknown")))
    made.cut_off = bool(head.get("cut_off"))
    now = 0.0
    for place, event in events:
        if not isinstance(event, dict):
            raise HeadgateError(f"{name}: {place}: found {cut(repr(event))}; expected a table")
        time = _number(event.get("time"), f"{name}: {place}: time", "a number of milliseconds")
        now = now + time * unit if form in _SUMMED else time * unit
        _take(made, now, str(event.get("name", "")).rpartition(":")[2], _table(event.get("data")), f"{name}: {place}")
    return made


def _take(made: QlogTrace, now: float, name: str, data: dict[str, Any], place: str) -> None:
    """One event."""
    made.end = max(made.end, now)
    if name in _METRICS_UPDATED:
        for key, unit in METRICS.items():
            if data.get(key) is not None:
                value = _number(data[key], f"{place}: {key}", "a number")
                made.metrics.setdefault(key, []).append((now, value * unit))
    elif name == "packet_sent":
        size = _table(data.get("raw")).get("length", _table(data.get("header")).get("packet_size"))
        length = 0.0 if size is None else _number(size, f"{place}: raw.length", "a number of bytes")
        made.sent.append((now, length))
    elif name == "packet_lost":
        made.lost.append(now)
    elif name == "congestion_state_updated":
        made.states.append((now, str(data.get("new", ""))))


def _number(value: Any, place: str, expected: str) -> float:
    """A finite number that is not negative; texts of numbers count, since 64 bits may be written so."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 <= number < math.inf:
        raise HeadgateError(f"{place}: found {cut(repr(value))}; expected {expected}")
    return number


def _from_first(trace: QlogTrace) -> QlogTrace:
    """The same with times from its first packet on, in their order; what was before it is at 0."""
    starts = [t for t, _ in trace.sent] or [series[0][0] for series in trace.metrics.values()]
    first = min(starts)

    def at(t: float) -> float:
        # To the nanosecond: sums of differences have a rest.
        return round(max(t - first, 0.0), 9)

    trace.sent = sorted((at(t), size) for t, size in trace.sent)
    # Of equal times the order in the file says which value is the last.
    trace.metrics = {k: sorted(((at(t), v) for t, v in s), key=lambda e: e[0]) for k, s in trace.metrics.items()}
    trace.lost = sorted(map(at, trace.lost))
    trace.states = sorted(((at(t), s) for t, s in trace.states), key=lambda e: e[0])
    trace.end = at(trace.end)
    return trace
