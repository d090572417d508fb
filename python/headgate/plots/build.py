"""From a study to a figure: the numbers that are shown, and their captions."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ..base.atomic import require_place
from ..base.counts import counted, verb
from ..base.errors import HeadgateError, nearest
from ..base.units import scale_of
from ..comparison.metrics import find
from ..comparison.values import Cube, cube
from ..stats import mean_of
from ..sweep.axes import Axis, find_axis
from ..sweep.values import is_number
from .content import MOST_SERIES, Array, Grid, Scale, Series
from .figure import Figure, form_of
from .study_axes import kept, legend_of, rest_of, series_axes, unclear

if TYPE_CHECKING:
    from ..sweep import Study

#: Kinds of figures.
KINDS = ("line", "heatmap", "utility", "cdf")


@dataclass(frozen=True)
class Request:
    """The arguments of `plot`."""

    study: Study
    metric: str
    flow: str | None
    link: str | None
    over: str | None
    x: str | None
    y: str | None
    by: str | None
    delay: str
    log_y: bool
    pool: bool

    def cube(self, metric: str, split: bool = False) -> Cube:
        """The cube of a metric of the flows or ports asked for."""
        split = split or "flow" in (self.x, self.y, self.by) or "link" in (self.x, self.y, self.by)
        return cube(self.study, metric, self.flow, self.link, self.over, split)


def plot(
    study: Study,
    metric: str = "goodput",
    out: str | os.PathLike[str] | None = None,
    *,
    kind: str = "line",
    x: str | None = None,
    y: str | None = None,
    by: str | None = None,
    flow: str | None = None,
    link: str | None = None,
    over: str | None = None,
    delay: str = "rtt",
    log_y: bool = False,
    pool: bool = False,
) -> Figure:
    """Draws a metric of a study.

    Each point of an axis that is neither drawn nor pooled has its own line, as those of `by` have; `study.select(...)` picks points.

    Args:
        study: also one that is not complete; the caption names what is missing.
        metric: a column of a table or a short name such as `p99_delay`.
        out: a file to write, in the form that its name ends in: svg, png, pdf or html.
        kind: `line` (metric against axis x with 95 % intervals), `heatmap` (metric over the axes x and y), `utility` (metric against
            delay, as in Keshav 1991: a point for each flow or, if x is given, for each point of that axis) or `cdf` (the
            distribution over runs and flows, a curve for each variant, those of `by` first).
        x: axis, or `flow`; of a line, the first axis of numbers unless given.
        y: axis of a heat map.
        by: axis, or `flow`, of which each point becomes a series.
        flow: which flows: a name or a pattern; all unless given.
        link: which ports, for metrics of ports.
        over: how several flows or ports of a run are combined: `total`, `mean`, `least`, `most` or `jain`.
        delay: metric of the vertical axis of a utility diagram.
        log_y: a logarithmic vertical axis.
        pool: take the mean over axes that are not drawn, within each replication; the caption says so.

    Raises:
        HeadgateError: there is no such kind, metric, axis, flow or port, an axis with many points is neither drawn nor pooled, or the file
            cannot be written.
        MissingExtraError: matplotlib or, for html, plotly is not installed.
    """
    if kind not in KINDS:
        hint = nearest(kind, KINDS)
        raise HeadgateError(f"kind {kind}: expected one of {', '.join(KINDS)}{hint and '.' + hint}")
    if out is not None:
        form_of(out)
        require_place(out)
    if y is not None and kind != "heatmap":
        raise HeadgateError(f"y {y}: is for a heatmap; found kind {kind}")
    request = Request(study, metric, flow, link, over, x, y, by, delay, log_y, pool)
    figure = {"line": _line, "heatmap": _heatmap, "utility": _utility, "cdf": _cdf}[kind](request)
    if len(figure.series) > MOST_SERIES:
        what = figure.legend or by
        raise HeadgateError(
            f"{what}: {len(figure.series)} curves; expected at most {MOST_SERIES}: select points of an axis with --where"
        )
    if out is not None:
        figure.save(out)
    return figure


def _line(r: Request) -> Figure:
    whole = r.cube(r.metric)
    across = find_axis(whole.axes, r.x) if r.x is not None else _usual_x(whole.axes, r.by)
    series_of = series_axes(whole, across, r.by, r.pool)
    data = kept(whole, across, series_of)
    axis = data.axes[0]
    numbers, x = _horizontal(axis)
    means, halves = _means(data)
    factor, unit = scale_of(data.metric.unit, means.ravel())
    means, halves = means * factor, halves * factor
    series = []
    for i, name in enumerate(_series_names(data)):
        # Names are side by side, so that their intervals can be distinguished.
        shift = 0.0 if x.names is None else 0.5 * ((i + 0.5) / means.shape[1] - 0.5)
        y, half = means[:, i], halves[:, i]
        series.append(Series(name, numbers + shift, y, y - half, y + half))
    log = r.log_y or _wide(means)
    return Figure(
        "line", _title(r, _metric_text(r, whole)), _caption(r, whole, data, "mean", "band" if x.names is None else "bar"), x,
        Scale(_with_unit(data.metric.label, unit), log), legend_of(whole, series_of), series,
    )  # fmt: skip


def _heatmap(r: Request) -> Figure:
    if r.x is None or r.y is None:
        raise HeadgateError("a heatmap needs two axes; expected --x and --y")
    if r.by is not None:
        raise HeadgateError(f"by {r.by}: a heatmap has no series; expected --x and --y only")
    whole = r.cube(r.metric)
    across, down = find_axis(whole.axes, r.x), find_axis(whole.axes, r.y)
    rest = [] if r.pool or across == down else rest_of(whole, {across, down})
    if rest:
        raise unclear(whole, rest, "")
    data = kept(whole, across, [down])
    means, halves = _means(data)
    factor, unit = scale_of(data.metric.unit, means.ravel())
    x, y = (Scale(a.name, names=[str(c) for c in a.columns[a.name]]) for a in data.axes)
    label = _with_unit(data.metric.label, unit)
    grid = Grid(label, means.T * factor, halves.T * factor)
    return Figure("heatmap", _title(r, _metric_text(r, whole)), _caption(r, whole, data, "mean", "±"), x, y, grid=grid)


def _utility(r: Request) -> Figure:
    """Throughput against delay; see `headgate.papers` for the diagrams of the thesis."""
    if find(r.delay, r.flow, r.link).table != find(r.metric, r.flow, r.link).table:
        raise HeadgateError(f"delay {r.delay}: is not measured of what {r.metric} is measured of")
    points = r.x or (None if r.by == "flow" else "flow")
    wholes = [r.cube(metric, split=points == "flow") for metric in (r.metric, r.delay)]
    across = wholes[0].axes[find_axis(wholes[0].axes, points)] if points is not None else None
    named = [str(c) for c in across.columns[across.name]] if across is not None else [""]
    place = None if points is None else find_axis(wholes[0].axes, points)
    series_of = series_axes(wholes[0], place, r.by, r.pool)
    pair = [kept(w, place, series_of) for w in wholes]
    scales = [scale_of(c.metric.unit, _means(c)[0].ravel()) for c in pair]
    pair = [replace(c, values=c.values * factor) for c, (factor, _) in zip(pair, scales, strict=True)]
    values = [c.values for c in pair]
    (x, x_half), (y, y_half) = (_means(c) for c in pair)
    series = []
    for i, name in enumerate(_series_names(pair[0])):
        some = ~np.isnan(x[:, i] + y[:, i])
        outlines = [o for k in np.flatnonzero(some) if (o := _ellipse(values[0][k, i], values[1][k, i])) is not None]
        u, v, du, dv = (a[:, i][some] for a in (x, y, x_half, y_half))
        texts = [t for t, yes in zip(named, some, strict=True) if yes]
        series.append(Series(name, u, v, v - dv, v + dv, u - du, u + du, texts, outlines))
    known = y[~np.isnan(y)]
    log = r.log_y or (known.size > 0 and known.min() > 0 and known.max() > 20 * known.min())
    labels = [_with_unit(c.metric.label, unit) for c, (_, unit) in zip(pair, scales, strict=True)]
    caption = _caption(
        r, wholes[0], pair[0], f"each point one {points or legend_of(wholes[0], series_of)}: mean", "cross"
    )
    return Figure(
        "utility", _title(r, " against ".join(_metric_text(r, w) for w in wholes)), f"{caption}; outline: one standard deviation",
        Scale(labels[0]), Scale(labels[1], log), legend_of(wholes[0], series_of), series, path=r.x is not None and points != "flow",
    )  # fmt: skip


def _cdf(r: Request) -> Figure:
    if r.x is not None:
        raise HeadgateError(f"x {r.x}: a cdf has the metric itself across; expected --by")
    wanted = find(r.metric, r.flow, r.link, r.over)
    split = r.over is None and not wanted.of_runs and wanted.over != "jain"
    data = r.cube(r.metric, split)
    by = None if r.by is None else find_axis(data.axes, r.by)
    # A curve for each variant: a mixture of variants would be no distribution of anything.
    apart = [i for i, axis in enumerate(data.axes) if i != by and axis.name not in ("flow", "link") and len(axis) > 1]
    apart = apart if by is None else [by, *apart]
    rows = np.moveaxis(data.values, apart, range(len(apart)))
    rows = rows.reshape(int(np.prod(rows.shape[: len(apart)])), -1)
    points = product(*([str(c) for c in data.axes[i].columns[data.axes[i].name]] for i in apart))
    names = [", ".join(point) for point in points]
    good = [np.sort(row[~np.isnan(row)]) for row in rows]
    factor, unit = scale_of(data.metric.unit, np.concatenate(good))
    series = [
        Series(name, np.concatenate([row[:1], row]) * factor, np.arange(row.size + 1) / row.size)
        for name, row in zip(names, good, strict=True)
        if row.size
    ]
    each = f"run and {wanted.table[:-1]}" if split and by != len(data.axes) - 1 else "run"
    labels = [data.axes[i].name for i in apart]
    _, fixed = _others(data, {"flow", "link", *labels})
    many = f"one value per {each}: {_span([row.size for row in good])} values in each curve"
    caption = "; ".join([many, *fixed]) + _state(r)
    title, across = _title(r, f"distribution of {_metric_text(r, data)}"), Scale(_with_unit(data.metric.label, unit))
    return Figure("cdf", title, caption, across, Scale("share"), ", ".join(labels), series)


def _usual_x(axes: list[Axis], by: str | None) -> int:
    """The first axis of numbers, or otherwise the first one, that has several points and is not drawn elsewhere."""
    skip = None if by is None else find_axis(axes, by)
    free = [i for i, axis in enumerate(axes) if len(axis) > 1 and i != skip]
    if not free:
        raise HeadgateError("this study has no axis with several points to draw across; expected --x, or --kind cdf")
    return next((i for i in free if _numbers(axes[i]) is not None), free[0])


def _series_names(data: Cube) -> list[str]:
    axis = data.axes[1]
    return [str(c) for c in axis.columns[axis.name]]


def _means(data: Cube) -> tuple[Array, Array]:
    """Mean and half of its 95 % interval over the replications; nan for one that there is not."""
    shape = data.exact.shape
    rows = data.values.reshape(-1, data.replications)
    found = [mean_of(row, bool(exact)) for row, exact in zip(rows, data.exact.ravel(), strict=True)]
    return np.array([m.mean for m in found]).reshape(shape), np.array([m.half for m in found]).reshape(shape)


def _numbers(axis: Axis) -> tuple[str, Array] | None:
    """The column of an axis that holds numbers, if there is one."""
    for name, cells in axis.columns.items():
        if all(is_number(c) for c in cells):
            return name, np.array(cells, dtype=np.float64)
    return None


def _horizontal(axis: Axis) -> tuple[Array, Scale]:
    """The positions of the points of an axis: at their numbers, or side by side under their names."""
    found = _numbers(axis)
    if found is None:
        return np.arange(len(axis), dtype=np.float64), Scale(axis.name, names=[str(c) for c in axis.columns[axis.name]])
    column, numbers = found
    factor, unit = scale_of(axis.unit(column), numbers)
    return numbers * factor, Scale(_with_unit(axis.name.replace("_", " "), unit), logarithmic(numbers))


def logarithmic(numbers: Array) -> bool:
    """Whether numbers are spaced by ratios rather than by steps; rounding to whole numbers does not matter.

    >>> [logarithmic(np.array(x)) for x in ([1.0, 3, 10, 32, 100], [1.0, 2, 3, 4], [1.0, 10], [0.0, 1, 10])]
    [True, False, False, False]
    """
    if len(numbers) < 3 or numbers.min() <= 0:
        return False
    numbers = np.sort(numbers)
    ratios, steps = np.diff(np.log(numbers)), np.diff(numbers)
    return bool(ratios.min() > 0 and ratios.max() < 1.25 * ratios.min() and steps.max() > 1.5 * steps.min())


def _wide(means: Array) -> bool:
    """Whether means differ by a factor of 100: the small ones would be a line on the bottom."""
    known = means[~np.isnan(means)]
    return bool(known.size and known.min() > 0 and known.max() > 100 * known.min())


def _ellipse(x: Array, y: Array) -> tuple[Array, Array] | None:
    """The curve at one standard deviation from the mean, in the directions in which both vary; None without spread."""
    good = ~np.isnan(x + y)
    if good.sum() < 3:
        return None
    both = np.stack([x[good], y[good]])
    root, directions = np.linalg.eigh(np.cov(both))
    if not root.max() > 0:
        return None
    angle = np.linspace(0, 2 * np.pi, 61)
    curve = directions @ (np.sqrt(np.maximum(root, 0))[:, None] * np.stack([np.cos(angle), np.sin(angle)]))
    # Neither can be below zero.
    u, v = np.maximum(curve + both.mean(axis=1)[:, None], both.min(axis=1)[:, None] / 10)
    return u, v


def _with_unit(label: str, unit: str) -> str:
    return f"{label} ({unit})" if unit else label


def _title(r: Request, what: str) -> str:
    name = r.study.manifest["scenario"].get("name")
    return f"{name}: {what}" if name else what


def _metric_text(r: Request, whole: Cube) -> str:
    """The metric in words; where flows are kept apart, the figure names them."""
    split = bool(whole.axes) and whole.axes[-1].name in ("flow", "link")
    return whole.metric.label if split else whole.metric.of(r.flow or r.link)


def _caption(r: Request, whole: Cube, data: Cube, mean: str, mark: str) -> str:
    """How the numbers were computed."""
    counts = (~np.isnan(data.values)).sum(axis=-1).ravel()
    parts = [f"{mean} over {_span(counts[counts > 0].tolist())} replications"]
    if data.exact.all():
        parts = [f"{mean}; all replications are equal: nothing is drawn that differs by seed, so there is no interval"]
    elif counts.max(initial=0) > 1:
        but = ", none where all runs are equal" if data.exact.any() else ""
        parts.append(f"{mark}: 95 % interval by Student's t{but}")
    averaged, fixed = _others(whole, {name for axis in data.axes for name in axis.name.split(", ")})
    if averaged:
        of = " of quantiles, which is no quantile of all" if data.metric.quantile else ""
        parts.append(f"each replication is a mean over {', '.join(averaged)}{of}")
    return "; ".join(parts + fixed) + _state(r)


def _others(whole: Cube, drawn: set[str]) -> tuple[list[str], list[str]]:
    """The axes that are not drawn: names of those with several points, and the one point of each of the others."""
    rest = [axis for axis in whole.axes if axis.name not in drawn]
    averaged = [axis.name for axis in rest if len(axis) > 1]
    return averaged, [f"{axis.name} = {axis.columns[axis.name][0]}" for axis in rest if len(axis) == 1]


def _state(r: Request) -> str:
    """The missing and failed runs."""
    missing, failed = r.study.missing, len(r.study.failures)
    some = "" if not missing else f"; {counted(missing, 'run')} {verb(missing, 'is', 'are')} missing"
    runs_text = "; some runs are missing" if missing is None else some
    return f"{runs_text}; {counted(failed, 'run')} failed" if failed else runs_text


def _span(counts: list[int]) -> str:
    """The least and the greatest number, in words.

    >>> _span([10, 10]), _span([8, 10]), _span([])
    ('10', '8 to 10', '0')
    """
    if not counts:
        return "0"
    return str(min(counts)) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
