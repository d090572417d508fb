"""The one reader of subjects: what a command is given as a flow control or a queueing discipline.

A subject is a name of the list, a file in Python, a class of a module, a shared object, a program, or a table. All commands read it here,
so that each takes every kind, or says why it cannot.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import plugins
from ..base.catalogue import LISTS, catalogue
from ..base.commas import closed, split
from ..base.documents import document, parse_value
from ..base.errors import HeadgateError, cut, nearest
from ..base.short_names import other_queues, shorthands
from ..base.toml import put, value_text
from ..plugins import Entry, native, programs, registry

#: The kinds of subjects, as people call them.
WORDS = {"control": "flow control", "discipline": "queueing discipline"}

#: Files with the classes or functions of a subject.
ENDS = (".py", *native.ENDS)

_FILE = re.compile(rf"(.+?(?:{'|'.join(map(re.escape, ENDS))}))(?=[*:]|$)", re.DOTALL)
_MODULE = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)(?=[*:,]|$)")

#: A parameter in the form NAME:KEY=VALUE,...
_PARAMETER = re.compile(r"[\w.]+\s*=")

#: Registers a file or module; gives what it has, `control` or `discipline` by name.
Register = Callable[[Entry], Mapping[str, str]]


@dataclass(frozen=True)
class Scheme:
    """A flow control or a queueing discipline that a user named.

    Attributes:
        name: for people.
        table: as a scenario writes it.
        plugins: what a scenario's key of this name has, for one of the user's own.
        transport: keys of the transport that belong to it.
    """

    name: str
    table: dict[str, Any]
    plugins: tuple[Any, ...] = ()
    transport: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """It in the form NAME:KEY=VALUE,... of lists, once its file is loaded.

        >>> Scheme("cubic", {"kind": "cubic", "beta": 0.8}).text
        'cubic:beta=0.8'
        """
        given = self.table | ({"transport": self.transport} if self.transport else {})
        keys = [f"{key}={value_text(value)}" for key, value in given.items() if key != "kind"]
        return f"{self.table['kind']}{':' if keys else ''}{','.join(keys)}"


def read(
    text: str,
    kind: str,
    *,
    place: str = "NAME",
    name: str = "",
    option: str = "--control",
    parameters: Mapping[str, Any] | None = None,
    register: Register = plugins.take,
) -> Scheme:
    """The flow control (`control`) or queueing discipline (`discipline`) that a text names.

    The forms are: a name of the list, as `cubic`; a file, as `mine.py` or `libmine.so`, and `mine.py:NAME` if it has several; a class of a
    module, as `package.module:Class`; a table in TOML or JSON with `kind`; and a list with a program and its arguments, which stands for
    the flow control `process`. All but tables and lists may have parameters behind them, as `cubic:beta=0.8` and `mine.py:gain=2`.

    Args:
        text: as the user gave it.
        kind: which of both is expected.
        place: begins the text of an error.
        name: which of those in a file.
        option: the option that gives this name.
        parameters: further ones, which go before those in the text.
        register: what makes the names of a file or module known; it is loaded into this process unless given.

    Raises:
        HeadgateError: there is none, or it is of the other kind.

    >>> read("cubic:beta=0.8", "control").table, read('{kind = "fq", delta = "1000B"}', "discipline").table["delta"]
    ({'kind': 'cubic', 'beta': 0.8}, '1000B')
    >>> read('["./mine", "--fast"]', "control").table
    {'kind': 'process', 'command': ['./mine', '--fast']}
    """
    head, rest = divided(text, kind)
    if rest.startswith("*"):
        raise HeadgateError(f"{place}: found {cut(repr(text))}; expected one {WORDS[kind]}, without a number")
    parts = split(rest[1:], place, "KEY=VALUE")
    entries: tuple[Entry, ...] = ()
    table: dict[str, Any]
    if _is_table(head):
        table = _table(head, kind, place)
    elif _is_file(head) or _is_module(head):
        if parts and not _PARAMETER.match(parts[0]):
            if name:
                raise HeadgateError(
                    f"{option}: found {cut(repr(name))} beside {cut(repr(parts[0]))} in {place}; expected one of them"
                )
            name = parts.pop(0)
        entry, found = _loaded(head, place, register)
        entries, table = (entry,), {"kind": _chosen(found, kind, head, name, option, place)}
    else:
        table = {"kind": _named(head, kind, place)}
    if name and not entries:
        raise HeadgateError(f"{option}: found {cut(repr(name))} beside {cut(text)}; expected a file in Python there")
    for part in parts:
        key, sign, value = (word.strip() for word in part.partition("="))
        if not sign:
            raise HeadgateError(f"{place}: found {cut(repr(part))}; expected KEY=VALUE after {cut(head)}:")
        _owned(str(table["kind"]), kind, key, place)
        put(table, key, parse_value(value))
    given = dict(parameters or {})
    if "kind" in given:
        raise HeadgateError(
            f"parameters: found kind, which chooses the {kind}; expected parameters of {cut(table['kind'])} alone"
        )
    transport = table.pop("transport", {})
    if not isinstance(transport, dict):
        raise HeadgateError(f"{place}: transport: found {cut(repr(transport))}; expected a table")
    table |= given
    if table["kind"] == "process" and "command" not in table:
        raise HeadgateError(f'{place}: found process; expected its program, as process:command=["./mine"]')
    programs.take(table)
    return Scheme(str(table["kind"]), table, entries, transport)


def read_all(text: str, *, place: str = "SUBJECT", name: str = "", option: str = "--name") -> list[tuple[str, Scheme]]:
    """All flow controls (`control`) and disciplines (`discipline`) that a text names, each with its kind: of a file those that it has.

    Raises:
        HeadgateError: there is none.
    """
    head, rest = divided(text, "")
    if _is_file(head) or _is_module(head):
        chosen, _, more = rest.removeprefix(":").partition(",")
        if chosen.strip() and not _PARAMETER.match(chosen) and not name:
            name, text = chosen.strip(), f"{head}:{more}" if more else head
        _, found = _loaded(head, place, plugins.take)
        if name and name not in found:
            raise HeadgateError(f"{option}: {_expected(name, list(found))}")
        kinds = [(own, kind) for own, kind in found.items() if name in ("", own)]
    elif _is_table(head):
        table = _parsed(head, place)
        own = str(table.get("kind"))
        kinds = [("", kind) for kind in WORDS if own in catalogue(LISTS[kind]) or (kind, own) == ("control", "process")]
        kinds = kinds or [("", "control")]
    else:
        kinds = [("", kind) for kind in WORDS if head in _known(kind)] or [("", "control")]
    return [(kind, read(text, kind, place=place, name=own, option=option)) for own, kind in kinds]


def several(text: str, place: str) -> list[str]:
    """The subjects of a list between commas: what is no subject is a parameter of the one before.

    Raises:
        HeadgateError: a bracket is not closed, or an entry is empty.

    >>> several('cubic,red:gentle=true,max_p=0.1,{"kind": "fq", "aqm": "codel"}', "--queues")
    ['cubic', 'red:gentle=true,max_p=0.1', '{"kind": "fq", "aqm": "codel"}']
    """
    found: list[str] = []
    for item in split(text, place, "a subject, or KEY=VALUE,"):
        if found and _PARAMETER.match(item):
            found[-1] += f"{',' if ':' in divided(found[-1])[1] else ':'}{item}"
        else:
            found.append(item)
    return found


def spelled(item: str, kind: str, place: str) -> str:
    """An entry of a list with the name of its subject in the place of a file, a module or a table; names stay as they are.

    What stands behind it, a number and parameters, stays.

    Raises:
        HeadgateError: the file cannot be loaded, or is no such subject.

    >>> spelled('{"kind": "cubic", "beta": 0.8}*2:packet=500B', "control", "--flows"), spelled("web*3", "control", "--flows")
    ('cubic*2:beta=0.8,packet=500B', 'web*3')
    """
    head, rest = divided(item, kind)
    if not is_own(head):
        return item
    number, _, keys = rest.partition(":")
    chosen, _, more = keys.partition(",")
    if chosen.strip() and not _PARAMETER.match(chosen.strip()) and not _is_table(head):
        keys = more
    else:
        chosen = ""
    name, _, own = read(f"{head}:{chosen.strip()}" if chosen else head, kind, place=place).text.partition(":")
    keys = ",".join(filter(None, (own, keys.strip())))
    return f"{name}{number.strip()}{':' if keys else ''}{keys}"


def divided(text: str, kind: str = "control") -> tuple[str, str]:
    """What names a subject, and what stands behind it: `*COUNT`, `:KEY=VALUE,...`, or nothing.

    >>> divided("cubic*2:beta=0.8"), divided("./mine.py:gain=2"), divided('{"kind": "fq"}*3')
    (('cubic', '*2:beta=0.8'), ('./mine.py', ':gain=2'), ('{"kind": "fq"}', '*3'))
    >>> divided("json:loads"), divided("cbr:fast"), divided("cubik:beta")
    (('json:loads', ''), ('cbr', ':fast'), ('cubik', ':beta'))
    """
    text = text.strip()
    if _is_table(text):
        end = closed(text) or len(text)
    elif (found := _FILE.match(text)) or ((found := _MODULE.match(text)) and _is_module(found[0])):
        end = found.end()
    else:
        end = next((i for i, sign in enumerate(text) if sign in "*:"), len(text))
    return text[:end].strip(), text[end:].strip()


def is_own(head: str) -> bool:
    """Whether it is no name of a list: a file, a class of a module, a table, or a program.

    >>> is_own("mine.py"), is_own("cubic")
    (True, False)
    """
    return _is_table(head) or _is_file(head) or _is_module(head)


def _is_table(head: str) -> bool:
    return head[:1] in ("{", "[")


def _is_file(head: str) -> bool:
    return head.endswith(ENDS)


def _is_module(head: str) -> bool:
    """Whether it is a class of a module, and no name of a list with its main parameter, as `cbr:fast` is."""
    found = _MODULE.fullmatch(head)
    if found is None:
        return False
    module = found[1]
    if "." in module:
        return True
    listed = (*(_known(kind) for kind in WORDS), shorthands(), catalogue("workloads"))
    if any(module in names for names in listed):
        return False
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


@registry.cached
def _known(kind: str) -> tuple[str, ...]:
    """The names of a list, and short names of its entries."""
    short = (
        other_queues()
        if kind == "discipline"
        else [s.name for s in shorthands().values() if set(s.entry) == {"control"}]
    )
    return (*catalogue(LISTS[kind]), *short)


def _named(name: str, kind: str, place: str) -> str:
    """The kind of a table for a name of the list, or a short one."""
    known = _known(kind)
    if name in known:
        if name in catalogue(LISTS[kind]):
            return name
        return other_queues()[name] if kind == "discipline" else shorthands()[name].kind
    if name == "process" and kind == "control":
        return name
    other = next((k for k in WORDS if k != kind and name in _known(k)), None)
    if other is not None:
        raise HeadgateError(f"{place}: found {name}, which is a {WORDS[other]}; expected a {WORDS[kind]}")
    program = "" if kind == "discipline" else ', a program such as ["./mine"]'
    raise HeadgateError(
        f"{place}: found {cut(repr(name))}; expected a {WORDS[kind]}: a name of `headgate list {LISTS[kind]}`, a file such as mine.py, "
        f"module:Class{program}, or a table with `kind`.{nearest(name, known)}"
    )


def _parsed(head: str, place: str) -> dict[str, Any]:
    """A table in JSON or TOML; a list is the command of a program."""
    expected = 'a table with `kind`, such as {kind = "cubic"}'
    try:
        value = document(head, place, expected, "JSON")
    except HeadgateError as e:
        if "too deep" in str(e):
            raise
        value = document(f"x = {head}", f"{place}: {cut(head)}", expected, "TOML or JSON")["x"]
    if isinstance(value, list):
        if not value or not all(isinstance(part, str) for part in value):
            raise HeadgateError(
                f'{place}: found {cut(head)}; expected a program and its arguments, such as ["./mine", "--fast"]'
            )
        return {"kind": "process", "command": value}
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        raise HeadgateError(f"{place}: found {cut(head)}; expected {expected}")
    return value


def _table(head: str, kind: str, place: str) -> dict[str, Any]:
    table = _parsed(head, place)
    if table["kind"] == "process" and kind == "discipline":
        raise HeadgateError(
            f"{place}: found a program; expected a queueing discipline: only flow controls run as programs of their own"
        )
    table["kind"] = _named(str(table["kind"]), kind, place)
    return table


def _loaded(head: str, place: str, register: Register) -> tuple[Entry, Mapping[str, str]]:
    """What a scenario has of a file or a module, and the names that it registers."""
    if registry.is_sealed():
        # Not even whether there is such a file is said to those who send requests.
        raise HeadgateError(
            f"{place}: found {cut(head)}, which was not loaded at the start; expected --plugin {cut(head)} there, and its name here"
        )
    try:
        (entry,) = plugins.filled_from(head)
        return entry, register(entry)
    except HeadgateError as e:
        raise HeadgateError(f"{place}: {str(e).removeprefix('plugin: ').removeprefix('plugins[0]: ')}") from None


def _chosen(found: Mapping[str, str], kind: str, head: str, name: str, option: str, place: str) -> str:
    """Which of those that a file has."""
    names = [own for own, what in found.items() if what == kind]
    if not names:
        others = " and ".join(f"the {WORDS[what]} {own}" for own, what in found.items())
        why = ": a shared object has a flow control" if head.endswith(native.ENDS) and kind == "discipline" else ""
        raise HeadgateError(f"{place}: {cut(head)} has {cut(others)}; expected a {WORDS[kind]}{why}")
    if name and name not in names:
        raise HeadgateError(f"{option}: {_expected(name, names)}")
    if not name and len(names) != 1:
        raise HeadgateError(
            f"{place}: {cut(head)} has {len(names)} of the kind {WORDS[kind]}; expected {option} with one of {', '.join(names)}, or "
            f"{cut(head)}:{names[0]}"
        )
    return name or names[0]


def _expected(name: str, known: list[str]) -> str:
    return f"found {cut(repr(name))}; expected one of {', '.join(known)}.{nearest(name, known)}"


def _owned(own: str, kind: str, key: str, place: str) -> None:
    """Whether a key is a parameter."""
    first = key.partition(".")[0]
    if first == "transport" and kind == "control":
        return
    if own == "process":
        programs.ensure({"kind": "process"})
    names = [p.name for p in catalogue(LISTS[kind])[own].parameters]
    if first not in names:
        raise HeadgateError(
            f"{place}: {own}: {_expected(key, names) if names else f'found {cut(repr(key))}; it has no parameters'}"
        )
