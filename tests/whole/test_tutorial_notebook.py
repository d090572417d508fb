"""The notebooks of the documentation: stored without outputs, and every cell runs. A build of the documentation runs them too."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ..conftest import ROOT

NOTEBOOKS = [ROOT / "docs/notebook.ipynb", ROOT / "docs/own-control.ipynb"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.stem)
def test_it_is_stored_without_outputs(notebook: Path) -> None:
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    assert [c["id"] for c in cells if c["cell_type"] == "code" and (c["outputs"] or c["execution_count"])] == []
    for target in re.findall(r"\]\(([^)]+)\)", "".join("".join(c["source"]) for c in cells)):
        assert (notebook.parent / target).exists(), target


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.stem)
def test_every_cell_runs_and_shows_what_it_ends_with(notebook: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    names: dict[str, object] = {}
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        *before, last = "".join(cell["source"]).split("\n")
        whole = "\n".join([*before, last])
        exec(compile(whole, cell["id"], "exec"), names)
        if re.fullmatch(r"\w+(\[.*\])?", last):
            assert eval(last, names)._repr_html_(), cell["id"]
