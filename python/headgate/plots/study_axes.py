"""Which axes of a study a figure shows: across, as series, or pooled; never a mean that was not requested."""

from __future__ import annotations

import math
from itertools import product

from ..base.errors import HeadgateError
from ..comparison.values import Cube
from ..sweep.axes import Axis, find_axis

#: Maximum number of series of which some were not requested.
FEW = 10


def series_axes(whole: Cube, across: int | None, by: str | None, pool: bool) -> list[int]:
    """The axes of the series: that of `by`, and all others that are neither drawn nor pooled.

    Raises:
        HeadgateError: the others have too many points for a series each.
    """
    chosen = [] if by is None else [find_axis(whole.axes, by)]
    rest = [] if pool else rest_of(whole, {across, *chosen})
    if rest and math.prod(len(whole.axes[i]) for i in (*chosen, *rest)) > FEW:
        raise unclear(whole, rest, "" if chosen else f"--by {whole.axes[rest[0]].name} for a line for each point, ")
    return [*chosen, *rest]


def rest_of(whole: Cube, drawn: set[int | None]) -> list[int]:
    """The axes with several points that are not drawn; flows and ports are combined as the metric says."""
    return [i for i, axis in enumerate(whole.axes) if i not in drawn and len(axis) > 1]


def unclear(whole: Cube, rest: list[int], by: str) -> HeadgateError:
    """A mean over these axes was not requested: one of quantiles, or over very different points, would mean nothing."""
    names = [f"{whole.axes[i].name} ({len(whole.axes[i])} points)" for i in rest]
    some = f"axes {' and '.join([', '.join(names[:-1]), names[-1]])}: are" if len(names) > 1 else f"axis {names[0]}: is"
    where = f"--where {whole.axes[rest[0]].name}=VALUE for one of them"
    return HeadgateError(f"{some} neither drawn nor chosen; expected {by}{where}, or --pool for the mean over them")


def legend_of(whole: Cube, series: list[int]) -> str:
    """The axes of the series, as the head of their names."""
    return ", ".join(whole.axes[i].name for i in series)


def kept(whole: Cube, across: int | None, series: list[int]) -> Cube:
    """The cube with two axes, that across and that of the series; one without points stands in for an axis that is not there."""
    if across in series:
        raise HeadgateError(f"{whole.axes[series[0]].name}: expected two different axes")
    data = whole.pool([i for i in (across, *series) if i is not None])
    none = Axis("", (), [()], {"": [""]})
    first = none if across is None else data.axes[0]
    apart = data.axes[0 if across is None else 1 :]
    names = [", ".join(point) for point in product(*([str(c) for c in a.columns[a.name]] for a in apart))]
    second = Axis("", (), [()] * len(names), {legend_of(whole, series): names}) if apart else none
    shape = (len(first), len(second))
    values, ran = data.values.reshape(*shape, -1), data.ran.reshape(*shape, -1)
    return Cube(data.metric, [first, second], values, ran, data.exact.reshape(shape))
