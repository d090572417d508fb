"""Topologies as users meet them: in files, in the schema, under `--set` and in studies."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import headgate
from headgate import Scenario, Sweep, _core
from headgate.base.errors import HeadgateError

from ..conftest import ROOT, Cli

KINDS = ["dumbbell", "parking_lot", "chain", "star", "fat_tree", "random"]


def net(kind: str = "dumbbell", **more: Any) -> dict[str, Any]:
    ends = {"dumbbell": ("s1", "d1"), "parking_lot": ("s1", "d1")}.get(kind, ("h1", "h2"))
    flow = {"name": "f", "from": ends[0], "to": ends[1]}
    return {"duration": "1s", "topology": {"kind": kind, **more}, "flows": [flow]}


def validator() -> Any:
    schema = json.loads(_core.schema())
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


def test_the_list_is_complete() -> None:
    assert [entry["name"] for entry in json.loads(_core.catalogue("topologies"))] == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_runs_as_it_stands(kind: str) -> None:
    assert Scenario(net(kind)).run().flows["received"][0] > 0
    validator().validate(net(kind))


@pytest.mark.slow
def test_the_schema_knows_lists_and_laws_and_nothing_else() -> None:
    good = [
        {"rate": ["1Mbit/s", "2Mbit/s"], "queue": "fq"},
        {"rate": "1Mbit/s", "delay": {"kind": "uniform", "mean": "9ms", "spread": 0.1}, "classify": "flow"},
    ]
    bad = [
        {"delay": "1ms"},
        {"rate": 3},
        {"rate": "1Mbit/s", "name": "x"},
        {"rate": []},
        {"rate": "1Mbit/s", "queue": "f"},
    ]
    for line in good:
        validator().validate(net("chain", line=line))
        Scenario(net("chain", line=line)).resolve()
    for line in bad:
        assert not validator().is_valid(net("chain", line=line)), line
        with pytest.raises(headgate.ScenarioError, match=r"topology\.line"):
            Scenario(net("chain", line=line)).resolve()


def test_what_is_set_and_swept_are_the_parameters() -> None:
    scenario = Scenario(net(hosts=2, line={"rate": "1Mbit/s"}))
    assert len(scenario.set("topology.hosts", 8).resolve()["nodes"]) == 18
    assert scenario.set("topology.line.rate", "3Mbit/s").resolve()["links"][0]["rate"] == "3Mbit/s"
    with pytest.raises(HeadgateError, match=r"cannot set .*the links come from `topology`; expected a path such as"):
        scenario.set("links.bottleneck.rate", "3Mbit/s")
    axes = {"topology.hosts": [1, 2], "topology.line.queue": ["fcfs", "fq"]}
    assert all(v.error is None for v in Sweep.of(Scenario({**scenario.data, "sweep": {"axes": axes}})).check())


def test_what_is_checked_is_the_expanded_file(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "net.json").write_text(json.dumps(net("fat_tree")))
    first = cli("check", "net.json")
    resolved = json.loads(first.stdout)
    assert "topology" not in resolved
    assert (len(resolved["nodes"]), len(resolved["links"])) == (36, 48)
    (tmp_path / "resolved.json").write_text(first.stdout)
    assert cli("check", "resolved.json").stdout == first.stdout
    assert cli("run", "net.json", "--json").stdout == cli("run", "resolved.json", "--json").stdout


def test_a_study_of_topologies_is_printed_so_that_it_can_be_swept(cli: Cli, tmp_path: Path) -> None:
    for axis, kept in (("topology.hosts", True), ("links.line.rate", False)):
        study = net() | {"sweep": {"axes": {axis: [2, 3] if kept else ["1Mbit/s", "2Mbit/s"]}}}
        if not kept:
            del study["topology"]
            study |= {"nodes": [{"name": "s1"}, {"name": "d1"}]}
            study["links"] = [{"name": "line", "from": "s1", "to": "d1", "rate": "1Mbit/s"}]
        (tmp_path / "study.json").write_text(json.dumps(study))
        first = cli("check", "study.json").stdout
        assert ("topology" in json.loads(first), "seed" in json.loads(first)) == (kept, not kept)
        (tmp_path / "printed.json").write_text(first)
        printed, given = (Sweep.from_file(tmp_path / f"{name}.json").check() for name in ("printed", "study"))
        assert printed == given


def test_a_network_that_is_too_large_is_an_error(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "net.json").write_text(json.dumps(net("fat_tree", k=1_000_000)))
    done = cli("check", "net.json")
    assert done.returncode == 2
    assert "topology.k: found 1000000; expected at most 1000000 nodes and 1000000 links" in done.stderr.replace(
        "\n", " "
    )


def test_the_examples_of_the_page_are_right() -> None:
    page = (ROOT / "docs/how-to/own-scenario.md").read_text("utf-8")
    blocks = [tomllib.loads(b) for b in re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S)]
    dumbbell = next(b for b in blocks if "topology" in b)
    delays = [link["delay"] for link in Scenario(dumbbell).resolve()["links"][:5]]
    assert delays == ["10ms", "1ms", "5ms", "20ms", "1ms"]
    islands = next(b for b in blocks if "islands" in b)
    chain = {
        "duration": "1s",
        "topology": {"kind": "chain", "gateways": 5},
        "flows": [{"name": "f", "from": "h1", "to": "h5"}],
    }
    links = Scenario(chain | islands).resolve()["links"]
    # All gateways have a host or are at the border, where labels are taken off.
    assert [link["queue"]["role"] for link in links[:4]] == ["edge"] * 4
    assert [link.get("unlabel", False) for link in links[:4]] == [False, False, True, False]


def test_round_trips_of_common_test_networks() -> None:
    """The dumbbell of nine round trips of "Common TCP Evaluation Suite", and a parking lot in which all round trips are equal."""
    fast = "1Gbit/s"
    access, leave = ({"rate": fast, "delay": [f"{ms}ms" for ms in delays]} for delays in ((0, 12, 25), (2, 37, 75)))
    line = {"rate": fast, "delay": "0s"}
    pairs = {"name": "f{i}", "from": "s{(i-1)/3+1}", "to": "d{(i-1)%3+1}", "count": 9, "packet": "1B", "ack": "1B"}
    window = {"control": {"kind": "generic", "window": 1}}
    nine = {"kind": "dumbbell", "hosts": 3, "line": line, "access": access, "exit": leave}
    suite = Scenario({"duration": "8s", "topology": nine, "flows": [pairs | window]})
    trips = [f.rtt_s.mean * 1000 for f in suite.run().flow_summaries()]
    assert sorted(trips) == pytest.approx([4, 28, 54, 74, 98, 124, 150, 174, 200], abs=0.01)
    lot = {
        "kind": "parking_lot",
        "line": {"rate": fast, "delay": "10ms"},
        "access": {"rate": fast, "delay": "10ms"},
        "ends": line,
    }
    flows = [{"name": "long", "from": "a1", "to": "b1"}, {"name": "x{i}", "from": "s{i}", "to": "d{i}", "count": 3}]
    equal = Scenario({"duration": "8s", "topology": lot, "flows": [f | window for f in flows]})
    assert [f.rtt_s.mean for f in equal.run().flow_summaries()] == pytest.approx([0.06] * 4, abs=1e-4)
