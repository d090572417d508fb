"""What the text says of its experiments, as predicates over our runs. Rates are in Mbit/s unless a name says otherwise."""

from __future__ import annotations

import numpy as np

from ...analysis.starvation import bbr_rates, shared_with_error
from ..claims import Claims, Result, Runs, listed
from ..measure import Floats

CLAIMS = Claims(__file__)
claim = CLAIMS.claim

#: The line in bit/s, and the queue in bits that a flow of Copa keeps: two packets of 1500 bytes.
LINE = 120e6
COPA_QUEUE = 2 * 1500 * 8.0

#: Errors of Copa's round trip in ms.
ERRORS = (0.25, 0.5, 1.0, 2.0, 4.0)

#: BBR's additive term in bits: three times what the kernel hands to the device at once, about 1 ms of the line.
BBR_QUANTA = 30 * 1500 * 8.0

#: A ratio above this is called starvation here; the paper's definition has no number.
STARVES = 5.0

#: The part of the line that is using it.
USES = 0.85


def pair(runs: Runs, variant: str) -> Floats:
    """The throughputs of both flows."""
    return runs.of(variant, "throughput", "f1", "f2")


def copa_pair(runs: Runs, error_ms: float) -> Floats:
    """The same of Copa, with an error of the first flow."""
    return pair(runs, "two" if error_ms == 1 else f"two, {error_ms:g} ms")


def ratio(runs: Runs, variant: str) -> list[float]:
    """How many times as much the second flow has, in every run."""
    return [float(b / a) for a, b in runs.over(variant, "throughput", "f1", "f2")]


def _times(runs: Runs, variant: str) -> float:
    first, second = pair(runs, variant)
    return float(second / first)


def _apart(runs: Runs, variant: str) -> float:
    """The larger one over the smaller one."""
    times = _times(runs, variant)
    return max(times, 1 / times)


def _used(runs: Runs, variant: str) -> float:
    return float(pair(runs, variant).sum() / (LINE / 1e6))


@claim("A1")
def _a1(runs: Runs) -> Result:
    got = float(runs.of("alone", "throughput", "f1")[0])
    return got < LINE / 1e6 / 4, f"{got:.1f} Mbit/s"


@claim("A2")
def _a2(runs: Runs) -> Result:
    return _times(runs, "two") > STARVES, f"{listed(pair(runs, 'two'), 1)} Mbit/s"


@claim("A3")
def _a3(runs: Runs) -> Result:
    alone = float(runs.of("alone, no error", "throughput", "f1")[0])
    good = alone > USES * LINE / 1e6 and _apart(runs, "two, no error") < 2
    return good, f"{alone:.1f}; {listed(pair(runs, 'two, no error'), 1)} Mbit/s"


@claim("T1")
def _t1(runs: Runs) -> Result:
    off = []
    for error in ERRORS:
        said = np.array(shared_with_error(COPA_QUEUE, LINE, error / 1000)) / 1e6
        off.append(np.abs(copa_pair(runs, error) / said - 1).max())
    return max(off) < 0.1, f"at most {listed(100 * np.array(off), 0)} % off"


@claim("T2")
def _t2(runs: Runs) -> Result:
    found = np.array([_times(runs, "two" if e == 1 else f"two, {e:g} ms") for e in ERRORS])
    return bool((np.diff(found) > 0).all()), f"ratios {listed(found, 1)}"


@claim("A4")
def _a4(runs: Runs) -> Result:
    return _times(runs, "40 and 80 ms") > STARVES, f"{listed(pair(runs, '40 and 80 ms'), 1)} Mbit/s"


@claim("A5")
def _a5(runs: Runs) -> Result:
    plain, jitter = (_times(runs, v) for v in ("40 and 80 ms", "40 and 80 ms, jitter"))
    return plain > 8, f"{plain:.1f} times, with jitter {jitter:.1f}"


@claim("A6")
def _a6(runs: Runs) -> Result:
    return _apart(runs, "60 and 60 ms") < 2, f"{listed(pair(runs, '60 and 60 ms'), 1)} Mbit/s"


@claim("A7")
def _a7(runs: Runs) -> Result:
    said, got = bbr_rates(LINE, (0.04, 0.08), BBR_QUANTA)[0] / 1e6, float(pair(runs, "40 and 80 ms")[0])
    return abs(got / said - 1) < 0.5, f"{got:.1f} Mbit/s, the fixed point {said:.1f}"


@claim("A8")
def _a8(runs: Runs) -> Result:
    return _times(runs, "60 ms") > STARVES, f"{listed(pair(runs, '60 ms'), 1)} Mbit/s"


@claim("A9")
def _a9(runs: Runs) -> Result:
    return _times(runs, "10 ms") > STARVES, f"{listed(pair(runs, '10 ms'), 1)} Mbit/s"


@claim("A10")
def _a10(runs: Runs) -> Result:
    good = _apart(runs, "at once") < 1.25 and _used(runs, "at once") > USES
    return good, f"{listed(pair(runs, 'at once'), 1)} Mbit/s"


@claim("A11")
def _a11(runs: Runs) -> Result:
    found = np.array([_times(runs, v) for v in ("Reno", "Cubic")])
    return bool(((found > 2) & (found < 4)).all()), f"{listed(found)} times"


@claim("A12")
def _a12(runs: Runs) -> Result:
    found = np.array([_times(runs, v) for v in ("Reno", "Cubic")])
    return bool((found < 5).all()), f"{listed(found)} times"


@claim("A13")
def _a13(runs: Runs) -> Result:
    reno, cubic = (_times(runs, v) for v in ("Reno", "Cubic"))
    return cubic > reno, f"{cubic:.2f} and {reno:.2f} times"


@claim("A14")
def _a14(runs: Runs) -> Result:
    return _times(runs, "Allegro: one of two") > STARVES, f"{listed(pair(runs, 'Allegro: one of two'), 1)} Mbit/s"


def _both(runs: Runs, control: str) -> tuple[bool, str]:
    variant = f"{control}: both"
    return _apart(runs, variant) < 2 and _used(runs, variant) > USES, f"{listed(pair(runs, variant), 1)} Mbit/s"


def _alone(runs: Runs, control: str) -> tuple[bool, str]:
    got = float(runs.of(f"{control}: alone", "throughput", "f1")[0])
    return got > USES * LINE / 1e6, f"{got:.1f} Mbit/s alone"


@claim("A15")
def _a15(runs: Runs) -> Result:
    return _both(runs, "Allegro")


@claim("A16")
def _a16(runs: Runs) -> Result:
    return _alone(runs, "Allegro")


@claim("A17")
def _a17(runs: Runs) -> Result:
    both, alone = (f(runs, "Allegro, 100 packets") for f in (_both, _alone))
    return both[0] and alone[0], f"{both[1]}; {alone[1]}"
