"""The list of metrics: every line is whole, no name is taken twice, and every room knows a metric by its line alone."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headgate.analysis import jain_index
from headgate.comparison.metrics import ALIASES, find
from headgate.lab.frame.metrics import METRICS as JUDGED
from headgate.lab.matrix import MEASURES
from headgate.results.columns import columns, meaning_of, unit_of
from headgate.results.combination import by_group, by_row, by_stretch, combined
from headgate.results.metrics import BY_NAME, LOSS, METRICS, OF_COLUMN, OVER, UNITS, MetricLine, Ratio
from headgate.results.summaries import AnySummary, ClassSummary, FlowSummary, LinkSummary, entries

from ..conftest import ROOT

#: Tables whose columns have headings or are compared.
TABLES = ("flows", "links", "classes", "runs", "times", "replay-summary")


def faults(metrics: Iterable[MetricLine]) -> list[str]:
    """What is wrong with a list, each with the name of its metric."""
    metrics = list(metrics)
    found = []
    for m in metrics:
        known = columns(m.table).get(m.column or "")
        if not m.heading:
            found.append(f"{m.name}: no heading")
        if m.better not in ("more", "less", "neither"):
            found.append(f"{m.name}: better is {m.better!r}; expected more, less or neither")
        if m.unit is None and known is None:
            found.append(f"{m.name}: no unit, and no column {m.column} of {m.table} that has one")
        if not (m.help or (known and known.help)):
            found.append(f"{m.name}: no meaning")
        if m.of is None and m.column and m.column not in columns(m.table):
            found.append(f"{m.name}: {m.table} has no column {m.column}")
        if m.over and m.over not in OVER:
            found.append(f"{m.name}: over is {m.over!r}")
    for what, names in (
        ("name", [m.name for m in metrics]),
        ("name for the referee", [m.referee for m in metrics if m.referee]),
        ("column", [m.column for m in metrics if m.column and m.over != "jain"]),
    ):
        found += [f"{name}: {count} metrics have this {what}" for name, count in Counter(names).items() if count > 1]
    return found


def test_every_line_is_whole_and_no_name_is_taken_twice() -> None:
    assert faults(METRICS) == []
    for m in METRICS:
        assert unit_of(m) in UNITS, m.name
        assert meaning_of(m).endswith("."), m.name


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (replace(BY_NAME["delay"], name="late", heading=""), "late: no heading"),
        (replace(BY_NAME["delay"], name="late", better=""), "late: better is ''; expected more, less or neither"),
        (MetricLine("late", "late", "less", column=None), "late: no unit, and no column None of flows that has one"),
        (MetricLine("late", "late", "less", "s", "Late.", table="links"), "late: links has no column late"),
        (replace(BY_NAME["loss"]), "loss: 2 metrics have this name"),
        (replace(BY_NAME["loss"], name="lossy"), "loss: 2 metrics have this name for the referee"),
    ],
)
def test_a_line_that_lacks_something_is_named(wrong: MetricLine, said: str) -> None:
    assert said in faults([*METRICS, wrong])


def test_every_measured_column_has_a_line() -> None:
    for table in TABLES:
        assert [c.name for c in columns(table).values() if c.measured and c.name not in OF_COLUMN] == []


def test_what_a_summary_shows_is_in_the_list() -> None:
    summaries: tuple[type[AnySummary], ...] = (FlowSummary, LinkSummary, ClassSummary)
    for summary in summaries:
        for name, _, entry in entries(summary):
            used = entry.column.values() if isinstance(entry.column, dict) else [entry.column]
            assert all(bool(entry.heading) != (c in OF_COLUMN) for c in used), name


def test_every_metric_that_pages_name_exists() -> None:
    """After `--metric`, `metric =` and in the lines of cases."""
    known = {*ALIASES, *JUDGED, *OF_COLUMN, "NAME", "METRIC"}
    known |= {m for paper in (ROOT / "python/headgate/papers").glob("*/paper.toml") for m in _of_paper(paper)}
    for page in [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs/how-to").glob("*.md"), ROOT / "README.md"]:
        text = page.read_text("utf-8")
        for name in re.findall(r"--metric[ =](\w+)|\bmetric = \"(\w+)\"|--delay (\w+)", text):
            assert set(name) - {""} <= known, (page.name, name)
        for name in re.findall(r"--show (\S+)", text):
            assert set(name.strip("`.").split(",")) <= MEASURES.keys(), (page.name, name)


def test_the_pages_list_the_metrics_of_today() -> None:
    spec = importlib.util.spec_from_file_location("docs_metrics", ROOT / "docs/metrics.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text("utf-8") == module.page(), "run `cargo xtask write`"
    assert module.GUIDE.read_text("utf-8") == module.guide(), "run `cargo xtask write`"


def _of_paper(paper: Path) -> list[str]:
    return re.findall(r"^(\w+) = \{ ", paper.read_text("utf-8"), re.MULTILINE)


def test_short_names_lead_to_their_columns() -> None:
    for name, metric in ALIASES.items():
        link = "slow" if metric.table == "links" else None
        found = find(name, link=link)
        assert (found.column, found.over == "jain") == (metric.column, metric.over == "jain"), name


VALUES = np.array([[1.0, 3.0, np.nan], [5.0, 5.0, 5.0]])


@pytest.mark.parametrize(
    ("how", "expected"),
    [("total", [4.0, 15.0]), ("mean", [2.0, 5.0]), ("least", [1.0, 5.0]), ("most", [3.0, 5.0]), ("jain", [0.8, 1.0])],
)
def test_flows_are_combined_in_one_way(how: str, expected: list[float]) -> None:
    flat, groups = VALUES.ravel(), np.repeat([0, 1], 3)
    for reduce, values in (
        (by_row, VALUES), (by_stretch(np.array([0, 3])), flat), (by_group(groups, 2), flat)
    ):  # fmt: skip
        assert combined(how, values, reduce).tolist() == expected
    if how == "jain":
        assert expected == [jain_index([1, 3]), jain_index([5, 5, 5])]


def test_a_mean_over_packets_is_a_ratio_of_sums() -> None:
    counts = {"drops": np.array([3.0, 1.0]), "lost": np.array([1.0, 0.0]), "sent": np.array([16.0, 4.0])}
    whole = LOSS({name: values.sum() for name, values in counts.items()})
    assert whole == 5 / 20
    assert combined("mean", LOSS(counts)[None, :], by_row, counts["sent"][None, :]).tolist() == [whole]
    assert np.isnan(Ratio(("drops",), ("sent",))({"drops": 0.0, "sent": 0.0}))


def test_jains_index_is_written_once() -> None:
    formula = re.compile(r"\bsum\([^)]*\)\)? \*\* 2 /|\btotal ?\*\* ?2 / \(|\.sum\(\) ?\*\* ?2 /")
    found = [p for p in (ROOT / "python/headgate").rglob("*.py") if formula.search(p.read_text("utf-8"))]
    found += [p for p in (ROOT / "crates").rglob("*.rs") if re.search(r"total \* total / \(", p.read_text("utf-8"))]
    assert [p.name for p in found] == ["fairness.rs"]


#: What a user of the list does: one more line, before anything else is loaded.
ADDED = """
import headgate.results.metrics as m
line = m.MetricLine("waste", "waste", "less", "", "Packets received that had arrived before, over packets received.",
                m.Ratio(("received", "-unique"), ("received",)), limit=0.05, share=True)
# A counter of the engine that no table shows yet.
counted = m.MetricLine("offered", "offered", "neither", table="links")
# A function of columns, some of which are no counts, and a unit of its own.
follows = m.MetricLine("pace", "pace", "more", "packets/s²", "Packets that arrived for the first time a second, over the mean round trip.",
                lambda t: m.Ratio(("unique",))(t) / t["rtt_mean_s"], limit=5.0)
# The least and the greatest of something.
least = m.MetricLine("rtt_min_s", "least rtt", "less")
# Over a sum of columns, and a rate whose mean over flows is one over no packets.
gone = m.MetricLine("gone", "gone", "less", "", "Packets dropped over those that arrived or were dropped.",
                m.Ratio(("drops",), ("received", "drops")))
rate = m.MetricLine("drop_rate", "drop rate", "less", "packets/s", "Packets dropped a second.", m.Ratio(("drops",)))
more = (line, counted, follows, least, gone, rate)
m.METRICS = (*(x for x in m.METRICS if x.name not in ("offered", "rtt_min_s")), *more)
for x in more:
    m.BY_NAME[x.name] = m.OF_COLUMN[x.column] = x
"""

#: Whether each room knows it then.
ASKED = """
import json, sys
import numpy as np
import headgate
from headgate.lab.attacks.objective import OBJECTIVES
from headgate.comparison.metrics import find
from headgate.comparison.values import cube
from headgate.lab.matrix.measures import MEASURES, measured
from headgate.explore.study import Points
from headgate.papers.load import metric_of
from headgate.papers.model import Measure
from headgate.lab.frame.metrics import METRICS, WHOLE, measure
from headgate.lab.frame.part import Place, Run, Wanted
from headgate.results.groups import groups
from headgate.results.summaries import FlowSummary, LinkSummary, headings
from headgate.sweep import summary

scenario = json.load(sys.stdin)
results = headgate.Scenario(scenario).run(seed=1, replications=2)
flows = results.flows
own = (flows["received"] - flows["unique"]) / flows["received"]
assert (flows["waste"] == own).all()
row = results.flow_summaries()[0]
assert row.to_dict()["waste"]["n"] == 2 and "waste %" in [h.heading for h in headings(FlowSummary)]
one = headgate.Scenario(scenario).run(seed=1)
assert one.flow_summaries()[0].more["waste"].n > 2
port = one.link_summaries()[0]
assert port.to_dict()["offered"] == one.links["offered"][0] > 0
assert "offered" in [h.heading for h in headings(LinkSummary)]
assert "offered" not in MEASURES and METRICS["offered"].unit == "packets"
study = headgate.Sweep(headgate.Scenario(scenario), {"links.slow.queue.buffer": ["4pkt", "9pkt"]}).run()
entry, = (e for e in summary.summary(study) if e["variant"] == 0)
table = {name: study.flows[name].to_numpy()[study.flows["variant"].to_numpy() == 0] for name in ("received", "unique")}
whole = (table["received"].sum() - table["unique"].sum()) / table["received"].sum()
assert abs(entry["waste"].mean - whole) < 1e-12
assert "waste" in [name for name, *_ in summary.headings()]
assert find("waste").label == "waste" and find("waste").unit == ""
assert abs(cube(study, "waste").values.ravel()[0] - whole) < 1e-12
assert MEASURES["waste"].of == "side" and MEASURES["waste"].heading == "waste of A beside B (%)"
run = Run(results.runs[0], Place(70.0, 10.0, [(0.0, 8e4)], subject=""))
found = measure(run, Wanted("waste"))
first = {name: flows[name][flows["run"] == results.runs[0].run].sum() for name in ("received", "unique")}
assert abs(found - (first["received"] - first["unique"]) / first["received"]) < 1e-12
assert METRICS["waste"].better == "less"
assert OBJECTIVES["waste"].limit == 0.05 and not OBJECTIVES["waste"].more
paces = flows["unique"] / (flows["end_s"] - flows["start_s"]) / flows["rtt_mean_s"]
assert (flows["pace"] == paces).all()
own = flows["run"] == results.runs[0].run
assert measure(run, Wanted("pace")) == paces[own].mean() and "pace" in WHOLE and "waste" not in WHOLE
assert measure(run, Wanted("rtt_min_s")) == flows["rtt_min_s"][own].min()
assert results.flow_summaries()[0].more["rtt_min_s"].mean == flows["rtt_min_s"].mean()
assert OBJECTIVES["pace"].amount(4.0) == "4 packets/s²"
assert {"waste", "pace"} <= {x["name"] for x in Points(study).page()["metrics"]}
assert metric_of("paper.toml", "x", Measure(metric="waste")).to == ("received",)
assert metric_of("paper.toml", "x", Measure(metric="pace")).column == "pace"
# Of two flows that differ.
scenario["flows"] = [{**scenario["flows"][0], "name": f"ftp{i}", "control": {"kind": "jk_reno", "window": 4 * i}} for i in (1, 2)]
scenario["links"][1]["queue"] = {"kind": "fcfs", "buffer": "4pkt"}
two = headgate.Scenario(scenario).run(seed=1)
flows = two.flows
gone = flows["drops"].sum() / (flows["received"].sum() + flows["drops"].sum())
assert 0 < gone != flows["gone"].mean()
(group,) = groups(two)
assert group.more["gone"].mean == gone and group.more["gone"].n > 2 and group.more["drop_rate"] == flows["drop_rate"].mean()
assert measure(Run(two.runs[0], Place(140.0, 20.0, [(0.0, 8e4)], subject="")), Wanted("gone")) == gone
study = headgate.Sweep(headgate.Scenario(scenario), {"links.slow.queue.buffer": ["4pkt"]}).run()
entry, = summary.summary(study)
own = {name: study.flows[name].to_numpy().sum() for name in ("received", "drops")}
assert abs(entry["gone"].mean - own["drops"] / (own["received"] + own["drops"])) < 1e-12
assert abs(cube(study, "gone").values.ravel()[0] - entry["gone"].mean) < 1e-12
print("known everywhere")
"""


def test_one_line_makes_a_metric_known_everywhere() -> None:
    from ..conftest import dumbbell

    code = textwrap.dedent(ADDED) + textwrap.dedent(ASKED)
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(dumbbell()), capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "known everywhere", done.stderr


def test_goodput_is_computed_by_its_definition_alone() -> None:
    """Bits from new bytes stand nowhere else: tables, figures, sentences, exports and judges take the one ratio."""
    own = re.compile(r"\b8(\.0|e-\d)?\s*\*[^\n]*unique_bytes|unique_bytes[^\n]*\*\s*8(\.0|e-\d)?\b")
    package = ROOT / "python/headgate"
    found = {
        str(file.relative_to(package))
        for file in package.rglob("*.py")
        if "papers" not in file.parts and own.search(file.read_text("utf-8"))
    }
    assert found == set()
