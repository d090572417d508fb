"""headgate replay: a recorded trace through queueing disciplines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .. import shared, signals
from ..changes import parameters_of
from ..command import Command, argument, option
from ..line_options import DEFAULT, line_options, parse_queue
from ..scenario_files import plugin_files
from ..show import print_json


class ReplayCommand(Command):
    """Replay TRACE (CSV, Parquet, pcap or pcapng) through queueing disciplines and compare the results.

    TRACE may be compressed with gzip or zstd; - is standard input.
    """

    group = "Simulate"
    page = "how-to/replay"
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
