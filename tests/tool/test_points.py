"""Files of points that a scenario names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headgate import Scenario, _core
from headgate.base.errors import HeadgateError

from ..conftest import dumbbell

SIZES = "# measured on a Monday\n\n1KB, 0.5\n10KB,0.9\n1MB , 1\n"


def scenario(folder: Path, law: dict[str, Any], points: str | bytes | None = SIZES) -> Path:
    flow = {"name": "f", "from": "s", "to": "k"}
    workload = {"kind": "transfer", "size": {"kind": "empirical", **law}}
    data = dumbbell(flows=[{**flow, "workload": workload}], warm_up="0s")
    file = folder / "a.json"
    file.write_text(json.dumps(data))
    if points is not None:
        (folder / "sizes.csv").write_bytes(points if isinstance(points, bytes) else points.encode())
    return file


def test_points_take_the_place_of_their_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = scenario(tmp_path, {"file": "sizes.csv"})
    monkeypatch.chdir("/")
    read = Scenario.from_file(file)
    points = [["1KB", 0.5], ["10KB", 0.9], ["1MB", 1]]
    assert read.data["flows"][0]["workload"]["size"] == {"kind": "empirical", "points": points}
    assert read.resolve()["flows"][0]["workload"]["size"] == {"kind": "empirical", "points": points}
    numbers = Scenario.from_file(scenario(tmp_path, {"file": "sizes.csv"}, "1,.5\n2e3,1"))
    assert numbers.data["flows"][0]["workload"]["size"]["points"] == [[1, 0.5], [2000, 1]]
    sent = {int(read.run(seed).flows["sent"][0]) for seed in range(10)}
    assert len(sent) > 2, "sizes are drawn"


def test_a_study_may_name_files_too(tmp_path: Path) -> None:
    file = scenario(tmp_path, {"file": "sizes.csv"})
    data = json.loads(file.read_text())
    data["sweep"] = {"axes": {"flows.0.workload.size": ["fixed", {"kind": "empirical", "file": "sizes.csv"}]}}
    file.write_text(json.dumps(data))
    assert len(Scenario.from_file(file).data["sweep"]["axes"]["flows.0.workload.size"][1]["points"]) == 3


@pytest.mark.parametrize(
    ("law", "points", "said"),
    [
        ({"file": "none.csv"}, SIZES, ": expected a file of points, found none"),  # the path is cut where it is long
        ({"file": "."}, SIZES, "expected a file of points, found none"),
        ({"file": "x" * 5000}, SIZES, "expected a file of points"),
        ({"file": "sizes.csv", "points": []}, SIZES, "found 'sizes.csv'; expected `points` or `file`, not both"),
        ({"file": "sizes.csv"}, "1KB\n", "line 1: found a text; expected a value and the share"),
        ({"file": "sizes.csv"}, "# a\n1KB,x\n", "line 2: found a text and a text; expected a value and the share"),
        ({"file": "sizes.csv"}, "1KB,nan\n", "line 1: found a text and a text; expected a value"),
        ({"file": "sizes.csv"}, b"\xff\xfe", "line 1: found text in UTF-16; expected text in UTF-8"),
        ({"file": "sizes.csv"}, "1KB,.5\nx\n", "line 2: found 'x'; expected a value"),
        ({"file": "../sizes.csv"}, SIZES, "found '../sizes.csv'; expected a file in the folder of the scenario"),
        ({"file": "/etc/passwd"}, SIZES, "expected a file in the folder of the scenario"),
        ({"file": "a\0b"}, SIZES, "expected a file in the folder of the scenario"),
        ({"file": "sizes.csv"}, "#" * 9_000_000, "found more than 8 MB; expected a file of points of at most that"),
        ({"file": "sizes.csv"}, "1,1\n" * 1_000_001, "expected at most 1000000 points in all files"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(law: dict[str, Any], points: str | bytes, said: str, tmp_path: Path) -> None:
    file = scenario(tmp_path, law, points)
    with pytest.raises(HeadgateError) as caught:
        Scenario.from_file(file)
    text = str(caught.value)
    assert text.startswith(f"{file}: flows[0].workload.size.file: ")
    assert said in text
    assert len(text) < 1000


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ("1XB,1\n", 'flows[0].workload.size.points[0][0]: found "1XB"; expected a size'),
        ("1KB,.5\n", "flows[0].workload.size.points[0][1]: found 0.5; expected 1, the share of all, as the last"),
        ("1KB,.5\n1,1\n", "flows[0].workload.size.points[1][0]: found 1.0; expected all values as sizes"),
        ("", "flows[0].workload.size.points: found []; expected 1 to 100000 points"),
    ],
)
def test_points_of_a_file_are_checked_as_others(points: str, said: str, tmp_path: Path) -> None:
    file = scenario(tmp_path, {"file": "sizes.csv"}, points)
    with pytest.raises(_core.ScenarioError, match="points") as caught:
        Scenario.from_file(file).resolve()
    assert said in str(caught.value)


def test_a_file_needs_a_scenario_that_lies_somewhere(tmp_path: Path) -> None:
    data = json.loads(scenario(tmp_path, {"file": "sizes.csv"}).read_text())
    with pytest.raises(_core.ScenarioError, match="a file of points is read with a scenario file"):
        Scenario(data).resolve()
