"""What a case expects: measurements, bounds, comparisons, and the answers to steps."""

from __future__ import annotations

import math
from typing import Any, Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from ...base.errors import cut, nearest
from ...base.times import seconds
from ...results.bounds import Form, Limits, Selection
from ...scenario.baselines import MODERN
from ..frame.metrics import LEVELS, METRICS, WHOLE
from ..frame.part import Wanted

#: Where the line of an expectation comes from.
Origin = Literal["document", "derived", "practice", "ours"]


class Measurement(Selection, BaseModel):
    """What is measured: a metric, of which flows, and when; all that comes after the warm-up unless given."""

    #: A flow's name or the beginning of it; the flows of the subject unless given.
    of: str = ""
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

    @model_validator(mode="after")
    def _whole(self) -> Measurement:
        if self.metric.startswith("gauge") != bool(self.gauge):
            raise ValueError("expected `gauge`, the name of a gauge, with the metrics of gauges, and with no other")
        if (self.start is not None or self.end is not None) and self.metric in WHOLE:
            raise ValueError(
                f"expected no `from` and `to` with {self.metric}, which is of all that comes after the warm-up"
            )
        self.check_span()
        if (self.metric in LEVELS) != (self.level is not None):
            raise ValueError(f"expected `level` with {', '.join(LEVELS)}, and with no other")
        if self.after is not None and self.metric != "gauge_entries":
            raise ValueError("expected `after` with gauge_entries, and with no other")
        if self.during and not METRICS[self.metric].traces:
            raise ValueError("expected `during` with metrics of windows and gauges, and with no other")
        return self

    def wanted(self) -> Wanted:
        """The measurement."""
        start, end = self.span()
        during = tuple(sorted(self.during.items()))
        return Wanted(self.metric, self.of, start, end, self.gauge, self.part, self.level, self.after, during)

    def key(self) -> str:
        """Names what is measured, the same for the same measurement."""
        return self.wanted().key()

    def applies(self, cell: dict[str, Any]) -> bool:
        """Whether it is expected in a cell."""
        return all(cell.get(name) in values for name, values in self.when.items())


class Bound(Limits, Measurement):
    """A bound that must, or must not, hold."""

    at_least: float | None = Field(None, allow_inf_nan=False)
    at_most: float | None = Field(None, allow_inf_nan=False)
    origin: Origin = "ours"

    def range(self) -> tuple[float, float]:
        """The least and the greatest value that it allows."""
        return (
            -math.inf if self.at_least is None else self.at_least,
            math.inf if self.at_most is None else self.at_most,
        )


class Better(Measurement):
    """A comparison with a baseline, run by run; differences of less than `zone` of the baseline's value are none."""

    baseline: str = MODERN
    zone: float = Field(0.05, ge=0, le=1, allow_inf_nan=False)


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


#: A number that is expected, or bounds of it.
Expected = float | dict[Literal["at_least", "at_most"], float] | Literal["none"]


class CaseStep(Form, BaseModel):
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
                raise ValueError(f"{name}: found {cut(repr(wanted))}; expected a number or {{ at_least, at_most }}")
            if bounds.get("at_least", -math.inf) > bounds.get("at_most", math.inf):
                raise ValueError(f"{name}: found {cut(repr(wanted))}; expected `at_least` to be no more than `at_most`")
        return expect
