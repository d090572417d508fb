"""headgate plot: a figure from a study."""

from __future__ import annotations

from pathlib import Path

from .. import shared, signals
from ..command import Command, argument, option
from .compare import where_of


class PlotCommand(Command):
    """Draw a metric of the study in DIR into a file.

    Points of an axis that is not drawn have a line each. If that makes more than 10 lines, choose with --by, --where or --pool.
    """

    group = "Compare"
    at_once = True
    page = "how-to/compare"
    examples = """\
headgate plot out/queues-and-rates --metric p99_delay --flow telnet \\
  --x rate --by queue --out delay.svg
headgate plot out/queues-and-rates --kind heatmap --metric jain_of_max_min \\
  --x rate --y queue --out fairness.png
headgate plot out/queues-and-rates --kind utility --where rate=80kbit/s \\
  --by queue --out utility.html
"""

    folder: Path = argument(metavar="DIR")
    out: Path = option("File of the figure: .svg, .png, .pdf, or .html (interactive).", required=True)
    metric: str = option("Column of the tables, or a short name.", "goodput")
    kind: str = option("Kind of figure.", "line", choices=["line", "heatmap", "utility", "cdf"])
    x: str | None = option("Horizontal axis; the first axis of numbers unless given.", metavar="AXIS")
    y: str | None = option("Vertical axis of a heatmap.", metavar="AXIS")
    by: str | None = option("Axis whose points are the series; also flow.", metavar="AXIS")
    flow: str | None = shared.flow()
    link: str | None = shared.link()
    over: str | None = shared.over()
    wheres: tuple[str, ...] = shared.wheres()
    delay: str = option("Metric on the vertical axis of a utility diagram.", "rtt", metavar="METRIC")
    log_y: bool = option("Use a logarithmic vertical scale.")
    pool: bool = option("Average over the axes that are not drawn, within each replication.")

    def run(self) -> None:
        with signals.loading():
            from rich.markup import escape

            from ...base.atomic import require_place
            from ...plots import plot as plot_study
            from ...plots.figure import form_of
            from ...sweep import open_study
            from ..terminal import console

        form_of(self.out)
        require_place(self.out)
        plot_study(
            open_study(self.folder).select(where_of(self.wheres)),
            self.metric,
            self.out,
            x=self.x,
            y=self.y,
            by=self.by,
            kind=self.kind,
            flow=self.flow,
            link=self.link,
            over=self.over,
            delay=self.delay,
            log_y=self.log_y,
            pool=self.pool,
        )
        console().print(f"figure: {escape(str(self.out))}", soft_wrap=True)
