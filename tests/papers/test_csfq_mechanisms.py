"""Core-Stateless Fair Queueing (1998): the claims about why numbers are missed fail for wrong data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, cast

import numpy as np
import pytest

from headgate.papers import load_paper
from headgate.papers.build import build_scenario
from headgate.papers.claims import Runs
from headgate.papers.stoica1998 import mechanisms, theory
from headgate.papers.stoica1998.claims import CLAIMS
from headgate.papers.topology import draw_topology
from headgate.plots.canvas import to_svg

#: What the runs give where the supposed causes are the causes, by variant and metric.
DUE = {
    ("3b CSFQ, timeout 0.1 s", "throughput"): 0.44,
    ("3b CSFQ, ns-2 2.0", "throughput"): 0.8,
    ("table 1 RED, timeout 0.1 s", "fraction"): 0.69,
    ("table 1 RED, ns-2 2.0", "fraction"): 0.78,
    ("figure 4 DRR 17", "throughput"): 0.91 / 1.7,
    ("figure 4 DRR 17, NewReno", "throughput"): 0.99 / 1.7,
    ("figure 4 DRR 17, window 3", "throughput"): 1.0 / 1.7,
    ("figure 4 CSFQ 4", "throughput"): 0.69 / 0.4,
    ("figure 4 FRED-2 4", "throughput"): 0.82 / 0.4,
    ("figure 4 CSFQ 4, NewReno", "throughput"): 0.89 / 0.4,
    ("figure 4 FRED-2 4, NewReno", "throughput"): 0.84 / 0.4,
    ("figure 4 CSFQ 12", "throughput"): 0.69 / 1.2,
    ("figure 4 FRED-2 12", "throughput"): 0.75 / 1.2,
    ("figure 4 CSFQ 12, NewReno", "throughput"): 0.80 / 1.2,
    ("figure 4 FRED-2 12, NewReno", "throughput"): 0.82 / 1.2,
    ("table 2 RED", "transfer_time"): 440.0,
    ("table 2 RED, initial timeout 0.5 s", "transfer_time"): 255.0,
    ("table 2 CSFQ", "transfer_time"): 106.0,
    ("table 2 CSFQ, initial timeout 0.5 s", "transfer_time"): 100.0,
    ("table 2 CSFQ, buffer 128 KB", "transfer_time"): 170.0,
    ("table 2 CSFQ", "timeouts"): 4.4,
    ("table 2 CSFQ, buffer 128 KB", "timeouts"): 0.4,
    ("table 3 DRR, window 30", "packets"): 6090.0,
}


class Made:
    """Made-up runs, each twice the same beside the base run."""

    def __init__(self, values: Mapping[tuple[str, str], float]) -> None:
        self.item = load_paper("stoica1998").item("mechanisms")
        self._values = values

    #: Every run has the same value, whichever is the first.
    seeds: ClassVar[dict[str, list[Any]]] = {}

    def over(self, variant: str, metric: str, *sources: str, span: None = None) -> Any:
        assert variant in {v.name for v in self.item.variants}
        return np.array([[self._values[variant, metric] for _ in sources]] * 3)


def holds(claim: str, **wrong: float) -> bool | None:
    (test,) = (c.test for c in CLAIMS.all if c.id == claim)
    changed = {tuple(name.split("|")): value for name, value in wrong.items()}
    return test(cast(Runs, Made({**DUE, **cast(Any, changed)})))[0]


@pytest.mark.parametrize(
    ("claim", "place", "value"),
    [
        ("V4", "3b CSFQ, timeout 0.1 s|throughput", 0.55),
        ("V4", "3b CSFQ, ns-2 2.0|throughput", 0.6),
        ("V4", "table 1 RED, timeout 0.1 s|fraction", 0.75),
        ("V4", "table 1 RED, ns-2 2.0|fraction", 0.75),
        ("V5", "figure 4 DRR 17|throughput", 0.98 / 1.7),
        ("V5", "figure 4 DRR 17, NewReno|throughput", 0.92 / 1.7),
        ("V5", "figure 4 DRR 17, window 3|throughput", 0.92 / 1.7),
        ("V6", "figure 4 CSFQ 12, NewReno|throughput", 0.70 / 1.2),
        ("V6", "figure 4 CSFQ 4|throughput", 0.81 / 0.4),
        ("V7", "table 2 RED, initial timeout 0.5 s|transfer_time", 400.0),
        ("V7", "table 2 CSFQ, initial timeout 0.5 s|transfer_time", 60.0),
        ("V8", "table 2 CSFQ, buffer 128 KB|transfer_time", 110.0),
        ("V8", "table 2 CSFQ, buffer 128 KB|timeouts", 5.0),
        ("V9", "table 3 DRR, window 30|packets", 6207.0),
    ],
)
def test_a_cause_that_is_none_fails(claim: str, place: str, value: float) -> None:
    assert holds(claim)
    assert not holds(claim, **{place: value})


def test_each_change_has_its_runs() -> None:
    names = {v.name for v in load_paper("stoica1998").item("mechanisms").variants}
    assert {n for c in mechanisms.CHANGES for n in (c.variant, f"{c.variant}, {c.changed}")} <= names
    assert set(mechanisms.WAITS) <= names


def test_the_lottery_and_not_the_count_exceeds_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    (test,) = (c.test for c in CLAIMS.all if c.id == "S19b")
    nothing = cast(Runs, None)
    theory.without_buffer.cache_clear()
    assert test(nothing)[0]
    monkeypatch.setattr(theory, "by_lot", lambda packets, share, k, rng: theory.excess(packets, share, k))
    theory.without_buffer.cache_clear()
    assert not test(nothing)[0], "without a lottery nothing exceeds it"
    theory.without_buffer.cache_clear()


@pytest.mark.parametrize(("drawn", "passed"), [(0.0, 100), (1.0, 13)])
def test_a_packet_passes_as_a_whole_or_not_at_all(drawn: float, passed: int) -> None:
    # The estimate passes the share, a tenth of the rate, after ln(10/9) K: whatever is drawn, 13 packets come before.
    class Always:
        def random(self) -> float:
            return drawn

    found = theory.by_lot([(8e-4, 8000.0)] * 100, 1e6, 0.1, cast(np.random.Generator, Always()))
    assert found == pytest.approx(8000 + (passed - 1) * (8000 - 1e6 * 8e-4))


def test_figure_5_draws_hosts_that_are_alike_as_one_and_says_whose_rate_is_which() -> None:
    paper = load_paper("stoica1998")
    (figure,) = (f for f in paper.figures if f.name == "figure-5")
    item = paper.item(figure.item)
    svg = to_svg(draw_topology(build_scenario(item, item.variant(figure.series[0]))))
    for words in ("cross1 to cross10", "cross21 to cross30", "sink of through", "buffer of 64 KB", "1 ms delay"):
        assert words in svg, words
    assert "through: constant rate" in svg and "cross1 to cross30: constant rate" in svg
    # Of 32 rates the first and the last are said.
    svg = to_svg(draw_topology(paper.item("figure-3a").scenario or {}))
    assert "udp0: constant rate" in svg and "udp31: constant rate" in svg and "udp7: constant" not in svg
