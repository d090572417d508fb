"""The variants of an item: those that it lists, and the points of its sweeps, whose axes are those of a study file."""

from __future__ import annotations

import itertools
import json
import string
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from .. import _core
from ..base.errors import HeadgateError
from ..sweep.axes import Axis, read_axes
from .checks import one_of, wrong
from .contents import ItemForm, PaperForm, SweepForm, VariantForm
from .folder import Folder
from .model import PaperError, Point, Table, Variant


class Reader:
    """Makes the variants of items; `place` of each is where it stands in `paper.toml`."""

    def __init__(self, folder: Folder, paper: PaperForm) -> None:
        """Takes the folder and what its `paper.toml` says."""
        self.folder = folder
        self.file = folder.origin("paper.toml")
        self.paper = paper
        self._items = {item.name: (f"items[{i}]", item) for i, item in enumerate(paper.items)}
        self._axes: dict[str, list[Axis]] = {}

    def variants(self, place: str, item: ItemForm) -> tuple[Variant, ...]:
        """All variants of an item.

        Raises:
            PaperError: a pair, an item or a file that is not there, or two variants of one name that differ.
        """
        found: dict[str, Variant] = {}
        for at, variant in (*self._used(place, item), *self._listed(place, item)):
            if found.setdefault(variant.name, variant) != variant:
                expected = "expected variants of different names, or the same point on two lines"
                raise wrong(self.file, at, expected, variant.name)
        return tuple(found.values())

    def lines(self, place: str, item: ItemForm) -> dict[str, tuple[Point, ...]]:
        """The sweeps that are lines of points, each point with the numbers that its name contains."""
        out = {}
        for i, sweep in enumerate(item.sweeps):
            if sweep.line:
                points = _points(self._read(f"{place}.sweeps[{i}]", sweep))
                columns = [c for _, c, _, _ in string.Formatter().parse(sweep.name) if c and c != "pair"]
                out[sweep.line] = tuple(tuple(int(cells[c]) for c in columns) for cells, _ in points)
        return out

    def scenario(self, place: str, name: str) -> Table | None:
        """The scenario file that an item or a variant names at `place`."""
        if not name:
            return None
        return self.folder.toml(name, f"{self.file}: {place}.scenario")

    def _used(self, place: str, item: ItemForm) -> Iterator[tuple[str, Variant]]:
        """The variants of the items that `uses` names, as `ITEM VARIANT`."""
        for i, name in enumerate(item.uses):
            at = f"{place}.uses[{i}]"
            one_of(self.file, at, name, self._items, "item")
            there, other = self._items[name]
            # Where the base run is the first start, it is the same one as there.
            start = (item.base or self.paper.base) == "start" == (other.base or self.paper.base)
            for _, v in self._listed(there, other):
                yield (
                    at,
                    replace(
                        v,
                        name=f"{name} {v.name}",
                        scenario=v.scenario or self.scenario(there, other.scenario),
                        seeds=start and v.seeds,
                        phase=other.phase or self.paper.phase,
                        traces=other.traces,
                        traced=other.traced,
                        around=other.around,
                        of=name,
                    ),
                )

    def _listed(self, place: str, item: ItemForm) -> Iterator[tuple[str, Variant]]:
        """The variants that an item itself lists."""
        for i, pair in enumerate(item.pairs):
            at = f"{place}.pairs[{i}]"
            yield at, self._variant(at, VariantForm(pair, pair))
        for i, form in enumerate(item.variants):
            at = f"{place}.variants[{i}]"
            yield at, self._variant(f"{at}.pair", form, at)
        for i, sweep in enumerate(item.sweeps):
            at = f"{place}.sweeps[{i}]"
            for form, cells in self._sweep(at, sweep):
                yield at, replace(self._variant(f"{at}.pairs", form, at), at=cells)

    def _variant(self, place: str, form: VariantForm, owner: str = "") -> Variant:
        pairs = self.paper.pairs
        if form.pair:
            one_of(self.file, place, form.pair, pairs, "pair of `pairs`")
        pair = pairs.get(form.pair)
        return Variant(
            name=form.name,
            controls=pair.controls if pair else {},
            queue=pair.queue if pair else None,
            settings=form.set,
            seeds=form.seeds,
            starts=form.starts,
            scenario=self.scenario(owner, form.scenario),
            rename=form.rename,
        )

    def _sweep(self, place: str, sweep: SweepForm) -> Iterator[tuple[VariantForm, Mapping[str, Any]]]:
        """A variant for each point of a sweep, pairs first and the last axis fastest."""
        points = _points(self._read(place, sweep))
        for pair, (cells, settings) in itertools.product(sweep.pairs or ("",), points):
            at = {"pair": pair, **cells} if pair else cells
            try:
                name = string.Formatter().vformat(sweep.name, (), at)
            except (KeyError, IndexError, ValueError) as e:
                expected = f"expected a name with columns of the axes in braces: {', '.join(at) or 'there are none'}"
                raise wrong(self.file, f"{place}.name", f"{expected}; {e!r}", sweep.name) from None
            form = VariantForm(name, pair, sweep.scenario, {**sweep.set, **settings}, sweep.rename, sweep.seeds)
            yield form, at

    def _read(self, place: str, sweep: SweepForm) -> list[Axis]:
        """The axes of a sweep, as `headgate sweep` reads them."""
        if place not in self._axes:
            given = {"axes": sweep.axes, "zip": list(sweep.zip), "cases": sweep.cases}
            table = {k: v for k, v in given.items() if v}
            try:
                known = json.loads(_core.check_sweep(json.dumps(table))) if table else {}
                self._axes[place] = read_axes(table, known, ("pair",))
            except (TypeError, ValueError, HeadgateError, _core.ScenarioError) as e:
                text = str(e).replace("sweep.", "", 1)
                raise PaperError(f"{self.file}: {place}.{text}") from None
        return self._axes[place]


def _points(axes: list[Axis]) -> list[tuple[dict[str, Any], Table]]:
    """The points of all axes together: their cells, and what they set."""
    out = []
    for numbers in itertools.product(*(range(len(a)) for a in axes)):
        chosen = list(zip(axes, numbers, strict=True))
        cells = {name: column[i] for axis, i in chosen for name, column in axis.columns.items()}
        # Paths that lead through others come after them, as in a study.
        settings = sorted((s for axis, i in chosen for s in axis.points[i]), key=lambda s: s[0].count("."))
        out.append((cells, dict(settings)))
    return out
