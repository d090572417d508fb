"""The list of planted faults fits the code: `make planted` takes an hour, and ends at the first fault without a place."""

from __future__ import annotations

import tomllib

from ..conftest import ROOT


def test_each_fault_has_one_place() -> None:
    faults = tomllib.loads((ROOT / "tests/planted/faults.toml").read_text("utf-8"))["fault"]
    places = {fault["name"]: (ROOT / fault["file"]).read_text("utf-8").count(fault["find"]) for fault in faults}
    assert len(places) == len(faults) > 50
    assert {name: count for name, count in places.items() if count != 1} == {}
