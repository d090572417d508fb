"""Throughput behind RED in closed form (Hasegawa et al. 2001, equations 3 to 32), against values computed independently of this package."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.analysis import max_min
from headgate.papers.formulas import enhanced_red, red_reno, red_vegas

DATA = Path(__file__).parents[1] / "data/hasegawa2001"

#: The paper's network: input links of 64 to 512 kbit/s in packets of 16 kbit, 100 ms one way.
ACCESS = [4.0, 8.0, 16.0, 32.0]
DELAY = 0.1
PACKET = 16.0

Rows = list[dict[str, str]]


def read(name: str) -> Rows:
    with (DATA / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def groups(rows: Rows, *keys: str) -> Iterable[Rows]:
    found: dict[tuple[str, ...], Rows] = defaultdict(list)
    for row in rows:
        found[tuple(row[k] for k in keys)].append(row)
    return found.values()


def agrees(ours: float, text: str) -> bool:
    """Within 1e-6, beyond half a unit of the last digit that is written."""
    half = 0.5 * 10.0 ** -len(text.partition(".")[2])
    return abs(ours - float(text)) <= half * (1 + 1e-6) + 1e-6 * abs(float(text))


def differing(ours: dict[str, np.ndarray], rows: Rows) -> list[tuple[str, int]]:
    return [
        (name, i) for name, values in ours.items() for i, row in enumerate(rows) if not agrees(values[i], row[name])
    ]


def test_reno_meets_all_checked_values() -> None:
    tables = list(groups(read("reno_red_analysis.csv"), "reading", "p", "BW_kbps"))
    assert len(tables) == 46
    for rows in tables:
        first = rows[0]
        found = red_reno(
            ACCESS,
            float(first["BW_kbps"]) / PACKET,
            DELAY,
            float(first["p"]),
            "time" if first["reading"] == "time_consistent" else "rates",
        )
        ours = {
            "Wmax_packets": found.peak,
            "Wa_packets": found.window,
            "rho_kbps": PACKET * found.rate,
            "RTT_s": found.rtt,
            "RTO_s": found.timeout,
            "P_to": found.timeout_share,
            "rho_prime_kbps": PACKET * found.throughput,
            "relative_throughput": found.throughput / ACCESS,
        }
        assert differing(ours, rows) == []
        assert agrees(PACKET * found.throughput.sum(), first["sum_rho_prime_kbps"])


def test_phases_meet_all_checked_values() -> None:
    rows = read("reno_red_phases.csv")
    assert len(rows) == 80
    for row in rows:
        phases = red_reno(ACCESS, float(row["BW_kbps"]) / PACKET, DELAY, float(row["p"])).phases
        # The paper counts phases by their connections, so that the last one to be served is the first.
        k, i = 4 - int(row["phase_j"]), int(row["connection_i"]) - 1
        assert agrees(phases.packets[k, i], row["W_ij_packets"])
        assert agrees(phases.packets[k].sum(), row["sum_W_kj_packets"])
        assert agrees(phases.service[k], row["S_j_packets_per_s"])
        assert agrees(phases.duration[k], row["T_j_s"])
        assert agrees(phases.packets[k, i] / phases.duration[k], row["rate_ij_packets_per_s"])


def test_enhanced_red_meets_all_checked_values_in_as_many_steps() -> None:
    tables = list(groups(read("enhanced_red_p.csv"), "case", "p_initial", "BW_kbps"))
    assert len(tables) == 72
    for rows in tables:
        access = [float(row["bw_kbps"]) / PACKET for row in rows]
        # The csv rounds what a queue is served with; it is in proportion to its connections' input links.
        share = 1 if len(access) == 4 else sum(access) / sum(ACCESS)
        found = enhanced_red(access, float(rows[0]["BW_kbps"]) / PACKET * share, DELAY, float(rows[0]["p_initial"]))
        ours = {
            "p_i": found.loss,
            "rho_prime_kbps": PACKET * found.throughput,
            "ideal_kbps": PACKET * found.ideal,
        }
        assert differing(ours, rows) == []
        assert (found.steps, str(found.converged)) == (int(rows[0]["iterations"]), rows[0]["converged"])


def test_vegas_meets_all_checked_values() -> None:
    tables = list(groups(read("vegas_red_analysis.csv"), "alpha", "beta", "eq24_extra_delay", "BW_kbps"))
    assert len(tables) == 60
    for rows in tables:
        first = rows[0]
        found = red_vegas(
            ACCESS,
            float(first["BW_kbps"]) / PACKET,
            DELAY,
            0.02,
            float(first["alpha"]),
            float(first["beta"]),
            first["eq24_extra_delay"] == "1/rho_i",
        )
        ours = {
            "rho_kbps": PACKET * found.rate,
            "l_segments": found.queued,
            "rtt_s": found.rtt,
            "W_segments": found.window,
            "rho1_kbps": PACKET * found.first_rate,
            "rho_hat_kbps": PACKET * found.throughput,
            **{f"T{k + 1}_s": found.duration[k] for k in range(3)},
            **{f"A{k + 1}_segments": found.packets[k] for k in range(3)},
        }
        assert differing(ours, rows) == []
        assert found.capped == int(first["M"])


many = st.lists(st.floats(0.5, 100), min_size=1, max_size=30)


@given(many, st.floats(0.001, 0.5))
def test_a_line_as_fast_as_all_inputs_gives_each_its_input(access: list[float], loss: float) -> None:
    for line in (sum(access), 3 * sum(access)):
        np.testing.assert_allclose(red_reno(access, line, DELAY, loss).rate, access, rtol=1e-9)
        np.testing.assert_allclose(red_vegas(access, line, DELAY, loss).rate, access, rtol=1e-9)


@given(many, st.floats(0.05, 1), st.floats(0.001, 0.1), st.floats(0.1, 5))
def test_without_timeouts_only_the_ratios_of_windows_count(
    access: list[float], load: float, loss: float, factor: float
) -> None:
    line, losses = load * sum(access), loss * np.linspace(0.5, 1, len(access))
    one, other = (red_reno(access, line, DELAY, p).rate for p in (losses, losses * factor))
    np.testing.assert_allclose(one, other, rtol=1e-9)


@given(many, st.floats(0.05, 0.99))
def test_the_fastest_gets_its_fair_share_and_none_gets_less(access: list[float], load: float) -> None:
    found = red_reno(access, load * sum(access), DELAY, 0.02).rate / access
    assert found.min() == pytest.approx(load)
    assert found[int(np.argmax(access))] == pytest.approx(load)


@given(many, st.floats(0.05, 0.99), st.randoms())
def test_the_order_of_the_connections_plays_no_part(access: list[float], load: float, random: object) -> None:
    order = list(range(len(access)))
    random.shuffle(order)  # type: ignore[attr-defined]
    line = load * sum(access)
    for theory in (red_reno, red_vegas):
        found = theory(access, line, DELAY, 0.02).throughput
        again = theory([access[i] for i in order], line, DELAY, 0.02).throughput
        np.testing.assert_allclose(found[order], again, rtol=1e-9)


@given(many, st.floats(0.05, 2), st.floats(0, 5), st.floats(0, 5))
def test_vegas_rates_are_the_max_min_shares_whatever_alpha_and_beta(
    access: list[float], load: float, alpha: float, more: float
) -> None:
    line = load * sum(access)
    found = red_vegas(access, line, DELAY, 0.02, alpha, alpha + more)
    np.testing.assert_allclose(found.rate, max_min(line, access), rtol=1e-12)
    # Equation 15 with the l_i that follow: a connection below its input link has its share of what the gateway holds (equation 23).
    below = found.rate < np.asarray(access) * (1 - 1e-9)
    left = line - found.rate[~below].sum()
    np.testing.assert_allclose(found.rate[below], found.queued[below] / found.queued[below].sum() * left, rtol=1e-6)


def test_a_cycle_of_vegas_has_one_loss() -> None:
    found = red_vegas(ACCESS, 55, DELAY, 0.02)
    np.testing.assert_allclose(found.packets.sum(axis=0), 50)
    # With losses so frequent that no window converges, the third phase is empty.
    assert (red_vegas(ACCESS, 55, DELAY, 0.5).packets[2] == 0).all()


def test_without_timeouts_enhanced_red_would_be_settled_by_the_square_of_the_inputs() -> None:
    losses = 0.02 / np.array([1, 4, 16, 64])
    found = red_reno(ACCESS, 25, DELAY, losses).rate / ACCESS
    np.testing.assert_allclose(found, 25 / 60)


def test_enhanced_red_gives_up() -> None:
    found = enhanced_red(ACCESS, 25, DELAY, most=10)
    assert (found.steps, found.converged) == (10, False)
    assert enhanced_red(ACCESS, 60, DELAY).steps == 0


def test_every_packet_lost_is_a_timeout_of_every_window() -> None:
    assert red_reno(ACCESS, 25, DELAY, 1.0).timeout_share.tolist() == [1.0] * 4


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: red_reno([], 1, 0, 0.1), "access"),
        (lambda: red_reno([1, math.nan], 1, 0, 0.1), "access"),
        (lambda: red_reno([1, -1], 1, 0, 0.1), "access"),
        (lambda: red_reno([1], 0, 0, 0.1), "line 0"),
        (lambda: red_reno([1], 1, -1, 0.1), "delay -1"),
        (lambda: red_reno([1], 1, 0, 0), "loss 0"),
        (lambda: red_reno([1, 1, 1], 1, 0, [0.1, 0.1]), "each of 3"),
        (lambda: red_reno([1], 1, 0, 0.1, "A"), "reading 'A'"),  # type: ignore[arg-type]
        (lambda: enhanced_red([1], 1, 0, increase=1), "factors"),
        (lambda: enhanced_red([1], 1, 0, decrease=1), "factors"),
        (lambda: enhanced_red([1], 1, 0, tolerance=-1), "tolerance"),
        (lambda: red_vegas([1], 1, 0, 0.1, alpha=3, beta=2), "alpha 3"),
        (lambda: red_vegas([1], 1, 0, 1.5), "loss 1.5"),
    ],
)
def test_what_cannot_be_is_refused(call: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()  # type: ignore[operator]
