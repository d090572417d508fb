"""Values of an axis: ranges such as `400kbit/s ... 960kbit/s step 40kbit/s`, and the form of values in tables."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation, localcontext
from typing import Any

from .. import _core
from ..base.errors import cut

#: Maximum number of values of an axis.
MOST = 1_000_000

#: Maximum power of ten of a plain number of a range.
LARGEST = 300

#: Kinds of quantities, which the names of their columns end in, and their units.
UNITS = {"s": "s", "bps": "bit/s", "bytes": "bytes", "pkt": "packets"}

_RANGE = re.compile(r"\s*(.+?)\s*\.\.\.\s*(.+?)(?:\s+(?:step\s+(.+?)|log\s+(.+?)))?\s*")
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE]-?\d+)?")


def expand(text: str) -> list[Any]:
    """The values of a range, both ends included where a step reaches them.

    Plain numbers step by 1 by default; quantities need `step` or `log`. Values of a logarithmic range are rounded to four
    digits, and to whole base units or, between whole ends, whole numbers. The arithmetic is decimal and exact: no rounding
    adds up, and every machine gets the same values.

    >>> expand("400kbit/s ... 1Mbit/s step 300kbit/s")
    ['400kbit/s', '700kbit/s', '1Mbit/s']
    >>> expand("1ms ... 1s log 4"), expand("0.1 ... 0.5 step 0.2"), expand("1 ... 3"), expand("1 ... 100 log 5")
    (['1ms', '10ms', '100ms', '1s'], [0.1, 0.3, 0.5], [1, 2, 3], [1, 3, 10, 32, 100])

    Raises:
        ValueError: it is no range; the text says what was expected.
    """
    match = _RANGE.fullmatch(text)
    if match is None:
        raise ValueError('expected a list of values or a range such as "1ms ... 1s log 7" or "1 ... 10 step 3"')
    (kind, low), (other, high) = _amount(match[1]), _amount(match[2])
    if kind != other:
        raise ValueError(
            f"expected both ends in units of one kind, such as 1ms and 1s, found {cut(match[1])} and {cut(match[2])}"
        )
    if low > high:
        raise ValueError("expected the smaller end first")
    whole = kind is not None or all(re.fullmatch(r"-?\d+", x) for x in (match[1], match[2]))
    if match[4] is not None:
        amounts = _logarithmic(low, high, match[4], whole)
    else:
        if match[3] is None and kind is not None:
            raise ValueError(f"expected `step` or `log` after {cut(match[2])}")
        unit, step = _amount(match[3] or "1")
        if unit != kind or step <= 0:
            raise ValueError(f"expected a step above zero in units of {cut(match[1])}, found {cut(match[3])}")
        whole = whole and (kind is not None or step == int(step))
        if (high - low) / step >= MOST:
            raise ValueError(f"expected at most {MOST} values")
        amounts = [low + i * step for i in range(int((high - low) / step) + 1)]
    if kind is not None:
        return [_core.quantity_text(kind, int(x)) for x in amounts]
    return [int(x) if whole else float(x) for x in amounts]


def _amount(text: str) -> tuple[str | None, Decimal]:
    """Kind of a quantity and its base units; no kind for a plain number."""
    if _NUMBER.fullmatch(text):
        try:
            number = Decimal(text)
        except InvalidOperation:
            number = Decimal("inf")
        if not number.is_finite() or (number and abs(number.adjusted()) > LARGEST):
            raise ValueError(f"expected a number between 1e-{LARGEST} and 1e{LARGEST}, found {cut(text)}")
        return None, number
    kind, amount, _ = _core.quantity(text)
    return kind, Decimal(amount)


def _logarithmic(low: Decimal, high: Decimal, points: str, whole: bool) -> list[Decimal]:
    if not re.fullmatch(r"\d{1,7}", points) or not 2 <= int(points) <= MOST:
        raise ValueError(f"expected the number of values after `log`, from 2 to {MOST}, found {cut(points)}")
    if low <= 0:
        raise ValueError("expected ends above zero for `log`")
    last = int(points) - 1
    with localcontext() as context:
        context.prec = 40
        slope = (high / low).ln()
        inner = [low * (slope * i / last).exp() for i in range(1, last)]
        context.prec = 4
        inner = [(+x).to_integral_value() if whole else +x for x in inner]
    return list(dict.fromkeys([low, *inner, high]))


def text_of(value: Any) -> str:
    """The text of a value in tables: a name or a number as it is, a table by its kind and its other keys.

    >>> text_of("fq"), text_of(5), text_of(True), text_of({"kind": "red", "max_p": 0.1}), text_of([1, 2])
    ('fq', '5', 'true', 'red max_p=0.1', '[1, 2]')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        rest = [f"{k}={text_of(v)}" for k, v in value.items() if k != "kind"]
        return " ".join([str(value["kind"]), *rest] if "kind" in value else rest)
    return json.dumps(value, default=str)


def is_number(value: Any) -> bool:
    """Whether a value is a plain number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def columns_of(name: str, values: Sequence[Any], labels: Sequence[str]) -> dict[str, list[Any]]:
    """The columns of an axis.

    If all values are plain numbers, they are the column; else it holds their labels, and, if all are quantities of one kind, a
    second one holds them in s, bps, bytes or pkt, which its name ends in.

    >>> columns_of("rate", ["1kbit/s", "2kbit/s"], ["1kbit/s", "2kbit/s"])
    {'rate': ['1kbit/s', '2kbit/s'], 'rate_bps': [1000.0, 2000.0]}
    """
    if all(is_number(v) for v in values):
        return {name: [float(v) for v in values] if any(isinstance(v, float) for v in values) else list(values)}
    try:
        quantities = [_core.quantity(v) for v in values if isinstance(v, str)]
    except ValueError:
        quantities = []
    columns: dict[str, list[Any]] = {name: list(labels)}
    if len(quantities) == len(values) and len({kind for kind, _, _ in quantities}) == 1:
        columns[f"{name}_{quantities[0][0]}"] = [number for _, _, number in quantities]
    return columns
