"""Drives a replay: batches in, rows out; outputs are written completely or not at all."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .. import _core
from ..base.atomic import atomic, require_place
from ..base.choices import CLASSIFY, CONVENTIONS
from ..base.errors import HeadgateError, TraceError, cut
from ..base.memory import Limit
from ..scenario.baselines import PLAIN
from .options import Queue, disciplines, rename
from .rates import Rate, line_rate
from .result import Replay
from .rows import Kept, ParquetRows, RowReader
from .sources import TraceTable, is_path, is_standard_input, origin_of

#: Forms in which rows can be written, by the ending of the file's name.
OUTPUTS = (".csv", ".parquet", ".pcapng")

#: Called with (share done, or nan if it is not known; packets so far).
Progress = Callable[[float, int], object]


def replay(
    source: Any,
    queue: Queue | Sequence[Queue] = PLAIN,
    rate: Rate = "",
    buffer: str | None = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    classify: str | None = None,
    out: str | os.PathLike[str] | None = None,
    seed: int = 1,
    in_service: str = "extra",
    ties: str = "first",
    at_departure: str = "departures-first",
    ecn: str = "not-capable",
    lenient: bool = False,
    sort: str | None = None,
    segment: str | None = None,
    packets: bool = True,
    series: bool = True,
    progress: Progress | None = None,
    max_memory: str | int | None = None,
) -> Replay:
    """Replays a trace through one or several queueing disciplines: what would have happened to these packets?

    >>> import headgate, pyarrow
    >>> trace = pyarrow.table({"time_s": [0.0, 0.0, 0.001], "flow": ["a", "a", "b"], "size_bytes": [1000, 1000, 500]})
    >>> result = headgate.replay(trace, queue=["fcfs", "fq"], rate="1Mbit/s", buffer="64KB")
    >>> result.packets("fq")["departure_s"].tolist()
    [0.008, 0.02, 0.012]
    >>> result.packets("fcfs")["departure_s"].tolist()
    [0.008, 0.016, 0.02]

    Args:
        source: the name of a CSV, Parquet, pcap or pcapng file, which may be compressed with gzip or zstd, or `-` for standard input; or
            a table of pyarrow, pandas, polars or anything that gives an Arrow stream. A table has the columns `time_s`, `flow`,
            `size_bytes` and, if wanted, `weight`, `priority` or `dscp`, `ecn`, `source` and `destination`.
        queue: a discipline or several: a name such as `"fq"`, or a table such as `{"kind": "fq", "delta": "1000B"}`, which may have
            a `name`.
        rate: of the line, such as `"10Mbit/s"`; or a recorded link, as the name of its file (delivery opportunities as mahimahi has
            them, or times and rates), or as a table such as the `rate` of a link in a scenario. Its time begins with the first packet.
        buffer: such as `"64KB"` or `"100pkt"`, for every discipline that has one; its own default unless given.
        parameters: more of them: `NAME` for all disciplines that have it, `QUEUE.NAME` for one.
        classify: which packets of a capture are one flow: flow or 5tuple (the default), pair, source, destination, priority (DSCP), ecn.
        out: a file for a row per packet (`.csv`, `.parquet`) or for the packets that are sent (`.pcapng`, from a capture only). With
            several disciplines their names come before its ending.
        seed: of the disciplines' random streams.
        in_service: `extra`: the packet in transmission takes no room in the buffer; `counts`: it does.
        ties: several packets at one instant at an idle link: `first`: the first starts at once; `together`: the discipline chooses.
        at_departure: `departures-first`: a transmission that ends makes room before an arrival at that instant; `arrivals-first`: after.
        ecn: packets of a table without a column `ecn`: `not-capable`: they are Not-ECT, which no discipline marks and `red` drops instead;
            `capable`: they are ECT(0). Each packet of a capture says so.
        lenient: packets with faults are skipped and counted, not an error. Of packets whose times contradict one another as few as possible
            are skipped.
        sort: packets are put in the order of time, as far as each is at most this time, such as `"10ms"`, earlier than one before it.
        segment: such as "1500B": packets that are longer, counted from their IP header on, are cut as the stack or the network card
            would, and all pieces arrive at once. Each has the headers of its packet, which in a table are not known.
        packets: whether rows are kept for `Replay.packets` (some 60 bytes each).
        series: whether series over time are kept for `Replay.figure`.
        progress: called with (share done, packets so far); the share is nan where the length is not known.
        max_memory: bytes, or a size such as "4GB", that the replay may take; three quarters of the machine's unless given.

    Raises:
        TraceError: something is wrong with the trace; the text names the line or the packet.
        HeadgateError: something else that was given is wrong, an output cannot be written, or the replay took more memory than it may.
    """
    limit = Limit(max_memory)
    chosen = disciplines(queue, buffer, dict(parameters or {}))
    conventions = {"in_service": in_service, "ties": ties, "at_departure": at_departure, "ecn": ecn}
    for key, value in conventions.items():
        if value not in CONVENTIONS[key]:
            raise HeadgateError(f"{key} {cut(repr(value))}; expected {' or '.join(CONVENTIONS[key])}")
    if segment is not None and re.fullmatch(r"\s*\d{1,20}\s*", segment, re.ASCII):
        meant = f" (did you mean `{segment.strip()}B`?)" if 256 <= int(segment) <= 65_535 else ""
        raise HeadgateError(f"segment: found {segment!r}; expected a size from 256B to 65535B, such as 1500B{meant}")
    line, recorded = line_rate(rate)
    options = {
        "rate": line, "queues": list(chosen.values()), "seed": seed, "conventions": conventions, "lenient": lenient,
        "series": series, **({} if sort is None else {"sort": sort}), **({} if segment is None else {"segment": segment}),
    }  # fmt: skip
    try:
        core = _core.Replay(json.dumps(options, default=str))
    except _core.ScenarioError as e:
        raise rename(e, list(chosen)) from None
    origin = origin_of(source)
    try:
        file = _file(source)
    except _core.TraceFault as e:
        raise TraceError(f"{origin}: {e}") from None
    kind = "table" if file is None else file.kind
    if kind == "capture" and ecn != CONVENTIONS["ecn"][0]:
        raise HeadgateError(f"ecn {ecn}; expected none: each packet of a capture says so")
    outputs = output_paths(out, list(chosen), source, kind)
    if segment is not None and any(path.suffix == ".pcapng" for path in outputs):
        raise HeadgateError(
            f"{out}: expected .csv or .parquet: with segment, pieces of packets are sent, which were not captured"
        )
    table = opened(core, source, file, classify, lenient)
    names = RowReader(core)
    kept = [Kept(names, i) for i in range(len(chosen))] if packets else []
    try:
        with ExitStack() as stack:
            writers = _outputs(core, outputs, names, stack)
            for i in range(len(chosen)):
                if packets or any(w.queue == i for w in writers):
                    core.keep_rows(i)
            _drive(core, table, source, kept + writers, progress, limit)
            # All files are complete before the first one takes its place.
            for writer in writers:
                writer.close()
    except _core.TraceFault as e:
        raise TraceError(f"{origin}: {e}") from None
    except OSError as e:
        raise HeadgateError(f"{out or origin}: cannot be {'written' if out else 'read'}; {e.strerror or e}") from None
    return Replay(core, origin, classify_name(kind, classify), kind, list(chosen), kept, outputs, recorded)


def classify_name(kind: str, classify: str | None) -> str:
    """The columns that distinguish flows.

    Raises:
        HeadgateError: something else than the column of flows, in a table.
    """
    if classify is not None and classify not in CLASSIFY:
        raise HeadgateError(f"classify {classify!r}; expected one of {', '.join(CLASSIFY)}")
    if kind == "capture":
        return "5tuple" if classify in (None, "flow") else str(classify)
    if classify not in (None, "flow"):
        raise HeadgateError(f"classify {classify!r}; expected flow: only a capture has addresses and headers")
    return "flow"


def output_paths(out: Any, queues: list[str], source: Any, kind: str) -> list[Path]:
    """The files of the outputs, one per queue; none if `out` is None.

    Raises:
        HeadgateError: another ending, a capture from a trace that is none, the trace itself, or a place that cannot be written to.
    """
    if out is None:
        return []
    path = Path(out)
    if path.suffix not in OUTPUTS:
        raise HeadgateError(f"{out}: expected a name that ends in {', '.join(OUTPUTS[:-1])} or {OUTPUTS[-1]}")
    if path.suffix == ".pcapng" and kind != "capture":
        raise HeadgateError(
            f"{out}: expected .csv or .parquet: the trace is no capture, so there are no packets to write"
        )
    paths = [path] if len(queues) == 1 else [path.with_name(f"{path.stem}-{q}{path.suffix}") for q in queues]
    for one in paths:
        require_place(one)
        if is_path(source) and not is_standard_input(source) and one.exists() and one.samefile(source):
            raise HeadgateError(f"{one}: expected another file than the trace")
    return paths


def opened(
    core: _core.Replay, source: Any, file: _core.TraceFile | None, classify: str | None, lenient: bool
) -> TraceTable | None:
    """Makes a replay ready to read a trace; gives its table, if its rows are sent in batches.

    Raises:
        TraceError: its beginning is wrong.
        HeadgateError: it is classified by addresses that it does not have.
    """
    name = classify_name("table" if file is None else file.kind, classify)
    if file is None or file.kind == "parquet":
        table = TraceTable(source, lenient)
        core.take_code_points(table.code_points)
        return table
    try:
        core.read(file, name)
    except _core.TraceFault as e:
        raise TraceError(f"{origin_of(source)}: {e}") from None
    return None


def _file(source: Any) -> _core.TraceFile | None:
    """The file of a trace that is none in memory; `-` is standard input.

    Raises:
        TraceFault: it is no trace.
    """
    if not is_path(source):
        return None
    return _core.TraceFile.standard_input() if is_standard_input(source) else _core.TraceFile(os.fspath(source))


def _outputs(core: _core.Replay, paths: list[Path], names: RowReader, stack: ExitStack) -> list[ParquetRows]:
    """Opens temporary files that take their places when all went well."""
    writers = []
    for i, path in enumerate(paths):
        temporary = stack.enter_context(atomic(path))
        if path.suffix == ".csv":
            core.write_csv(i, temporary)
        elif path.suffix == ".pcapng":
            core.write_capture(i, temporary)
        else:
            writers.append(stack.enter_context(ParquetRows(names, i, temporary)))
    return writers


def _drive(
    core: _core.Replay,
    table: TraceTable | None,
    source: Any,
    takers: Sequence[Any],
    progress: Progress | None,
    limit: Limit,
) -> None:
    """Reads the whole trace and passes finished rows on."""
    # Of a pipe it is not known.
    size = table.rows if table is not None else 0 if is_standard_input(source) else Path(source).stat().st_size

    def report() -> None:
        if found := limit.exceeded():
            raise HeadgateError(
                f"{origin_of(source)}: after {core.packets} packets: expected a replay that takes {found}; "
                "a smaller buffer or a classify that gives fewer flows takes less"
            )
        if progress is not None:
            done = core.position if table is None else core.packets
            progress(min(1.0, done / size) if size else float("nan"), core.packets)

    def hand_on() -> None:
        for queue in sorted({taker.queue for taker in takers}):
            while len((rows := core.rows(queue))["packet"]):
                for taker in takers:
                    if taker.queue == queue:
                        taker.add(rows)

    for _ in through(core, table):
        hand_on()
        report()


def through(core: _core.Replay, table: TraceTable | None = None) -> Iterator[None]:
    """Reads the whole trace and empties the queues, some packets at a time.

    Raises:
        TraceFault: something is wrong with the trace.
        OSError: an output cannot be written.
    """
    if table is None:
        while core.step():
            yield
    else:
        for batch in table.batches():
            core.push(*batch)
            yield
    while core.finish():
        yield
    yield
