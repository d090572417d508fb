"""The recipes of docs/how-to/cluster.md: each is run as far as it needs no cluster, and what they give is the study of one machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from headgate.cli.finding import class_of

from ..conftest import ROOT, Cli
from ..studies import results_of, write
from .test_docs import blocks

PAGE = "docs/how-to/cluster.md"

#: Parts of the page, and of the tests.
MANY, FEW = 64, 3

#: Stands for the program of another machine.
HEADGATE = f'#!/bin/sh\nexec {sys.executable} -c "from headgate.cli import main; main()" "$@"\n'

#: Stands for Slurm's: an array runs one job after the other, and a job that waits for it comes when it is submitted.
SBATCH = """#!/usr/bin/env python3
import os, re, subprocess, sys
words = sys.argv[1:]
if "--wrap" in words:
    assert words[0] == "--dependency=afterany:7", words
    sys.exit(subprocess.call(["sh", "-c", words[words.index("--wrap") + 1]]))
script = open(words[-1]).read()
given = [w.removeprefix("--array=") for w in words if w.startswith("--array=")]
array = given[0] if given else re.search(r"^#SBATCH --array=(.*)$", script, re.M)[1]
first, _, last = array.partition("-")
for number in range(int(first), int(last) + 1) if last else map(int, array.split(",")):
    cores = re.search(r"--cpus-per-task=(.*)", script)[1]
    own = {"SLURM_ARRAY_TASK_ID": str(number), "SLURM_CPUS_PER_TASK": cores, "SLURM_ARRAY_TASK_COUNT": "wrong"}
    subprocess.call(["bash", words[-1]], env=os.environ | own, stdout=sys.stderr)
assert "--parsable" in words
print(7)
"""


def of(language: str, holds: str) -> str:
    (found,) = [block for block in blocks(PAGE, language) if holds in block]
    return found


def few(text: str) -> str:
    """The same with few parts and processes."""
    for old, new in ((f"/{MANY}", f"/{FEW}"), (f"1-{MANY}", f"1-{FEW}"), (f"seq {MANY}", f"seq {FEW}")):
        text = text.replace(old, new)
    return re.sub(r"--workers \d+", "--workers 1", text.replace("cpus-per-task=4", "cpus-per-task=1"))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the study of the page and the programs that it calls."""
    write(tmp_path / "study.toml", {"axes": {"links.slow.rate": ["40kbit/s", "60kbit/s"]}, "replications": 4})
    (tmp_path / "study.toml").rename(tmp_path / "study.json")
    (tmp_path / "bin").mkdir()
    for name, text in (("headgate", HEADGATE), ("sbatch", SBATCH)):
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    return tmp_path


def sh(text: str, folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    text = few(text).replace("study.toml", "study.json")
    return subprocess.run(["bash", "-c", text], cwd=folder, env=os.environ | env, capture_output=True, text=True)


@pytest.fixture
def whole(machine: Path, cli: Cli) -> dict[str, bytes]:
    assert cli("sweep", "study.json", "--out", "whole", "--workers", "1").returncode == 0
    return results_of(machine / "whole")


@pytest.mark.slow
def test_slurm(machine: Path, whole: dict[str, bytes]) -> None:
    script = few(of("sh", "#SBATCH")).replace("study.toml", "study.json")
    (machine / "study.sbatch").write_text(script)
    assert f"--array=1-{MANY}" in of("sh", "#SBATCH") and f"/{MANY}" in of("sh", "#SBATCH")
    first, again = (block for block in blocks(PAGE, "sh") if "sbatch --parsable" in block)
    # The second part was not made.
    (machine / "study.sbatch").write_text(script.replace("exec ", '[ "$SLURM_ARRAY_TASK_ID" = 2 ] || exec '))
    done = sh(first, machine)
    assert done.returncode == 2 and "missing: 2" in done.stderr and not (machine / "out").exists()
    (machine / "study.sbatch").write_text(script)
    done = sh(again.replace("--array=3,17", "--array=2,3"), machine)
    assert done.returncode == 0, done.stderr
    assert results_of(machine / "out/study") == whole


@pytest.mark.slow
def test_kubernetes(machine: Path, whole: dict[str, bytes]) -> None:
    yaml = pytest.importorskip("yaml")
    job, gather = (yaml.safe_load(of("yaml", holds)) for holds in ("completionMode", "study-gather"))
    (first,) = job["spec"]["template"]["spec"]["containers"]
    (last,) = gather["spec"]["template"]["spec"]["containers"]
    assert first["command"] == last["command"] == ["sh", "-c"]
    for number in range(FEW):
        done = sh(first["args"][0], machine, JOB_COMPLETION_INDEX=str(number))
        assert done.returncode == 0, done.stderr
    done = sh(last["args"][0], machine)
    assert done.returncode == 0, done.stderr
    assert results_of(machine / "out/study") == whole


def test_the_manifests_of_kubernetes() -> None:
    yaml = pytest.importorskip("yaml")
    texts = [text for text in blocks(PAGE, "yaml") if "apiVersion" in text]
    applied = of("sh", "kubectl apply")
    for text in texts:
        data = yaml.safe_load(text)
        assert (data["apiVersion"], data["kind"]) == ("batch/v1", "Job")
        spec = data["spec"]["template"]["spec"]
        assert spec["restartPolicy"] == "Never"
        mounted = {m["name"] for c in spec["containers"] for m in c["volumeMounts"]}
        assert mounted == {v["name"] for v in spec["volumes"]}
        assert {c["workingDir"] for c in spec["containers"]} == {"/data"}
    spec = yaml.safe_load(texts[0])["spec"]
    assert spec["completionMode"] == "Indexed" and spec["completions"] == MANY
    assert f"/{MANY} " in spec["template"]["spec"]["containers"][0]["args"][0]
    # What is tried again ends otherwise; a policy of failures needs the limit for each index.
    (rule,) = spec["podFailurePolicy"]["rules"]
    assert rule == {"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [1, 2]}}
    assert "backoffLimitPerIndex" in spec and "job/study\n" in applied


@pytest.mark.slow
@pytest.mark.parametrize("program", ["parallel", "xargs"])
def test_gnu_parallel_and_xargs(program: str, machine: Path, whole: dict[str, bytes]) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"needs {program}")
    (text,) = (b for b in blocks(PAGE, "sh") if f"| {program} " in b)
    # This machine alone.
    (machine / "nodes").write_text("2/:\n")
    done = sh(text, machine)
    assert done.returncode == 0, done.stderr
    assert results_of(machine / "out/study") == whole


@pytest.mark.slow
def test_a_matrix_of_ci_jobs(machine: Path, whole: dict[str, bytes]) -> None:
    yaml = pytest.importorskip("yaml")
    jobs = yaml.safe_load(of("yaml", "upload-artifact"))["jobs"]
    parts = jobs["part"]["strategy"]["matrix"]["part"]
    (run,) = (s["run"] for s in jobs["part"]["steps"] if "--part" in s.get("run", ""))
    assert parts == [*range(1, len(parts) + 1)] and f"/{len(parts)} " in run
    run = run.replace(f"/{len(parts)}", f"/{FEW}")
    upload, download = (
        next(s["with"] for job in jobs.values() for s in job["steps"] if f"{what}-artifact" in s.get("uses", ""))
        for what in ("upload", "download")
    )
    for part in range(1, FEW + 1):
        done = sh(run.replace("${{ matrix.part }}", str(part)), machine)
        assert done.returncode == 0, done.stderr
        # As the actions do it: an artifact has the contents of the folder without hidden files, and becomes a folder of its name.
        name, path = (upload[key].replace("${{ matrix.part }}", str(part)) for key in ("name", "path"))
        assert re.fullmatch(download["pattern"].replace("*", ".*"), name)
        shutil.copytree(
            machine / path, machine / "there" / download["path"] / name, ignore=shutil.ignore_patterns(".*")
        )
    (gather,) = (s["run"] for s in jobs["gather"]["steps"] if "gather" in s.get("run", ""))
    done = sh(gather, machine / "there")
    assert done.returncode == 0, done.stderr
    assert results_of(machine / "there/out/study") == whole


def test_the_workflow_has_the_actions_of_ours() -> None:
    known = "\n".join(file.read_text("utf-8") for file in (ROOT / ".github/workflows").glob("*.yml"))
    used = re.findall(r"uses: (\S+)@(v\d+)", of("yaml", "upload-artifact"))
    assert len(used) == 7
    for name, version in used:
        assert re.search(rf"uses: {name}@[0-9a-f]{{40}} # {version}\.", known), (name, version)


def test_dask_jobqueue(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The keys of its cluster are those of dask-jobqueue 0.9, which is not installed here."""
    seen: dict[str, Any] = {}

    class SLURMCluster:
        scheduler_address = "tcp://login1:8786"

        def __init__(self, *, cores: int, processes: int, memory: str, walltime: str) -> None:
            seen.update(cores=cores, processes=processes, memory=memory, walltime=walltime)

        def __enter__(self) -> SLURMCluster:
            return self

        def __exit__(self, *_: object) -> None:
            seen["closed"] = True

        def scale(self, jobs: int) -> None:
            seen["jobs"] = jobs

    module = types.ModuleType("dask_jobqueue")
    module.SLURMCluster = SLURMCluster  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "dask_jobqueue", module)
    with patch("builtins.input", lambda _: ""):
        exec(compile(of("python", "SLURMCluster"), PAGE, "exec"), {"__name__": "__main__"})
    assert seen["closed"] and seen["jobs"] > 1 and seen["processes"] == seen["cores"]
    address = capsys.readouterr().out.strip()
    assert f"--engine dask --address {address} " in of("sh", "--engine dask")


def test_every_command_of_the_page_is_one(tmp_path: Path) -> None:
    """Each option that stands behind `headgate sweep` or `headgate gather` is one of theirs."""
    text = "\n".join([*blocks(PAGE, "sh"), *blocks(PAGE, "yaml")]).replace("\\\n", " ")
    found = re.findall(r"headgate (sweep|gather) ([^\n\"]*)", text)
    assert {name for name, _ in found} == {"sweep", "gather"} and len(found) > 10
    for name, words in found:
        fields = {"--" + field.replace("_", "-") for field in class_of(name).__annotations__}
        assert {w for w in words.split() if w.startswith("--")} <= fields, words
