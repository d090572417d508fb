"""Reads the file of a report, which `record.py` writes. What it says is checked: it may come from anywhere."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict

from .checks import checked, one_of, wrong
from .load import check_metric
from .model import MARKS, Measure, PaperError, Published, Table
from .record import FORMAT
from .verdict import TESTED, Verdict

#: Maximum length of the file in bytes. Those of the package take up to 2 MB.
LONGEST = 50_000_000


class Loose:
    """What may hold more keys than are read: later versions add some."""

    __pydantic_config__: ClassVar[ConfigDict] = {"extra": "ignore"}


@dataclass(frozen=True)
class ClaimVerdict(Loose):
    """A claim beside a number."""

    id: str
    holds: bool | None


@dataclass(frozen=True)
class RecordedNumber(Loose):
    """A number of a table: the paper's, ours, and the value of each run. docs/reference/json.md says what the keys mean."""

    table: str
    row: str
    source: str
    metric: str
    unit: str
    mark: str
    value: float | None
    deviation: float | None
    rounding: float
    where: Mapping[str, str]
    base: float | None
    expected: float | None
    ci95: tuple[float | None, float | None] | None
    low: float | None
    high: float | None
    seeds: int
    rule: str | None
    trivial: float | None
    trivial_meets: bool
    verdict: Verdict
    why: str
    claims: tuple[ClaimVerdict, ...]
    variant: str | None
    values: tuple[float | None, ...]
    mechanism: str
    same_rank: float | None = None

    @property
    def is_ranked(self) -> bool:
        """Whether another source of ours has the rank of the paper's number, whose value is compared."""
        return self.same_rank is not None and self.same_rank != self.base and self.verdict in TESTED

    @cached_property
    def published(self) -> Published:
        """As the paper's folder has it."""
        table = self.table.removesuffix(f" [{self.mark}]")
        return Published(
            table, self.where, self.metric, self.unit, self.value, self.deviation, self.mark, self.rounding
        )


@dataclass(frozen=True)
class RecordedClaim(Loose):
    """A claim, what was measured, and the variants that it looked at."""

    id: str
    text: str
    holds: bool | None
    measured: str
    variants: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class RecordedSection(Loose):
    """A table of an item's own."""

    title: str
    measured: bool
    note: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    holds: tuple[bool | None, ...]
    why: tuple[str, ...]


@dataclass(frozen=True)
class RecordedVariant(Loose):
    """The runs of a variant: run 0 of `scenario`, `starts` more of `phases`, whose times count from `zero_s`; `base` is the base run."""

    name: str
    digest: str | None
    starts: int
    scenario: Table
    phases: Table | None
    base: int = 0
    zero_s: float = 0.0


@dataclass(frozen=True)
class RecordedRow(Loose):
    """A row of a table judged as a whole, and the run at which most of it comes out."""

    table: str
    row: str
    sources: tuple[str, ...]
    hits: int
    starts: int
    cells: int
    best_start: int
    met_at_best: int
    base_run: int = 0


@dataclass(frozen=True)
class RecordedItem(Loose):
    """An item of the paper, and what it gave."""

    item: str
    title: str
    note: str
    missing: tuple[str, ...]
    study: bool
    reproduced: bool
    seeds: int
    numbers: tuple[RecordedNumber, ...]
    rows: tuple[RecordedRow, ...]
    claims: tuple[RecordedClaim, ...]
    sections: tuple[RecordedSection, ...]
    variants: tuple[RecordedVariant, ...]

    @cached_property
    def by_name(self) -> dict[str, RecordedVariant]:
        """Its variants by their names."""
        return {v.name: v for v in self.variants}


@dataclass(frozen=True)
class RecordedFailure(Loose):
    """An item that could not be reproduced, and why."""

    item: str
    error: str


@dataclass(frozen=True)
class RecordedPaper(Loose):
    """The whole file."""

    format: Literal[1]
    headgate: str
    command: str
    paper: str
    title: str
    authors: str
    reference: str
    metrics: Mapping[str, Measure]
    failures: tuple[RecordedFailure, ...]
    items: tuple[RecordedItem, ...]


def read_record(path: str | os.PathLike[str]) -> RecordedPaper:
    """Reads the file of a report.

    Raises:
        PaperError: it cannot be read, is too long, or is no such file; the text names the place and what was expected.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(LONGEST + 1)
    except OSError as e:
        raise PaperError(f"{path}: cannot be read; {e.strerror or e}") from None
    if len(data) > LONGEST:
        raise PaperError(f"{path}: expected a file of at most {LONGEST // 1_000_000} MB")
    try:
        found = json.loads(data, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise PaperError(f"{path}: expected JSON, as `headgate reproduce --report` writes it") from None
    return understood(found, str(path))


def understood(found: Any, file: str) -> RecordedPaper:
    """What the file says, checked.

    Raises:
        PaperError: something in it is wrong.
    """
    if isinstance(found, dict) and isinstance(found.get("format"), int) and found["format"] != FORMAT:
        raise wrong(file, "format", f"expected form {FORMAT}: make the report again with this version", found["format"])
    paper = checked(RecordedPaper, found, file)
    for name, metric in paper.metrics.items():
        check_metric(file, f"metrics.{name}", metric)
    for i, item in enumerate(paper.items):
        for k, number in enumerate(item.numbers):
            place = f"items[{i}].numbers[{k}]"
            one_of(file, f"{place}.metric", number.metric, paper.metrics, "metric of the file")
            one_of(file, f"{place}.mark", number.mark, MARKS, "mark")
            if number.variant is not None:
                one_of(file, f"{place}.variant", number.variant, item.by_name, "variant of the item")
            _check_span(file, f"{place}.where", number)
    return paper


def _check_span(file: str, place: str, number: RecordedNumber) -> None:
    try:
        _ = number.published.span, number.published.row
    except ValueError:
        raise wrong(file, place, "expected numbers in from_s and to_s") from None
    except KeyError:
        raise wrong(file, place, "expected the key `variant`") from None


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")
