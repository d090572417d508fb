"""Files with a byte order mark, as Notepad and Excel write them: read wherever a file is read, and UTF-16 is an error that says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headgate import Scenario
from headgate.base.errors import HeadgateError
from headgate.explore.front.folder import found_in
from headgate.lab.referee.files import FOLDER as CASES
from headgate.lab.referee.files import read as read_case
from headgate.lab.training.policy import LearnedPolicy
from headgate.papers.folder import Folder
from headgate.plugins.load import _source

from ..conftest import ROOT, Cli


def marked(file: Path, text: str, encoding: str = "utf-8-sig") -> Path:
    file.write_bytes(text.encode(encoding))
    return file


def test_scenarios_have_a_byte_order_mark(cli: Cli, tmp_path: Path) -> None:
    text = (ROOT / "scenarios" / "two-sources.toml").read_text("utf-8")
    assert cli("check", marked(tmp_path / "a.toml", text)).returncode == 0
    data = json.dumps(Scenario.from_file(tmp_path / "a.toml").data)
    assert Scenario.from_file(marked(tmp_path / "a.json", data)).data == json.loads(data)
    assert {entry.name for entry in found_in(tmp_path)} == {"a.toml", "a.json"}
    done = cli("check", marked(tmp_path / "b.toml", text, "utf-16"))
    assert done.returncode == 2
    assert "b.toml: line 1: found text in UTF-16; expected text in UTF-8" in done.stderr


def test_other_files_have_a_byte_order_mark(tmp_path: Path) -> None:
    case, plugin = sorted(CASES.rglob("*.case"))[0], sorted((ROOT / "examples").glob("*.py"))[0]
    policy = json.dumps({"layers": [[[[0.0] * 12], [0.0]]]})
    assert read_case(marked(tmp_path / case.name, case.read_text("utf-8"))).name == case.stem
    assert LearnedPolicy.load(marked(tmp_path / "p.json", policy)).activation == "softsign"
    assert Folder(tmp_path, "mine").text(marked(tmp_path / "paper.toml", "a = 1").name) == "a = 1"
    assert _source(marked(tmp_path / "mine.py", plugin.read_text("utf-8")), "plugins") == plugin.read_text("utf-8")
    for file in tmp_path.iterdir():
        marked(file, file.read_text("utf-8-sig"), "utf-16")
    for read in (
        lambda: read_case(tmp_path / case.name),
        lambda: LearnedPolicy.load(tmp_path / "p.json"),
        lambda: Folder(tmp_path, "mine").text("paper.toml"),
        lambda: _source(tmp_path / "mine.py", "plugins"),
    ):
        with pytest.raises(HeadgateError, match="line 1: found text in UTF-16; expected text in UTF-8"):
            read()
