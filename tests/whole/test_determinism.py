"""The same scenario and seed give the same digest: again, over threads, processes and a cluster, and in debug and release builds.

`tests/digests/*.json` are scenarios with the digest that they must give. `crates/sim/tests/digests.rs` checks the same files in a debug
build, and what is here runs the release build: so all of them give the same. `tests/digests/lines.txt` pins lines of `headgate
quick`, which `tests/installed.py` compares on every system that wheels are made for.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import headgate
from headgate.papers import load_paper
from headgate.papers.runner import reproduce_items
from headgate.papers.runs import Work

from .. import pin
from ..conftest import ROOT
from ..installed import DIGESTS, LINES, digest_of_line, digests

PINNED = sorted((ROOT / "tests" / "digests").glob("*.json"))


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a Dask cluster of two processes."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as made:
        yield made.scheduler_address


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("file", PINNED, ids=lambda f: f.stem)
def test_pinned_digests_wherever_it_is_run(file: Path, cluster: str) -> None:
    pinned = json.loads(file.read_text())
    scenario = headgate.Scenario(pinned["scenario"])
    due = [r.digest for r in scenario.run(replications=3, threads=1).runs]
    assert due[0] == pinned["digest"]
    got = {"three threads": [r.digest for r in scenario.run(replications=3, threads=3).runs]}
    study = headgate.Sweep.of(headgate.Scenario({**pinned["scenario"], "sweep": {"replications": 3}}))
    for name, engine in {"two workers": {"workers": 2}, "Dask": {"engine": "dask", "address": cluster}}.items():
        rows = study.run(**engine).flows.to_pylist()  # type: ignore[arg-type]
        got[name] = [next(r["digest"] for r in rows if r["replication"] == k) for k in range(3)]
    assert got == dict.fromkeys(got, due)


def test_each_entry_of_the_lists_has_a_pinned_line() -> None:
    """After a new discipline, AQM or flow control: `python tests/pin.py`."""
    pinned = [line.partition(" ")[2] for line in LINES.read_text("utf-8").splitlines()]
    assert pinned == pin.lines()


def test_the_line_of_the_front_page_gives_its_digest() -> None:
    """What the README shows, and the first thing that a new user runs."""
    due, _, words = LINES.read_text("utf-8").splitlines()[0].partition(" ")
    assert words == "home bulk game"
    assert digest_of_line(words) == due


@pytest.mark.slow
def test_all_pinned_digests_as_an_installed_headgate_compares_them() -> None:
    assert digests() == len(PINNED) + len(pin.lines()) > 100


def test_an_installed_headgate_names_the_digests_that_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(DIGESTS / "decbit.json", tmp_path)
    (tmp_path / "lines.txt").write_text("0123456789abcdef 10Mbit/s 40ms reno cubic --duration 5s --no-phase\n")
    monkeypatch.setattr("tests.installed.DIGESTS", tmp_path)
    monkeypatch.setattr("tests.installed.LINES", tmp_path / "lines.txt")
    with pytest.raises(
        AssertionError, match=r"1 of 2 digests differ:\s+headgate quick 10Mbit/s 40ms reno .*, not 0123"
    ):
        digests()


def test_threads_do_not_matter() -> None:
    scenario = headgate.Scenario.from_file(ROOT / "scenarios" / "cross-traffic.toml")
    one, many = (scenario.run(seed=3, replications=6, threads=n) for n in (1, 6))
    assert one.digest == many.digest
    assert one.intervals.to_pandas().equals(many.intervals.to_pandas())
    assert len(set(one.digest.split("-"))) == 6
    assert scenario.run(seed=4).digest != scenario.run(seed=3).digest


def test_reproductions_do_not_depend_on_threads() -> None:
    paper = load_paper("demers1989")
    few = [replace(paper.item("scenario-4"), seeds=3, starts=5)]
    one, many = (reproduce_items(paper, few, work=Work(n)) for n in (1, 4))
    assert one.to_json() == many.to_json()


def test_another_source_does_not_disturb_the_others() -> None:
    scenario = headgate.Scenario.from_file(ROOT / "scenarios" / "cross-traffic.toml").set("traces", [])
    quiet = {"name": "quiet", "from": "cross1", "to": "b", "workload": {"kind": "poisson", "mean": "999999s"}}
    more = scenario.set("flows", [*scenario.data["flows"], {**quiet, "control": {"kind": "none"}}])
    a, b = scenario.run().flows, more.run().flows
    assert a["received"].tolist() == b["received"].tolist()[:-1]


def test_no_property_depends_on_how_fast_the_machine_is() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check
