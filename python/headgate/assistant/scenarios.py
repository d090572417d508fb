"""The scenario that a call means: its contents, a file or an example, with some values changed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from .. import plugins
from ..base.documents import document
from ..base.errors import HeadgateError, cut
from ..base.folders import resolved, within
from ..scenario import examples, files
from ..scenario.scenario import Scenario
from .arguments import Schema, text
from .calls import Call

#: The arguments that say which scenario is meant.
PROPERTIES: dict[str, Schema] = {
    "scenario": {
        "anyOf": [{"type": "object"}, {"type": "string"}],
        "description": "The scenario itself: a table with the keys of a scenario file, or the text of a file in TOML or JSON.",
    },
    "example": text("An example that comes with headgate, by its name; the tool `example` lists them.", "two-sources"),
    "file": text("A scenario file in a folder that the user allowed.", "mine.toml"),
    "changes": {
        "type": "object",
        "description": "Values to change in the scenario, by their paths: names or positions of entries, `*` for all of them.",
        "examples": [{"links.slow.queue": {"kind": "red"}, "duration": "60s", "flows.*.packet": "500B"}],
    },
}

#: How the three are called in errors.
_WHICH = ("scenario", "example", "file")


def scenario_of(given: Mapping[str, Any], call: Call) -> tuple[Scenario, str]:
    """The scenario, and what stands for its file in a command.

    Raises:
        HeadgateError: none is named, or several are; it cannot be read; or it names a file that may not be read.
        ScenarioError: a change is wrong.
    """
    named = [key for key in _WHICH if key in given]
    if len(named) != 1:
        raise HeadgateError(f"scenario: found {' and '.join(named) or 'none'}; expected one of {', '.join(_WHICH)}")
    if "example" in given:
        found = next((e for e in examples.examples() if given["example"] in (e.name, e.file.name)), None)
        file = examples.example(given["example"]) if found is None else Scenario.from_file(found.file)
        scenario, word, home = file, f"scenarios/{given['example'].removesuffix('.toml')}.toml", examples.FOLDER
    elif "file" in given:
        path = call.limits.file(given["file"], "file")
        scenario, word, home = Scenario.from_file(path, call.limits.folders), str(path), path.parent
    else:
        scenario, word, home = Scenario(_contents(given["scenario"])), "FILE", Path()
    for path_, value in given.get("changes", {}).items():
        # Checked with the whole, once its files are read: to check a part would look for them elsewhere.
        scenario = scenario.put(path_, value)
    _read_files(scenario, call, home)
    return scenario, word


def _contents(given: Any) -> dict[str, Any]:
    """What a table or a text of a scenario holds."""
    if isinstance(given, str):
        kind = "JSON" if given.lstrip()[:1] == "{" else "TOML"
        given = document(given, "scenario", "a scenario", kind)
    if not isinstance(given, dict):
        raise HeadgateError(f"scenario: found {cut(repr(given))}; expected a table of settings")
    return given


def _read_files(scenario: Scenario, call: Call, home: Path) -> None:
    """Puts the contents of files in the place of their names: those of examples, and those in folders that the user allowed."""
    data = scenario.data
    allowed = [*([home] if home.parts else []), *call.limits.folders]
    places = [*allowed, *([] if examples.FOLDER in allowed else [examples.FOLDER])]
    for _, table in files.tables(data, ""):
        name = table.get("file")
        if isinstance(name, str) and table.get("kind") in files.KINDS:
            table["file"] = _placed(name, places)
    files.fill(data, places[0], "", places[1:])
    if "plugins" in data:
        data["plugins"] = plugins.filled(data["plugins"], places[0], "", places[1:])


def _placed(name: str, places: list[Path]) -> str:
    """The file of a name in the first of the folders that has one; the name itself if none has."""
    folders = resolved(places[0], places[1:])
    for place in places:
        with suppress(HeadgateError):
            if (found := within(place, name, folders, "")).is_file():
                return str(found)
    return name
