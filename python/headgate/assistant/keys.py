"""The keys of scenario files, a part at a time: what a table may have, as the JSON Schema has it, in lines that can be read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..base.catalogue import schema
from ..base.errors import HeadgateError, cut, nearest

#: Values of a choice that are listed with a key.
_CHOICES = 12

#: What types of JSON are called.
_TYPES = {
    "boolean": "true or false",
    "object": "table",
    "array": "list",
    "string": "text",
    "integer": "whole number",
    "number": "number",
}


@dataclass(frozen=True)
class FileKey:
    """A key of a table: what may stand there, what stands there unless it is given, and what it means."""

    name: str
    type: str
    default: str
    meaning: str
    required: bool

    def line(self) -> str:
        """All of it in a line."""
        given = ", required" if self.required else f", {self.default} unless given" if self.default else ""
        return f"{self.name} ({self.type}{given}): {self.meaning}"


@dataclass(frozen=True)
class FilePart:
    """A part of a scenario file.

    Attributes:
        path: where it is.
        about: what it is.
        keys: of its table; empty where it has none, or is chosen by `kind`.
        kinds: what each of the tables is that it is chosen from.
    """

    path: str
    about: str
    keys: tuple[FileKey, ...]
    kinds: dict[str, str]

    def text(self) -> str:
        """The part in lines."""
        lines = [f"{self.path or 'the file'}: {self.about}".rstrip(": ")]
        if self.kinds:
            lines += ["A table with `kind`, or the name of the kind alone. Kinds:"]
            lines += [f"  {name}: {about}" for name, about in self.kinds.items()]
        lines += [f"  {key.line()}" for key in self.keys]
        return "\n".join(lines)


def part(path: str) -> FilePart:
    """A part by its path, such as `links`, `flows.workload`, `topology.dumbbell` or `links.queue.codel`. Empty for the whole file.

    Raises:
        HeadgateError: there is no such part.

    >>> [key.name for key in part("hosts").keys], list(part("links.loss").kinds)[0]
    (['noise'], 'bernoulli')
    """
    nodes: list[dict[str, Any]] = [_root()]
    seen: list[str] = []
    for name in filter(None, re.split(r"[.\[\]]+", path)):
        if re.fullmatch(r"\d+|\*", name):
            continue
        tables = [t for node in nodes for t in _tables(node)]
        chosen = [t for t in tables if _kind(t) == name]
        inside = [t["properties"][name] for t in tables if name in t.get("properties", {})]
        if not chosen and not inside:
            known = sorted({*(k for t in tables for k in t.get("properties", {})), *filter(None, map(_kind, tables))})
            where = ".".join(seen) or "the file"
            raise HeadgateError(
                f"part: found {cut(repr(path))}; expected one of {', '.join(known) or 'no more'} at {where}.{nearest(name, known)}"
            )
        nodes = chosen or inside
        seen.append(name)
    tables = _once([t for node in nodes for t in _tables(node)])
    about = _line(next((n["description"] for n in nodes if n.get("description")), ""))
    kinds = {kind: _sentence(t.get("description", "")) for t in tables if (kind := _kind(t))}
    single = [t for t in tables if not _kind(t)] or (tables if len(kinds) == 1 else [])
    keys = tuple(key for table in single[:1] for key in _keys(table))
    if len(kinds) == 1 and not about:
        about = next(iter(kinds.values()))
    if not keys and not kinds:
        about = f"{about} ({_type(nodes[0])})"
    return FilePart(path, about, keys, kinds if len(kinds) > 1 else {})


def parts() -> list[str]:
    """The keys of the file."""
    return list(_root()["properties"])


@cache
def _root() -> dict[str, Any]:
    return dict(schema())


def _ref(node: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in node:
        return node
    found: dict[str, Any] = _root()["$defs"][node["$ref"].rpartition("/")[2]]
    return found


def _tables(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The tables that may stand at a place, or as entries of a list there. Those of both directions of a link come last."""
    node = _ref(node)
    if "properties" in node and not _short(node):
        yield node
    both = list[dict[str, Any]]()
    for key in ("anyOf", "oneOf"):
        for each in node.get(key, []):
            (both if set(_ref(each).get("properties", {})) == {"forward", "reverse"} else both[:0]).append(each)
            if each not in both:
                yield from _tables(each)
    for each in (node.get("items"), node.get("additionalProperties")):
        if isinstance(each, dict):
            yield from _tables(each)
    for each in both:
        yield _ref(each)


def _short(node: dict[str, Any]) -> bool:
    """Whether it is a short name beside parameters of what that stands for."""
    return "enum" in node.get("properties", {}).get("kind", {})


def _once(tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each table once, and those of both directions of a link only where there is nothing else."""
    found = [table for i, table in enumerate(tables) if table not in tables[:i]]
    return [t for t in found if set(t["properties"]) != {"forward", "reverse"}] or found


def _kind(table: dict[str, Any]) -> str:
    return str(table.get("properties", {}).get("kind", {}).get("const", ""))


def _keys(table: dict[str, Any]) -> Iterator[FileKey]:
    for name, node in table["properties"].items():
        if name == "kind" and "const" in node:
            continue
        default = node.get("default")
        shown = "" if default in (None, "", []) else json.dumps(default, ensure_ascii=False)
        meaning = _line(node.get("description", "") or _ref(node).get("description", ""))
        yield FileKey(name, _type(node), shown if len(shown) <= 200 else "", meaning, name in table.get("required", []))


def _type(node: dict[str, Any]) -> str:
    """What may stand there, in words."""
    found = list(dict.fromkeys(_types(node)))
    kinds = [word.removeprefix("kind ") for word in found if word.startswith("kind ")]
    words = [word for word in found if not word.startswith("kind ")]
    if kinds:
        more = f" and {len(kinds) - _CHOICES} more" if len(kinds) > _CHOICES else ""
        words = [
            f"table of kind {', '.join(kinds[:_CHOICES])}{more}",
            *(w for w in words if w not in ("table", "text")),
        ]
    return " or ".join(words) or "anything"


def _types(node: dict[str, Any]) -> Iterator[str]:
    node = _ref(node)
    if _short(node):
        return
    if "const" in node:
        yield json.dumps(node["const"])
    elif "enum" in node:
        if "kind" not in str(node.get("description", "")) and len(node["enum"]) <= _CHOICES:
            yield f"one of {', '.join(map(str, node['enum']))}"
    elif "format" in node and "examples" in node:
        yield f"{node['format']} such as {node['examples'][0]}"
    elif _kind(node):
        yield f"kind {_kind(node)}"
    elif "anyOf" in node or "oneOf" in node:
        for each in node.get("anyOf", node.get("oneOf", [])):
            yield from _types(each)
    elif "properties" in node:
        yield f"table of {', '.join(node['properties'])}" if len(node["properties"]) <= 4 else "table"
    elif "type" in node:
        kinds = node["type"] if isinstance(node["type"], list) else [node["type"]]
        bounds = [f"{sign} {node[key]:g}" for key, sign in (("minimum", "from"), ("maximum", "to")) if key in node]
        yield from (" ".join([_TYPES[kind], *bounds]) for kind in kinds if kind != "null")


def _line(text: str) -> str:
    return " ".join(str(text).split())


def _sentence(text: str) -> str:
    return re.split(r"(?<=\.)\s+(?=[A-Z])", _line(text))[0]
