"""The frames between a run and a flow control in a process of its own.

A call is an operation and numbers; an answer is a status, a length and a body.
"""

from __future__ import annotations

import math
import struct
from typing import Any

from .said import SaidError

START, SEED, ACK, LOSS, SENT, LOST, IDLE, UNDO = range(1, 9)

#: Status (0: an answer, 1: the text of a fault) and length of the body.
HEAD = struct.Struct("<BI")

#: Window, rate, burst, slow start, and which of window (1) and rate (2) are none.
ANSWER = struct.Struct("<4dB")

#: Longest body of an answer.
LONGEST = 1_000_000

#: What an acknowledgement says: whole numbers, truth values, and numbers that may be none, in this order.
WHOLE = (
    "newly_acked", "duplicates", "acks", "marks", "credit", "delivered", "lost", "total_delivered", "cumulative", "highest_sent", "seq",
    "in_flight", "prior_in_flight",
)  # fmt: skip
TRUTH = ("marked", "recovering", "limited", "round", "app_limited")
NUMBERS = ("now", "one_way", "rtt", "min_rtt", "max_rtt", "mean_rtt", "smoothed_rtt", "rate")

_ACK = struct.Struct(f"<B{len(WHOLE)}Q{len(TRUTH)}B{len(NUMBERS)}d")
_LOSS = struct.Struct("<Bd4Q")
_SIMPLE = struct.Struct("<B6d")
_SEED = struct.Struct("<BQ")

#: Kinds of losses, in the order of their numbers.
LOSSES = ("duplicates", "timeout", "mark", "probe")

#: The length of each call, without its first byte.
LENGTHS = {ACK: _ACK.size - 1, LOSS: _LOSS.size - 1, SEED: _SEED.size - 1} | dict.fromkeys(
    (START, SENT, LOST, IDLE, UNDO), _SIMPLE.size - 1
)


def read_answer(body: bytes) -> tuple[float | None, float | None, float, bool]:
    """Window, rate, burst and slow start of an answer.

    >>> read_answer(ANSWER.pack(10, 0, 1, 0, 2))
    (10.0, None, 1.0, False)

    Raises:
        SaidError: it is none. What the numbers may be, the engine checks.
    """
    if len(body) != ANSWER.size:
        raise SaidError(f"an answer of {len(body)} bytes; expected {ANSWER.size}")
    window, rate, burst, slow_start, flags = ANSWER.unpack(body)
    if slow_start not in (0.0, 1.0) or flags > 3:
        raise SaidError(f"slow start {slow_start:g} and flags {flags}; expected 0 or 1, and 0 to 3")
    return None if flags & 1 else window, None if flags & 2 else rate, burst, slow_start == 1.0


def simple(operation: int, *values: float) -> bytes:
    """A call with up to six numbers."""
    return _SIMPLE.pack(operation, *map(float, values), *(0.0 for _ in range(6 - len(values))))


def seed(value: int) -> bytes:
    """The seed of a flow."""
    return _SEED.pack(SEED, value)


def loss(found: Any) -> bytes:
    """A loss or a mark."""
    return _LOSS.pack(LOSS, found.now, LOSSES.index(found.kind), found.in_flight, found.remaining, found.again)


def ack(found: Any) -> bytes:
    """An acknowledgement."""
    values = [getattr(found, name) for name in NUMBERS]
    return _ACK.pack(
        ACK,
        *[getattr(found, name) for name in WHOLE],
        *[getattr(found, name) for name in TRUTH],
        *[math.nan if value is None else value for value in values],
    )


def read_simple(body: bytes) -> tuple[float, ...]:
    """The numbers of a call."""
    return _SIMPLE.unpack(b"\0" + body)[1:]


def read_seed(body: bytes) -> int:
    """The seed of a call."""
    return int(_SEED.unpack(b"\0" + body)[1])


def read_loss(body: bytes) -> tuple[float, str, int, int, bool]:
    """The time, kind, packets in flight and remaining, and whether it is a further timeout."""
    _, now, kind, in_flight, remaining, again = _LOSS.unpack(b"\0" + body)
    return now, LOSSES[kind], in_flight, remaining, bool(again)


def read_ack(body: bytes) -> tuple[Any, ...]:
    """The values of an acknowledgement, in the order of its names."""
    _, *values = _ACK.unpack(b"\0" + body)
    first, second = len(WHOLE), len(WHOLE) + len(TRUTH)
    truths = [value != 0 for value in values[first:second]]
    numbers = [None if value != value else value for value in values[second:]]
    return (*values[:first], *truths, *numbers)
