"""What an agent is rewarded for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ... import _core
from ...base.errors import HeadgateError, cut

#: Throughput in bit/s that nothing counts as less than: a logarithm has no value at 0.
LEAST = 1e3


@dataclass(frozen=True)
class Utility:
    """Utility in a second.

    It is `throughput` ln(throughput / `reference`) - `delay` ln(round trip / shortest round trip so far) - `loss` (share of packets lost).

    The weights have no unit, and the utility is in nats: twice the throughput is worth 0.69 `throughput`, a round trip of twice the
    shortest costs 0.69 `delay`, and a loss of 1 % costs 0.01 `loss`. The reward of a step is this times its length in seconds, so that
    the sum of rewards is an integral over time, whatever steps are.

    Source: Winstein and Balakrishnan 2013, TCP ex Machina, section 3.3 (alpha = beta = 1).
    Deviations: the round trip is relative to the shortest one, which changes no preference on one path; losses count too.

    >>> Utility().per_second(2e6, 0.1, 0.05, 0.01)
    0.2465...
    """

    throughput: float = 1.0
    delay: float = 0.5
    loss: float = 10.0
    reference: str = "1Mbit/s"

    def __post_init__(self) -> None:
        """Checks the values."""
        for name in ("throughput", "delay", "loss"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 1e6:
                raise HeadgateError(f"reward.{name}: found {cut(repr(value))}; expected a number from 0 to 1e6")
        try:
            bps = _core.quantity(self.reference, "bps")[2]
        except (ValueError, TypeError):
            bps = 0
        if not bps > 0:
            raise HeadgateError(f"reward.reference: found {cut(repr(self.reference))}; expected a rate above 0")
        object.__setattr__(self, "_reference_bps", bps)

    @classmethod
    def of(cls, given: Utility | Mapping[str, Any] | None) -> Utility:
        """The utility with other values.

        Raises:
            HeadgateError: it has no such value, or not of this size.
        """
        if given is None or isinstance(given, Utility):
            return given or cls()
        known = ("throughput", "delay", "loss", "reference")
        for name in given:
            if name not in known:
                raise HeadgateError(f"reward: found {cut(repr(name))}; expected one of {', '.join(known)}")
        return cls(**given)

    def per_second(self, throughput_bps: float, rtt_s: float, least_rtt_s: float, loss: float) -> float:
        """The utility in a second of this throughput, mean round trip and share of losses; times of 0 are unknown and cost nothing."""
        reference: float = self.__dict__["_reference_bps"]
        value = self.throughput * math.log(max(throughput_bps, LEAST) / reference) - self.loss * loss
        return value - self.delay * math.log(rtt_s / least_rtt_s) if rtt_s > 0 and least_rtt_s > 0 else value
