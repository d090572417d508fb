"""Figures of studies: what they say and what they hold."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headgate
from headgate.base.errors import HeadgateError
from headgate.comparison import cube
from headgate.papers.numbering import Point, number
from headgate.plots import Figure
from headgate.plots.build import _ellipse
from headgate.plots.canvas import blank

from ..conftest import Cli
from ..studies import QUEUES, RATES, written


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> headgate.Study:
    values = np.random.default_rng(10).uniform(1, 2, (9, 4, 2))
    return written(tmp_path_factory.mktemp("small") / "s", {**RATES, **QUEUES}, values)


def shown(figure: Figure, form: str, folder: Path) -> str:
    """The contents of a file of the figure, as text."""
    file = figure.save(folder / f"a.{form}")
    heads = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<html>"}
    assert heads[form] in file.read_bytes()[:40]
    return html.unescape(file.read_text("utf-8")) if form in ("svg", "html") else ""


PLOTS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "line": (
        {"metric": "p99_delay", "by": "queue"},
        ["one-way delay, mean over all flows", "rate (kbit/s)", "delay (s)", "fcfs", "rr", "mean over 4 replications; band"],
    ),
    "line of names": (
        {"metric": "goodput", "x": "queue", "by": "flow", "flow": "ftp*", "pool": True},
        ["goodput (kbit/s)", "ftp1", "ftp2", "fcfs", "each replication is a mean over rate", "bar: 95 % interval"],
    ),
    "heatmap": (
        {"kind": "heatmap", "metric": "jain", "x": "rate", "y": "queue"},
        ["Jain's index of goodput, over all flows", "rate", "queue", "60kbit/s", "rr"],
    ),
    "utility": (
        {"kind": "utility", "by": "queue"},
        ["goodput (kbit/s)", "mean round-trip time (s)", "fq", "each point one flow", "ftp1", "outline"],
    ),
    "utility along an axis": (
        {"kind": "utility", "by": "queue", "x": "rate", "delay": "p99_delay"},
        ["each point one rate", "40kbit/s", "99 % quantile of the one-way delay (s)"],
    ),
    "cdf": (
        {"kind": "cdf", "metric": "p99_delay", "by": "queue"},
        ["distribution of 99 % quantile", "share", "one value per run and flow: 8 values in each curve", "fq, 80kbit/s"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLOTS)
def test_figures(small: headgate.Study, tmp_path: Path, name: str) -> None:
    options, texts = PLOTS[name]
    figure = headgate.plot(small, **options)
    # Lines of an SVG are broken: all its texts, as one.
    svg = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", shown(figure, "svg", tmp_path)))
    assert [t for t in texts if t not in svg] == []
    assert shown(figure, "svg", tmp_path) == shown(headgate.plot(small, **options), "svg", tmp_path)
    for form in ("png", "pdf") if name == "line" else ("png",):
        shown(figure, form, tmp_path)
    page = shown(figure, "html", tmp_path)
    assert "<script src=" not in page and "Plotly.newPlot" in page
    assert figure.caption.split(";")[0] in page


def test_figures_hold_the_numbers(small: headgate.Study) -> None:
    values = cube(small, "p99_delay").values
    figure = headgate.plot(small, "p99_delay", by="queue")
    assert [s.name for s in figure.series] == ["fcfs", "fq", "rr"] and figure.series[1].x == pytest.approx([40, 60, 80])
    assert figure.series[1].y == pytest.approx(values[:, 1].mean(axis=-1))
    mean = headgate.stats.mean_of(values[2, 1])
    assert (figure.series[1].high - figure.series[1].y)[2] == pytest.approx(mean.half)
    grid = headgate.plot(small, "p99_delay", kind="heatmap", x="queue", y="rate").grid
    assert grid is not None and grid.values == pytest.approx(values.mean(axis=-1))
    cdf = headgate.plot(small, "p99_delay", kind="cdf", flow="ftp1").series[0]
    assert len(cdf.x) == 5 and cdf.y[-1] == 1 and (np.diff(cdf.x) >= 0).all()
    values = cube(small, "p99_delay", "ftp1").values
    assert cdf.x[1:] == pytest.approx(np.sort(values[0, 0]))
    # Curves of variants are never mixed, whatever the order of the axes.
    apart = headgate.plot(small, "p99_delay", kind="cdf", by="queue", flow="ftp1").series
    assert [s.name for s in apart][:4] == ["fcfs, 40kbit/s", "fcfs, 60kbit/s", "fcfs, 80kbit/s", "fq, 40kbit/s"]
    assert apart[3].x[1:] == pytest.approx(np.sort(values[0, 1]))
    one = small.select(rate="40kbit/s", queue="fq")
    (outline,) = headgate.plot(one, "p99_delay", kind="utility", flow="ftp1", delay="p95_delay").series
    assert len(outline.x) == 1


def test_outlines_and_logarithmic_axes(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    study = written(tmp_path / "s", {"links.slow.delay": "1ms ... 1s log 4"}, rng.uniform(1, 2, (4, 40, 2)))
    figure = headgate.plot(study, "p99_delay")
    assert figure.x.log and figure.x.label == "delay (s)" and not figure.y.log
    u, v = rng.standard_normal((2, 4000))
    x, y = _ellipse(10 + 2 * u, 20 + u + v) or ((), ())
    # The widest point of the curve is one standard deviation away from the mean, in each direction.
    assert (max(x) - 10, 20 - min(y)) == pytest.approx((2, np.sqrt(2)), rel=0.05)


def test_axes_that_are_not_drawn_are_never_averaged_unasked(small: headgate.Study, tmp_path: Path) -> None:
    """A mean of 99 % quantiles over queues is the quantile of nothing."""
    values = cube(small, "p99_delay").values
    figure = headgate.plot(small, "p99_delay")
    assert figure.legend == "queue" and [s.name for s in figure.series] == ["fcfs", "fq", "rr"]
    assert figure.series[2].y == pytest.approx(values[:, 2].mean(axis=-1))
    assert "is a mean over" not in figure.caption
    # Beside the series that are asked for, and of both axes where neither is drawn.
    both = headgate.plot(small.select(rate=["40kbit/s", "80kbit/s"]), "p99_delay", x="queue", by="flow")
    assert both.legend == "flow, rate" and [s.name for s in both.series][:3] == [
        "ftp1, 40kbit/s",
        "ftp1, 80kbit/s",
        "ftp2, 40kbit/s",
    ]
    assert both.series[3].y == pytest.approx(cube(small, "p99_delay", "ftp2").values[2].mean(axis=-1))
    points = headgate.plot(small, kind="utility", flow="ftp1").series
    assert [s.name for s in points] == [
        f"{r}, {q}" for r in ("40kbit/s", "60kbit/s", "80kbit/s") for q in ("fcfs", "fq", "rr")
    ]
    # By request, and the caption says it.
    pooled = headgate.plot(small, "p99_delay", pool=True)
    assert [s.name for s in pooled.series] == [""] and pooled.series[0].y == pytest.approx(values.mean(axis=(1, 2)))
    assert "each replication is a mean over queue of quantiles, which is no quantile of all" in pooled.caption
    assert headgate.plot(small, "goodput", pool=True).caption.endswith("each replication is a mean over queue")
    # Too many lines, or a picture without lines: it asks.
    many = {"links.slow.delay": "1ms ... 6ms step 1ms", **QUEUES}
    large = written(tmp_path / "s", many, np.random.default_rng(1).uniform(1, 2, (18, 2, 2)))
    words = (
        "axis delay (6 points): is neither drawn nor chosen; expected {}--where delay=VALUE for one of them, or --pool"
    )
    for options, by in (({"x": "queue", "by": "flow"}, ""), ({"kind": "heatmap", "x": "queue", "y": "flow"}, "")):
        with pytest.raises(HeadgateError, match=re.escape(words.format(by))):
            headgate.plot(large, "p99_delay", **options)
    with pytest.raises(
        HeadgateError, match=r"axes delay .* and queue .*: are neither .* --by delay for a line for each point"
    ):
        headgate.plot(large, kind="utility")
    assert len(headgate.plot(large, "p99_delay", x="queue").series) == 6
    assert headgate.plot(large, "p99_delay", kind="heatmap", x="queue", y="flow", pool=True).grid is not None


def test_equal_runs_have_no_intervals_in_figures(tmp_path: Path) -> None:
    study = written(tmp_path / "s", RATES, np.ones((3, 4, 2)) * np.arange(1, 4)[:, None, None], equal=True)
    figure = headgate.plot(study, "p99_delay")
    assert figure.series[0].y == pytest.approx([1, 2, 3])
    assert figure.series[0].low is not None and np.isnan(figure.series[0].low).all()
    assert figure.caption.startswith("mean; all replications are equal: nothing is drawn that differs by seed")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"kind": "lin"}, 'Did you mean "line"?'),
        ({"out": "a.jpeg"}, "expected a name that ends in one of .svg, .png, .pdf, .html"),
        ({"kind": "heatmap", "x": "rate"}, "expected --x and --y"),
        ({"kind": "heatmap", "x": "rate", "y": "rate"}, "expected two different axes"),
        ({"kind": "heatmap", "x": "rate", "y": "queue", "by": "flow"}, "a heatmap has no series"),
        ({"y": "queue"}, "is for a heatmap"),
        ({"x": "rat"}, 'Did you mean "rate"?'),
        ({"kind": "cdf", "x": "rate"}, "has the metric itself across"),
        ({"kind": "utility", "metric": "utilisation", "link": "slow"}, "is one of flows"),
        ({"metric": "utilisation"}, "is one of links"),
    ],
)
def test_errors_of_figures(small: headgate.Study, options: dict[str, Any], text: str) -> None:
    with pytest.raises(HeadgateError, match=re.escape(text)):
        headgate.plot(small, **options)


def test_plot_command(small: headgate.Study, cli: Cli, tmp_path: Path) -> None:
    done = cli("plot", small.folder, "--by", "queue", "--where", "queue=fq", "--where", "queue=rr", "--out", "a.svg")
    assert done.returncode == 0 and done.stdout == "figure: a.svg\n"
    assert (tmp_path / "a.svg").read_text().count(">fq<") == 1
    bad = cli("plot", small.folder, "--x", "rat", "--out", "b.svg")
    assert bad.returncode == 2 and not (tmp_path / "b.svg").exists()


def test_numbers_of_sources_stand_inside_the_frame_and_on_nothing_else() -> None:
    drawing = blank(7.2, 4.2)
    axes = drawing.add_subplot()
    axes.set_xlim(0, 10)
    axes.set_ylim(0, 10)
    corners = [(0.0, 0.0), (10.0, 10.0), (10.0, 0.0), (0.0, 10.0)]
    groups = [
        ("red", True, [Point(["1", "2", "3"], x, y, (x, y, x, y)) for x, y in [*corners, (5.0, 5.0), (5.2, 5.1)]])
    ]
    # The same point once more, and one in a box.
    groups.append(
        ("blue", False, [Point(["4"], 5.0, 5.0, (5.0, 5.0, 5.0, 5.0)), Point(["7"], 3.0, 3.0, (2.0, 2.5, 4.0, 3.5))])
    )
    number(drawing, axes, groups)
    drawing.draw_without_rendering()
    frame = axes.get_window_extent()
    texts = [t.get_window_extent() for t in axes.texts]
    assert len(texts) == 8
    for i, box in enumerate(texts):
        assert frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 - 2 <= box.y0 and box.y1 <= frame.y1, i
        assert not any(box.overlaps(other) for other in texts[i + 1 :]), i
        for _, _, points in groups:
            for p in points:
                x, y = axes.transData.transform((p.x, p.y))
                assert not (box.x0 < x < box.x1 and box.y0 < y < box.y1), (i, p)
