"""Times of arrivals in a file that a scenario names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headgate import Scenario
from headgate._core import ScenarioError
from headgate.base.errors import HeadgateError

from ..conftest import dumbbell


def scenario(folder: Path, text: str) -> Path:
    data = dumbbell(duration="4s", interval="1s", warm_up="0s")
    workload = {"kind": "transfer", "packets": 2}
    data["flows"] = [data["flows"][0] | {"workload": workload, "arrivals": {"kind": "times", "file": "log.csv"}}]
    data["flows"][0].pop("count", None)
    (folder / "log.csv").write_text(text)
    file = folder / "a.json"
    file.write_text(json.dumps(data))
    return file


def test_flows_begin_at_the_times_of_the_file(tmp_path: Path):
    file = scenario(tmp_path, "# a log\n0.1\n\n0.25\n750ms\n1e0\n")
    read = Scenario.from_file(file)
    assert read.resolve()["flows"][0]["arrivals"]["at"] == ["100ms", "250ms", "750ms", "1s"]
    (row,) = read.run(seed=1).class_summaries()
    assert row.started == 4 and row.finished == 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("soon\n", "line 1: found a text; expected a time such as 10ms, or a number of seconds"),
        ("1\n-2\n", "line 2: found '-2'; expected a time"),
        ("2\n1\n", "flows[0].arrivals.at[1]: "),
        ("1 week\n", "flows[0].arrivals.at[0]: "),
    ],
)
def test_what_is_wrong_with_a_time_is_said(text: str, said: str, tmp_path: Path):
    file = scenario(tmp_path, text)
    with pytest.raises((HeadgateError, ScenarioError)) as caught:
        Scenario.from_file(file).resolve()
    assert said in str(caught.value)
