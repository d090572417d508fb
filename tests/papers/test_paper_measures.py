"""The measures of a paper that is written as the recipe says: ratios, first times and fits."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headgate
from headgate import _core
from headgate.papers import PaperError, load_paper
from headgate.papers.load import metric_of
from headgate.papers.measure import Outcome
from headgate.papers.model import Measure

from ..conftest import dumbbell
from .test_paper_folders import change, write_paper


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    return write_paper(tmp_path / "mypaper")


def test_a_measure_is_a_ratio_of_sums_a_first_time_or_a_fit(paper: Path) -> None:
    metrics = """[metrics]
lossless = { metric = "loss" }
of_sent = { counts = ["unique"], to = ["sent"] }
rate = { metric = "goodput_pps" }
full = { trace = "in_flight", at_least = 5 }
never = { trace = "in_flight", at_least = 6 }
busy_from = { counts = ["unique"], per_second = true, at_least = 4.9 }
growth = { counts = ["unique"], per_second = true, fit = "slope" }
"""
    change("paper.toml", "[metrics]\n", metrics)(paper)
    change("paper.toml", 'scenario = "line.toml"\n', 'scenario = "line.toml"\ntraces = ["in_flight"]\n')(paper)
    rows = [
        "*,lossless,0", "1,of_sent,1.00", "*,of_sent,1.00", "2,rate,5.0", "1,full,0.0", "1,never,", "1,busy_from,100", "1,growth,0.00"
    ]  # fmt: skip
    table = "variant,source,metric,value,mark\n" + "".join(f"G/FQ,{r},STATED\n" for r in rows)
    (paper / "table_1.csv").write_text(table)
    ran = headgate.reproduce(str(paper)).items[0]
    ours = {(n.published.metric, n.published.source): n.ours.mean for n in ran.numbers}
    # Windows of five packets fill a line of ten packets a second; the warm-up is the first interval of 100 s.
    assert ours["lossless", "*"] == 0
    assert [round(ours["of_sent", source], 2) for source in ("1", "*")] == [1.0, 1.0]
    assert round(ours["rate", "2"], 1) == 5.0
    # Sources send their window at once, at time 0.
    assert ours["full", "1"] == 0 and math.isnan(ours["never", "1"])
    assert ours["busy_from", "1"] == 100.0 and abs(ours["growth", "1"]) < 1e-3


def test_a_metric_of_the_list_is_taken_together_over_flows_as_everywhere() -> None:
    """A ratio is one of sums, a mean is over all packets, a count is added up; a file may ask for another way."""
    windows = {"f1": 1, "f2": 2, "f3": 9}
    flows = [
        {"name": n, "from": "s", "to": "k", "control": {"kind": "jk_reno", "window": w}} for n, w in windows.items()
    ]
    scenario = headgate.Scenario(dumbbell(queue={"kind": "fcfs", "buffer": "5pkt"}, flows=flows))
    run = scenario.run(seed=1)
    table, intervals = run.flows, run.intervals
    found = Outcome(_core.run(scenario.to_json(), 1, 0))

    def of(source: str = "*", span: tuple[float, float] | None = None, **given: Any) -> float:
        return found.value(metric_of("paper.toml", str(given), Measure(**given)), source, span).mean

    sums = {name: float(column.sum()) for name, column in table.columns.items() if column.dtype.kind in "iuf"}
    assert len(table["flow"]) == 3 and sums["retransmissions"] > 0
    assert of(metric="retransmitted") == sums["retransmissions"] / sums["sent"]
    # With a factor, of one flow, and in a part of the time.
    assert of("3", metric="retransmitted", scale=100.0) == 100 * (table["retransmissions"][2] / table["sent"][2])
    inside = (intervals["start_s"] >= 40) & (intervals["end_s"] <= 100)
    parts = [float(intervals[name][inside].sum()) for name in ("retransmissions", "sent")]
    assert of(metric="retransmitted", span=(40.0, 100.0)) == parts[0] / parts[1]
    assert of(metric="received") == sums["received"]
    assert of(metric="goodput") == pytest.approx(table["goodput_bps"].sum(), rel=1e-12)
    bits = 8 * float(intervals["unique_bytes"][inside].sum())
    assert of(metric="goodput", span=(40.0, 100.0)) == pytest.approx(bits / 60, rel=1e-12)
    assert of(counts=("unique",), to=("seconds",)) == pytest.approx(table["goodput_pps"].sum(), rel=1e-12)
    # When the goodput, or the loss, of an interval is first that much; the slope has the metric's factor, times and exponents have none.
    own = intervals["flow"] == "f3"
    starts, rates = intervals["start_s"][own], 8 * intervals["unique_bytes"][own] / 20
    first = starts[(rates >= rates[3:].max()) & (starts >= 20)][0]
    assert of("3", metric="goodput", at_least=float(rates[3:].max())) == first
    assert of("3", metric="goodput", fit="slope") == pytest.approx(np.polyfit(starts[1:], rates[1:], 1)[0])
    logs = np.polyfit(np.log(starts[1:]), np.log(rates[1:]), 1)[0]
    assert of("3", metric="goodput", fit="exponent") == pytest.approx(logs)
    assert of("3", metric="loss", at_least=0.01) == starts[1:][intervals["drops"][own][1:] > 0][0]
    whole = (table["rtt_mean_s"] * table["rtt_count"]).sum() / sums["rtt_count"]
    assert of(metric="rtt") == pytest.approx(whole, rel=1e-12)
    assert of(metric="rtt", over="mean") == table["rtt_mean_s"].mean() != pytest.approx(whole)
    assert of(metric="rtt_max_s") == table["rtt_max_s"].max()
    assert of(column="rtt_mean_s", over="packets") == of(metric="rtt")
    with pytest.raises(PaperError, match="intervals have no column finished; expected no from_s and to_s"):
        of(metric="completed", span=(40.0, 100.0))


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ('{ metric = "lost_packets" }', 'metrics.odd.metric: found "lost_packets"'),
        ('{ counts = ["drops"], to = ["sents"] }', 'metrics.odd.to[0]: found "sents"; expected one of'),
        ('{ to = ["sent"] }', "expected one of the keys counts, mean, column, metric, trace and study"),
        ('{ column = "sent", to = ["sent"] }', "metrics.odd.to: expected counts beside it"),
        ('{ metric = "loss", per_second = true }', "metrics.odd.per_second: expected no such key beside metric"),
        ('{ metric = "loss", table = "links" }', "metrics.odd.table: expected no such key beside metric"),
        ('{ counts = ["drops"], to = ["sent"], over = "mean" }', "metrics.odd.over: expected no such key with a ratio"),
        ('{ metric = "completed", at_least = 1 }', 'metrics.odd.metric: found "finished"; expected one of interval'),
        ('{ metric = "rtt", at_least = 1 }', "metrics.odd.at_least: expected one of the keys counts, mean and trace"),
        ('{ counts = ["seconds"], to = ["sent"] }', 'metrics.odd.counts[0]: found "seconds"; expected one of'),
        ('{ trace = "window" }', "expected one of the keys at_least, at_most and fit"),
        ('{ mean = "rtt_mean_s", at_least = 1, fit = "slope" }', "expected one of the keys at_least, at_most and fit"),
        ('{ column = "sent", fit = "slope" }', "metrics.odd.fit: expected one of the keys counts, mean and trace"),
        ('{ mean = "rtt_mean_s", fit = "line" }', "metrics.odd.fit"),
        ('{ column = "drops", over = "packets" }', 'metrics.odd.over: found "drops"; expected packets with a mean'),
    ],
)
def test_what_is_wrong_with_a_measure_is_said(paper: Path, metric: str, said: str) -> None:
    change("paper.toml", "[metrics]\n", f"[metrics]\nodd = {metric}\n")(paper)
    with pytest.raises(PaperError, match=re.escape(said)):
        load_paper(str(paper))
