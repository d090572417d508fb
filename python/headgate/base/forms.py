"""Reads the contents of a file into a form, or says what is wrong: the file, the place in it, what was found and what was expected."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from .. import _core
from .documents import Toml, toml
from .errors import HeadgateError, cut, nearest
from .text import decoded

if TYPE_CHECKING:
    # Loaded by what reads a file: the processes of runs take forms, and read none.
    from pydantic import ConfigDict, TypeAdapter

T = TypeVar("T")

#: Of forms: no keys but their own.
CLOSED: ConfigDict = {"extra": "forbid"}


class Within:
    """Bounds of a field, as `Field` of pydantic takes them."""

    __is_annotated_types_grouped_metadata__: Literal[True] = True

    def __init__(self, **bounds: Any) -> None:
        """Takes `ge`, `gt`, `le`, `lt`, `min_length`, `max_length`."""
        self._bounds = bounds

    def __iter__(self) -> Iterator[object]:
        """What pydantic knows of them."""
        from pydantic import Field

        return iter(Field(**self._bounds).metadata)


class Before:
    """A function that makes the value of a field from what the file has, or raises a `ValueError`."""

    def __init__(self, read: Callable[[Any], Any]) -> None:
        """Takes the function."""
        self._read = read

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """See `BeforeValidator` of pydantic."""
        from pydantic import BeforeValidator

        return BeforeValidator(self._read).__get_pydantic_core_schema__(source, handler)


Table = dict[str, Any]

#: A text that says something.
Name = Annotated[str, Within(min_length=1)]


class ClosedForm:
    """What is read from a file and holds no keys but its own."""

    __pydantic_config__: ClassVar[Any] = CLOSED


#: Maximum length of a file that stands beside others of its kind, in bytes.
LONGEST = 100_000

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
    "list_type": "a list",
    "tuple_type": "a list",
}


def file_of(name: str, folder: Path, option: str, what: str) -> tuple[Toml, str]:
    """A file of a folder by its name without the ending, or one of a user's own, whose name ends in `.toml`; and its name in errors.

    Args:
        name: as the user gave it.
        folder: of those that come with headgate.
        option: begins the error for a name that is none of these.
        what: the file has.

    Raises:
        HeadgateError: there is none, or it cannot be read.
    """
    known = names_in(folder)
    own = name.endswith(".toml")
    if not own and name not in known:
        raise HeadgateError(
            f"{option}: found {cut(repr(name))}; expected one of {', '.join(known)}, or a file ending in .toml.{nearest(name, known)}"
        )
    file, place = Path(name) if own else folder / f"{name}.toml", cut(name)
    try:
        with file.open("rb") as stream:
            raw = stream.read(LONGEST + 1)
    except OSError as e:
        raise HeadgateError(f"{place}: cannot be read: {e.strerror or e}") from None
    if len(raw) > LONGEST:
        raise HeadgateError(f"{place}: expected a file of {what}, at most {LONGEST // 1000} KB")
    return toml(decoded(raw, place), place, what), place


def beside(kind: type[T], module: str, name: str) -> T:
    """What the TOML file of this name beside a module has; `module` is its `__file__`."""
    file = Path(module).with_name(f"{name}.toml")
    text = toml(file.read_text("utf-8"), file.name, name)
    return checked(kind, text.values(), file.name, read=text)


def listed(kind: type[T], module: str, name: str) -> tuple[T, ...]:
    """The list that stands, under the file's own name, in the TOML file of this name beside a module."""
    return beside(cast("type[dict[str, tuple[T, ...]]]", dict[str, tuple[kind, ...]]), module, name)[name]  # type: ignore[valid-type]


def names_in(folder: Path) -> list[str]:
    """The names of the files of a folder, without the ending."""
    return sorted(file.stem for file in folder.glob("*.toml"))


def quantity(kind: str) -> Before:
    """A field that files have with its unit, as a number in the unit of `kind` (`s`, `bps`, `bytes`)."""

    def read(found: Any) -> float:
        if not isinstance(found, str):
            raise ValueError(f"expected a text with a unit, such as {_core.quantity_text(kind, 10**12)!r}")
        return _core.quantity(found, kind)[2]

    return Before(read)


def _ratio(found: Any) -> Any:
    if not isinstance(found, str):
        return found
    try:
        return float(Fraction(found))
    except (ValueError, ZeroDivisionError):
        raise ValueError('expected a number, or a ratio such as "1/3"') from None


#: A field that is a number, or a ratio such as `1/30`.
Ratio = Annotated[float, Before(_ratio)]


def _number(found: Any) -> Any:
    if isinstance(found, bool | str):
        raise ValueError("expected a number")
    return found


#: A field that is a number, and no text of one.
Number = Annotated[float, Before(_number)]
Whole = Annotated[int, Before(_number)]


def wrong(file: str, place: str, expected: str, found: object = None, known: Iterable[str] = ()) -> HeadgateError:
    """The error for something in a file.

    >>> print(wrong("paper.toml", "items[0].study", "expected a text", 5))
    paper.toml: items[0].study: found 5; expected a text
    >>> print(wrong("paper.toml", "items[0].pairs[0]", "expected a pair", "G/FC", ["G/FCFS"]))
    paper.toml: items[0].pairs[0]: found "G/FC"; expected a pair. Did you mean "G/FCFS"?
    """
    hint = nearest(str(found), known)
    text = "" if found is None else f"found {_shown(found)}; "
    return HeadgateError(f"{file}: {place + ': ' if place else ''}{text}{expected}{hint and '.' + hint}")


def one_of(file: str, place: str, name: str, known: Iterable[str], what: str) -> None:
    """Raises unless a name is one of those known."""
    names = list(known)
    if name not in names:
        listed = f"expected one of {cut(', '.join(names))}" if names else f"but there is no {what}"
        raise wrong(file, place, f"{listed} ({what})" if names else listed, name, names)


def checked(kind: type[T], data: Any, file: str, place: str = "", read: Toml | None = None) -> T:
    """The form that `data` has; `read` is the text that it comes from, of which an error names the line.

    Raises:
        HeadgateError: it has not; the first thing that is wrong is named.
    """
    from pydantic import ValidationError

    try:
        form: T = _adapter(cast("Hashable", kind)).validate_python(data)
        return form
    except ValidationError as e:
        error = e.errors(include_url=False)[0]
    parts = error["loc"]
    where = place + path_of(parts)
    where = where.removeprefix(".")
    if read is not None and (line := read.line_of(where)):
        file = f"{file}: line {line}"
    if error["type"] == "missing" and isinstance(parts[-1], int):
        raise wrong(file, where.rpartition("[")[0], "expected one entry more")
    if error["type"] == "missing":
        raise wrong(file, where.rpartition(".")[0], f"expected the key `{parts[-1]}`")
    if error["type"] == "unexpected_keyword_argument":
        known = [f.name for f in dataclasses.fields(_at(kind, parts[:-1]))]
        key, table = str(parts[-1]), where.removesuffix(str(parts[-1])).rstrip(".")
        raise wrong(file, table, f"expected keys of {', '.join(known)}", key, known)
    if error["type"] in ("too_short", "too_long"):
        ends = {"too_short": ("at least", "min_length"), "too_long": ("at most", "max_length")}
        word, key = ends[error["type"]]
        raise wrong(file, where, f"expected a list of {word} {error['ctx'][key]}", error["input"])
    if error["type"] == "value_error":
        raise wrong(file, where, str(error["ctx"]["error"]), error["input"])
    expected = _EXPECTED.get(error["type"]) or error["msg"].replace("Input should be ", "").replace("'", '"')
    choices = get_args(_at(kind, parts)) if error["type"] == "literal_error" else ()
    raise wrong(file, where, f"expected {expected}", error["input"], choices)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _shown(value: object) -> str:
    if isinstance(value, str):
        return cut(f'"{value}"')
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a table"
    return "a list" if isinstance(value, list | tuple) else cut(value)


def path_of(parts: tuple[int | str, ...]) -> str:
    """A place such as `.items[0].set."links.slow.rate"`.

    >>> path_of(("items", 0, "set", "links.slow.rate"))
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
