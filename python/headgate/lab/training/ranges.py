"""Scenarios of episodes: values drawn from ranges, or variants of a study, each time with a seed of its own."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ... import _core
from ...base.errors import HeadgateError, cut, nearest
from ...scenario.baselines import MODERN, PLAIN
from ...scenario.paths import copied
from ...scenario.scenario import Scenario
from ...sweep.sweep import Sweep
from ...sweep.values import expand
from ..frame.subjects import fitting

#: The ranges of the scenario that stands for itself: a line with the learning flows, and with others that compete with them.
DEFAULTS: dict[str, Any] = {
    "rate": "5Mbit/s ... 50Mbit/s log",
    "rtt": "10ms ... 100ms log",
    "buffer": "0.5BDP ... 3BDP log",
    "queue": PLAIN,
    "competitors": "0 ... 1",
    "control": MODERN,
    "loss": 0,
    "duration": "10s",
}

#: Length of the packets of that scenario.
PACKET = "1500B"

_BETWEEN = re.compile(r"\s*(.+?)\s*\.\.\.\s*(.+?)(\s+log)?\s*")
_BDP = re.compile(r"([0-9.]+)\s*(BDP)")
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE]-?\d+)?")


class Random(Protocol):
    """The random numbers of an environment (numpy's Generator)."""

    def random(self) -> float:
        """A number from 0 up to 1."""


class Range:
    """What a value is drawn from: one value, a list, a range such as `1 ... 3` or `5Mbit/s ... 50Mbit/s log`, or steps as on an axis.

    >>> class Half:
    ...     def random(self):
    ...         return 0.5
    >>> [Range("", x).draw(Half()) for x in (7, ["fcfs", "fq"], "1 ... 4", "1ms ... 100ms log", "0.5BDP ... 2BDP", "1ms ... 3ms step 1ms")]
    [7, 'fq', 3, '10ms', '1.25BDP', '2ms']
    """

    def __init__(self, place: str, given: Any) -> None:
        """Reads it.

        Raises:
            HeadgateError: it is none of these; the error begins with `place`.
        """
        self._values: list[Any] = [given]
        self._ends: tuple[float, float] | None = None
        self._kind, self._log = "", False
        if isinstance(given, Sequence) and not isinstance(given, str):
            if not given:
                raise HeadgateError(f"{place}: found an empty list; expected at least one value")
            self._values = list(given)
        elif isinstance(given, str) and "..." in given:
            match = _BETWEEN.fullmatch(given)
            try:
                if match is None or re.search(r"\s(step|log)\s", match[2]):
                    self._values = expand(given)
                else:
                    self._between(match[1], match[2], match[3] is not None)
            except ValueError as e:
                raise HeadgateError(f"{place}: found {cut(repr(given))}; {e}") from None

    def _between(self, low: str, high: str, log: bool) -> None:
        (kind, least), (other, most) = _amount(low), _amount(high)
        if {kind, other} == {"whole", "number"}:
            kind = other = "number"
        if kind != other:
            raise ValueError("expected both ends in units of one kind, such as 1ms and 1s")
        if least > most:
            raise ValueError("expected the smaller end first")
        if log and least <= 0:
            raise ValueError("expected ends above zero for `log`")
        self._kind, self._ends, self._log = kind, (least, most), log

    def draw(self, random: Random) -> Any:
        """One value; each draws one random number, whatever the range is."""
        u = random.random()
        if self._ends is None:
            return self._values[min(int(u * len(self._values)), len(self._values) - 1)]
        low, high = self._ends
        if self._kind == "whole" and not self._log:
            return int(min(low + math.floor(u * (high - low + 1)), high))
        drawn = low * (high / low) ** u if self._log else low + u * (high - low)
        # Four digits: a scenario stays readable, and no machine has others.
        drawn = min(max(float(f"{drawn:.4g}"), low), high)
        if self._kind == "whole":
            return round(drawn)
        if self._kind == "number":
            return drawn
        if self._kind == "BDP":
            # The engine has no finer ones.
            return f"{max(round(drawn, 3), 0.001):.3f}".rstrip("0").rstrip(".") + "BDP"
        return _core.quantity_text(self._kind, round(drawn))


def _amount(text: str) -> tuple[str, float]:
    """The kind of an amount, and how much it is in base units."""
    if _NUMBER.fullmatch(text):
        return ("whole" if re.fullmatch(r"-?\d+", text) else "number"), float(text)
    if match := _BDP.fullmatch(text):
        return "BDP", float(match[1])
    kind, amount, _ = _core.quantity(text)
    return kind, float(amount)


class Scenarios:
    """The scenarios of an environment: what varies, and which flows learn.

    Args:
        scenario: a scenario file, its contents or a scenario, whose `flows` learn; a file with a `sweep` table is a study, of which each
            episode has a variant.
            A line of one bottleneck unless given.
        ranges: what is drawn for each episode: of the line, other ranges than `DEFAULTS`; of a scenario, paths as in `Scenario.set` with
            their ranges.
        flows: of a scenario, the names of the flows that learn; its first one unless given.
        agents: of the line, how many flows learn.

    Raises:
        HeadgateError: there is no such file, range or flow.
        ScenarioError: a scenario is wrong.
    """

    def __init__(
        self,
        scenario: Scenario | Mapping[str, Any] | str | os.PathLike[str] | None = None,
        ranges: Mapping[str, Any] | None = None,
        flows: Sequence[str] | None = None,
        agents: int = 1,
    ) -> None:
        self._study: Sweep | None = None
        self._base: Scenario | None = None
        self.origin = "ranges"
        ranges = dict(ranges or {})
        if scenario is None:
            if flows is not None:
                raise HeadgateError(f"flow: found {cut(repr(list(flows)))}; expected a scenario that has it")
            for name in ranges:
                if name not in DEFAULTS:
                    raise HeadgateError(
                        f"ranges: found {cut(repr(name))}; expected one of {', '.join(DEFAULTS)}.{nearest(name, DEFAULTS)}"
                    )
            ranges = {**DEFAULTS, **ranges}
            for name, kind in (("control", "control"), ("queue", "discipline")):
                ranges[name] = _subjects(ranges[name], kind, f"ranges.{name}")
            flows = [f"flow_{i}" for i in range(agents)]
        else:
            if isinstance(scenario, str | os.PathLike):
                scenario = Scenario.from_file(scenario)
            given = scenario if isinstance(scenario, Scenario) else Scenario(dict(scenario))
            given.require_code()
            self.origin = given.origin
            if "sweep" in given.data:
                self._study = Sweep.of(given)
            self._base = given.base()
            if flows is None:
                flows = [str(entry.get("name", "")) for entry in _entries(given.data)[:1]]
        #: The flows that learn.
        self.flows = list(flows)
        if not self.flows or len(set(self.flows)) < len(self.flows):
            raise HeadgateError(f"flows: found {cut(repr(self.flows))}; expected different names, at least one")
        self._ranges = {name: Range(f"ranges.{name}", given) for name, given in ranges.items()}

    def draw(self, random: Random, fixed: Mapping[str, Any] | None = None) -> tuple[dict[str, Any], Scenario]:
        """The values of an episode, and its scenario.

        Args:
            random: where chance comes from.
            fixed: values that are not drawn, by the names of their ranges.

        Raises:
            HeadgateError: a fixed value has no range, or a path leads nowhere.
        """
        values: dict[str, Any] = {}
        if self._study is not None:
            # Always one random number, as a range.
            number = Range("", [*range(len(self._study.variants()))]).draw(random)
            values["variant"] = self._study.describe(number)
            scenario = self._study.variant(number)
        elif self._base is not None:
            scenario = self._base
        values |= {name: given.draw(random) for name, given in self._ranges.items()}
        for name, value in (fixed or {}).items():
            if name not in self._ranges:
                raise HeadgateError(
                    f"values: found {cut(repr(name))}; expected one of {', '.join(self._ranges) or 'no values'}"
                )
            values[name] = value
        if self._base is None:
            return values, line(values, self.flows)
        for path in self._ranges:
            scenario = scenario.put(path, values[path])
        return values, scenario

    def given_to(self, scenario: Scenario, control: Any) -> Scenario:
        """The scenario in which the learning flows have another flow control; `control` gives it for the number of the flow."""
        data = copied(scenario.data, "")
        for i, name in enumerate(self.flows):
            found = [entry for entry in _entries(data) if entry.get("name") == name]
            if len(found) != 1 or int(found[0].get("count", 1)) != 1:
                names = ", ".join(str(entry.get("name")) for entry in _entries(data))
                raise HeadgateError(
                    f"flow {cut(repr(name))}: expected the name of an entry of `flows` that stands for one flow; found {cut(names)}"
                )
            found[0]["control"] = control(i)
        return scenario.derived(data)


def _subjects(given: Any, kind: str, place: str) -> Any:
    """Values of a range that are flow controls or disciplines, as a scenario writes them."""
    if isinstance(given, str):
        found = fitting(given, kind, place)
        own = {**found.table, **({"transport": found.transport} if found.transport else {})}
        return own if len(own) > 1 else found.name
    return [_subjects(one, kind, place) for one in given] if isinstance(given, list | tuple) else given


def _entries(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    entries = data.get("flows")
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def line(values: Mapping[str, Any], flows: Sequence[str]) -> Scenario:
    """A line of one bottleneck, with learning flows and others; hosts have links that are ten times as fast, and noise of one packet time.

    Raises:
        HeadgateError: a value is not as it is expected.
    """
    others = values["competitors"]
    if not isinstance(others, int) or isinstance(others, bool) or not 0 <= others <= 1000:
        raise HeadgateError(f"ranges.competitors: found {cut(repr(others))}; expected a whole number from 0 to 1000")
    found: dict[str, int] = {}
    for name, kind, what in (("rate", "bps", "10Mbit/s"), ("rtt", "s", "20ms"), ("duration", "s", "10s")):
        try:
            found[name] = _core.quantity(values[name], kind)[1]
        except (ValueError, TypeError):
            raise HeadgateError(f"ranges.{name}: found {cut(repr(values[name]))}; expected {what}, say") from None
    queue = values["queue"]
    queue = dict(queue) if isinstance(queue, Mapping) else {"kind": queue}
    queue.setdefault("buffer", values["buffer"])
    trip = {
        "rate": values["rate"],
        "delay": _core.quantity_text("s", found["rtt"] // 2),
        "queue": queue,
    }
    if values["loss"]:
        trip["loss"] = {"kind": "bernoulli", "probability": values["loss"]}
    fast = {"rate": _core.quantity_text("bps", 10 * found["rate"])}
    entries = [{"name": name, "from": f"s{i + 1}", "to": f"d{i + 1}", "packet": PACKET} for i, name in enumerate(flows)]
    own: dict[str, Any] = {"control": values["control"]}
    if isinstance(own["control"], Mapping) and "transport" in own["control"]:
        control = dict(own["control"])
        own = {"transport": control.pop("transport"), "control": control}
    for i in range(others):
        host = len(flows) + i + 1
        ends = {"name": f"other_{i}", "from": f"s{host}", "to": f"d{host}", "packet": PACKET}
        entries.append({**ends, **own, "start_spread": "1s"})
    return Scenario(
        {
            "name": "training",
            "duration": values["duration"],
            "hosts": {"noise": "1pkt"},
            "topology": {"kind": "dumbbell", "hosts": len(entries), "line": trip, "access": fast},
            "flows": entries,
        },
        "training",
    )
