"""What the text says of its figures, as predicates over our runs. Throughputs are parts of the line's rate."""

from __future__ import annotations

import numpy as np

from ...analysis.shrew import shrew_randomized, shrew_throughput
from ..claims import Claims, Result, Runs, listed
from ..measure import Floats

CLAIMS = Claims(__file__)
claim = CLAIMS.claim

#: Mbit/s of the line of most figures, and of that of figure 7.
LINE, FAST = 1.5, 10.0

#: Periods in s of figures 4, 6, 12 and 15, and 17.
FIGURE_4 = (0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9, 1.0, 1.05, 1.1, 1.2, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0)
FIGURE_12 = (0.5, 1.0, 1.1, 1.2, 1.5, 2.0)
FIGURE_17 = (0.8, 1.0, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0)
NULL = (1.0, 1.1, 1.2)

#: The minimum timeouts that stand for one drawn between a and b.
LOW, HIGH = 1.0, 1.2
TIMEOUTS = (1.02, 1.06, 1.1, 1.14, 1.18)

#: Kinds of TCP, and round trips in ms of the connections of figure 7.
KINDS = ("Reno", "New Reno", "Tahoe", "Sack")
ROUND_TRIPS = 20 + 440 * np.arange(20) / 19

NEAR_ZERO = 0.1


def part(runs: Runs, variant: str, flows: int = 1, line: float = LINE) -> float:
    """What the TCP connections get together."""
    return float(runs.of(variant, "throughput", *(f"tcp{i}" for i in range(1, flows + 1))).sum() / line)


def curve(runs: Runs, periods: tuple[float, ...], form: str = "{:g}", flows: int = 1) -> Floats:
    """The same against the period."""
    return np.array([part(runs, form.format(t), flows) for t in periods])


def model(periods: tuple[float, ...]) -> Floats:
    """Equation (2)."""
    return np.array([shrew_throughput(t) for t in periods])


def _figure_4(runs: Runs, low: float = 0.0, high: float = np.inf) -> tuple[tuple[float, ...], Floats]:
    chosen = tuple(t for t in FIGURE_4 if low <= t <= high)
    return chosen, curve(runs, chosen)


def _off(as_printed: bool) -> float:
    """How far the equations are from the mean of equation (2), at most, over periods from 0.2 to 3 s."""
    timeouts = LOW + (HIGH - LOW) * (np.arange(4000) + 0.5) / 4000
    found = []
    for t in np.arange(0.205, 3.0, 0.01):
        outage = np.ceil(timeouts / t) * t
        found.append(abs(((outage - timeouts) / outage).mean() - shrew_randomized(t, LOW, HIGH, as_printed=as_printed)))
    return float(max(found))


@claim("E1")
def _e1(_runs: Runs) -> Result:
    off = _off(as_printed=False)
    return off < 1e-3, f"{off:.5f} off at most, with a = 1 s and b = 1.2 s"


@claim("E2")
def _e2(_runs: Runs) -> Result:
    off = _off(as_printed=True)
    return off < 1e-3, f"{off:.2f} off at most, with a = 1 s and b = 1.2 s"


@claim("K1")
def _k1(runs: Runs) -> Result:
    periods, got = _figure_4(runs, 0.8)
    at, least = periods[int(got.argmin())], got.min()
    return bool(1 <= at <= 1.2 and least < NEAR_ZERO), f"{least:.3f} at {at:g} s"


@claim("K2")
def _k2(runs: Runs) -> Result:
    periods, got = _figure_4(runs, 0.4, 0.8)
    at, least = periods[int(got.argmin())], got.min()
    return bool(0.5 <= at <= 0.6 and least < 0.15), f"{least:.3f} at {at:g} s"


@claim("K3")
def _k3(runs: Runs) -> Result:
    periods, got = _figure_4(runs, 0.6, 0.9)
    return bool((got < model(periods)).all()), f"{listed(got)} where the model has {listed(model(periods))}"


@claim("K4")
def _k4(runs: Runs) -> Result:
    periods, got = _figure_4(runs, 1.01)
    above = [f"{g:.3f} at {t:g} s for {m:.3f}" for t, g, m in zip(periods, got, model(periods), strict=True) if g > m]
    return not above, f"above it: {', '.join(above) or 'nowhere'}"


@claim("K5")
def _k5(runs: Runs) -> Result:
    more, less = curve(runs, (0.9, 1.1))
    return more > less, f"{more:.2f} and {less:.2f}"


@claim("K6")
def _k6(runs: Runs) -> Result:
    _, got = _figure_4(runs, 1.1)
    return bool((np.diff(got) > 0).all()), listed(got)


@claim("K7")
def _k7(runs: Runs) -> Result:
    periods = tuple(t for t in FIGURE_4 if t != 1.0)
    off = float(np.abs(curve(runs, periods) - model(periods)).mean())
    return off < 0.05, f"{off:.3f}"


@claim("K8")
def _k8(runs: Runs) -> Result:
    got = part(runs, "1")
    return got < NEAR_ZERO, f"{got:.2f}; {part(runs, '1.05'):.2f} at 1.05 s"


@claim("K9")
def _k9(runs: Runs) -> Result:
    one, five = curve(runs, NULL, "1, {:g}").mean(), curve(runs, NULL, "5, {:g}", 5).mean()
    return bool(one < five < one + 0.2), f"{five:.2f} and {one:.2f}"


@claim("K10")
def _k10(runs: Runs) -> Result:
    got = part(runs, "5, 0.5", 5)
    return got < NEAR_ZERO, f"{got:.2f}"


@claim("K11")
def _k11(runs: Runs) -> Result:
    got = part(runs, "5, 1.1", 5)
    return got < 0.4, f"{got:.2f}"


def _twenty(runs: Runs, variant: str) -> Floats:
    return runs.of(variant, "throughput", *(f"tcp{i}" for i in range(1, 21))) / FAST


def _kept(runs: Runs, of: np.ndarray) -> float:
    """Which part of their throughput connections keep under bursts of 100 ms."""
    return float(_twenty(runs, "100 ms")[of].sum() / _twenty(runs, "0 ms")[of].sum())


def _ranks(values: Floats) -> Floats:
    return values.argsort().argsort().astype(float)


@claim("K12")
def _k12(runs: Runs) -> Result:
    rho = float(np.corrcoef(_ranks(ROUND_TRIPS), _ranks(_twenty(runs, "0 ms")))[0, 1])
    return rho < -0.8, f"rank correlation {rho:.2f}"


@claim("K13")
def _k13(runs: Runs) -> Result:
    kept = _kept(runs, ROUND_TRIPS <= 180)
    return kept < 0.25, f"they keep {kept:.2f}"


@claim("K14")
def _k14(runs: Runs) -> Result:
    short, long = (_kept(runs, of) for of in (ROUND_TRIPS <= 180, ROUND_TRIPS > 180))
    return long > short, f"{long:.2f} and {short:.2f}"


@claim("K15")
def _k15(runs: Runs) -> Result:
    kept = _kept(runs, ROUND_TRIPS > 180)
    return kept <= 1, f"they have {kept:.2f} of what they had"


@claim("K16")
def _k16(runs: Runs) -> Result:
    got = np.array([_twenty(runs, f"{ms} ms").sum() for ms in (50, 100, 150, 200)])
    return bool((np.diff(got) < 0).all()), listed(got)


def _kind(runs: Runs, kind: str, ms: int, periods: tuple[float, ...] = FIGURE_12) -> Floats:
    return curve(runs, periods, f"{kind}, {ms} ms, {{:g}}")


@claim("K17")
def _k17(runs: Runs) -> Result:
    got = np.array([_kind(runs, k, 30).mean() for k in KINDS])
    return bool((got[1:] > got[0]).all()), f"Reno {got[0]:.2f}; New Reno, Tahoe, SACK {listed(got[1:])}"


@claim("K18")
def _k18(runs: Runs) -> Result:
    got = np.array([_kind(runs, k, 50, NULL).min() for k in KINDS])
    return bool((got < NEAR_ZERO).all()), f"the least of 1 to 1.2 s: {listed(got)}"


@claim("K19")
def _k19(runs: Runs) -> Result:
    least = [(_kind(runs, k, 50, NULL).min(), _kind(runs, k, 50, (1.5, 2.0)).min()) for k in KINDS]
    text = "; ".join(f"{k} {a:.2f} and {b:.2f}" for k, (a, b) in zip(KINDS, least, strict=True))
    return all(a < b for a, b in least), text


@claim("K20")
def _k20(runs: Runs) -> Result:
    got = np.array([np.corrcoef(_kind(runs, k, 90), model(FIGURE_12))[0, 1] for k in KINDS])
    return bool((got > 0.8).all()), f"correlations {listed(got)}"


def _drawn(runs: Runs) -> tuple[Floats, Floats]:
    """The mean over the minimum timeouts, and what the equations give."""
    got = np.array([[part(runs, f"{m:g}, {t:g}") for m in TIMEOUTS] for t in FIGURE_17])
    return got.mean(axis=1), np.array([shrew_randomized(t, LOW, HIGH) for t in FIGURE_17])


@claim("K21")
def _k21(runs: Runs) -> Result:
    got, said = _drawn(runs)
    off = float(np.abs(got - said).mean())
    return off < 0.1, f"{off:.3f} off: {listed(got)}, and the model has {listed(said)}"


@claim("K22")
def _k22(runs: Runs) -> Result:
    got, _ = _drawn(runs)
    at = FIGURE_17[1:][int(got[1:].argmin())]
    return at == HIGH, f"the least from 1 s on is {got[1:].min():.2f} at {at:g} s"


@claim("K23")
def _k23(runs: Runs) -> Result:
    got, _ = _drawn(runs)
    return bool(got[1:].min() > shrew_throughput(1.0)), f"{got[1:].min():.2f}"


@claim("K24")
def _k24(runs: Runs) -> Result:
    got = curve(runs, NULL, "RED {:g}")
    return bool((got < 0.5).all()), f"{listed(got)}; with Drop Tail {listed(curve(runs, NULL, 'Drop Tail {:g}'))}"
