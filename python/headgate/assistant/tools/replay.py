"""The tool `replay`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from ... import _core
from ...base.errors import HeadgateError, cut
from ...cli.commands.replay import ReplayCommand
from ...cli.line_options import DEFAULT, parse_queue
from ...cli.terminal import captured
from ...scenario import examples
from ..answers import MOST, WIDTH, Answer
from ..arguments import Schema, of_command, text
from ..calls import Call
from ..tool import Tool

#: The options of the command that are arguments here.
OPTIONS = ("rate", "buffer", "classify", "ecn", "seed", "lenient", "sort", "segment", "top")


class ReplayTool(Tool):
    """A recorded trace through queues."""

    name = "replay"
    title = "Replay a captured trace"
    about = (
        "Sends a recorded trace of packets (CSV, Parquet, pcap, pcapng) through one or several queueing disciplines on a link of a given "
        "rate, and sets beside each other what each would have dropped, marked and delayed. No sender reacts: the packets come as they "
        "were captured. `trace` is a file in a folder that the user allowed, or the example office.csv."
    )
    required = ("trace", "rate")
    runs = True

    @property
    def properties(self) -> Mapping[str, Schema]:
        queues = {
            "anyOf": [{"type": "string"}, {"type": "array"}],
            "description": (
                "The disciplines to compare: one as fq_codel, codel:target=10ms or red:min_threshold=5pkt, or a list of such texts or of "
                f"tables with `kind`. {', '.join(DEFAULT[:-1])} and {DEFAULT[-1]} unless given."
            ),
            "examples": [["fcfs", "fq", "cake"], "codel:target=10ms"],
        }
        parameters = {
            "type": "object",
            "description": "Parameters of every discipline that has them, by name, or of one queue as QUEUE.NAME.",
            "examples": [{"target": "10ms", "fq.delta": "1000B"}],
        }
        own = text("The file of the trace, or the example office.csv.", "office.csv", "link.pcapng")
        return {
            "trace": own,
            "queues": queues,
            **of_command(ReplayCommand, OPTIONS),
            "parameters": parameters,
        }

    def answer(self, given: Mapping[str, Any], call: Call) -> Answer:
        """The tables and the sentences."""
        from ...cli.tables.replay import print_replay
        from ...replays import replay

        trace = _file(given["trace"], "trace", call)
        asked = given.get("queues", list(DEFAULT))
        queues = [parse_queue(q) if isinstance(q, str) else q for q in (asked if isinstance(asked, list) else [asked])]
        if not queues:
            raise HeadgateError("queues: found none; expected at least one discipline, as fq")
        rate = str(given["rate"])
        where = {name: given[name] for name in OPTIONS if name in given and name not in ("rate", "top", "seed")}
        where = {name: str(value) if name in ("buffer", "sort", "segment") else value for name, value in where.items()}
        with call.told("replaying") as callback:
            result = replay(
                trace, queues, _rate(rate, call), parameters=given.get("parameters"), seed=given.get("seed", 1), packets=False,
                series=False, progress=callback, **where,
            )  # fmt: skip
        top = given.get("top", 10)
        with captured(WIDTH) as text_:
            print_replay(result, top)
        whole = result.to_dict(min(top, MOST))
        kept = (
            "queue",
            "sent",
            "marks",
            "drops",
            "delay_s",
            "utilisation",
            "throughput_bps",
            "jain_of_max_min",
            "flows",
        )
        data = {
            "trace": whole["trace"] | {"source": given["trace"]},
            "queues": [{key: each[key] for key in kept} for each in whole["queues"]],
            "sentences": whole["sentences"],
            "notes": whole["notes"],
        }
        text = text_.getvalue().replace(trace, given["trace"])
        return Answer(text, data, self._command(given, asked))

    @staticmethod
    def _command(given: Mapping[str, Any], asked: Any) -> str:
        name = given["trace"]
        words = ["headgate", "replay", f"scenarios/{name}" if name in examples.RECORDED else name]
        for each in asked if isinstance(asked, list) else [asked]:
            words += ["--queue", each if isinstance(each, str) else json.dumps(each)]
        for option in OPTIONS:
            if option in given and option != "lenient":
                words += [f"--{option}", str(given[option])]
        for key, value in (given.get("parameters") or {}).items():
            words += ["--set", f"{key}={value}"]
        return shlex.join([*words, *(["--lenient"] if given.get("lenient") else [])])


def _file(name: str, place: str, call: Call) -> str:
    """The file of a trace: an example, or one that may be read."""
    if name in examples.RECORDED:
        return str(examples.FOLDER / name)
    return str(call.limits.file(name, place))


def _rate(rate: str, call: Call) -> str:
    """A rate, or the file of a recorded link, which may be read. What is neither is never looked for in the folder of the server.

    Raises:
        HeadgateError: it is neither.
    """
    try:
        _core.quantity(rate, "bps")
        return rate
    except ValueError:
        recorded = {file.name: file for file in examples.FOLDER.glob("*.trace")}
    if rate in recorded:
        return str(recorded[rate])
    if call.limits.folders and (found := call.limits.file(rate, "rate")).is_file():
        return str(found)
    raise HeadgateError(
        f"rate: found {cut(repr(rate))}; expected a rate such as 10Mbit/s, or a recorded link in a folder of --allow-path"
    )
