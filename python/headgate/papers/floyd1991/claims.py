"""The rule of the phase as a predicate; the other claims are lines of `claims.toml`."""

from __future__ import annotations

import numpy as np

from ..claims import Claims, Result, Runs
from ..formulas.phase import phase, phase_winner
from ..measure import Floats

CLAIMS = Claims(__file__)

#: Delays in ms of the second connection's access line, and that of the first one's.
DELAYS = tuple(x / 2 for x in range(5, 34))
FIRST = 7.0

#: Those at which the hosts have noise too.
NOISY = (3, 7, 10, 13, 16)

#: Seconds of a packet on the line and on an access line.
SERVICE, ACCESS = 0.01, 0.001

#: A share above this is winning; between `EVEN` and 1 - `EVEN` neither wins.
WINS, EVEN = 0.75, 0.4


def share(runs: Runs, variant: str) -> float:
    """The second connection's part of what both get, in the base run."""
    first, second = runs.of(variant, "throughput", "ftp1", "ftp2")
    return float(second / (first + second))


def shares(runs: Runs, variant: str) -> Floats:
    """The same at every start."""
    got = runs.over(variant, "throughput", "ftp1", "ftp2")
    return np.asarray(got[:, 1] / got.sum(axis=1))


def round_trip(delay_ms: float) -> float:
    """Without waiting, from the end of a packet on the line: both ways, 40 bytes on both lines, and the packet on the access line."""
    return 2 * (0.1 + delay_ms / 1000) + 320 / 800e3 + 320 / 8e6 + ACCESS


def winner(part: float) -> int | None:
    """Which connection wins by its share; -1 where it is between winning and even."""
    if part > WINS or part < 1 - WINS:
        return int(part > WINS)
    return None if EVEN <= part <= 1 - EVEN else -1


def decided(delay_ms: float) -> bool:
    """Whether the rule says something: a packet behind another one arrives before the next departure, and phases differ."""
    (whole, rest), (first, mine) = (phase(round_trip(d), SERVICE) for d in (delay_ms, FIRST))
    return rest + ACCESS < SERVICE and (whole == first or abs(rest - mine) > 1e-9)


def _rule(d: float) -> int | None:
    return phase_winner(round_trip(FIRST), round_trip(d), SERVICE)


def _shorter(d: float) -> int | None:
    """The bias that everybody knows: the shorter round trip wins."""
    return None if d == FIRST else int(d < FIRST)


def _met(runs: Runs, rule: bool = True) -> tuple[int, int]:
    """At how many round trips a rule says what is measured, and of how many."""
    asked = [d for d in DELAYS if decided(d)]
    said = _rule if rule else _shorter
    return sum(winner(share(runs, f"Drop Tail {d:g}")) == said(d) for d in asked), len(asked)


def _nulls(runs: Runs) -> tuple[bool | None, bool | None]:
    """Equal shares everywhere, and a win of the shorter round trip."""
    asked = [d for d in DELAYS if decided(d)]
    met, _ = _met(runs, rule=False)
    return all(_rule(d) is None for d in asked), met == len(asked)


@CLAIMS.claim("B1", nulls=_nulls)
def _b1(runs: Runs) -> Result:
    met, asked = _met(runs)
    even = sum(_rule(d) is None for d in DELAYS if decided(d))
    other, _ = _met(runs, rule=False)
    text = f"at {met} of {asked}; that both are equal would be right at {even}, that the shorter round trip wins at {other}"
    return met == asked == 25, text
