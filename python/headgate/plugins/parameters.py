"""The parameters of a plugin: typed fields of its class, with bounds, read from scenario files.

pydantic makes the schema of the fields and checks values; this module puts what it finds into the engine's words.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

from .. import _core
from ..base.errors import HeadgateError, cut

if TYPE_CHECKING:
    from pydantic import TypeAdapter

#: What an answer of the engine's `read` means: the complete parameters as JSON, or the place, what was found and what was expected.
Read = str | tuple[str, str | None, str]


def _quantity(kind: str, what: str) -> Any:
    """The type of a quantity: written with its unit, a number in seconds, bit/s or bytes for the class."""
    from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ValueError(f"expected {what}")
        if not isinstance(value, str):
            return float(value)
        try:
            return float(_core.quantity(value, kind)[2])
        except ValueError as e:
            raise ValueError(str(e)) from None

    def text(value: float) -> str:
        per_unit = 10**12 if kind == "s" else 1
        return _core.quantity_text(kind, round(value * per_unit))

    return Annotated[
        float, BeforeValidator(read), PlainSerializer(text), WithJsonSchema({"type": "string", "format": what})
    ]


if TYPE_CHECKING:
    #: A time such as `"5ms"`; the class gets seconds.
    Duration = float
    #: A rate such as `"10Mbit/s"`; the class gets bit/s.
    Rate = float
    #: A length such as `"1500B"`; the class gets bytes.
    Size = float
else:

    def __getattr__(name: str) -> Any:
        # pydantic is loaded with the first plugin, not with headgate.
        kinds = {"Duration": ("s", "a duration"), "Rate": ("bps", "a rate"), "Size": ("bytes", "a size")}
        if name not in kinds:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = made = _quantity(*kinds[name])
        return made


def parameter(
    default: Any,
    *,
    min: float | None = None,
    max: float | None = None,
    above: float | None = None,
    below: float | None = None,
    doc: str = "",
) -> Any:
    """A parameter of a plugin: a field of its class, with its default, its bounds and what it means.

    Args:
        default: its value unless a scenario gives one.
        min: the least value.
        max: the greatest value.
        above: the value is greater than this.
        below: the value is less than this.
        doc: a sentence that says what it is, with its unit.
    """
    from pydantic import Field

    return Field(default, ge=min, le=max, gt=above, lt=below, description=doc or None)


def schema(adapter: TypeAdapter[Any]) -> dict[str, Any]:
    """The JSON Schema of the parameters."""
    found = adapter.json_schema(mode="validation")
    definitions = found.pop("$defs", {})

    def inlined(value: Any) -> Any:
        if isinstance(value, dict):
            name = str(value.get("$ref", "")).removeprefix("#/$defs/")
            if name in definitions:
                return inlined({**definitions[name], **{k: v for k, v in value.items() if k != "$ref"}})
            return {k: inlined(v) for k, v in value.items() if k != "title"}
        return [inlined(v) for v in value] if isinstance(value, list) else value

    whole: dict[str, Any] = inlined(found)
    whole.setdefault("properties", {})
    return {**whole, "additionalProperties": False}


def reader(made: Any, adapter: TypeAdapter[Any], names: list[str]) -> Any:
    """What reads parameters for the engine."""
    from pydantic import ValidationError

    def read(text: str) -> Read:
        values = json.loads(text)
        for name in values:
            if name not in names:
                known = ", ".join(f"`{n}`" for n in names)
                expected = f"expected one of {known}" if names else "there are no parameters"
                return "", None, f"unknown field `{cut(name)}`, {expected}"
        try:
            return json.dumps(adapter.dump_python(made(**values), mode="json"))
        except ValidationError as e:
            return _wrong(e.errors()[0])
        except Exception as e:
            return "", None, f"expected parameters with which it can be made; {type(e).__name__}: {cut(e)}"

    return read


def _wrong(error: Any) -> Read:
    path = ".".join(str(part) for part in error["loc"])
    found = error.get("input")
    try:
        text = json.dumps(found)
    except TypeError:
        text = None
    bounds = {
        "greater_than_equal": ("at least", "ge"),
        "less_than_equal": ("at most", "le"),
        "greater_than": ("above", "gt"),
        "less_than": ("below", "lt"),
    }
    if error["type"] in bounds:
        word, key = bounds[error["type"]]
        return path, text, f"expected a number {word} {error['ctx'][key]:g}"
    kinds = {
        "float_type": "a number",
        "int_type": "a whole number",
        "bool_type": "true or false",
        "string_type": "a text",
    }
    if error["type"] in kinds:
        return path, text, f"expected {kinds[error['type']]}"
    if error["type"] == "missing":
        return path, None, "missing; expected a value"
    if error["type"] == "literal_error":
        return path, text, f"expected one of {error['ctx']['expected']}"
    message = str(error["msg"]).removeprefix("Value error, ")
    return path, text, message if "expected" in message else f"expected something else: {message}"


def adapted(cls: type, what: str) -> tuple[Any, Any, list[str]]:
    """The class with validated fields, what reads them, and their names.

    Raises:
        HeadgateError: a field has no type that can be read, or no default.
    """
    import dataclasses
    import warnings

    from pydantic import ConfigDict, TypeAdapter
    from pydantic.dataclasses import dataclass
    from pydantic.errors import PydanticUserError

    config = ConfigDict(strict=True, extra="forbid", validate_default=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made: Any = dataclass(cls, config=config)
            adapter: Any = TypeAdapter(made)
    except (TypeError, PydanticUserError, NameError) as e:
        raise HeadgateError(f"{what}: expected parameters as fields with types and defaults; {cut(e)}") from None
    fields = [field for field in dataclasses.fields(made) if field.init]
    missing = [f.name for f in fields if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING]
    names = [field.name for field in fields]
    if missing:
        try:
            made()
        except Exception:
            raise HeadgateError(
                f"{what}: parameter {missing[0]}: expected a default, as in `{missing[0]}: float = 1.0`"
            ) from None
    return made, adapter, names
