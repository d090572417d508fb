"""Files of a scenario that lie outside of its folder, and code that is known by its contents."""

from __future__ import annotations

from pathlib import Path

from headgate.plugins import native, trusted

from .conftest import Cli
from .own_plugins import data
from .test_trust import put


def test_files_outside_of_the_folder_stay_an_error_without_a_terminal(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "rates.csv").write_text("0s,1Mbit/s\n")
    contents = data()
    contents["links"][1]["rate"] = {"kind": "steps", "file": "../rates.csv"}
    put(tmp_path / "own", contents)
    for words in (["check", "own/a.json"], ["run", "own/a.json"], ["show", "own/a.json"]):
        assert "expected a file in the folder of the scenario" in cli(*words).stderr
    assert cli("check", "own/a.json", "--allow-files", ".").returncode == 0


def test_native_code_is_known_by_its_contents(tmp_path: Path) -> None:
    for name, text in (("a.so", "1"), ("b.so", "1"), ("c.so", "2")):
        (tmp_path / name).write_text(text)
    a, b, c = (trusted.of_entry(native.entry_of(tmp_path / n, n, ""), "").digest for n in ("a.so", "b.so", "c.so"))
    assert a == b != c
