"""What `headgate new` writes, and flow controls in shared objects."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import headgate
from headgate.base.errors import HeadgateError
from headgate.plugins import native

from ..conftest import Cli

RUSTC = shutil.which("rustc")


FIFO = {"kind": "fcfs", "buffer": "30pkt"}


def scenario(control: Any, plugins: list[Any], queue: Any = None) -> headgate.Scenario:
    return headgate.Scenario(
        {
            "duration": "4s",
            "plugins": plugins,
            "nodes": [{"name": "a", "kind": "host"}, {"name": "g"}, {"name": "b", "kind": "host"}],
            "links": [
                {"from": "a", "to": "g", "rate": "100Mbit/s"},
                {"name": "slow", "from": "g", "to": "b", "rate": "5Mbit/s", "delay": "20ms", "queue": queue or FIFO},
            ],
            "flows": [{"name": "f", "from": "a", "to": "b", "control": control}],
        }
    )  # fmt: skip


def build(source: str, folder: Path, name: str = "mine") -> Path:
    """A shared object, without cargo: the crate depends on nothing."""
    if RUSTC is None:
        pytest.skip("no rustc")
    file, made = folder / f"{name}.rs", folder / f"lib{name}.so"
    file.write_text(source)
    command = [RUSTC, "--edition", "2021", "--crate-type", "cdylib", "--crate-name", name, "-o", str(made), str(file)]
    done = subprocess.run([*command, "-D", "warnings"], capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source that `headgate new control mine --rust` writes."""
    from click.testing import CliRunner

    from headgate.cli.group import cli

    folder = tmp_path_factory.mktemp("new")
    assert CliRunner().invoke(cli, ["new", "control", "mine", "--rust", "--out", str(folder)]).exit_code == 0
    return (folder / "mine/src/lib.rs").read_text()


@pytest.fixture(scope="module")
def built(template: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(template, tmp_path_factory.mktemp("built"))


def test_what_is_written_in_python_runs(cli: Cli, tmp_path: Path):
    for kind in ("control", "discipline"):
        done = cli("new", kind, f"my_{kind}")
        assert done.returncode == 0 and done.stdout.startswith(f"wrote my_{kind}.py\n"), done.stderr
    control, queue = (headgate.plugins.load(tmp_path / f"my_{kind}.py")[0] for kind in ("control", "discipline"))
    run = scenario("my_control", [control, queue], {"kind": "my_discipline", "limit": 30}).run()
    summary = run.flow_summaries()[0]
    assert summary.control == "my_control" and summary.goodput_bps.mean > 4.5e6 and summary.drops > 0


def test_nothing_is_overwritten_without_force(cli: Cli, tmp_path: Path):
    (tmp_path / "mine.py").write_text("mine")
    done = cli("new", "control", "mine")
    assert done.returncode == 2 and "mine.py: there is such a file; expected none, or --force" in done.stderr
    assert (tmp_path / "mine.py").read_text() == "mine"
    assert cli("new", "control", "mine", "--force").returncode == 0
    assert "class Mine" in (tmp_path / "mine.py").read_text()
    # All files of a crate or none.
    (tmp_path / "crate/src").mkdir(parents=True)
    (tmp_path / "crate/src/lib.rs").write_text("mine")
    assert cli("new", "control", "crate", "--rust").returncode == 2
    assert not (tmp_path / "crate/Cargo.toml").exists()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("control", "9a"), "NAME: found '9a'; expected lower-case letters"),
        (("control", "A"), "NAME: found 'A'; expected lower-case letters"),
        (("control", "../a"), "NAME: found '../a'; expected lower-case letters"),
        (("control", "cubic"), "NAME: found 'cubic'; expected one that no control of headgate has"),
        (("discipline", "fq"), "NAME: found 'fq'; expected one that no discipline of headgate has"),
        (("discipline", "mine", "--rust"), "--rust: expected a control"),
    ],
)
def test_what_cannot_be_written(cli: Cli, tmp_path: Path, words: tuple[str, ...], why: str):
    done = cli("new", *words)
    assert done.returncode == 2 and why in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_shared_object_gives_what_the_same_in_python_gives(built: Path, cli: Cli, tmp_path: Path):
    cli("new", "control", "my_control")
    plugins = headgate.plugins.load(built, tmp_path / "my_control.py")
    runs = [scenario(control, plugins).run() for control in ("mine", "my_control")]
    columns = [{c: list(run.flows[c]) for c in ("sent", "unique", "drops", "rtt_mean_s")} for run in runs]
    assert columns[0] == columns[1] and columns[0]["drops"][0] > 0
    wider = scenario({"kind": "mine", "increase": 3, "decrease": 0.9}, plugins).run()
    same = scenario({"kind": "my_control", "increase": 3.0, "decrease": 0.9}, plugins).run()
    assert list(wider.flows["sent"]) == list(same.flows["sent"]) != columns[0]["sent"]


def test_parameters_are_checked_and_filled_in(built: Path):
    plugins = headgate.plugins.load(built)
    resolved = scenario({"kind": "mine", "increase": 2}, plugins).resolve()
    assert resolved["flows"][0]["control"] == {"kind": "mine", "increase": 2.0, "decrease": 0.5}
    entry = headgate.catalogue("controls")["mine"]
    assert {p.name for p in entry.parameters} == {"increase", "decrease"} and entry.source == built.name
    for wrong, why in (
        ({"decrease": 2}, "control.decrease: found 2; expected a number at most 1"),
        ({"decrease": 0}, "control.decrease: found 0; expected a number at least 0.01"),
        ({"decrease": True}, "control.decrease: found true; expected a number"),
        ({"decrease": "x"}, 'control.decrease: found "x"; expected a number'),
        ({"decreese": 1}, "unknown key `decreese`"),
    ):
        with pytest.raises(headgate.ScenarioError, match=why):
            scenario({"kind": "mine", **wrong}, plugins).resolve()


def test_a_scenario_file_names_it(built: Path, tmp_path: Path, cli: Cli):
    shutil.copy(built, tmp_path)
    data = {**scenario("mine", []).data, "plugins": ["libmine.so"]}
    (tmp_path / "one.json").write_text(json.dumps(data))
    done = cli("run", "one.json", "--json", "--allow-code")
    assert done.returncode == 0, done.stderr
    sweep = {**data, "sweep": {"axes": {"flows.f.control.decrease": [0.3, 0.7]}}}
    sweep["flows"] = [{**data["flows"][0], "control": {"kind": "mine"}}]
    (tmp_path / "many.json").write_text(json.dumps(sweep))
    done = cli("sweep", "many.json", "--out", "out", "--allow-code")
    assert done.returncode == 0, done.stderr
    elsewhere = {**data, "plugins": ["../libmine.so"]}
    (tmp_path / "two.json").write_text(json.dumps(elsewhere))
    done = cli("run", "two.json")
    assert done.returncode == 2 and "expected a file in the folder of the scenario" in done.stderr


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("window: self.window,", "window: f64::NAN,"), "window: found NaN; expected a number of packets, at least 1"),
        (("window: self.window,", "window: -1.0,"), "window: found -1"),
        (("rate: f64::INFINITY,", "rate: 0.0,"), "rate: found 0"),
        (("let slow_start = u32", 'if event.now > 1.0 { return Err("no more".into()) } let slow_start = u32'), "code 1: no more"),
        (("let slow_start = u32", 'if event.now > 1.0 { panic!("oh") } let slow_start = u32'), "code 1: it panicked"),
    ],
)  # fmt: skip
def test_what_it_does_wrong_is_said_with_flow_and_time(
    template: str, tmp_path: Path, change: tuple[str, str], why: str
):
    assert change[0] in template
    made = build(template.replace(*change).replace('c"mine"', 'c"worse"'), tmp_path, "worse")
    with pytest.raises(headgate.PluginError) as found:
        scenario("worse", headgate.plugins.load(made)).run()
    assert why in str(found.value) and str(found.value).startswith("flow f, on_")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("version: 1", "version: 2"), "found version 2 of the layout; expected 1"),
        (("fn headgate_control", "fn other"), "expected a shared object with a function headgate_control"),
        (("&raw const TABLE", "std::ptr::null::<Table>()"), "headgate_control: found nothing"),
        (('c"mine"', 'c"cubic"'), "found the name cubic; expected one that no control of headgate has"),
        (('c"mine"', 'c"Mine!"'), "found the name 'Mine!'; expected lower-case letters"),
        (('c"decrease"', 'c"increase"'), "found two parameters of one name"),
        (
            ("0.5, 0.01, 1.0", "0.5, 0.6, 1.0"),
            "parameter 'decrease': expected a name, and a default between two bounds",
        ),
    ],
)
def test_shared_objects_that_are_none(template: str, tmp_path: Path, change: tuple[str, str], why: str):
    assert change[0] in template
    source = "#![allow(dead_code)]\n" + template.replace(*change)
    made = build(source, tmp_path)
    with pytest.raises(HeadgateError, match=why):
        headgate.plugins.load(made)


def test_files_that_are_no_shared_objects(tmp_path: Path, built: Path):
    (tmp_path / "libtext.so").write_text("text")
    with pytest.raises(HeadgateError, match=r"libtext.so: expected a shared object with a function"):
        headgate.plugins.load(tmp_path / "libtext.so")
    with pytest.raises(HeadgateError, match="No such file"):
        headgate.plugins.load(tmp_path / "libnone.so")
    entry = native.entry_of(built, "libmine.so", "plugins[0]")
    for source in ("", "[]", "{}", entry["source"].replace(built.name, "other.so")):
        with pytest.raises(HeadgateError):
            headgate.plugins.ensure_text(json.dumps({"plugins": [{"name": "libmine.so", "source": source}]}))
    other = {"name": "libmine.so", "source": json.dumps({"file": os.fspath(built), "sha256": "0" * 64})}
    with pytest.raises(HeadgateError, match="expected the shared object that the scenario was written for"):
        headgate.plugins.ensure_text(json.dumps({"plugins": [other]}))
