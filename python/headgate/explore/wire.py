"""The form of responses: JSON without infinite numbers, and errors."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from .._core import ScenarioError
from ..base.errors import HeadgateError, brief


class RequestError(HeadgateError):
    """A request that cannot be answered, with the status of the reply."""

    def __init__(self, status: int, message: str) -> None:
        """Takes the HTTP status and the text."""
        super().__init__(message)
        self.status = status


class StoppedError(Exception):
    """A run or other work was stopped: its page started another one, or was closed."""


def plain(value: Any) -> Any:
    """A value as JSON knows it: numbers that are not finite become null, arrays become lists.

    >>> plain({"a": float("nan"), "b": (1, np.float64(2.5)), "c": np.array([1.0, np.inf])})
    {'a': None, 'b': [1, 2.5], 'c': [1.0, None]}
    """
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        found = value.tolist()
        # Almost all arrays are finite: one check of the array is far faster than one of each number.
        return found if value.dtype.kind != "f" or np.isfinite(value).all() else plain(found)
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def encode(value: Any) -> bytes:
    """A value as JSON text."""
    return json.dumps(plain(value), allow_nan=False, separators=(",", ":")).encode()


def line(value: Any) -> bytes:
    """A value as one line of a stream."""
    return encode(value) + b"\n"


def fault(e: BaseException) -> dict[str, Any]:
    """The form of an error: its text and, of an error of a scenario or of an answer, the place."""
    path = getattr(e, "path", None) if isinstance(e, ScenarioError | RequestError) else None
    return {"error": {"message": brief(str(e)), "path": path, "line": None}}
