"""Files of TOML take memory in proportion to their length, whatever they repeat: the fuzz target notices if not."""

from __future__ import annotations

import importlib.util
import json
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from headgate.base import documents
from headgate.scenario import scenario

from ..conftest import ROOT


@pytest.fixture(scope="module")
def target() -> ModuleType:
    spec = importlib.util.spec_from_file_location("toml_files", ROOT / "fuzz/toml_files.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def files() -> list[str]:
    return [f.read_text("utf-8") for f in sorted((ROOT / "scenarios").glob("*.toml"))]


def test_the_first_inputs(target: ModuleType, files: list[str], tmp_path: Path) -> None:
    assert [w for n in range(150) if (w := target.try_input(n, files, tmp_path / "s.toml"))] == []


def test_what_another_reader_reads_is_read_alike(target: ModuleType, files: list[str]) -> None:
    read = 0
    for number in range(600):
        text = target.text_of(number, files)
        try:
            due = tomllib.loads(text)
        except (ValueError, RecursionError):
            continue
        try:
            found = documents.loads(text)
        except ValueError as e:
            # Tables and lists that lie deeper than any scenario needs.
            assert "too deep" in str(e), number
            continue
        read += 1
        # As text: some numbers are not equal to themselves.
        assert json.dumps(found, default=str) == json.dumps(due, default=str), number
    assert read > 100


def test_a_reader_without_a_bound_would_be_noticed(
    target: ModuleType, files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = ".".join(["a"] * 6000) + " = 1"
    monkeypatch.setattr(target, "text_of", lambda number, files: text)
    assert target.try_input(0, files, tmp_path / "s.toml") == ""

    class Other:
        """It takes memory in proportion to the square of the number of a key's parts."""

        def __init__(self, text: str, *_: str) -> None:
            self._text = text

        def values(self) -> dict[str, Any]:
            return tomllib.loads(self._text)

        def line_of(self, path: str) -> None: ...

    monkeypatch.setattr(scenario, "toml", Other)
    assert "bytes of memory for 12003, expected at most" in target.try_input(0, files, tmp_path / "s.toml")
