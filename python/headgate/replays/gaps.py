"""Sentences about packets of a trace that were left out, or may have a wrong time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .. import _core
from ..base.units import time_text

#: A time without packets is named from this many seconds on, if it is so many times as long as the rest of the trace.
LONG, TIMES = 60.0, 10.0

#: The part of a trace's packets that may be beyond it: more of them have the times that they say.
FEW = 0.01


@dataclass(frozen=True)
class Gap:
    """The longest time without packets."""

    length_s: float
    #: From the first packet of the trace to the last.
    trace_s: float
    #: Packets before it, and in all.
    before: int
    packets: int
    #: The numbers of the packets before and after it, and of the last one.
    numbers: tuple[int, int, int]


def ended(where: tuple[str, str] | None) -> Iterator[str]:
    """A sentence where a file could not be read to its end.

    >>> list(ended(("packet 30", "the end of the file after 512 of 1016 bytes of the packet")))
    ['The file is cut off at packet 30: found the end of the file after 512 of 1016 bytes of the packet. What is before it was replayed.']
    """
    if where is not None:
        yield _core.replay_ended(*where)


def left_out(packets: int, skipped: Mapping[str, int]) -> Iterator[str]:
    """A sentence where so many packets were skipped that the rest is another trace. How many a file that is cut off had is not known.

    >>> list(left_out(90, {"time_backwards": 10})), list(left_out(91, {"bad_size": 4, "time_ahead": 7}))
    ([], ['11 of 102 packets (10.8 %) were left out: what follows is about the others.'])
    """
    told = _core.replay_left_out(packets, list(skipped.items()))
    if told is not None:
        yield told


def apart(gap: Gap, kind: str) -> Iterator[str]:
    """A sentence where a few packets at the beginning or the end are far from all others: no other time contradicts theirs.

    >>> print(*apart(Gap(3600.0, 3600.198, 19, 20, (19, 20, 20)), "capture"))
    The last packet comes 3,600 s after the one before it, all others within 198 ms. If its time is wrong, editcap OLD NEW 20 leaves it out.
    >>> print(*apart(Gap(3600.0, 3600.198, 2, 400, (2, 3, 400)), "csv"))
    The first 2 packets come 3,600 s before the one after them, all others within 198 ms. If their times are wrong, leave out their rows.
    """
    after = gap.packets - gap.before
    few, rest = min(gap.before, after), gap.trace_s - gap.length_s
    if gap.length_s < LONG or gap.length_s <= TIMES * rest or few > max(1, FEW * gap.packets) or gap.packets < 10:
        return
    first = gap.before <= after
    end, side = ("first", "before the one after") if first else ("last", "after the one before")
    one = few == 1
    begin, stop = (1, gap.numbers[0]) if first else gap.numbers[1:]
    numbers = str(stop) if one else f"{begin}-{stop}"
    does = (
        f"editcap OLD NEW {numbers} leaves {'it' if one else 'them'} out"
        if kind == "capture"
        else (f"leave out {'its row' if one else 'their rows'}")
    )
    yield (
        f"The {end} {'packet comes' if one else f'{few:,} packets come'} {gap.length_s:,.0f} s {side} {'it' if one else 'them'}, "
        f"all others within {time_text(rest)}. If {'its time is' if one else 'their times are'} wrong, {does}."
    )
