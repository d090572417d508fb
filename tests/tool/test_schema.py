"""The schema of scenario files names each entry of a list once, and takes what the engine takes of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

import headgate
from headgate.base.catalogue import Choosable, catalogue

#: The lists by their definitions.
LISTS = {
    "QueueingDiscipline": "disciplines", "Aqm": "aqms", "FlowControl": "flow-controls", "Workload": "workloads",
    "DistributionOfPacketSizes": "packet-sizes", "ArrivalProcess": "arrivals", "Distribution": "distributions", "Topology": "topologies",
    "LossLaw": "losses", "Framing": "framings", "RateTrace": "rate-traces",
}  # fmt: skip

SCHEMA: dict[str, Any] = headgate.schema()


def own(definition: str) -> dict[str, Choosable]:
    """The entries of a list but for those that another test has registered."""
    return {name: entry for name, entry in catalogue(LISTS[definition]).items() if not entry.plugin}


def kinds(node: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Every schema of an entry, by its name, with its place."""
    if isinstance(node, dict):
        name = (
            node.get("properties", {}).get("kind", {}).get("const")
            if isinstance(node.get("properties"), dict)
            else None
        )
        if name is not None:
            yield name, place
        for key, value in node.items():
            yield from kinds(value, f"{place}/{key}")
    elif isinstance(node, list):
        for value in node:
            yield from kinds(value, f"{place}[]")


def test_each_entry_is_one_definition() -> None:
    found = sorted(kinds(SCHEMA))
    assert all(place.startswith("/$defs/") and place.count("/") == 2 for _, place in found), (
        "none stands within another one"
    )
    by_list = {
        definition: [ref["$ref"].removeprefix("#/$defs/") for ref in SCHEMA["$defs"][definition]["anyOf"][1:]]
        for definition in LISTS
    }
    assert sorted(place.removeprefix("/$defs/") for _, place in found) == sorted(
        n for of in by_list.values() for n in of
    )
    for definition, of in by_list.items():
        names = [SCHEMA["$defs"][name]["properties"]["kind"]["const"] for name in of]
        assert names == SCHEMA["$defs"][definition]["anyOf"][0]["enum"] == list(own(definition))
    # It was 860 KB while each link and each island had all disciplines.
    assert len(json.dumps(SCHEMA, indent=2)) < 400_000


@pytest.mark.parametrize("definition", LISTS)
def test_it_takes_each_entry_by_its_name_and_with_its_defaults_and_nothing_else(definition: str) -> None:
    valid = jsonschema.Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": SCHEMA["$defs"]})
    for name, entry in own(definition).items():
        table = {"kind": name} | {p.name: p.default for p in entry.parameters if p.default is not None}
        assert valid.is_valid(name) and valid.is_valid({"kind": name}), name
        valid.validate(table)
        assert not valid.is_valid(table | {"no_parameter": 1}), name
    assert not valid.is_valid("no such entry") and not valid.is_valid({"kind": "no such entry"})
