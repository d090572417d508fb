"""The tool `schema`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import keys
from ..answers import Answer
from ..arguments import Schema, text
from ..calls import Call
from ..tool import Tool


class SchemaTool(Tool):
    """The keys of scenario files."""

    name = "schema"
    title = "Keys of scenario files"
    about = (
        "Describes the keys of a scenario file, a part at a time: their types, values unless given, and meanings. Without `part` it "
        f"describes the file: {', '.join(keys.parts())}. A part is a path such as links, links.rate, links.rate.steps, links.loss, flows, "
        "flows.arrivals, topology.dumbbell, events, sweep. Read the parts that you need before you write a scenario for `run`."
    )

    @property
    def properties(self) -> Mapping[str, Schema]:
        return {
            "part": text("The path of the part.", "links", "flows.workload", "topology.parking_lot", "links.queue.red")
        }

    def answer(self, given: Mapping[str, Any], call: Call) -> Answer:
        """The part in lines."""
        found = keys.part(given.get("part", ""))
        rows = [
            {"key": k.name, "type": k.type, "default": k.default, "required": k.required, "meaning": k.meaning}
            for k in found.keys
        ]
        return Answer(found.text(), {"part": found.path, "about": found.about, "kinds": found.kinds, "keys": rows})
