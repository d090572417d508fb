"""Numbers and units as people type them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .. import _core

#: A number.
NUMBER = r"(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})"

#: Units that stand as words of their own after a number.
_UNIT = re.compile(
    r"[kmgt]?bit/s(ec)?|[kmgt]?bits?|[kmgt]bits/s(ec)?|[kmgt]?bps|[kmgt]b/s(ec)?|[kmgt]bs?|[kmg]i?b|[kmgt]|megabits?(/s)?|gigabits?(/s)?|kilobits?(/s)?"
    r"|megs?|gigs?|u?sec|µs|us|ms|msecs?|milliseconds?|s|secs?|seconds?|min|mins|minutes?|x?bdps?|pkts?|packets?|%|percent",
    re.IGNORECASE,
)


def same_name(text: str, names: Sequence[str]) -> str | None:
    r"""The name that a text means but for its letters and signs; None if there is none, as for bytes that are no text (PEP 383).

    >>> same_name("FQ-CoDel", ["fq", "fq_codel"]), same_name("\udcff", ["fq"])
    ('fq_codel', None)
    """
    return _core.same(text.encode(errors="replace").decode(), list(names))


def joined(words: Sequence[str]) -> list[str]:
    """Words with each number and the unit after it as one: `100 Mbps` is `100Mbps`.

    >>> joined(["--rate", "100", "Mbps", "20", "ms", "cubic"])
    ['--rate', '100Mbps', '20ms', 'cubic']
    >>> joined(["buffer=50", "packets"])
    ['buffer=50packets']
    """
    found: list[str] = []
    for word in words:
        if found and re.fullmatch(rf"([a-z-]+=)?({NUMBER}/)?{NUMBER}", found[-1]) and _UNIT.fullmatch(word):
            found[-1] += word
        else:
            found.append(word)
    return found
