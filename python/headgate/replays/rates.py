"""The rate of a replay's link: a quantity, or a link that was recorded."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import _core
from ..base.errors import HeadgateError, cut
from ..scenario.files import KINDS, read

#: A rate, the name of a file of a recorded link, or a table as a link's `rate` in a scenario.
Rate = str | os.PathLike[str] | Mapping[str, Any]

#: What a rate looks like, in whatever unit; it may have a slash, as the name of a file may.
_LIKE_A_RATE = re.compile(r"\s*[+-]?[\d.,]+\s*[A-Za-z ]*(/s(ec(ond)?)?)?\s*")

#: What is expected.
_EXPECTED = "expected a rate such as 10Mbit/s, or the file of a recorded link"

#: What is expected of a file.
_EXPECTED_FILE = "expected a file of delivery opportunities, or of times and rates"

#: A line of a trace of delivery opportunities. Whether the first line of a file is one says what the others have to be.
_OPPORTUNITY = re.compile(r"\s*\d{1,18}\s*", re.ASCII)


def line_rate(rate: Rate) -> tuple[Any, str | None]:
    """What the engine takes for a rate, and the file that it is from.

    A file holds delivery opportunities as mahimahi has them, or times and rates: `scenario.files` says in which forms.

    Raises:
        HeadgateError: it is no rate and no file, or the file holds something else.

    >>> line_rate("10Mbit/s")
    ('10Mbit/s', None)
    """
    if isinstance(rate, Mapping):
        return dict(rate), None
    text = os.fspath(rate)
    if not isinstance(text, str) or not text:
        raise HeadgateError(f"rate: found {cut(repr(rate)) if text else 'none'}; {_EXPECTED}")
    try:
        _core.quantity(text, "bps")
        return text, None
    except ValueError:
        file = Path(text)
    try:
        there, folder = file.is_file(), file.is_dir()
    except (OSError, ValueError):
        there = folder = False
    if folder:
        raise HeadgateError(f"rate: found {cut(repr(text))}, which is a folder; {_EXPECTED}")
    if not there:
        # The engine says what is wrong with a rate; a name that looks like one of a file is meant as one.
        if (os.sep in text and not _LIKE_A_RATE.fullmatch(text)) or re.search(r"[A-Za-z_]\.\w+$", text):
            raise HeadgateError(f"rate: found {cut(repr(text))}, which is no file; {_EXPECTED}")
        return text, None
    try:
        with file.open("rb") as f:
            start = f.read(4096).decode("utf-8", "replace").removeprefix("\ufeff")
    except OSError as e:
        raise HeadgateError(f"rate: {cut(file)} cannot be read; {e.strerror}") from None
    if not start:
        raise HeadgateError(
            f"rate: {cut(file)} is empty; expected a file of delivery opportunities, or of times and rates"
        )
    lines = [line for line in re.split(r"\r\n|\r|\n", start) if line.strip() and not line.lstrip().startswith("#")]
    kind = "mahimahi" if not lines or _OPPORTUNITY.fullmatch(lines[0]) else "steps"
    found = read(file, cut(file), KINDS[kind])
    if not found[KINDS[kind].key]:
        raise HeadgateError(f"rate: {cut(file)} is empty; {_EXPECTED_FILE}")
    return {"kind": kind, **found}, str(file)
