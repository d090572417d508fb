"""The settings of a replay, as requests of the page have them, and those that the page shows first."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ... import _core
from ..._core import ScenarioError
from ...base.catalogue import parameter_names
from ...base.choices import CONVENTIONS
from ...base.errors import HeadgateError, nearest, wrong
from ...replays.options import LEVELS, Queue, disciplines, levels, rename
from ...scenario.baselines import PLAIN
from ..controls import written
from .trace import Read, Reading, Trace

#: The rate that is chosen, as a part of the mean load, and the time for which the buffer that is chosen holds its bytes.
LOAD, BUFFER_S = 1.1, 0.1

#: Longest packets that the buffer holds at least.
PACKETS = 10

#: The keys of settings; that of the trace's name says that they are those of a replay.
KEYS = ("replay", "rate", "queue", "classify", "seed", *CONVENTIONS, "lenient")


@dataclass(frozen=True)
class Settings:
    """One way to replay a trace."""

    data: dict[str, Any]
    trace: Trace

    @cached_property
    def resolved(self) -> dict[str, Any]:
        """The options of the engine, with every default.

        Raises:
            ScenarioError: something in the settings is wrong.
            HeadgateError: the trace cannot be read in this way.
        """
        data = self.data
        for key in data:
            if key not in KEYS:
                near = nearest(str(key), KEYS)
                raise HeadgateError(f"{str(key)[:80]}: expected one of {', '.join(KEYS)}.{near}")
        for key, choices in CONVENTIONS.items():
            if data.get(key, choices[0]) not in choices:
                raise wrong(key, f"expected {' or '.join(choices)}", data[key])
        if not isinstance(data.get("lenient", False), bool):
            raise wrong("lenient", "expected true or false", data["lenient"])
        if not isinstance(data.get("classify", ""), str):
            raise wrong("classify", "expected a name", data["classify"])
        queue = data.get("queue", PLAIN)
        if levels(queue) > LEVELS:
            raise wrong("queue", f"expected at most {LEVELS} levels of tables")
        queue = {"kind": queue} if isinstance(queue, str) else queue
        try:
            core = _core.Replay(json.dumps(self._engine(queue), allow_nan=False))
        except ScenarioError as e:
            raise _here(e) from None
        except ValueError:
            raise wrong("queue", "expected finite numbers") from None
        found: dict[str, Any] = json.loads(core.options)
        return found

    @property
    def engine(self) -> str:
        """The same as the engine takes them."""
        return json.dumps({**self.resolved, "series": False})

    @cached_property
    def reading(self) -> Reading:
        """How the trace is read."""
        data = self.data
        return self.trace.reading(data.get("classify"), data.get("ecn"), data.get("lenient", False))

    @property
    def read(self) -> Read:
        """What the trace holds, read in this way."""
        return self.trace.read(self.reading)

    @property
    def key(self) -> str:
        """The same text for settings that mean the same."""
        how = self.reading
        return json.dumps([self.resolved, how.classify, how.ecn, how.lenient], sort_keys=True)

    def with_(self, **more: Any) -> Settings:
        """With other values; None takes one out."""
        data = {**self.data, **more}
        return Settings({k: v for k, v in data.items() if v is not None}, self.trace)

    def _engine(self, queue: Any) -> dict[str, Any]:
        data = self.data
        conventions = {key: data.get(key, choices[0]) for key, choices in CONVENTIONS.items()}
        return {
            "rate": data.get("rate", ""), "queues": [queue], "seed": data.get("seed", 1), "conventions": conventions,
            "lenient": data.get("lenient", False),
        }  # fmt: skip


def _here(e: ScenarioError) -> ScenarioError:
    """An error of the engine, at the place where the settings have the value."""
    path = re.sub(r"^queues\[0\]", "queue", e.path)
    error = ScenarioError(str(e).replace(e.path, path, 1) if e.path else str(e))
    for name in ("found", "expected", "nearest", "message"):
        setattr(error, name, getattr(e, name, None))
    error.path = path
    return error


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
    found, chosen = trace.read(how, report), []
    if rate is None:
        rate, why = chosen_rate(found)
        chosen.append(f"No rate was given: the page begins with {_spaced(rate)}, {why}.")
    size = chosen_buffer(found, rate)
    free = [
        s
        for s in specs.values()
        if "buffer" not in s and "buffer" in parameter_names("disciplines").get(str(s["kind"]), ())
    ]
    for spec in free:
        spec["buffer"] = size
    if free:
        chosen.append(
            f"No buffer was given: the page begins with {_spaced(size)}, which is what the line sends in {BUFFER_S} s, but at least "
            f"{PACKETS} of the longest packets."
        )
    variants = [
        Settings({"replay": trace.name, "rate": rate, "queue": spec, **table}, trace) for spec in specs.values()
    ]
    for each in variants:
        each.resolved  # noqa: B018 - its errors are those of the command
    return InitialSettings(variants, chosen)


def chosen_rate(found: Read) -> tuple[str, str]:
    """A rate at which queues build, and how it was chosen."""
    load = found.load_bps
    if load is None:
        return _round(8.0 * found.bytes), "at which all packets take 1 s"
    return _round(LOAD * load), f"{LOAD} times the mean load of the trace"


def chosen_buffer(found: Read, rate: str) -> str:
    """A buffer that holds what a line sends in a short time, and some packets at least."""
    bps = float(_core.quantity(rate)[2])
    size = max(bps * BUFFER_S / 8, PACKETS * found.longest)
    return written(_upwards(size), "B")


def _round(bps: float) -> str:
    return written(_upwards(max(bps, 1000.0)), "bit/s")


def _upwards(value: float) -> float:
    """The next greater number of two digits.

    >>> _upwards(2_943_732.0), _upwards(1000.0)
    (3000000.0, 1000.0)
    """
    base = 10.0 ** (math.floor(math.log10(value) + 1e-12) - 1)
    return math.ceil(value / base - 1e-9) * base


def _spaced(text: str) -> str:
    return re.sub(r"^([0-9.]+)", r"\1 ", text)
