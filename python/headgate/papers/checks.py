"""The forms of a paper's folder: as `base.forms` reads them, with errors of their own kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from ..base import forms
from ..base.errors import HeadgateError
from .model import PaperError

T = TypeVar("T")


def wrong(file: str, place: str, expected: str, found: object = None, known: Iterable[str] = ()) -> PaperError:
    """The error for something in a file."""
    return PaperError(str(forms.wrong(file, place, expected, found, known)))


def one_of(file: str, place: str, name: str, known: Iterable[str], what: str) -> None:
    """Raises unless a name is one of those known."""
    try:
        forms.one_of(file, place, name, known, what)
    except HeadgateError as e:
        raise PaperError(str(e)) from None


def checked(kind: type[T], data: Any, file: str, place: str = "") -> T:
    """The form that `data` has.

    Raises:
        PaperError: it has not; the first thing that is wrong is named.
    """
    try:
        return forms.checked(kind, data, file, place)
    except HeadgateError as e:
        raise PaperError(str(e)) from None
