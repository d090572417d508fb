"""The form of responses: JSON without infinite numbers, and errors."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import numpy as np

from .._core import PluginError, ScenarioError
from ..base.errors import HeadgateError, brief, cut
from ..plugins.calls import place


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


def parsed(data: bytes | str) -> Any:
    r"""What a request in JSON says.

    Raises:
        ValueError: it is none, or holds half of a pair of surrogates, which no answer could hold.
        RecursionError: it is too deep.

    >>> parsed(b'{"a": 1}')
    {'a': 1}
    >>> parsed('["\\ud800"]')
    Traceback (most recent call last):
    UnicodeEncodeError: 'utf-8' codec can't encode character '\ud800' in position 2: surrogates not allowed
    """
    found = json.loads(data)
    json.dumps(found, ensure_ascii=False).encode()
    return found


def line(value: Any) -> bytes:
    """A value as one line of a stream."""
    return encode(value) + b"\n"


#: The errors whose texts are for the user.
TOLD = (HeadgateError, ScenarioError, PluginError)


def fault(e: BaseException) -> dict[str, Any]:
    """The form of an error: its text and, of an error of a scenario or of an answer, the place; of a plugin its line."""
    path = getattr(e, "path", None) if isinstance(e, ScenarioError | RequestError) else None
    at = place(e) if isinstance(e, PluginError) else ""
    return {"error": {"message": brief(f"{e} ({at})" if at else str(e)), "path": path, "line": None}}


def unforeseen(what: str, e: BaseException) -> dict[str, Any]:
    """The form of an error that nobody expected; prints a line about it on the terminal."""
    told = f"{what!a}: {type(e).__name__}: {cut(e)!a}"
    print(f"headgate explore: a request failed, which is a fault of headgate: {told}", file=sys.stderr)
    message = "The server could not answer this, which is a fault of headgate; its terminal has a line about it."
    return {"error": {"message": message, "path": None, "line": None}}
