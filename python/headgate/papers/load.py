"""Reads a paper's folder."""

from __future__ import annotations

import csv
import re
import tomllib
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from .model import MARKS, SEEDS, Figure, Item, Metric, Paper, Published, Rule, Table, unknown
from .variants import listed_variants, scenario_of, used_variants


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
        scenario=scenario_of(folder, data),
        variants=(*used_variants(folder, paper, data), *listed_variants(folder, paper, data)),
        missing=tuple(data.get("missing", [])),
        numbers=tuple(numbers),
        phase=str(data.get("phase", paper["phase"])),
        traces=tuple(data.get("traces", [])),
        axes={k: tuple(tuple(p) for p in v) for k, v in data.get("grid", {}).get("axes", {}).items()},
        study=data.get("study", ""),
        seeds=int({"seeds": SEEDS, **paper, **data}["seeds"]),
        starts=int({"starts": 0, **paper, **data}["starts"]),
    )


def _whole(folder: Traversable, data: Table) -> Table:
    """An item, with the rest of it from the file that it names as `rest`."""
    if "rest" not in data:
        return data
    return {**tomllib.loads(folder.joinpath(data["rest"]).read_text("utf-8")), **data}


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
