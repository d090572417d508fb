"""`make mutants` sees the files of a list: those that the list's macro declares are declared plainly in its copy."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.mutants.rust import DECLARATION, declare_plainly

ROOT = Path(__file__).parents[2]
LISTS = [file for file in sorted(ROOT.glob("crates/*/src/**/*.rs")) if DECLARATION in file.read_text("utf-8")]


@pytest.mark.parametrize("file", LISTS, ids=lambda file: str(file.relative_to(ROOT / "crates")))
def test_every_file_of_a_list_is_declared(file: Path, tmp_path: Path) -> None:
    """A module of the list is a file beside it, and a file beside it is one of the list or declared already."""
    copy = Path(shutil.copy(file, tmp_path))
    declare_plainly(copy)
    text = copy.read_text("utf-8")
    declared = re.findall(r"^(?:pub(?:\(crate\))? )?mod (\w+);", text, re.MULTILINE)
    beside = {path.stem for path in file.parent.glob("*.rs")} - {"mod"}
    assert set(declared) - {"tests"} == beside - {"tests"}
    assert DECLARATION not in text
