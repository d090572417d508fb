"""What a client may read without a tool: the guide, the schema, the lists and the examples. The tools give the same, a part at a time."""

from __future__ import annotations

import json
from importlib import resources as files
from typing import NamedTuple

from .. import _core
from ..base.errors import HeadgateError, unknown
from ..cli.commands.list import KINDS, catalogue
from ..scenario.examples import RECORDED, examples

#: Begins the addresses.
SCHEME = "headgate://"


class Resource(NamedTuple):
    """Something to read: its address, what it is, and its type."""

    uri: str
    about: str
    mime: str


def guide() -> str:
    """How a scenario is written, in a page: what a client is told at the start."""
    return files.files(__package__).joinpath("guide.md").read_text("utf-8")


def listed() -> list[Resource]:
    """All resources."""
    found = [
        Resource(f"{SCHEME}guide", "How to write a scenario, in a page.", "text/markdown"),
        Resource(f"{SCHEME}schema", "The JSON Schema of scenario files.", "application/schema+json"),
    ]
    found += [Resource(f"{SCHEME}list/{kind}", f"List: {about}.", "application/json") for kind, about in KINDS.items()]
    return found + [
        Resource(f"{SCHEME}example/{e.name}", e.about, "text/csv" if e.name in RECORDED else "application/toml")
        for e in examples()
    ]


def read(uri: str) -> tuple[str, str]:
    """The type and the text of a resource.

    Raises:
        HeadgateError: there is none.

    >>> read("headgate://list/losses")[1].count('"name": "bernoulli"')
    1
    """
    known = {resource.uri: resource.mime for resource in listed()}
    if uri not in known:
        raise HeadgateError(f"uri: {unknown(uri, f'one of {len(known)} resources, such as {SCHEME}guide', known)}")
    what, _, name = uri.removeprefix(SCHEME).partition("/")
    if what == "guide":
        return known[uri], guide()
    if what == "schema":
        return known[uri], json.dumps(json.loads(_core.schema()))
    if what == "list":
        return known[uri], json.dumps(catalogue(name, more=True), indent=1)
    return known[uri], next(e for e in examples() if e.name == name).file.read_text("utf-8")
