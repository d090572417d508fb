"""The settings of a replay, as requests of the page have them, and those that the page shows first."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ... import _core
from ..._core import ScenarioError
from ...base.errors import HeadgateError
from ...replays.options import Queue, disciplines, rename
from ...scenario.baselines import PLAIN
from .trace import Reading, Trace


@dataclass(frozen=True)
class Settings:
    """One way to replay a trace."""

    data: dict[str, Any]
    trace: Trace

    @cached_property
    def core(self) -> _core.ReplaySettings:
        """The same, checked.

        Raises:
            ScenarioError: something in the settings is wrong.
            HeadgateError: they hold what no settings may hold.
        """
        try:
            return _core.ReplaySettings(json.dumps(self.data, allow_nan=False), self.trace.name, self.trace.kind)
        except ValueError as e:
            raise HeadgateError(f"replay: {e}; expected the settings of a replay") from None

    @cached_property
    def resolved(self) -> dict[str, Any]:
        """The options of the engine, with every default.

        Raises:
            ScenarioError: something in the settings is wrong.
        """
        found: dict[str, Any] = json.loads(self.core.options)
        return found

    @property
    def engine(self) -> str:
        """The same as the engine takes them."""
        return json.dumps({**self.resolved, "series": False})

    @cached_property
    def reading(self) -> Reading:
        """How the trace is read."""
        return Reading(*self.core.reading)

    @property
    def key(self) -> str:
        """The same text for settings that mean the same."""
        how = self.reading
        return json.dumps([self.resolved, how.classify, how.ecn, how.lenient], sort_keys=True)

    def with_(self, **more: Any) -> Settings:
        """With other values; None takes one out."""
        data = {**self.data, **more}
        return Settings({k: v for k, v in data.items() if v is not None}, self.trace)


@dataclass
class InitialSettings:
    """The settings that a page shows first, and sentences about the values that were chosen because none were given."""

    variants: list[Settings]
    chosen: list[str]


def initial_settings(
    trace: Trace,
    queue: Queue | list[Queue] | None = None,
    rate: str | None = None,
    buffer: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    report: Callable[[float, int], object] = lambda share, packets: None,
    **more: Any,
) -> InitialSettings:
    """The settings that options of the command give, as `headgate replay` has them; what is missing is chosen from the trace.

    `report` is called with the share of the trace that was read, and its packets so far.

    Raises:
        HeadgateError: an option is wrong.
        TraceError: something is wrong with the trace.
    """
    specs = disciplines(queue or PLAIN, buffer, dict(parameters or {}))
    if len(specs) > 2:
        raise HeadgateError(f"queue: found {len(specs)}; expected at most 2, which the page shows side by side")
    how = trace.reading(more.get("classify"), more.get("ecn"), more.get("lenient", False))
    table = {
        key: value
        for key, value in more.items()
        if value is not None and not (key == "ecn" and trace.kind == "capture")
    }
    if trace.kind == "capture":
        table["classify"] = how.classify
    else:
        table.pop("classify", None)
    options = {"rate": rate or "1Gbit/s", "queues": list(specs.values()), "seed": more.get("seed", 1)}
    try:
        _core.Replay(json.dumps(options, default=str))
    except ScenarioError as e:
        raise rename(e, list(specs)) from None
    begun = json.loads(trace.read(how, report).found.chosen(json.dumps(list(specs.values()), default=str), rate))
    variants = [
        Settings({"replay": trace.name, "rate": begun["rate"], "queue": spec, **table}, trace)
        for spec in begun["queues"]
    ]
    for each in variants:
        each.resolved  # noqa: B018 - its errors are those of the command
    return InitialSettings(variants, begun["sentences"])
