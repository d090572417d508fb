"""A paper as data: its scenarios, published numbers, tolerances, claims and figures, read from its folder."""

from __future__ import annotations

import csv
import itertools
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Literal

from ..errors import HeadgateError, nearest

Table = dict[str, Any]

#: Marks of a published number. STATED: printed in the paper. EXTERNAL: found in another copy of it. RECALLED: from memory.
#: PROPOSED: predicted by a model of ours, where the paper's number is lost. DOUBTFUL: printed, but contradicts itself.
MARKS = ("STATED", "EXTERNAL", "RECALLED", "PROPOSED", "DOUBTFUL")

#: The marks under which a number is the paper's.
PAPERS_OWN = ("STATED", "EXTERNAL", "DOUBTFUL")


class PaperError(HeadgateError):
    """A paper, an item or a name in a paper's folder that does not exist."""


def unknown(kind: str, name: str, known: Iterable[str]) -> PaperError:
    """The error for a name that is not in a list, with the list and the nearest name."""
    names = list(known)
    return PaperError(f'there is no {kind} "{name}"; expected one of {", ".join(names)}.{nearest(name, names)}')


@dataclass(frozen=True)
class Metric:
    """How a measure of the paper follows from what a run records.

    Either `counts`: columns of the intervals table, summed with their signs, as a total or per second; or `mean`: a column
    whose interval means are averaged.
    """

    name: str
    counts: tuple[str, ...] = ()
    mean: str = ""
    per_second: bool = False


@dataclass(frozen=True)
class Published:
    """One number of a table of the paper. `value` is None where the table prints nothing."""

    table: str
    row: str
    source: str
    metric: str
    unit: str
    value: float | None
    stddev: float | None
    mark: str
    rounding: float
    span: tuple[float, float] | None = None

    @property
    def label(self) -> str:
        """The table's name, with the mark where the number is not plainly printed in the paper."""
        return self.table if self.mark == "STATED" else f"{self.table} [{self.mark}]"


@dataclass(frozen=True)
class Rule:
    """How closely a group of numbers is to be met, and why. The first rule that fits a number decides.

    What is allowed adds up: `absolute`, `relative` times the number, `deviations` times the deviation printed with it.
    """

    name: str
    compare: Literal["value", "some", "range", "band", "unordered", "none"]
    reason: str
    item: str = "*"
    row: str = "*"
    source: str = "*"
    metric: str = "*"
    absolute: float = 0.0
    relative: float = 0.0
    deviations: float = 0.0
    band: tuple[float, float] = (0.0, 0.0)
    pool: bool = False

    def fits(self, item: str, number: Published) -> bool:
        """Whether this rule speaks about a number."""
        return (
            _any(self.item, item)
            and _any(self.row, number.row)
            and _any(self.source, number.source)
            and _any(self.metric, number.metric)
        )


def _any(patterns: str, name: str) -> bool:
    """Whether a name fits one of the patterns, which `|` separates."""
    return any(fnmatchcase(name, p) for p in patterns.split("|"))


@dataclass(frozen=True)
class Variant:
    """One run of an item: a protocol pair of the paper, or a pair with settings of its own, on the item's scenario or its own.

    `rename` gives flows of the scenario other names, because the paper's table calls them so with this pair.
    """

    name: str
    controls: Mapping[str, Table]
    queue: Table | None
    settings: Mapping[str, Any] = field(default_factory=dict)
    seeds: bool = True
    scenario: Table | None = None
    rename: Mapping[str, str] = field(default_factory=dict)


#: A point of a grid: the values of its coordinates.
Point = tuple[int, ...]


@dataclass(frozen=True)
class Item:
    """One experiment of the paper.

    `scenario` is None where it cannot be run yet or every variant has its own. `axes` are lines of points through a grid of
    variants. `study` names a module in the paper's folder that makes tables and figures of its own from the runs.
    """

    name: str
    title: str
    note: str
    scenario: Table | None
    variants: tuple[Variant, ...]
    missing: tuple[str, ...]
    numbers: tuple[Published, ...]
    phase: str
    traces: tuple[str, ...]
    axes: Mapping[str, tuple[Point, ...]] = field(default_factory=dict)
    study: str = ""

    @property
    def runs(self) -> bool:
        """Whether there is anything to run."""
        return any((v.scenario or self.scenario) is not None for v in self.variants)

    def variant(self, name: str) -> Variant:
        """The variant with this name."""
        for v in self.variants:
            if v.name == name:
                return v
        raise unknown("variant", name, [v.name for v in self.variants])


@dataclass(frozen=True)
class Figure:
    """A figure of the report. `kind` names a drawing function; `series` are variants of the item."""

    name: str
    title: str
    kind: str
    item: str
    series: tuple[str, ...]
    note: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Paper:
    """A paper and everything that its folder says."""

    name: str
    title: str
    authors: str
    reference: str
    notes: str
    items: tuple[Item, ...]
    metrics: Mapping[str, Metric]
    rules: tuple[Rule, ...]
    figures: tuple[Figure, ...]

    def item(self, name: str) -> Item:
        """The item with this name.

        Raises:
            PaperError: there is none; the message lists the items.
        """
        for i in self.items:
            if i.name == name:
                return i
        raise unknown(f"item of {self.name}", name, [i.name for i in self.items])

    def rule(self, item: str, number: Published) -> Rule:
        """The tolerance of a number: the first rule that fits."""
        for rule in self.rules:
            if rule.fits(item, number):
                return rule
        raise PaperError(f"{self.name}: no tolerance for {item} {number.row} {number.source} {number.metric}")


def _folder() -> Traversable:
    return resources.files(__package__)


def list_papers() -> list[str]:
    """Names of the papers in the package, sorted."""
    return sorted(d.name for d in _folder().iterdir() if d.is_dir() and d.joinpath("paper.toml").is_file())


@cache
def load_paper(name: str) -> Paper:
    """Reads a paper's folder.

    Raises:
        PaperError: no such paper, or its folder names something that it does not define.
    """
    if name not in list_papers():
        raise unknown("paper", name, list_papers())
    folder = _folder().joinpath(name)
    data = tomllib.loads(folder.joinpath("paper.toml").read_text("utf-8"))
    rules = tomllib.loads(folder.joinpath("tolerances.toml").read_text("utf-8"))["rules"]
    return Paper(
        name=name,
        title=data["title"],
        authors=data["authors"],
        reference=data["reference"],
        notes=folder.joinpath("notes.md").read_text("utf-8"),
        items=tuple(_item(folder, data, _whole(folder, i)) for i in data["items"]),
        metrics={k: _metric(k, v) for k, v in data["metrics"].items()},
        rules=tuple(Rule(**{**r, "band": tuple(r.get("band", (0.0, 0.0)))}) for r in rules),
        figures=tuple(_figure(f) for f in tomllib.loads(folder.joinpath("figures.toml").read_text("utf-8"))["figures"]),
    )


def _metric(name: str, data: Table) -> Metric:
    return Metric(name, tuple(data.get("counts", ())), data.get("mean", ""), bool(data.get("per_second", False)))


def _figure(data: Table) -> Figure:
    known = ("name", "title", "kind", "item", "series", "note")
    rest = {k: v for k, v in data.items() if k not in known}
    return Figure(
        data["name"], data["title"], data["kind"], data["item"], tuple(data["series"]), data.get("note", ""), rest
    )


def _item(folder: Traversable, paper: Table, data: Table) -> Item:
    numbers = [n for t in data.get("tables", []) for n in _numbers(folder, t, str(paper.get("zero", "0")))]
    return Item(
        name=data["name"],
        title=data["title"],
        note=data.get("note", ""),
        scenario=_scenario(folder, data),
        variants=(*_used(folder, paper, data), *_variants(folder, paper, data)),
        missing=tuple(data.get("missing", [])),
        numbers=tuple(numbers),
        phase=str(data.get("phase", paper["phase"])),
        traces=tuple(data.get("traces", [])),
        axes={k: tuple(tuple(p) for p in v) for k, v in data.get("grid", {}).get("axes", {}).items()},
        study=data.get("study", ""),
    )


def _variants(folder: Traversable, paper: Table, data: Table) -> tuple[Variant, ...]:
    """The variants that an item itself lists."""
    crossed = (v for c in data.get("cross", []) for v in _cross(c))
    studies = (v for study in data.get("studies", []) for v in _combinations(study))
    listed = [*data.get("pairs", []), *data.get("variants", []), *_grid(data.get("grid")), *crossed, *studies]
    return tuple(_variant(folder, paper, v) for v in listed)


def _used(folder: Traversable, paper: Table, data: Table) -> Iterator[Variant]:
    """The variants of the items that `uses` names, run here again without seeds, as `ITEM VARIANT`."""
    items = {i["name"]: i for i in paper["items"]}
    for name in data.get("uses", []):
        if name not in items:
            raise unknown("item", name, items)
        other = items[name]
        traces = {"traces": other["traces"]} if "traces" in other else {}
        for v in _variants(folder, paper, other):
            yield replace(
                v,
                name=f"{name} {v.name}",
                scenario=v.scenario or _scenario(folder, other),
                settings={**traces, **v.settings},
                seeds=False,
            )


def _scenario(folder: Traversable, data: Table) -> Table | None:
    """The scenario file that an item or a variant names."""
    file = data.get("scenario")
    return tomllib.loads(folder.joinpath(file).read_text("utf-8")) if file else None


def _whole(folder: Traversable, data: Table) -> Table:
    """An item, with the rest of it from the file that it names as `rest`."""
    if "rest" not in data:
        return data
    return {**tomllib.loads(folder.joinpath(data["rest"]).read_text("utf-8")), **data}


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


def _cross(data: Table) -> list[Table]:
    """A variant for each of some `settings` with each pair, called "SETTING, PAIR"; keys other than these two go to every variant."""
    rest = {k: v for k, v in data.items() if k not in ("pairs", "settings")}
    return [
        {**rest, "name": f"{name}, {pair}", "pair": pair, "set": settings}
        for name, settings in data["settings"].items()
        for pair in data["pairs"]
    ]


def _number_or_text(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


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
        scenario=_scenario(folder, data),
        rename=data.get("rename", {}),
    )


def _numbers(folder: Traversable, table: Table, zero: str) -> list[Published]:
    """The rows of a published table that belong to one scenario of it; `zero` is what a printed 0 stands for."""
    text = folder.joinpath(table["file"]).read_text("utf-8")
    span = (float(table["span"][0]), float(table["span"][1])) if "span" in table else None
    numbers = []
    for row in csv.DictReader(text.splitlines()):
        if row["scenario"] != str(table["scenario"]):
            continue
        if row["mark"] not in MARKS:
            raise unknown(f"mark of a number ({table['file']})", row["mark"], MARKS)
        numbers.append(
            Published(
                table["name"],
                row["protocol_pair"],
                row["source"],
                row["metric"],
                row["unit"],
                float(row["value"]) if row["value"] else None,
                float(row["stddev"]) if row["stddev"] else None,
                row["mark"],
                rounding(zero if row["value"] == "0" else row["value"]),
                span,
            )
        )
    return numbers


def rounding(text: str) -> float:
    """Half a unit of the last printed digit: "1.43" gives 0.005. Nothing for an empty cell."""
    match = re.fullmatch(r"-?\d+(?:\.(\d+))?", text.strip())
    return 0.5 * 10.0 ** -len(match[1] or "") if match else 0.0
