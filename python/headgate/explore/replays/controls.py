"""The controls of a replay: the line, its queue, how the trace is read, and conventions for what a trace does not contain."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from ..._core import ScenarioError
from ...base.catalogue import parameter_names
from ...base.choices import CLASSIFY, CLASSIFY_HELP, CONVENTION_HELP, CONVENTIONS
from ...base.errors import HeadgateError, cut, wrong
from ...base.toml import put
from ..controls import choice, control, written
from .settings import Settings, chosen_buffer

#: The slider of the rate reaches from the mean load divided by this number to the mean load times this number.
RANGE = 5.0


def controls(settings: Settings) -> list[dict[str, Any]]:
    """All controls.

    Raises:
        ScenarioError: something in the settings is wrong.
    """
    return list(_all(settings))


def _all(settings: Settings) -> Iterator[dict[str, Any]]:
    data, whole = settings.data, settings.resolved
    rate = control("rate", "rate of the line", "Line", ("Link", "rate"), data.get("rate", whole["rate"]), True)
    load = settings.trace.seen(settings.reading).load_bps
    if load is not None:
        rate["help"] = (
            "Rate of the line. The slider reaches from a fifth of the mean load of the trace to five times that load."
        )
        now = rate["number"] or load
        rate |= {"from": min(max(round(load / RANGE), 1), now), "to": max(round(load * RANGE), now), "log": True}
    yield rate
    yield from choice("queue", "Queue", data.get("queue"))
    if settings.trace.kind == "capture":
        # Of a capture, `flow` means the same as the five-tuple.
        classes = [_as_choice(x) for x in CLASSIFY if x != "flow"]
        found = _plain("classify", "flows are by", "choice", settings.reading.classify, CLASSIFY_HELP)
        yield found | {"choices": classes, "group": "Flows", "main": True}
    yield control("seed", "seed", "Run", ("", "seed"), whole["seed"], True)
    for key, values in CONVENTIONS.items():
        if key != "ecn" or settings.trace.kind != "capture":
            label = {"ecn": "ECN of packets without it"}.get(key, key.replace("_", " "))
            value = data.get(key, values[0])
            yield _plain(key, label, "choice", value, CONVENTION_HELP[key]) | {
                "choices": [_as_choice(x) for x in values]
            }
    yield _plain(
        "lenient", "skip packets with faults", "bool", data.get("lenient", False), "Skip and count packets with faults."
    )


def _as_choice(value: str) -> dict[str, Any]:
    return {"value": value, "label": value, "help": ""}


def _plain(path: str, label: str, kind: str, value: Any, help_: str) -> dict[str, Any]:
    nothing = dict.fromkeys(("number", "unit", "low", "high", "from", "to", "step", "choices"))
    known = {"path": path, "label": label, "group": "Run", "kind": kind, "value": value, "help": help_, "main": False}
    return {**nothing, "log": False, **known}


def with_value(settings: Settings, path: str, value: Any) -> Settings:
    """The settings with one value changed; a number stands for a quantity in the control's unit, nothing for the default.

    Raises:
        HeadgateError: there is no such value.
        ScenarioError: the value does not fit.
    """
    known = {c["path"]: c for c in controls(settings)}
    if path not in known:
        raise HeadgateError(f"{cut(path)}: there is no such setting; expected one of {', '.join(known)}")
    if isinstance(value, int | float) and not isinstance(value, bool) and known[path]["unit"] is not None:
        if not 0 <= value < 1e18:
            raise wrong(path, "expected a number that is not negative", value)
        value = written(value, known[path]["unit"])
    if path == "queue.kind":
        return _new_kind(settings, value)
    data = copy.deepcopy(settings.data)
    if path.startswith("queue.aqm."):
        _set_aqm(data["queue"], path.removeprefix("queue.aqm."), value)
    else:
        table, key = (data, path) if "." not in path else (data["queue"], path.removeprefix("queue."))
        if value is None:
            table.pop(key, None)
        else:
            table[key] = value
    changed = Settings(data, settings.trace)
    changed.resolved  # noqa: B018 - it says what is wrong
    # The trace is read by the run that follows, which can be stopped.
    changed.reading  # noqa: B018
    return changed


def _set_aqm(queue: dict[str, Any], key: str, value: Any) -> None:
    """With another AQM, or with one of its values changed; nothing for the default, and as a kind for no AQM."""
    if key == "kind":
        queue.pop("aqm", None)
    if value is not None:
        put(queue, f"aqm.{key}", value)
    elif isinstance(queue.get("aqm"), dict):
        queue["aqm"].pop(key, None)


def _new_kind(settings: Settings, kind: Any) -> Settings:
    """With another discipline, which keeps the parameters that it shares with the one before."""
    known = parameter_names("disciplines").get(kind, ()) if isinstance(kind, str) else ()
    shared = {k: v for k, v in settings.data.get("queue", {}).items() if k in known}
    buffer_only = {"buffer": chosen_buffer(settings.trace.seen(settings.reading), settings.resolved["rate"])}
    # A parameter of the same name may mean something else: the defaults of the new kind then.
    for table in (shared, {k: v for k, v in shared.items() if k == "buffer"}, buffer_only, {}):
        changed = settings.with_(queue={"kind": kind, **table})
        try:
            changed.resolved  # noqa: B018
        except ScenarioError as e:
            error = e
            continue
        return changed
    raise error
