"""The abstract's statements, ns-2's outcomes and the rule of the phase, as predicates."""

from __future__ import annotations

import numpy as np

from ...analysis.phase import phase, phase_winner
from ..claims import Claims, Result, Runs, listed
from ..measure import Floats

CLAIMS = Claims(__file__)
claim = CLAIMS.claim

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


@claim("N1")
def _n1(runs: Runs) -> Result:
    part = 1 - share(runs, "phase")
    return part > WINS, f"connection 0 has {part:.3f}"


@claim("N2")
def _n2(runs: Runs) -> Result:
    part = share(runs, "phase1")
    return part > WINS, f"connection 1 has {part:.3f}"


@claim("N3")
def _n3(runs: Runs) -> Result:
    part = share(runs, "phase2")
    return EVEN < part < 1 - EVEN, f"connection 1 has {part:.3f}"


@claim("P1")
def _p1(runs: Runs) -> Result:
    parts = np.array([share(runs, f"Drop Tail {d:g}") for d in DELAYS])
    wins = [int((parts > WINS).sum()), int((parts < 1 - WINS).sum())]
    text = f"of {len(parts)} round trips connection 1 wins at {wins[0]} and connection 0 at {wins[1]}"
    return bool(parts.max() > WINS and parts.min() < 1 - WINS), text


@claim("P2", whole=True)
def _p2(runs: Runs) -> Result:
    losing = [(shares(runs, f"Drop Tail {d:g}") > WINS).all() for d in DELAYS]
    other = [(shares(runs, f"Drop Tail {d:g}") < 1 - WINS).all() for d in DELAYS]
    return any(losing) and any(
        other
    ), f"at {sum(losing)} round trips always connection 0, at {sum(other)} always connection 1"


@claim("P3")
def _p3(runs: Runs) -> Result:
    parts = np.array([share(runs, f"Random Drop {d:g}") for d in DELAYS])
    fair = (parts > 1 / 3) & (parts < 2 / 3)
    return bool(
        fair.mean() >= 0.9
    ), f"at {int(fair.sum())} of {len(parts)}; the shares are {parts.min():.2f} to {parts.max():.2f}"


@claim("P4", whole=True)
def _p4(runs: Runs) -> Result:
    parts = np.array([shares(runs, f"Drop Tail with noise of 100 ms {d}").mean() for d in NOISY])
    return bool(parts.min() > 1 / 3 and parts.max() < 2 / 3), f"connection 1 has {listed(parts)}"


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


@claim("B1", nulls=_nulls)
def _b1(runs: Runs) -> Result:
    met, asked = _met(runs)
    even = sum(_rule(d) is None for d in DELAYS if decided(d))
    other, _ = _met(runs, rule=False)
    text = f"at {met} of {asked}; that both are equal would be right at {even}, that the shorter round trip wins at {other}"
    return met == asked == 25, text


@claim("B2", whole=True)
def _b2(runs: Runs) -> Result:
    means = np.array([shares(runs, f"Drop Tail with noise of 10 ms {d}").mean() for d in NOISY])
    longer = [part > 0.5 if d > FIRST else part < 0.5 for d, part in zip(NOISY, means, strict=True) if d != FIRST]
    none_gone = bool(((means > 0.1) & (means < 0.9)).all())
    return all(longer) and none_gone, f"connection 1 has {listed(means)} with {listed(np.array(NOISY), 0)} ms"


def _loss_ratio(runs: Runs, variant: str) -> float:
    """How many times as often a packet of the burst is dropped as one of the others."""
    burst, others = runs.of(variant, "loss", "burst", "near*")
    return float(burst / others)


@claim("P5")
def _p5(runs: Runs) -> Result:
    ratios = np.array([_loss_ratio(runs, v) for v in ("Drop Tail", "Random Drop")])
    return bool((ratios > 2).all()), f"{listed(ratios, 1)} times as often"


@claim("P6")
def _p6(runs: Runs) -> Result:
    ratio = _loss_ratio(runs, "RED")
    return ratio <= 1.5, f"{ratio:.1f} times as often"


@claim("P7")
def _p7(runs: Runs) -> Result:
    parts = np.array([share(runs, v) for v in ("Drop Tail", "Random Drop")])
    return bool((parts < EVEN).all()), f"it has {listed(parts)}"


@claim("P8")
def _p8(runs: Runs) -> Result:
    part = share(runs, "RED")
    return part < EVEN, f"it has {part:.2f}"
