"""What scripts beside the package import from it is there: most of them run only when something is made again."""

from __future__ import annotations

import ast
import importlib
from importlib.util import find_spec
from pathlib import Path

import pytest

from ..conftest import ROOT

SCRIPTS = sorted(
    str(path.relative_to(ROOT))
    for folder in ("docs", "benches", "fuzz", "examples", "web")
    for path in (ROOT / folder).rglob("*.py")
    if not {"_build", "node_modules", "corpus"} & set(path.relative_to(ROOT).parts)
)


def missing(path: Path) -> list[str]:
    """The names that a file imports from the package and that are not there."""
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").split(".")[0] == "headgate":
            assert node.module is not None
            if find_spec(node.module) is None:
                found.append(node.module)
                continue
            module = importlib.import_module(node.module)
            parts = find_spec if hasattr(module, "__path__") else lambda _: None
            found += [
                f"{node.module}.{alias.name}"
                for alias in node.names
                if not hasattr(module, alias.name) and parts(f"{node.module}.{alias.name}") is None
            ]
    return found


@pytest.mark.parametrize("script", SCRIPTS)
def test_what_a_script_imports_is_there(script: str) -> None:
    assert missing(ROOT / script) == []


def test_a_missing_name_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "made.py"
    file.write_text(
        "def f():\n    from headgate.lab.contracts import picture, together\n    from headgate.no import x\n"
        "    from headgate.base.counts import counted, no\n"
    )
    assert missing(file) == ["headgate.lab.contracts.together", "headgate.no", "headgate.base.counts.no"]
