"""The same scenario and seed give the same digest: again, over threads, and in debug and release builds.

`tests/digests/*.json` are scenarios with the digest that they must give; the Rust tests check the same files in a debug build.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import headgate

from .conftest import ROOT

PINNED = sorted((ROOT / "tests" / "digests").glob("*.json"))


@pytest.mark.parametrize("file", PINNED, ids=lambda f: f.stem)
def test_pinned_digests(file: Path) -> None:
    pinned = json.loads(file.read_text())
    assert headgate.Scenario(pinned["scenario"]).run().digest == pinned["digest"]


def test_threads_do_not_matter() -> None:
    scenario = headgate.Scenario.from_file(ROOT / "scenarios" / "cross-traffic.toml")
    one, many = (scenario.run(seed=3, replications=6, threads=n) for n in (1, 6))
    assert one.digest == many.digest
    assert one.intervals.to_pandas().equals(many.intervals.to_pandas())
    assert len(set(one.digest.split("-"))) == 6
    assert scenario.run(seed=4).digest != scenario.run(seed=3).digest


def test_reproductions_do_not_depend_on_threads() -> None:
    one, many = (headgate.reproduce("demers1989", "scenario-4", seeds=3, threads=n) for n in (1, 4))
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
