"""What people take with them from the explorer says what the page showed."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import tomllib

import pyarrow.parquet as pq
import pytest

from headgate.scenario.examples import examples
from headgate.scenario.scenario import Scenario

from ..explorer import Page, scenario
from ..explorer import page as page


def test_a_link_goes_through_the_server_and_back(page: Page) -> None:
    fragment = page.post("/api/link", {"scenario": scenario()}).json()["fragment"]
    for text in (fragment, f"#s={fragment}", f"s={fragment}"):
        assert page.post("/api/unlink", {"fragment": text}).json() == {"scenario": scenario()}


@pytest.mark.parametrize("name", [e.name for e in examples() if e.file.suffix == ".toml"])
def test_the_toml_file_is_the_scenario(name: str, page: Page) -> None:
    given = Scenario.from_file(next(e.file for e in examples() if e.name == name)).base()
    if name in ("fat-tree", "islands", "layers", "parking-lot"):
        given = given.set("duration", "1s").set("warm_up", "200ms").set("interval", "200ms")
    done = page.run(given.data)
    answer = page.get(f"/api/run/{done['run']}/export", form="toml")
    assert tomllib.loads(answer.text) == given.data


def test_the_data_of_a_view_are_all_its_points(page: Page) -> None:
    run = page.run(scenario())["run"]
    kept = page.explorer.runs.store.get(run)
    for view in kept.views:
        if view.name == "backlog":
            continue
        rows = list(csv.DictReader(io.StringIO(page.get(f"/api/run/{run}/export", form="csv", view=view.name).text)))
        table = pq.read_table(
            io.BytesIO(page.get(f"/api/run/{run}/export", form="parquet", view=view.name).content)
        ).to_pydict()
        assert len(rows) == len(table["value"]) == sum(x.t.size for x in view.lines)
        for line in view.lines:
            mine = [r for r in rows if r["series"] == line.name]
            assert [float(r["time_s"]) for r in mine] == line.t.tolist()
            values = [v for n, v in zip(table["series"], table["value"], strict=True) if n == line.name]
            known = [(a, b) for a, b in zip(values, line.y.tolist(), strict=True) if a is not None]
            assert all(a == b for a, b in known)


def test_the_stacked_backlog_can_be_taken_too(page: Page) -> None:
    run = page.run(scenario())["run"]
    rows = list(csv.DictReader(io.StringIO(page.get(f"/api/run/{run}/export", form="csv", view="backlog").text)))
    assert {r["series"] for r in rows} == {"window", "reno"}
    assert max(float(r["value"]) for r in rows) > 1


def test_the_python_lines_give_the_same_run(page: Page) -> None:
    given = scenario(name='a "quoted" \\ name\n"""; import os #')
    done = page.run(given, seed=7)
    text = page.get(f"/api/run/{done['run']}/export", form="python").text
    assert done["digest"] in text
    ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    got = {line.split()[0]: float(line.split()[1]) for line in ran.stdout.splitlines()}
    assert got == {f["name"]: pytest.approx(f["goodput_bps"], rel=1e-9) for f in done["flows"]}


def test_unknown_forms_are_named(page: Page) -> None:
    run = page.run(scenario())["run"]
    answer = page.get(f"/api/run/{run}/export", form="exe")
    assert answer.status_code == 400
    assert "toml, csv, parquet, python" in answer.json()["error"]["message"]
    assert page.get(f"/api/run/{run}/export", form="csv", view="../x").status_code == 404
    assert json.loads(page.get("/api/run/none/export", form="csv").text)["error"]
