"""Chapters 4 and 5 of Keshav 1991: the chain of servers, against the simulator too, and the control laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headgate
from headgate.papers.formulas import estimators as est
from headgate.papers.formulas import packet_pair as pp
from headgate.papers.formulas import rate_control as rc

CHAINS = st.lists(st.integers(1, 9), min_size=1, max_size=7)


@given(CHAINS, st.integers(0, 10), st.integers(2, 25))
def test_lemmas_hold_on_any_chain(service: list[int], s0: int, packets: int) -> None:
    arrivals = [float(k * s0) for k in range(packets)]
    rows, throttles = pp.chain_departures(arrivals, service), pp.rate_throttles(s0, service)
    into, spacing = arrivals, float(s0)
    for i, (s, out) in enumerate(zip(service, rows, strict=True), start=1):
        waits = [d - s - a for a, d in zip(into, out, strict=True)]
        # Lemmas 1 to 4 and 7: waiting at the rate-throttles and nowhere else; departures spaced by the slowest so far.
        assert (max(waits) > 0) == (i in throttles)
        spacing = max(spacing, s)
        assert np.allclose(np.diff(out), spacing)
        if i in throttles:
            burst = pp.burst_at_throttle(packets, s0, service, i)
            inside = max(sum(1 for d in out[:k] if d > into[k]) for k in range(packets)) + 1
            # A departure at the very moment of the peak has left.
            assert (into[0], into[-1], out[-1]) == (burst.first_s, burst.peak_s, burst.empty_s)
            assert inside == burst.peak_packets
        into = out
    assert spacing == pp.probe_spacing(s0, service)


def test_vector_of_the_thesis_chain() -> None:
    service = [1, 3, 2, 5, 4, 5, 2]
    for s0, throttle, first, peak, most, printed in [
        (0.5, 1, 0, 9.5, 11, 10), (0.5, 2, 1, 20, 14, 21), (0, 2, 1, 20, 14, 21), (0.5, 4, 6, 63, 9, 66), (0, 1, 0, 0, 20, 0),
    ]:  # fmt: skip
        got = pp.burst_at_throttle(20, s0, service, throttle)
        assert (got.first_s, got.peak_s, got.peak_packets) == (first, peak, most)
        assert pp.burst_at_throttle(20, s0, service, throttle, as_printed=True).peak_s == printed


@settings(max_examples=8)
@given(st.lists(st.sampled_from([20, 40, 50, 80]), min_size=1, max_size=4), st.sampled_from([25, 100]))
def test_simulated_acknowledgements_are_spaced_by_the_slowest(service_ms: list[int], s0_ms: int) -> None:
    nodes: list[dict[str, object]] = [
        {"name": "s", "kind": "host"},
        *({"name": f"g{i}"} for i in range(len(service_ms))),
    ]
    nodes.append({"name": "k", "kind": "host"})
    names = [str(n["name"]) for n in nodes]
    rates = [8_000_000, *(8_000_000 // s for s in service_ms)]
    links = [
        {"from": a, "to": b, "rate": f"{r}bit/s", "queue": {"kind": "fq", "buffer": "100000pkt"}}
        for a, b, r in zip(names, names[1:], rates, strict=False)
    ]
    flow = {
        "name": "p", "from": "s", "to": "k", "control": {"kind": "none"}, "ack": "1B",
        "workload": {"kind": "cbr", "rate": f"{8_000_000 // s0_ms}bit/s"},
    }  # fmt: skip
    scenario = {"duration": "20s", "traces": ["rtt"], "nodes": nodes, "links": links, "flows": [flow]}
    times = headgate.Scenario(scenario).run(seed=1).traces
    spacing = np.diff(np.asarray(times["time_s"]))
    assert len(spacing) > 50
    assert np.allclose(spacing, pp.probe_spacing(s0_ms, service_ms) / 1000, atol=1e-6)


@pytest.mark.parametrize(
    ("setpoint", "s", "r", "mu", "rate"),
    [
        (5, 4, 0.1144, 5, 6.965),
        (5, 5.572, 0.1144, 5, 5),
        (5, 20, 12, 1.7, 2.15),
        (5, 60, 12, 1.7, 0.719667),
        (2, 3, 0.2144, 5, 5.12),
    ],
)
def test_law_once_per_probe(setpoint: float, s: float, r: float, mu: float, rate: float) -> None:
    assert rc.law_5_14(setpoint, s, r, mu) == pytest.approx(rate, abs=1e-6)


@given(st.floats(0.01, 1.99))
def test_the_pole_is_one_minus_alpha(alpha: float) -> None:
    error = [5 - e.queue for e in rc.epoch_trace(10, 1, 5, 6, alpha=alpha)]
    assert np.allclose(np.asarray(error[2:]), (1 - alpha) * np.asarray(error[1:-1]), atol=1e-9)
    assert rc.law_is_stable(alpha)
    roots = rc.law_eigenvalues(alpha, as_printed=True)
    assert (max(map(abs, roots)) < 1) == rc.law_is_stable(alpha, as_printed=True)


def test_as_printed_the_law_rests_below_the_setpoint() -> None:
    assert [round(e.queue, 6) for e in rc.epoch_trace(10, 1, 5, 6, alpha=0.9, law="printed")] == [
        0,
        0,
        3.5,
        3.85,
        3.885,
        3.8885,
    ]
    assert [round(e.queue, 6) for e in rc.epoch_trace(10, 1, 5, 6, alpha=0.9)] == [0, 0, 4.5, 4.95, 4.995, 4.9995]


def test_kalman_gains_settle() -> None:
    assert [round(k[2], 6) for k in est.kalman_gains(2, 0.25, 1, 9)[5:]] == [0.378541, 0.385953, 0.388736, 0.389773]
    for x, gain in [(0.01, 0.095125), (0.1, 0.270156), (0.25, 0.390388), (10, 0.91608)]:
        assert est.kalman_steady(x, 1) == pytest.approx(gain, abs=1e-6)
        assert est.kalman_gains(1, x, 1, 300)[-1][1] == pytest.approx(gain, abs=1e-6)


def test_mitra_and_rank() -> None:
    assert rc.mitra_window(20.4, 3)[1] == pytest.approx(1.30384, abs=1e-6)
    assert [est.lqg_rank(t) for t in (0, 0.5, 1, 2, 12)] == [1, 2, 2, 2, 2]


def test_fuzzy_follows_steps_and_ignores_spikes() -> None:
    fuzzy = est.FuzzyPredictor(10.0)
    got = [fuzzy.update(20) for _ in range(9)]
    due = [11.8, 16.846739, 18.375574, 18.841163, 19.079415, 19.242774, 19.365812, 19.462225, 19.53966]
    assert np.allclose(got, due, atol=1e-6)
    fuzzy = est.FuzzyPredictor(20.0)
    assert np.allclose([fuzzy.update(10) for _ in range(4)], [17.4, 11.808442, 10.508191, 10.331881], atol=1e-6)
    # On a random walk with noise it does better than the worse of two fixed weights.
    rng = np.random.default_rng(1)
    mu = 10 + np.cumsum(rng.normal(0, 0.1, 2000))
    probes = np.maximum(mu + rng.normal(0, 0.5, 2000), 0.1)
    fuzzy = est.FuzzyPredictor(float(probes[0]))

    def rms(estimates: list[float]) -> float:
        return math.sqrt(float(np.mean((np.asarray(estimates) - mu) ** 2)))

    fixed = [
        rms(est.exponential_average(probes, a, float(probes[0]))) for a in (0.1, 0.9, 1 - est.kalman_steady(0.01, 0.25))
    ]
    assert fixed[2] <= rms([fuzzy.update(float(y)) for y in probes]) < max(fixed[:2])


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="expected times in order"):
        pp.chain_departures([1, 0], [1])
    with pytest.raises(ValueError, match="at least 0 s"):
        pp.chain_departures([0, 1], [-1])
    with pytest.raises(ValueError, match=r"expected one of \[1, 2, 4\], found 3"):
        pp.burst_at_throttle(20, 0.5, [1, 3, 2, 5, 4, 5, 2], 3)


def test_the_other_formulas() -> None:
    assert pp.bottleneck([1, 3, 2, 5, 4, 5, 2]) == 4
    assert [pp.skipped_slots(10, x) for x in (6.25, 9.9999, 10, 13)] == [2, 1, 0, 0]
    assert pp.proposition_2_loss(1.0, 1.04, 0.1, 0.04) == pytest.approx(0.4)
    assert pp.proposition_1_start(0, 1) == 2
    assert pp.r_down_recovery(20, 1.4, 1.0) == pytest.approx(21.4)
    assert pp.mu_down_recovery(0, 1, 0.1, 0.16) == pytest.approx(1 + 0.64)
