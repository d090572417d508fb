"""headgate.analysis by hand: worked values, closed forms, and what each formula refuses, at the very edge."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headgate.analysis import (
    drr_delay_bound,
    fair_queueing_delay_bound,
    gps_delay_bound,
    gps_finish_times,
    jain_index,
    max_min,
    md1_length,
    md1_wait,
    md1k_loss,
    mg1_length,
    mg1_wait,
    mm1_length,
    mm1_wait,
    mm1_wait_quantile,
    mm1k_loss,
    network_max_min,
    power,
    scfq_delay_bound,
    shortfall,
    utility,
)
from headgate.papers.formulas import (
    csfq_accepted_rate,
    csfq_chain,
    csfq_excess_bound,
    csfq_fair_share,
    csfq_shares,
    fcfs_poisson_delay,
    fq_delay,
    fq_poisson_delay,
    telnet_delay_bounds,
)


def test_bounds_of_the_delay() -> None:
    assert gps_delay_bound(12, 0.5) == 24
    assert fair_queueing_delay_bound(12, 0.5, 4, 2) == 24.5
    assert scfq_delay_bound(12, 0.5, 4, [1, 2, 3]) == 25.5
    # phi = 0.5 of F = 1: half of the line of 4 bit/s; 12 / 2 + (3 - 1) / 4.
    assert drr_delay_bound(12, 4, 0.5, 1) == 6.5
    # Alone: all of the line, and one frame.
    assert drr_delay_bound(12, 4, 1, 1) == 3.25
    for share in (0, -1):
        with pytest.raises(ValueError, match=f"^share {share}; expected above 0$"):
            gps_delay_bound(1, share)
    for quantum in (0, 1.5, -1):
        with pytest.raises(ValueError, match=f"^quantum {quantum} of 1; expected above 0 and at most the frame$"):
            drr_delay_bound(1, 1, quantum, 1)


def test_what_a_user_makes_of_it() -> None:
    assert utility(5, 0.4) == pytest.approx(2.3)
    assert utility(5, 0.4, 0.9) == pytest.approx(4.46)
    assert power(5, 0.25) == 20
    assert math.isnan(power(5, 0))
    assert math.isnan(power(5, -1))


def test_waits_and_lengths_by_hand() -> None:
    # Service of 2, all alike: 0.8 * 4 / (2 * 0.2 * 2).
    assert mg1_wait(0.8, 2, 4) == pytest.approx(4)
    assert mg1_wait(0, 2, 4) == 0
    assert mg1_length(0.8, 2, 4) == pytest.approx(1.6)
    assert mm1_wait(0.8, 2) == pytest.approx(8)
    assert md1_wait(0.8, 2) == pytest.approx(4)
    assert mm1_length(0.8) == pytest.approx(3.2)
    assert md1_length(0.8) == pytest.approx(1.6)
    for load, service, square in ((1, 2, 4), (-0.1, 2, 4), (0.5, 0, 4), (0.5, -1, 4), (0.5, 2, 3.99)):
        said = rf"^load {load}, service {service}, square {square}; expected \[0, 1\), above 0, and at least service squared$"
        with pytest.raises(ValueError, match=said):
            mg1_wait(load, service, square)
    # A square that is less by a rounding only.
    assert mg1_wait(0.5, 0.1, 0.01 * (1 - 1e-15)) == pytest.approx(0.05)
    assert mg1_wait(0.5, 1, 1 - 1e-12) == pytest.approx(0.5)


def test_quantiles_of_the_wait() -> None:
    """P(wait > t) = load exp(-(1 - load) t / service) is 1 - q at the quantile; the share 1 - load does not wait."""
    for load, service, q in ((0.8, 0.5, 0.9), (0.3, 2.0, 0.99), (0.5, 1.0, 0.75)):
        t = mm1_wait_quantile(load, service, q)
        assert load * math.exp(-(1 - load) * t / service) == pytest.approx(1 - q)
    assert [mm1_wait_quantile(x, 1, q) for x, q in ((0.5, 0.5), (0.5, 0), (0, 0.5), (0, 0))] == [0] * 4
    for load, service, q in ((1, 1, 0.5), (-0.1, 1, 0.5), (0.5, 1, 1), (0.5, 1, -0.1), (0.5, 0, 0.5)):
        with pytest.raises(ValueError, match=rf"^load {load}, service {service}, q {q}; expected "):
            mm1_wait_quantile(load, service, q)


def test_losses_in_closed_form() -> None:
    # (1 - r) r^K / (1 - r^(K + 1)).
    assert mm1k_loss(2, 3) == pytest.approx(8 / 15)
    assert mm1k_loss(0.5, 3) == pytest.approx(1 / 15)
    assert mm1k_loss(1, 1) == 0.5
    assert mm1k_loss(1e200, 3) == pytest.approx(1)
    assert mm1k_loss(1.5, 5000) == pytest.approx(1 / 3)
    for load in (0.001, 0.3, 1.0, 1.7, 5.0):
        assert md1k_loss(load, 1) == pytest.approx(load / (1 + load))
        # One place to wait: q_0 = exp(-load). Two: q_0 = 1 / (exp(2 load) - load exp(load)).
        assert md1k_loss(load, 2) == pytest.approx(1 - 1 / (math.exp(-load) + load), rel=1e-9)
        three = 1 / (math.exp(2 * load) - load * math.exp(load))
        assert md1k_loss(load, 3) == pytest.approx(1 - 1 / (three + load), rel=1e-6)
    for loss in (mm1k_loss, md1k_loss):
        assert loss(0, 1) == loss(0, 3) == 0
        for load, places in ((-0.1, 1), (0.5, 0), (math.nan, 1)):
            with pytest.raises(ValueError, match=f"^load {load}, places {places}; expected from 0, and at least 1$"):
                loss(load, places)
    assert md1k_loss(500, 2) == pytest.approx(1 - 1 / 500)
    with pytest.raises(ValueError, match=r"^load 500\.5; expected at most 500$"):
        md1k_loss(500.5, 2)


def test_fair_shares_at_their_edges() -> None:
    # All are met exactly; one more bit is too much for the largest.
    assert csfq_fair_share(6, [1, 2, 3]) == 3
    assert csfq_fair_share(5, [1, 2, 3]) == 2
    assert csfq_fair_share(0.5, [1, 2, 3]) == pytest.approx(0.5 / 3)
    assert csfq_fair_share(6, [4, 4, 4], [1, 2, 3]) == 1
    assert csfq_fair_share(10, [0, 0]) == 0
    assert csfq_accepted_rate(2, [1, 3, 5], [1, 2, 0.5]) == 5
    # Texts are read, as from a CSV file.
    assert csfq_accepted_rate(2, ["1", "3", "5"], ["1", "2", "0.5"]) == 5
    assert csfq_shares(4, [8, 8], [1, 3]).tolist() == [1, 3]
    for capacity in (0, -1):
        with pytest.raises(ValueError, match=f"^capacity {capacity}; expected above 0$"):
            csfq_fair_share(capacity, [1])
    for rates, weights in (([], None), ([1, 2], [1]), ([-1], None), ([1, -0.1], None), ([1], [0]), ([1, 1], [1, -1])):
        with pytest.raises(
            ValueError, match=r"^expected at least one rate, none below zero, and as many weights above"
        ):
            csfq_accepted_rate(1, rates, weights)


def test_a_chain_of_lines_by_hand() -> None:
    # Two flows of 9 on a line of 6, then one of 4 beside the third of 9: labels of 3 become 4 / 3.
    routes = [[0, 1], [0, 1], [1]]
    assert csfq_chain([6, 4], routes, [9, 9, 9]) == pytest.approx([4 / 3] * 3)
    # With their first labels the two would be taken for flows of 9, of which a third is left: alpha (1/3 + 1/3 + 1) = 4.
    assert csfq_chain([6, 4], routes, [9, 9, 9], relabel=False) == pytest.approx([0.8, 0.8, 2.4])
    # A flow that sends nothing gets nothing, and a line that no flow crosses is none; the one after it counts.
    assert csfq_chain([5, 1, 4], [[0], [2], []], [0, 8, 7]) == pytest.approx([0, 4, 7])
    assert csfq_chain([5, 4], [[0], [1]], [0, 8]) == pytest.approx([0, 4])
    assert csfq_chain([4], [[0], [0]], [8, 8], [1, 3]) == pytest.approx([1, 3])
    with pytest.raises(ValueError, match=r"^1 routes; expected one for each of 2 flows$"):
        csfq_chain([1], [[0]], [1, 1])


def test_the_excess_at_its_edges() -> None:
    # r_a K (1 + ln(R / r_a)) + l_max with R = e r_a: 2 r_a K + l_max.
    assert csfq_excess_bound(0.5, 0.5 * math.e, 0.25, 0.125) == pytest.approx(0.375)
    assert csfq_excess_bound(0.25, 0.5 * math.e, 0.25, 0.125, weight=2) == pytest.approx(0.375)
    for i in range(5):
        for wrong in (0, -1):
            arguments = [0.5] * 5
            arguments[i] = wrong
            with pytest.raises(ValueError, match=r"^expected rates, K, the length and the weight above zero$"):
                csfq_excess_bound(*arguments)


def test_indices_and_ideals_by_hand() -> None:
    # Whole numbers whose squares are beyond 2^63, and shares whose squares are small.
    assert jain_index([2**40, 2**40]) == jain_index([0.25, 0.25]) == 1
    assert jain_index(["1", "3"]) == pytest.approx(0.8)
    assert shortfall(["3"], ["4"]) == 0.25
    assert shortfall([3, 2], [4, 4]) == 0.5
    assert max_min(6, [1, math.inf, math.inf], [1, 1, 4]) == pytest.approx([1, 1, 4])
    assert max_min(6, []).size == 0
    with pytest.raises(ValueError, match=r"^1 weights; expected one for each of 2 flows$"):
        max_min(6, [1, 2], [1])
    assert max_min(6, [1, 2, 3]).tolist() == [1, 2, 3]
    # Demands that add up to the capacity, but for rounding: no flow is cut to the least share.
    assert max_min(0.3, [0.1, 0.2, 0.0]) == pytest.approx([0.1, 0.2, 0.0])
    tiny = [1.0, 1.986310537877543, 28.986310537877543, 100.0, 1.0, 1.0, 1.0, 1.0]
    assert max_min(sum(tiny), tiny) == pytest.approx(tiny)
    rng = np.random.default_rng(1)
    for _ in range(300):
        # Demands that are equal, infinite or 0, and capacities just at their sum.
        n = int(rng.integers(1, 8))
        demands = rng.exponential(1, n).round(int(rng.integers(0, 3)))
        weights = rng.integers(1, 5, n).astype(float)
        capacity = float(rng.choice([demands.sum() + 1e-3, rng.exponential(3) + 0.01]))
        demands[rng.random(n) < 0.1] = math.inf
        assert max_min(capacity, demands, weights) == pytest.approx(
            network_max_min([capacity], [[0]] * n, demands, weights)
        )
    assert network_max_min(["6"], [[0], [0]], ["3", "9"], ["1", "1"]).tolist() == [3, 3]  # type: ignore[list-item]
    for demands, weights in (([1], None), (None, [1, 1, 1]), ([1, 1, 1], [1])):
        d, w = (2 if x is None else len(x) for x in (demands, weights))
        with pytest.raises(ValueError, match=f"^{d} demands and {w} weights; expected one for each of 2 flows$"):
            network_max_min([4], [[0], [0]], demands, weights)
    assert network_max_min([], [[]], [3]).tolist() == [3]
    assert network_max_min([6], [[0, 0], [0]]).tolist() == [3, 3]
    # The second line is full first, at 1 each; what it leaves of the first is used by the flow that crosses only that, up to its demand.
    assert network_max_min([10, 2], [[0], [0, 1], [1]], [8, 5, 5]).tolist() == [8, 1, 1]
    assert network_max_min([10, 2], [[0], [0, 1], [1]], [math.inf, 5, 0.5]).tolist() == [8.5, 1.5, 0.5]


def test_the_fluid_refuses_at_the_edge() -> None:
    assert gps_finish_times(0.5, [(0.0, 0, 0.5), (0.0, 1, 0.5)]) == [2, 2]
    for rate, size, weight in ((-1.0, 1.0, 1), (1.0, -1.0, 1), (1.0, 1.0, -1)):
        with pytest.raises(ValueError, match=r"^expected a rate, sizes and weights above zero$"):
            gps_finish_times(rate, [(0.0, 0, size)], [weight])
    with pytest.raises(ValueError, match=r"^expected arrivals in the order of time$"):
        gps_finish_times(1.0, [(1.0, 0, 1.0), (0.0, 0, 1.0)])
    assert gps_finish_times(1.0, [], []) == []
    # More weights than flows.
    assert gps_finish_times(1.0, [(0.0, 0, 1.0)], [1, 5]) == [1]


def test_delays_beside_transfers_at_their_edges() -> None:
    for transfers, size in ((0, 1), (1, 0), (1, -1)):
        with pytest.raises(ValueError, match=f"^transfers {transfers} of size {size}; expected at least 1, of a size"):
            telnet_delay_bounds(transfers, size, 1)
    assert telnet_delay_bounds(1, 0.5, 1) == (0.75, 0.75)
    for load in (-0.1, 1):
        with pytest.raises(ValueError, match=f"^load {load}; expected from 0 to below 1$"):
            fq_poisson_delay(load, 3)
    for load in (-0.1, 4):
        with pytest.raises(ValueError, match=f"^load {load}; expected from 0 to below 4$"):
            fcfs_poisson_delay(load, 3, 5)
    assert fcfs_poisson_delay(0, 3, 5) == 14.5
    assert fq_delay(2, 3, 1, 1) == 3.5
    assert fq_delay(2, 3, 1, 1, delta=-1) == 3.5
    with pytest.raises(ValueError, match=r"^delta 0\.5; expected an idle_density with it$"):
        fq_delay(2, 3, 1, 1, delta=0.5)


def test_promptness_against_the_integral() -> None:
    """With a constant density on [0, 2] and A of slope N, the gain min(t / N, delta) N = min(t, N delta) is integrated by hand."""

    def density(t: np.ndarray) -> np.ndarray:
        return np.full(t.shape, 0.25)

    # N delta = 1.5: 0.25 (1.5^2 / 2) up to there; the probability 0.5 - 0.375 beyond gains 1.5.
    got = fq_delay(1, 3, 1, 2, 0.5, density, 0.5)
    assert got == pytest.approx(1 + 4.5 - 0.25 * 1.125 - 0.125 * 1.5, abs=1e-9)
    # A stream that is never idle gains nothing.
    assert fq_delay(1, 3, 1, 2, 0.5, np.zeros_like) == 5.5
    assert fq_delay(1, 3, 1, 2, 0.5, density, 0.5, preemptive=True) == pytest.approx(got, abs=1e-9)
