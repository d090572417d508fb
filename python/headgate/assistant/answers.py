"""The form of all answers: a text for people and data for programs. Errors have the place, the value and what is expected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import __version__
from .._core import PluginError, ScenarioError
from ..base.errors import HeadgateError, brief, visible
from ..base.folders import OutsideError

#: Maximum number of characters of the text of an answer. What is longer is cut at the end of a line, and says so.
LONGEST = 12_000

#: Maximum number of rows of a list in the data of an answer, and of faults in an error.
MOST = 20

#: Width of the lines of tables.
WIDTH = 110

#: The form of an error: `place: found X; expected Y`, or with a hint `place: found X. Did you mean "Y"? Expected Z`.
_PLACED = re.compile(r"(?P<place>[\w.,*{}\[\] =\"'/:+-]{1,200}?): (?=found |expected )")
_FOUND = re.compile(
    r"found (?P<found>.*?)(?:; expected|\. (?P<hint>Did you mean .*?\?) Expected|\. Expected) (?P<expected>.*)",
    re.DOTALL,
)
_EXPECTED = re.compile(r"expected (?P<expected>.*)", re.DOTALL)
_MEANT = re.compile(r'[Dd]id you mean ["`](?P<near>[^"`]*)["`]\?')

#: An option of a command, as errors name it.
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")


@dataclass
class Answer:
    """What a tool says.

    Attributes:
        text: tables and sentences.
        data: the same for programs, where they have use for it.
        command: what a user types to get the same.
        link: of the page that shows it.
        wrong: whether it is an error.
    """

    text: str
    data: dict[str, Any] = field(default_factory=dict)
    command: str = ""
    link: str = ""
    wrong: bool = False

    def whole(self) -> tuple[str, dict[str, Any]]:
        """The text and the data as they are sent."""
        more = {key: value for key, value in (("command", self.command), ("link", self.link)) if value}
        said = [f"The same in a terminal (headgate {__version__}): {self.command}"] if self.command else []
        opened = f"headgate explore '{self.link}'" if self.link.startswith("#") else self.link
        said += [f"As a page: {opened}"] if self.link else []
        # What is cut is the text, never how to get the whole.
        end = "\n".join(["\n", *said]) if said else ""
        return shortened(visible(self.text.strip("\n")), LONGEST - len(end)) + end, {**self.data, **more}


def shortened(text: str, most: int = LONGEST) -> str:
    r"""A text that is no longer than it may be; its last line says what is left out.

    >>> shortened("one\ntwo\nthree", 8)
    'one\ntwo\n(1 more line of 3 is left out)'
    """
    if len(text) <= most:
        return text
    lines = text.split("\n")
    kept = text[: most + 1].rsplit("\n", 1)[0].count("\n") + 1 if "\n" in text[: most + 1] else 0
    left = len(lines) - kept
    said = f"({left} more line{'s' * (left > 1)} of {len(lines)} {'are' if left > 1 else 'is'} left out)"
    return "\n".join([*(lines[:kept] or [text[:most]]), said])


def faults_of(e: BaseException, names: Iterable[str] = ()) -> list[dict[str, Any]]:
    """What is wrong, each fault with `place`, `found`, `expected`, `nearest` and the whole `message`; None where an error has no such part.

    Args:
        e: the error.
        names: the arguments of the tool, by which errors name the options of its command.
    """
    if isinstance(e, OutsideError):
        text = str(e).partition("; expected")[0]
        return [_fault(f"{text}; expected a file in a folder that --allow-path allows where the server is started")]
    if isinstance(e, ScenarioError) and getattr(e, "path", None) is not None:
        first = {
            "place": e.path,
            "found": getattr(e, "found", None),
            "expected": getattr(e, "expected", None),
            "nearest": getattr(e, "nearest", None),
        }
        others = [_fault(message) | {"place": path} for path, message in getattr(e, "others", None) or []]
        own = _fault(_first_line(str(e), bool(others)))
        return [{**own, **{k: v for k, v in first.items() if v}}, *others][:MOST]
    return [_fault(as_arguments(text, names)) for text in _lines(str(e))][:MOST]


def _lines(text: str) -> list[str]:
    """The faults of an error that has several, a line each."""
    first, *rest = text.split("\n")
    if re.search(r"\d+ faults$", first) and rest:
        return [line.strip() for line in rest]
    return [text]


def _first_line(text: str, several: bool) -> str:
    """Of an error that tells several faults the first one."""
    return _lines(text)[0] if several else text


def as_arguments(text: str, names: Iterable[str]) -> str:
    """A text in which the options of a command have the names of the tool's arguments.

    >>> as_arguments("--up-flows: found 1; see --top, --wide", ["up_flows", "top"])
    'up_flows: found 1; see top, --wide'
    """
    known = set(names)

    def own(found: re.Match[str]) -> str:
        name = found[1].replace("-", "_")
        return name if name in known else found[0]

    return _OPTION.sub(own, text)


def _fault(message: str) -> dict[str, Any]:
    message = brief(message)
    placed = _PLACED.match(message)
    rest = message[placed.end() :] if placed else message
    said = _FOUND.search(rest) or _EXPECTED.search(rest)
    parts = said.groupdict() if said else {}
    near = _MEANT.search(message)
    return {
        "place": placed["place"] if placed else None,
        "found": parts.get("found"),
        "expected": parts.get("expected"),
        "nearest": near["near"] if near else None,
        "message": message,
    }


def failed(faults: Sequence[dict[str, Any]]) -> Answer:
    """The answer where something is wrong."""
    return Answer("\n".join(f"error: {fault['message']}" for fault in faults), {"errors": list(faults)}, wrong=True)


#: What a user can correct; anything else is a fault of the program.
CORRECTABLE = (HeadgateError, ScenarioError, PluginError, OSError, MemoryError)
