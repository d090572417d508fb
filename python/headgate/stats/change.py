"""A change in words: in per cent where it is small, as a factor where it is large, and empty where a ratio means nothing."""

from __future__ import annotations

import math

#: From this factor on, a change is given as a factor.
_TIMES = 2.0

#: A decrease reads well in per cent for longer: 98 % less.
_PARTS = 100.0

#: A greater factor means only that one of the values is almost zero.
_MOST = 10_000.0


def change(a: float, b: float, digits: int = 3) -> str:
    """The change from a to b in words, without its sign; empty where a is 0, the signs differ, or the factor is above 10,000.

    >>> change(10.0, 11.25), change(10.0, 8.0), change(10.0, 25.0), change(0.0292, 21.46), change(21.46, 0.0292)
    ('12.5 %', '20 %', 'a factor of 2.5', 'a factor of 735', 'a factor of 735')
    >>> change(0.0, 3.0), change(-1.0, 3.0), change(1e-9, 3.0), change(3.0, 0.0)
    ('', '', '', '100 %')
    """
    ratio = _ratio(a, b)
    if ratio is None:
        return ""
    if 1 / _PARTS <= ratio < _TIMES or ratio == 0:
        return _percent(abs(ratio - 1), digits)
    return f"a factor of {_number(max(ratio, 1 / ratio), digits)}"


def signed_change(a: float, b: float, digits: int = 3) -> str:
    """The change from a to b as a cell of a table has it; a dash where `change` is empty.

    >>> signed_change(10.0, 11.25), signed_change(10.0, 8.0), signed_change(1.0, 735.2), signed_change(735.2, 1.0), signed_change(0.0, 1.0)
    ('+12.5 %', '-20 %', '735 times', '1/735', '-')
    """
    ratio = _ratio(a, b)
    if ratio is None:
        return "-"
    if 1 / _PARTS <= ratio < _TIMES or ratio == 0:
        sign = "+" if ratio > 1 else "-" if ratio < 1 else ""
        return f"{sign}{_percent(abs(ratio - 1), digits)}"
    return f"{_number(ratio, digits)} times" if ratio > 1 else f"1/{_number(1 / ratio, digits)}"


def changes(pairs: list[tuple[float, float]], digits: int = 2) -> str:
    """The range of several changes in one direction; empty where one of them is empty.

    >>> changes([(10.0, 11.0), (10.0, 12.0)]), changes([(1.0, 735.0), (1.0, 3.0)]), changes([(10.0, 11.0), (1.0, 735.0)])
    ('10 to 20 %', 'a factor of 3 to 735', '10 % to a factor of 735')
    >>> changes([(10.0, 11.0), (20.0, 22.0)]), changes([(10.0, 11.0), (0.0, 1.0)])
    ('10 %', '')
    """
    ratios = [_ratio(a, b) for a, b in pairs]
    known = [r for r in ratios if r is not None]
    if not known or len(known) < len(ratios):
        return ""
    known.sort(key=lambda ratio: abs(math.log(ratio)) if ratio > 0 else math.inf)
    low, high = change(1.0, known[0], digits), change(1.0, known[-1], digits)
    if low == high:
        return low
    for start, end in (("a factor of ", ""), ("", " %")):
        if all(text.startswith(start) and text.endswith(end) for text in (low, high)):
            return f"{low.removesuffix(end)} to {high.removeprefix(start)}"
    return f"{low} to {high}"


def _ratio(a: float, b: float) -> float | None:
    if not (math.isfinite(a) and math.isfinite(b)) or a == 0:
        return None
    ratio = b / a
    # Of other signs, or so far apart that a ratio means nothing.
    return None if ratio != 0 and not 1 / _MOST < ratio < _MOST else ratio


def _percent(share: float, digits: int) -> str:
    # Less than this would need an exponent.
    return "less than 0.001 %" if 0 < share < 1e-5 else f"{_number(100 * share, digits)} %"


def _number(value: float, digits: int) -> str:
    return f"{value:.0f}" if value >= 10 ** (digits - 1) else f"{value:.{digits}g}"
