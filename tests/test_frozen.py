"""The frozen outputs: every command has an entry, and every entry has what it is held against (`make frozen` compares)."""

from __future__ import annotations

import json
import re
import shlex
import tomllib

from headgate.cli.group import cli

from .conftest import ROOT

FROZEN = ROOT / "tests/frozen"
LISTS = tomllib.loads((FROZEN / "commands.toml").read_text("utf-8"))
ERRORS = tomllib.loads((FROZEN / "errors.toml").read_text("utf-8"))["error"]


def test_every_command_has_an_entry_or_a_reason_why_it_has_none() -> None:
    words = [shlex.split(line) for entry in LISTS["entry"] for line in entry["lines"]]
    tried = {word[1] for word in words if word[0] == "headgate" and not word[1].startswith("-")}
    excused = {each["name"] for each in LISTS["not_frozen"] if each["why"]}
    assert tried | excused == set(cli.commands)


def test_every_entry_has_its_outputs() -> None:
    names = [entry["name"] for entry in LISTS["entry"]]
    assert len(set(names)) == len(names)
    texts = {file.stem: file.read_text("utf-8") for file in (FROZEN / "outputs").glob("*.json")}
    assert set(texts) == {*names, "errors"}
    # What broke is no output.
    assert not [name for name, text in texts.items() if "Traceback" in text or ': "not written"' in text]
    kept = {name: json.loads(text) for name, text in texts.items()}
    for entry in LISTS["entry"]:
        outputs = [re.sub(r" \(\d\)$", "", key) for key in kept[entry["name"]] if not key.startswith("file ")]
        assert outputs == entry["lines"]
    lines = {entry["name"]: entry["line"] for entry in ERRORS}
    assert {name: each["line"] for name, each in kept["errors"].items()} == lines
    assert len(lines) == len(ERRORS)
    # An input of this list is bad: the command says so, and has no result.
    for name, each in kept["errors"].items():
        assert (each["exit"], "stdout" in each) == (2, False), name
        assert any(line.lower().startswith("error: ") for line in each["stderr"]), name
