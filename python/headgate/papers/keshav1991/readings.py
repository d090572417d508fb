"""What a reading decides where the thesis is silent: every variant of packet-pair in a scenario, side by side."""

from __future__ import annotations

from ...base.parallel import Progress
from ..claims import Runs, listed
from ..layout import Layouts
from ..study import Shown


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """The bulk sources' measures in each variant of packet-pair, base runs."""
    rows = []
    for name in (v.name for v in runs.item.variants if v.name.startswith("PP")):
        flows = [f for f in runs.flows(name) if not f.startswith("telnet")]
        rows.append((name, *(listed(runs.of(name, m, *flows)) for m in ("throughput", "delay", "drop_rate"))))
    return Shown((Layouts(__file__).section("readings", rows),))
