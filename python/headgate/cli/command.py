"""A command is a class: its fields are its arguments and options, its docstring is its help, and `run` does the work.

What a field of a class says of its option: the name, the type, the default, and the help in its metadata. Click reads the words.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache, partial
from pathlib import Path
from typing import Any, ClassVar, dataclass_transform, get_args, get_origin, get_type_hints

import click

from .numbers import Number

#: The key in the metadata of a field.
MADE = "click"
#: The headings of `headgate --help`, in their order; another package may have one of its own, which comes after them.
GROUPS = (
    "Simulate",
    "Compare",
    "Judge a control or a queue",
    "Reproduce papers",
    "Write your own",
    "Look up",
)


def option(help: str, default: Any = None, *flags: str, **more: Any) -> Any:
    """A field that is an option.

    Args:
        help: the sentence that `--help` prints.
        default: its value unless given, which `--help` prints too.
        flags: its names, if it is called otherwise than its field.
        more: `least`, `most` and `above` for a number, `choices`, `complete` for the shell, and what `click.Option` takes.
    """
    return field(default=default, metadata={MADE: partial(_option, {"help": help} | more, default, flags)})


def argument(**more: Any) -> Any:
    """A field that is an argument: required, unless its type has None; many, if that is a tuple. `more` as for an option."""
    return field(default=None, metadata={MADE: partial(_argument, more)})


def gathered(**options: Any) -> Any:
    """A field that has the values of several options by their names, in the order in which they were given."""

    def make(_: str, __: Any) -> list[click.Parameter]:
        return [p for name, one in options.items() for p in one.metadata[MADE](name, type(one.default))]

    return field(default=None, metadata={MADE: make, "gathered": tuple(options)})


def made(*parameters: click.Parameter) -> Any:
    """A field whose parameters click has another way of saying."""
    return field(default=None, metadata={MADE: lambda _, __: list(parameters)})


def _option(more: dict[str, Any], default: Any, flags: tuple[str, ...], name: str, hint: Any) -> list[click.Parameter]:
    more = _typed(hint, more)
    if default is not None and default is not False:
        more = {"default": default, "show_default": default != "" and default is not True} | more
    return [click.Option([*(flags or [f"--{name.replace('_', '-')}"]), name], **more)]


def _argument(more: dict[str, Any], name: str, hint: Any) -> list[click.Parameter]:
    many = get_origin(hint) is tuple
    given = {k: v for k, v in _typed(hint, more).items() if k != "multiple"}
    return [
        click.Argument([name], required=not many and type(None) not in get_args(hint), **given, nargs=-1 if many else 1)
    ]


def _typed(hint: Any, more: dict[str, Any]) -> dict[str, Any]:
    """What click has to know of a type."""
    more = dict(more)
    least, most, above = (more.pop(key, None) for key in ("least", "most", "above"))
    choices, complete = more.pop("choices", None), more.pop("complete", None)
    kinds = [kind for kind in get_args(hint) or [hint] if kind not in (type(None), Ellipsis)]
    many, kind = get_origin(hint) is tuple, kinds[0] if kinds else str
    found: dict[str, Any] = {"multiple": True} if many else {}
    if kind is bool:
        found["is_flag"] = True
    elif choices is not None:
        found["type"] = click.Choice(choices)
    elif kind is int:
        found["type"] = click.IntRange(least, most)
    elif kind is float:
        found["type"] = Number(least if above is None else above, most, min_open=above is not None)
    elif kind is Path:
        found["type"] = click.Path(path_type=Path)
    return found | ({"shell_complete": complete} if complete else {}) | more


@dataclass_transform(kw_only_default=True, field_specifiers=(option, argument, gathered, made))
class Command:
    """A command, which is also an object: `Bench(quick=True).run()`."""

    #: The heading under which `headgate --help` lists it, of `GROUPS`.
    group: ClassVar[str] = ""
    #: The words behind `headgate`, a line each; a line that goes on ends with a backslash.
    examples: ClassVar[str] = ""
    #: What `--help` says before the examples, and above them.
    notes: ClassVar[str] = ""
    heading: ClassVar[str] = ""
    #: The page that shows how it is used.
    page: ClassVar[str] = ""
    #: The question that it answers, if the README lists it by that.
    question: ClassVar[str] = ""
    #: What `--json` prints: a type, or several by when each is printed (`printed.py` says how one declares it).
    prints: ClassVar[Mapping[str, Any]] = {}
    #: Whether it ends within a moment, or answers line by line. Others say how far they are (`terminal.progress`).
    at_once: ClassVar[bool] = False
    #: What reads its words.
    reader: ClassVar[type[click.Command]] = click.Command

    def __init_subclass__(cls) -> None:
        text = cls.__doc__ or ""
        for name, one in vars(cls).items():
            if isinstance(one, Field) and one.default is None:
                one.default = _unless_given(str(cls.__annotations__[name]), one.metadata[MADE])
        dataclass(init=False, eq=False, repr=False, match_args=False, kw_only=True)(cls)
        # The text that a dataclass makes is no help.
        cls.__doc__ = text

    def __init__(self, **given: Any) -> None:
        # As a dataclass has it, which makes code for each class: `headgate --help` loads all of them.
        for one in fields(self):  # type: ignore[arg-type]
            if one.name not in given and one.default is MISSING:
                raise TypeError(f"{type(self).__name__}: {one.name} is missing")
            setattr(self, one.name, given.pop(one.name, one.default))
        if given:
            raise TypeError(f"{type(self).__name__}: found {', '.join(given)}; expected its fields alone")

    def run(self) -> int | None:
        """Does the work; gives the exit code, 0 for None."""
        raise NotImplementedError


def _unless_given(hint: str, make: Any) -> Any:
    """The value of a field that has no default, as click has it; MISSING for one that is required."""
    if hint.startswith("tuple["):
        return ()
    if hint == "bool":
        return False
    if isinstance(make, partial) and (make.args[0].get("required") or (make.func is _argument and "None" not in hint)):
        return MISSING
    return None


def missing(cls: type[Command]) -> list[str]:
    """What a command has to say of itself and does not."""
    said = {"help (a docstring)": cls.__doc__, "group": cls.group, "examples": cls.examples}
    return [name for name, text in said.items() if not (text or "").strip()]


@cache
def _known(text: str) -> Any:
    return eval(text, {"Path": Path, "Any": Any})


def _type_of(one: Field[Any], cls: type[Command]) -> Any:
    """The type of a field. To find those of all commands one by one takes a third of `headgate --help`, and most are alike."""
    if not isinstance(one.type, str):
        return one.type
    try:
        return _known(one.type)
    except NameError:
        return get_type_hints(cls)[one.name]


def to_click(cls: type[Command], name: str) -> click.Command:
    """The command that click calls."""
    own = [f for f in fields(cls) if MADE in f.metadata]  # type: ignore[arg-type]
    several = {f.name: f.metadata["gathered"] for f in own if "gathered" in f.metadata}

    def call(**given: Any) -> int | None:
        for field_name, names in several.items():
            given[field_name] = {n: given.pop(n) for n in list(given) if n in names}
        return cls(**given).run()

    command = cls.reader(
        name,
        callback=call,
        params=[p for f in own for p in f.metadata[MADE](f.name, _type_of(f, cls))],
        help=cls.__doc__,
        epilog=_epilog(cls),
    )
    command.group = cls.group  # type: ignore[attr-defined]
    return command


def line_of(command: Command, name: str, /, **changes: Any) -> str:
    """What a user types for a command with some of its values changed; what has its usual value is left out.

    >>> from .commands.sweep import SweepCommand
    >>> line_of(SweepCommand(file="mine.toml", changes=("duration=9s",), dry_run=True, as_json=True), "sweep", as_json=False, workers=3)
    'headgate sweep mine.toml --workers 3 --set duration=9s --dry-run'
    """
    words = ["headgate", name]
    for one in fields(command):  # type: ignore[arg-type]
        value = changes.get(one.name, getattr(command, one.name))
        if MADE not in one.metadata or "gathered" in one.metadata or value in (None, False, ()) or value == one.default:
            continue
        (parameter,) = one.metadata[MADE](one.name, _type_of(one, type(command)))
        first = [] if isinstance(parameter, click.Argument) else [parameter.opts[0]]
        values = [[]] if value is True else [[str(v)] for v in (value if isinstance(value, tuple) else (value,))]
        words += [word for each in values for word in (*first, *each)]
    return shlex.join(words)


def _epilog(cls: type[Command]) -> str:
    lines = [f"  {line}" for line in cls.examples.strip("\n").splitlines()]
    heading = cls.heading or ("Examples:" if len(lines) > 1 else "Example:")
    return "\n".join([*([f"{cls.notes}\n"] if cls.notes else []), "\b", heading, *lines])
