"""headgate.stats and the fluid of headgate.analysis against their definitions, written out step by step."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from headgate.analysis import gps_finish_times, jain_index, shortfall
from headgate.stats import (
    Mean,
    Sketch,
    batch_means,
    compare,
    drift,
    enough,
    holm,
    lag_one,
    mean_of,
    mser,
    quantile_interval,
    quantile_over_runs,
    ratio_of,
    runs_needed,
    sign_test,
    student_quantile,
    wilcoxon,
    wilson,
)
from headgate.stats.distributions import beta_cdf, binomial_quantile
from headgate.stats.quantiles import _bucket

SERIES = st.lists(st.integers(-50, 50), min_size=60, max_size=120)


def test_the_spread_of_a_ratio_has_n_less_one() -> None:
    """Totals 1 and 9 of 1 and 3: 2.5 each, so -1.5 and 1.5 are left, over a mean count of 2 that is 0.75; (2 * 0.75^2) / (2 - 1)."""
    assert ratio_of([1.0, 9.0], [1, 3]) == Mean(2.5, pytest.approx(math.sqrt(1.125)), 2)
    # With equal counts it is the mean.
    values = [3.0, 5.0, 10.0]
    got, want = ratio_of([4 * v for v in values], [4, 4, 4]), mean_of(values)
    assert (got.mean, got.std, got.n) == pytest.approx((want.mean, want.std, 3))
    assert ratio_of([0.0, 0.0], [0, 0]).n == 0
    assert math.isnan(ratio_of([0.0], [0]).mean)
    # A count of nan is left out, one of zero counts as an interval.
    assert ratio_of([1.0, 2.0, 3.0], [1.0, math.nan, 1.0]).n == 2
    assert ratio_of([1.0, 0.0, 3.0], [1.0, 0.0, 1.0]).n == 3
    for wrong in (([1.0], [1.0, 2.0]), ([1.0], [-1.0])):
        with pytest.raises(ValueError, match="expected equal ones and counts from 0"):
            ratio_of(*wrong)


def test_a_mean_has_n_less_one_and_students_interval() -> None:
    mean = mean_of([1.0, 4.0, math.nan, 7.0])
    assert mean == Mean(4.0, 3.0, 3)
    half = reference.t.ppf(0.95, 2) * 3 / math.sqrt(3)
    assert mean.half_at(0.9) == pytest.approx(half)
    assert mean.half == pytest.approx(reference.t.ppf(0.975, 2) * 3 / math.sqrt(3))
    assert mean.ci95 == pytest.approx((4 - mean.half, 4 + mean.half))
    assert mean.real == 9.0
    assert mean.to_dict() == {"mean": 4.0, "std": 3.0, "n": 3, "ci95": [4 - mean.half, 4 + mean.half]}
    one = mean_of([5.0])
    assert (one.mean, one.n, one.ci95) == (5.0, 1, None)
    assert math.isnan(one.std)
    assert one.to_dict() == {"mean": 5.0, "std": None, "n": 1, "ci95": None}
    assert mean_of([math.nan]).to_dict() == {"mean": None, "std": None, "n": 0, "ci95": None}
    two = mean_of([1.0, 3.0])
    assert two.half == pytest.approx(12.7062047 * math.sqrt(2) / math.sqrt(2))


@given(st.lists(st.integers(-9, 9), min_size=3, max_size=30))
def test_the_correlation_of_neighbours(values: list[int]) -> None:
    x = np.array(values, dtype=float)
    centre = sum(values) / len(values)
    spread = sum((v - centre) ** 2 for v in values)
    if spread == 0:
        assert math.isnan(lag_one(x))
        return
    steps = sum((values[i + 1] - values[i]) ** 2 for i in range(len(values) - 1))
    assert lag_one(x) == pytest.approx(1 - steps / (2 * spread))


def test_few_values_have_no_neighbours() -> None:
    assert math.isnan(lag_one([1.0, 2.0]))
    assert lag_one([1.0, 2.0, 4.0]) == pytest.approx(1 - 5 / (2 * 14 / 3))


@given(SERIES, st.integers(2, 60))
def test_batches_are_of_the_end_of_the_series(values: list[int], k: int) -> None:
    got = batch_means(values, k)
    size = len(values) // k
    kept = values[len(values) - k * size :]
    means = [sum(kept[i * size : (i + 1) * size]) / size for i in range(k)]
    want = mean_of(means)
    assert (got.size, got.mean.n) == (size, k)
    assert (got.mean.mean, got.mean.std) == pytest.approx((want.mean, want.std), abs=1e-12)
    assert got.lag_one == pytest.approx(lag_one(means), nan_ok=True)
    limit = reference.norm.ppf(0.95) * math.sqrt((k - 2) / (k**2 - 1))
    assert got.correlated == (k >= 8 and got.lag_one > limit)


def test_how_many_batches() -> None:
    assert [batch_means(range(n)).mean.n for n in (2, 39, 40, 1000)] == [2, 39, 20, 20]
    assert batch_means(range(8), 8).correlated
    assert not batch_means(range(7), 7).correlated
    assert batch_means(range(7), 7).advice.startswith("7 batches are too few")
    assert "batches of 1 are correlated (0.92), so the interval is too narrow" in batch_means(range(8), 8).advice
    assert batch_means([1, -1] * 10, 10).advice == ""
    for wrong in (1, 5):
        with pytest.raises(ValueError, match=f"{wrong} batches of 4 values"):
            batch_means(range(4), wrong)


@given(SERIES, st.sampled_from([1, 5]))
def test_mser_is_the_least_standard_error(values: list[int], batch: int) -> None:
    n = len(values) // batch
    means = [Fraction(sum(values[i * batch : (i + 1) * batch]), batch) for i in range(n)]

    def error(first: int) -> Fraction:
        rest = means[first:]
        centre = sum(rest) / len(rest)
        return sum((y - centre) ** 2 for y in rest) / Fraction(len(rest)) ** 2

    got = mser(values, batch)
    errors = [error(d) for d in range(n - 5)]
    first, exact = divmod(got.discard, batch)
    assert exact == 0
    assert 0 <= first < n - 5
    assert float(errors[first]) <= float(min(errors)) * (1 + 1e-9) + 1e-12
    assert got.mean == pytest.approx(sum(values[got.discard :]) / len(values[got.discard :]), abs=1e-9)
    # An answer in the second half, or one that is the last possible, is none.
    assert got.found == (first <= n // 2 and first != n - 6)


def test_mser_by_hand() -> None:
    """Of twenty values the five first are far off; values of several runs are averaged, where all are nan the mean stands."""
    series = [100.0] * 5 + [1.0, -1.0] * 8
    assert mser(series, 1).discard == 5
    assert mser(series, 1).mean == 0.0
    assert mser([series, [0.0] * 21], 1).mean == 0.0
    assert mser([[2.0 * v for v in series], [math.nan] * 21], 1).discard == 5
    assert mser([math.nan] * 10, 1).mean == 0.0
    # Seven of fourteen batches is the last answer that counts.
    assert (mser([9.0] * 7 + [1.0] * 7, 1).discard, mser([9.0] * 7 + [1.0] * 7, 1).found) == (7, True)
    assert (mser([9.0] * 8 + [1.0] * 6, 1).discard, mser([9.0] * 8 + [1.0] * 6, 1).found) == (8, False)
    # The last five are no answer's only support.
    assert mser([0.0, 5.0] * 5 + [1.0] * 5, 1).discard < 10
    assert [mser(range(n), 1).found for n in (10, 12, 13, 40)] == [False] * 4
    for values, batch in ((range(9), 1), (range(49), 5), (range(20), 0)):
        with pytest.raises((ValueError, ZeroDivisionError)):
            mser(values, batch)


@given(SERIES, st.integers(3, 12))
def test_drift_is_students_prediction_of_a_further_value(values: list[int], parts: int) -> None:
    size = len(values) // parts
    means = [sum(values[i * size : (i + 1) * size]) / size for i in range(parts)]
    rest = np.array(means[1:])
    error = rest.std(ddof=1) * math.sqrt(1 + 1 / rest.size)
    if error < 1e-9:
        return
    want = 2 * reference.t.cdf(-abs(means[0] - rest.mean()) / error, rest.size - 1)
    assert drift(values, parts) == pytest.approx(want, rel=1e-7)


def test_drift_at_the_edge() -> None:
    assert drift([1.0] * 30) == 1.0
    assert drift([2.0] * 3 + [1.0] * 27) == 0.0
    assert drift([[1.0] * 30, [3.0] * 30]) == 1.0
    assert drift([1.0, 2.0, 4.0], 3) == pytest.approx(2 * reference.t.cdf(-2 / math.sqrt(3), 1))
    for values, parts in ((range(2), 3), (range(9), 10), (range(9), 2)):
        with pytest.raises(ValueError, match="expected at least three parts of at least one"):
            drift(values, parts)


def test_the_spread_of_a_quantile_has_n_less_one() -> None:
    runs = [Sketch.of([x] * 100) for x in (1.0, 2.0, 4.0)]
    got = quantile_over_runs(runs, 0.5)
    whole, each = (runs[0] + runs[1] + runs[2]).quantile(0.5), [r.quantile(0.5) for r in runs]
    assert got.mean == whole
    assert got.std == pytest.approx(math.sqrt(sum((q - whole) ** 2 for q in each) / 2))
    assert got.n == 3
    one = quantile_over_runs([runs[1], Sketch.of([])], 0.5)
    assert (one.mean, one.n) == (runs[1].quantile(0.5), 1)
    assert math.isnan(one.std)


def test_buckets_are_those_of_whole_numbers() -> None:
    """Around every power of two, also where a float would be rounded up to the next one."""
    ps = sorted({max(0, min(2**k + d, 2**64 - 1)) for k in range(65) for d in (-2, -1, 0, 1)})
    octaves = [max(x.bit_length() - 6, 0) for x in ps]
    want = [(o << 5) + (x >> o) for x, o in zip(ps, octaves, strict=True)]
    assert _bucket(np.array(ps, dtype=np.uint64)).tolist() == want


def test_a_sketch_of_counts() -> None:
    got = Sketch.of_counts([3, 1, 3], [1, 2, 4])
    assert (got.buckets.tolist(), got.counts.tolist(), got.counts.dtype) == ([1, 3], [2, 5], np.int64)
    assert Sketch.of_counts([3.0], ["2"]).counts.tolist() == [2]
    assert (got.quantile(0), got.quantile(1)) == pytest.approx((1e-12, 4e-12))
    assert got.bounds(0.1) == pytest.approx((1e-12, 2e-12))
    for q in (-0.1, 1.1):
        with pytest.raises(ValueError, match=f"quantile {q}; expected from 0 to 1"):
            got.quantile(q)
    two = quantile_over_runs([Sketch.of([1.0]), Sketch.of([3.0])], 0.5)
    assert two.n == 2
    assert math.isfinite(two.std)


def test_binomial_quantiles_of_many_trials() -> None:
    """Above a million trials the normal distribution is good to one trial; up to a million the quantile is exact."""
    for n in (1_000_000, 1_000_001, 4_000_000):
        for p in (0.01, 0.5, 0.99):
            for q in (0.025, 0.5, 0.975):
                want = int(reference.binom.ppf(q, n, p))
                assert abs(binomial_quantile(q, n, p) - want) <= (n > 1_000_000)
    assert binomial_quantile(1e-12, 2_000_000, 1e-9) == 0
    assert binomial_quantile(1 - 1e-12, 2_000_000, 1 - 1e-9) == 2_000_000


def test_intervals_of_quantiles_at_their_edges() -> None:
    values = [5, 1, 4, 2, 3, 6]
    # Of six values: binomial quantiles for the median at 0.025 and 0.975 are 1 and 5, so the interval is from the first to the last.
    assert quantile_interval(values, 0.5) == (1.0, 6.0)
    assert quantile_interval([str(v) for v in values], 0.5) == (1.0, 6.0)
    assert quantile_interval(values[:5], 0.5) == (-math.inf, math.inf)
    assert quantile_interval([*values, math.nan], 0.5) == (1.0, 6.0)
    assert quantile_interval([7.0], 0.5) == (-math.inf, math.inf)
    for wrong in (([], 0.5, 0.9), ([1.0], 0.0, 0.9), ([1.0], 1.0, 0.9), ([1.0], 0.5, 0.0), ([1.0], 0.5, 1.0)):
        with pytest.raises(
            ValueError, match=r"quantile_interval: [01] values, q .*, confidence .*; expected some, in \(0, 1\)"
        ):
            quantile_interval(*wrong)


def test_comparisons_of_one_pair_or_nothing() -> None:
    one = compare([1.0], [3.0], 0.9)
    assert (one.a, one.b, one.difference, one.confidence, one.n, one.paired) == (1.0, 3.0, 2.0, 0.9, 1, True)
    assert all(math.isnan(x) for x in (one.low, one.high, one.p, one.robust_p))
    for a, b in (([], [1.0]), ([1.0], [])):
        with pytest.raises(ValueError, match="values; expected at least one of each"):
            compare(a, b, paired=False)
    with pytest.raises(ValueError, match=r"expected 0 to 1\.8e7"):
        Sketch.of([2.0**64 / 1e12])


def test_a_comparison_in_words() -> None:
    above = compare([1.0, 2.0, 3.0], [1.5, 2.4, 3.6])
    assert above.sentence("x", "y", "ms").startswith(
        "y is 0.5 ms (25 %) above x: 95 % interval 0.2516 to 0.7484 ms, p = 0.013 (3 pairs)"
    )
    assert compare([3.0, 2.0], [1.1, -0.1]).sentence().startswith("b is 2 (80 %) below a")
    far = compare([1.0, 2.0, 3.0], [1001.0, 1002.5, 1002.5])
    assert far.sentence().startswith("b is 1000 (a factor of 501) above a: ")
    apart = compare([1.0, 2.0, 3.0], [11.0, 12.0, 13.0, 14.0], paired=False)
    assert apart.sentence().endswith("(3 values a side, not paired)")
    # A share of zero is not given.
    none = compare([-1.0, 0.5, 0.5], [1.0, 2.5, 2.6])
    assert math.isnan(none.relative)
    assert none.sentence().startswith("b is 2.033 above a: 95 % interval 1.89 to 2.177")
    equal = compare([-1.0, 1.0], [1.0, 3.0])
    assert equal.sentence("x", "y") == "y less x is 2 in each of 2 pairs, which have no spread to make an interval of"


def test_texts_of_numbers_are_read() -> None:
    """As from the columns of a CSV file."""
    assert ratio_of(["1", "9"], ["1", "3"]).mean == 2.5
    assert mean_of(["1", "3"]).mean == 2.0
    assert compare(["1", "2"], ["2", "4"]).difference == 1.5
    assert wilcoxon(["1", "2", "-3"]) == wilcoxon([1, 2, -3])
    assert sign_test(["1", "2", "-3"]) == 1.0
    assert holm(["0.01", "0.5"]).tolist() == [0.02, 0.5]


def test_what_is_not_there_is_nan() -> None:
    for nothing in (ratio_of([], []), quantile_over_runs([], 0.5), mean_of([])):
        assert (math.isnan(nothing.mean), math.isnan(nothing.std), nothing.n) == (True, True, 0)
    one = ratio_of([1.0, math.nan], [2.0, 3.0])
    assert (one.mean, math.isnan(one.std), one.n) == (0.5, True, 1)


def test_apart_without_spread() -> None:
    """Welch's degrees of freedom are 0 / 0 then; those of the smaller side stand in, and the interval has no width."""
    got = compare([1.0, 1.0], [2.0, 2.0, 2.0], paired=False)
    assert (got.p, got.low, got.high, got.n) == (0.0, 1.0, 1.0, 2)


@pytest.mark.parametrize(("n", "method"), [(50, "exact"), (51, "approx")])
def test_wilcoxon_is_exact_up_to_fifty(n: int, method: str) -> None:
    d = [k if k % 3 else -k for k in range(1, n + 1)]
    want = reference.wilcoxon(d, method=method, correction=True).pvalue
    assert wilcoxon(d) == pytest.approx(want, rel=1e-9)


def test_beta_at_its_ends() -> None:
    assert [beta_cdf(x, 2, 3) for x in (-1, 0, 1, 1.5)] == [0, 0, 1, 1]


def test_the_rule_of_stopping_at_its_edges() -> None:
    values = [9.0, 11.0] * 5
    half = mean_of(values).half / 10
    assert enough(values, half * 1.000001)
    assert not enough(values, half * 0.999999)
    assert not enough(values[:9], 1.0)
    assert enough(values[:3], 10.0, least=3)
    assert not enough([5.0], 10.0, least=0)
    assert enough([5.0, 5.0], 0.1, least=0)
    assert enough([0.0] * 10, 0.1)
    assert enough([-x for x in values], half * 1.000001)
    with pytest.raises(ValueError, match="above zero"):
        enough(values, 0.0)
    assert runs_needed([0.0, 0.0], 0.1) == 10
    assert runs_needed([1.0, -1.0], 0.1) == 2**31
    assert runs_needed([0.0] * 12, 0.1) == 12
    assert runs_needed([1.0, 1.0], 0.1, least=0) == 2
    for wrong in (([1.0], 0.1), ([1.0, 2.0], 0.0)):
        with pytest.raises(ValueError, match="expected at least 2, and above zero"):
            runs_needed(*wrong)


def test_shares_at_their_ends() -> None:
    assert wilson(0, 5)[0] == 0.0
    assert wilson(5, 5)[1] == 1.0
    assert wilson(1, 3, 0.9) == pytest.approx(
        tuple(reference.binomtest(1, 3).proportion_ci(0.9, method="wilson")), abs=1e-12
    )
    for wrong in ((0, 0), (3, 2), (-1, 2)):
        with pytest.raises(ValueError, match="expected 0 to all of at least one trial"):
            wilson(*wrong)


def test_students_quantile_refuses() -> None:
    for dof, p in ((0.5, 0.9), (math.nan, 0.9), (2, 0.0), (2, 1.0)):
        with pytest.raises(ValueError, match="expected at least 1, and between 0 and 1"):
            student_quantile(dof, p)
    assert student_quantile(1, 0.5) == pytest.approx(0, abs=1e-9)


def fluid(rate: Fraction, arrivals: list[tuple[Fraction, int, Fraction]], weights: list[int]) -> list[Fraction]:
    """The fluid system from one change to the next: every backlogged flow is served, first packet first."""
    queues: dict[int, list[list[Fraction | int]]] = {}
    finish = [Fraction(-1)] * len(arrivals)
    now, coming = Fraction(0), list(enumerate(arrivals))
    while coming or queues:
        total = sum(weights[flow] for flow in queues)
        ends = [now + queue[0][1] * total / (rate * weights[flow]) for flow, queue in queues.items()]
        until = min([*ends, *(a[0] for _, a in coming[:1])])
        for flow, queue in list(queues.items()):
            queue[0][1] -= (until - now) * rate * weights[flow] / total
            if queue[0][1] == 0:
                finish[int(queue[0][0])] = until
                queue.pop(0)
                if not queue:
                    del queues[flow]
        now = until
        while coming and coming[0][1][0] == now:
            number, (_, flow, size) = coming.pop(0)
            queues.setdefault(flow, []).append([number, size])
    return finish


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3), st.integers(1, 20)), min_size=1, max_size=15),
    st.lists(st.integers(1, 5), min_size=4, max_size=4),
)
def test_gps_is_the_fluid(packets: list[tuple[int, int, int]], weights: list[int]) -> None:
    arrivals, now = [], Fraction(0)
    for gap, flow, size in packets:
        now += gap
        arrivals.append((now, flow, Fraction(size)))
    assert gps_finish_times(Fraction(7), arrivals, weights) == fluid(Fraction(7), arrivals, weights)


def test_gps_refuses() -> None:
    with pytest.raises(ValueError, match="1 weights; expected one for each of 2 flows"):
        gps_finish_times(1.0, [(0.0, 1, 1.0)], [1])
    for rate, size, weight in ((0.0, 1.0, 1), (1.0, 0.0, 1), (1.0, 1.0, 0)):
        with pytest.raises(ValueError, match="above zero"):
            gps_finish_times(rate, [(0.0, 0, size)], [weight])


def test_indices_of_fairness_at_their_edges() -> None:
    assert jain_index([3.0]) == 1.0
    assert jain_index([1.0, 3.0]) == pytest.approx(0.8)
    assert math.isnan(jain_index([0.0, 0.0]))
    assert math.isnan(jain_index([]))
    assert shortfall([7.0, 3.0, 1.0], [math.inf, 4.0, 0.0]) == 0.25
    assert shortfall([7.0], [math.inf]) == 0.0
    assert shortfall([5.0], [4.0]) == 0.0
