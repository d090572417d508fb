"""The workflows for wheels and for the site: what they run is there."""

from __future__ import annotations

import re

import pytest

from .conftest import ROOT

FILES = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_a_workflow_is_valid_and_runs_what_is_there(file: object) -> None:
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
            assert re.fullmatch(r"[\w./-]+@\S+", step.get("uses", "a@b"))
    for script in re.findall(r"run: python (\S+\.py)", text):
        assert (ROOT / script).exists(), script
    for target in re.findall(r"run: make (\w+)", text):
        assert f"\n{target}:" in (ROOT / "Makefile").read_text("utf-8")
    assert jobs["publish"]["if"].startswith(
        ("startsWith(github.ref, 'refs/tags/v')", "github.ref == 'refs/heads/main'")
    )


def test_every_folder_of_the_documentation_is_where_the_site_takes_it_from() -> None:
    assert "path: docs/_build" in (ROOT / ".github/workflows/docs.yml").read_text("utf-8")
    assert "-b html docs docs/_build" in (ROOT / "Makefile").read_text("utf-8")
