"""What varies in a study: ranges, axes, columns, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headgate
from headgate.base.errors import HeadgateError
from headgate.sweep.values import expand

from ..conftest import Cli
from ..own_plugins import control, data, put
from ..studies import sweep_of


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("400kbit/s ... 960kbit/s step 280kbit/s", ["400kbit/s", "680kbit/s", "960kbit/s"]),
        ("900kbit/s ... 1.1Mbit/s step 100kbit/s", ["900kbit/s", "1Mbit/s", "1.1Mbit/s"]),
        ("1ms ... 1s log 7", ["1ms", "3.162ms", "10ms", "31.62ms", "100ms", "316.2ms", "1s"]),
        ("1ps ... 3ps log 5", ["1ps", "2ps", "3ps"]),
        ("1pkt ... 100pkt log 3", ["1pkt", "10pkt", "100pkt"]),
        ("1KiB ... 3KiB step 1KiB", ["1.024KB", "2.048KB", "3.072KB"]),
        ("1 ... 4", [1, 2, 3, 4]),
        ("1 ... 8 step 3", [1, 4, 7]),
        ("0 ... 1 step 0.25", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("0.1 ... 0.7 step 0.1", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]),
        ("1 ... 10000 log 5", [1, 10, 100, 1000, 10000]),
        ("0.01 ... 1 log 3", [0.01, 0.1, 1.0]),
        ("2s...2s step 1s", ["2s"]),
    ],
)
def test_ranges(text: str, values: list[Any]) -> None:
    got = expand(text)
    assert got == values
    assert [type(x) for x in got] == [type(x) for x in values]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fcfs", "range such as"),
        ("1ms ... 1kbit/s step 1ms", "one kind"),
        ("1 ... 1s", "one kind"),
        ("1s ... 1ms log 3", "smaller end first"),
        ("1ms ... 1s", "`step` or `log` after 1s"),
        ("1ms ... 1s step 1kbit/s", "step above zero"),
        ("1 ... 3 step 0", "step above zero"),
        ("1 ... 3 step -1", "step above zero"),
        ("0 ... 3 log 4", "above zero"),
        ("1 ... 3 log 1", "from 2 to"),
        ("1 ... 3 log many", "from 2 to"),
        ("1 ... 1e9", "at most"),
        ("1ms ... tenms log 3", "units"),
    ],
)
def test_wrong_ranges(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=r".") as e:
        expand(text)
    assert words in str(e.value)


@given(st.integers(1, 10**9), st.integers(0, 10**9), st.integers(1, 10**7))
def test_steps_reach_what_they_reach(low: int, more: int, step: int) -> None:
    if more // step > 1000:
        return
    got = expand(f"{low} ... {low + more} step {step}")
    assert got == list(range(low, low + more + 1, step))


def test_variants_are_the_product_and_the_last_axis_varies_fastest() -> None:
    sweep = sweep_of(
        {
            "axes": {
                "links.slow.rate": "40kbit/s ... 80kbit/s step 40kbit/s",
                "links.slow.queue": ["fcfs", {"kind": "red", "max_p": 0.1, "label": "red .1"}, {"kind": "red"}],
            },
            "zip": [
                {
                    "name": "load",
                    "links.slow.delay": ["1ms", "1s"],
                    "flows.*.control": [{"kind": "generic"}, "jk_reno"],
                },
                {"name": "size", "labels": ["a"], "flows.*.packet": ["500B"]},
            ],
        }
    )
    variants = sweep.variants()
    assert len(variants) == 2 * 3 * 2
    assert variants[3] == {
        "rate": "40kbit/s",
        "rate_bps": 40_000.0,
        "queue": "red .1",
        "load": "1s, jk_reno",
        "delay": "1s",
        "delay_s": 1.0,
        "control": "jk_reno",
        "size": "a",
        "packet": "500B",
        "packet_bytes": 500.0,
    }
    data = sweep.variant(3).data
    slow = data["links"][1]
    assert (slow["rate"], slow["delay"], slow["queue"]) == ("40kbit/s", "1s", {"kind": "red", "max_p": 0.1})
    assert data["flows"][0]["control"] == "jk_reno"
    assert "sweep" not in data
    assert len({c.key for c in sweep.check()}) == 12


def test_columns_are_short_unique_and_never_those_of_results() -> None:
    axes = {
        "links.slow.rate": ["40kbit/s", "80kbit/s"],
        "links.fast.rate": ["1Mbit/s", "2Mbit/s"],
        "links.slow.queue.kind": ["fcfs", "fq"],
        "flows.*.start": ["1s"],
        "links.slow.delay": {"values": ["1ms"], "column": "far"},
    }
    names = [n for a in sweep_of({"axes": axes}).axes for n in a.columns]
    assert names == [
        "slow_rate", "slow_rate_bps", "fast_rate", "fast_rate_bps", "queue", "flows_start", "flows_start_s", "far", "far_s",
    ]  # fmt: skip


def test_a_buffer_varies_beside_its_queue_in_any_order() -> None:
    axes = {"links.slow.queue.buffer": ["5pkt"], "links.slow.queue": ["fq"]}
    assert sweep_of({"axes": axes}).variant(0).data["links"][1]["queue"] == {"kind": "fq", "buffer": "5pkt"}


WRONG: dict[str, tuple[Any, list[str]]] = {
    "no table": ([1], ["sweep", "expected"]),
    "nothing": ({}, ["nothing to vary"]),
    "unknown key": ({"axis": {}}, ["sweep", "axis", "did you mean `axes`"]),
    "no values": ({"axes": {"duration": 5}}, ["sweep.axes", "duration", "found 5"]),
    "range": ({"axes": {"duration": "1s .. 2s"}}, ['sweep.axes."duration"', "1s .. 2s", "range such as"]),
    "no such link": ({"axes": {"links.slo.rate": ["1kbit/s"]}}, ['"links.slo.rate"', "slo", 'mean "slow"']),
    "no such key": ({"axes": {"links.slow.rat": ["1kbit/s"]}}, ['"links.slow.rat"', "rat", "`rate`"]),
    "hopeless value": ({"axes": {"links.slow.queue.kind": ["fcfs", "fsfs"]}}, ["queue.kind", '"fsfs"', "`fcfs`"]),
    "wrong unit": ({"axes": {"links.slow.rate": ["1kbit/s", "1ms"]}}, ["links.slow.rate", "1ms", "bit/s"]),
    "same twice": ({"axes": {"links.slow.delay": ["1s", "1000ms"]}}, ["variants that differ", "1000ms"]),
    "same name": ({"axes": {"links.slow.delay": ["1s", "1s"]}}, ["links.slow.delay", "duplicate name"]),
    "label": ({"axes": {"links.slow.queue": [{"kind": "fq", "label": 3}]}}, ["links.slow.queue", "[0].label", "3"]),
    "uneven zip": (
        {"zip": [{"name": "z", "duration": ["9s"], "interval": ["1s", "2s"]}]},
        ["sweep.zip[0]", "equally many"],
    ),
    "labels": ({"zip": [{"name": "z", "labels": ["a"], "interval": ["9s", "8s"]}]}, ["zip[0].labels", "2 labels"]),
    "no name": ({"zip": [{"duration": ["9s"]}]}, ["sweep.zip[0]", "`name`"]),
    "column": ({"axes": {"duration": {"values": ["99s"], "column": "flow"}}}, ["flow", "duplicate column"]),
    "seed": ({"axes": {"seed": [1, 2]}}, ['"seed"', "replications"]),
    "path twice": ({"axes": {"duration": ["99s"]}, "zip": [{"name": "z", "duration": ["98s"]}]}, ["every path once"]),
    "too many": ({"axes": {"flows.*.weight": "1 ... 1000", "duration": "1ms ... 2s step 1ms"}}, ["variants"]),
    "metric": ({"stop": {"metric": "godput_bps", "share": 0.1}}, ["sweep.stop.metric", "godput_bps", "`goodput_bps`"]),
    "link metric": ({"stop": {"metric": "goodput_bps", "link": "slow", "share": 0.1}}, ["table of links"]),
    "share": ({"stop": {"metric": "goodput_bps", "share": 2}}, ["sweep.stop.share", "found 2"]),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_name_the_place(name: str) -> None:
    table, words = WRONG[name]
    with pytest.raises((headgate.ScenarioError, HeadgateError)) as e:
        sweep_of(table).check()
    for word in ["a.toml", *words]:
        assert word in str(e.value)


def test_a_date_is_refused(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "a.toml").write_text("duration = '9s'\n[sweep.axes]\nduration = [2020-01-01]\n")
    done = cli("sweep", "a.toml")
    assert done.returncode == 2
    assert "a.toml: sweep" in done.stderr
    assert "Traceback" not in done.stderr


def test_cases_set_paths_of_their_own() -> None:
    table = {
        "axes": {"links.slow.queue.kind": ["fcfs", "fq"]},
        "cases": {
            "mix": {"alike": {}, "greedy": {"flows.ftp*.start": "3s", "links.slow.queue.buffer": "7pkt"}},
            "a": {"x": {}},
        },
    }
    sweep = sweep_of(table)
    cells = [{"queue": q, "mix": m, "a": "x"} for q in ("fcfs", "fq") for m in ("alike", "greedy")]
    assert [list(v.items()) for v in sweep.variants()] == [list(c.items()) for c in cells]
    plain, greedy = sweep.variant(0).data, sweep.variant(3).data
    assert "start" not in plain["flows"][0]
    assert greedy["flows"][0]["start"] == "3s"
    assert greedy["links"][-1]["queue"] == {"kind": "fq", "buffer": "7pkt"}
    assert headgate.Sweep(headgate.Scenario(plain), table["axes"], cases=table["cases"]).variants() == cells


@pytest.mark.parametrize(
    ("cases", "words"),
    [
        ({"mix": {}}, "sweep.cases.mix"),
        ({"digest": {"a": {}}}, "duplicate column"),
        ({"mix": {"a": {"seed": 3}}}, "makes another scenario"),
    ],
)
def test_cases_that_make_no_axis(cases: dict[str, Any], words: str) -> None:
    with pytest.raises(headgate.ScenarioError, match=words):
        sweep_of({"cases": cases})


def test_a_path_with_a_star_leads_to_the_names_that_fit() -> None:
    data = {"flows": [{"name": "ftp1"}, {"name": "ftp{i}"}, {"name": "telnet"}, {"name": "f*"}]}
    scenario = headgate.Scenario(data)
    assert [f.get("start") for f in scenario.set("flows.ftp*.start", "1s").data["flows"]] == ["1s", "1s", None, None]
    # A name that is there as it stands is that one.
    assert [f.get("start") for f in scenario.set("flows.f*.start", "1s").data["flows"]] == [None, None, None, "1s"]
    with pytest.raises(HeadgateError, match="no entry 'x\\*'"):
        scenario.set("flows.x*.start", "1s")


def test_workers_get_the_plugin_that_only_a_point_of_an_axis_names(tmp_path: Path) -> None:
    """The base names none: the file belongs to the study all the same, and to the scenario of each variant."""
    headgate.plugins.load(put(tmp_path, control()))
    try:
        sweep = headgate.Sweep(headgate.Scenario(data(duration="100ms")), {"flows.own.control": ["reno", "own"]})
        study = sweep.run(workers=1)
    finally:
        headgate.plugins.unload()
    assert study.failures.num_rows == 0
    assert study.flows["control"].to_pylist() == ["reno", "own"]
    assert [entry["name"] for entry in sweep.variant(0).data["plugins"]] == ["mine.py"]
