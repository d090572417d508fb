"""The disciplines of a replay, from the user's options."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Mapping, Sequence
from typing import Any

from .. import _core
from ..base.catalogue import parameter_names
from ..base.errors import HeadgateError, cut, nearest
from ..base.toml import put

#: Longest name of a queue: it becomes part of the names of files.
LONGEST = 80

#: Maximum number of levels of a discipline's table: no parameter has as many.
LEVELS = 8

#: A discipline: its name, or a table with its kind and parameters.
Queue = str | Mapping[str, Any]


def disciplines(
    queue: Queue | Sequence[Queue], buffer: str | None, parameters: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """The disciplines by the names that they have in tables and files.

    A table may have a `name`; otherwise the kind is the name, with a number if it occurs again. `buffer` is set for every discipline that
    has one and does not set it itself.
    `parameters` are `NAME` for every discipline that has it, or `QUEUE.NAME` for one; a parameter of its AQM
    is `aqm.NAME`.

    Raises:
        HeadgateError: a parameter or a queue that does not exist.

    >>> disciplines(["fcfs", "fq"], "64KB", {"delta": "1000B"})
    {'fcfs': {'kind': 'fcfs', 'buffer': '64KB'}, 'fq': {'kind': 'fq', 'buffer': '64KB', 'delta': '1000B'}}
    """
    requested: list[Any] = list(queue) if isinstance(queue, list | tuple) else [queue]
    if not requested or not all(isinstance(q, str | Mapping) for q in requested):
        found = cut(reprlib.repr(queue))
        raise HeadgateError(f"queue: found {found}; expected the name of a discipline, such as fq, or a table")
    for one in (*requested, *parameters.values()):
        if levels(one) > LEVELS:
            found = cut(reprlib.repr(one))
            raise HeadgateError(
                f"queue: found more than {LEVELS} levels in {found}; expected the parameters of a discipline"
            )
    known = parameter_names("disciplines")
    out: dict[str, dict[str, Any]] = {}
    for one in requested:
        spec = {"kind": one} if isinstance(one, str) else dict(one)
        name = _name(spec.pop("name", spec.get("kind", "queue")), out)
        if buffer is not None and "buffer" in known.get(str(spec.get("kind")), ()):
            spec.setdefault("buffer", buffer)
        out[name] = spec
    for path, value in parameters.items():
        _set(out, known, path, value)
    return out


def levels(value: Any) -> int:
    """The depth of nested tables and lists, counted no further than matters.

    >>> levels("fq"), levels({"slots": [1]}), levels([[[[[[[[[[[[]]]]]]]]]]]]) > LEVELS
    (0, 2, True)
    """
    levels, inside = 0, [value]
    while levels <= LEVELS and (inside := [x for x in inside if isinstance(x, list | tuple | Mapping)]):
        levels += 1
        inside = [x for one in inside for x in (one.values() if isinstance(one, Mapping) else one)]
    return levels


def _name(wanted: object, used: Mapping[str, Any]) -> str:
    """A name that no other queue has and that a file's name may contain."""
    plain = re.sub(r"[^\w.+-]+", "-", str(wanted))[:LONGEST] or "queue"
    numbers = (f"{plain}-{i}" for i in range(2, len(used) + 3))
    return plain if plain not in used else next(n for n in numbers if n not in used)


def _set(queues: dict[str, dict[str, Any]], known: Mapping[str, Sequence[str]], path: str, value: Any) -> None:
    outer, inside, own = path.partition("aqm.")
    queue, dot, name = (outer.rstrip("."), outer, "aqm") if inside else path.rpartition(".")
    if dot and queue not in queues:
        raise HeadgateError(
            f"cannot set {cut(path)!r}: there is no queue {cut(queue)!r}; expected one of {', '.join(queues)}.{nearest(queue, queues)}"
        )
    having = [q for q, spec in queues.items() if name in known.get(str(spec.get("kind")), ())]
    chosen = [queue] if dot else having
    if not set(chosen) <= set(having) or not chosen:
        names = sorted({p for q in ([queue] if dot else queues) for p in known.get(str(queues[q].get("kind")), ())})
        if not names:
            return  # No such discipline: the engine says so.
        raise HeadgateError(
            f"cannot set {cut(path)!r}: no such parameter; expected one of {', '.join(names)}.{nearest(name, names)}"
        )
    for one in chosen:
        put(queues[one], f"aqm.{own}" if inside else name, value)


def rename(error: _core.ScenarioError, names: Sequence[str]) -> HeadgateError:
    """The engine's error about a discipline, in the user's words.

    >>> class E(Exception): path = "queues[0].delta"
    >>> print(rename(E('queues[0].delta: found "x"; expected bytes'), ["fq"]))
    queue fq: delta: found "x"; expected bytes
    """
    text = str(error)
    place = re.match(r"queues\[(\d+)\]", error.path)
    if place is None:
        return HeadgateError(text)
    rest = text.removeprefix(place[0]).lstrip(".: ")
    return HeadgateError(f"queue {names[int(place[1])]}: {rest}")
