"""Whether values are such as a file in JSON may hold."""

from __future__ import annotations

import math
import re
from typing import Any

from ..base.errors import HeadgateError, cut


def require_plain(value: Any, what: str) -> None:
    """Whether all values are such as a file in JSON may hold; `what` begins the text of an error.

    Raises:
        HeadgateError: one is not; the error names its place.
    """
    fault = None if _is_plain(value) else _fault(value)
    if fault is not None:
        path, text = fault
        raise HeadgateError(f"{what}{cut(path.removeprefix('.'))}: {text}")


def _is_plain(value: Any) -> bool:
    """Whether nothing of it needs a second look: of a study all variants are asked, and nearly all are of plain types."""
    kind = type(value)
    if kind is str:
        return bool(value.isascii())
    if kind is dict:
        return all(type(key) is str and key.isascii() and _is_plain(inner) for key, inner in value.items())
    if kind is list:
        return all(map(_is_plain, value))
    if kind is int:
        return bool(value.bit_length() <= 64)
    return value is None or kind is bool or (kind is float and math.isfinite(value))


def _fault(value: Any) -> tuple[str, str] | None:
    """The place of the first value that JSON does not know, and what is wrong with it."""
    if isinstance(value, dict):
        for key, entry in value.items():
            if not isinstance(key, str):
                return "", f"expected names as texts, found {cut(repr(key))}"
            if (fault := _unlike_json(key) or _fault(entry)) is not None:
                return (f".{key}{fault[0]}", fault[1])
    elif isinstance(value, list):
        for i, entry in enumerate(value):
            if (fault := _fault(entry)) is not None:
                return (f"[{i}]{fault[0]}", fault[1])
    else:
        return _unlike_json(value)
    return None


def _unlike_json(value: Any) -> tuple[str, str] | None:
    """What is wrong with a value that is no table and no list, with an empty place."""
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int):
        # Longer ones could not even be printed.
        good, found, expected = value.bit_length() <= 64, f"{value.bit_length()} bits", "a number of at most 64 bits"
    elif isinstance(value, float):
        good, found, expected = math.isfinite(value), str(value), "a finite number"
    elif isinstance(value, str):
        good = value.isascii() or not re.search("[\ud800-\udfff]", value)
        found, expected = ascii(value), "text that can be written in UTF-8"
    else:
        good, found, expected = False, f"{type(value).__name__} {value}", "text or a number"
    return None if good else ("", f"found {cut(found)}; expected {expected}")
