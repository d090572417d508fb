"""Artifacts: what is in them, that they can be made again, and that every planted difference is noticed and named."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import headgate
from headgate.cli.artifacts import LIBRARIES, names_in, replacing
from headgate.scenario.links import link_of

from ..conftest import ROOT, Cli, dumbbell
from ..studies import write

TABLE = {"axes": {"links.slow.rate": ["400kbit/s", "800kbit/s"]}, "replications": 2}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for artifacts that several tests look at."""
    return tmp_path_factory.mktemp("artifacts")


@pytest.fixture
def study(kept: Path, tmp_path: Path, cli: Cli) -> Path:
    """The artifact of a study, in the folder of the test."""
    if not (kept / "study").exists():
        write(tmp_path / "s.json", TABLE)
        done = cli("artifact", "s.json", "--out", kept / "study", "--workers", "1")
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
    shutil.copytree(kept / "study", tmp_path / "study")
    return tmp_path / "study"


@pytest.fixture
def run(kept: Path, tmp_path: Path, cli: Cli) -> Path:
    """The artifact of a scenario, in the folder of the test."""
    if not (kept / "run").exists():
        (tmp_path / "a.json").write_text(json.dumps(dumbbell()))
        done = cli("artifact", "a.json", "--out", kept / "run", "--replications", "2", "--seed", "7")
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
    shutil.copytree(kept / "run", tmp_path / "run")
    return tmp_path / "run"


def change(artifact: Path, **values: Any) -> None:
    file = artifact / "artifact.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | values))


def said(artifact: Path, name: str) -> Any:
    return json.loads((artifact / "artifact.json").read_text())[name]


def test_the_artifact_of_a_study_has_all_and_is_made_again(study: Path, cli: Cli) -> None:
    assert names_in(study) == [
        "README.md", "figures/goodput.svg", "references.bib", "reproduce.sh", "scenario.json", "tables/flows.csv", "tables/links.csv",
        "tables/runs.csv",
    ]  # fmt: skip
    # The digests are those of the study as it is run without an artifact.
    whole = headgate.Sweep.of(headgate.Scenario(json.loads((study / "scenario.json").read_text()))).run(workers=1)
    assert said(study, "digests") == whole.runs.select(["variant", "replication", "digest"]).to_pylist()
    assert len(said(study, "digests")) == 4
    done = cli("artifact", "--check", "study", "--workers", "1")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout == "made again and compared: 4 digests, 3 tables, 1 figure; all agree\n"


def test_the_artifact_of_a_run_has_its_tables_and_is_made_again(run: Path, tmp_path: Path, cli: Cli) -> None:
    scenario = headgate.Scenario(dumbbell())
    results = scenario.run(7, 2)
    assert [row["digest"] for row in said(run, "digests")] == [one.digest for one in results.runs]
    results.save(tmp_path / "saved")
    for table in ("flows", "links", "intervals"):
        assert (run / f"tables/{table}.csv").read_bytes() == (tmp_path / f"saved/{table}.csv").read_bytes()
    assert {"figures/timeline.svg", "tables/traces.csv"} <= set(names_in(run))
    done = cli("artifact", "--check", "run", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["agrees"], found["differences"], found["versions"]) == (0, True, [], {})
    assert found["compared"]["digests"] == 2 and found["compared"]["figures"] == 1


def test_a_zip_is_the_same_bytes_again_and_can_be_checked(tmp_path: Path, cli: Cli) -> None:
    write(tmp_path / "s.json", TABLE)
    for name in ("a.zip", "b.zip"):
        assert cli("artifact", "s.json", "--out", name, "--no-figures", "--workers", "1").returncode == 0
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    assert cli("artifact", "--check", "a.zip", "--workers", "1").returncode == 0
    with zipfile.ZipFile(tmp_path / "a.zip") as file:
        assert {entry.date_time for entry in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert file.getinfo("reproduce.sh").external_attr >> 16 == 0o100755
    # Its own zip is replaced, and nothing else is left.
    assert cli("artifact", "s.json", "--out", "a.zip", "--no-figures", "--workers", "1").returncode == 0
    assert sorted(f.name for f in tmp_path.iterdir()) == ["a.zip", "b.zip", "s.json"]


def test_a_link_and_files_that_a_scenario_reads_are_part_of_it(tmp_path: Path, cli: Cli) -> None:
    link = link_of(headgate.Scenario(dumbbell()))
    assert cli("artifact", link, "--no-figures").returncode == 0
    assert cli("artifact", "--check", "out/link-artifact").returncode == 0
    file = ROOT / "scenarios/lossy-links.toml"
    assert "cell.trace" in file.read_text("utf-8")
    assert (
        cli(
            "artifact", file, "--out", "lossy", "--no-figures", "--set", "duration=10s", "--set", "warm_up=0s"
        ).returncode
        == 0
    )
    assert cli("artifact", "--check", "lossy").returncode == 0


def changed_digest(artifact: Path) -> None:
    rows = said(artifact, "digests")
    rows[1]["digest"] = "0" * 16
    change(artifact, digests=rows)


def changed_table(artifact: Path) -> None:
    file = artifact / "tables/flows.csv"
    file.write_bytes(file.read_bytes().replace(b"1", b"2", 1))


def changed_table_and_its_digest(artifact: Path) -> None:
    changed_table(artifact)
    changed(artifact, "tables/flows.csv")


def changed_figure_and_its_digest(artifact: Path) -> None:
    file = artifact / "figures/goodput.svg"
    file.write_text(file.read_text().replace("M ", "M 1", 1))
    changed(artifact, "figures/goodput.svg")


def changed(artifact: Path, name: str) -> None:
    change(artifact, files=said(artifact, "files") | {name: hashlib.sha256((artifact / name).read_bytes()).hexdigest()})


def other_seed(artifact: Path) -> None:
    file = artifact / "scenario.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"seed": 2}))
    changed(artifact, "scenario.json")


FAULTS = [
    (changed_digest, ["digest of variant 0, replication 1: found ", "; expected 0000000000000000"]),
    (changed_table, ["tables/flows.csv: found SHA-256 ", " in the artifact; expected "]),
    (changed_table_and_its_digest, ["tables/flows.csv: found SHA-256 ", " when it is made again; expected "]),
    (changed_figure_and_its_digest, ["figures/goodput.svg: found SHA-256 ", " when it is made again; expected "]),
    (lambda a: (a / "tables/links.csv").unlink(), ["tables/links.csv: found none in the artifact; expected this file"]),
    (lambda a: (a / "README.md").unlink(), ["README.md: found none in the artifact; expected this file"]),
    (other_seed, ["digest of variant 0, replication 0: found ", "tables/runs.csv: found SHA-256 "]),
]


@pytest.mark.parametrize(("plant", "words"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_planted_fault_is_named(plant: Any, words: list[str], study: Path, cli: Cli) -> None:
    plant(study)
    done = cli("artifact", "--check", "study", "--workers", "1")
    assert done.returncode == 1 and all(word in done.stdout for word in words), done.stdout
    assert "all agree" not in done.stdout and "difference" in done.stdout.splitlines()[-1]


def test_another_version_is_said_and_is_no_difference_by_itself(study: Path, cli: Cli) -> None:
    change(study, versions=said(study, "versions") | {"headgate": "0.0.9", "matplotlib": "3.0.0"})
    done = cli("artifact", "--check", "study", "--workers", "1")
    assert done.returncode == 0 and "4 digests, 3 tables, 0 figures; all agree" in done.stdout
    assert f"headgate: the artifact was made with 0.0.9, and here is {headgate.__version__}" in " ".join(
        done.stderr.split()
    )
    assert "figures were not compared: they were drawn by matplotlib 3.0.0" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"kind": "study"}, "expected the manifest of an artifact, found another file"),
        ({"format": 2}, "found form 2; expected form 1"),
        ({"digests": [{"variant": 0}]}, "digests: found [{'variant': 0}]"),
        ({"files": {"README.md": 1}}, "files: found"),
        ({"metrics": ["../../evil"]}, "metrics: found"),
        ({"replications": 0}, "replications: found 0"),
    ],
)
def test_a_damaged_manifest_is_an_error(values: dict[str, Any], words: str, study: Path, cli: Cli) -> None:
    change(study, **values)
    done = cli("artifact", "--check", "study")
    assert done.returncode == 2 and words in done.stderr and not done.stdout, done.stderr


def test_what_is_no_artifact_is_an_error(study: Path, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "a.zip").write_bytes(b"no zip")
    (tmp_path / "empty").mkdir()
    for name in ("a.zip", "empty", "nowhere", "nowhere.zip"):
        done = cli("artifact", "--check", name)
        assert done.returncode == 2 and f"{name}: expected an artifact" in done.stderr, done.stderr
    (study / "artifact.json").write_text("{")
    assert "artifact.json: is damaged" in cli("artifact", "--check", "study").stderr
    done = cli("artifact", "--check", "study", "--seed", "1")
    assert done.returncode == 2 and "--seed: found it with --check" in done.stderr


def test_only_its_own_folder_is_replaced(study: Path, tmp_path: Path, cli: Cli) -> None:
    write(tmp_path / "s.json", TABLE)
    words = ("artifact", "s.json", "--no-figures", "--workers", "1", "--out")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/mine.txt").write_text("mine")
    done = cli(*words, "other")
    assert (
        done.returncode == 2
        and "--out other: expected an empty or absent folder, or one with an artifact" in done.stderr
    )
    (study / "notes.txt").write_text("mine")
    done = cli(*words, "study")
    assert done.returncode == 2 and "found 'notes.txt', which is not of the artifact there" in done.stderr.replace(
        "found notes.txt", "found 'notes.txt'"
    )
    (study / "notes.txt").unlink()
    assert cli(*words, "study").returncode == 0 and not (study / "figures").exists()
    (tmp_path / "b.zip").write_bytes(b"mine")
    assert cli(*words, "b.zip").returncode == 2 and (tmp_path / "b.zip").read_bytes() == b"mine"
    assert sorted(f.name for f in tmp_path.iterdir()) == ["b.zip", "other", "s.json", "study"]


@pytest.mark.parametrize("name", ["new", "new.zip", "study"])
def test_nothing_is_left_or_lost_after_ctrl_c(name: str, study: Path, tmp_path: Path) -> None:
    before = {file: (study / file).read_bytes() for file in names_in(study)}
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / name) as folder:
        (folder / "half").write_text("half")
        raise KeyboardInterrupt
    assert [f.name for f in tmp_path.iterdir()] == ["study"]
    assert {file: (study / file).read_bytes() for file in names_in(study)} == before


@pytest.mark.parametrize("point", ["_save", "fill", "results_of"])
def test_ctrl_c_during_the_work_leaves_nothing(point: str, tmp_path: Path) -> None:
    code = f"""
import os, signal, sys
from headgate.cli import artifacts, main
real = artifacts.{point}
def wrapper(*args):
    found = real(*args)
    os.kill(os.getpid(), signal.SIGINT)
    return found
artifacts.{point} = wrapper
main()
"""
    write(tmp_path / "s.json", TABLE)
    words = ["artifact", "s.json", "--out", "new", "--no-figures", "--workers", "1"]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped\n")
    assert [f.name for f in tmp_path.iterdir()] == ["s.json"]


def test_runs_that_fail_are_part_of_it(tmp_path: Path, cli: Cli) -> None:
    write(tmp_path / "s.json", {"axes": {"links.slow.rate": ["400kbit/s", "800kbit/s"]}, "replications": 1})
    done = cli("artifact", "s.json", "--out", "new", "--workers", "1", "--metric", "../evil")
    assert done.returncode == 2 and "--metric: found '../evil'" in done.stderr
    done = cli("artifact", "s.json", "--out", "new", "--workers", "1", "--metric", "nothing")
    assert done.returncode == 0 and "the figure nothing was not drawn" in done.stderr
    assert cli("artifact", "--check", "new", "--workers", "1").returncode == 0


def test_the_versions_are_those_of_the_libraries(study: Path) -> None:
    found = said(study, "versions")
    assert (
        set(found) == {"headgate", "engine", "python", "system", *LIBRARIES}
        and found["headgate"] == headgate.__version__
    )
