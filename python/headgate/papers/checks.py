"""Reads the contents of a file into a form, or says what is wrong: the file, the place in it, what was found and what was expected."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Hashable, Iterable, Mapping
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from ..base.errors import cut, nearest
from .model import PaperError

T = TypeVar("T")

#: What is expected, for the kinds of errors that the library distinguishes and words in a way that a reader of TOML would not understand.
_EXPECTED = {
    "string_type": "a text",
    "string_too_short": "a text that is not empty",
    "float_type": "a number",
    "float_parsing": "a number",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "dict_type": "a table",
    "mapping_type": "a table",
    "dataclass_type": "a table",
    "tuple_type": "a list",
}


def wrong(file: str, place: str, expected: str, found: object = None, known: Iterable[str] = ()) -> PaperError:
    """The error for something in a file.

    >>> print(wrong("paper.toml", "items[0].study", "expected a text", 5))
    paper.toml: items[0].study: found 5; expected a text
    >>> print(wrong("paper.toml", "items[0].pairs[0]", "expected a pair", "G/FC", ["G/FCFS"]))
    paper.toml: items[0].pairs[0]: found "G/FC"; expected a pair. Did you mean "G/FCFS"?
    """
    hint = nearest(str(found), known)
    text = "" if found is None else f"found {_shown(found)}; "
    return PaperError(f"{file}: {place + ': ' if place else ''}{text}{expected}{hint and '.' + hint}")


def one_of(file: str, place: str, name: str, known: Iterable[str], what: str) -> None:
    """Raises unless a name is one of those known."""
    names = list(known)
    if name not in names:
        listed = f"expected one of {cut(', '.join(names))}" if names else f"but there is no {what}"
        raise wrong(file, place, f"{listed} ({what})" if names else listed, name, names)


def checked(kind: type[T], data: Any, file: str, place: str = "") -> T:
    """The form that `data` has.

    Raises:
        PaperError: it has not; the first thing that is wrong is named.
    """
    try:
        form: T = _adapter(cast("Hashable", kind)).validate_python(data)
        return form
    except ValidationError as e:
        error = e.errors(include_url=False)[0]
    parts = error["loc"]
    where = place + _path(parts)
    where = where.removeprefix(".")
    if error["type"] == "missing":
        raise wrong(file, where.rpartition(".")[0], f"expected the key `{parts[-1]}`")
    if error["type"] == "unexpected_keyword_argument":
        known = [f.name for f in dataclasses.fields(_at(kind, parts[:-1]))]
        key, table = str(parts[-1]), where.removesuffix(str(parts[-1])).rstrip(".")
        raise wrong(file, table, f"expected keys of {', '.join(known)}", key, known)
    expected = _EXPECTED.get(error["type"]) or error["msg"].replace("Input should be ", "").replace("'", '"')
    choices = get_args(_at(kind, parts)) if error["type"] == "literal_error" else ()
    raise wrong(file, where, f"expected {expected}", error["input"], choices)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _shown(value: object) -> str:
    if isinstance(value, str):
        return cut(f'"{value}"')
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a table"
    return "a list" if isinstance(value, list | tuple) else cut(value)


def _path(parts: tuple[int | str, ...]) -> str:
    """A place such as `.items[0].set."links.slow.rate"`.

    >>> _path(("items", 0, "set", "links.slow.rate"))
    '.items[0].set."links.slow.rate"'
    """
    return "".join(
        f"[{p}]" if isinstance(p, int) else f".{p}" if p.replace("-", "_").isidentifier() else f'."{p}"' for p in parts
    )


def _at(kind: Any, parts: tuple[int | str, ...]) -> Any:
    """The type at a place within a form."""
    for part in parts:
        if dataclasses.is_dataclass(kind):
            kind = get_type_hints(kind, include_extras=False)[str(part)]
        elif get_args(kind):
            kind = get_args(kind)[0 if isinstance(part, int) else -1]
        if get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        if get_origin(kind) in (Union, types.UnionType):
            kind = next((k for k in get_args(kind) if get_origin(k) is Literal or k is not type(None)), kind)
    return kind
