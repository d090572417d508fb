"""Files of cases: those of a user, and those that come with headgate."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from ...base.documents import document
from ...base.errors import HeadgateError, cut, nearest
from ...base.text import decoded
from ...base.times import seconds
from ...results.bounds import place_of, problem_of
from .case import Case
from .expected import Better, Bound, CaseStep, Measurement

#: Maximum length of a file in bytes, and maximum number of cells of a case.
LONGEST, MOST = 100_000, 200

#: The folder of the cases that come with headgate.
FOLDER = Path(__file__).parent / "cases"

#: The tables within a case, for errors.
_TABLES: dict[str, type[BaseModel]] = {
    "must": Bound,
    "must_not": Bound,
    "better_than": Better,
    "report": Measurement,
    "steps": CaseStep,
}


def read(file: str | os.PathLike[str], family: str = "") -> Case:
    """Reads the case in a file.

    Raises:
        HeadgateError: it cannot be read, or is no case; the error names the place, the value and what was expected.
    """
    path = Path(file)
    try:
        with path.open("rb") as stream:
            text = stream.read(LONGEST + 1)
        if len(text) > LONGEST:
            raise ValueError(f"found more than {LONGEST} bytes; expected at most these")
    except OSError as e:
        raise HeadgateError(f"{cut(path)}: {e.strerror or e}; expected the file of a case") from None
    except ValueError as e:
        raise HeadgateError(f"{cut(path)}: {e}") from None
    data = document(decoded(text, cut(path)), cut(path), "a case")
    return made(data, path.stem, cut(path), family)


def made(data: dict[str, Any], name: str, place: str, family: str = "") -> Case:
    """A case from the contents of its file.

    Raises:
        HeadgateError: it is none.
    """
    for key in ("name", "file"):
        if key in data:
            raise HeadgateError(
                f"{place}: {key}: found {cut(repr(data[key]))}; expected none: a case is named as its file"
            )
    try:
        case = Case(**{"family": family, **data, "name": name, "file": place})
    except ValidationError as e:
        error = e.errors()[0]
        table = _TABLES.get(str(error["loc"][0]), Case) if len(error["loc"]) > 1 else Case
        where, problem = place_of(error), problem_of(error, table, ("name", "file"))
        raise HeadgateError(f"{place}: {where + ': ' if where else ''}{problem}") from None
    if problem := _problem(case):
        raise HeadgateError(f"{place}: {problem}")
    return case


def _problem(case: Case) -> str:
    """What does not fit together in a case; empty if all does."""
    if not 1 <= case.size() <= MOST:
        return f"cells: found {case.size()}; expected 1 to {MOST}"
    cells = case.grid()
    values: dict[str, list[Any]] = {}
    for cell in cells:
        for key, value in cell.items():
            values.setdefault(key, []).append(value)
    for entry in case.measured():
        for key, wanted in entry.when.items():
            if key not in values:
                hint = nearest(key, values)
                return f"when: found {cut(repr(key))}; expected a name under `cells`{'.' + hint if hint else ''}"
            if unknown := [value for value in wanted if value not in values[key]]:
                return f"when.{key}: found {cut(repr(unknown[0]))}; expected a value of it under `cells`"
    from ..frame.subjects import BASELINES

    known = BASELINES[case.judges]
    if wrong := [entry.baseline for entry in case.better_than if entry.baseline not in known]:
        return f"better_than: baseline: found {cut(repr(wrong[0]))}; expected one of {', '.join(known)}"
    own = case.scenario.get("duration", case.duration)
    try:
        end = seconds(own)
    except ValueError as e:
        return f"scenario.duration: {e}"
    for entry in case.measured():
        for key, text in (("from", entry.start), ("to", entry.end)):
            if text is not None and seconds(text) > end - (key == "from") * 1e-9:
                return f"{entry.metric}: {key}: found {text}; expected a time within the duration, {own}"
    return ""


def cases(family: str = "") -> list[Case]:
    """The cases that come with headgate, those of a family or all, in the order of their names."""
    return [case for case in _all() if not family or case.family == family]


@cache
def _all() -> tuple[Case, ...]:
    return tuple(_read_all())


def _read_all() -> Iterator[Case]:
    for folder in sorted(path for path in FOLDER.iterdir() if path.is_dir()):
        for file in sorted(folder.glob("*.case")):
            yield read(file, folder.name)
