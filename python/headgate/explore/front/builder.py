"""The builder of the start page: the questions of `headgate quick`, answered by the same function as the command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

from ..._core import ScenarioError
from ...base.catalogue import parameter_names
from ...base.errors import HeadgateError, brief, cut
from ...base.toml import file_text
from ...quick import notes, parse, read_line
from ...quick import scenario as scenario_of
from ...scenario.baselines import PLAIN
from ..controls import choice, control, kinds, written
from ..wire import RequestError

#: What the builder begins with: a call beside a download.
FIRST = {
    "rate": "20Mbit/s",
    "rtt": "30ms",
    "flows": "bulk,call",
    "queue": PLAIN,
    "buffer": "",
    "noise": "1",
}

#: The default of the buffer.
BUFFER = "1BDP"

#: Maximum length of an answer.
LONGEST = 4000

#: Maximum number of flows: their scenario is sent to the page at each change. The command takes more.
MOST = 2000

#: Flows that a click adds, by what they are.
ADDED = {
    "download": "bulk",
    "far download": "cubic:rtt=200ms",
    "web": "web",
    "video": "video",
    "call": "call",
    "game": "game",
    "Reno": "newreno",
    "BBR": "bbr",
    "flood": "cbr:30Mbit/s",
}

_HELP = {
    "rate": "Rate of the link that the flows share. The links of hosts are ten times as fast.",
    "rtt": "Round-trip time without queueing and transmission.",
    "flows": "NAME*COUNT:KEY=VALUE, with commas between. NAME is a flow control or a workload; KEY may be rtt, as in cubic:rtt=200ms.",
    "buffer": "As a number of packets, bytes, a time such as 50ms, or bandwidth-delay products such as 1.5BDP.",
    "noise": "Each packet leaves its host later by 0 to this number of packet times. 0 is none.",
}

#: Where the answers stand in the scenario that is made of them.
_PLACES = {
    "topology.line.queue.buffer": "buffer", "topology.line.queue": "queue", "topology.line.rate": "rate", "topology.line.delay": "rtt",
    "hosts.noise": "noise", "flows": "flows",
}  # fmt: skip


class AnswerError(RequestError):
    """An answer that is not valid, with the question that it belongs to."""

    def __init__(self, message: str, path: str | None) -> None:
        """Takes the text and the question."""
        super().__init__(422, message)
        self.path = path


def built(answers: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario of a set of answers, with the command line and the file that give it.

    Args:
        answers: texts by question, those of `FIRST` unless given.

    Returns:
        `given`, the answers; `controls`; `scenario`; `command`; `file`, as TOML; `notes`, sentences on what was chosen.

    Raises:
        AnswerError: an answer is not valid.
        RequestError: there is no such question.
    """
    given = _read(answers_of(answers))
    if "buffer" not in parameter_names("disciplines").get(_kind(given), ()):
        # The buffer was given for the discipline before; one without a buffer ignores it.
        given["buffer"] = ""
    rate, rtt, flows, queue, noise = (given[key] for key in ("rate", "rtt", "flows", "queue", "noise"))
    try:
        count = sum(group.count for group in parse(flows))
        if count > MOST:
            raise HeadgateError(
                f"--flows: found {count} flows; expected at most {MOST} on this page. The command takes more"
            )
        found = scenario_of(rate, rtt, flows, queue, given["buffer"] or None, noise=noise)
        found.resolve()
        said = notes(rtt, flows)
    except ScenarioError as e:
        place = getattr(e, "path", None) or ""
        at, question = next(((at, key) for at, key in _PLACES.items() if place.startswith(at)), ("", None))
        text = brief(str(e)).removeprefix("quick: ")
        raise AnswerError(text.replace(at, question, 1) if question else text, question) from None
    except HeadgateError as e:
        option = re.match(r"--(\w+)", str(e))
        raise AnswerError(str(e).removeprefix("--"), option[1] if option and option[1] in FIRST else None) from None
    return {
        "given": given, "controls": _controls(given), "scenario": found.data, "command": command(given), "file": file_text(found.data),
        "notes": said,
    }  # fmt: skip


def _read(given: dict[str, str]) -> dict[str, str]:
    """Answers in the units and names of other tools as the command reads them; two values are no answer to one question."""
    try:
        line = read_line([], {key: given[key] or None for key in ("rate", "rtt", "queue", "buffer")}, [given["flows"]])
    except HeadgateError:
        # The scenario says what is wrong, and which question it belongs to.
        return given
    if "up" in line.options or line.axis:
        return given
    return {**given, **{key: str(value) for key, value in line.options.items() if key in given}, "flows": line.flows[0]}


def command(given: Mapping[str, str]) -> str:
    """The command line that gives the same.

    >>> command(FIRST)
    'headgate quick --rate 20Mbit/s --rtt 30ms --flows bulk,call --queue fcfs'
    >>> command({**FIRST, "buffer": "2BDP", "noise": "0"})[-23:]
    '--buffer 2BDP --noise 0'
    """
    words = ["headgate", "quick"]
    for key, value in given.items():
        if value and (key != "noise" or value != FIRST["noise"]):
            words += [f"--{key}", value]
    return shlex.join(words)


def with_value(given: Mapping[str, str], path: str, value: Any) -> dict[str, str]:
    """The answers with one of them changed. A number is a quantity in the unit of its control; None is the default.

    Raises:
        AnswerError: the value is no text and no number that fits.
        RequestError: there is no such question.
    """
    if path not in FIRST:
        raise RequestError(400, f"{cut(path)}: expected one of {', '.join(FIRST)}")
    if value is None:
        return {**given, path: "" if path == "buffer" else FIRST[path]}
    if isinstance(value, str):
        return {**given, path: value}
    unit = next((c["unit"] for c in _controls(given) if c["path"] == path), None)
    if isinstance(value, bool) or not isinstance(value, int | float) or (unit is None and path != "noise"):
        raise AnswerError(f"{path}: found {cut(repr(value))}; expected a text", path)
    if unit is None:
        return {**given, path: f"{value:g}"}
    try:
        return {**given, path: written(value, unit)}
    except HeadgateError as e:
        raise AnswerError(f"{path}: {e}", path) from None


def answers_of(answers: Mapping[str, Any]) -> dict[str, str]:
    """The answers in a request as texts, those of `FIRST` where there are none.

    Raises:
        RequestError: one is no text, or too long, or belongs to no question.
    """
    for key, value in answers.items():
        if key not in FIRST:
            raise RequestError(400, f"{cut(key)}: expected one of {', '.join(FIRST)}")
        if not isinstance(value, str) or len(value) > LONGEST:
            raise AnswerError(f"{key}: found {cut(repr(value))}; expected a text of at most {LONGEST} characters", key)
    return {key: answers.get(key, first).strip() for key, first in FIRST.items()}


def _kind(given: Mapping[str, str]) -> str:
    """The name of the discipline, before its parameters."""
    return given["queue"].partition(":")[0].strip()


def _controls(given: Mapping[str, str]) -> list[dict[str, Any]]:
    """The questions as controls, with the answers as their values."""
    kind, choices = _kind(given), kinds("queue")
    chosen = next((each["help"] for each in choices if each["value"] == kind), None)
    found = [
        control("rate", "rate of the link", "Network", ("Link", "rate"), given["rate"], True),
        control("rtt", "round-trip time", "Network", ("Link", "delay"), given["rtt"], True),
        {**_plain("queue", "queue", "Queue", kind), "kind": "choice", "choices": choices, "help": chosen},
    ]
    of_queue = choice("queue", "Queue", {"kind": kind, "buffer": given["buffer"] or BUFFER})
    found += [{**each, "path": "buffer", "label": "buffer"} for each in of_queue if each["path"] == "queue.buffer"]
    number = re.fullmatch(r"\d+(\.\d+)?", given["noise"])
    noise = _plain("noise", "host noise", "Network", float(number[0]) if number else given["noise"])
    found.append(noise | ({"kind": "number", "low": 0, "from": 0, "to": 2, "step": 0.1} if number else {}))
    # The last one, since the page has more below it.
    found.append(_plain("flows", "flows", "Flows", given["flows"]))
    return [{**each, "help": _HELP.get(each["path"], each["help"])} for each in found]


def _plain(path: str, label: str, group: str, value: Any) -> dict[str, Any]:
    return {
        "path": path, "label": label, "group": group, "kind": "text", "value": value, "number": None, "unit": None, "low": None,
        "high": None, "from": None, "to": None, "log": False, "step": None, "choices": None, "help": None, "main": True,
    }  # fmt: skip
