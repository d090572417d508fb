"""The estimator, the labels, the bounds and the noise of Core-Stateless Fair Queueing, against the published formulas' vectors."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.papers.formulas import (
    csfq_burst_excess,
    csfq_excess_bound,
    csfq_greatest_excess,
    csfq_label_decode,
    csfq_label_encode,
    csfq_labelled_shares,
    csfq_lottery_deviation,
    csfq_rate_estimates,
    csfq_shares,
)

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "crates/queue/tests/data"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_estimates_are_those_of_the_vectors() -> None:
    table = rows(VECTORS / "csfq_rate_estimator.csv")
    sequences = {(row["sequence"], row["first_packet_rule"], row["K_s"]) for row in table}
    assert len(sequences) > 3
    for name, rule, k in sequences:
        part = [row for row in table if (row["sequence"], row["first_packet_rule"], row["K_s"]) == (name, rule, k)]
        got = csfq_rate_estimates(
            [float(row["arrival_s"]) for row in part], [float(row["length_bits"]) for row in part], float(k), first=rule
        )
        assert got == pytest.approx([float(row["estimate_bps"]) for row in part], rel=1e-9, abs=1e-5), (name, rule)


@given(st.lists(st.floats(0.001, 2.0), min_size=1, max_size=50), st.floats(0.05, 5.0), st.floats(100.0, 1e6))
def test_lengths_do_not_matter_where_each_packet_has_the_same_rate(gaps: list[float], k: float, rho: float) -> None:
    times = np.concatenate([[0.0], np.cumsum(gaps)])
    lengths = np.concatenate([[rho * 0.01], rho * np.diff(times)])
    got = csfq_rate_estimates(times, lengths, k)
    assert got == pytest.approx(rho + (rho * 0.01 / k - rho) * np.exp(-times / k), rel=1e-7)


def test_packets_at_one_instant_count_with_the_next() -> None:
    together = csfq_rate_estimates([0.0, 1.0, 1.0, 1.0, 2.0], [8, 8, 8, 8, 8], 1.0)
    assert together[1] == together[2] == together[3]
    kept = math.exp(-1.0)
    assert together[4] == pytest.approx((1 - kept) * 24 + kept * together[1])


def test_estimates_refuse_what_is_no_sequence() -> None:
    for times, lengths, k, first in [
        ([0, 1], [1], 1.0, "0"), ([1, 0], [1, 1], 1.0, "0"), ([0], [0], 1.0, "0"), ([0], [1], 0.0, "0"), ([0], [1], 1.0, "1"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match="expected"):
            csfq_rate_estimates(times, lengths, k, first)
    assert csfq_rate_estimates([], [], 1.0).size == 0


@given(st.lists(st.tuples(st.floats(0.0, 3.0), st.floats(0.0, 9.0)), min_size=1, max_size=30), st.floats(0.0, 5.0))
def test_the_greatest_excess_is_that_of_some_interval(packets: list[tuple[float, float]], rate: float) -> None:
    times, bits = np.cumsum([gap for gap, _ in packets]), np.array([served for _, served in packets])
    every = [
        bits[i : j + 1].sum() - rate * (times[j] - times[i]) for i in range(len(bits)) for j in range(i, len(bits))
    ]
    assert csfq_greatest_excess(times, bits, rate) == pytest.approx(max(every), abs=1e-9)


def test_the_greatest_excess_of_nothing_and_of_what_is_wrong() -> None:
    assert csfq_greatest_excess([], [], 5.0) == 0.0
    assert csfq_greatest_excess([3.0], [7.0], 5.0) == 7.0
    for times, bits, rate in [([0, 1], [1], 1.0), ([1, 0], [1, 1], 1.0), ([0], [1], -1.0)]:
        with pytest.raises(ValueError, match="expected"):
            csfq_greatest_excess(times, bits, rate)


def forwarded(times: np.ndarray, bits: np.ndarray, share: float, k: float, first: str) -> np.ndarray:
    """The part of each packet that the theorem lets pass: its length times the probability to pass, by the estimate with it."""
    estimates = csfq_rate_estimates(times, bits, k, first)
    return np.asarray(bits * np.minimum(1.0, share / np.maximum(estimates, 1e-300)))


def test_a_burst_from_idle_is_that_of_the_vectors_and_close_to_theorem_1() -> None:
    for row in rows(VECTORS / "csfq_theorem1.csv"):
        share, peak, k, longest, bound, fluid, packets = [float(value) for value in list(row.values())[:7]]
        assert csfq_excess_bound(share, peak, k, longest) == pytest.approx(bound, abs=0.06)
        assert csfq_burst_excess(share, peak, k) == pytest.approx(fluid, abs=0.06)
        times = np.arange(int(20 * k * peak / longest)) * longest / peak
        got = csfq_greatest_excess(times, forwarded(times, np.full(times.size, longest), share, k, "0"), share)
        assert got == pytest.approx(packets, rel=5e-5)
        assert got / bound == pytest.approx(float(row["ratio_to_bound"]), abs=1e-4)


@given(
    st.lists(st.tuples(st.integers(320, 12_000), st.integers(0, 5), st.floats(0, 1)), min_size=10, max_size=200),
    st.floats(1e5, 1e7), st.floats(1.01, 300.0), st.floats(0.05, 0.5), st.sampled_from(["l/K", "0"]),
)  # fmt: skip
def test_no_flow_gets_more_than_theorem_1_allows(
    packets: list[tuple[int, int, float]], share: float, above: float, k: float, first: str
) -> None:
    peak = share * above
    bits = np.array([float(length) for length, _, _ in packets])
    # Mostly bursts at R, sometimes idle for a while, sometimes about the fair share.
    idle = np.array([part * {0: 3.0 * k, 1: length / share}.get(kind, 0.0) for length, kind, part in packets])
    times = np.cumsum(bits / peak + idle)
    got = csfq_greatest_excess(times, forwarded(times, bits, share, k, first), share)
    assert got <= csfq_excess_bound(share, peak, k, 12_000) * (1 + 1e-9)


def test_burst_excess_refuses_a_peak_within_the_share() -> None:
    for share, peak, k in [(1.0, 1.0, 1.0), (0.0, 1.0, 1.0), (1.0, 2.0, 0.0)]:
        with pytest.raises(ValueError, match="expected"):
            csfq_burst_excess(share, peak, k)


def test_labels_are_those_of_the_codebook() -> None:
    codebook = rows(VECTORS / "csfq_labels.csv")
    assert len(codebook) == 256
    for row in codebook:
        code = int(row["code"])
        assert csfq_label_decode(code) == pytest.approx(float(row["rate_kbps"]) * 1000, abs=0.051)
        assert csfq_label_encode(csfq_label_decode(code)) == code
        assert (code // 16, code % 16) == (int(row["exponent"]), int(row["mantissa"]))


@given(st.floats(1000.0, 65_535_999.0))
def test_a_label_is_rounded_down_by_less_than_a_sixteenth(rate: float) -> None:
    decoded = csfq_label_decode(csfq_label_encode(rate))
    assert decoded <= rate * (1 + 1e-12)
    assert rate < decoded * (1 + 1 / 16) * (1 + 1e-12)


def test_labels_beyond_their_range_and_what_is_none() -> None:
    assert [csfq_label_encode(rate) for rate in (0.0, 999.9, 1000.0, 65_536_000.0, math.inf)] == [0, 0, 0, 255, 255]
    for rate in (-1.0, math.nan):
        with pytest.raises(ValueError, match="expected"):
            csfq_label_encode(rate)
    for code in (-1, 256):
        with pytest.raises(ValueError, match="expected"):
            csfq_label_decode(code)


def test_the_shares_and_the_noise_of_figure_3a_and_the_shares_of_figure_4() -> None:
    flows = rows(ROOT / "tests/data/csfq_fig3a_flows.csv")
    rates = [float(row["send_rate_Mbps"]) for row in flows]
    shares = csfq_shares(10.0, rates)
    for row, rate, share in zip(flows, rates, shares, strict=True):
        assert share == pytest.approx(float(row["fair_share_Mbps"]))
        assert 1 - share / rate == pytest.approx(float(row["ideal_drop_probability"]), abs=5e-7)
        noise = csfq_lottery_deviation(share * 1e6, rate * 1e6, 10.0, 8000.0)
        assert 100 * noise == pytest.approx(float(row["binomial_std_percent_of_fair"]), abs=5e-4)
    for row in rows(ROOT / "tests/data/csfq_fig4_flows.csv"):
        n, rate = int(row["N"]), float(row["udp_rate_Mbps"])
        assert csfq_shares(10.0, [10.0] + [rate] * (n - 1)) == pytest.approx(float(row["fair_share_Mbps"]), abs=1e-6)


def test_the_lottery_s_deviation_is_that_of_a_binomial() -> None:
    draw = np.random.default_rng(1)
    got = draw.binomial(3000, 0.25, size=20_000)
    # 3000 packets of 1000 bits in 10 s at 300 kbit/s, a quarter of which is the share.
    assert csfq_lottery_deviation(75e3, 300e3, 10.0, 1000.0) == pytest.approx(got.std() / got.mean(), rel=0.03)
    assert csfq_lottery_deviation(75e3, 50e3, 10.0, 1000.0) == 0.0
    with pytest.raises(ValueError, match="above zero"):
        csfq_lottery_deviation(0.0, 1.0, 1.0, 1.0)


@given(
    st.lists(st.tuples(st.just(0.0) | st.floats(0.001, 50.0), st.floats(0.01, 100.0)), min_size=1, max_size=12),
    st.floats(0.1, 100.0),
)
def test_false_labels_share_the_line_in_proportion(flows: list[tuple[float, float]], capacity: float) -> None:
    rates, labels = np.array(flows).T
    got = csfq_labelled_shares(capacity, rates, labels)
    assert got.sum() == pytest.approx(min(capacity, rates.sum()), rel=1e-9)
    # All that lose something pass the same rate of label: alpha.
    passed = [
        label * share / rate for rate, label, share in zip(rates, labels, got, strict=True) if share < rate * (1 - 1e-9)
    ]
    assert passed == pytest.approx([passed[0]] * len(passed) if passed else [], rel=1e-6)
    assert csfq_labelled_shares(capacity, rates + 0.01, rates + 0.01) == pytest.approx(
        csfq_shares(capacity, rates + 0.01)
    )


def test_false_labels_of_no_flow_and_of_too_few() -> None:
    assert csfq_labelled_shares(5, [0, 0], [1, 1]).tolist() == [0, 0]
    with pytest.raises(ValueError, match="expected"):
        csfq_labelled_shares(5, [1, 1], [1])
