"""The controls of a replay: the line, its queue, how the trace is read, and conventions for what a trace does not contain."""

from __future__ import annotations

import json
from typing import Any

from ...base.errors import HeadgateError, cut
from .settings import Settings


def controls(settings: Settings) -> list[dict[str, Any]]:
    """All controls.

    Raises:
        ScenarioError: something in the settings is wrong.
    """
    found: list[dict[str, Any]] = json.loads(settings.core.controls(settings.trace.seen(settings.reading).found))
    return found


def with_value(settings: Settings, path: str, value: Any) -> Settings:
    """The settings with one value changed; a number stands for a quantity in the control's unit, nothing for the default.

    Raises:
        HeadgateError: the value is none that settings may hold.
        ScenarioError: there is no such value, or it does not fit.
    """
    # The trace is read in the new way by the run that follows, which can be stopped.
    found = settings.trace.seen(settings.reading).found
    try:
        changed = settings.core.with_value(found, path, json.dumps(value))
    except ValueError as e:
        raise HeadgateError(f"{cut(path)}: {e}") from None
    return Settings(json.loads(changed.data), settings.trace)
