"""The controls of the explorer: from the schema, and what turning one changes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headgate import _core
from headgate.base.errors import HeadgateError
from headgate.explore.controls import controls, kinds, value_at, with_value
from headgate.scenario.examples import examples
from headgate.scenario.scenario import Scenario

from ..explorer import scenario

FILES = [e.file for e in examples() if e.file.suffix == ".toml"]


def by_path(given: Scenario) -> dict[str, dict[str, Any]]:
    return {c["path"]: c for c in controls(given)}


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_every_example_has_controls_and_each_can_be_set_to_what_it_shows(file: Any) -> None:
    base = Scenario.from_file(file).base()
    found = controls(base)
    assert {"Network", "Queue", "Flows", "Run"} == {c["group"] for c in found}
    assert any(c["main"] for c in found)
    assert len({c["path"] for c in found}) == len(found)
    before = base.resolve()
    for c in found:
        assert c["kind"] in ("number", "quantity", "choice", "bool", "text")
        assert c["label"]
        if c["kind"] == "choice":
            assert c["value"] in [x["value"] for x in c["choices"]]
        if c["kind"] in ("number", "quantity"):
            assert c["from"] < c["to"], c
            assert c["step"] > 0
            if c["number"] is not None:
                assert c["from"] <= c["number"] <= c["to"]
        if c["kind"] == "quantity":
            assert c["unit"] in ("s", "bit/s", "B", "pkt")
        assert with_value(base, c["path"], c["value"]).resolve() == before, c


def test_units_and_limits_come_from_the_schema() -> None:
    found = by_path(Scenario(scenario()))
    rate, weight = found["links.slow.rate"], found["flows.reno.weight"]
    assert (rate["unit"], rate["number"], rate["value"], rate["log"]) == ("bit/s", 80_000.0, "80kbit/s", True)
    assert (weight["low"], weight["high"]) == (1, 1000)
    assert found["links.slow.queue.buffer"]["unit"] == "pkt"
    assert found["flows.reno.start"]["to"] == 70.0
    names = [c["value"] for c in found["links.slow.queue.kind"]["choices"]]
    assert names == [c["value"] for c in kinds("queue")]
    assert {"fcfs", "fq", "csfq"} <= set(names)


@pytest.mark.parametrize("kind", [c["value"] for c in kinds("queue")])
def test_any_discipline_can_be_chosen_and_turned(kind: str) -> None:
    changed = with_value(Scenario(scenario()), "links.slow.queue.kind", kind)
    assert changed.resolve()["links"][1]["queue"]["kind"] == kind
    whole = changed.resolve()
    for path, c in by_path(changed).items():
        if path.startswith("links.slow.queue."):
            assert with_value(changed, path, c["value"]).resolve() == whole


@pytest.mark.parametrize("kind", [c["value"] for c in kinds("control")])
def test_any_flow_control_can_be_chosen_or_says_what_it_needs(kind: str) -> None:
    try:
        changed = with_value(Scenario(scenario()), "flows.reno.control.kind", kind)
    except _core.ScenarioError as e:
        assert e.path.startswith("flows[1]")
    else:
        assert changed.resolve()["flows"][1]["control"]["kind"] == kind


def test_a_new_kind_keeps_what_it_shares_with_the_old_one() -> None:
    changed = with_value(Scenario(scenario()), "links.slow.queue.kind", "red")
    assert changed.data["links"][1]["queue"] == {"kind": "red", "buffer": "15pkt"}
    assert with_value(changed, "links.slow.queue.max_p", 0.25).data["links"][1]["queue"]["max_p"] == 0.25


def test_numbers_become_quantities() -> None:
    base = Scenario(scenario())
    assert with_value(base, "links.slow.rate", 123_456).data["links"][1]["rate"] == "123.5kbit/s"
    assert with_value(base, "links.slow.delay", 0.0131).data["links"][1]["delay"] == "13.1ms"
    assert with_value(base, "links.slow.queue.buffer", 7).data["links"][1]["queue"]["buffer"] == "7pkt"
    assert with_value(base, "flows.reno.weight", 3).data["flows"][1]["weight"] == 3


def test_names_may_stand_for_tables() -> None:
    given = scenario()
    given["links"][1]["queue"] = "fq"
    given["flows"][1]["control"] = "cubic"
    del given["links"][1]["classify"]
    base = Scenario(given)
    assert with_value(base, "links.slow.queue.buffer", "5pkt").data["links"][1]["queue"] == {
        "kind": "fq",
        "buffer": "5pkt",
    }
    assert value_at(base, "links.slow.queue.kind") == "fq"
    short = Scenario({"duration": "7s", "topology": "dumbbell", "flows": [{"name": "f", "from": "s1", "to": "d1"}]})
    changed = with_value(short, "topology.line.queue.buffer", "5pkt").data
    assert changed["topology"]["line"]["queue"] == {"kind": "fcfs", "buffer": "5pkt"}
    assert with_value(short, "topology.line.rate", 5e6).data["topology"]["line"] == {"rate": "5Mbit/s", "delay": "10ms"}


def test_turning_leaves_the_scenario_before_as_it_was() -> None:
    given = scenario()
    base = Scenario(given)
    with_value(base, "links.slow.queue.kind", "fcfs")
    with_value(base, "links.slow.rate", 1e6)
    assert base.data == scenario()


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "links",
        "links.nothing.rate",
        "links.slow.rate.x.y",
        "flows.9.weight",
        "a" * 5000,
        "links.slow.queue.kind.x",
    ],
)
def test_wrong_paths_are_errors(path: str) -> None:
    with pytest.raises((HeadgateError, _core.ScenarioError)):
        with_value(Scenario(scenario()), path, 1)


def test_a_large_scenario_has_a_bounded_number_of_controls() -> None:
    many = {
        "duration": "7s", "topology": {"kind": "dumbbell", "hosts": 200},
        "flows": [{"name": f"f{i}", "from": f"s{i}", "to": f"d{i}"} for i in range(1, 201)],
    }  # fmt: skip
    assert len(controls(Scenario(many))) < 1000


def test_losses_and_jitter_of_a_link_can_be_set_and_taken_away() -> None:
    base = Scenario(scenario())
    loss = by_path(base)["links.slow.loss.kind"]
    assert (loss["value"], loss["main"]) == (None, True)
    assert [c["value"] for c in loss["choices"]] == [
        None,
        *(law["name"] for law in json.loads(_core.catalogue("losses"))),
    ]
    lossy = with_value(base, "links.slow.loss.kind", "bernoulli")
    assert lossy.data["links"][1]["loss"] == {"kind": "bernoulli"}
    assert by_path(lossy)["links.slow.loss.probability"]["number"] is None
    assert by_path(lossy)["links.slow.loss.probability"]["value"] == 0.01
    more = with_value(lossy, "links.slow.loss.probability", 0.05)
    assert more.resolve()["links"][1]["loss"] == {"kind": "bernoulli", "probability": 0.05}
    assert with_value(more, "links.slow.loss.kind", None).data == base.data
    assert by_path(base)["links.slow.jitter.mean"]["value"] is None
    late = with_value(base, "links.slow.jitter.mean", 0.003)
    assert late.data["links"][1]["jitter"] == {"mean": "3ms"}
    late = with_value(late, "links.slow.jitter.law", "exponential")
    assert late.resolve()["links"][1]["jitter"]["law"] == {"kind": "exponential"}
    late = with_value(late, "links.slow.jitter.mean", None)
    assert with_value(late, "links.slow.jitter.law", None).data == base.data


def test_a_link_with_losses_by_direction_has_no_control_of_them() -> None:
    given = scenario()
    given["links"][1] |= {"loss": {"forward": "bernoulli"}, "jitter": {"reverse": {"mean": "1ms"}}}
    assert not [p for p in by_path(Scenario(given)) if p.startswith(("links.slow.loss", "links.slow.jitter"))]


@pytest.mark.parametrize(
    ("path", "value", "table"),
    [
        ("transport.preset", "linux", {"transport": {"preset": "linux"}}),
        ("transport.ecn", False, {"transport": {"ecn": False}}),
        ("transport.initial_window", 10, {"transport": {"initial_window": 10}}),
        ("transport.min_timeout", 0.2, {"transport": {"min_timeout": "200ms"}}),
        ("receiver.every", 2, {"receiver": {"every": 2}}),
        ("receiver.delay", "40ms", {"receiver": {"delay": "40ms"}}),
    ],
)
def test_transport_and_receiver_of_a_flow_can_be_set_and_taken_away(path: str, value: Any, table: Any) -> None:
    base = Scenario(scenario())
    found = by_path(base)[f"flows.reno.{path}"]
    assert (found["value"], found["group"], found["main"]) == (None, "Flows", False)
    changed = with_value(base, f"flows.reno.{path}", value)
    assert {k: changed.data["flows"][1][k] for k in table} == table
    assert by_path(changed)[f"flows.reno.{path}"]["value"] == next(iter(next(iter(table.values())).values()))
    assert with_value(changed, f"flows.reno.{path}", None).data == base.data
    # A flow control without the transport has neither.
    assert f"flows.window.{path}" not in by_path(base)
