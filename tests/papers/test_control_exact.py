"""Chapters 4 and 5 of Keshav 1991 by hand: each formula at small numbers and at its edges."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headgate.papers.formulas import estimators as est
from headgate.papers.formulas import packet_pair as pp
from headgate.papers.formulas import rate_control as rc
from headgate.papers.formulas import setpoint as sp
from headgate.papers.formulas.netblt import netblt_rounds, netblt_step
from headgate.papers.formulas.step_response import StepResponse, step_response


def test_chains_by_hand() -> None:
    # The second packet finds the first server free, the third waits for 1 s.
    assert pp.chain_departures([0, 3, 4], [2, 1]) == [[2, 5, 7], [3, 6, 8]]
    assert pp.chain_departures([1, 1], [0]) == [[1, 1]]
    assert pp.chain_departures([], [1]) == [[]]
    with pytest.raises(ValueError, match=r"^arrivals: expected times in order, found \[0, 2, 1\]$"):
        pp.chain_departures([0, 2, 1], [1])
    with pytest.raises(ValueError, match=r"^service: expected times of at least 0 s, found \[1, -0.5\]$"):
        pp.chain_departures([0, 1], [1, -0.5])
    assert pp.rate_throttles(2, [2, 3, 3]) == [2]
    assert pp.bottleneck([1, 2, 2]) == 2
    with pytest.raises(ValueError, match=r"^throttle: expected one of \[1\], found 2$"):
        pp.burst_at_throttle(2, 0, [2, 1], 2)


def test_depths_by_hand() -> None:
    assert pp.packet_timeout(2) == 6
    assert pp.packet_timeout(2, 2, 4) == 32
    assert pp.round_trip_estimate(3, 2, 0.5) == 2
    # A depth that is off by a rounding is no other one; one that is off by more is.
    assert [pp.skipped_slots(10, x) for x in (8, 8 - 1e-10, 8 - 1e-7, 10, 11)] == [1, 1, 2, 0, 0]
    assert [pp.burst_size(10, x) for x in (12, 12 - 1e-10, 12 - 1e-7, 10, 9)] == [2, 2, 1, 0, 0]
    # Of a depth of 10 to one of 4 at a spacing of 0.25: three slots of two packets, and the spacing itself is 2.5 packets.
    assert pp.proposition_2_loss(1.0, 1.0, 0.1, 0.25) == pytest.approx(8.5)
    assert pp.proposition_2_loss(1.0, 0.5, 0.1, 0.1) == pytest.approx(1)
    assert pp.priming_loss(4, 1) == 3
    assert pp.priming_loss(1, 4) == 0
    assert pp.migration_loss(3, 0.5, 0.25, upstream=False) == 2
    assert pp.priming_recovery(20, 1.5, 0.5, 4, 0.25) == 22.75
    assert pp.r_down_recovery(20, 1.5, 1, waiting=0.25) == 21.75
    assert pp.r_down_recovery(20, 1.5, 1, waiting=0.25, as_printed=True) == 22.25
    # From depth 8 to depth 2: three slots of two packets of 0.5 s.
    assert pp.mu_down_recovery(20, 1, 0.125, 0.5) == 24
    # As printed: ceil(4 / (2 0.25) - 4 / 1) = 4 packets of 1 s.
    assert pp.mu_down_recovery(20, 4, 0.25, 1, as_printed=True) == 28


def test_netblt_by_hand() -> None:
    """The source sends a quarter of its rate after it was faster than the bottleneck, else twice as much."""
    got = netblt_step(8, 4, 5, decrease=0.25, increase=2)
    assert got.rates == (8, 2, 4, 8, 2)
    assert got.queue == (4, 2, 2, 6, 4)
    assert netblt_step(8, 4, 4, decrease=0.0625, increase=2).queue == (4, 0.5, 0, 0)
    # At the bottleneck's rate nothing waits and the rate grows.
    assert netblt_step(4, 4, 2, decrease=0.5, increase=2).rates == (4, 8)
    assert netblt_step(2, 4, 3).rates == pytest.approx((2, 2.2, 2.42))
    assert netblt_step(8, 4, 2).rates == pytest.approx((8, 7.2))
    assert (netblt_rounds(1, 8, increase=2), netblt_rounds(8, 1, decrease=0.5)) == (3, 3)
    assert (netblt_rounds(1, 9, increase=2), netblt_rounds(9, 1, decrease=0.5)) == (4, 4)
    assert (netblt_rounds(1, 1.2), netblt_rounds(1, 0.8)) == (2, 3)


def test_laws_by_hand() -> None:
    assert rc.next_queue(5, 10, 12) == 3
    assert rc.next_queue(5, 1, 12) == 0
    assert rc.next_queue(5, 10, 2, 12) == 12
    # 4 + 0.5 (6 - 1 - 3 + 4 * 2) / 2; as printed 0.5 (10 + 8) / 2.
    assert rc.law_5_9(6, 1, 3, 4, 2, alpha=0.5) == 6.5
    assert rc.law_5_9(6, 1, 3, 4, 2, alpha=0.5, as_printed=True) == 4.5
    assert rc.law_5_9(6, 1, 3, 4, 2) == 9
    trace = rc.epoch_trace(4, 2, 6, 3, start=(1, 3), buffer=9)
    # S = 6, so 1 + 6 - 8 is cut off at 0; the next rate is 4 + (6 - 1 - 6 + 8) / 2, and 15 - 8 = 7 packets wait.
    assert [(e.queue, e.rate, e.sent) for e in trace] == [(1, 3, 6), (0, 7.5, 15), (7, 3.5, 7)]
    # No rate is below 0, and no queue above the buffers.
    low = rc.epoch_trace(1, 1, 2, 3, start=(0, 9), buffer=4)
    assert [(e.queue, e.rate) for e in low] == [(0, 9), (4, 0), (3, 0)]
    assert rc.epoch_trace(1, 1, 2, 3, start=(0, 9))[1:] == [rc.Epoch(8, -5, -5), rc.Epoch(2, 1, 1)]
    assert [e.queue for e in rc.epoch_trace(4, 2, 6, 3, start=(1, 3))] == [1, -1, 6]
    assert rc.closed_loop(1).dtype == np.float64
    for wrong in (
        lambda: rc.epoch_trace(1, 1, 1, 1, law="none"), lambda: rc.closed_loop(1, "none"),
        lambda: rc.law_eigenvalues(1, law="none"), lambda: rc.law_is_stable(1, law="none"), lambda: rc.stable_range("none"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"^law: expected one of printed, offset_free, index_trap, found none$"):
            wrong()


def test_stability_at_its_edges() -> None:
    assert [rc.law_is_stable(a) for a in (0, 0.001, 1.999, 2)] == [False, True, True, False]
    assert [rc.law_is_stable(a, as_printed=True) for a in (0, 0.001, 0.999, 1)] == [False, True, True, False]
    trap = [rc.law_is_stable(a, law="index_trap") for a in (0, 0.001, 0.666, 2 / 3)]
    assert trap == [False, True, True, False]
    assert rc.stable_range() == pytest.approx((0, 2), abs=1e-8)
    assert rc.stable_range("index_trap") == pytest.approx((0, 2 / 3), abs=1e-8)
    # What is asked for ends before the range does.
    assert rc.stable_range(most=1.5)[1] == pytest.approx(1.5, abs=1e-8)
    small, large = sorted(z.real for z in rc.law_eigenvalues(0.16, as_printed=True))
    assert (small, large) == pytest.approx((0.2, 0.8))


def test_where_the_laws_rest() -> None:
    assert rc.rest_point(5, 8, 0.8) == 5
    assert rc.rest_point(5, 8, 0.8, as_printed=True) == pytest.approx(3)
    assert rc.rest_point(5, 40, 0.8, as_printed=True) == 0
    assert rc.rest_utilisation(5, 40, 0.8) == 1
    # The queue is just empty at V = 20, and the line just busy.
    assert rc.rest_utilisation(5, 20, 0.8, as_printed=True) == pytest.approx(1)
    assert rc.rest_utilisation(5, 40, 0.5, as_printed=True) == pytest.approx(0.5 * 2.125 / 1.5)
    assert rc.to_setpoint(4, 2, 1) == pytest.approx(4 * math.exp(-2))
    assert rc.drift_cost(4) == 0.25
    assert rc.mitra_window(16, 4) == (17, 1)


def test_time_to_the_setpoint_by_hand() -> None:
    # (20 - 15 + 10 ln(10 / 5)) / 4, and from below (5 - 8 + 10 ln(5 / 2)) / 4.
    assert rc.time_between(20, 15, 10, 4) == pytest.approx((5 + 10 * math.log(2)) / 4)
    assert rc.time_between(5, 8, 10, 4) == pytest.approx((-3 + 10 * math.log(2.5)) / 4)
    assert rc.time_between(20, 20, 10, 4) == rc.time_between(5, 5, 10, 4) == 0
    for before, after in ((20, 10), (20, 21), (5, 10), (5, 4), (20, 5), (5, 20)):
        with pytest.raises(ValueError, match=f"^after: expected a number between {before} and 10, found {after}$"):
            rc.time_between(before, after, 10, 4)
    # Several times: each part continues where the last one ended; the accuracy is that of small steps.
    parts = [rc.time_between(20, s, 10, 4) for s in (20, 18, 15, 11)]
    assert rc.fluid_outstanding(6, 1, 4, 20, parts) == pytest.approx([20, 18, 15, 11], abs=1e-9)
    # A round trip of 10 ms: the steps are as much shorter.
    assert rc.fluid_outstanding(6, 0.01, 400, 20, [rc.time_between(20, 11, 10, 400)]) == pytest.approx([11], abs=1e-9)


def test_ranks_and_spaces_by_hand() -> None:
    m = est.state_space(2, 0.25, 3)
    assert (m.Q.tolist(), m.R) == ([[0, 0, 0], [0, 0.25, 0], [0, 0, 0]], 3)
    assert est.queue_error_growth(3, 0.5) == 4.5
    assert est.kalman_steady(2, 4) == est.kalman_steady(0.5, 1) == pytest.approx(0.5)


def test_the_filter_by_hand() -> None:
    """Of two probes: the first is taken as it is, the second with gain r / (r + r)."""
    first, second, third = est.kalman_trace([10, 14, 14], [11, 12, 12], 2, 3, 1)
    assert first.state.tolist() == [0, 10, 10]
    assert first.covariance.tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 1]]
    # mu and its value one epoch before are not correlated yet, so the probe carries no information.
    assert first.gain.tolist() == [0, 0, 0]
    # n_b = 0 - 2 * 10 + 2 * 11.
    assert second.state.tolist() == [2, 10, 10]
    assert second.covariance.tolist() == [[4, -2, -2], [-2, 4, 1], [-2, 1, 1]]
    # C P C + r = 2; G P C = (-2 - 2, 1, 1).
    assert second.gain.tolist() == [-2, 0.5, 0.5]
    assert third.state.tolist() == [2 - 20 - 8 + 24, 12, 12]
    assert est.kalman_gains(2, 3, 1, 2, known_start=False).tolist() == [[0, 0, 0], [-2, 0.5, 0.5]]
    with pytest.raises(ValueError, match="zip"):
        est.kalman_trace([1, 2], [1], 2, 3, 1)
    # P: 1, then 1 * 1 / 2 + 3 = 3.5.
    assert est.kalman_rate([10, 14, 12 + 9], 3, 1) == pytest.approx([10, 12, 12 + 9 * 3.5 / 4.5])


def test_averages_by_hand() -> None:
    assert est.exponential_average([4, 8], 0.75, 0) == [1, 2.75]
    sets = est.FuzzySets(2, (0.25, 0.5, 1.0), (1, 2, 4))
    assert [sets.membership(x) for x in (0, 0.5, 1, 1.5, 2, 3)] == [
        (1, 0, 0), (0.5, 0.5, 0), (0, 1, 0), (0, 0.5, 0.5), (0, 0, 1), (0, 0, 1)
    ]  # fmt: skip
    # Low and medium by half, with areas 1 and 2: (0.5 * 0.25 + 1 * 0.5) / 1.5. The past is the other way round: high and medium.
    assert sets.weight(0.5) == pytest.approx(0.625 / 1.5)
    assert sets.past(0.5) == pytest.approx((0.5 * 1 + 1 * 0.5) / 1.5)
    assert sets.weight(1.5) == pytest.approx((1 * 0.5 + 2 * 1) / 3)
    assert sets.past(1.5) == pytest.approx((1 * 0.5 + 2 * 0.25) / 3)
    three = est.FuzzySets.triangles()
    assert (three.reach, three.areas) == (1, (0.25, 0.5, 0.25))
    assert three.outputs == pytest.approx((1 / 6, 1 / 2, 5 / 6))
    assert est.FuzzySets.triangles(2).reach == 2
    for reach, areas in ((0, (1, 1, 1)), (-1, (1, 1, 1)), (1, (1, 0, 1)), (1, (1, 1, -1))):
        with pytest.raises(ValueError, match=rf"^expected a reach and areas above 0, found {reach} and \({areas[0]}, "):
            est.FuzzySets(reach, (0.1, 0.5, 0.9), areas)
    assert est.FuzzySets(0.25, areas=(0.5, 0.5, 0.5)).weight(0.125) == 0.5
    four = est.FuzzySets(areas=(1, 1, 1, 1))  # type: ignore[arg-type]
    for look in (four.weight, four.past):
        with pytest.raises(ValueError, match="zip"):
            look(0)


def test_the_fuzzy_choice_by_hand() -> None:
    """From 10 to a probe of 40: an error of 0.75 is wholly high and new."""
    fuzzy = est.FuzzyPredictor(10.0)
    c = fuzzy.choose(40)
    assert (c.relative, c.change, c.beta) == (0.75, 0.75, 0.9)
    assert c.smoothed == pytest.approx(0.075)
    # 0.3 of the way from low to medium: 0.9 - 0.3 * 0.4.
    assert c.alpha == pytest.approx(0.78)
    assert fuzzy.estimate == pytest.approx(0.78 * 10 + 0.22 * 40)
    assert (fuzzy.error, fuzzy.last) == (c.smoothed, 0.75)
    again = fuzzy.choose(16.6)
    assert (again.relative, again.change, again.beta) == pytest.approx((0, 0.75, 0.9), abs=1e-12)
    assert again.smoothed == pytest.approx(0.9 * 0.075)
    assert est.FuzzyPredictor(1.0).update(0.5) < 1
    for y in (0, -1):
        with pytest.raises(ValueError, match=f"^probe: expected a rate above 0, found {y}$"):
            est.FuzzyPredictor(1.0).update(y)


def test_probes_of_a_step_by_hand() -> None:
    # Half of the past each time: 10 to 20 leaves 5, 2.5, 1.25, 0.625 of 20.
    half = est.FuzzySets(outputs=(0.5, 0.5, 0.5))
    assert est.step_probes(half, 10, 20) == 4
    assert est.step_probes(half, 10, 20, within=0.125) == 2
    assert est.step_probes(half, 10, 20, within=0.12) == 3
    assert est.step_probes(half, 20, 10, within=0.125) == 3
    assert [est.step_probes(half, 10, 20, most=n) for n in (2, 3, 4, 5)] == [2, 3, 4, 4]
    assert est.step_probes(est.FuzzySets(outputs=(1.0, 1.0, 1.0)), 10, 20) == 1000
    assert est.spike_share(half) == 0.5
    assert est.spike_share(half, 4) == 0.5
    # With a weight of 1 on the past nothing gets in.
    assert est.spike_share(est.FuzzySets(outputs=(1.0, 1.0, 1.0))) == 0


def test_random_walks_by_hand() -> None:
    class Steps:
        """Deviations that are given."""

        def normal(self, mean: float, sigma: float, n: int) -> np.ndarray:
            assert (mean, sigma, n) == (0.0, 0.5, 5)
            return np.array([3.0, 3.0, -9.0, 20.0, -0.5])

    # From 4, between 2 and 6: 7 becomes 5, 8 becomes 4, -5 becomes 9 and then 3, 23 becomes -11, 15, -3, 7 and 5.
    assert sp.random_walk(Steps(), 6, 4, 0.5, 2, 6).tolist() == [4, 5, 4, 3, 5, 4.5]  # type: ignore[arg-type]
    rng = np.random.default_rng(1)
    assert sp.random_walk(rng, 1, 2, 1, 2).tolist() == [2]
    assert sp.random_walk(rng, 1, 6, 1, 2, 6).tolist() == [6]
    for start in (1.5, 6.5):
        with pytest.raises(ValueError, match=f"^start: expected a rate from 2 to 6, found {start}$"):
            sp.random_walk(rng, 1, start, 1, 2, 6)


def test_shares_of_a_queue_by_hand() -> None:
    got = sp.shares_of([0, 1e-10, 1, 9, 10 - 1e-10, 10, 11, 0.5], 10)
    assert (got.empty, got.full) == (0.25, 0.375)
    assert got.mean == pytest.approx(41.5 / 8)
    assert sp.shares_of([1e-9, 10 - 1e-9], 10) == sp.QueueShares(0.5, 0.5, pytest.approx(5))
    assert sp.QueueShares(0.5, 0.75, 1).imbalance == sp.QueueShares(0.75, 0.5, 1).imbalance == 0.25
    # 0, 1 and 2 packets with weights 1, 2 and 5: 12 / 8 packets of 0.5 s.
    assert sp.queueing_delay([1, 2, 5], 0.5) == sp.queueing_delay(["1", "2", "5"], 0.5) == 0.75
    assert sp.queue_spread(2, 3) == pytest.approx(6 * math.sqrt(5))
    assert sp.queue_spread(2, 3, delay=0) == 6


def test_shares_of_a_normal_queue() -> None:
    """Against the sum over a fine grid."""
    x = np.linspace(-40, 60, 2_000_001)
    weight = np.exp(-(((x - 3) / 4) ** 2) / 2) / (4 * math.sqrt(2 * math.pi)) * (x[1] - x[0])
    got = sp.shares_of_normal(3, 4, 8)
    assert got.empty == pytest.approx(weight[x < 0].sum(), abs=1e-5)
    assert got.full == pytest.approx(weight[x > 8].sum(), abs=1e-5)
    assert got.mean == pytest.approx((np.clip(x, 0, 8) * weight).sum(), abs=1e-5)


def test_queues_of_a_walk_by_hand() -> None:
    # Rates of 4, 7, 4, 12, 7 and 8: the line that becomes faster empties the queue, and the two packets it lacked are not counted.
    assert sp.queues_of_walk([4, 4, 8, 8, 8, 8], 6, 20, 2, delay=0).tolist() == [0, 0, 6, 0, 8, 6]
    assert sp.queues_of_walk([4, 4, 4], 6, 5, 2).tolist() == [0, 0, 5]
    # Known one epoch late: rates of 2, 5, 2, 13, 2 and 0.
    assert sp.queues_of_walk([2, 6, 6, 4, 4, 4, 4], 3, 20, 1).tolist() == [0, 0, 0, 0, 9, 7, 3]


def test_the_step_response_by_hand() -> None:
    """A rest at 10 packets/s, R = 1 s and a set-point of 5: S = 15 until the news of the change is back."""
    r = step_response([(0, 10), (1, 5)], 5, 0.25, 0.5, 3, dt=0.25)
    assert r.times.tolist() == [0.25 * i for i in range(1, 13)]
    # From 1 s on the line serves 5/s less than arrives; the last good service is acknowledged 0.5 s later.
    assert r.queue[:4].tolist() == [5] * 4
    assert r.queue[4:6].tolist() == [6.25, 7.5]
    assert r.rate[:6].tolist() == [10] * 6
    assert r.outstanding[:6].tolist() == [12.5] * 6
    assert r.outstanding[6] == 13.75
    samples = StepResponse(np.array([1.0, 2.0]), np.zeros(2), np.array([4.0, 8.0]), np.zeros(2))
    assert samples.at([1, 1.5, 2]).tolist() == [4, 6, 8]
