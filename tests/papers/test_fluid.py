"""The fluid systems, and the bounds that packets keep beside them."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headgate
from headgate.analysis import drr_delay_bound, fair_queueing_delay_bound, gps_finish_times, max_min, scfq_delay_bound
from headgate.papers.formulas import csfq_accepted_rate, csfq_chain, csfq_excess_bound, csfq_fair_share, csfq_shares

RATES = st.lists(st.floats(0.01, 100), min_size=1, max_size=8)
DATA = Path(__file__).parents[2] / "crates" / "queue" / "tests" / "data"


def test_gps_by_hand() -> None:
    # Weights 1 and 3 at 4 bit/s: 1 and 3 bit/s. The second is finished at 4 s; the other 8 bits of the first then have the line alone.
    assert gps_finish_times(4.0, [(0.0, 0, 12.0), (0.0, 1, 12.0)], [1, 3]) == [6.0, 4.0]
    # A pause of the line; then two packets of one flow, one after the other.
    assert gps_finish_times(1.0, [(0.0, 0, 2.0), (5.0, 0, 3.0), (5.0, 0, 1.0)]) == [2.0, 8.0, 9.0]
    assert gps_finish_times(1.0, []) == []
    assert gps_finish_times(Fraction(3), [(Fraction(0), f, Fraction(1)) for f in range(2)]) == [Fraction(2, 3)] * 2
    for wrong in ([(1.0, 0, 1.0), (0.0, 0, 1.0)], [(0.0, 0, 0.0)]):
        with pytest.raises(ValueError, match="expected"):
            gps_finish_times(1.0, wrong)


@given(
    packets=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3), st.integers(1, 30)), min_size=1, max_size=25),
    weights=st.lists(st.integers(1, 5), min_size=4, max_size=4),
)
def test_gps_serves_by_weight_and_never_idles(packets: list[tuple[int, int, int]], weights: list[int]) -> None:
    time, exact = 0, []
    for gap, flow, size in packets:
        time += gap
        exact.append((Fraction(time), flow, Fraction(size)))
    got = gps_finish_times(Fraction(7), exact, weights)
    # The line: busy from the first arrival on, or from the next one after all is done.
    free = Fraction(0)
    for at, _, size in exact:
        free = max(free, at) + size / 7
    assert max(got) == free
    # A flow's packets: no faster than the line, and no slower than the flow's share of it.
    last: dict[int, Fraction] = {}
    for (at, flow, size), done in zip(exact, got, strict=True):
        start = max(at, last.get(flow, Fraction(0)))
        assert start + size / 7 <= done <= start + size * sum(weights) / (7 * weights[flow])
        last[flow] = done
    floats = gps_finish_times(7.0, [(float(t), f, float(s)) for t, f, s in exact], weights)
    assert floats == pytest.approx([float(x) for x in got])


def test_fair_shares_by_hand() -> None:
    # Figure 3a: flow i sends i + 1 times its share of 10 Mbit/s; all get 0.3125.
    assert csfq_shares(10, [0.3125 * (i + 1) for i in range(32)]) == pytest.approx([0.3125] * 32)
    # Weights 1, 2, 4, 8 of 10 Mbit/s.
    assert csfq_shares(10, [8] * 4, [1, 2, 4, 8]) == pytest.approx([2 / 3, 4 / 3, 8 / 3, 16 / 3])
    # One below its weighted share leaves the rest to the other.
    assert csfq_shares(10, [2, 100], [9, 1]) == pytest.approx([2, 8])
    with pytest.raises(ValueError, match="capacity 0"):
        csfq_fair_share(0, [1])


@given(rates=RATES, capacity=st.floats(0.1, 200), data=st.data())
def test_fair_shares_are_max_min_and_fill_the_line(rates: list[float], capacity: float, data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(1, 9), min_size=len(rates), max_size=len(rates)))
    got = csfq_shares(capacity, rates, weights)
    assert got.sum() == pytest.approx(min(sum(rates), capacity))
    assert got == pytest.approx(max_min(capacity, rates, weights))
    share = csfq_fair_share(capacity, rates, weights)
    assert csfq_accepted_rate(share, rates, weights) == pytest.approx(min(sum(rates), capacity))


@given(rates=RATES, points=st.lists(st.floats(0, 150), min_size=3, max_size=3))
def test_the_accepted_rate_rises_ever_more_slowly(rates: list[float], points: list[float]) -> None:
    low, middle, high = sorted(points)
    f = [csfq_accepted_rate(x, rates) for x in (low, middle, high)]
    assert f[0] <= f[1] <= f[2]
    # Continuous: no steeper than the number of flows. Concave: the middle is above the chord.
    assert f[2] - f[0] <= len(rates) * (high - low) + 1e-9
    if high > low:
        assert f[1] >= f[0] + (f[2] - f[0]) * (middle - low) / (high - low) - 1e-9
    assert csfq_accepted_rate(0, rates) == 0
    assert csfq_accepted_rate(max(rates), rates) == pytest.approx(sum(rates))


@given(rates=RATES, capacities=st.lists(st.floats(0.1, 200), min_size=1, max_size=4))
def test_a_chain_gives_the_least_of_the_shares(rates: list[float], capacities: list[float]) -> None:
    left = np.array(rates)
    for capacity in capacities:
        left = csfq_shares(capacity, left)
    everywhere = [range(len(capacities))] * len(rates)
    assert csfq_chain(capacities, everywhere, rates) == pytest.approx(left)
    assert csfq_chain(capacities, everywhere, rates) == pytest.approx(max_min(min(capacities), rates))


def test_theorem_1() -> None:
    with (DATA / "csfq_theorem1.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 15
    for row in rows:
        bound = csfq_excess_bound(
            float(row["r_alpha_bps"]), float(row["R_bps"]), float(row["K_s"]), float(row["l_max_bits"])
        )
        assert bound == pytest.approx(float(row["bound_bits"]), abs=0.06)
    assert csfq_excess_bound(1e6, 4e6, 0.1, 8000, weight=2) == pytest.approx(csfq_excess_bound(2e6, 4e6, 0.1, 8000))
    assert csfq_excess_bound(1e6, 5e5, 0.1, 8000) == pytest.approx(1e5 + 8000)


def test_delay_bounds_by_hand() -> None:
    # A flow of weight 10 beside ten of weight 1, packets of 12 kbit at 1 Mbit/s, 12 ms each: the same numbers as in the Rust tests.
    assert fair_queueing_delay_bound(12_000, 5e5, 1e6, 12_000) == pytest.approx(3 * 0.012)
    assert scfq_delay_bound(12_000, 5e5, 1e6, [12_000] * 10) == pytest.approx(12 * 0.012)
    assert drr_delay_bound(12_000, 1e6, 120_000, 240_000) == pytest.approx(42 * 0.012)
    with pytest.raises(ValueError, match="quantum"):
        drr_delay_bound(1, 1, 2, 1)


def test_a_simulated_chain_follows_the_fluid() -> None:
    # Three lines in a row, two flows over all of them and one joining at each.
    sources = ["a", "b", "c", "d", "e"]
    enters = {"a": "r1", "b": "r1", "c": "r1", "d": "r2", "e": "r3"}
    rates, weights, routes = [6.0, 2.0, 9.0, 9.0, 9.0], [1, 1, 2, 1, 3], [[0, 1, 2]] * 3 + [[1, 2], [2]]
    capacities = [10.0, 8.0, 9.0]
    queue = {"kind": "csfq", "buffer": "64KB"}
    lines = zip(["r1", "r2", "r3"], ["r2", "r3", "k"], capacities, strict=True)
    hosts: list[dict[str, object]] = [{"name": n, "kind": "host"} for n in [*sources, "k"]]
    scenario = {
        "duration": "60s", "interval": "10s",
        "nodes": hosts + [{"name": n} for n in ("r1", "r2", "r3")],
        "links": [{"from": s, "to": r, "rate": "1Gbit/s"} for s, r in enters.items()]
        + [{"from": a, "to": b, "rate": f"{c:g}Mbit/s", "delay": "1ms", "queue": queue} for a, b, c in lines],
        "flows": [
            {
                "name": s, "from": s, "to": "k", "weight": w, "acknowledge": False, "control": {"kind": "none"},
                "workload": {"kind": "cbr", "rate": f"{r:g}Mbit/s"}, "start_spread": "1ms",
            }
            for s, w, r in zip(sources, weights, rates, strict=True)
        ],
    }  # fmt: skip
    got = headgate.Scenario(scenario).run().flows["received_bytes"] * 8 / 50e6
    assert got == pytest.approx(csfq_chain(capacities, routes, rates, weights), rel=0.05)
