"""The rooms of the Python package: what is found at the top, whatever was imported before."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib

import pytest

import headgate

from ..conftest import ROOT

PACKAGE = ROOT / "python/headgate"


def test_no_room_hides_a_name_that_the_top_offers() -> None:
    """An imported room becomes an attribute of the top, where it would stand in place of a function of the same name."""
    rooms = {p.parent.name for p in PACKAGE.glob("*/__init__.py")} | {p.stem for p in PACKAGE.glob("*.py")}
    assert not rooms & set(headgate._NAMES)
    assert all(headgate._MODULES[room] == room for room in rooms & set(headgate._MODULES))


def test_the_architecture_lists_all_rooms_in_the_order_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    floors = [[set(layer.split(" | ")) for layer in c["layers"]] for c in contracts if c["type"] == "layers"]
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", (ROOT / "ARCHITECTURE.md").read_text("utf-8"), re.MULTILINE)
    assert [set(re.findall(r"\w+", row)) for row in rows] == [row for layers in floors for row in layers[::-1]]


OFFERED = [
    "plots.timeline",
    "stats.mean_of",
    "errors.TraceError",
    "tables.Table",
    "summaries.FlowSummary",
    "quick.scenario",
    *headgate.__all__,
]

#: Looks every name up in a separate process, a copy of one that has loaded other libraries already, which takes most of the time.
FORKS = """
import os, sys
import click, numpy, pydantic, rich.table
for name in sys.argv[1:]:
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        assert not [m for m in sys.modules if m.split(".")[0] == "headgate"]
        exec(f"import headgate; headgate.{name}")
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        print(name)
"""


@pytest.fixture(scope="module")
def found() -> tuple[list[str], str]:
    done = subprocess.run([sys.executable, "-c", FORKS, *OFFERED], capture_output=True, text=True, check=False)
    return done.stdout.split(), done.stderr


@pytest.mark.parametrize("name", OFFERED)
def test_what_the_top_offers_is_there_without_other_imports(name: str, found: tuple[list[str], str]) -> None:
    assert name in found[0], found[1]


def test_no_room_uses_the_top() -> None:
    """The contract in pyproject.toml does not see it, because `from . import _core` looks like it there."""
    parts = {p.stem for p in PACKAGE.iterdir()}
    # Examples of plugins are written as users write them.
    for file in set(PACKAGE.rglob("*.py")) - set(PACKAGE.glob("plugins/examples/*.py")):
        depth = len(file.relative_to(PACKAGE).parts)
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Import(names):
                    assert not any(name.name.split(".")[0] == "headgate" for name in names), f"{file}:{node.lineno}"
                case ast.ImportFrom(None, names, level) if level == depth and file != PACKAGE / "__init__.py":
                    assert {name.name for name in names} <= {*parts, "_core", "__version__"}, f"{file}:{node.lineno}"
                case ast.ImportFrom(str(module), _, 0):
                    assert module.split(".")[0] != "headgate", f"{file}:{node.lineno}"


def test_a_name_of_a_class_means_one_thing() -> None:
    found: dict[str, str] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        if file.is_relative_to(PACKAGE / "papers"):
            continue
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                assert node.name not in found, f"{node.name} in {file} and in {found[node.name]}"
                found[node.name] = str(file)


def test_an_old_path_is_found_with_a_warning_that_says_the_new_one() -> None:
    program = "import sys; import headgate.games.theory as old, headgate.lab.games.theory as new; print(old is new)"
    done = subprocess.run([sys.executable, "-W", "always", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n" and "headgate.games is headgate.lab.games now" in done.stderr
    with pytest.warns(DeprecationWarning, match=r"headgate\.papers\.inference"):
        import headgate.inference
    assert headgate.inference.infer is headgate.infer  # type: ignore[attr-defined]


def test_a_formula_that_only_papers_use_is_found_where_it_was() -> None:
    formulas = importlib.import_module("headgate.papers.formulas")
    for old, new in (("analysis.phase", "phase"), ("analysis.red", "red")):
        with pytest.warns(DeprecationWarning, match=f"headgate.{old} is headgate.papers.formulas"):
            assert importlib.import_module(f"headgate.{old}") is importlib.import_module(
                f"headgate.papers.formulas.{new}"
            )
    with pytest.warns(
        DeprecationWarning, match=r"headgate\.analysis\.red_reno is headgate\.papers\.formulas\.red_reno now"
    ):
        assert headgate.analysis.red_reno is formulas.red_reno  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="has no attribute 'red_renos'"):
        _ = headgate.analysis.red_renos  # type: ignore[attr-defined]
