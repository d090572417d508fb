"""Means with their intervals as tables have them. Apart from the layout of tables, which needs no numpy."""

from __future__ import annotations

from ...results.results import digits
from ...stats import Mean


def interval_text(mean: Mean, scale: float = 1.0, confidence: float = 0.95) -> str:
    """A mean with half of its interval; alone where there is no interval.

    >>> interval_text(Mean(0.03808, 0.00086, 6), 1e3), interval_text(Mean(2.0, 0.0, 9, exact=True)), interval_text(Mean(0.8856, 1e-16, 9))
    ('38.08 ± 0.90', '2', '0.8856 ± 0')
    """
    if mean.n == 0:
        return "-"
    half = mean.half_at(confidence)
    # A rounding error is no spread.
    half = 0.0 if half <= 1e-9 * abs(mean.mean) else half
    return f"{digits(mean.mean * scale)} ± {digits(half * scale, 2)}" if half == half else digits(mean.mean * scale)


def mean_text(mean: Mean, scale: float = 1.0) -> str:
    """A mean with its deviation and the half width of its 95 % interval; never without its spread, unless it is exact."""
    if mean.n == 0:
        return "-"
    value = digits(mean.mean * scale)
    if mean.exact:
        return value
    if mean.n == 1 or not mean.std >= 0:
        return f"{value} (n=1)"
    return f"{value} ± {digits(mean.std * scale, 2)} ({digits(mean.half * scale, 2)})"


def half_text(mean: Mean, scale: float = 1.0) -> str:
    """A mean with half of its 95 % interval, where there is one.

    >>> half_text(Mean(0.03808, 0.00086, 6), 1e3), half_text(Mean(2.0, float("nan"), 1)), half_text(Mean(2.0, 0.0, 9, exact=True))
    ('38.08 ± 0.90', '2 (n=1)', '2')
    """
    text = interval_text(mean, scale)
    return text if mean.n == 0 or mean.exact or (mean.n > 1 and mean.std >= 0) else f"{text} (n=1)"
