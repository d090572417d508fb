"""The points that a picture shows: they are points of the line, and of each pixel the extremes are among them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headgate.explore.reduce import reduced

VALUES = st.one_of(st.floats(-1e9, 1e9), st.just(float("nan")), st.sampled_from([0.0, 1.0, -1.0]))


@given(
    st.lists(st.tuples(st.integers(0, 400), VALUES), max_size=600),
    st.integers(1, 40), st.integers(-10, 200), st.integers(1, 300),
)  # fmt: skip
def test_of_each_pixel_the_first_the_least_the_greatest_and_the_last(
    points: list[tuple[int, float]], width: int, start: int, span: int
) -> None:
    points.sort(key=lambda p: p[0])
    t, y = (np.array([p[i] for p in points], dtype=float) for i in (0, 1))
    end = start + span
    u, v = reduced(t, y, start, end, width)
    inside = (u >= start) & (u <= end)
    assert inside.sum() <= max(4 * width, 0)
    assert (~inside).sum() <= 2
    assert (np.diff(u) >= 0).all()
    # All are points of the line.
    whole = {(a, b) for a, b in zip(t.tolist(), np.nan_to_num(y, nan=1e300).tolist(), strict=True)}
    assert set(zip(u.tolist(), np.nan_to_num(v, nan=1e300).tolist(), strict=True)) <= whole
    # The neighbours outside are there, so that lines enter and leave the picture where they should.
    for side, where in ((t[t < start], u[u < start]), (t[t > end], u[u > end])):
        assert bool(side.size) == bool(where.size)
    edges = np.linspace(start, end, width + 1)
    for i in range(width):
        last = i == width - 1
        own, kept = ((x >= edges[i]) & ((x <= edges[i + 1]) if last else (x < edges[i + 1])) for x in (t, u))
        assert own.any() == kept.any()
        if not own.any():
            continue
        a, b = y[own], v[kept]
        for of in (np.fmin, np.fmax):
            assert of.reduce(a) == of.reduce(b) or np.isnan(a).all()
        assert (t[own][0], t[own][-1]) == (u[kept][0], u[kept][-1])
        np.testing.assert_equal((a[0], a[-1]), (b[0], b[-1]))


def test_few_points_stay_as_they_are() -> None:
    t, y = np.arange(10.0), np.arange(10.0) ** 2
    for got, wanted in zip(reduced(t, y, -1.0, 20.0, 100), (t, y), strict=True):
        assert got.tolist() == wanted.tolist()


def test_a_line_without_points_has_none() -> None:
    t, y = reduced(np.empty(0), np.empty(0), 0.0, 1.0, 100)
    assert t.size == y.size == 0
