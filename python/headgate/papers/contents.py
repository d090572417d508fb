"""What stands in the files of a paper's folder, key by key; `checks.py` reads files into these, `load.py` makes a paper of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from .model import SEEDS, Base, Form, Measure, Name, Rule, Table
from .unknowns import UnknownForm

#: A number of runs.
Count = Annotated[int, Field(ge=0, le=10_000)]


@dataclass(frozen=True)
class PairForm(Form):
    """A protocol pair: a flow control for each pattern of flows' names, and a discipline."""

    controls: Mapping[str, Table] = field(default_factory=dict)
    queue: Table | None = None


@dataclass(frozen=True)
class VariantForm(Form):
    """One variant: a pair (the scenario's own controls and queues without one), on a scenario, with settings.

    `seeds` says whether it has runs with random start phases, `starts` how many, if not as many as the item.
    """

    name: Name
    pair: str = ""
    scenario: str = ""
    set: Table = field(default_factory=dict)
    rename: Mapping[str, str] = field(default_factory=dict)
    seeds: bool = True
    starts: Annotated[int, Field(ge=1, le=10_000)] | None = None


@dataclass(frozen=True)
class SweepForm(Form):
    """Variants that are the points of axes: `axes`, `zip` and `cases` as in the `sweep` table of a study file, and `pairs`, the first axis.

    `name` is the variants' name, with the axes' columns in braces. `line` is what the sweep is called where it is a line of points.
    """

    name: Name
    pairs: tuple[str, ...] = ()
    scenario: str = ""
    set: Table = field(default_factory=dict)
    rename: Mapping[str, str] = field(default_factory=dict)
    seeds: bool = True
    line: str = ""
    axes: Table = field(default_factory=dict)
    zip: tuple[Table, ...] = ()
    cases: Mapping[str, Mapping[str, Table]] = field(default_factory=dict)


@dataclass(frozen=True)
class TableForm(Form):
    """A published table: a CSV file, of which the rows count that have `only` in these columns; `where` is added to each number's place."""

    name: Name
    file: Name
    only: Mapping[str, str | int] = field(default_factory=dict)
    where: Mapping[str, str | float] = field(default_factory=dict)


@dataclass(frozen=True)
class ItemForm(Form):
    """An item. `pairs` are separate variants; `uses` names items whose variants are run here again, without runs over seeds of their own.

    `seeds` and `starts` are the numbers of runs that verdicts on numbers and on whole rows rest on; the paper's unless given. So is `base`,
    the base run. `traced` are those of the `traces` that every start has, because claims look at them.
    `around` names the flow whose own periods the tables' are: times are counted from its start. `repeated`: the study repeats the
    experiment, and gives the values of one repetition alone where `runs.start` says which.
    """

    name: Name
    title: Name
    note: str = ""
    scenario: str = ""
    study: str = ""
    phase: str = ""
    traces: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    seeds: Count | None = None
    starts: Count | None = None
    base: Base | None = None
    traced: tuple[str, ...] = ()
    around: str = ""
    repeated: bool = False
    variants: tuple[VariantForm, ...] = ()
    sweeps: tuple[SweepForm, ...] = ()
    tables: tuple[TableForm, ...] = ()


@dataclass(frozen=True)
class PaperForm(Form):
    """`paper.toml`; `seeds`, `starts` and `base` hold for every item without its own. `ours`: it is no paper, but experiments of ours."""

    title: Name
    authors: Name
    reference: Name
    items: tuple[ItemForm, ...]
    phase: str = "0s"
    seeds: Count = SEEDS
    starts: Count = 0
    base: Base = "together"
    zero: str = "0"
    ours: bool = False
    metrics: Mapping[str, Measure] = field(default_factory=dict)
    pairs: Mapping[str, PairForm] = field(default_factory=dict)
    unknowns: Mapping[str, UnknownForm] = field(default_factory=dict)


@dataclass(frozen=True)
class RulesForm(Form):
    """`tolerances.toml`."""

    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class FiguresForm(Form):
    """`figures.toml`; what a figure's kind knows beside its common keys is read by itself."""

    figures: tuple[Table, ...]
