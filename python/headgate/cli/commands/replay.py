"""headgate replay: a recorded trace through queueing disciplines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ...base.choices import CONVENTION_HELP
from .. import shared, signals
from ..changes import parameters_of
from ..command import Command, argument, option
from ..line_options import DEFAULT, line_options, parse_queue
from ..printed import Key, Shape, key
from ..scenario_files import plugin_files
from ..show import print_json


class ReplayJson(Shape):
    """What became of the trace in each queue."""

    trace: TraceJson = key("The trace.")
    notes: list[str] = key(
        "Sentences about what of the trace had no effect, what was left out, and what the trace does not say."
    )
    sentences: list[str] = key("Texts for people: what sparse flows waited in each queue, and what no replay knows.")
    rate: str = key("Rate of the link, or the file of a recorded link.")
    seed: int = key("Seed of the random numbers of disciplines.")
    conventions: ConventionsJson = key("How the replay was done where that is a choice.")
    version: str = key("Version of headgate.")
    queues: list[ReplayQueueJson] = key("Each queue.")


class TraceJson(Shape):
    """A trace."""

    source: str = key("The file.")
    packets: int = key("Packets that were replayed.")
    flows: int = key("Flows that were replayed.")
    classify: str | None = key("Which packets are one flow.")
    start_s: str | None = key("Time of the first packet in s, as exact text.")
    skipped: dict[str, int] = key("With `--lenient`, faults by kind.")
    not_ip: dict[str, int] = key("Packets of a capture that are not IP, by kind.")
    truncated: TruncatedJson = key("Packets of which too little was captured.")


class TruncatedJson(Shape):
    """Packets of which too little was captured."""

    addresses: int = key("Those with addresses alone, also those inside a tunnel.")
    ports: int = key("Those with ports alone.")


class ConventionsJson(Shape):
    """Choices of a replay."""

    @classmethod
    def derived(cls) -> dict[str, tuple[Any, Key]]:
        """Each convention, with what it decides."""
        return {name: (str, Key(about)) for name, about in CONVENTION_HELP.items()}


class ReplayCountsJson(Shape):
    """Counts, of a queue or of a flow."""

    queue: str = key("Name of the queue.")
    packets: int = key("Packets that arrived.")
    bytes: int = key("Bytes that arrived.", "bytes")
    sent: int = key("Packets sent.")
    sent_bytes: int = key("Bytes sent.", "bytes")
    marks: int = key("Packets marked.")
    throughput_bps: float | None = key("Bytes sent, over the span.", "bit/s")
    loaded_bps: float | None = key(
        "What was sent by the last arrival, over the time until then; null where all arrive at once.", "bit/s"
    )
    drops: dict[str, int] = key("Packets dropped, by reason.")
    delay_s: dict[str, float | None] = key(
        "Queueing delay of the packets sent: `mean`, `p50`, `p95`, `p99` and `max`.", "s"
    )


class ReplayQueueJson(ReplayCountsJson):
    """A queue."""

    span_s: float | None = key("From the first arrival to the last departure.", "s")
    rate_bps: float | None = key("Rate of the link, the mean over the span.", "bit/s")
    arrivals_s: float | None = key("From the first arrival to the last.", "s")
    utilisation: float | None = key("Part of the rate that was used.")
    jain_of_max_min: float | None = key("Jain's index of the flows' throughput over its max-min ideal.")
    jain: float | None = key("Jain's index of the flows' throughput over weight.")
    sparse_packets: int | None = key("Packets of [sparse flows](../how-to/replay.md#a-first-trace).")
    sparse_drops: int | None = key("Packets of these that were dropped.")
    sparse_delay_s: float | None = key("Their mean queueing delay.", "s")
    discipline: dict[str, Any] = key("The discipline with every parameter.")
    out: str | None = key("Its file.")
    flows: list[ReplayFlowJson] = key("Each flow, in the order of their first packets.")


class ReplayFlowJson(ReplayCountsJson):
    """A flow."""

    flow: str = key("Name of the flow.")
    weight: float = key("Its weight.")


class ReplayCommand(Command):
    """Replay TRACE (CSV, Parquet, pcap or pcapng) through queueing disciplines and compare the results.

    TRACE may be compressed with gzip or zstd; - is standard input.
    """

    group = "Simulate"
    page = "how-to/replay"
    question = "what would another queue have done to traffic that I captured?"
    examples = """\
headgate replay scenarios/office.csv --rate 2Mbit/s --buffer 64KB
headgate replay link.pcap.gz --queue fcfs --queue cake:rate=9Mbit/s \\
  --rate 10Mbit/s
tcpdump -w - | headgate replay - --rate 10Mbit/s
headgate replay link.pcapng --rate cell.trace --lenient --sort 10ms
headgate replay scenarios/office.csv --queue fcfs --queue fq \\
  --rate 2Mbit/s --out packets.csv
headgate replay link.pcapng --queue '{kind = "fq", delta = "1000B"}' \\
  --rate 10Mbit/s --classify pair --out after.pcapng
"""
    prints = {"": ReplayJson}

    trace: Path = argument()
    line: dict[str, Any] = line_options(True)
    sort: str | None = option(
        "Put packets in the order of time, as far as each is at most this time earlier than one before it, such as 10ms.",
        metavar="WINDOW",
    )
    plugin: tuple[str, ...] = plugin_files()
    out: Path | None = option(
        "Write a row per packet (.csv, .parquet) or the packets that are sent (.pcapng).", metavar="FILE"
    )
    segment: str | None = option(
        "Cut packets whose IP packet is longer, such as 1500B: captures have them where the network card segments.",
        metavar="SIZE",
    )
    figure: Path | None = option("Draw delay and drops over time (.png, .svg, .pdf).", metavar="FILE")
    max_memory: str | None = shared.max_memory("the replay may take")
    top: int = option("List the N flows with most bytes.", 10, least=1, metavar="N")
    wide: bool = shared.wide()
    as_json: bool = shared.as_json("the results")

    def run(self) -> None:
        with signals.loading():
            from rich.markup import escape

            from ...replays import replay as replay_trace
            from ..tables.replay import print_replay
            from ..terminal import console, rows_progress

        line = dict(self.line)
        queues = [parse_queue(q) for q in line.pop("queues") or DEFAULT]
        parameters = parameters_of(line.pop("changes"), "delta=1000B")
        if self.figure is not None:
            from ...plots.canvas import require

            require(self.figure)
        # Arrow's own allocator keeps what it was given: a stream in little memory is better served by the system's.
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
        with rows_progress(f"replaying {self.trace.name}") as callback:
            result = replay_trace(
                self.trace, queues, parameters=parameters, out=self.out, sort=self.sort, segment=self.segment, packets=False,
                series=self.figure is not None, progress=callback, max_memory=self.max_memory, **line,
            )  # fmt: skip
            if self.figure is not None:
                result.figure(self.figure)
        if self.as_json:
            print_json(result.to_dict())
            return
        print_replay(result, self.top, self.wide)
        for written in [*result.outputs, *([self.figure] if self.figure is not None else [])]:
            console().print(f"written: {escape(str(written))}", soft_wrap=True)
