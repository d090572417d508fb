"""headgate plot: a figure from a study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from . import signals
from .compare import where_of


@click.command(
    epilog="""\b
Examples:
  headgate plot out/queues-and-rates --metric p99_delay --flow telnet \\
    --x rate --by queue --out delay.svg
  headgate plot out/queues-and-rates --kind heatmap --metric jain_of_max_min \\
    --x rate --y queue --out fairness.png
  headgate plot out/queues-and-rates --kind utility --where rate=80kbit/s \\
    --by queue --out utility.html"""
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="File of the figure: .svg, .png, .pdf, or .html (interactive).",
)
@click.option("--metric", default="goodput", show_default=True, help="Column of the tables, or a short name.")
@click.option(
    "--kind",
    type=click.Choice(["line", "heatmap", "utility", "cdf"]),
    default="line",
    show_default=True,
    help="Kind of figure.",
)
@click.option("--x", metavar="AXIS", help="Horizontal axis; the first axis of numbers unless given.")
@click.option("--y", metavar="AXIS", help="Vertical axis of a heatmap.")
@click.option("--by", metavar="AXIS", help="Axis whose points are the series; also flow.")
@click.option("--flow", metavar="PATTERN", help="Flows to use, such as telnet or `ftp*`; all unless given.")
@click.option("--link", metavar="PATTERN", help="Ports to use, for metrics of ports.")
@click.option(
    "--over",
    type=click.Choice(["total", "mean", "least", "most", "jain"]),
    help="How the values of several flows of a run are combined; by default rates and counts are summed and others averaged.",
)
@click.option(
    "--where", "wheres", metavar="AXIS=VALUE", multiple=True, help="Use only these runs; a repeated axis adds values."
)
@click.option(
    "--delay",
    default="rtt",
    show_default=True,
    metavar="METRIC",
    help="Metric on the vertical axis of a utility diagram.",
)
@click.option("--log-y", is_flag=True, help="Use a logarithmic vertical scale.")
@click.option("--pool", is_flag=True, help="Average over the axes that are not drawn, within each replication.")
def plot(folder: Path, wheres: tuple[str, ...], metric: str, out: Path, **options: Any) -> None:
    """Draw a metric of the study in DIR into a file.

    Points of an axis that is not drawn have a line each. If that makes more than 10 lines, choose with --by, --where or --pool.
    """
    with signals.loading():
        from rich.markup import escape

        from ..base.atomic import require_place
        from ..plots import plot as plot_study
        from ..plots.figure import form_of
        from ..sweep import open_study
        from .terminal import console

    form_of(out)
    require_place(out)
    plot_study(open_study(folder).select(where_of(wheres)), metric, out, **options)
    console().print(f"figure: {escape(str(out))}", soft_wrap=True)
