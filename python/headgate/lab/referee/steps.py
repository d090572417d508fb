"""Cases of steps: events for a flow control by itself, and the window, threshold and rate that are expected after them.

Events are those of `headgate control --stdio`, with times as text, such as `"40ms"`. One more stands for many of them: a `round` sends
what the window allows; a round trip later all of it is acknowledged packet by packet, and each acknowledgement clocks out more.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from ... import _core
from ...base.errors import HeadgateError, cut
from ...base.times import seconds
from .case import Case

#: Packets of the initial window unless a case says otherwise (RFC 6928).
INITIAL = 10

#: The greatest window of a round: one that opens without end ends with an error, not with a long wait.
_MOST = 20_000

#: Packets of a round after which it is told how far it is.
_TOLD = 50


class WindowlessError(Exception):
    """A flow control has no window that could be asked for at any time."""


class FaultError(HeadgateError):
    """A flow control failed in a call, or did not keep to its contract."""


class _Driver:
    """A flow control that is driven by events; keeps the time, and counts what is outstanding."""

    def __init__(self, case: Case, control: dict[str, Any]) -> None:
        try:
            self._driven = _core.Steps(json.dumps(control), case.window or INITIAL, 1)
        except ValueError as e:
            if "with a window" in str(e):
                raise WindowlessError(str(e)) from None
            raise HeadgateError(f"{case.file or case.name}: {cut(e)}") from None
        self.now, self.place = 0, ""
        self._outstanding = 0
        self._window: float = case.window or INITIAL

    def event(self, event: dict[str, Any]) -> dict[str, Any]:
        """One event at the present time; the answer."""
        try:
            answer: dict[str, Any] = json.loads(self._driven.step(json.dumps({"t": self.now, **event})))
        except (ValueError, TypeError) as e:
            # What begins with the name of a call is the flow control's fault, and everything else the case's.
            kind = FaultError if str(e).startswith("on_") else HeadgateError
            raise kind(f"{self.place}: {cut(e)}") from None
        count = event.get("n", 1)
        self._outstanding += {"sent": 1, "ack": -count, "loss": -count}.get(str(event.get("ev")), 0)
        self._window = answer["cwnd"]
        return answer

    def round(self, event: dict[str, Any], tell: Callable[[float], None]) -> dict[str, Any]:
        """Sends what the window allows, and a round trip later acknowledges what is out packet by packet, which clocks out more."""
        trip, limited = event.get("rtt"), event.get("limited", True)
        known = set(event) <= {"ev", "rtt", "limited"}
        if not known or not isinstance(trip, int) or trip <= 0 or not isinstance(limited, bool):
            raise HeadgateError(f"{self.place}: expected of a round `rtt`, a time above 0, and `limited` at most")
        self._fill()
        if not self._outstanding:
            raise HeadgateError(f"{self.place}: found nothing outstanding; expected a window of at least a packet")
        self.now += trip
        whole = self._outstanding
        for number in range(whole):
            if number % _TOLD == 0:
                tell(number / whole)
            answer = self.event({"ev": "ack", "rtt": trip, "limited": limited})
            self._fill()
        return answer

    def _fill(self) -> None:
        """Sends what the window allows."""
        if self._window > _MOST:
            raise FaultError(f"{self.place}: found a window of {self._window:g}; expected at most {_MOST}")
        while self._window >= self._outstanding + 1:
            self.event({"ev": "sent"})


def run(case: Case, control: dict[str, Any], tell: Callable[[float], None] = lambda part: None) -> list[dict[str, Any]]:
    """Plays the steps; of each expectation what was found, and whether it was met. `tell` gets the part that is done, before its end.

    Raises:
        HeadgateError: a step is no event; the error names it.
        FaultError: the flow control failed.
        WindowlessError: the flow control has no window.
    """
    driver, found = _Driver(case, control), []
    done, turns = 0, sum(step.times for step in case.steps)
    for number, step in enumerate(case.steps, 1):
        driver.place = f"{case.file or case.name}: step {number}"
        event = {k: _nanoseconds(v, f"{driver.place}: {k}") if k in ("t", "rtt") else v for k, v in step.do.items()}
        driver.now = event.pop("t", driver.now)
        gap = _nanoseconds(step.every, f"{driver.place}: every")
        answer: dict[str, Any] = {}
        for turn in range(step.times):
            driver.now += gap if turn else 0
            before = done + turn
            if event.get("ev") == "round":
                answer = driver.round(event, lambda part, before=before: tell((before + part) / turns))  # type: ignore[misc]
            else:
                tell(before / turns)
                answer = driver.event(event)
        done += step.times
        for name, wanted in step.expect.items():
            if name not in answer:
                raise HeadgateError(
                    f"{driver.place}: expect: found {cut(repr(name))}; expected one of {', '.join(answer)}"
                )
            value = answer[name]
            found.append({"step": number, "name": name, "value": value, "wanted": wanted, "met": _met(value, wanted)})
    return found


def _nanoseconds(value: Any, place: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    try:
        return round(seconds(value) * 1e9)
    except (ValueError, TypeError):
        raise HeadgateError(f"{place}: found {cut(repr(value))}; expected a time such as '40ms'") from None


def _met(value: Any, wanted: Any) -> bool:
    if wanted == "none" or value is None:
        return value is None and wanted == "none"
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
        expected = wanted if wanted == "none" else f"{wanted:g}"
    value = "none" if found["value"] is None else f"{found['value']:g}"
    return f"step {found['step']}: {found['name']} is {value}; expected {expected}"
