"""Files of TOML take memory in proportion to their length, whatever they repeat: the fuzz target notices if not."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from headgate.base import toml

from .conftest import ROOT


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


def test_a_key_of_many_parts_would_be_noticed(
    target: ModuleType, files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = ".".join(["a"] * 6000) + " = 1"
    monkeypatch.setattr(target, "text_of", lambda number, files: text)
    assert target.try_input(0, files, tmp_path / "s.toml") == ""
    # Without the bound on the parts of a key the reader takes memory in proportion to the square of their number.
    monkeypatch.setattr(toml, "_TOO_LONG", re.compile(r"(?!)"))
    assert "bytes of memory for 12003, expected at most" in target.try_input(0, files, tmp_path / "s.toml")
