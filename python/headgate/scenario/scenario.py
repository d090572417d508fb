"""Scenarios: networks and flows to simulate, from a file, a dictionary or another scenario with some values changed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from .. import _core
from ..base.documents import Toml, document, toml
from ..base.errors import HeadgateError, cut, placed
from ..base.notebook import MOST, heading, table
from ..base.programs import commands
from ..base.resolved import Resolved
from ..base.text import decoded
from . import files
from .code import Coded
from .paths import assign as assign
from .paths import copied
from .plain import require_plain

if TYPE_CHECKING:
    from ..base.parallel import Progress
    from ..results.results import Results

T = TypeVar("T")

#: Maximum length of a scenario file in bytes.
LONGEST = 8_000_000


class Scenario(Coded):
    """A scenario as its file has it; it is checked and its defaults are filled in when it is resolved or run.

    Short names of flows, such as `workload = "web"`, are spelled out (`headgate list short-names`).

    Its keys are those of a scenario file:

    - `name`, `description`: a title, and what the scenario shows
    - `plugins`: files in Python with flow controls and disciplines of one's own
    - `duration`, `warm_up`, `interval`, `seed`: the simulated time, the part of it that is measured, and the seed of the random numbers
    - `nodes`, `links`, `islands`, `routing`: the network; or `topology`, a network in one table
    - `hosts`: what all hosts have in common, such as their `noise`
    - `flows`: sources and sinks, with `workload` and `control`
    - `events`: changes of the network during the run
    - `traces`: quantities that are recorded over time
    - `sweep`: the axes of a study

    The reference, docs/reference/scenario.md, describes each key. From Python, `headgate.schema()` is the JSON Schema of these keys, and
    `headgate.catalogue("disciplines")` lists what `queue` can name; `flow-controls`, `workloads`, `topologies` and others likewise.

    >>> import headgate
    >>> headgate.example("game").set("duration", "10s")
    Scenario(a game beside a download: 10s, topology dumbbell, flows game, download)
    """

    def __init__(self, data: Mapping[str, Any], origin: str = "", allow_code: bool = False) -> None:
        """Takes the contents of a scenario file.

        Args:
            data: the contents.
            origin: names the file in errors.
            allow_code: whether a run may run the plugins and programs that the scenario names. Otherwise that is an error, unless
                `headgate.plugins.load` or `headgate.plugins.allow_program` was given them, or the user has trusted the file
                (`headgate trust`).

        Raises:
            HeadgateError: tables or lists lie too deep in each other.
        """
        super().__init__(allow_code)
        self.origin = origin
        #: The TOML file as it was read, and what `headgate run --set` changed: the places with the option's text.
        self._file: Toml | None = None
        self._options: dict[str, str] = {}
        self.data: dict[str, Any] = copied(dict(data), self._where())
        _core.spell_out(self.data.get("flows"))

    def __repr__(self) -> str:
        return f"Scenario({cut(self._name())}: {', '.join(cut(part) for part in self._parts()) or 'empty'})"

    def _repr_html_(self) -> str:
        first = heading(self._name(), ", ".join(self._parts()))
        rows = [
            (key, cut(json.dumps(value, default=str)))
            for key, value in self.data.items()
            if not isinstance(value, list)
        ]
        for key, entries in self.data.items():
            if isinstance(entries, list):
                rows += [
                    (f"{key}[{i}]", json.dumps(entry, default=str)[:300]) for i, entry in enumerate(entries[:MOST])
                ]
                rows += [(key, f"and {len(entries) - MOST} more")] if len(entries) > MOST else []
        return first + table(("key", "value"), rows, len(rows), most=len(rows))

    def _name(self) -> str:
        return str(self.data.get("name") or self.origin or "scenario")

    def _parts(self) -> list[str]:
        """The parts of the scenario, as far as data that may be wrong shows them."""
        parts = [str(self.data["duration"])] if "duration" in self.data else []
        topology = self.data.get("topology")
        if topology is not None:
            parts.append(f"topology {topology.get('kind') if isinstance(topology, dict) else topology}")
        for key in ("nodes", "links", "flows"):
            entries = self.data.get(key)
            if isinstance(entries, list):
                names = [str(e.get("name", "?")) if isinstance(e, dict) else "?" for e in entries]
                parts.append(f"{key} {', '.join(names)}" if len(names) <= 5 else f"{len(names)} {key}")
        if "sweep" in self.data:
            parts.append("a study")
        return parts

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], allow_code: bool = False) -> Scenario:
        """A scenario from the contents of a file, checked at once, without its code; `allow_code` as for `Scenario`.

        Raises:
            ScenarioError: something in it is wrong; the error names the place, what was found and what was expected.
            HeadgateError: it holds what no file may hold.

        >>> Scenario.from_dict({"duration": "10 sec"})
        Traceback (most recent call last):
        headgate._core.ScenarioError: duration: found "10 sec"; expected a duration ... (did you mean `10s`?)
        """
        scenario = cls(data, allow_code=allow_code)
        table = scenario.data.get("sweep")
        if table is None:
            scenario.resolve()
        else:
            require_plain(scenario.data, scenario._where())
            scenario._checked(lambda: _core.check_sweep(json.dumps(table)))
        return scenario

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        allow_files: Iterable[str | os.PathLike[str]] = (),
        allow_code: bool = False,
    ) -> Scenario:
        """Reads a scenario file: JSON if its name ends so, TOML otherwise; and the files of points and rate traces that it names.

        Args:
            path: of the file.
            allow_files: folders besides that of the scenario in which the files that it names may lie, and files.
            allow_code: whether a run may run the code that it names, as for `Scenario`. To read a file runs nothing of it.

        Raises:
            HeadgateError: a file cannot be read or is too long, or it is no TOML or JSON.
        """
        file = Path(path)
        text = _read(file)
        known = toml(text, str(file), "a scenario") if file.suffix != ".json" else None
        data = known.values() if known else document(text, str(file), "a scenario", "JSON")
        if not isinstance(data, dict):
            raise HeadgateError(f"{file}: expected a table of settings, found {type(data).__name__}")
        scenario = cls(data, str(file), allow_code)
        scenario._file = known
        allow_files = list(allow_files)
        files.fill(scenario.data, file.parent, scenario._where(), allow_files)
        if "plugins" in scenario.data:
            from .. import plugins

            found = plugins.filled(scenario.data["plugins"], file.parent, scenario._where(), allow_files)
            scenario.data["plugins"] = found
        scenario._read_code(text)
        return scenario

    def set(self, path: str, value: Any) -> Scenario:
        """A copy with one value changed.

        `path` names it as in `links.slow.queue.kind`: entries of nodes, links and flows are given by their name or position, and
        `*` means all of them, `ftp*` those whose names begin so. A path may end in a key that is not there yet.

        The value is checked at once. What it makes wrong elsewhere, which a further change may mend, is found when the scenario is
        resolved or run.

        Raises:
            HeadgateError: the path names no entry, or leads through a value that is no table.
            ScenarioError: the key or the value is wrong.

        >>> Scenario({"duration": "10s"}).set("duration", "20s").data
        {'duration': '20s'}
        """
        changed = self._with(self.data)
        places = assign(changed.data, path, value, f"{self._where()}cannot set {cut(repr(path))}")
        changed._refuse(places)
        return changed

    def put(self, path: str, value: Any) -> Scenario:
        """As `set`, without the check: for a value that is known to be good, or is to be checked with others.

        Raises:
            HeadgateError: as for `set`, of the path.
        """
        changed = self._with(self.data)
        assign(changed.data, path, value, f"{self._where()}cannot set {cut(repr(path))}")
        return changed

    def _refuse(self, places: list[str]) -> None:
        """Raises what is wrong at these places, or within them."""
        base = self.base()
        base._file, base._options = None, {}
        base.asked(lambda text: _core.check_at(text, places))

    def set_option(self, option: str, path: str, value: Any) -> Scenario:
        """As `set`, for an option of a command such as `--set links.slow.rate=1Mbit/s`: its errors name the option.

        Code that the option names is the user's own word, and may run.

        Raises:
            HeadgateError: as for `set`.
        """
        changed = self._with(self.data)
        for place in assign(changed.data, path, value, cut(option)):
            changed._options[place] = cut(option)
        if "plugins" in path or next(commands({path: value}), None) is not None:
            changed._allow_new(self)
        return changed

    def _with(self, data: Mapping[str, Any]) -> Scenario:
        copy = self.derived(data)
        copy._file, copy._options = self._file, dict(self._options)
        return copy

    def derived(self, data: Mapping[str, Any]) -> Scenario:
        """A scenario with other contents that were made of this one's, whose code may run if this one's may."""
        copy = Scenario(data, self.origin)
        copy._trusted_as(self)
        return copy

    def base(self) -> Scenario:
        """A copy without the `sweep` table: the scenario that a study file varies."""
        return self._with({k: v for k, v in self.data.items() if k != "sweep"})

    def to_json(self) -> str:
        """The scenario as JSON text.

        Raises:
            HeadgateError: it holds a value that JSON does not know, such as a date or an infinite number.
        """
        require_plain(self.data, self._where())
        self.load_plugins()
        return json.dumps(self.data)

    def resolve(self) -> Resolved:
        """The scenario checked, with counts expanded and every default filled in.

        Its code is not run unless it was allowed to: then the parameters of its plugins stay as they are written (`unread` says so).

        Raises:
            ScenarioError: something in it is wrong; the error names the place, what was found and what was expected.
        """
        resolved = self.asked(_core.Resolved)
        return Resolved(json.loads(resolved.text()), resolved)

    def asked(self, question: Callable[[str], T]) -> T:
        """What the engine answers to a question, which gets the scenario as JSON text.

        Code of the scenario is not run unless it was allowed to.

        Raises:
            ScenarioError: the engine says what is wrong; the error names the file too, and the line or the option.
        """
        with self.looking():
            return self._checked(lambda: question(self.to_json()))

    def run(
        self,
        seed: int | None = None,
        replications: int = 1,
        threads: int | None = None,
        progress: Progress | None = None,
        max_memory: str | int | None = None,
        out: str | os.PathLike[str] | None = None,
        format: str = "csv",
    ) -> Results:
        """Runs the scenario.

        Args:
            seed: of all random streams; the scenario's own unless given.
            replications: independent runs; replication k draws its random numbers from streams (seed, k).
            threads: how many runs at a time; all processors unless given. Results do not depend on it.
            progress: called with (share done, runs completed, runs in all).
            max_memory: bytes, or a size such as "4GB", that all runs at a time may take together; three quarters of the machine's
                unless given.
            out: a folder for the tables and the manifest, as by `Results.save`. The rows of the tables that grow with a run (intervals,
                gauges, completions) then wait on the disk beside it, not in memory.
            format: of the tables: csv, json or parquet.

        Raises:
            ScenarioError: something in the scenario is wrong, or a run took more memory than it may.
            CodeError: it names code that was not allowed to run.
            HeadgateError: fewer than one replication, a seed that is no unsigned 64-bit number, or a folder that cannot be written.
        """
        if replications < 1:
            raise HeadgateError(f"replications {replications}; expected at least 1")
        if seed is not None and not 0 <= seed < 2**64:
            raise HeadgateError(f"seed {seed}; expected a whole number from 0 to {2**64 - 1}")
        # Loaded here: to check a scenario takes neither numpy nor threads.
        from ..base.parallel import run_all

        self.require_code()
        text = self.to_json()
        jobs = [(text, seed, k) for k in range(replications)]
        spool = None
        if out is not None:
            from ..base.atomic import require_folder
            from ..results.spool import Spool
            from ..results.tables import require

            require(format)
            require_folder(out, "out")
            spool = Spool(Path(out))
        on_rows = None if spool is None else spool.add
        runs = self._checked(
            lambda: run_all(jobs, lambda _, result: result, threads, progress, max_memory, on_rows, _results)
        )
        results = _results()(runs, spool)
        if out is not None:
            results.save(out, format)
        return results

    def _checked(self, action: Callable[[], T]) -> T:
        """Calls a function and puts the file's name, the line or the option before the text of a scenario error."""
        try:
            return action()
        except _core.ScenarioError as e:
            raise placed(e, self.origin, self._file, self._options) from None


def _results() -> type[Results]:
    """The class, whose libraries take as long to load as a short run."""
    from ..results.results import Results

    return Results


def _read(file: Path) -> str:
    try:
        if file.is_dir():
            raise HeadgateError(f"{file}: expected a scenario file, found a directory")
        with file.open("rb") as f:
            raw = f.read(LONGEST + 1)
    except OSError as e:
        raise HeadgateError(f"{file}: expected a scenario file; {e.strerror or e}") from None
    if len(raw) > LONGEST:
        raise HeadgateError(
            f"{file}: expected a scenario file of at most {LONGEST // 1_000_000} MB, found a longer one"
        )
    return decoded(raw, str(file))
