"""What a reading decides where the thesis is silent: every variant of packet-pair in a scenario, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...parallel import Progress
from ..claims import Runs, listed
from ..model import Figure, unknown
from ..study import Section

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


@dataclass(frozen=True)
class Readings:
    """One table."""

    sections: tuple[Section, ...]

    def draw(self, figure: Figure) -> Drawing:
        """There is nothing to draw."""
        raise unknown("figure of the readings", figure.name, ())


def study(runs: Runs, _progress: Progress | None) -> Readings:
    """The bulk sources' measures in each variant of packet-pair, base runs."""
    rows = []
    for v in runs.item.variants:
        if not v.name.startswith("PP"):
            continue
        flows = [f for f in runs.flows(v.name) if not f.startswith("telnet")]
        got = (listed(runs.of(v.name, m, *flows)) for m in ("throughput", "delay", "drop_rate"))
        rows.append((v.name, *got))
    headings = ("reading", "throughput (packets/s)", "delay (s)", "drops/s")
    note = "Sources in the scenario's order. The row without an addition is what the tables compare."
    return Readings((Section("readings of packet-pair", headings, tuple(rows), note),))
