"""The arguments of a tool: a JSON Schema that comes from the options of the command of its name, and what is said of a wrong one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from ..base.errors import cut, nearest
from ..cli.command import Command, to_click
from .answers import as_arguments

#: Maximum length of an argument that is a text.
LONGEST = 200_000

#: What a value is called, by its type in JSON.
_WORDS = {
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "object": "a table",
    "array": "a list",
    "null": "null",
}

Schema = dict[str, Any]


def text(about: str, *examples: str, **more: Any) -> Schema:
    """The schema of a text."""
    return {"type": "string", "description": about, **({"examples": list(examples)} if examples else {}), **more}


def of_command(command: type[Command], names: Sequence[str], **instead: Schema) -> dict[str, Schema]:
    """The schemas of options of a command by their names.

    Args:
        command: whose options they are.
        names: those that are wanted, in their order.
        instead: keys of a schema that go before those that follow from the option.
    """
    known = {p.name: p for p in to_click(command, "").params}
    return {name: {**_of(known[name], names), **instead.get(name, {})} for name in names}


def _of(parameter: click.Parameter, names: Sequence[str]) -> Schema:
    about = as_arguments(getattr(parameter, "help", None) or "", names)
    kind, schema = parameter.type, dict[str, Any]()
    if isinstance(kind, click.Choice):
        schema = {"type": "string", "enum": list(kind.choices)}
    elif isinstance(kind, click.IntRange):
        bounds = {"minimum": kind.min, "maximum": kind.max}
        schema = {"type": "integer"} | {key: value for key, value in bounds.items() if value is not None}
    elif kind is click.BOOL or getattr(parameter, "is_flag", False):
        schema = {"type": "boolean"}
    else:
        # A number alone is read as the command reads it.
        schema = {"type": ["string", "number"]}
    if parameter.multiple:
        schema = {"type": ["string", "array"], "items": {"type": "string"}}
    default = parameter.default
    if isinstance(default, str | int | float | bool) and default != "" and parameter.required is False:
        schema["default"] = default
    return {**schema, "description": about}


def schema_of(properties: Mapping[str, Schema], required: Sequence[str] = ()) -> Schema:
    """The schema of all arguments of a tool: there are no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def wrong(given: Any, schema: Schema) -> list[dict[str, Any]]:
    """What is wrong with the arguments of a call, each with its place, what was found and what is expected; empty if nothing is.

    >>> schema = schema_of({"seed": {"type": "integer", "minimum": 0}, "what": {"type": "string"}}, ["what"])
    >>> [fault["message"] for fault in wrong({"seed": -1, "wat": "x"}, schema)]
    ['seed: found -1; expected at least 0', 'wat: found an argument of this name. Did you mean "what"? Expected one of seed, what', \
'what: found none; expected a value']
    """
    found = [fault for e in Draft202012Validator(schema).iter_errors(given) for fault in _faults(e)]
    return sorted(found, key=lambda fault: (fault["place"], fault["message"]))


def _faults(e: ValidationError) -> list[dict[str, Any]]:
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in e.absolute_path).lstrip(".")
    if e.validator == "additionalProperties" and isinstance(e.instance, dict):
        known = list(e.schema["properties"])
        strange = [name for name in e.instance if name not in known]
        return [_strange(name, known) for name in strange]
    if e.validator == "required" and isinstance(e.instance, dict):
        missing = [name for name in e.validator_value if name not in e.instance and f"'{name}'" in e.message]
        return [_fault(name, "none", "a value") for name in missing]
    expected, near = _expected(e), ""
    if e.validator == "enum" and isinstance(e.instance, str):
        near = nearest(e.instance, map(str, e.validator_value))
    return [_fault(place or "arguments", cut(json.dumps(e.instance, ensure_ascii=False)), expected, near)]


def _expected(e: ValidationError) -> str:
    value = e.validator_value
    if e.validator == "type":
        return " or ".join(_WORDS[kind] for kind in ([value] if isinstance(value, str) else value))
    if e.validator == "anyOf":
        return " or ".join(_WORDS[each["type"]] for each in value)
    if e.validator == "enum":
        return f"one of {', '.join(map(str, value))}"
    words = {"minimum": "at least", "maximum": "at most", "exclusiveMinimum": "more than"}
    if e.validator in words:
        return f"{words[e.validator]} {value}"
    if e.validator == "maxLength":
        return f"at most {value} characters"
    if e.validator == "maxItems":
        return f"at most {value} entries"
    return str(e.message)


def _strange(name: str, known: Sequence[str]) -> dict[str, Any]:
    return _fault(cut(name), "an argument of this name", f"one of {', '.join(known)}", nearest(name, known))


def _fault(place: str, found: str, expected: str, hint: str = "") -> dict[str, Any]:
    hint = hint.strip()
    said = (
        f"{place}: found {found}. {hint} Expected {expected}"
        if hint
        else f"{place}: found {found}; expected {expected}"
    )
    near = hint.split('"')[1] if hint.count('"') == 2 else None
    return {"place": place, "found": found, "expected": expected, "nearest": near, "message": said}
