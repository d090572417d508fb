"""headgate schema: the schema of scenario files."""

from __future__ import annotations

import json

from ... import _core
from ..command import Command
from ..show import print_json


class SchemaCommand(Command):
    """Print the JSON Schema of scenario files."""

    group = "Look up"
    at_once = True
    page = "how-to/shell-and-editor"
    heading = "Example (editors complete scenario files from it):"
    examples = "headgate schema > scenario.schema.json"

    def run(self) -> None:
        print_json(json.loads(_core.schema()))
