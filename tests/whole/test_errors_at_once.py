"""Errors found where they are made: `Scenario.set` and `from_dict`, files outside of a scenario's folder."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from headgate import Scenario, ScenarioError, Sweep
from headgate.base.errors import HeadgateError

from ..conftest import Cli, dumbbell

SECRET = "root:x:0:0:secret,1Mbit/s:/root:/bin/sh\n"


@pytest.mark.parametrize(
    ("path", "value", "due"),
    [
        ("links.slow.rate", "10Mbps", 'links[1].rate: found "10Mbps"; expected a rate'),
        ("links.slow.rte", "10Mbit/s", "links[1].rte: unknown key `rte`; did you mean `rate`?"),
        ("flows.ftp.control", "cubik", 'flows[0].control: found "cubik"; did you mean `cubic`?'),
        ("flows.ftp.control.windw", 4, "flows[0].control.windw: unknown key"),
        ("flows.*.to", "nowhere", "flows[0].to"),
        ("duration", "10", "(did you mean `10ms`?)"),
    ],
)
def test_set_finds_an_error_at_once(path: str, value: Any, due: str) -> None:
    with pytest.raises(ScenarioError) as error:
        Scenario(dumbbell()).set(path, value)
    assert due in str(error.value)


def test_changes_that_need_each_other_may_follow_each_other() -> None:
    scenario = Scenario(dumbbell(queue={"kind": "fq", "delta": "500B"}))
    # `fcfs` has no `delta`: the next change mends that.
    changed = scenario.set("links.slow.queue.kind", "fcfs").set("links.slow.queue", "red")
    assert changed.resolve()["links"][1]["queue"]["kind"] == "red"
    # What is wrong elsewhere, or missing, is found at the end.
    assert Scenario({"duration": "10s"}).set("duration", "20s").data == {"duration": "20s"}
    with pytest.raises(ScenarioError, match="duration"):
        Scenario({"duration": "10s"}).set("duration", "20 sec")
    assert scenario.put("duration", "20 sec").data["duration"] == "20 sec"


def test_from_dict_finds_errors_at_once() -> None:
    assert Scenario.from_dict(dumbbell()).data == dumbbell()
    with pytest.raises(ScenarioError, match=r"links\[1\]\.queue"):
        Scenario.from_dict(dumbbell(queue="fsfs"))
    with pytest.raises(HeadgateError, match="finite"):
        Scenario.from_dict({**dumbbell(), "seed": float("nan")})
    with pytest.raises(ScenarioError, match="did you mean `values`"):
        Scenario.from_dict({**dumbbell(), "sweep": {"axes": {"duration": {"value": []}}}})
    assert "sweep" in Scenario.from_dict({**dumbbell(), "sweep": {"axes": {"duration": ["200s", "300s"]}}}).data


def test_compare_takes_an_axis_by_its_name_or_its_path(tmp_path: Path, cli: Cli) -> None:
    axes = {"links.slow.queue.kind": ["fcfs", "fq"], "links.slow.rate": ["80kbit/s", "160kbit/s"]}
    Sweep(Scenario(dumbbell()), axes=axes, replications=2).run(tmp_path / "study")
    by_name = cli("compare", "study", "--by", "queue", "--metric", "goodput")
    assert by_name.returncode == 0, by_name.stderr
    for name in ("links.slow.queue", "links.slow.queue.kind", "slow_queue"):
        assert cli("compare", "study", "--by", name, "--metric", "goodput").stdout == by_name.stdout
    where = cli("compare", "study", "--by", "queue", "--metric", "goodput", "--where", "links.slow.rate=80kbit/s")
    assert where.returncode == 0, where.stderr
    wrong = cli("compare", "study", "--by", "links.fast.queue", "--metric", "goodput")
    assert wrong.returncode == 2 and "expected one of queue, rate" in wrong.stderr


def naming(folder: Path, name: str) -> Path:
    """A scenario that names a file of rates."""
    folder.mkdir(parents=True, exist_ok=True)
    data = dumbbell()
    data["links"][1]["rate"] = {"kind": "steps", "file": name}
    (folder / "mine.json").write_text(json.dumps(data))
    return folder / "mine.json"


STEPS = "0s,80kbit/s\n5s,160kbit/s\n"


@pytest.mark.parametrize(
    "name", ["../out.csv", "{out}", "linked.csv", "folder/out.csv", "/etc/passwd", "circle", "../gone.csv"]
)
def test_files_lie_in_the_folder_of_the_scenario(name: str, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "out.csv").write_text(STEPS)
    file = naming(tmp_path / "mine", name.format(out=tmp_path / "out.csv"))
    (file.parent / "linked.csv").symlink_to(tmp_path / "out.csv")
    (file.parent / "folder").symlink_to(tmp_path)
    (file.parent / "circle").symlink_to("circle")
    for command in (["run"], ["check"], ["show"], ["explore", "--no-browser"]):
        done = cli(*command, file)
        assert (done.returncode, done.stdout) == (2, ""), command
        assert "expected a file in the folder of the scenario" in " ".join(done.stderr.split())
    # Whether there is such a file is not said either.
    if name in ("../out.csv", "linked.csv", "folder/out.csv"):
        for command in (["run"], ["check"], ["show"]):
            assert cli(*command, file, "--allow-files", tmp_path).returncode == 0
        assert Scenario.from_file(file, allow_files=[tmp_path]).run().digest
        data = {**json.loads(file.read_text()), "sweep": {"axes": {"duration": ["200s", "300s"]}}}
        file.write_text(json.dumps(data))
        assert len(Sweep.from_file(file, [tmp_path]).variants()) == 2
        assert cli("sweep", file, "--dry-run", "--allow-files", tmp_path).returncode == 0
        assert cli("sweep", file, "--dry-run").returncode == 2


@pytest.mark.parametrize(
    ("kind", "place"), [("steps", "links.1.rate"), ("mahimahi", "links.1.rate"), ("times", "flows.0.arrivals")]
)
def test_errors_quote_nothing_of_a_file_that_is_no_table(kind: str, place: str, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "secret").write_text(SECRET)
    scenario = Scenario(dumbbell()).put(place, {"kind": kind, "file": "secret"})
    (tmp_path / "mine.json").write_text(json.dumps(scenario.data))
    done = cli("run", "mine.json")
    found = r"secret, line 1: found (a text|a number)[^;]*; expected "
    assert done.returncode == 2 and re.search(found, " ".join(done.stderr.split()))
    assert "bin/sh" not in done.stderr
