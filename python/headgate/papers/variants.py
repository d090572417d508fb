"""The variants of an item, which its table lists or whose combinations it names."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources.abc import Traversable

from .model import Table, Variant, unknown


def listed_variants(folder: Traversable, paper: Table, data: Table) -> tuple[Variant, ...]:
    """The variants that an item itself lists."""
    crossed = (v for c in data.get("cross", []) for v in _cross(c))
    studies = (v for study in data.get("studies", []) for v in _combinations(study))
    listed = [*data.get("pairs", []), *data.get("variants", []), *_grid(data.get("grid")), *crossed, *studies]
    return tuple(_variant(folder, paper, v) for v in listed)


def used_variants(folder: Traversable, paper: Table, data: Table) -> Iterator[Variant]:
    """The variants of the items that `uses` names, run here again without seeds, as `ITEM VARIANT`."""
    items = {i["name"]: i for i in paper["items"]}
    for name in data.get("uses", []):
        if name not in items:
            raise unknown("item", name, items)
        other = items[name]
        traces = {"traces": other["traces"]} if "traces" in other else {}
        for v in listed_variants(folder, paper, other):
            yield replace(
                v,
                name=f"{name} {v.name}",
                scenario=v.scenario or scenario_of(folder, other),
                settings={**traces, **v.settings},
                seeds=False,
            )


def scenario_of(folder: Traversable, data: Table) -> Table | None:
    """The scenario file that an item or a variant names."""
    file = data.get("scenario")
    return tomllib.loads(folder.joinpath(file).read_text("utf-8")) if file else None


def _variant(folder: Traversable, paper: Table, data: str | Table) -> Variant:
    """A pair's name alone, or a table: name, `pair` (without one the scenario stands as it is), `scenario`, `set`, `rename`, `seeds`."""
    if isinstance(data, str):
        data = {"name": data, "pair": data}
    pairs = paper["pairs"]
    if "pair" in data and data["pair"] not in pairs:
        raise unknown("protocol pair", data["pair"], pairs)
    pair = pairs[data["pair"]] if "pair" in data else {}
    return Variant(
        name=data["name"],
        controls=pair.get("controls", {}),
        queue=pair.get("queue"),
        settings=data.get("set", {}),
        seeds=bool(data.get("seeds", True)),
        scenario=scenario_of(folder, data),
        rename=data.get("rename", {}),
    )


def _grid(data: Table | None) -> list[Table]:
    """A variant for each pair at each point of the axes; a point on several axes is run once.

    `name` and the values of `set` are texts with the names of the coordinates in braces, and of the pair.
    """
    if data is None:
        return []
    points = dict.fromkeys(tuple(p) for axis in data["axes"].values() for p in axis)
    variants = []
    for pair in data["pairs"]:
        for point in points:
            at = {"pair": pair, **dict(zip(data["coordinates"], point, strict=True))}
            settings = {path: _number_or_text(value.format(**at)) for path, value in data["set"].items()}
            variants.append({"name": data["name"].format(**at), "pair": pair, "set": settings, "seeds": False})
    return variants


def _number_or_text(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


def _cross(data: Table) -> list[Table]:
    """A variant for each of some `settings` with each pair, called "SETTING, PAIR"; keys other than these two go to every variant."""
    rest = {k: v for k, v in data.items() if k not in ("pairs", "settings")}
    return [
        {**rest, "name": f"{name}, {pair}", "pair": pair, "set": settings}
        for name, settings in data["settings"].items()
        for pair in data["pairs"]
    ]


def _combinations(study: Table) -> list[Table]:
    """A variant for each combination of the points of a study's axes, on the study's scenario.

    An axis is a table of points, each the `set` of a variant; later axes override earlier ones. The variant's name is
    the study's and the points', with blanks between.
    """
    variants = []
    for points in itertools.product(*study.get("axes", {}).values()):
        settings: Table = {}
        for axis, point in zip(study.get("axes", {}).values(), points, strict=True):
            settings.update(axis[point])
        variants.append({"name": " ".join((study["name"], *points)), "scenario": study["scenario"], "set": settings})
    return variants
