"""The workflows for tests, wheels and the site: what they run is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ..conftest import ROOT

FILES = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_a_workflow_is_valid_and_runs_what_is_there(file: Path) -> None:
    yaml = pytest.importorskip("yaml")
    text = file.read_text("utf-8")
    workflow = yaml.safe_load(text)
    jobs = workflow["jobs"]
    for name, job in jobs.items():
        needs = job.get("needs", [])
        for need in [needs] if isinstance(needs, str) else needs:
            assert need in jobs, f"{name} needs {need}"
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step), step
    for script in re.findall(r"run: python (\S+\.py)", text):
        assert (ROOT / script).exists(), script
    for target in re.findall(r"run: make (\w+)", text):
        assert f"\n{target}:" in (ROOT / "Makefile").read_text("utf-8")
    if "publish" in jobs:
        assert jobs["publish"]["if"].startswith(
            ("startsWith(github.ref, 'refs/tags/v')", "github.ref == 'refs/heads/main'")
        )


def test_all_workflows_take_an_action_in_one_version() -> None:
    found: dict[str, set[str]] = {}
    for file in FILES:
        for name, pin in re.findall(r"uses: *(\S+)@(.*)$", file.read_text("utf-8"), re.MULTILINE):
            found.setdefault(name, set()).add(pin)
    assert {name: pins for name, pins in found.items() if len(pins) > 1} == {}


#: What the token of a job may do beyond reading the repository. Publishing needs no secret: PyPI and Pages trust an identity of the run,
#: and a release takes files by the job's own token.
MAY = {
    ("wheels.yml", "publish"): {"id-token": "write"},
    ("docs.yml", "publish"): {"pages": "write", "id-token": "write"},
    ("evidence.yml", "publish"): {"contents": "write"},
}


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_a_token_may_do_no_more_than_its_job_needs(file: Path) -> None:
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load(file.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert job.get("permissions") == MAY.get((file.name, name)), name
        if (file.name, name) in MAY:
            # Code of a pull request never sees such a token.
            assert job["if"].startswith(("startsWith(github.ref, 'refs/tags/v')", "github.ref == 'refs/heads/main'"))
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"] == {"persist-credentials": False}, name
    # A secret, and a workflow that gives strangers' code the rights of the repository, are in none of them.
    assert "secrets." not in file.read_text("utf-8")
    assert "pull_request_target" not in file.read_text("utf-8")


def test_pushes_and_pull_requests_run_all_tests_with_what_those_need() -> None:
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))
    # YAML reads the key `on` as the value true.
    assert set(workflow[True]) == {"push", "pull_request"}
    assert workflow["permissions"] == {"contents": "read"}
    (job,) = workflow["jobs"].values()
    assert "permissions" not in job
    *before, last = job["steps"]
    assert last == {"run": "bash .ci/run"}
    runs = [step["run"] for step in before if "run" in step]
    actions = [step["uses"] for step in before if "uses" in step]
    assert all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", action) for action in actions)
    assert {action.partition("@")[0] for action in actions} >= {
        "actions/checkout",
        "actions/setup-python",
        "actions/setup-node",
    }
    # .ci/run leaves out what it lacks, except the compiler.
    script = (ROOT / ".ci/run").read_text("utf-8")
    assert all(need in script for need in ("CHROMIUM", "npm", "tshark"))
    assert 'test -x "$CHROMIUM"' in runs
    assert any("install" in run and "tshark" in run for run in runs)
    rust = job["env"]["RUSTUP_TOOLCHAIN"]
    assert any("$RUSTUP_TOOLCHAIN" in run and "clippy,rustfmt" in run for run in runs)
    oldest = re.search(r'^rust-version = "(.*)"', (ROOT / "Cargo.toml").read_text("utf-8"), re.MULTILINE)
    assert oldest
    assert [int(part) for part in rust.split(".")] >= [int(part) for part in oldest[1].split(".")]
    (cache,) = [step["with"] for step in before if step.get("uses", "").startswith("actions/cache@")]
    assert rust in cache["key"]


def test_every_folder_of_the_documentation_is_where_the_site_takes_it_from() -> None:
    assert "path: out/site" in (ROOT / ".github/workflows/docs.yml").read_text("utf-8")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert "-b html docs docs/_build" in makefile and "--documentation docs/_build" in makefile
    assert 'ROOT / "out" / "site"' in (ROOT / "web/make_site.py").read_text("utf-8")
