"""Equilibria of controls that keep the delay small (Arun, Alizadeh and Balakrishnan 2022), and the rule of the phase."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.papers.formulas.phase import phase, phase_winner
from headgate.papers.formulas.starvation import (
    bbr_rates,
    queue_delay,
    rate_of_delay,
    rate_with_error,
    shared_with_error,
)

RATES = st.floats(1e6, 1e9)
ALPHA = 24_000.0


def test_numbers_of_the_text() -> None:
    assert [queue_delay(48_000, c) for c in (96e6, 960e6)] == pytest.approx([0.5e-3, 0.05e-3])
    assert rate_of_delay(48_000, 0.05e-3) / rate_of_delay(48_000, 0.5e-3) == pytest.approx(10)


@given(RATES, st.floats(0, 0.1))
def test_two_flows_fill_the_line_and_each_keeps_its_queue(rate: float, error: float) -> None:
    first, second = shared_with_error(ALPHA, rate, error)
    assert first + second == pytest.approx(rate, rel=1e-6)
    assert ALPHA / first - ALPHA / second == pytest.approx(error, rel=1e-6, abs=1e-9)


def test_an_error_limits_a_flow_alone_and_never_beyond_the_line() -> None:
    assert rate_with_error(ALPHA, 120e6, 0.003) == pytest.approx(8e6)
    assert rate_with_error(ALPHA, 120e6, 0.0001) == rate_with_error(ALPHA, 120e6, 0.0) == 120e6


@given(RATES, st.floats(0.001, 0.2), st.floats(0.001, 0.2), st.floats(1e4, 1e6))
def test_the_fixed_point_of_two_windows(rate: float, one: float, other: float, quanta: float) -> None:
    first, second = bbr_rates(rate, (one, other), quanta)
    assert first + second == pytest.approx(rate, rel=1e-3)
    # One queue: q = R + alpha / rate for both, and the shorter round trip has less.
    assert one + quanta / first == pytest.approx(other + quanta / second, rel=1e-3)
    assert (first <= second) == (one <= other) or first == pytest.approx(second, rel=1e-3)


def test_equal_round_trips_share_evenly_at_the_round_trip_of_the_text() -> None:
    first, second = bbr_rates(120e6, (0.06, 0.06), 360e3)
    assert first == pytest.approx(60e6, rel=1e-6) and second == pytest.approx(60e6, rel=1e-6)
    # Section 5.2: a window of 2 C R / n + alpha, and a round trip of 2 R + n alpha / C.
    window, trip = 120e6 * 0.06 + 360e3, 2 * 0.06 + 2 * 360e3 / 120e6
    assert window / trip == pytest.approx(60e6, rel=1e-9)
    assert bbr_rates(120e6, (0.04, 0.08), 360e3)[0] == pytest.approx(8.33e6, rel=1e-3)


def test_what_is_no_rate_is_an_error_that_says_so() -> None:
    with pytest.raises(ValueError, match="rate_bps = -1; expected a finite value above 0"):
        queue_delay(1.0, -1)
    with pytest.raises(ValueError, match=r"an error of -0\.1 s"):
        shared_with_error(1.0, 1.0, -0.1)


def test_a_round_trip_is_whole_service_times_and_a_phase() -> None:
    whole, rest = phase(0.2175, 0.01)
    assert whole == 21 and rest == pytest.approx(0.0075)
    with pytest.raises(ValueError, match="a service time of 0 s"):
        phase(0.2, 0)
    with pytest.raises(ValueError, match="a round trip of -1 s"):
        phase(-1, 0.01)


@pytest.mark.parametrize(
    "first, second, wins",
    [
        # More whole service times and the smaller phase, and the two exchanged.
        (0.212, 0.207, 0),
        (0.207, 0.212, 1),
        # More of them with the larger phase; as many.
        (0.212, 0.225, None),
        (0.212, 0.218, None),
    ],
)
def test_who_wins_by_the_phase(first: float, second: float, wins: int | None) -> None:
    assert phase_winner(first, second, 0.01) == wins
