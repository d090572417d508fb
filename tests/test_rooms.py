"""The rooms of the Python package: what is found at the top, whatever was imported before."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

import headgate

from .conftest import ROOT

#: Ways to come by a package before it is called.
ORDERS = (
    "import headgate",
    "import headgate.{name}, headgate",
    "import headgate; from headgate import {name}",
    "from headgate.{name} import {name}; import headgate",
    "import headgate.cli.commands, headgate",
)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("name", "member", "said"), [("compare", "Compared", "correction wrong"), ("replay", "Replay", "ties 'wrong'")]
)
def test_a_package_named_like_its_function_is_both(name: str, member: str, said: str, order: str) -> None:
    arguments = {"compare": "None, 'by', 'goodput', correction='wrong'", "replay": "'t.csv', ties='wrong'"}[name]
    code = f"""
{order.format(name=name)}
assert headgate.{name}.{member}.__module__.startswith("headgate.{name}.")
from headgate.{name} import {member}
from headgate import {name}
for function in (headgate.{name}, {name}, headgate.{name}.{name}):
    try:
        function({arguments})
    except headgate.HeadgateError as e:
        assert str(e).startswith({said!r}), e
    else:
        raise AssertionError("the function was not called")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


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
    package = ROOT / "python/headgate"
    parts = {p.stem for p in package.iterdir()}
    for file in package.rglob("*.py"):
        depth = len(file.relative_to(package).parts)
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Import(names):
                    assert not any(name.name.split(".")[0] == "headgate" for name in names), f"{file}:{node.lineno}"
                case ast.ImportFrom(None, names, level) if level == depth and file != package / "__init__.py":
                    assert {name.name for name in names} <= {*parts, "_core", "__version__"}, f"{file}:{node.lineno}"
                case ast.ImportFrom(str(module), _, 0):
                    assert module.split(".")[0] != "headgate", f"{file}:{node.lineno}"


def test_a_name_of_a_class_means_one_thing() -> None:
    package = ROOT / "python/headgate"
    found: dict[str, str] = {}
    for file in sorted(package.rglob("*.py")):
        if file.is_relative_to(package / "papers"):
            continue
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                assert node.name not in found, f"{node.name} in {file} and in {found[node.name]}"
                found[node.name] = str(file)
