"""The doctests of headgate.stats and of formulas, taken from the sources rather than from the modules that are imported."""

from __future__ import annotations

import ast
import doctest
import importlib
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent / "sources"
FILES = sorted(
    p for folder in ("stats", "analysis", "papers/formulas") for p in (SOURCES / "headgate" / folder).glob("*.py")
)


def examples() -> list[tuple[str, str, str]]:
    """Module, object and text of every docstring with examples."""
    found = []
    for file in FILES:
        module = ".".join(file.relative_to(SOURCES).with_suffix("").parts)
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and ">>>" in (ast.get_docstring(node) or ""):
                found.append((module, node.name, ast.get_docstring(node) or ""))
    return found


@pytest.mark.parametrize(("module", "name", "text"), [pytest.param(*e, id=f"{e[0]}.{e[1]}") for e in examples()])
def test_examples(module: str, name: str, text: str) -> None:
    scope = dict(vars(importlib.import_module(module)))
    test = doctest.DocTestParser().get_doctest(text, scope, name, module, 0)
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0
