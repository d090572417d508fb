"""Scenarios 7 and 8: the variants side by side, and figure 6.21, the pairs' spacing against the packets'."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...plots.canvas import blank
from ..claims import Runs
from ..study import Section

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from ...parallel import Progress
    from ..model import Figure


@dataclass(frozen=True)
class LongDelay:
    """The runs of scenario 7 or 8."""

    runs: Runs

    @property
    def sections(self) -> tuple[Section, ...]:
        """What the variants change, both sources."""
        printed = {n.row for n in self.runs.item.numbers}
        rows = tuple(self._row(v.name) for v in self.runs.item.variants if v.name not in printed)
        headings = ("variant", "packets/s", "round trip (s)", "drops/s", "sent again/s", "most outstanding")
        note = "Sources 1 and 2, base run. Charged: a dropped packet still counts in its conversation's finish number."
        return (Section("Variants", headings, rows, note),)

    def _row(self, variant: str) -> tuple[str, ...]:
        def both(metric: str, digits: int) -> str:
            return ", ".join(_text(v, digits) for v in self.runs.of(variant, metric, "1", "2"))

        most = (self.runs.trace(variant, "in_flight", s)[1].max() for s in ("1", "2"))
        return (
            variant,
            both("throughput", 2),
            both("delay", 2),
            both("drop_rate", 3),
            both("retransmission_rate", 3),
            ", ".join(f"{m:.0f}" for m in most),
        )

    def draw(self, figure: Figure) -> Drawing:
        """Figure 6.21: for each variant the spacing of a pair's acknowledgements, that of the packets sent, and alpha."""
        drawing = blank(height=2.9 * len(figure.series))
        for number, variant in enumerate(figure.series, 1):
            axes = drawing.add_subplot(len(figure.series), 1, number)
            start = float(figure.options["from"][number - 1])
            self._spacing(axes, variant, figure.options["source"], start, start + figure.options["seconds"])
            axes.set_title(variant, loc="left", fontsize=10)
        drawing.legend(
            *axes.get_legend_handles_labels(), frameon=False, loc="outside upper center", ncols=3, fontsize=9
        )
        drawing.supxlabel("time (s)", fontsize=10)
        return drawing

    def _spacing(self, axes: Axes, variant: str, source: str, start: float, end: float) -> None:
        from matplotlib.ticker import MultipleLocator

        for kind, label, colour, line in (
            ("probe", "spacing of a pair's acknowledgements (s)", "#1f5fa8", "-"),
            ("packet_spacing", "spacing of packets sent (s)", "#b3401f", "-"),
            ("alpha", "α", "#666666", ":"),
        ):
            times, values = self.runs.trace(variant, kind, source)
            first = max(0, int(np.searchsorted(times, start)) - 1)
            last = int(np.searchsorted(times, end))
            times, values = times[first:last], values[first:last]
            axes.step(
                np.append(times, end),
                np.append(values, values[-1:]),
                where="post",
                label=label,
                color=colour,
                ls=line,
                lw=1.2,
            )
        axes.set_xlim(start, end)
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_locator(MultipleLocator(0.2))
        axes.grid(axis="y", color="#dddddd", lw=0.5)
        axes.set_ylabel("spacing (s), α")


def _text(value: float, digits: int) -> str:
    return "none" if math.isnan(value) else f"{value:.{digits}f}"


def study(runs: Runs, progress: Progress | None) -> LongDelay:
    """What the runner asks for."""
    return LongDelay(runs)
