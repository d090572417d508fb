"""The example scenarios of the package: lists, copies, and what a reader is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import headgate
from headgate.base.errors import HeadgateError
from headgate.scenario import examples as rooms

from ..conftest import ROOT, Cli

NAMES = [e.name for e in rooms.examples()]


def test_the_folder_at_the_top_of_a_checkout_is_that_of_the_package() -> None:
    assert (ROOT / "scenarios").resolve() == rooms.FOLDER.resolve()
    assert {f.name for f in (ROOT / "scenarios").iterdir()} == {f.name for e in rooms.examples() for f in e.files}


@pytest.mark.parametrize("name", NAMES)
def test_an_example_says_what_it_shows(name: str) -> None:
    about = next(e.about for e in rooms.examples() if e.name == name)
    assert 40 < len(about) < 300, about
    assert about.endswith((".", "?", "`.")), about


@pytest.mark.parametrize("name", [n for n in NAMES if n not in rooms.RECORDED])
def test_a_copy_means_what_the_example_means(name: str, cli: Cli, tmp_path: Path) -> None:
    done = cli("examples", name, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    file = tmp_path / f"{name}.toml"
    assert headgate.Scenario.from_file(file).data == headgate.example(name).data
    assert json.loads(cli("check", file).stdout) == json.loads(cli("check", rooms.FOLDER / file.name).stdout)


def test_editors_find_the_schema_beside_a_copy(cli: Cli, tmp_path: Path) -> None:
    cli("examples", "game", "--out", tmp_path)
    directive = (tmp_path / "game.toml").read_text().splitlines()[0]
    assert directive == "#:schema scenario.schema.json"
    assert json.loads((tmp_path / "scenario.schema.json").read_text()) == json.loads(cli("schema").stdout)


def test_all_are_copied_once_and_never_overwritten(cli: Cli, tmp_path: Path) -> None:
    done = cli("examples", "--all", "--out", tmp_path / "s", "--json")
    assert len(json.loads(done.stdout)) == len({f.name for e in rooms.examples() for f in e.files})
    (tmp_path / "s" / "game.toml").write_text("mine")
    again = cli("examples", "--all", "--out", tmp_path / "s")
    assert again.returncode == 2
    assert "the file is there already" in again.stderr
    assert (tmp_path / "s" / "game.toml").read_text() == "mine"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["gam"], 'Did you mean "game"?'),
        (["--all", "game"], "expected one or the other"),
        (["--out", "x"], "expected a NAME or --all"),
        (["game", "--out", "/dev/null"], "expected a folder, found a file"),
    ],
)
def test_what_is_wrong_is_said(args: list[str], said: str, cli: Cli, tmp_path: Path) -> None:
    done = cli("examples", *args)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert not list(tmp_path.iterdir())


def test_a_trace_is_no_scenario() -> None:
    with pytest.raises(HeadgateError, match="expected a scenario"):
        headgate.example("office.csv")


def test_the_game_is_as_quick_beside_a_download_as_before_it_under_fair_queueing() -> None:
    """What the picture of the README shows."""
    pings = {}
    for queue in ("fcfs", "fq"):
        results = headgate.example("game").set("topology.line.queue.kind", queue).run(seed=1)
        t = results.intervals
        game = (t["flow"] == "game") & (t["start_s"] >= 8)
        pings[queue] = t["rtt_mean_s"][game]
    assert pings["fq"].max() < 0.030
    assert 0.27 < pings["fcfs"].max() < 0.29
