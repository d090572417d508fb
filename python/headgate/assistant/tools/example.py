"""The tool `example`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.errors import HeadgateError, cut, nearest
from ...scenario.examples import RECORDED, examples
from ..answers import Answer
from ..arguments import Schema, text
from ..calls import Call
from ..tool import Tool


class ExampleTool(Tool):
    """The scenarios that come with headgate."""

    name = "example"
    title = "Example scenarios"
    about = (
        "Gives the text of an example scenario, to run as it is (`run` takes `example`) or to write one of your own after it. Without a "
        "name it lists all of them. two-sources is a network of nodes and links, game a topology, rate-step a rate that changes, "
        "lossy-links losses and events, queues-and-rates a study."
    )

    @property
    def properties(self) -> Mapping[str, Schema]:
        return {"name": text("The name of an example.", "two-sources")}

    def answer(self, given: Mapping[str, Any], call: Call) -> Answer:
        """The file, or the list."""
        known = {e.name: e for e in examples()}
        if "name" not in given:
            width = max(map(len, known))
            lines = [f"{name:<{width}}  {e.about}" for name, e in known.items()]
            return Answer(
                "\n".join(lines), {"examples": {name: e.about for name, e in known.items()}}, "headgate examples"
            )
        name = given["name"].removesuffix(".toml")
        if name not in known:
            hint = nearest(name, known)
            raise HeadgateError(f"name: found {cut(repr(given['name']))}; expected one of {', '.join(known)}.{hint}")
        if name in RECORDED:
            return Answer(f"{known[name].about}", {"name": name, "trace": name}, f"headgate examples {name}")
        content = known[name].file.read_text("utf-8")
        shown = "\n".join(line for line in content.splitlines() if not line.startswith("#:schema "))
        return Answer(shown, {"name": name, "scenario": shown}, f"headgate examples {name}")
