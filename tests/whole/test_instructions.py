"""The guard of speed: a row that takes more instructions than its bound fails, and a record moves the bound."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from ..conftest import ROOT

SCRIPT = ROOT / "benches/instructions.py"


@pytest.fixture
def guard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script with records and a page of its own, and with counts that are made up: 1000 in each row, and 1500 where it says so."""
    spec = importlib.util.spec_from_file_location("instructions", SCRIPT)
    assert spec and spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.RECORDS, script.PAGE = tmp_path / "records.json", tmp_path / "page.md"
    script.PAGE.write_text(f"# Page\n\n{script.HEAD}| none |\n\n## Next\n")
    script.RECORDS.write_text('{"compiler": "none", "records": []}')
    script.slow = {}
    monkeypatch.setattr(script.shutil, "which", lambda _: "/usr/bin/valgrind")
    monkeypatch.setattr(script, "compiler", lambda: "rustc 1.95, x86_64")
    monkeypatch.setattr(script, "count", lambda *row: script.slow.get(script.name(row), 1000.0))
    return script


def said(guard: ModuleType, monkeypatch: pytest.MonkeyPatch, *args: str) -> str:
    """What the script exits with, nothing if all is well."""
    monkeypatch.setattr("sys.argv", ["instructions.py", *args])
    try:
        guard.main()
    except SystemExit as stop:
        return str(stop.code)
    return ""


def test_a_slower_row_fails(guard: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no record has W1 fcfs" in said(guard, monkeypatch)
    assert said(guard, monkeypatch, "--write", "the first") == ""
    assert said(guard, monkeypatch) == said(guard, monkeypatch, "--check") == ""
    guard.slow = {"W2 fcfs bbr3": 1030.0}
    assert said(guard, monkeypatch) == ""
    guard.slow = {"W2 fcfs bbr3": 1031.0, "W4/10 red": 2000.0}
    assert "bound: W4/10 red, W2 fcfs bbr3;" in said(guard, monkeypatch)


def test_a_record_moves_the_bound_and_the_last_ten_are_kept(guard: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    for i in range(12):
        guard.slow = {"W3 fcfs sack": 1000.0 + 10 * i}
        assert said(guard, monkeypatch, "--write", f"change {i}") == ""
    records = json.loads(guard.RECORDS.read_text())["records"]
    assert [record["what"] for record in records] == [f"change {i}" for i in range(2, 12)]
    page = guard.PAGE.read_text()
    assert "| change 2 | the first that is kept |" in page and "| change 11 | W3 fcfs sack +0.9 % |" in page
    assert "| W3 fcfs sack | 1110 | +8.8 % |" in page and page.endswith("|\n\n## Next\n")
    assert said(guard, monkeypatch) == said(guard, monkeypatch, "--check") == ""
    guard.PAGE.write_text(page.replace("+8.8", "+8.9"))
    assert "another table" in said(guard, monkeypatch, "--check")


def test_counts_of_another_compiler_may_differ_more(guard: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    said(guard, monkeypatch, "--write", "the first")
    monkeypatch.setattr(guard, "compiler", lambda: "rustc 1.96, x86_64")
    guard.slow = {"W1 fq": 1150.0}
    assert said(guard, monkeypatch) == ""
    guard.slow = {"W1 fq": 1151.0}
    assert "bound: W1 fq" in said(guard, monkeypatch)


def test_the_page_has_the_records() -> None:
    """As they are in the checkout: what `make docs` checks."""
    spec = importlib.util.spec_from_file_location("instructions", SCRIPT)
    assert spec and spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    records = json.loads(script.RECORDS.read_text())["records"]
    assert script.page(records) == script.PAGE.read_text()
    assert {script.name(row) for row in script.ROWS} == set(records[-1]["instructions"])
