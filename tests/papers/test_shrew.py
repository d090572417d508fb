"""Outages in the time scale of TCP's minimum timeout, against what they are made of (Kuzmanovic and Knightly 2003)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.papers.formulas.shrew import (
    shrew_first_timeout,
    shrew_nulls,
    shrew_randomized,
    shrew_randomized_aggregate,
    shrew_rate,
    shrew_throughput,
)


@given(st.floats(0.05, 10), st.floats(0.2, 3))
def test_a_flow_is_silent_for_its_timeout_and_sends_until_the_next_outage(period: float, timeout: float) -> None:
    outages = [k * period for k in range(1, math.ceil(timeout / period) + 2)]
    next_one = next(t for t in outages if t >= timeout - 1e-9)
    assert shrew_throughput(period, timeout) == pytest.approx((next_one - timeout) / next_one, abs=1e-6)


def test_nothing_is_left_at_the_nulls_and_at_no_other_period() -> None:
    assert [shrew_throughput(t, 1.2) for t in shrew_nulls(1.2, 5)] == pytest.approx([0] * 5, abs=1e-9)
    assert shrew_nulls(1.2, 3) == pytest.approx([1.2, 0.6, 0.4])
    others = [0.25, 0.45, 0.7, 0.9, 1.5, 2.4]
    assert min(shrew_throughput(t, 1.2) for t in others) > 0.02


@pytest.mark.parametrize("low, high", [(1.0, 1.2), (1.0, 1.5), (0.3, 2.0)])
def test_a_drawn_timeout_gives_the_mean_of_the_fixed_ones(low: float, high: float) -> None:
    timeouts = low + (high - low) * (np.arange(4000) + 0.5) / 4000
    for period in (0.11, 0.23, 0.45, 0.52, 0.71, 0.97, 1.03, 1.13, 1.21, 1.49, 1.7, 2.6):
        mean = np.mean([shrew_throughput(period, m) for m in timeouts])
        assert shrew_randomized(period, low, high) == pytest.approx(mean, abs=2e-3), period


def test_the_case_as_printed_is_wrong_for_short_periods_only() -> None:
    for period in (0.61, 0.8, 0.99, 1.1, 1.2, 3.0):
        assert shrew_randomized(period, 1.0, 1.2, as_printed=True) == shrew_randomized(period, 1.0, 1.2)
    printed, ours = (shrew_randomized(0.45, 1.0, 1.2, as_printed=p) for p in (True, False))
    assert printed == pytest.approx(0.56019, abs=1e-5)
    assert ours == pytest.approx(0.25 / 1.35, abs=1e-9)


def test_the_first_of_several_timeouts() -> None:
    drawn = np.random.default_rng(1).uniform(1.0, 1.5, (20_000, 7)).min(axis=1).mean()
    assert shrew_first_timeout(1.0, 1.5, 7) == pytest.approx(drawn, abs=2e-3)
    many = [shrew_randomized_aggregate(1.0, 1.5, n) for n in (1, 2, 10, 1000)]
    assert many[0] == pytest.approx(shrew_randomized(1.5, 1.0, 1.5)) and many == sorted(many) and many[-1] < 1 / 3


def test_the_attackers_mean_rate() -> None:
    assert shrew_rate(10e6, 0.1, 1.1) == pytest.approx(1e6 / 1.1)


def test_what_is_no_time_is_an_error_that_says_so() -> None:
    with pytest.raises(ValueError, match="period_s = 0; expected a finite value above 0"):
        shrew_throughput(0)
    with pytest.raises(ValueError, match=r"a range from 1\.2 s to 1\.0 s"):
        shrew_randomized(1.0, 1.2, 1.0)
    with pytest.raises(ValueError, match="found 0 flows"):
        shrew_first_timeout(1.0, 1.2, 0)
    with pytest.raises(ValueError, match=r"a burst of 2\.0 s in a period of 1\.0 s"):
        shrew_rate(1e6, 2.0, 1.0)
    with pytest.raises(ValueError, match="min_rto_s = inf"):
        shrew_nulls(math.inf)
