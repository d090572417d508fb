"""The points that a picture shows: they are points of the line, and of each pixel the extremes are among them."""

from __future__ import annotations

import json

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from headgate.explore.views import Line, View, picture

Array = npt.NDArray[np.float64]

#: Values that are all different, or a few of which several are equal, or none for some.
VALUES = {
    "all": lambda rng, n: rng.normal(size=n),
    "few": lambda rng, n: rng.integers(0, 4, n).astype(float),
    "gaps": lambda rng, n: np.where(rng.random(n) < 0.5, rng.integers(0, 9, n), np.nan),
}


def reduced(t: Array, y: Array, start: float, end: float, width: int) -> tuple[Array, Array]:
    view = View(picture("v", "v", "s", [Line("a", None, t, y)]))
    (series,) = json.loads(view.core.points(start, end, width))["series"]
    return np.array(series["t"], dtype=np.float64), np.array(series["y"], dtype=np.float64)


@given(
    st.integers(0, 2**32), st.integers(0, 400), st.sampled_from(list(VALUES)), st.integers(1, 8), st.integers(-10, 60), st.integers(1, 80)
)  # fmt: skip
def test_of_each_pixel_the_first_the_least_the_greatest_and_the_last(
    seed: int, count: int, kind: str, width: int, start: int, span: int
) -> None:
    rng = np.random.default_rng(seed)
    t = np.sort(rng.integers(0, 60, count)).astype(float)
    y = VALUES[kind](rng, count)
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
