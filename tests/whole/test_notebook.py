"""What people see of results in a notebook or a Python shell, and what the package offers at its top."""

from __future__ import annotations

import inspect
import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import headgate
from headgate.base.errors import HeadgateError
from headgate.stats import Mean

from ..conftest import ROOT


class _Text(HTMLParser):
    """Checks that tags are closed in order; gathers the text of cells."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def html(shown: object) -> list[str]:
    parser = _Text()
    parser.feed(shown._repr_html_())
    assert not parser.open
    return parser.text


@pytest.fixture(scope="module")
def results() -> headgate.Results:
    return headgate.example("game").set("duration", "10s").run(seed=1)


def test_a_scenario_says_its_name_and_what_it_is_made_of() -> None:
    game = headgate.example("game")
    assert repr(game) == "Scenario(a game beside a download: 30s, topology dumbbell, flows game, download)"
    assert "flows[1]" in html(game)
    assert repr(headgate.example("two-sources")).endswith(
        "nodes s{i}, gateway, sink, links access{i}, slow, flows ftp{i}, telnet)"
    )


@pytest.mark.parametrize("data", [{}, {"flows": [3], "topology": 7, "name": 5}, {"nodes": {}, "duration": ["<b>"]}])
def test_a_wrong_scenario_can_be_looked_at(data: dict[str, object]) -> None:
    scenario = headgate.Scenario(data)
    assert repr(scenario).startswith("Scenario(")
    html(scenario)


def test_many_flows_are_counted_not_named() -> None:
    scenario = headgate.Scenario({"flows": [{"name": f"f{i}"} for i in range(500)]})
    assert repr(scenario) == "Scenario(scenario: 500 flows)"
    assert "and 488 more" in html(scenario)


def test_results_show_each_flow_with_its_interval(results: headgate.Results) -> None:
    assert re.fullmatch(r"Results\(a game beside a download: 2 flows, seed 1, digest [0-9a-f]{16}\)", repr(results))
    text = html(results)
    game = results.flow_summaries()[0]
    assert str(game.rtt_s.scaled(1e3)) in text
    assert "rtt ms" in text


def test_names_cannot_break_out_of_a_table() -> None:
    scenario = headgate.example("game").set("flows.game.name", "<script>").set("duration", "10s")
    text = scenario.run(seed=1)._repr_html_()
    assert "<script>" not in text
    assert "&lt;script&gt;" in text


def test_a_replay_shows_a_row_per_queue() -> None:
    replay = headgate.replay(ROOT / "scenarios/office.csv", ["fcfs", "fq"], "2Mbit/s")
    assert repr(replay).endswith("office.csv: 845 packets, 3 flows through fcfs, fq at 2Mbit/s)")
    text = html(replay)
    row = next(r for r in replay.to_dict()["queues"] if r["queue"] == "fq")
    assert f"{1e3 * row['delay_s']['p99']:.4g}" in text


@pytest.mark.slow
def test_a_reproduction_counts_its_verdicts() -> None:
    found = headgate.reproduce("demers1989", "scenario-1")
    # Its table is lost: all numbers are predictions of ours.
    assert sum(found.counts().values()) == 0
    assert f"no printed numbers; others: {found.counts_of_others()['not-tested']} not-tested" in repr(found)
    assert len(repr(found)) < 200
    assert "verdict" in html(found)


def test_a_study_shows_its_axes(tmp_path: Path) -> None:
    sweep = headgate.Sweep(
        headgate.example("game").set("duration", "6s"), {"topology.line.rate": ["5Mbit/s", "9Mbit/s"]}
    )
    study = sweep.run(tmp_path / "s", workers=1)
    assert "complete" in repr(study)
    assert "5Mbit/s, 9Mbit/s" in html(study)


def test_a_table_shows_its_first_rows_and_counts_the_others(results: headgate.Results) -> None:
    text = html(results.intervals)
    assert "rtt_mean_s" in text
    assert f"and {len(results.intervals) - 12} more rows" in text
    assert text.count("game") == 6


def test_a_wrong_column_names_the_nearest(results: headgate.Results) -> None:
    for wrong, right in (("goodput", "goodput_bps"), ("rtt", "rtt_mean_s"), ("drop", "drops")):
        with pytest.raises(KeyError, match=f'Did you mean "{right}"') as caught:
            results.flows[wrong]
        assert isinstance(caught.value, HeadgateError)
        assert str(caught.value).startswith(f"column '{wrong}': ")


def test_rates_of_flows_are_columns_that_follow_from_counts(results: headgate.Results) -> None:
    flows = results.flows
    span = flows["end_s"] - flows["start_s"]
    assert flows["goodput_bps"].tolist() == (8 * flows["unique_bytes"] / span).tolist()
    assert "goodput_bps" not in flows.names


@pytest.mark.parametrize(
    ("mean", "text"),
    [
        (Mean(4.7634, 0.1046, 6), "4.76 ± 0.11"),
        (Mean(0.02834, 0.00002, 120), "0.0283400 ± 0.0000036"),
        (Mean(-3.0, 9.0, 4), "-3 ± 14"),
        (Mean(1e9, 3e6, 5), "1000000000 ± 3724992"),
        (Mean(0.0, 0.1, 5), "0.00 ± 0.12"),
        (Mean(80.0, 1e-13, 9), "80 ± 0"),
        (Mean(0.0, 0.0, 9), "0 ± 0"),
        (Mean(2.5, math.nan, 1), "2.5"),
        (Mean(math.nan, math.nan, 0), "-"),
    ],
)
def test_a_mean_prints_with_half_of_its_interval(mean: Mean, text: str) -> None:
    assert str(mean) == text == f"{mean}"


def test_figures_show_without_a_file(results: headgate.Results, tmp_path: Path) -> None:
    run = headgate.example("packet-pair").run(seed=1)
    replay = headgate.replay(ROOT / "scenarios/office.csv", "fq", "2Mbit/s")
    for picture in (headgate.timeline(run), replay.figure()):
        assert picture._repr_png_().startswith(b"\x89PNG")
        assert picture.file is None
        assert picture.save(tmp_path / "a.svg").read_bytes().startswith(b"<?xml")
        assert "inches" in repr(picture)
        with pytest.raises(HeadgateError, match="expected a name that ends in"):
            picture.save(tmp_path / "a.txt")
    assert not [f for f in tmp_path.iterdir() if f.name != "a.svg"]


def test_errors_are_at_the_top() -> None:
    with pytest.raises(headgate.HeadgateError, match='Did you mean "disciplines"'):
        headgate.catalogue("discipline")
    assert issubclass(headgate.TraceError, headgate.HeadgateError)


def test_lists_are_those_of_the_command() -> None:
    from headgate.base.catalogue import KINDS as OURS
    from headgate.cli.commands.list import KINDS, catalogue

    assert set(OURS) == set(KINDS) - {"short-names"}
    for kind in OURS:
        assert list(headgate.catalogue(kind)) == [e["name"] for e in catalogue(kind)]
        html(headgate.catalogue(kind))
    fq = headgate.catalogue("disciplines")["fq"]
    assert "buffer" in [p.name for p in fq.parameters]
    assert "fq" in repr(fq)
    html(fq)
    with pytest.raises(HeadgateError, match='Did you mean "fcfs"'):
        headgate.catalogue("queues")["fcf"]


def test_the_schema_is_that_of_the_reference() -> None:
    assert headgate.schema() == json.loads((ROOT / "docs/reference/scenario.schema.json").read_text("utf-8"))


def test_help_on_a_scenario_names_every_key() -> None:
    text = inspect.getdoc(headgate.Scenario)
    assert text is not None
    keys = headgate.schema()["properties"]
    assert isinstance(keys, dict)
    assert [key for key in keys if f"`{key}`" not in text] == []
    assert "docs/reference/scenario.md" in text


def test_no_function_that_users_call_returns_anything_at_all() -> None:
    """A return type `Any` gives an editor no information. Contents of JSON files are dictionaries."""
    found = []
    for name in headgate.__all__:
        offered = getattr(headgate, name)
        if not inspect.isclass(offered):
            continue
        for key, member in vars(offered).items():
            function = (
                member.fget
                if isinstance(member, property)
                else getattr(member, "func", getattr(member, "__func__", member))
            )
            if not key.startswith("_") and getattr(function, "__annotations__", {}).get("return") == "Any":
                found.append(f"{name}.{key}")
    from headgate.plots import Figure

    found += [n for n in ("matplotlib", "plotly") if getattr(Figure, n).__annotations__["return"] == "Any"]
    assert found == []
