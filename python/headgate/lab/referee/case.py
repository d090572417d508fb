"""A case: a small scenario with what is expected of it, from a file whose name ends with `.case` (TOML).

A case names its source, the rule that it tests, a line and flows, or a whole scenario, and the cells in which it runs: `"$rate"` is
replaced by each value of `rate` under `cells`. What is expected stands under `must` and `must_not` (a bound), `better_than` (a comparison
with a baseline) and `report` (a number that has neither).
"""

from __future__ import annotations

import itertools
import math
from typing import Any, Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from ...base.errors import cut, nearest
from ...base.times import seconds
from ...results.bounds import Form
from ..frame.subjects import Need
from .expected import Better, Bound, CaseStep, Measurement, Origin
from .rules import RULES


class Case(Form, BaseModel):
    """One case, as its file has it."""

    #: The name of the file without its ending.
    name: str = ""
    #: Where it stands, for errors.
    file: str = ""
    title: str
    source: str
    #: `control` or `aqm`: what is judged.
    judges: Literal["control", "aqm"] = "control"
    #: The family, for reports.
    family: str = ""
    #: Rules of a control that it tests.
    rules: list[str] = []
    #: What the subject must have.
    needs: list[Need] = []
    #: Whether it is one of those of `--quick`.
    quick: bool = False
    duration: str = "30s"
    warm_up: str = "0s"
    #: Between two rows of the intervals, by which windows of time are measured.
    interval: str = "100ms"
    line: dict[str, Any] = {}
    flows: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = []
    scenario: dict[str, Any] = {}
    steps: list[CaseStep] = []
    #: Where the numbers of the steps come from.
    origin: Origin = "document"
    #: Packets of the initial window of the steps; 10 unless given.
    window: int | None = Field(None, ge=1, le=1_000_000)
    cells: dict[str, list[Any]] | list[dict[str, Any]] = {}
    runs: int = Field(5, ge=1, le=30)
    must: list[Bound] = []
    must_not: list[Bound] = []
    better_than: list[Better] = []
    report: list[Measurement] = []
    #: What the document leaves open, or how the case departs from it.
    note: str = ""

    @field_validator("duration", "warm_up", "interval")
    @classmethod
    def _time(cls, text: str) -> str:
        seconds(text)
        return text

    @field_validator("rules")
    @classmethod
    def _rules(cls, words: list[str]) -> list[str]:
        for word in words:
            if word not in RULES:
                raise ValueError(
                    f"found {cut(repr(word))}; expected words of docs/reference/control-rules.md.{nearest(word, RULES)}"
                )
        return words

    @field_validator("report", mode="before")
    @classmethod
    def _by_name(cls, entries: Any) -> Any:
        if isinstance(entries, list):
            return [{"metric": entry} if isinstance(entry, str) else entry for entry in entries]
        return entries

    @model_validator(mode="after")
    def _one_kind(self) -> Case:
        given = [key for key in ("line", "scenario", "steps") if key in self.model_fields_set]
        if len(given) != 1:
            found = f"found {' and '.join(f'`{key}`' for key in given)}" if given else "missing"
            raise ValueError(f"{found}; expected one of `line`, `scenario` and `steps`")
        if not (self.line or self.scenario or self.steps):
            raise ValueError(f"{given[0]}: found an empty one; expected the {given[0]} of the case")
        if self.steps and (self.must or self.must_not or self.better_than or self.report):
            raise ValueError(
                "expected no `must`, `must_not`, `better_than` or `report` beside `steps`, which have `expect`"
            )
        if not self.steps and not (self.must or self.must_not or self.better_than or self.report):
            raise ValueError("expected `must`, `must_not`, `better_than` or `report`")
        if self.scenario and (self.flows or self.events):
            raise ValueError("expected `flows` and `events` within the `scenario`")
        if self.line and not self.flows:
            raise ValueError("expected `flows`")
        if self.steps and (self.flows or self.events or self.cells):
            raise ValueError("expected no `flows`, `events` or `cells` beside `steps`")
        return self

    def size(self) -> int:
        """The number of cells."""
        return len(self.cells or [{}]) if isinstance(self.cells, list) else math.prod(map(len, self.cells.values()))

    def grid(self) -> list[dict[str, Any]]:
        """The cells: of each the values by name."""
        if isinstance(self.cells, list):
            return self.cells or [{}]
        return [dict(zip(self.cells, values, strict=True)) for values in itertools.product(*self.cells.values())]

    def measured(self) -> list[Measurement]:
        """All that is measured."""
        return [*self.must, *self.must_not, *self.better_than, *self.report]


def label(cell: dict[str, Any]) -> str:
    """A cell in words.

    >>> label({"rate": "10Mbit/s", "queue": {"kind": "codel"}})
    'rate 10Mbit/s, queue codel'
    """
    return ", ".join(
        f"{name} {value.get('kind', value) if isinstance(value, dict) else value}" for name, value in cell.items()
    )
