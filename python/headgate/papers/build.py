"""The scenario of one variant: an item's scenario file with a protocol pair put in its places."""

from __future__ import annotations

import copy
from fnmatch import fnmatchcase
from typing import Any

from .model import Item, PaperError, Table, Variant, unknown


def build_scenario(item: Item, variant: Variant, *, phases: bool = False) -> Table:
    """The scenario to run.

    The pair's flow control replaces that of every flow group whose name fits, except where it is `none` (sources without
    flow control stay so); the window stays the scenario's. The pair's discipline replaces that of every link that names
    one; the buffer stays the scenario's. With `phases` every flow starts at random within the item's phase.

    Raises:
        PaperError: the item has no scenario, or a setting names nothing in it.
    """
    source = variant.scenario or item.scenario
    if source is None:
        raise PaperError(f"{item.name} has no scenario yet")
    scenario: Table = copy.deepcopy(source)
    scenario["name"] = f"{item.name} {variant.name}"
    for flow in scenario["flows"]:
        old = flow.get("control", {})
        if old.get("kind") != "none":
            new = _control(variant, flow["name"])
            if new is not None:
                flow["control"] = {**new, **({"window": old["window"]} if "window" in old else {})}
        if phases:
            flow["start_spread"] = item.phase
    for link in scenario["links"]:
        if variant.queue is not None and "queue" in link:
            link["queue"] = {
                **variant.queue,
                **({"buffer": link["queue"]["buffer"]} if "buffer" in link["queue"] else {}),
            }
    if item.traces and not phases:
        scenario["traces"] = sorted({*scenario.get("traces", []), *item.traces})
    for path, value in variant.settings.items():
        _set(scenario, path, value)
    return scenario


def _control(variant: Variant, flow: str) -> Table | None:
    for pattern, control in variant.controls.items():
        if fnmatchcase(flow, pattern):
            return dict(control)
    return None


def _set(scenario: Table, path: str, value: Any) -> None:
    """Sets `flows.NAME.key...`, `links.NAME.key...` (of each whose name fits, `*` being a wildcard) or a key of the scenario itself."""
    parts = path.split(".")
    places: list[Any] = [scenario]
    if parts[0] in ("flows", "links", "nodes"):
        kind, name, *parts = parts
        places = [x for x in scenario[kind] if fnmatchcase(x["name"], name)]
        if not places:
            raise unknown(kind[:-1], name, [x["name"] for x in scenario[kind]])
    for place in places:
        for key in parts[:-1]:
            place = place.setdefault(key, {})
        place[parts[-1]] = copy.deepcopy(value)
