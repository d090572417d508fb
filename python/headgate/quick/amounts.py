"""Amounts in the options of `quick`."""

from __future__ import annotations

import re
from collections.abc import Callable

from .. import _core
from ..base.errors import HeadgateError, cut

#: By the kinds of quantities, what is expected of one.
_EXPECTED = {"bps": "a rate such as 20Mbit/s", "s": "a time such as 30ms"}


def quantity(where: str, text: str, kind: str) -> int:
    """The base units of a quantity of a kind, above zero.

    Raises:
        HeadgateError: it is none; the error has the quantity that was probably meant.
    """
    try:
        amount, hint = _core.quantity(text, kind)[1], ""
    except ValueError as e:
        meant = re.search(r" \(did you mean .*\)$", str(e))
        amount, hint = 0, meant[0] if meant else ""
        if where == "--duration" and re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text):
            hint = f" (did you mean `{text}s`?)"
    if amount == 0:
        expected = "a time such as 60s" if where == "--duration" else _EXPECTED[kind]
        raise HeadgateError(f"{where}: found {cut(repr(text))}; expected {expected}{hint}")
    return amount


def together(*readings: Callable[[], object]) -> None:
    """Reads several options, so that one error has the faults of all of them.

    Raises:
        HeadgateError: with a line for each that cannot be read.
    """
    faults = []
    for read in readings:
        try:
            read()
        except HeadgateError as e:
            faults.append(str(e))
    if faults:
        raise HeadgateError("\n  ".join([f"{len(faults)} faults", *faults]) if len(faults) > 1 else faults[0])


def text_of(kind: str, amount: int) -> str:
    """The text of base units of a kind."""
    # Only times may be zero.
    return _core.quantity_text(kind, min(amount, 2**64 - 1)) if amount else "0s"


def share(where: str, text: str) -> float:
    """A share, as 1% or 0.01.

    Raises:
        HeadgateError: it is none.

    >>> share("--loss", "1%"), share("--loss", "0.005")
    (0.01, 0.005)
    """
    found = re.fullmatch(r"\s*(\d{1,9}\.?\d{0,9}|\.\d{1,9})\s*(%?)\s*", text)
    value = float(found[1]) / (100 if found[2] else 1) if found else -1.0
    if not 0 <= value < 1:
        hint = f" (did you mean `{found[1]}%`?)" if found and not found[2] and 1 <= value < 100 else ""
        raise HeadgateError(f"{where}: found {cut(repr(text))}; expected a share below 1, such as 1% or 0.01{hint}")
    return round(value, 12)
