"""Cases of steps: events for a flow control by itself, and the window, threshold and rate that are expected after them."""

from __future__ import annotations

import json
import math
from typing import Any

from .. import _core
from ..base.errors import HeadgateError, cut
from .case import Case, seconds


def run(case: Case, control: dict[str, Any]) -> list[dict[str, Any]]:
    """Plays the steps; of each expectation what was found, and whether it was met.

    Raises:
        HeadgateError: a step is no event; the error names it.
    """
    try:
        driven = _core.Steps(json.dumps(control), case.window, 1)
    except ValueError as e:
        raise HeadgateError(f"{case.file or case.name}: {cut(e)}") from None
    now, found = 0, []
    for number, step in enumerate(case.steps, 1):
        event = {}
        for key, value in step.do.items():
            try:
                event[key] = _nanoseconds(value) if key in ("t", "rtt") else value
            except ValueError as e:
                raise HeadgateError(f"{case.file or case.name}: step {number}: {key}: {e}") from None
        now = event.pop("t", now)
        answer: dict[str, Any] = {}
        for turn in range(step.times):
            at = now + turn * _nanoseconds(step.every)
            try:
                answer = json.loads(driven.step(json.dumps({"t": at, **event})))
            except (ValueError, TypeError) as e:
                raise HeadgateError(f"{case.file or case.name}: step {number}: {cut(e)}") from None
        now += max(0, step.times - 1) * _nanoseconds(step.every)
        for name, wanted in step.expect.items():
            if name not in answer:
                raise HeadgateError(
                    f"{case.file or case.name}: step {number}: expect: found {cut(repr(name))}; expected one of {', '.join(answer)}"
                )
            value = answer[name]
            found.append({"step": number, "name": name, "value": value, "wanted": wanted, "met": _met(value, wanted)})
    return found


def _nanoseconds(value: Any) -> int:
    """A time in ns, which whole numbers are already."""
    return value if isinstance(value, int) and not isinstance(value, bool) else round(seconds(value) * 1e9)


def _met(value: Any, wanted: Any) -> bool:
    if wanted is None or value is None:
        return value is None and wanted is None
    if isinstance(wanted, dict):
        return bool(wanted.get("at_least", -math.inf) <= value <= wanted.get("at_most", math.inf))
    return math.isclose(value, wanted, rel_tol=1e-9, abs_tol=1e-9)


def words(found: dict[str, Any]) -> str:
    """An expectation that was not met, in words.

    >>> words({"step": 2, "name": "cwnd", "value": 5.0, "wanted": {"at_most": 4}, "met": False})
    'step 2: cwnd is 5; expected at most 4'
    """
    wanted = found["wanted"]
    if isinstance(wanted, dict):
        expected = " and ".join(f"{key.replace('_', ' ')} {value:g}" for key, value in wanted.items())
    else:
        expected = "none" if wanted is None else f"{wanted:g}"
    value = "none" if found["value"] is None else f"{found['value']:g}"
    return f"step {found['step']}: {found['name']} is {value}; expected {expected}"
