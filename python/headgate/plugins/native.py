"""Flow controls in shared objects: loaded, described, registered. Their layout stands in `crates/python/src/plugin/native.rs`."""

from __future__ import annotations

import ctypes
import hashlib
import json
import math
from pathlib import Path
from typing import Any

from .. import _core
from ..base.catalogue import is_own
from ..base.errors import HeadgateError, cut
from . import registry
from .trust import ENDS as ENDS

#: The version of the layout.
VERSION = 1


class _Parameter(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("about", ctypes.c_char_p),
        *((n, ctypes.c_double) for n in ("default", "least", "most")),
    ]


class _Table(ctypes.Structure):
    """The beginning of the table, which describes the flow control."""

    _fields_ = [
        *((n, ctypes.c_uint32) for n in ("version", "wants")),
        *((n, ctypes.c_char_p) for n in ("name", "source", "summary")),
        ("parameters", ctypes.POINTER(_Parameter)),
        ("count", ctypes.c_uint64),
    ]


def entry_of(file: Path, name: str, place: str) -> dict[str, str]:
    """What a scenario has of a shared object: for its source, where it is and the hash of its contents.

    Raises:
        HeadgateError: it cannot be read.
    """
    return {"name": name, "source": json.dumps({"file": str(file.resolve()), "sha256": _hash(file, place)})}


def _hash(file: Path, place: str) -> str:
    try:
        with file.open("rb") as f:
            return hashlib.file_digest(f, "sha256").hexdigest()
    except OSError as e:
        raise HeadgateError(f"{place}: {cut(file)}: expected a shared object; {e.strerror or e}") from None


def load(entry: dict[str, str], place: str) -> None:
    """Loads a shared object and registers its flow control.

    Raises:
        HeadgateError: it is another one than the scenario was written for, or offers no flow control of this version.
    """
    what = f"{place}: {cut(entry['name'])}"
    try:
        source = json.loads(entry["source"])
        file, due = Path(source["file"]), str(source["sha256"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise HeadgateError(
            f"{what}: found {cut(repr(entry['source']))}; expected where the shared object is, and its hash"
        ) from None
    if _hash(file, place) != due:
        raise HeadgateError(
            f"{what}: expected the shared object that the scenario was written for, found other contents in {cut(file)}"
        )
    try:
        begin = ctypes.CDLL(str(file)).headgate_control
    except (OSError, AttributeError) as e:
        raise HeadgateError(f"{what}: expected a shared object with a function headgate_control; {cut(e)}") from None
    begin.restype = ctypes.c_void_p
    address = begin()
    if not address:
        raise HeadgateError(f"{what}: headgate_control: found nothing; expected the address of a table")
    table = _Table.from_address(address)
    if table.version != VERSION:
        raise HeadgateError(
            f"{what}: found version {table.version} of the layout; expected {VERSION}, as `headgate new control` writes it"
        )
    name = _text(table.name)
    if not name.isidentifier() or name != name.lower() or len(name) > 64 or not name.isascii():
        raise HeadgateError(
            f"{what}: found the name {cut(repr(name))}; expected lower-case letters, digits and underscores"
        )
    if is_own(name, "control"):
        raise HeadgateError(f"{what}: found the name {name}; expected one that no control of headgate has")
    if table.count > 1000:
        raise HeadgateError(f"{what}: found {table.count} parameters; expected at most 1000")
    parameters = {
        _text(p.name): {
            "type": "number",
            "default": p.default,
            "minimum": p.least,
            "maximum": p.most,
            "description": _text(p.about),
        }
        for p in table.parameters[: table.count]
    }
    for key, p in parameters.items():
        if (
            not key.isidentifier()
            or key == "kind"
            or not (-math.inf < p["minimum"] <= p["default"] <= p["maximum"] < math.inf)
        ):
            raise HeadgateError(
                f"{what}: parameter {cut(repr(key))}: expected a name, and a default between two bounds"
            )
    schema = {"type": "object", "properties": parameters, "additionalProperties": False}
    if len(parameters) < table.count:
        raise HeadgateError(f"{what}: found two parameters of one name; expected different names")
    described = registry.Described(
        name,
        _text(table.source) or entry["name"],
        _text(table.summary),
        json.dumps(schema),
        _read(parameters, "{}"),
        lambda text: _read(parameters, text),
    )
    registry.add(name, "control", lambda: _core.register_native(described, address, list(parameters)))


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace")


def _read(parameters: dict[str, dict[str, Any]], text: str) -> Any:
    """Parameters with their defaults, or what is wrong."""
    values = json.loads(text)
    for name, value in values.items():
        if name not in parameters:
            known = ", ".join(f"`{n}`" for n in parameters)
            return (
                "",
                None,
                f"unknown field `{cut(name)}`, {f'expected one of {known}' if known else 'there are no parameters'}",
            )
        if isinstance(value, bool) or not isinstance(value, int | float):
            return name, json.dumps(value), "expected a number"
        for bound, word in (("minimum", "least"), ("maximum", "most")):
            limit = parameters[name][bound]
            if value < limit if bound == "minimum" else value > limit:
                return name, json.dumps(value), f"expected a number at {word} {limit:g}"
    return json.dumps({name: float(values.get(name, p["default"])) for name, p in parameters.items()})
