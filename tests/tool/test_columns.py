"""One list says what the columns of all tables are; whatever speaks of columns takes it from there."""

from __future__ import annotations

import numpy as np
import pytest

import headgate
from headgate.results.columns import ColumnInfo, columns, shown
from headgate.results.metrics import UNITS
from headgate.results.results import TABLES
from headgate.results.summaries import FlowSummary, LinkSummary, entries, headings
from headgate.stats.quantiles import _bucket, _edges
from headgate.sweep import rows

from ..conftest import ROOT, dumbbell
from ..exported import busy


@pytest.fixture(scope="module")
def results() -> headgate.Results:
    scenario = dumbbell({"kind": "fq", "buffer": "4pkt"}) | {"traces": ["window", "backlog"]}
    return headgate.Scenario(scenario).run(seed=3, replications=3)


@pytest.mark.parametrize("table", TABLES)
def test_the_tables_of_a_run_have_the_columns_of_the_list(table: str, results: headgate.Results) -> None:
    found = getattr(results, table)
    assert found.names == ["run", *(name for name, c in columns(table).items() if c.of is None)]
    kinds = {"int": "i", "float": "f", "name": "O"}
    assert {name: found[name].dtype.kind for name in found.names[1:]} == {
        name: kinds[columns(table)[name].type] for name in found.names[1:]
    }


def test_an_unknown_table_is_told_the_names_of_all(results: headgate.Results) -> None:
    with pytest.raises(KeyError, match=f'"flow"; expected one of {", ".join(TABLES)}'):
        results.runs[0].table("flow")
    assert len(TABLES) == 10


def test_what_is_measured_has_a_unit_of_the_known_ones_and_a_meaning() -> None:
    tables = (*TABLES, "runs", "times", "replay-flows", "replay-summary", "replay-packets")
    for c in (c for table in tables for c in columns(table).values()):
        assert c.unit in UNITS, c
        assert c.kind in ("key", "given", "total", "mean", "least", "most"), c
        assert c.help.endswith("."), c
        assert len(shown(c.unit)) == 2


def test_what_follows_from_other_columns_is_in_the_guide() -> None:
    guide = (ROOT / "docs/how-to/sweep.md").read_text("utf-8")
    for c in columns("flows").values():
        line = f"| `{c.name}` | {c.unit} | {c.kind} | {c.help} |"
        assert (line in guide) == (c.of is not None), line


def test_names_in_studies_do_not_meet_those_of_axes() -> None:
    assert rows.names("links")[:5] == ["link", "link_from", "link_to", "link_queue", "link_rate_bps"]
    assert set(rows.names("flows")) >= {"flow_control", "goodput_bps", "goodput_of_max_min", "owd_p95_s"}
    assert not {"queue", "rate_bps", "control", "weight"} & rows.reserved()
    assert "goodput_pps" in rows.measured("flows") and "flow_weight" not in rows.measured("flows")


def test_summaries_are_made_of_the_columns_that_they_name(results: headgate.Results) -> None:
    flows, links = results.flows, results.links
    for i, f in enumerate(results.flow_summaries()):
        mine = {name: flows[name][flows["flow"] == f.flow] for name in flows.names}
        assert f.owd_quantiles_s == pytest.approx({q: mine[f"owd_{q}_s"].mean() for q in ("p50", "p95", "p99")})
        assert f.owd_quantiles_s["p50"] <= f.owd_quantiles_s["p95"] <= f.owd_quantiles_s["p99"]
        assert (f.drops, f.marks, f.timeouts) == tuple(mine[name].sum() for name in ("drops", "marks", "timeouts"))
        assert f.goodput_bps.mean == pytest.approx(
            (8 * mine["unique_bytes"] / (mine["end_s"] - mine["start_s"])).mean()
        )
        assert f.max_min_bps == list(results.max_min_bps().values())[i]
    for x in results.link_summaries():
        mine = {name: links[name][links["link"] == x.link] for name in links.names}
        assert x.drops == {reason: mine[f"drops_{reason}"].sum() for reason in ("full", "evicted", "early")}
        assert (x.backlog_max, x.queue) == (mine["backlog_max"].max(), mine["queue"][0])
        assert x.utilisation.n == 3


def test_a_single_run_has_means_over_its_intervals() -> None:
    one = headgate.Scenario(dumbbell()).run(seed=3)
    intervals, links = one.intervals, one.links
    f = one.flow_summaries()[0]
    mine = (intervals["flow"] == f.flow) & (intervals["warm_up"] == 0)
    assert f.rtt_s.mean == pytest.approx(np.nanmean(intervals["rtt_mean_s"][mine]))
    assert f.rtt_s.n == mine.sum()
    x = next(x for x in one.link_summaries() if x.link == "slow")
    row = links["link"] == "slow"
    assert (x.backlog.mean, x.backlog.std, x.backlog.n) == tuple(
        links[name][row].item() for name in ("backlog_mean", "backlog_std", "intervals")
    )


@pytest.mark.parametrize(("summary", "table"), [(FlowSummary, "flows"), (LinkSummary, "links")])
def test_headings_have_the_units_of_the_columns(
    summary: type[FlowSummary] | type[LinkSummary], table: str, results: headgate.Results
) -> None:
    made_of = {name: entry.column for name, _, entry in entries(summary)}
    found = results.flow_summaries()[0] if summary is FlowSummary else results.link_summaries()[0]
    for h in headings(summary):
        column = h.path[1] if h.path[0] == "more" else made_of[h.path[0]]
        names = column if isinstance(column, dict) else {"": column}
        known: ColumnInfo = columns(table)[names[h.path[1] if isinstance(column, dict) else ""]]
        unit = {"s": ("ms", 1e3), "bit/s": ("kbit/s", 1e-3), "packets/s": ("pkt/s", 1.0)}.get(known.unit)
        if unit is not None:
            assert (h.heading.endswith(f" {unit[0]}"), h.scale) == (True, unit[1])
        assert h.text == isinstance(h.value(found), str)


def test_the_buckets_of_delays_are_those_of_sketches() -> None:
    """The engine's histogram and `headgate.stats.Sketch` each have the formula: the table of the one has the edges of the other."""
    delays = busy().delays
    lower, upper = _edges(delays["bucket"])
    ends = (delays["lower_s"] > lower * (1 + 1e-9)) | (delays["upper_s"] < upper * (1 - 1e-9))
    assert len(lower) > 100
    assert ends.sum() <= 2 * 2 * 4, "of each flow and measure the first and the last edge are the extremes"
    assert delays["lower_s"][~ends] == pytest.approx(lower[~ends], rel=1e-12)
    assert delays["upper_s"][~ends] == pytest.approx(upper[~ends], rel=1e-12)
    middle = (delays["lower_s"] + delays["upper_s"]) / 2 * 1e12
    assert _bucket(middle.astype(np.uint64)).tolist() == delays["bucket"].tolist()
