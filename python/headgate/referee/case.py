"""A case: a small scenario with what is expected of it, from a file whose name ends with `.case` (TOML).

A case names its source, the rule that it tests, a line and flows, or a whole scenario, and the cells in which it runs: `"$rate"` is
replaced by each value of `rate` under `cells`. What is expected stands under `must` and `must_not` (a bound), `better_than` (a comparison
with a baseline) and `report` (a number that has neither).
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from .. import _core
from ..base.errors import HeadgateError, cut, nearest
from ..base.toml import loads
from .metrics import LEVELS, METRICS
from .part import Wanted

#: Where the line of an expectation comes from.
Origin = Literal["document", "derived", "practice", "ours"]

#: What a case may need: marks, a media source, BBR's states, and for steps a window by RFC 5681, by RFC 9438, or by either.
Need = Literal["ecn", "media", "bbr", "reno-window", "cubic-window", "tcp-window"]

#: Maximum length of a file in bytes, and maximum number of cells of a case.
LONGEST, MOST = 100_000, 200

#: The folder of the cases that come with headgate.
FOLDER = Path(__file__).parent / "cases"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Measured(_Table):
    """What is measured: a metric, of which flows, and when."""

    metric: str
    #: A flow's name or the beginning of it; the flows of the subject unless given.
    of: str = ""
    #: Part of the run that counts, as times; all that comes after the warm-up unless given.
    start: str | None = Field(None, alias="from")
    end: str | None = Field(None, alias="to")
    #: What the metric asks for in addition: the gauge's name, a part.
    gauge: str = ""
    part: float = Field(0.9, gt=0, le=1)
    #: The value of the gauge that is counted, and the value before it.
    level: float | None = None
    after: float | None = None
    #: Gauges with their values: only times in which they have these count.
    during: dict[str, float] = {}
    #: Cells in which it is expected; all unless given.
    when: dict[str, list[str | int | float]] = {}
    #: Where it stands, and what it says.
    clause: str = ""

    @field_validator("metric")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in METRICS:
            raise ValueError(f"expected one of {', '.join(METRICS)}.{nearest(name, METRICS)}")
        return name

    @field_validator("start", "end")
    @classmethod
    def _time(cls, text: str | None) -> str | None:
        if text is not None:
            seconds(text)
        return text

    @model_validator(mode="after")
    def _whole(self) -> Measured:
        if self.metric.startswith("gauge") != bool(self.gauge):
            raise ValueError("expected `gauge`, the name of a gauge, with the metrics of gauges, and with no other")
        if (self.metric in LEVELS) != (self.level is not None):
            raise ValueError(f"expected `level` with {', '.join(LEVELS)}, and with no other")
        if self.after is not None and self.metric != "gauge_entries":
            raise ValueError("expected `after` with gauge_entries, and with no other")
        if self.during and not METRICS[self.metric].traces:
            raise ValueError("expected `during` with metrics of windows and gauges, and with no other")
        return self

    def wanted(self) -> Wanted:
        """The measurement."""
        start, end = (None if text is None else seconds(text) for text in (self.start, self.end))
        during = tuple(sorted(self.during.items()))
        return Wanted(self.metric, self.of, start, end, self.gauge, self.part, self.level, self.after, during)

    def key(self) -> str:
        """Names what is measured, the same for the same measurement."""
        return self.wanted().key()

    def applies(self, cell: dict[str, Any]) -> bool:
        """Whether it is expected in a cell."""
        return all(cell.get(name) in values for name, values in self.when.items())


class Bound(Measured):
    """A bound that must, or must not, hold."""

    at_least: float | None = None
    at_most: float | None = None
    origin: Origin = "ours"

    @model_validator(mode="after")
    def _bounded(self) -> Bound:
        if self.at_least is None and self.at_most is None:
            raise ValueError("expected `at_least` or `at_most`")
        return self

    def range(self) -> tuple[float, float]:
        """The least and the greatest value that it allows."""
        return (
            -math.inf if self.at_least is None else self.at_least,
            math.inf if self.at_most is None else self.at_most,
        )


class Better(Measured):
    """A comparison with a baseline, run by run; differences of less than `zone` of the baseline's value are none."""

    baseline: str = "cubic"
    zone: float = Field(0.05, ge=0, le=1)


class Step(_Table):
    """An event for a flow control by itself, as `headgate control` reads it, or a `round`; and the answer that is expected."""

    do: dict[str, Any]
    #: How often it happens, one after the other.
    times: int = Field(1, ge=1, le=100_000)
    #: Time between them, and from one to the next the round trip stays.
    every: str = "0s"
    #: By name (`cwnd`, `ssthresh`, `pacing`), bounds: a number, `{ at_least, at_most }`, or `none` where there is to be none.
    expect: dict[str, float | dict[Literal["at_least", "at_most"], float] | Literal["none"]] = {}


class Case(_Table):
    """One case, as its file has it."""

    #: The name of the file without its ending.
    name: str = ""
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
    steps: list[Step] = []
    #: Where the numbers of the steps come from.
    origin: Origin = "document"
    #: Packets of the initial window of the steps; 10 unless given.
    window: int | None = Field(None, ge=1, le=1_000_000)
    cells: dict[str, list[Any]] | list[dict[str, Any]] = {}
    runs: int = Field(5, ge=1, le=30)
    must: list[Bound] = []
    must_not: list[Bound] = []
    better_than: list[Better] = []
    report: list[Measured] = []
    #: What the document leaves open, or how the case departs from it.
    note: str = ""

    @field_validator("report", mode="before")
    @classmethod
    def _by_name(cls, entries: Any) -> Any:
        if isinstance(entries, list):
            return [{"metric": entry} if isinstance(entry, str) else entry for entry in entries]
        return entries

    @model_validator(mode="after")
    def _one_kind(self) -> Case:
        kinds = [bool(self.steps), bool(self.scenario), bool(self.line)]
        if sum(kinds) != 1:
            raise ValueError("expected one of `line`, `scenario` and `steps`")
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
        return self

    def grid(self) -> list[dict[str, Any]]:
        """The cells: of each the values by name."""
        if isinstance(self.cells, list):
            return self.cells or [{}]
        return [dict(zip(self.cells, values, strict=True)) for values in itertools.product(*self.cells.values())]

    def measured(self) -> list[Measured]:
        """All that is measured."""
        return [*self.must, *self.must_not, *self.better_than, *self.report]


def seconds(text: str) -> float:
    """A time such as `10ms` in seconds.

    Raises:
        ValueError: it is none.

    >>> seconds("10ms")
    0.01
    """
    if text == "0s":
        return 0.0
    return _core.quantity(text, "s")[1] / 1e12


def label(cell: dict[str, Any]) -> str:
    """A cell in words.

    >>> label({"rate": "10Mbit/s", "queue": {"kind": "codel"}})
    'rate 10Mbit/s, queue codel'
    """
    return ", ".join(
        f"{name} {value.get('kind', value) if isinstance(value, dict) else value}" for name, value in cell.items()
    )


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
            raise ValueError(f"expected at most {LONGEST} bytes")
        data = loads(text.decode())
    except (OSError, ValueError, RecursionError) as e:
        reason = e.strerror if isinstance(e, OSError) else e
        raise HeadgateError(f"{cut(path)}: {reason}") from None
    return made(data, path.stem, cut(path), family)


def made(data: dict[str, Any], name: str, place: str, family: str = "") -> Case:
    """A case from the contents of its file.

    Raises:
        HeadgateError: it is none.
    """
    if "name" in data:
        raise HeadgateError(
            f"{place}: name: found {cut(repr(data['name']))}; expected none: a case is named as its file"
        )
    try:
        case = Case(**{"family": family, **data, "name": name})
    except ValidationError as e:
        error = e.errors()[0]
        where = ".".join(str(part) for part in error["loc"])
        raise HeadgateError(
            f"{place}: {where + ': ' if where else ''}{_expected(error, list(Case.model_fields))}"
        ) from None
    if len(case.grid()) > MOST:
        raise HeadgateError(f"{place}: cells: found {len(case.grid())}; expected at most {MOST}")
    names = {key for cell in case.grid() for key in cell}
    for entry in case.measured():
        if unknown := [key for key in entry.when if key not in names]:
            raise HeadgateError(f"{place}: when: found {cut(repr(unknown[0]))}; expected a name under `cells`")
    return case


def _expected(error: Any, known: list[str]) -> str:
    message = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "missing":
        return "missing; expected a value"
    if error["type"] == "extra_forbidden":
        key = str(error["loc"][-1])
        return (
            f"found an unknown key; expected one of {', '.join(known)}.{nearest(key, known)}"
            if len(error["loc"]) == 1
            else "found an unknown key"
        )
    found = cut(repr(error.get("input")))
    kinds = {"float_type": "a number", "int_type": "a whole number", "bool_type": "true or false", "string_type": "a text",
             "list_type": "a list", "dict_type": "a table", "model_type": "a table"}  # fmt: skip
    if error["type"] in kinds:
        return f"found {found}; expected {kinds[error['type']]}"
    if error["type"] == "literal_error":
        return f"found {found}; expected {error['ctx']['expected']}"
    message = message.replace("Input should be", "expected a number")
    return message if isinstance(error.get("input"), dict) else f"found {found}; {message}"


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
