"""A case: a small scenario with what is expected of it, from a file whose name ends with `.case` (TOML).

A case names its source, the rule that it tests, a line and flows, or a whole scenario, and the cells in which it runs: `"$rate"` is
replaced by each value of `rate` under `cells`. What is expected stands under `must` and `must_not` (a bound), `better_than` (a comparison
with a baseline) and `report` (a number that has neither).
"""

from __future__ import annotations

import itertools
import math
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from .. import _core
from ..base.errors import cut, nearest
from .metrics import LEVELS, METRICS, WHOLE
from .part import Wanted

#: Where the line of an expectation comes from.
Origin = Literal["document", "derived", "practice", "ours"]

#: What a case may need: marks, a media source, BBR's states, and for steps a window by RFC 5681, by RFC 9438, or by either.
Need = Literal["ecn", "media", "bbr", "reno-window", "cubic-window", "tcp-window"]


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
    part: float = Field(0.9, gt=0, le=1, allow_inf_nan=False)
    #: The value of the gauge that is counted, and the value before it.
    level: float | None = None
    after: float | None = None
    #: Gauges with their values: only times in which they have these count.
    during: dict[str, float] = {}
    #: Cells in which it is expected; all unless given.
    when: dict[str, list[Any]] = {}
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
        if (self.start is not None or self.end is not None) and self.metric in WHOLE:
            raise ValueError(
                f"expected no `from` and `to` with {self.metric}, which is of all that comes after the warm-up"
            )
        if self.end is not None and seconds(self.start or "0s") >= seconds(self.end):
            raise ValueError(f"found from {self.start or '0s'} to {self.end}; expected `from` before `to`")
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

    at_least: float | None = Field(None, allow_inf_nan=False)
    at_most: float | None = Field(None, allow_inf_nan=False)
    origin: Origin = "ours"

    @model_validator(mode="after")
    def _bounded(self) -> Bound:
        if self.at_least is None and self.at_most is None:
            raise ValueError("expected `at_least` or `at_most`")
        least, most = self.range()
        if least > most:
            raise ValueError(f"found at_least {least:g} and at_most {most:g}; expected the first to be no more")
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
    zone: float = Field(0.05, ge=0, le=1, allow_inf_nan=False)


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


#: A number that is expected, or bounds of it.
Expected = float | dict[Literal["at_least", "at_most"], float] | Literal["none"]


class Step(_Table):
    """An event for a flow control by itself, as `headgate control` reads it, or a `round`; and the answer that is expected."""

    do: dict[str, Any]
    #: How often it happens, one after the other.
    times: int = Field(1, ge=1, le=100_000)
    #: Time between them, and from one to the next the round trip stays.
    every: str = "0s"
    #: By name (`cwnd`, `ssthresh`, `pacing`), bounds: a number, `{ at_least, at_most }`, or `none` where there is to be none.
    expect: dict[str, Expected] = {}

    @field_validator("every")
    @classmethod
    def _time(cls, text: str) -> str:
        seconds(text)
        return text

    @field_validator("expect", mode="before")
    @classmethod
    def _bounds(cls, expect: Any) -> Any:
        for name, wanted in expect.items() if isinstance(expect, dict) else ():
            if wanted == "none":
                continue
            bounds = wanted if isinstance(wanted, dict) else {"at_least": wanted}
            if not bounds or not all(key in ("at_least", "at_most") and _finite(x) for key, x in bounds.items()):
                raise ValueError(
                    f"{name}: found {cut(repr(wanted))}; expected a number, {{ at_least, at_most }} or none"
                )
        return expect


class Case(_Table):
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

    @field_validator("duration", "warm_up", "interval")
    @classmethod
    def _time(cls, text: str) -> str:
        seconds(text)
        return text

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
    if not isinstance(text, str):
        raise ValueError(f"found {cut(repr(text))}; expected a time such as 10ms")
    if text == "0s":
        return 0.0
    try:
        return _core.quantity(text, "s")[1] / 1e12
    except ValueError as e:
        raise ValueError(f"found {cut(repr(text))}; {e}") from None


def label(cell: dict[str, Any]) -> str:
    """A cell in words.

    >>> label({"rate": "10Mbit/s", "queue": {"kind": "codel"}})
    'rate 10Mbit/s, queue codel'
    """
    return ", ".join(
        f"{name} {value.get('kind', value) if isinstance(value, dict) else value}" for name, value in cell.items()
    )
