"""Tables, summaries, and their forms in other libraries."""

from __future__ import annotations

import json
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

import headgate
from headgate.results.fairness import fairness

from ..conftest import dumbbell


@pytest.fixture(scope="module")
def results() -> headgate.Results:
    flows = [
        {"name": "ftp", "from": "s", "to": "k", "control": {"kind": "jk_reno", "window": 30}},
        {"name": "telnet", "from": "s", "to": "k", "packet": "40B", "workload": {"kind": "telnet", "mean": "1s"}},
    ]
    scenario = headgate.Scenario.from_dict(dumbbell(queue={"kind": "fcfs", "buffer": "10pkt"}, flows=flows))
    return scenario.set("traces", ["window", "rtt"]).run(seed=7, replications=3)


def test_tables_agree_everywhere(results: headgate.Results, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    table = results.intervals
    arrow, pandas, polars = table.to_arrow(), table.to_pandas(), table.to_polars()
    assert arrow.num_rows == len(pandas) == len(polars) == len(table) == 3 * 7 * 2
    assert arrow.column("received").to_pylist() == pandas["received"].tolist() == polars["received"].to_list()
    table.save(tmp_path / "t.parquet")
    assert pq.read_table(tmp_path / "t.parquet").column("received").to_pylist() == pandas["received"].tolist()
    table.save(tmp_path / "t.json")
    rows = json.loads((tmp_path / "t.json").read_text())
    assert [r["received"] for r in rows] == pandas["received"].tolist()
    table.save(tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text().splitlines()[0] == ",".join(table.names)


def test_counts_are_conserved(results: headgate.Results) -> None:
    flows = results.flows.to_pandas()
    intervals = results.intervals.to_pandas()
    measured = intervals[intervals["warm_up"] == 0]
    for name in ("sent", "received", "unique", "drops", "retransmissions"):
        sums = measured.groupby(["run", "flow"], sort=False)[name].sum().tolist()
        assert sums == flows[name].tolist()
    total = intervals.groupby(["run", "flow"], sort=False)[["sent", "received", "drops"]].sum()
    in_flight = total["sent"] - total["received"] - total["drops"]
    assert (in_flight >= 0).all()
    assert (in_flight <= 40).all()


def test_summaries_over_replications_and_over_intervals(results: headgate.Results) -> None:
    ftp, telnet = results.flow_summaries()
    assert ftp.goodput_pps.n == 3
    assert telnet.goodput_pps.mean == pytest.approx(1.0, abs=0.35)
    one = headgate.Scenario(results.scenario).run(seed=7)
    alone = one.flow_summaries()[0]
    assert alone.goodput_pps.n == 6
    low, high = alone.goodput_pps.ci95 or (0, 0)
    assert low <= alone.goodput_pps.mean <= high
    # A replication is the same run whether it is alone or not.
    assert one.runs[0].digest == results.runs[0].digest


def test_quantiles_bracket_the_mean(results: headgate.Results) -> None:
    f = results.flows
    assert (f["rtt_min_s"] <= f["rtt_p50_s"] * 1.04).all()
    assert (f["rtt_p50_s"] <= f["rtt_p95_s"]).all()
    assert (f["rtt_p99_s"] <= f["rtt_max_s"] * 1.04).all()
    rtt = results.traces.to_pandas().query("trace == 'rtt' and run == 0 and object == 'ftp' and time_s > 20")["value"]
    assert f["rtt_p50_s"][0] == pytest.approx(np.quantile(rtt, 0.5), rel=0.04)
    assert f["rtt_mean_s"][0] == pytest.approx(rtt.mean(), rel=1e-9)


def test_max_min_ideal(results: headgate.Results) -> None:
    ideal = results.max_min_bps()
    assert ideal["telnet"] == pytest.approx(320)
    assert ideal["ftp"] == pytest.approx(80_000 - 320)
    assert 0.9 < (results.fairness()["jain_of_max_min"] or 0) <= 1


def test_importing_costs_no_numpy() -> None:
    code = "import sys, headgate; assert 'numpy' not in sys.modules; headgate.Scenario; assert 'pyarrow' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_errors_carry_their_parts() -> None:
    with pytest.raises(headgate.ScenarioError) as caught:
        headgate.Scenario(dumbbell(queue={"kind": "fsfs"})).run()
    assert caught.value.path == "links[1].queue.kind"
    assert caught.value.nearest == "fcfs"


def test_gauges_are_read_at_the_ends_of_intervals() -> None:
    queue = {"kind": "fq", "buffer": "5pkt"}
    got = headgate.Scenario.from_dict(dumbbell(queue=queue)).run()
    t = got.gauges
    mine = (t["link"] == "slow") & (t["gauge"] == "inserts")
    assert t["end_s"][mine].tolist() == [20.0 * i for i in range(1, 8)]
    # Counters run from the start; without loss what went in at the end has come out or is the last to wait.
    inserts = t["value"][mine]
    gets = t["value"][(t["link"] == "slow") & (t["gauge"] == "gets")]
    assert (np.diff(inserts) > 0).all()
    assert (inserts - gets).max() <= 5
    assert {r["gauge"] for r in t.rows()} >= {"active_conversations", "insert_operations", "get_operations_max"}
    # A discipline without gauges gives none.
    assert len(headgate.Scenario.from_dict(dumbbell()).run().gauges) == 0


def test_fairness_and_the_first_summaries_are_those_of_all_flows() -> None:
    """What the terminal needs of many flows is computed for all at once, to the last bit as flow by flow."""
    nodes = [{"name": "a", "kind": "host"}, {"name": "g"}, {"name": "b", "kind": "host"}]
    links = [{"from": "a", "to": "g", "rate": "9Mbit/s"}, {"from": "g", "to": "b", "rate": "1Mbit/s"}]
    flow = {"name": "f", "from": "a", "to": "b", "count": 7, "start_spread": "1s", "weight": 2}
    scenario = headgate.Scenario({
        "duration": "20s", "interval": "0.7s", "nodes": nodes, "links": links,
        "flows": [flow, {"name": "cbr", "from": "a", "to": "g", "control": "none", "workload": {"kind": "cbr", "rate": "80kbit/s"}}],
    })  # fmt: skip
    for replications in (1, 3):
        results = scenario.run(replications=replications)
        every = results.flow_summaries()
        assert results.flow_count == len(every) == 8
        assert results.flow_summaries(3) == every[:3]
        goodput, ideal = [f.goodput_bps.mean for f in every], [f.max_min_bps for f in every]
        assert results.fairness() == fairness(goodput, ideal, [2] * 7 + [1])
        assert [f.max_min_bps for f in every] == list(results.max_min_bps().values())
        assert results.runs[0].name == ""


def test_results_leave_no_trace_in_memory_when_nobody_needs_them() -> None:
    results = headgate.Scenario(dumbbell()).run()
    results.fairness()
    results.flow_summaries()
    gone = weakref.ref(results)
    del results
    # Without the collector of cycles: a page that runs a scenario at each turn would hold hundreds of results until it comes by.
    assert gone() is None
