"""The tool `quick`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from ...base.errors import HeadgateError, cut
from ...cli.commands.quick import QuickCommand
from ...cli.quick_runs import OneRun, SeveralRuns, answered, require_one_question, scenarios_of, sweeps_shaper
from ...cli.terminal import captured
from ..answers import WIDTH, Answer
from ..arguments import Schema, of_command, text
from ..calls import Call
from ..over_time import EVERY, print_over_time, rows_of, sampled
from ..results import link_to, of_results
from ..tool import Tool

#: The options of the command that are arguments here, in their order.
OPTIONS = (
    "rate", "rtt", "flows", "queue", "buffer", "up", "up_flows", "up_queue", "shaper", "loss", "jitter", "duration", "seed", "transport",
    "noise", "replications", "phase",
)  # fmt: skip

#: What is said of an argument besides the help of its option.
MORE: dict[str, dict[str, Any]] = {
    "rate": {"examples": ["50Mbit/s", "50/10", "5,10,20Mbit/s"]},
    "rtt": {"examples": ["40ms"]},
    "flows": {
        "description": (
            "Flows by their names, between commas: flow controls (endless data), workloads or short names, as cubic*2,bbr,game. "
            "NAME*COUNT stands for several. Parameters follow a colon: cubic:rtt=200ms, cubic:start=30s,weight=2, cbr:1Mbit/s, "
            "transfer:100KB, cubic:control.beta=0.5; with a second parameter the comma goes on: cubic:rtt=20ms,ecn=on,reno. All "
            "keys of a flow and of its transport may stand there, such as initial_window=32, paced=on, recovery=rack, start=5s, "
            "packet=500B. Workloads such as web or download have the flow control of the flow beside them unless one is named: "
            "web:control=cubic."
        ),
        "examples": ["cubic*2,bbr", "download,game,call", "cubic:rtt=20ms,cubic:rtt=200ms", ["cubic", "cbr:64kbit/s"]],
    },
    "queue": {
        "examples": ["fq_codel", "red:min_threshold=5pkt,max_threshold=15pkt", "fifo,fq_codel,cake", "codel:target=5ms"]
    },
    "buffer": {"examples": ["100pkt", "64KB", "50ms", "1.5BDP", "0.25,0.5,1,2BDP"]},
    "shaper": {"examples": ["95%", "19Mbit/s:cake", "45/9", "sweep"]},
    "loss": {"examples": ["1%", "0,0.1,1%"]},
    "duration": {"examples": ["60s"]},
    "seed": {"examples": [1, "1..5"]},
}


class QuickTool(Tool):
    """Flows over one link."""

    name = "quick"
    title = "Simulate flows over one link"
    about = (
        "Simulates some flows over one link between two routers and says who gets what: goodput, share of each flow, round trips, waits, "
        "drops. Enough for most questions: fairness between controls, a home line, a buffer, a queue. One argument may have several "
        "values between commas (rate, up, rtt, queue, up_queue, shaper, buffer, loss or seed): each is a run of its own, and one table "
        "has them all. `line` takes words in any order instead, such as `50/10 20ms cake download game`. For another network, a rate "
        "that changes or losses in bursts use `run`."
    )
    runs = True

    @property
    def properties(self) -> Mapping[str, Schema]:
        from ...quick import PRESETS

        sorts = {
            "description": f"A sort of path whose values the others change: {', '.join(PRESETS)}.",
            "type": "string",
        }
        words = text("Words of a line in any order, in place of arguments or beside them.", "home bulk game")
        return {"line": words, "preset": sorts, **of_command(QuickCommand, OPTIONS, **MORE), "every": EVERY}

    def answer(self, given: Mapping[str, Any], call: Call) -> Answer:
        """The tables and the sentences."""
        from ...quick import read_line

        phase = given.get("phase", True)
        lists = {name: _listed(given.get(name, [])) for name in ("flows", "up_flows")}
        options = {
            name: given[name] if name == "replications" else str(given[name])
            for name in (*OPTIONS, "preset")
            if name in given and name not in (*lists, "phase")
        }
        line = read_line(_words(given.get("line", "")), options, lists["flows"], lists["up_flows"])
        require_one_question(line)
        every = given.get("every")
        if every is not None and (line.axis or sweeps_shaper(line)):
            raise HeadgateError(f"every: found with several runs; expected one value of {line.axis or 'shaper'}")
        scenarios = [] if sweeps_shaper(line) else scenarios_of(line)
        timed = None if every is None else sampled(scenarios[0], every)
        found = answered(line, phase, call.told)
        rows = []
        if timed is not None:
            with call.told("running again, for the table over time") as callback:
                rows = rows_of(timed.run(None, 1, None, callback))
        with captured(WIDTH) as text_:
            found.print()
            if rows:
                print_over_time(rows)
        command = line.command() + ("" if phase else " --no-phase")
        data: dict[str, Any] = {"sentences": found.sentences(), "read_as": line.sentences()}
        lines, link = [text_.getvalue()], ""
        if isinstance(found, OneRun):
            data = of_results(found.results) | data | ({"over_time": rows} if rows else {})
            link = link_to(scenarios[0], found.results, call.limits.site)
        elif isinstance(found, SeveralRuns):
            runs = zip(line.values, found.results, scenarios, strict=True)
            site = call.limits.site
            each = [{"value": value, **of_results(one), "link": link_to(s, one, site)} for value, one, s in runs]
            data |= {"option": line.axis, "runs": each}
        else:
            data |= {key: value for key, value in found.to_dict().items() if key not in data}
        messages = list(getattr(found, "warnings", []))
        data["warnings"] = messages
        lines += [f"warning: {message}" for message in messages]
        return Answer("\n".join(lines), data, command, link)


def _listed(given: str | list[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _words(line: str) -> tuple[str, ...]:
    """The words of a line.

    Raises:
        HeadgateError: a quotation mark has no second one, or an option stands among them.
    """
    try:
        words = shlex.split(line)
    except ValueError:
        raise HeadgateError(f"line: found {cut(repr(line))}; expected a second quotation mark") from None
    if words[:2] == ["headgate", "quick"]:
        words = words[2:]
    for word in words:
        if word.startswith("--"):
            raise HeadgateError(
                f"line: found the option {cut(repr(word))}; expected words such as 50/10 20ms cake download, or arguments"
            )
    return tuple(words)
