"""Equilibria of payoffs written by hand, and of random ones against a checker that goes over all players one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.lab.games.theory import PayoffTable, bounds, count, is_gain, mix_text, mixes, moved
from headgate.stats import Mean, mean_of


def test_prisoners_both_defect_though_both_lose() -> None:
    table = PayoffTable({(2, 0): [3.0, None], (1, 1): [0.0, 5.0], (0, 2): [None, 1.0]}, 0.0)
    assert table.equilibria == [(0, 2)]
    assert table.best_mix == (2, 0)
    assert table.path((2, 0)) == [(2, 0), (1, 1), (0, 2)]
    assert table.price((0, 2)).mean == pytest.approx(2 / 3)
    assert table.price((2, 0)).mean == 0
    best = table.best((2, 0))
    assert best is not None
    assert (best.leaves, best.joins, best.gain.mean) == (0, 1, 2.0)


def test_those_who_want_the_same_have_two_equilibria() -> None:
    table = PayoffTable({(2, 0): [2.0, None], (1, 1): [0.0, 0.0], (0, 2): [None, 1.0]}, 0.0)
    assert table.equilibria == [(2, 0), (0, 2)]
    assert table.path((1, 1)) == [(1, 1), (2, 0)]
    assert table.price((0, 2)).mean == 0.5


def test_a_mix_is_an_equilibrium_where_the_curves_cross() -> None:
    """Four flows; B is paid 8 - 2k beside k of B, A always 3: B at k is worth joining up to k = 2."""
    table = PayoffTable(
        {(4 - k, k): [3.0 if k < 4 else None, 8.0 - 2 * k if k else None] for k in range(5)}, 0.0
    )  # fmt: skip
    assert table.equilibria == [(2, 2)]
    assert table.path((4, 0))[-1] == table.path((0, 4))[-1] == (2, 2)
    assert table.path((0, 4)) == [(0, 4), (1, 3), (2, 2)]


def test_equal_payoffs_are_equilibria_everywhere() -> None:
    table = PayoffTable({(1, 0): [1.0, None], (0, 1): [None, 1.0]}, 0.0)
    assert table.equilibria == [(1, 0), (0, 1)]


def test_a_cycle_ends() -> None:
    """Rock, paper and scissors of one flow against nothing: each next one gains."""
    table = PayoffTable(
        {(1, 0, 0): [1.0, None, None], (0, 1, 0): [None, 1.0, None], (0, 0, 1): [None, None, 1.0]}, -0.5
    )
    path = table.path((1, 0, 0))
    assert path[-1] in path[:-1]
    assert table.equilibria == []


def test_the_tolerance_is_what_is_no_gain() -> None:
    row = {(1, 0): [1.0, None], (0, 1): [None, 1.5]}
    assert PayoffTable(row, 0.4).equilibria == [(0, 1)]
    assert PayoffTable(row, 0.5).equilibria == [(1, 0), (0, 1)]


def test_an_interval_around_the_tolerance_is_undecided() -> None:
    noisy = {(1, 0): [[1.0, 1.0, 1.0], None], (0, 1): [None, [0.9, 1.1, 1.05]]}
    table = PayoffTable(noisy, 0.02)
    assert table.verdicts == {(1, 0): "undecided", (0, 1): "undecided"}
    assert table.path((1, 0)) == [(1, 0)]
    # Pairs decide: the same spread in both is none in the difference.
    paired = {(1, 0): [[1.0, 2.0, 3.0], None], (0, 1): [None, [1.5, 2.5, 3.5]]}
    assert PayoffTable(paired, 0.02).verdicts == {(1, 0): "not", (0, 1): "equilibrium"}
    # A single run decides nothing, and a run that failed is left out.
    assert PayoffTable({(1, 0): [[1.0], None], (0, 1): [None, [2.0]]}, 0.0).undecided == [(1, 0), (0, 1)]
    holes = {(1, 0): [[1.0, math.nan, 3.0], None], (0, 1): [None, [1.5, 2.5, 3.5]]}
    best = PayoffTable(holes, 0.02).best((1, 0))
    assert best is not None
    assert best.gain.n == 2


def test_one_gain_that_is_certain_decides() -> None:
    """Whatever is not known of the other changes."""
    rows = {
        (1, 0, 0): [[1.0, 1.0], None, None],
        (0, 1, 0): [None, [2.0, 2.1], None],
        (0, 0, 1): [None, None, [-9.0, 9.0]],
    }
    table = PayoffTable(rows, 0.0)
    assert table.verdicts == {(1, 0, 0): "not", (0, 1, 0): "undecided", (0, 0, 1): "undecided"}
    best = table.best((1, 0, 0))
    assert best is not None
    assert (best.joins, best.gain.mean) == (1, pytest.approx(1.05))


def test_intervals_are_those_of_student() -> None:
    values = np.array([0.1, 0.3, 0.2, 0.4])
    gain = mean_of(values)
    half = 3.182446 * values.std(ddof=1) / 2
    assert bounds(gain) == (pytest.approx(0.25 - half, abs=1e-6), pytest.approx(0.25 + half, abs=1e-6))
    low, high = bounds(gain)
    assert is_gain(gain, low - 1e-9) is True
    assert is_gain(gain, low) is None
    assert is_gain(gain, high) is False
    assert is_gain(gain, high - 1e-9) is None
    assert is_gain(Mean(1.0, 0.0, 3, True), 1.0) is False


def test_equal_runs_are_no_sample() -> None:
    copies = {(1, 0): [[1.0, 1.0], None], (0, 1): [None, [2.0, 2.0]]}
    table = PayoffTable(copies, 0.0, exact=True)
    assert table.verdicts == {(1, 0): "not", (0, 1): "equilibrium"}
    assert table.payoff((0, 1), 1).exact


def test_what_does_not_add_up_is_averaged() -> None:
    rows = {(3, 0): [-2.0, None], (2, 1): [-1.0, -4.0], (1, 2): [-3.0, -3.0], (0, 3): [None, -9.0]}
    table = PayoffTable(rows, 0.0, adds=False)
    assert table.total((2, 1)).tolist() == [-2.0]
    assert table.best_mix in ((3, 0), (2, 1))
    assert PayoffTable(rows, 0.0).total((2, 1)).tolist() == [-6.0]
    assert table.price((0, 3)).mean == pytest.approx(3.5)


def test_a_payoff_without_a_flow_is_refused() -> None:
    for row in ([1.0, 1.0], [None, None]):
        with pytest.raises(ValueError, match="expected a payoff"):
            PayoffTable({(1, 0): row}, 0.0)


def test_mixes_are_all_and_each_once() -> None:
    for flows, kinds in itertools.product((1, 2, 5), (1, 2, 3)):
        found = list(mixes(flows, kinds))
        assert len(found) == len(set(found)) == count(flows, kinds)
        assert all(sum(mix) == flows and min(mix) >= 0 for mix in found)
    assert mix_text((0, 3, 1), ["a", "b", "c"]) == "3 b, 1 c"
    assert moved((2, 1), 1, 0) == (3, 0)


def _brute_force(payoffs: dict[tuple[int, ...], list[float | None]], flows: int, kinds: int) -> set[tuple[int, ...]]:
    """Nash's definition over players by name: every choice of every player, and every other one that one of them might make."""
    out = set()
    for choice in itertools.product(range(kinds), repeat=flows):

        def paid(who: int, by: tuple[int, ...]) -> float:
            value = payoffs[tuple(by.count(kind) for kind in range(kinds))][by[who]]
            assert value is not None
            return value

        stays = all(
            paid(who, (*choice[:who], other, *choice[who + 1 :])) <= paid(who, choice)
            for who in range(flows)
            for other in range(kinds)
        )
        if stays:
            out.add(tuple(choice.count(kind) for kind in range(kinds)))
    return out


@st.composite
def games(draw: st.DrawFn) -> tuple[dict[tuple[int, ...], list[float | None]], int, int]:
    flows, kinds = draw(st.integers(1, 4)), draw(st.integers(2, 3))
    # Few values, so that equal ones are common.
    value = st.integers(-3, 3)
    return {mix: [float(draw(value)) if n else None for n in mix] for mix in mixes(flows, kinds)}, flows, kinds


@given(games())
def test_equilibria_are_those_of_all_players_one_by_one(
    made: tuple[dict[tuple[int, ...], list[float | None]], int, int],
) -> None:
    payoffs, flows, kinds = made
    table = PayoffTable(payoffs, 0.0)
    assert set(table.equilibria) == _brute_force(payoffs, flows, kinds)
    assert not table.undecided
    for mix in payoffs:
        path = table.path(mix)
        assert path[-1] in path[:-1] or table.verdicts[path[-1]] == "equilibrium"
        assert all(sum(abs(a - b) for a, b in zip(x, y, strict=True)) == 2 for x, y in itertools.pairwise(path))
        assert table.price(mix).n == 0 or table.price(mix).mean >= 0


@given(games(), st.integers(0, 3))
def test_copies_of_runs_that_differ_by_a_constant_decide_as_one(
    made: tuple[dict[tuple[int, ...], list[float | None]], int, int], tolerance: int
) -> None:
    """What all flows of a run are paid more is in no gain."""
    payoffs, _, _ = made
    shifts = np.array([0.0, 10.0, -4.0])
    runs = {mix: [None if v is None else v + shifts for v in row] for mix, row in payoffs.items()}
    half = tolerance + 0.5  # between whole numbers, where no rounding decides
    assert PayoffTable(runs, half).verdicts == PayoffTable(payoffs, half).verdicts
