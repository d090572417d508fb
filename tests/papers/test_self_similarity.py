"""Estimators of the Hurst parameter: worked values, exact fractional Gaussian noise of known H, and ON-OFF sources against the theory."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.papers.formulas import (
    aggregated_variances,
    hurst_aggregated_variance,
    hurst_local_whittle,
    hurst_rescaled_range,
    on_off_hurst,
    rescaled_ranges,
)

Floats = npt.NDArray[np.float64]

ESTIMATORS = (hurst_aggregated_variance, hurst_rescaled_range, hurst_local_whittle)


def noise(n: int, h: float, rng: np.random.Generator) -> Floats:
    """Exact fractional Gaussian noise of variance 1: its covariances are put on a circle, whose transform gives the deviations.

    Source: Davies and Harte 1987, Tests for Hurst effect (circulant embedding).
    """
    k = np.arange(n + 1, dtype=np.float64)
    covariance = ((k + 1) ** (2 * h) - 2 * k ** (2 * h) + abs(k - 1) ** (2 * h)) / 2
    power = np.fft.fft(np.concatenate([covariance, covariance[-2:0:-1]])).real
    assert power.min() > -1e-9
    size = len(power)
    white = rng.standard_normal(size) + 1j * rng.standard_normal(size)
    return np.asarray(np.fft.fft(np.sqrt(np.maximum(power, 0) / size) * white).real[:n])


def test_the_noise_has_the_covariances_asked_for() -> None:
    rng = np.random.default_rng(5)
    sums = np.zeros(3)
    for _ in range(400):
        x = noise(256, 0.8, rng)
        sums += [(x * x).mean(), (x[1:] * x[:-1]).mean(), (x[4:] * x[:-4]).mean()]
    due = [1.0, 2**1.6 / 2 - 1, (5**1.6 - 2 * 4**1.6 + 3**1.6) / 2]
    assert sums / 400 == pytest.approx(due, abs=0.03)


# Means over ten series: that of the local Whittle estimates has a deviation of 0.007. The other two have the biases of their description.
@pytest.mark.parametrize(
    ("h", "variance", "ranges"), [(0.5, 0.497, 0.531), (0.6, 0.593, 0.619), (0.7, 0.685, 0.705), (0.9, 0.843, 0.856)]
)
def test_estimates_of_exact_noise_have_the_bias_and_deviation_that_are_stated(
    h: float, variance: float, ranges: float
) -> None:
    rng = np.random.default_rng(int(100 * h))
    found = np.array([[estimate(x) for estimate in ESTIMATORS] for x in (noise(2**14, h, rng) for _ in range(10))])
    assert found.mean(axis=0) == pytest.approx([variance, ranges, h], abs=0.025)
    assert (found.std(axis=0, ddof=1) < [0.045, 0.03, 0.04]).all()


def test_the_deviation_of_local_whittle_is_that_of_its_theory() -> None:
    rng = np.random.default_rng(3)
    for m in (64, 256):
        found = [hurst_local_whittle(noise(2**11, 0.75, rng), m) for _ in range(150)]
        assert np.mean(found) == pytest.approx(0.75, abs=0.02)
        assert np.std(found, ddof=1) == pytest.approx(1 / (2 * math.sqrt(m)), rel=0.25)


def test_the_lowest_frequencies_decide_unless_others_are_asked_for() -> None:
    # Noise with memory below white noise that hides it at high frequencies: more frequencies draw the estimate to 1/2.
    rng = np.random.default_rng(4)
    mixed = noise(2**14, 0.9, rng) + 1.5 * rng.standard_normal(2**14)
    usual, all_of_them = hurst_local_whittle(mixed), hurst_local_whittle(mixed, 8000)
    assert usual == hurst_local_whittle(mixed, int((2**14) ** 0.65))
    assert usual > 0.77 > 0.7 > all_of_them


def on_off(shape: float, sources: int, n: int, rng: np.random.Generator) -> Floats:
    """What ON-OFF sources with Pareto times of mean 1/2 send in each of n intervals of length 1, exactly."""
    total = np.zeros(n)
    for _ in range(sources):
        times = np.concatenate([[0.0], np.cumsum((shape - 1) / shape / 2 * rng.uniform(size=3 * n) ** (-1 / shape))])
        assert times[-1] > n
        sent = np.concatenate([[0.0], np.cumsum(np.diff(times) * (np.arange(3 * n) % 2 == 0))])
        total += np.diff(np.interp(np.arange(n + 1), times, sent))
    return total


@pytest.mark.parametrize("shape", [1.3, 1.6])
def test_on_off_sources_have_the_memory_of_the_theory(shape: float) -> None:
    rng = np.random.default_rng(int(10 * shape))
    # The first quarter is left out: sources that begin together take long to forget it.
    counts = np.array([on_off(shape, 30, 2**13, rng)[2**11 :] for _ in range(4)])
    due = on_off_hurst(shape)
    for estimate in ESTIMATORS:
        assert np.mean([estimate(x) for x in counts]) == pytest.approx(due, abs=0.08), estimate.__name__


@pytest.mark.parametrize(
    ("shapes", "h"), [((1.2,), 0.9), ((1.9, 1.4), 0.8), ((1.4, 1.9), 0.8), ((2.0,), 0.5), ((7.0, 3.0), 0.5), ((math.inf,), 0.5)]
)  # fmt: skip
def test_the_heavier_tail_rules(shapes: tuple[float, ...], h: float) -> None:
    assert on_off_hurst(*shapes) == pytest.approx(h)


def test_times_without_a_mean_are_refused() -> None:
    for shapes in ((1.0,), (1.5, 0.8), (math.nan,)):
        with pytest.raises(ValueError, match="expected more than 1"):
            on_off_hurst(*shapes)


def test_aggregated_variances_of_a_worked_example() -> None:
    # Blocks of 2: means 1, 3, 5, 7; of 4: 2, 6; the last value fills no block.
    lengths, variances = aggregated_variances([0, 2, 2, 4, 4, 6, 6, 8, 99], least=2, blocks=2)
    assert lengths.tolist() == [2, 3, 4]
    assert variances[0] == pytest.approx(np.var([1, 3, 5, 7], ddof=1))
    assert variances[1] == pytest.approx(np.var([4 / 3, 14 / 3, (6 + 8 + 99) / 3], ddof=1))
    assert variances[2] == pytest.approx(8.0)


def test_rescaled_ranges_of_a_worked_example() -> None:
    # Deviations -1, 1, 1, -1: sums -1, 0, 1, 0, range 2. Then 1, 1, -1, -1: sums 1, 2, 1, 0, range 2; S = 1 in both.
    # The third block does not vary.
    lengths, ranges = rescaled_ranges([0, 2, 2, 0, 5, 5, 3, 3, 7, 7, 7, 7, 0, 0, 0, 6], least=2, blocks=4)
    assert lengths.tolist() == [2, 3, 4]
    last = 4.5 / math.sqrt(6.75)
    assert ranges[2] == pytest.approx((2 + 2 + last) / 3)


def test_what_does_not_vary_has_no_hurst_parameter() -> None:
    for estimate in ESTIMATORS:
        assert math.isnan(estimate(np.full(4096, 7.0))), estimate.__name__


def test_too_few_counts_are_an_error_that_says_how_many_are_needed() -> None:
    with pytest.raises(ValueError, match="found 639 counts; expected 640 or more"):
        hurst_aggregated_variance(np.arange(639.0))
    with pytest.raises(ValueError, match="found 511 counts; expected 512 or more"):
        hurst_rescaled_range(np.arange(511.0))
    with pytest.raises(ValueError, match="found 127 counts; expected 128 or more"):
        hurst_local_whittle(np.arange(127.0))
    for m in (7, 64):
        with pytest.raises(ValueError, match=f"found {m} frequencies; expected 8 to 63"):
            hurst_local_whittle(np.arange(128.0), m)


@given(st.integers(0, 1000), st.floats(0.001, 1000.0), st.floats(-1e4, 1e4))
def test_neither_unit_nor_mean_matters(seed: int, scale: float, shift: float) -> None:
    x = np.random.default_rng(seed).standard_normal(640)
    for estimate in ESTIMATORS:
        assert estimate(scale * x + shift) == pytest.approx(estimate(x), abs=1e-4), estimate.__name__
