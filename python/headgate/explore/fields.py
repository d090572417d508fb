"""One value of a scenario as a control: its kind, unit, limits and help, from the schema alone."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from .. import _core
from ..base.errors import HeadgateError, cut

Node = Mapping[str, Any]

#: Formats of quantities in the schema: the engine's kind and the unit of their numbers.
QUANTITIES = {
    "a duration": ("s", "s"),
    "a rate": ("bps", "bit/s"),
    "a size in bytes": ("bytes", "B"),
    "a packet size": ("bytes", "B"),
}

#: A buffer may have one of several units.
BUFFER = "a buffer"
_UNIT_OF = {"s": "s", "bps": "bit/s", "bytes": "B", "pkt": "pkt"}
KIND_OF = {unit: kind for kind, unit in _UNIT_OF.items()}

#: Base units of the engine in one of ours.
_BASE = {"s": 1e12, "bit/s": 1.0, "B": 1.0, "pkt": 1.0}


@cache
def schema() -> dict[str, Any]:
    """The schema of scenario files."""
    found: dict[str, Any] = json.loads(_core.schema())
    return found


def node(name: str, *keys: str) -> Node:
    """The schema of a key of a definition, such as `node("Link", "rate")`, or of the file itself if `name` is empty."""
    found: Node = schema()["$defs"][name] if name else schema()
    for key in keys:
        found = deref(deref(found)["properties"][key])
    return found


def deref(found: Node) -> Node:
    """The target of a reference, with the keys beside the reference."""
    while "$ref" in found:
        target: Any = schema()
        for part in found["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        found = {**target, **{k: v for k, v in found.items() if k != "$ref"}}
    return found


def alternatives(found: Node) -> Iterator[Node]:
    """All forms in which a value may be written: the entries of `anyOf`, or the schema itself."""
    found = deref(found)
    if "anyOf" not in found:
        yield found
        return
    for alternative in found["anyOf"]:
        yield from alternatives(alternative)


def kinds(found: Node) -> list[dict[str, Any]]:
    """The choices of what has a `kind`, with their meaning."""
    return [
        {"value": kind["const"], "label": kind["const"], "help": alternative.get("description", "")}
        for alternative in alternatives(found)
        if "const" in (kind := alternative.get("properties", {}).get("kind", {}))
    ]  # fmt: skip


def branch(found: Node, kind: str) -> Node | None:
    """The schema of one of the choices."""
    matching = (w for w in alternatives(found) if w.get("properties", {}).get("kind", {}).get("const") == kind)
    return next(matching, None)


def control(path: str, label: str, group: str, found: Node, value: Any, main: bool = False) -> dict[str, Any] | None:
    """A value as a control; None if it is no single value, or is not given. `value` is as the resolved scenario has it."""
    whole = deref(found)
    base = {
        "path": path, "label": label, "group": group, "value": value, "number": None, "unit": None, "low": None, "high": None,
        "from": None, "to": None, "log": False, "step": None, "choices": None, "help": whole.get("description"), "main": main,
    }  # fmt: skip
    for alternative in alternatives(whole):
        kind = alternative.get("type")
        kind = next((k for k in kind if k != "null"), None) if isinstance(kind, list) else kind
        if isinstance(value, bool):
            if kind == "boolean":
                return {**base, "kind": "bool"}
        elif isinstance(value, int | float):
            if kind in ("integer", "number"):
                return {**base, "kind": "number", **_numeric(alternative, float(value), kind == "integer")}
        elif isinstance(value, str):
            if "oneOf" in alternative or "enum" in alternative:
                choices = _choices(alternative)
                if value in (c["value"] for c in choices):
                    return {**base, "kind": "choice", "choices": choices}
            elif kind == "string" and alternative.get("format") in (*QUANTITIES, BUFFER):
                return {**base, "kind": "quantity", **_quantity(alternative["format"], value)}
            elif kind == "string":
                return {**base, "kind": "text"}
    return None


def optional(path: str, label: str, group: str, found: Node, value: Any) -> dict[str, Any] | None:
    """The control of an optional value; it has None for a value that is not given."""
    if value is None:
        alternative = next(w for w in alternatives(found) if w.get("type") != "null")
        kind = alternative["type"][0] if isinstance(alternative.get("type"), list) else alternative.get("type")
        # Any value of the type gives the form of the control.
        like: Any = {"boolean": False, "integer": 1, "number": 0.0}.get(str(kind), "")
        like = _choices(alternative)[0]["value"] if "oneOf" in alternative or "enum" in alternative else like
        shown = control(path, label, group, found, like)
        if shown is None:
            return None
        shown |= {"value": None, "number": None}
    else:
        shown = control(path, label, group, found, value)
    if shown is None or shown["kind"] not in ("bool", "choice"):
        return shown
    given = shown["choices"] or [
        {"value": True, "label": "on", "help": ""},
        {"value": False, "label": "off", "help": ""},
    ]
    return {**shown, "kind": "choice", "choices": [{"value": None, "label": "not set", "help": ""}, *given]}


def _choices(alternative: Node) -> list[dict[str, Any]]:
    if "oneOf" in alternative:
        return [
            {"value": w["const"], "label": w["const"], "help": w.get("description", "")} for w in alternative["oneOf"]
        ]
    return [{"value": x, "label": x, "help": ""} for x in alternative["enum"]]


def _numeric(alternative: Node, value: float, whole: bool) -> dict[str, Any]:
    low, high = alternative.get("minimum"), alternative.get("maximum")
    low = alternative.get("exclusiveMinimum", low)
    start = low if low is not None else min(0.0, 2 * value)
    end = high if high is not None and high <= 1000 * max(abs(value), 1) else None
    if end is None or end > 100 * max(abs(value), 1):
        end = max(_decade(value, 2) if value > 0 else 10.0, start + 1)
        end = min(end, high) if high is not None else end
    step = 1 if whole else _nice((end - start) / 200)
    return {
        "low": low,
        "high": high,
        "from": start,
        "to": end,
        "step": step,
        "log": bool(start > 0 and end / start > 200),
    }


def _quantity(form: str, text: str) -> dict[str, Any]:
    number = amount(text)
    unit = QUANTITIES[form][1] if form != BUFFER else "pkt"
    if form == BUFFER and number is not None:
        unit = _UNIT_OF[_core.quantity(text)[0]]
    if number is None or number == 0:
        start, end = (0.0, {"s": 0.1, "bit/s": 1e7, "B": 1e5, "pkt": 100.0}[unit])
        return {
            "number": number,
            "unit": unit,
            "low": 0,
            "from": start,
            "to": end,
            "step": _nice(end / 200),
            "log": False,
        }
    start, end = _decade(number, -1), _decade(number, 2)
    whole = unit in ("pkt", "B", "bit/s")
    step = max(_nice(start / 10), 1.0) if whole else _nice(start / 10)
    return {
        "number": number,
        "unit": unit,
        "low": 0,
        "from": max(start, 1.0) if whole else start,
        "to": end,
        "step": step,
        "log": True,
    }


def amount(text: str) -> float | None:
    """The number of a quantity in its unit; None if it has none, as a buffer in BDP.

    >>> amount("80kbit/s"), amount("20pkt"), amount("1.5BDP")
    (80000.0, 20.0, None)
    """
    try:
        return float(_core.quantity(text)[2])
    except ValueError:
        return None


def written(number: float, unit: str) -> str:
    """A number in a unit as a scenario writes it, with four digits.

    Raises:
        HeadgateError: it is negative, or too large for the engine.

    >>> written(80000, "bit/s"), written(0.0131, "s"), written(20, "pkt"), written(123456.7, "B")
    ('80kbit/s', '13.1ms', '20pkt', '123.5KB')
    """
    most = (2**64 - 1) / _BASE[unit]
    if not 0 <= number <= most:
        raise HeadgateError(f"found {cut(number)}; expected a number from 0 to {most:.4g}, in {unit}")
    if number > 0:
        number = float(f"{number:.4g}")
    return _core.quantity_text(KIND_OF[unit], min(round(number * _BASE[unit]), 2**64 - 1))


def _decade(value: float, more: int) -> float:
    """The power of ten below a number, times another one.

    >>> _decade(80000.0, 2), _decade(0.01, -1)
    (1000000.0, 0.001)
    """
    return float(f"1e{math.floor(math.log10(value) + 1e-9) + more}")


def _nice(value: float) -> float:
    """A step of 1, 2 or 5 times a power of ten, at most the value."""
    if value <= 0:
        return 1.0
    base = _decade(value, 0)
    return next(base * m for m in (5, 2, 1) if base * m <= value * 1.0001)
