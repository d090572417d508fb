"""Axes of a study: from the `sweep` table of a file to variants of its scenario."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..base.errors import HeadgateError, cut, nearest, wrong
from ..scenario.scenario import assign
from .values import MOST, UNITS, columns_of, expand, text_of

#: What the name of a column may end in.
ENDS = ("", *(f"_{kind}" for kind in UNITS))


@dataclass(frozen=True)
class Axis:
    """One axis: its points, each of which sets one or several paths, and its columns, with a cell for every point.

    `place` is its place in the file; `points[i]` are pairs (path, value); the first column names the points.
    """

    place: str
    paths: tuple[str, ...]
    points: list[tuple[tuple[str, Any], ...]]
    columns: dict[str, list[Any]] = field(repr=False)

    @property
    def name(self) -> str:
        """The column that identifies its points."""
        return next(iter(self.columns))

    def unit(self, column: str) -> str:
        """The unit of a column: that of a quantity is called like the column of its texts, with its kind after it."""
        units = {f"{name}_{kind}": unit for name in self.columns for kind, unit in UNITS.items()}
        return units.get(column, "")

    def __len__(self) -> int:
        return len(self.points)


def read_axes(
    sweep: Mapping[str, Any], checked: Mapping[str, Any], reserved: Iterable[str], origin: str = ""
) -> list[Axis]:
    """The axes of a `sweep` table, in the order of the file.

    Args:
        sweep: the table as the file has it, for its order.
        checked: the same table checked, with its defaults.
        reserved: columns of results, which an axis cannot be called.
        origin: the file, for errors.

    Raises:
        ScenarioError: a value, a label or a column's name is wrong; the error names the place.
    """
    # Of each axis: its place, the name of a zipped one, its labels, and its paths with their values.
    axes: list[tuple[str, str | None, list[str] | None, dict[str, Any]]] = []
    for path in sweep.get("axes", {}):
        axes.append((_place("sweep.axes", path), None, None, {path: checked["axes"][path]}))
    for i, zipped in enumerate(sweep.get("zip", [])):
        known = checked["zip"][i]
        paths = {path: known[path] for path in zipped if path not in ("name", "labels")}
        axes.append((f"sweep.zip[{i}]", zipped["name"], known["labels"], paths))
    given = [*(name for _, name, _, _ in axes if name is not None), *sweep.get("cases", {})]
    columns = _names([p for _, _, _, paths in axes for p in paths.items()], [*reserved, *given], origin)
    out: list[Axis] = []
    for place, name, labels, paths in axes:
        values = {
            path: _values(axis["values"], place if name is None else _place(place, path), origin)
            for path, axis in paths.items()
        }
        lengths = {len(cells) for cells, _ in values.values()}
        if len(lengths) > 1:
            found = ", ".join(f"{path} {len(v)}" for path, (v, _) in values.items())
            raise wrong(place, "expected equally many values for each path", found=found, origin=origin)
        cells: dict[str, list[Any]] = {}
        if name is not None:
            cells[name] = labels or [", ".join(x) for x in zip(*(texts for _, texts in values.values()), strict=True)]
            if len(cells[name]) not in lengths:
                expected = f"expected {lengths.pop()} labels, one for each point"
                raise wrong(f"{place}.labels", expected, found=len(cells[name]), origin=origin)
            _distinct(cells[name], f"{place}.labels" if labels else place, origin)
        for path, (cell, texts) in values.items():
            if name is None:
                _distinct(texts, place, origin)
            cells |= columns_of(columns[path], cell, texts)
        points = [
            tuple(zip(values, point, strict=True)) for point in zip(*(v for v, _ in values.values()), strict=True)
        ]
        out.append(Axis(place, tuple(values), points, cells))
    out += [_cases(name, points) for name, points in sweep.get("cases", {}).items()]
    _unique([(a.place, column) for a in out for column in a.columns], set(reserved), origin)
    if math.prod(len(a) for a in out) > MOST:
        sizes = " x ".join(str(len(a)) for a in out)
        raise wrong("sweep", f"expected at most {MOST} variants", found=sizes, origin=origin)
    return out


def _cases(name: str, points: Mapping[str, Mapping[str, Any]]) -> Axis:
    """An axis in which each point sets its own paths."""
    paths = dict.fromkeys(path for point in points.values() for path in point)
    return Axis(f"sweep.cases.{name}", tuple(paths), [tuple(p.items()) for p in points.values()], {name: list(points)})


def _place(table: str, path: str) -> str:
    return f'{table}."{path}"'


def _values(values: Any, place: str, origin: str) -> tuple[list[Any], list[str]]:
    """The values, and the text of each: its label if it has one."""
    if isinstance(values, str):
        try:
            values = expand(values)
        except ValueError as e:
            raise wrong(place, str(e), found=values, origin=origin) from None
    cells, texts = [], []
    for i, value in enumerate(values):
        label = None
        if isinstance(value, dict) and "label" in value:
            label = value["label"]
            value = {k: v for k, v in value.items() if k != "label"}
            if not isinstance(label, str) or not label:
                raise wrong(f"{place}[{i}].label", "expected a text", found=label, origin=origin)
        cells.append(value)
        texts.append(text_of(value) if label is None else label)
    return cells, texts


def _distinct(texts: Sequence[str], place: str, origin: str) -> None:
    seen: dict[str, int] = {}
    for i, text in enumerate(texts):
        if text in seen:
            expected = f"duplicate name: already used by {place}[{seen[text]}]; a table may have a `label`"
            raise wrong(f"{place}[{i}]", expected, found=text, origin=origin)
        seen[text] = i


def _names(paths: Sequence[tuple[str, Any]], taken: Sequence[str], origin: str) -> dict[str, str]:
    """A column for every path: the one given, or the shortest end of the path that no other has."""
    names: dict[str, str] = {}
    for path, axis in paths:
        if path in names:
            raise wrong("sweep", "expected every path once", found=path, origin=origin)
        names[path] = axis["column"] or ""
    ends = {path: _ends(path) for path, name in names.items() if not name}
    others = {*taken, *names.values()}
    for path in ends:
        free = [
            e
            for e in ends[path]
            if all(e + unit not in others for unit in ENDS) and all(e not in ends[p] for p in ends if p != path)
        ]
        names[path] = free[0] if free else ends[path][-1]
    return names


def _ends(path: str) -> list[str]:
    """Names for a path, short ones first: its last part, its last two, and so on; `kind` and `*` are left out.

    >>> _ends("flows.*.control.kind"), _ends("links.slow.rate")
    (['control', 'flows_control'], ['rate', 'slow_rate', 'links_slow_rate'])
    """
    parts = [re.sub(r"\W", "_", p) for p in path.split(".") if p != "*"]
    if len(parts) > 1 and parts[-1] == "kind":
        parts.pop()
    return ["_".join(parts[i:]) for i in reversed(range(len(parts)))]


def _unique(columns: Iterable[tuple[str, str]], reserved: set[str], origin: str) -> None:
    seen: dict[str, str] = {}
    for place, column in columns:
        if not re.fullmatch(r"[A-Za-z_]\w*", column):
            raise wrong(place, "expected a column's name of letters, digits and _", found=column, origin=origin)
        if column in seen or column in reserved:
            by = seen.get(column, "a column of results")
            expected = f'duplicate column: already used by {by}; expected another one, such as {{ values = ..., column = "my_{column}" }}'
            raise wrong(place, expected, found=column, origin=origin)
        seen[column] = place


def find_axis(axes: Sequence[Axis], name: str) -> int:
    """The number of the axis that has a name: its own, a column's, a path that it sets (with or without `kind`), or the end of one.

    Raises:
        HeadgateError: there is none, or several paths end so.

    >>> slow, fast = (Axis("", (f"links.{x}.queue.kind",), [], {f"{x}_queue": []}) for x in ("slow", "fast"))
    >>> find_axis([slow, fast], "fast_queue"), find_axis([slow, fast], "links.fast.queue"), find_axis([slow], "queue")
    (1, 1, 0)
    """
    for i, axis in enumerate(axes):
        if name in axis.columns:
            return i
    for forms in (lambda path: [path, path.removesuffix(".kind")], _ends):
        found = [i for i, axis in enumerate(axes) if any(name in forms(path) for path in axis.paths)]
        if len(found) == 1:
            return found[0]
    if not axes:
        raise HeadgateError(f"axis {cut(name)}: this study has no axes; nothing in it can be compared")
    names = [axis.name for axis in axes]
    hint = nearest(name, [c for a in axes for c in a.columns])
    raise HeadgateError(f"axis {cut(name)}: expected one of {', '.join(names)}{hint and '.' + hint}")


def point_of(axis: Axis, value: Any) -> int:
    """Which point of an axis has a value, in any of its columns; numbers may be given as texts.

    >>> rate = Axis("", (), [(), ()], {"rate": ["40kbit/s", "80kbit/s"], "rate_bps": [4e4, 8e4]})
    >>> point_of(rate, "80kbit/s"), point_of(rate, 80000), point_of(rate, "8e4")
    (1, 1, 1)

    Raises:
        HeadgateError: none has.
    """
    number = _number(value)
    for cells in axis.columns.values():
        for i, cell in enumerate(cells):
            if str(cell) == str(value) or (number is not None and _number(cell) == number):
                return i
    known = [cut(cell) for cell in axis.columns[axis.name]]
    hint = nearest(str(value), known)
    shown = ", ".join(known if len(known) <= 12 else [*known[:10], "...", known[-1]])
    raise HeadgateError(f"{axis.name} {cut(value)}: expected one of {shown}{hint and '.' + hint}")


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


class Variants:
    """All combinations of the points of axes; the last axis varies fastest."""

    def __init__(self, base: Mapping[str, Any], axes: Sequence[Axis], origin: str = "") -> None:
        """Takes the contents of a scenario file without its `sweep` table."""
        self.axes = list(axes)
        self.origin = origin
        # A study stores no traces, so none are recorded.
        self._base = json.dumps({k: v for k, v in base.items() if k != "traces"})
        self._length = math.prod(len(a) for a in self.axes)
        self._paths = {path for axis in self.axes for path in axis.paths}

    def __len__(self) -> int:
        return self._length

    @property
    def base(self) -> str:
        """The scenario before anything is set, as JSON text."""
        return self._base

    def points(self, variant: int) -> list[int]:
        """Which point of every axis a variant has."""
        out = []
        for axis in reversed(self.axes):
            variant, point = divmod(variant, len(axis))
            out.append(point)
        return out[::-1]

    def cells(self, variant: int) -> dict[str, Any]:
        """The columns of a variant."""
        points = zip(self.axes, self.points(variant), strict=True)
        return {name: cells[i] for axis, i in points for name, cells in axis.columns.items()}

    def describe(self, variant: int) -> str:
        """A variant in words: `rate = 400kbit/s, queue = fq`."""
        points = zip(self.axes, self.points(variant), strict=True)
        return ", ".join(f"{axis.name} = {axis.columns[axis.name][i]}" for axis, i in points) or "the scenario"

    def table(self) -> dict[str, Any]:
        """The columns of all variants, one row each."""
        columns: dict[str, Any] = {}
        before, after = 1, self._length
        for axis in self.axes:
            after //= len(axis)
            index = np.tile(np.repeat(np.arange(len(axis)), after), before)
            before *= len(axis)
            for name, cells in axis.columns.items():
                columns[name] = (index, cells)
        return columns

    def data(self, variant: int) -> dict[str, Any]:
        """The contents of a scenario file for a variant.

        Paths that pass through others are set after them, so that a buffer can vary beside its queue.

        Raises:
            HeadgateError: a path leads nowhere; the error names the axis.
        """
        points = zip(self.axes, self.points(variant), strict=True)
        return self._assigned([(path, value, axis.place) for axis, i in points for path, value in axis.points[i]])

    def marked(self, mark: Callable[[int, int], str]) -> dict[str, Any]:
        """As `data`, with a mark made of the number of the axis and that of its path in the place of each value."""
        numbered = (
            (i, axis.place, number, path) for i, axis in enumerate(self.axes) for number, path in enumerate(axis.paths)
        )
        return self._assigned([(path, mark(i, number), place) for i, place, number, path in numbered])

    def _assigned(self, settings: list[tuple[str, Any, str]]) -> dict[str, Any]:
        """The scenario with paths set to values, each with the place of its axis in the file."""
        data: dict[str, Any] = json.loads(self._base)  # the quickest deep copy there is
        for path, value, place in sorted(settings, key=lambda s: s[0].count(".")):
            if isinstance(value, str) and any(p.startswith(f"{path}.") for p in self._paths):
                value = {"kind": value}
            assign(data, path, value, f"{self.origin}: {place}" if self.origin else place)
        return data


def refuse(paths: Iterable[str], origin: str = "") -> None:
    """Raises if an axis varies a key that already distinguishes runs."""
    for path in paths:
        if path in ("seed", "description", "traces", "sweep") or path.startswith("sweep."):
            hint = ": `replications` runs each variant with other random numbers" if path == "seed" else ""
            raise wrong("sweep", f"expected a path whose value makes another scenario{hint}", path, origin=origin)
