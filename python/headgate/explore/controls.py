"""The controls of a scenario: which values the page shows, and what follows when one is changed. The engine's library makes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .. import _core
from ..base.errors import HeadgateError, cut
from ..scenario.plain import require_plain
from ..scenario.scenario import Scenario


def controls(scenario: Scenario) -> list[dict[str, Any]]:
    """All controls, in the order of the parts of the page.

    Raises:
        ScenarioError: something in the scenario is wrong.
    """
    return _list(scenario.base().asked(_core.controls))


def control(path: str, label: str, group: str, place: Sequence[str], value: Any, main: bool = False) -> dict[str, Any]:
    """A value as a control; `place` is that of its schema: a definition and keys in it, or keys of the file after an empty name.

    Raises:
        HeadgateError: it is no single value of this kind.

    >>> control("rate", "rate of the link", "Network", ("Link", "rate"), "80kbit/s")["number"]
    80000.0
    """
    found = _core.control(path, label, group, place, json.dumps(value), main)
    if found is None:
        raise HeadgateError(f"{path}: found {cut(repr(value))}; expected a single value")
    shown: dict[str, Any] = json.loads(found)
    return shown


def choice(key: str, group: str, given: Any) -> list[dict[str, Any]]:
    """The controls of a table with a kind that stands under a key, such as `queue`; none if there is no such kind."""
    return _list(_core.choice_controls(key, group, json.dumps(given)))


def kinds(key: str) -> list[dict[str, Any]]:
    """The choices of what stands under a key with a kind, with their meaning.

    >>> [kind["value"] for kind in kinds("queue")][:3]
    ['fcfs', 'fq', 'wfq']
    """
    return _list(_core.kinds(key))


def value_at(scenario: Scenario, path: str) -> Any:
    """The value that a scenario has at a path; None if it gives none.

    Raises:
        ScenarioError: the path names no entry.
    """
    return json.loads(scenario.asked(lambda text: _core.value_at(text, path)))


def with_value(scenario: Scenario, path: str, value: Any) -> Scenario:
    """The scenario with one value changed, as by `--set`; a number stands for a quantity in the control's unit.

    A new kind keeps the parameters that it shares with the old one.

    Raises:
        HeadgateError: the value is none that a file may hold.
        ScenarioError: the path names no entry, or the value does not fit.
    """
    require_plain(value, f"{cut(path)}: ")
    # A page's scenario has no code of its own that may run.
    ready = Scenario(scenario.data, scenario.origin)
    text = ready.asked(lambda text: _core.with_value(text, path, json.dumps(value)))
    return Scenario(json.loads(text), scenario.origin)


def written(number: float, unit: str) -> str:
    """A number in a unit (`s`, `bit/s`, `B`, `pkt`) as a scenario writes it, with four digits.

    Raises:
        HeadgateError: it is negative, or too large for the engine.

    >>> written(80000, "bit/s"), written(0.0131, "s"), written(20, "pkt"), written(123456.7, "B")
    ('80kbit/s', '13.1ms', '20pkt', '123.5KB')
    """
    try:
        return _core.written(number, unit)
    except (OverflowError, ValueError) as e:
        raise HeadgateError(str(e)) from None


def _list(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)
    return found
