"""Why numbers and claims do not come out: each supposed cause as a run in which the one thing differs that it names."""

from __future__ import annotations

from dataclasses import dataclass

from ...stats import Mean
from ..claims import Runs
from ..model import Table
from . import measures as m


@dataclass(frozen=True)
class Change:
    """A number of the paper, the run that has it, and what is changed there; `metric` of `source` times `scale`."""

    what: str
    paper: str
    variant: str
    changed: str
    metric: str
    source: str
    scale: float = 1.0
    form: str = ".2f"

    def measured(self, runs: Runs) -> tuple[Mean, Mean]:
        """The number as it is, and after the change."""
        found = (self.variant, f"{self.variant}, {self.changed}")
        ours, then = (m.mean(runs, v, self.metric, self.source, self.scale) for v in found)
        return ours, then


#: Timeouts in place of the 0.3 s of ns-2 of 1998: 0.4 s, and shorter ones.
TIMEOUTS = ("ns-2 2.0", "timeout 0.2 s", "timeout 0.1 s")

#: What is changed, in the order of the paper's figures and tables.
CHANGES = (
    *(
        Change(f"3b {scheme}: UDP flow (Mbit/s)", paper, f"3b {scheme}", changed, "throughput", "udp", form=".3f")
        for scheme, paper in (("DRR", "0.396"), ("CSFQ", "0.361"), ("RED", "over 8"), ("FRED-1", "almost 1.8"))
        for changed in TIMEOUTS
    ),
    *(
        Change(f"table 1 {scheme}: part that arrives", paper, f"table 1 {scheme}", changed, "fraction", "on-off", form=".3f")
        for scheme, paper in (("CSFQ", "0.249"), ("RED", "0.788"))
        for changed in TIMEOUTS
    ),
    Change("figure 4 DRR: 17 flows", "-", "figure 4 DRR 17", "NewReno", "throughput", "tcp", 1.7),
    Change("figure 4 DRR: 17 flows", "-", "figure 4 DRR 17", "window 3", "throughput", "tcp", 1.7),
    *(
        Change(f"figure 4 {scheme}: {n} flows", "-", f"figure 4 {scheme} {n}", "NewReno", "throughput", "tcp", n / m.LINE)
        for n in (4, 12)
        for scheme in ("CSFQ", "FRED-2")
    ),
    *(
        Change(f"table 2 {scheme}: time (ms)", paper, f"table 2 {scheme}", changed, "transfer_time", "web", form=".0f")
        for scheme, paper in (("CSFQ", "-"), ("RED", "592"))
        for changed in ("initial timeout 0.5 s", "buffer 128 KB")
    ),
    Change("table 3 DRR: packets", "6080", "table 3 DRR", "window 30", "packets", "tcp*", form=".0f"),
    Change("table 3 DRR: deviation", "64", "table 3 DRR", "window 30", "deviation", "tcp*", form=".0f"),
)  # fmt: skip


def rows(runs: Runs) -> list[Table]:
    """The table's rows."""

    def text(value: Mean, form: str) -> str:
        return f"{value.mean:{form}} ± {value.half:{form}}"

    def row(c: Change) -> Table:
        ours, then = (text(v, c.form) for v in c.measured(runs))
        return {"what": c.what, "paper": c.paper, "ours": ours, "change": c.changed, "then": then}

    return [row(c) for c in CHANGES]


#: The runs of table 2 whose waits and timeouts are compared.
WAITS = (*(f"table 2 {s}{w}" for s in ("CSFQ", "RED") for w in ("", ", buffer 128 KB")),)


def waits(runs: Runs) -> list[Table]:
    """Where the transfers' time is spent."""

    def row(variant: str) -> Table:
        time, wait, timeouts = (m.mean(runs, variant, x, "web") for x in ("transfer_time", "waited", "timeouts"))
        return {"run": variant.removeprefix("table 2 "), "time": time, "wait": wait, "timeouts": timeouts}

    return [row(v) for v in WAITS]
