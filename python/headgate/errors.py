"""Errors that a user can mend: shown as one paragraph, with exit code 2."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from ._core import ScenarioError


class HeadgateError(Exception):
    """Something that the user gave is wrong; the text names the place, the value and what was expected."""


class TraceError(HeadgateError):
    """Something is wrong with a trace; the text names the file and the line or the packet."""


class MissingExtraError(HeadgateError, ImportError):
    """A part of the package that is an extra of the installation is missing."""


def missing_extra(what: str, library: str, extra: str) -> MissingExtraError:
    """The error for a library that an extra brings.

    >>> print(missing_extra("a Parquet file", "pyarrow", "data"))
    a Parquet file needs pyarrow, which is not installed; expected: pip install 'headgate[data]'
    """
    return MissingExtraError(
        f"{what} needs {library}, which is not installed; expected: pip install 'headgate[{extra}]'"
    )


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint with the nearest valid name, or nothing.

    >>> nearest("fsfs", ["fcfs", "fq"])
    ' Did you mean "fcfs"?'
    """
    near = difflib.get_close_matches(name, list(known), 1, 0.4)
    return f' Did you mean "{near[0]}"?' if near else ""


def wrong(
    path: str, expected: str, found: object = None, nearest: str | None = None, origin: str = ""
) -> ScenarioError:
    """The error for something wrong in a file, in the same form as the engine's.

    >>> print(wrong("sweep.axes.duration", "expected a range", found="1s ..", origin="a.toml"))
    a.toml: sweep.axes.duration: found "1s .."; expected a range
    """
    text = None if found is None else f'"{found}"' if isinstance(found, str) else str(found)
    if text is not None and len(text) > 80:
        text = text[:77] + "..."
    message = "".join(
        [
            f"{origin}: " if origin else "",
            f"{path}: " if path else "",
            f"found {text}; " if text is not None else "",
            expected,
            f" (did you mean `{nearest}`?)" if nearest else "",
        ]
    )
    error = ScenarioError(message)
    error.path, error.found, error.expected, error.nearest, error.message = path, text, expected, nearest, message
    return error
