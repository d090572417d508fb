"""The type of options that are numbers: finite, and within their bounds."""

from __future__ import annotations

import math
from typing import Any

import click


class Number(click.FloatRange):
    """A finite number within bounds: neither `nan`, which compares with nothing, nor `inf`.

    >>> Number(0, min_open=True).convert("0.5", None, None)
    0.5
    >>> Number().convert("nan", None, None)
    Traceback (most recent call last):
    click.exceptions.BadParameter: found 'nan'; expected a finite number
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number of a text."""
        try:
            if not math.isfinite(float(value)):
                self.fail(f"found {str(value)!r}; expected a finite number", param, ctx)
        except (ValueError, OverflowError):
            # The text of the error is click's.
            pass
        return super().convert(value, param, ctx)

    def _describe_range(self) -> str:
        """The bounds for the help; click prints `x<=None` where there is none.

        >>> Number()._describe_range(), Number(0, min_open=True)._describe_range()
        ('', 'x>0')
        """
        return super()._describe_range() if (self.min, self.max) != (None, None) else ""
