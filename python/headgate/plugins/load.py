"""Loading of plugins: files and modules in Python that a scenario or an option names.

A scenario holds the contents of its plugins, so that workers, other machines and stored results need no file.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import linecache
import os
import types
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..base.errors import HeadgateError, cut, nearest
from ..base.folders import resolved, within
from ..base.text import decoded
from ..base.walks import texts
from . import calls, guard, native, registry, trust

#: Maximum length of a file in bytes, and of all files of a scenario.
LONGEST = 1_000_000

#: One plugin as a scenario has it: a name, or a name with the contents of the file.
Entry = str | dict[str, str]

#: The files that were loaded, by their keys.
_files: dict[str, registry.File] = {}

#: Of the names of plugins that `load` loaded, the entries of their files.
_given: dict[str, Entry] = {}


def filled(entries: Any, folder: Path, where: str, allowed: Iterable[str | os.PathLike[str]] = ()) -> list[Entry]:
    """The plugins of a scenario file with the contents of their files.

    Args:
        entries: as the scenario has them.
        folder: that of the scenario, in which the files are.
        where: begins the text of an error.
        allowed: further folders in which files may be.

    Raises:
        HeadgateError: a file is elsewhere or cannot be read, or an entry is none.
    """
    if not isinstance(entries, list):
        raise HeadgateError(f'{where}plugins: expected a list of files and modules, such as ["mine.py"]')
    folders = resolved(folder, allowed)
    out: list[Entry] = []
    for i, entry in enumerate(entries):
        place = f"{where}plugins[{i}]"
        if isinstance(entry, str) and entry.endswith((".py", *native.ENDS)):
            file = within(folder, entry, folders, place)
            out.append(_contents(file, entry, place))
        else:
            out.append(_plain(entry, place))
    return out


def _contents(file: Path, name: str, place: str) -> dict[str, str]:
    """What a scenario has of a file."""
    if name.endswith(native.ENDS):
        return native.entry_of(file, name, place)
    return {"name": name, "source": _source(file, place)}


def _plain(entry: Any, place: str) -> Entry:
    """An entry that is complete."""
    if isinstance(entry, dict) and set(entry) == {"name", "source"} and all(isinstance(v, str) for v in entry.values()):
        return dict(entry)
    if (
        isinstance(entry, str)
        and ":" in entry
        and all(part.isidentifier() for part in entry.replace(":", ".").split("."))
    ):
        return entry
    raise HeadgateError(f"{place}: found {cut(repr(entry))}; expected a file such as mine.py, or module:Class")


def _source(file: Path, place: str) -> str:
    try:
        if file.stat().st_size > LONGEST:
            raise HeadgateError(f"{place}: {cut(file)}: expected a file of at most {LONGEST // 1000} KB")
        return decoded(file.read_bytes(), f"{place}: {cut(file)}")
    except OSError as e:
        raise HeadgateError(f"{place}: {cut(file)}: expected a file of Python; {e.strerror or e}") from None


def load(*files: str | os.PathLike[str]) -> list[Entry]:
    """Loads plugins: files in Python, or `module:Class`. Gives them as a scenario's `plugins` has them.

    Their code may run from then on, in scenarios too: whoever names a file here means it.

    Raises:
        HeadgateError: a file cannot be read, or what stands in it is wrong.
    """
    entries = filled_from(*files)
    for entry in entries:
        take(entry)
    return entries


def take(entry: Entry) -> dict[str, str]:
    """Loads one entry of `plugins`; gives its names, each with `control` or `discipline`. Scenarios that name one have the entry.

    Raises:
        HeadgateError: what stands in it is wrong.
    """
    ensure([entry])
    _given.update(dict.fromkeys(_files[_key(entry)].plugins, entry))
    return kinds([entry])


def filled_from(*files: str | os.PathLike[str]) -> list[Entry]:
    """Files and modules as a scenario's `plugins` has them. Nothing is run, but it may be from then on: the user named it.

    Raises:
        HeadgateError: a file cannot be read, or is none in Python; or a request named it, and it is not allowed.
    """
    entries: list[Entry] = []
    for given in files:
        name = os.fspath(given)
        if ":" in name and not name.endswith(".py"):
            entries.append(_plain(name, "plugin"))
        elif name.endswith((".py", *native.ENDS)):
            file = trust.named(Path(name), "plugin")
            entries.append(_contents(file, file.name, "plugin"))
        else:
            # Whatever else it is would be run.
            raise HeadgateError(
                f"plugin: found {cut(name)}; expected a file in Python such as mine.py, or module:Class"
            )
    trust.allow(trust.of_entry(entry, "plugin") for entry in entries)
    return entries


def kinds(entries: Sequence[Entry]) -> dict[str, str]:
    """The names that loaded plugins have registered, each with `control` or `discipline`."""
    found: dict[str, str] = {}
    for entry in entries:
        found |= _files[_key(entry)].kinds
    return found


def example(name: str) -> Path:
    """The file of an example: `aimd`, `cubic`, `codel` or `pid`.

    Raises:
        HeadgateError: there is no such example.
    """
    folder = Path(__file__).parent / "examples"
    known = sorted(file.stem for file in folder.glob("*.py"))
    if name not in known:
        raise HeadgateError(f"example {cut(repr(name))}; expected one of {', '.join(known)}.{nearest(name, known)}")
    return folder / f"{name}.py"


def used(data: Any) -> list[Entry]:
    """The plugins given to `load` that a scenario names anywhere, as its `plugins` has them."""
    named = set(texts(data)) if _given else set()
    found = [entry for name, entry in _given.items() if name in named]
    return [entry for i, entry in enumerate(found) if entry not in found[:i]]


def ensure(entries: Sequence[Entry] | None, where: str = "") -> None:
    """Registers plugins, unless they are registered.

    Raises:
        CodeError: one is not allowed to run.
        HeadgateError: what stands in one is wrong, or it registers nothing.
    """
    for i, entry in enumerate(entries or ()):
        place = f"{where}plugins[{i}]"
        entry = _plain(entry, place)
        key = _key(entry)
        file = _files.get(key)
        if file is None:
            if registry.is_sealed():
                name = entry if isinstance(entry, str) else entry["name"]
                raise HeadgateError(
                    f"{place}: found {cut(name)}, which was not loaded at the start; expected --plugin {cut(name)} there"
                )
            if not (code := trust.of_entry(entry, place)).allowed:
                raise trust.CodeError(where, [code])
            file = _read(entry, key, place)
            _files[key] = file
        registry.again(file)


def _key(entry: Entry) -> str:
    return entry if isinstance(entry, str) else hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()


def ensure_allowed(entries: Sequence[Entry] | None, where: str = "") -> None:
    """As `ensure`, of those that may run; where no further code is loaded, the others are an error unless they are only shown."""
    for i, entry in enumerate(entries or ()):
        place = f"{where}plugins[{i}]"
        code = trust.of_entry(_plain(entry, place), place)
        if code.allowed or (registry.is_sealed() and not trust.shown(code.digest)):
            ensure([entry], where)


def ensure_given(entries: Sequence[Entry]) -> None:
    """As `ensure`, for a worker: they may run, since what started the worker has asked before."""
    trust.allow(trust.of_entry(entry, "plugins") for entry in entries)
    ensure(entries)


def ensure_text(text: str) -> None:
    """As `ensure_given`, with the plugins of a scenario in JSON; and the flow control `process` if it names it."""
    if '"plugins"' in text or '"process"' in text:
        from . import programs

        data = json.loads(text)
        trust.allow(trust.codes(data))
        ensure(data.get("plugins"))
        programs.ensure(data)


def _read(entry: Entry, key: str, place: str) -> registry.File:
    if isinstance(entry, str):
        return _module(entry, key, place)
    name = entry["name"]
    file = registry.File(name, key)
    if name.endswith(native.ENDS):
        with registry.reading(file):
            native.load(entry, place)
        return file
    source = entry["source"]
    # Tracebacks show its lines, also where the file is not.
    shown = f"{name}"
    linecache.cache[shown] = (len(source), None, source.splitlines(keepends=True), shown)
    module = types.ModuleType(f"headgate_plugin_{key[:12]}")
    module.__dict__.update(__file__=shown, __builtins__=guard.builtins(shown))
    try:
        code = compile(source, shown, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as e:
        line = getattr(e, "lineno", None)
        raise HeadgateError(
            f"{place}: {cut(name)}{f', line {line}' if line else ''}: expected Python; {cut(e)}"
        ) from None
    # Its classes find their module by name, as dataclasses do.
    import sys

    sys.modules[module.__name__] = module
    _run(lambda: exec(code, module.__dict__), file, f"{place}: {cut(name)}", shown)
    return file


def _module(entry: str, key: str, place: str) -> registry.File:
    name, attribute = entry.split(":", 1)
    file = registry.File(entry, key)

    def work() -> None:
        module = importlib.import_module(name)
        if not hasattr(module, attribute):
            raise HeadgateError(f"expected a module that has {cut(attribute)}")
        registry.of_class(getattr(module, attribute), file)

    _run(work, file, f"{place}: {cut(entry)}", name)
    return file


def _run(work: Any, file: registry.File, place: str, shown: str) -> None:
    try:
        with registry.reading(file), calls.loading():
            work()
    except HeadgateError as e:
        raise HeadgateError(f"{place}: {e}") from None
    except (Exception, SystemExit) as e:
        line = calls.last_line(e, shown)
        raise HeadgateError(f"{place}{line}: expected a file that can be loaded; {type(e).__name__}: {cut(e)}") from e
    if not file.kinds:
        raise HeadgateError(f"{place}: expected @headgate.control(...) or @headgate.discipline(...) at a class")


def forget(*names: str) -> None:
    """Removes plugins by their names; scenarios that name them are wrong again."""
    for name in names:
        registry.remove(name)
        _given.pop(name, None)


def unload() -> None:
    """Removes all plugins. What was allowed to run still is."""
    forget(*registry.names())
    _files.clear()
    _given.clear()
