"""headgate.stats against SciPy, against enumeration, and against what it promises of random data."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from headgate.stats import (
    Mean,
    Sketch,
    batch_means,
    benjamini_hochberg,
    benjamini_hochberg_levels,
    compare,
    enough,
    holm,
    holm_levels,
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
from headgate.stats.distributions import beta_cdf, binomial_cdf, binomial_quantile, student_cdf
from headgate.stats.quantiles import _bucket

VALUES = st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=2, max_size=40)


@given(st.floats(-40, 40).filter(lambda t: t == 0 or abs(t) > 1e-3), st.floats(1, 3000))  # nearer to 0, SciPy says 0.5
def test_student(t: float, dof: float) -> None:
    assert student_cdf(t, dof) == pytest.approx(reference.t.cdf(t, dof), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("dof", [1, 2, 3, 7, 19, 100, 9999, 10_001, 10**6])
@pytest.mark.parametrize("p", [0.001, 0.05, 0.5, 0.9, 0.975, 0.9995])
def test_student_quantile(dof: int, p: float) -> None:
    assert student_quantile(dof, p) == pytest.approx(reference.t.ppf(p, dof), rel=1e-9, abs=1e-10)


@given(st.floats(0, 1), st.floats(0.1, 500), st.floats(0.1, 500))
def test_beta(x: float, a: float, b: float) -> None:
    assert beta_cdf(x, a, b) == pytest.approx(reference.beta.cdf(x, a, b), rel=1e-8, abs=1e-13)


@given(st.integers(1, 5000), st.floats(0.001, 0.999), st.floats(0.001, 0.999), st.data())
def test_binomial(n: int, p: float, q: float, data: st.DataObject) -> None:
    k = data.draw(st.integers(-1, n + 1))
    assert binomial_cdf(k, n, p) == pytest.approx(reference.binom.cdf(k, n, p), rel=1e-8, abs=1e-12)
    got = binomial_quantile(q, n, p)
    assert binomial_cdf(got, n, p) >= q > binomial_cdf(got - 1, n, p)


@given(VALUES)
def test_paired_t_is_scipys(values: list[float]) -> None:
    a = np.array(values)
    b = a[::-1] * 1.01 + 1.0
    if np.std(b - a) < 1e-6 * max(1.0, float(np.abs(a).max())):
        return
    got, want = compare(a, b), reference.ttest_rel(b, a)
    assert got.p == pytest.approx(want.pvalue, rel=1e-6, abs=1e-12)
    interval = want.confidence_interval(0.95)
    assert (got.low, got.high) == pytest.approx((interval.low, interval.high), rel=1e-6, abs=1e-6)


def test_welch_is_scipys() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(0, 1, 7), rng.normal(1, 4, 23)
    got, want = compare(a, b, paired=False, confidence=0.9), reference.ttest_ind(b, a, equal_var=False)
    assert got.p == pytest.approx(want.pvalue, rel=1e-9)
    interval = want.confidence_interval(0.9)
    assert (got.low, got.high) == pytest.approx((interval.low, interval.high), rel=1e-9)
    assert math.isnan(got.robust_p)


def test_comparisons_at_the_edge() -> None:
    same = compare([1.0, 2.0], [1.0, 2.0])
    assert (same.p, same.robust_p, same.significant) == (1.0, 1.0, False)
    # Without spread there is no Student's t: three equal pairs of random runs are no certainty, and six are enough for Wilcoxon's test.
    shifted = compare([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])
    assert (shifted.difference, shifted.p, shifted.robust_p, shifted.significant) == (1.0, 0.25, 0.25, False)
    assert math.isnan(shifted.low) and math.isnan(shifted.high)
    six = compare([0.0] * 6, [1.0] * 6)
    assert (six.p, six.significant) == (0.03125, True)
    one = compare([1.0, math.nan], [3.0, 5.0])
    assert (one.n, one.difference) == (1, 2.0)
    assert math.isnan(one.p)
    assert not one.significant
    assert "too few runs" in one.sentence()
    with pytest.raises(ValueError, match="2 and 3 values"):
        compare([1, 2], [1, 2, 3])


@given(st.lists(st.floats(-100, 100).filter(lambda x: abs(x) > 1e-3), min_size=1, max_size=45, unique_by=abs))
def test_wilcoxon_is_scipys(differences: list[float]) -> None:
    want = reference.wilcoxon(differences, method="exact").pvalue
    assert wilcoxon(differences) == pytest.approx(want, rel=1e-9)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=10))
def test_wilcoxon_with_ties_by_enumeration(differences: list[int]) -> None:
    d = np.array([x for x in differences if x])
    if d.size == 0:
        assert wilcoxon(differences) == 1.0
        return
    ranks = reference.rankdata(np.abs(d))
    got = ranks[d > 0].sum()
    extreme = min(got, ranks.sum() - got)
    sums = [
        sum(r for r, s in zip(ranks, signs, strict=True) if s) for signs in itertools.product([0, 1], repeat=d.size)
    ]
    assert wilcoxon(differences) == pytest.approx(min(1.0, 2 * np.mean([s <= extreme for s in sums])))


def test_wilcoxon_of_many_is_scipys() -> None:
    d = np.round(np.random.default_rng(1).normal(0.1, 1, 120), 1)
    want = reference.wilcoxon(d, zero_method="wilcox", correction=True, method="approx").pvalue
    assert wilcoxon(d) == pytest.approx(want, rel=1e-9)


@given(st.lists(st.integers(-1, 1), min_size=1, max_size=60))
def test_sign_test_is_the_binomial_one(signs: list[int]) -> None:
    positive, n = signs.count(1), len(signs) - signs.count(0)
    want = reference.binomtest(positive, n, 0.5).pvalue if n else 1.0
    assert sign_test(signs) == pytest.approx(want, rel=1e-9)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_corrections(p: list[float]) -> None:
    assert benjamini_hochberg(p) == pytest.approx(reference.false_discovery_control(p))
    adjusted = holm(p)
    order = np.argsort(p, kind="stable")
    # By its definition, step by step.
    running = 0.0
    for step, i in enumerate(order):
        running = max(running, min(1.0, (len(p) - step) * p[i]))
        assert adjusted[i] == pytest.approx(running)
    assert np.isnan(holm([*p, math.nan])[-1])
    assert holm([*p, math.nan])[:-1] == pytest.approx(adjusted)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.sampled_from([0.01, 0.05, 0.3]))
def test_levels_reject_what_corrected_p_values_do(p: list[float], alpha: float) -> None:
    """An interval of the confidence 1 - level leaves out 0 where p is below the level: just where the corrected p is below alpha."""
    values = np.array([*p, math.nan])
    for correct, levels in ((holm, holm_levels), (benjamini_hochberg, benjamini_hochberg_levels)):
        corrected, level = correct(values), levels(values, alpha)
        assert (
            np.isnan(level[-1]) and (level[:-1] <= alpha).all() and (level[:-1] >= alpha / len(p) * (1 - 1e-12)).all()
        )
        # But for those that lie on the edge to the last bit.
        clear = np.abs(corrected[:-1] - alpha) > 1e-12
        assert ((values < level)[:-1] == (corrected < alpha)[:-1])[clear].all()
    assert (holm_levels(np.sort(p), alpha)[1:] >= holm_levels(np.sort(p), alpha)[:-1]).all()


@given(st.integers(0, 300), st.integers(1, 300))
def test_wilson_is_scipys(k: int, more: int) -> None:
    interval = reference.binomtest(k, k + more).proportion_ci(method="wilson")
    assert wilson(k, k + more) == pytest.approx((interval.low, interval.high), abs=1e-12)


@given(st.lists(st.integers(0, 2**64 - 2048), min_size=1, max_size=200), st.floats(0, 1), st.integers(0, 200))
def test_sketches(ps: list[int], q: float, cut: int) -> None:
    x = np.array(ps, dtype=np.float64) * 1e-12
    whole, parts = Sketch.of(x), Sketch.of(x[:cut]) + Sketch.of(x[cut:])
    assert whole.count == len(ps)
    assert parts.buckets.tolist() == whole.buckets.tolist()
    assert parts.counts.tolist() == whole.counts.tolist()
    exact = np.sort(x)[max(math.ceil(q * x.size), 1) - 1]
    low, high = whole.bounds(q)
    assert low * (1 - 1e-12) <= exact <= high * (1 + 1e-12) + 1e-12
    assert high - low <= max(low / 31.999, 1.001e-12)
    assert abs(whole.quantile(q) - exact) <= max(exact / 31, 1.1e-12)
    edges, shares = whole.cdf()
    assert shares[-1] == 1.0
    assert (np.diff(edges) > 0).all()


def test_sketches_refuse_what_they_cannot_hold() -> None:
    for wrong in (-1e-12, 1.9e7, math.inf):
        with pytest.raises(ValueError, match="expected 0 to"):
            Sketch.of([wrong])
    empty = Sketch.of([])
    assert empty.count == 0
    assert math.isnan(empty.quantile(0.5))
    assert quantile_over_runs([empty], 0.5).n == 0


def test_autocorrelation_under_independence() -> None:
    """Mean 0, variance (n - 2)/(n^2 - 1), and 5 % above the limit."""
    x = np.random.default_rng(5).normal(size=(4000, 20))
    lags = np.array([lag_one(row) for row in x])
    assert abs(lags.mean()) < 4 * math.sqrt(18 / 399 / 4000)
    assert lags.var() == pytest.approx(18 / 399, rel=0.1)
    assert np.mean([batch_means(row).correlated for row in x]) == pytest.approx(0.05, abs=0.015)


def test_short_batches_are_reported() -> None:
    rng = np.random.default_rng(6)
    noise = rng.normal(size=(200, 2100))
    series = np.zeros_like(noise)
    for t in range(1, 2100):  # the correlation time of this series is 1/(1 - 0.99) = 100 values
        series[:, t] = 0.99 * series[:, t - 1] + noise[:, t]
    short = [batch_means(row[100:500]) for row in series]  # batches of 20
    assert np.mean([b.correlated for b in short]) > 0.9
    assert all("too narrow" in b.advice for b in short if b.correlated)
    # An interval that ignores the correlation is far too narrow; this one reports it and does not correct it.
    assert np.mean([abs(b.mean.mean) < b.mean.half for b in short]) < 0.8
    assert batch_means(range(5)).advice.startswith("5 batches are too few")


def test_ratios_are_covered() -> None:
    """Totals that rise with their counts: the ratio's interval covers 2, the mean of means is 1.5 too low."""
    rng = np.random.default_rng(7)
    counts = rng.poisson(10, size=(2000, 25)) + 1.0
    totals = counts * 0.2 * counts + rng.normal(size=counts.shape)
    exact = 0.2 * ((10 + 1) ** 2 + 10) / 11  # E[N^2]/E[N]
    ratios = [ratio_of(t, c) for t, c in zip(totals, counts, strict=True)]
    hits = sum(abs(r.mean - exact) < r.half for r in ratios)
    assert 0.93 < hits / 2000 < 0.965
    naive = np.mean([mean_of(t / c).mean for t, c in zip(totals, counts, strict=True)])
    assert naive == pytest.approx(2.2, abs=0.02) and abs(naive - exact) > 0.15
    assert ratio_of([1.0, math.nan], [2.0, 3.0]) == pytest.approx(Mean(0.5, math.nan, 1), nan_ok=True)


def test_quantile_intervals_are_exact() -> None:
    """The confidence of order statistics is a binomial sum, at least 95 %; counted over 2000 samples."""
    rng = np.random.default_rng(8)
    x = rng.exponential(size=(2000, 60))
    for q in (0.5, 0.9):
        exact = -math.log(1 - q)
        hits = sum(low <= exact <= high for low, high in (quantile_interval(row, q) for row in x))
        assert 0.945 < hits / 2000 < 0.985
    low, high = quantile_interval(x[:7].ravel()[:367], 0.99)
    assert (math.isfinite(low), high) == (True, math.inf)
    assert math.isfinite(quantile_interval(x[:7].ravel()[:368], 0.99)[1])


def test_quantiles_over_runs_are_covered() -> None:
    rng = np.random.default_rng(9)
    exact, hits = 0.01 * math.log(20), 0
    for _ in range(400):
        runs = [Sketch.of(rng.exponential(0.01, 1000)) for _ in range(10)]
        got = quantile_over_runs(runs, 0.95)
        hits += abs(got.mean - exact) < got.half + exact / 64
    assert reference.binom.ppf(0.001, 400, 0.95) <= hits


@pytest.mark.parametrize("settle", [5, 20, 60])
def test_warm_up_is_found(settle: int) -> None:
    """The mean of what remains lies near the settled one; the mean of everything does not."""
    rng = np.random.default_rng(settle)
    t = np.arange(1000)
    series = 10 * (1 - np.exp(-t / settle)) + rng.normal(size=(10, 1000))
    got = mser(series)
    assert got.found
    assert settle <= got.discard <= 12 * settle + 50
    assert abs(got.mean - 10) < abs(series.mean() - 10)
    assert abs(got.mean - 10) < 0.05
    assert mser(series[0]).found


def test_warm_up_of_a_settled_series_is_short() -> None:
    rng = np.random.default_rng(10)
    cuts = [mser(rng.normal(size=500)).discard for _ in range(200)]
    assert np.median(cuts) <= 50
    assert not mser(np.arange(200.0)).found
    with pytest.raises(ValueError, match="ten batches"):
        mser(range(49))


def test_the_stopping_rule_and_its_bias() -> None:
    """Stopping by chance at a narrow interval costs coverage: little from ten runs on (94 %), more from two (90 to 91 %)."""
    rng = np.random.default_rng(11)
    covered = {2: 0, 10: 0}
    for _ in range(800):
        x = rng.normal(1, 0.3, size=2000)
        for least in covered:
            n = least
            while not enough(x[:n], 0.1, least=least):
                n += 1
            mean = mean_of(x[:n])
            covered[least] += abs(mean.mean - 1) < mean.half
    # Standard errors of the shares: 0.008 and 0.010.
    assert 0.92 < covered[10] / 800 < 0.965
    assert covered[2] / 800 < 0.93


@given(st.floats(0.01, 0.5), st.integers(2, 30))
def test_runs_needed_are_enough(share: float, n: int) -> None:
    x = np.random.default_rng(n).exponential(size=n)
    need = runs_needed(x, share)
    mean = mean_of(x)
    assert Mean(mean.mean, mean.std, need).half <= share * mean.mean
    assert need == 10 or Mean(mean.mean, mean.std, need - 1).half > share * mean.mean


@pytest.mark.parametrize("power", [1, 5, 6, 20, 52, 53, 54, 60, 63])
def test_buckets_begin_at_powers_of_two_of_any_size(power: int) -> None:
    # Numbers just below 2^54 and above are rounded up when they become floats.
    first = np.array([2**power - 1, 2**power, 2**power + 1], dtype=np.uint64)
    got = _bucket(first).tolist()
    octaves = [max(int(x).bit_length() - 6, 0) for x in first]
    assert got == [(o << 5) + (int(x) >> o) for o, x in zip(octaves, first, strict=True)]


@pytest.mark.parametrize(("lag", "correlated"), [(0.4655, False), (0.4688, True)])
def test_ten_batches_are_correlated_from_the_95_percent_limit_on(lag: float, correlated: bool) -> None:
    # 1.645 times the deviation of the lag-one correlation of ten independent values, the root of 8/99, is 0.4676.
    turns = np.where(np.arange(10) % 2, 1.0, -1.0)
    low, high = 0.0, 1.0
    for _ in range(60):
        slope = (low + high) / 2
        low, high = (slope, high) if lag_one(slope * np.arange(10) + turns) < lag else (low, slope)
    batches = batch_means(low * np.arange(10) + turns)
    assert batches.lag_one == pytest.approx(lag, abs=1e-6)
    assert batches.correlated == correlated
    assert batches.advice.endswith("; run longer or use replications") == correlated
