"""Every line that installs headgate has the one form that works, and names extras that there are."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from headgate.base.errors import install_line

from ..conftest import ROOT

EXTRAS = set(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"])

#: The package is not on PyPI, so that its name tells pip nothing: it is installed from a checkout, or from a
#: wheel that `make wheels` built there.
INSTALLS = re.compile(r"pip install (?:\.(?![\w\[])|dist/headgate-\*\w+\.whl$|'\.\[([a-z,]+)\]')")


def pages() -> Iterator[Path]:
    """What users read: pages, notebooks, examples, and what the program prints."""
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"))
    for folder, endings in (
        ("docs", {".md", ".ipynb"}),
        ("examples", {".md", ".py"}),
        ("python/headgate", {".md", ".py"}),
    ):
        found = (p for p in sorted((ROOT / folder).rglob("*")) if p.suffix in endings)
        yield from (p for p in found if not {"_build", "target", "node_modules", "jupyter_execute"} & set(p.parts))


#: The error says what to install in one place only.
ERRORS = ROOT / "python/headgate/base/errors.py"


def test_the_lines_have_one_form() -> None:
    named = set[str]()
    for page in pages():
        text = page.read_text("utf-8")
        if page != ERRORS:
            for line in re.findall(r"pip install .*", text):
                found = INSTALLS.match(line)
                assert found, f"{page.relative_to(ROOT)}: {line}"
                named |= set(found[1].split(",") if found[1] else ())
        wrong = re.search(r"(?:pip install|uv add|pipx install) '?headgate|\bheadgate\[[a-z,]+\]", text)
        assert not wrong, f"{page.relative_to(ROOT)}: {wrong and wrong[0]}"
    assert {"plots", "explore"} <= named <= EXTRAS


def test_messages_take_the_line_from_one_place() -> None:
    for page in (ROOT / "python/headgate").rglob("*.py"):
        text = page.read_text("utf-8")
        assert page == ERRORS or "pip install" not in text, page
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "missing_extra":
                extra = node.args[2]
                assert isinstance(extra, ast.Constant) and extra.value in EXTRAS, f"{page}:{node.lineno}"


@pytest.mark.parametrize("extra", sorted(EXTRAS))
def test_the_line_of_an_extra(extra: str) -> None:
    found = INSTALLS.match(install_line(extra))
    assert found and found[1] == extra
    # The page on the installation has a row for it.
    assert f"\n| `{extra}` |" in (ROOT / "docs/how-to/install.md").read_text("utf-8")
