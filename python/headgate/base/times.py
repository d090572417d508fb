"""Times in texts."""

from __future__ import annotations

from .. import _core
from .errors import cut


def seconds(text: str) -> float:
    """A time such as `10ms` in seconds.

    Raises:
        ValueError: it is none.

    >>> seconds("10ms")
    0.01
    """
    if not isinstance(text, str):
        raise ValueError(f"found {cut(repr(text))}; expected a time such as 10ms")
    if text == "0s":
        return 0.0
    try:
        return _core.quantity(text, "s")[1] / 1e12
    except ValueError as e:
        raise ValueError(f"found {cut(repr(text))}; {e}") from None
