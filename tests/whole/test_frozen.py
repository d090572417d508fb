"""The frozen outputs: every command has an entry, and every entry has what it is held against (`make frozen` compares)."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from headgate.cli.command import Command
from headgate.cli.group import cli

from ..conftest import ROOT
from ..frozen import frozen
from ..frozen.frozen import ERRORS, LISTS

FROZEN = ROOT / "tests/frozen"


def test_every_command_has_an_entry_or_a_reason_why_it_has_none() -> None:
    words = [shlex.split(line) for entry in LISTS["entry"] for line in entry["lines"]]
    tried = {word[1] for word in words if word[0] == "headgate" and not word[1].startswith("-")}
    excused = {each["name"] for each in LISTS["not_frozen"] if each["why"]}
    assert tried | excused == set(cli.commands)


def test_a_command_without_an_entry_is_frozen_by_its_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    class Greet(Command):
        """Says hello."""

        group = "Look up"
        examples = "headgate greet a\nheadgate greet b \\\n  --json\n"

    monkeypatch.setattr(frozen, "own_names", lambda: ["bench", "greet", "run"])
    monkeypatch.setattr(frozen, "class_of", {"greet": Greet}.__getitem__)
    lists = {"entry": [{"name": "one", "lines": ["headgate run x.toml"]}], "not_frozen": [{"name": "bench"}]}
    assert frozen.by_examples(lists) == [{"name": "greet", "lines": ["headgate greet a", "headgate greet b --json"]}]


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
