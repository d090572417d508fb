"""Parts of one campaign, each made by a process of its own, on a machine of its own if so wished, in a folder of its own.

    DIR/part.json       which part it is, of what, by which command, by which build of headgate, and whether all of it is there

What joins parts reads this file first: it names the command whose runs they are.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .atomic import write_text
from .build import build, short
from .counts import counted
from .errors import HeadgateError, cut

#: The file that makes a folder that of a part, and the version of its form.
MARK, FORMAT = "part.json", 1

#: Maximum number of parts.
MOST = 1_000_000

#: What is said of parts whose numbers may differ though nothing that was asked for does.
_BUILT = "made by another build of headgate"

#: The root of 2 without its whole part, times 2**64.
_TURN = 0x6A09E667F3BCC908


@dataclass(frozen=True)
class Share:
    """One of `of` parts, counted from 1, and how it was asked for.

    Attributes:
        number: which.
        of: of how many.
        kind: the command whose runs these are.
        words: the command line that makes it, without `headgate`; empty for one that a program makes.
        given: the options that decide what becomes of all parts together.
    """

    number: int
    of: int
    kind: str = "sweep"
    words: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def positions(self, count: int) -> Iterator[int]:
        """Its share of `count` runs: their positions, ascending.

        Of each round of `of` neighbours every part gets one, so that numbers of runs differ by one at most. Which one moves on by
        an irrational part of a turn from round to round, so that each part has about its share of every value of every axis,
        whatever the lengths of the axes are. If it were always the same, 64 parts of a study with 8 durations would have one each.

        >>> [list(Share(n, 3).positions(7)) for n in (1, 2, 3)]
        [[0, 4], [1, 5, 6], [2, 3]]
        """
        for first in range(0, count, self.of):
            turn = ((first // self.of * _TURN) % 2**64 * self.of) >> 64
            position = first + (self.number - 1 + turn) % self.of
            if position < count:
                yield position


def read_part(text: str, place: str = "--part") -> Share:
    """The part that a text such as `3/64` names.

    Raises:
        HeadgateError: it names none.

    >>> str(read_part("3/64"))
    '3/64'
    """
    found = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text, re.ASCII)
    number, of = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= of <= MOST:
        hint = (
            "; parts are counted from 1: add 1 to a number that is counted from 0" if found and number == 0 < of else ""
        )
        most = f"1/{of} to {of}/{of}" if 1 <= of <= MOST else f"a part such as 3/64, of at most {MOST}"
        raise HeadgateError(f"{place}: found {cut(repr(text))}; expected {most}{hint}")
    return Share(number, of)


@dataclass(frozen=True)
class PartMark:
    """What the file in the folder of a part says.

    Attributes:
        folder: where it lies.
        part: which part it is.
        plan: a digest of what all parts are to do.
        build: the engine that runs it.
        done: whether all of its runs were tried.
    """

    folder: Path
    part: Share
    plan: str
    build: str
    done: bool

    def require(self, part: Share, plan: str) -> None:
        """Raises unless this is the part that is to be continued here, by the same build of headgate."""
        for what, old, new in (
            ("command", self.part.kind, part.kind),
            ("part", str(self.part), str(part)),
            ("plan", self.plan, plan),
            ("build", short(self.build), short(build())),
        ):
            if old != new:
                raise HeadgateError(
                    f"{self.folder}: holds another part: its {what} is {cut(old)}, found {cut(new)}; "
                    "expected the same, or another folder"
                )


def write_mark(folder: Path, part: Share, plan: str, done: bool) -> None:
    """Says in a folder which part is there. All that it says is done is on the disk before.

    Raises:
        OSError: the folder cannot be written.
    """
    data = {
        "kind": part.kind, "format": FORMAT, "part": part.number, "of": part.of, "plan": plan, "build": build(), "done": done,
        "command": list(part.words), "given": dict(part.given),
    }  # fmt: skip
    lines = (f" {json.dumps(key)}: {json.dumps(value)}" for key, value in data.items())
    write_text(folder / MARK, "{\n" + ",\n".join(lines) + "\n}\n", durable=True)


def read_mark(folder: Path) -> PartMark:
    """Which part lies in a folder.

    Raises:
        HeadgateError: none.
    """
    file = folder / MARK
    try:
        data = json.loads(file.read_text("utf-8"))
    except OSError as e:
        what = "no such folder" if not folder.exists() else f"no {MARK}" if not file.exists() else e.strerror or e
        raise HeadgateError(f"{folder}: expected the folder of a part, as --part makes it; found {what}") from None
    except (ValueError, RecursionError):
        data = None
    kinds: dict[str, type] = {
        "kind": str, "format": int, "part": int, "of": int, "plan": str, "build": str, "done": bool, "command": list, "given": dict,
    }  # fmt: skip
    if not isinstance(data, dict) or any(not isinstance(data.get(key), kind) for key, kind in kinds.items()):
        raise HeadgateError(f"{file}: expected what --part writes, found another file")
    if data["format"] != FORMAT:
        raise HeadgateError(
            f"{file}: expected form {FORMAT}, found form {data['format']} of another version of headgate"
        )
    words = tuple(map(str, data["command"]))
    part = Share(data["part"], data["of"], data["kind"], words, data["given"])
    return PartMark(folder, part, data["plan"], data["build"], data["done"])


def chosen(marks: Sequence[PartMark], incomplete: bool = False) -> list[PartMark]:
    """The parts to join, in their order, each once: of one that is there twice that which is done.

    Args:
        marks: those that were given.
        incomplete: whether parts may be missing, or not be done.

    Raises:
        HeadgateError: they are not the parts of one campaign, or not all of them are there and done.
    """
    first = marks[0]
    for mark in marks:
        for what, old, new in (
            ("of another command", first.part.kind, mark.part.kind),
            ("of another division", f"one of {first.part.of}", f"one of {mark.part.of}"),
            (_BUILT, short(first.build), short(mark.build)),
            ("of another plan", first.plan, mark.plan),
        ):
            if old != new:
                also = "; make one of them again with the build of the others" if what == _BUILT else ""
                raise HeadgateError(
                    f"{mark.folder}: is a part {what} than {first.folder}: {cut(new)}, not {cut(old)}; "
                    f"expected parts of one headgate {first.part.kind}{also}"
                )
    found: dict[int, PartMark] = {}
    for mark in marks:
        known = found.get(mark.part.number)
        if known is None or (mark.done and not known.done):
            found[mark.part.number] = mark
    open_parts = [found[n] for n in sorted(found) if not found[n].done]
    missing = [n for n in range(1, first.part.of + 1) if n not in found]
    if (open_parts or missing) and not incomplete:
        raise HeadgateError(_unready(first, open_parts, missing))
    return [found[n] for n in sorted(found)]


def _unready(first: PartMark, open_parts: Sequence[PartMark], missing: Sequence[int]) -> str:
    """What is said where parts are missing, or not done."""
    said = []
    if open_parts:
        said.append("not finished: " + ", ".join(f"{mark.part.number} ({mark.folder})" for mark in open_parts))
    if missing:
        said.append(f"missing: {ranges(missing)}")
    again = [mark.part.words and repeated(mark.part, mark.part.number, mark.folder) for mark in open_parts]
    again += [first.part.words and repeated(first.part, n, first.folder) for n in missing]
    commands = "".join(f"\n  {line}" for line in again if line)
    of = f"{counted(first.part.of, 'part')} of headgate {first.part.kind}"
    return f"{of}: {'; '.join(said)}; expected all of them" + (
        f". Make them with:{commands}\nor join what is there with --incomplete" if commands else ", or --incomplete"
    )


def ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers in words.

    >>> ranges([1, 2, 3, 7, 9, 10])
    '1-3, 7, 9, 10'
    """
    runs: list[list[int]] = []
    for n in numbers:
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return ", ".join(f"{r[0]}-{r[-1]}" if len(r) > 2 else ", ".join(map(str, r)) for r in runs)


def repeated(part: Share, number: int, folder: Path) -> str:
    """The command that makes a part of the same campaign, which another one was made by in a folder.

    >>> part = Share(3, 64, words=("sweep", "a.toml", "--part=3/64", "--out", "parts/03"))
    >>> repeated(part, 3, Path("parts/03"))
    'headgate sweep a.toml --part 3/64 --out parts/03 --resume'
    >>> repeated(part, 12, Path("parts/03"))
    'headgate sweep a.toml --part 12/64 --out parts/12 --resume'
    """
    place = str(folder)
    if number != part.number:
        # The last number in the name that is the part's.
        own = [m for m in re.finditer(r"\d+", place) if int(m[0]) == part.number]
        at = own[-1] if own else None
        place = f"{place[: at.start()]}{number:0{len(at[0])}}{place[at.end() :]}" if at else f"{place}-{number}"
    return command(part, "--part", f"{number}/{part.of}", "--out", place, "--resume")


def command(part: Share, *more: str) -> str:
    """The command of a part without what makes it a part, with other words behind it."""
    kept: list[str] = []
    words = iter(part.words)
    for word in words:
        if word in ("--part", "--out"):
            next(words, None)
        elif word != "--resume" and not word.startswith(("--part=", "--out=")):
            kept.append(word)
    return shlex.join(["headgate", *kept, *more])
