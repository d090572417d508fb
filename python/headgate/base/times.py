"""Times in sentences and in texts."""

from __future__ import annotations

from .. import _core
from .errors import cut


def time_text(ps: int) -> str:
    """A time in picoseconds for people: in s, ms or us.

    >>> time_text(1_500_000_000_000), time_text(20_000_000)
    ('1.5 s', '20 us')
    """
    if ps < 10**10:
        return f"{ps / 1e9:.3g} ms" if ps >= 10**9 else f"{ps / 1e6:.3g} us"
    return f"{ps / 1e12:.3g} s"


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
