"""The study as a user writes it: a scenario, its axes, and the number of runs of each variant."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from .. import __version__, _core
from ..base.atomic import require_folder
from ..base.errors import HeadgateError, cut, nearest, wrong
from ..base.memory import share
from ..base.parts import Share, read_part
from ..scenario.plain import require_plain
from ..scenario.scenario import Scenario
from . import rows
from .arrow import pyarrow
from .axes import Axis, Variants, read_axes, refuse
from .checksums import FORMAT
from .driver import Driver, Interrupted, Progress, failures, interrupts
from .engines import ENGINES, Dask, Engine, Local
from .parts import begin, mark_done
from .plan import Fixed, Plan, Until
from .resumption import same_study
from .store import TABLES, Store
from .study import Study, axis_columns
from .texts import Texts
from .variants import Check, check_variants
from .worker_values import Watched


class Sweep:
    """A scenario with what varies in it.

    >>> import headgate
    >>> base = headgate.Scenario.from_file("scenarios/two-sources.toml")
    >>> sweep = headgate.Sweep(base, {"links.slow.queue.kind": ["fcfs", "fq"], "links.slow.delay": "1ms ... 100ms log 3"})
    >>> len(sweep.variants()), sweep.variants()[1]
    (6, {'queue': 'fcfs', 'delay': '10ms', 'delay_s': 0.01})
    """

    def __init__(
        self,
        scenario: Scenario,
        axes: Mapping[str, Any] | None = None,
        *,
        zip: Sequence[Mapping[str, Any]] = (),
        cases: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
        replications: int | None = None,
        seed: int | None = None,
        stop: Mapping[str, Any] | None = None,
    ) -> None:
        """Takes the scenario and the entries of a `sweep` table; one that the scenario's file has is replaced.

        Raises:
            ScenarioError: an entry is wrong; the error names the place.
        """
        given = {"replications": replications, "seed": seed, "axes": axes, "zip": list(zip) or None, "cases": cases}
        table = {k: v for k, v in {**given, "stop": stop}.items() if v is not None}
        self._prepare(scenario.base(), table if table else {"replications": 1})

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        allow_files: Iterable[str | os.PathLike[str]] = (),
        allow_code: bool = False,
    ) -> Sweep:
        """Reads a scenario file with a `sweep` table; `allow_files` and `allow_code` as for `Scenario.from_file`.

        Raises:
            HeadgateError: the file cannot be read or has no such table.
            ScenarioError: something in the table is wrong; the error names the place.
        """
        return cls.of(Scenario.from_file(path, allow_files, allow_code))

    @classmethod
    def of(cls, scenario: Scenario) -> Sweep:
        """The study that a scenario with a `sweep` table describes.

        Raises:
            ScenarioError: it has no such table, or something in the table is wrong; the error names the place.
        """
        table = scenario.data.get("sweep")
        if table is None:
            raise wrong("sweep", "expected a table of what varies", origin=scenario.origin)
        sweep = cls.__new__(cls)
        sweep._prepare(scenario.base(), table)
        return sweep

    def set(self, path: str, value: Any) -> Sweep:
        """A copy with one value of the scenario, or of the table (`sweep.replications`), changed, as by `Scenario.set`."""
        return Sweep.of(self.whole().set(path, value))

    def set_option(self, option: str, path: str, value: Any) -> Sweep:
        """As `set`, for an option of a command such as `--set sweep.replications=3`: its errors name the option."""
        return Sweep.of(self.whole().set_option(option, path, value))

    def whole(self) -> Scenario:
        """The scenario with the table, as the file has it."""
        return self.scenario._with({**self.scenario.data, "sweep": self.table})

    def _prepare(self, scenario: Scenario, table: Any) -> None:
        self.scenario, self.table = scenario, table
        origin = scenario.origin
        require_plain({"sweep": table}, f"{origin}: " if origin else "")
        text = json.dumps(table)
        self._checked: dict[str, Any] = json.loads(scenario._checked(lambda: _core.check_sweep(text)))
        cases = [point for points in self._checked["cases"].values() for point in points.values()]
        refuse(
            [*self._checked["axes"], *(path for zipped in (*self._checked["zip"], *cases) for path in zipped)], origin
        )
        self.axes: list[Axis] = read_axes(table, self._checked, rows.reserved(), origin)
        # What only a point of an axis names is given to all workers, too.
        scenario.take_plugins(table)
        self._variants = Variants(scenario.data, self.axes, origin)
        self.replications: int = self._checked["replications"] or 1
        self._metric = _metric(self._checked["stop"], origin)

    def variants(self) -> list[dict[str, Any]]:
        """The variants, in order, as the columns of their axes; the last axis varies fastest."""
        return [self._variants.cells(v) for v in range(len(self._variants))]

    def variant(self, number: int) -> Scenario:
        """The scenario of a variant."""
        return self.scenario.derived(self._variants.data(number))

    def describe(self, number: int) -> str:
        """A variant in words: `rate = 400kbit/s, queue = fq`."""
        return self._variants.describe(number)

    @property
    def stops(self) -> bool:
        """Whether a stopping rule decides how often a variant is run."""
        return self._metric is not None

    @cached_property
    def seed(self) -> int:
        """Seed of all random streams."""
        seed = self._checked["seed"]
        return int(self.scenario.data.get("seed", 1) if seed is None else seed)

    @property
    def least_runs(self) -> int:
        """Runs in all; with a stopping rule, the fewest."""
        return len(self._variants) * self._least

    @property
    def _least(self) -> int:
        """Runs of each variant; with a stopping rule, the fewest."""
        stop = self._checked["stop"]
        return int(stop["least"]) if stop else self.replications

    @cached_property
    def _texts(self) -> Texts:
        return Texts(self._variants)

    def check(self) -> list[Check]:
        """Checks every variant before anything is run.

        Raises:
            ScenarioError: a value of an axis, or every variant, makes no valid scenario, or two variants are the same scenario.
        """
        return check_variants(self.scenario, self._variants)

    def run(
        self,
        out: str | os.PathLike[str] | None = None,
        workers: int | None = None,
        engine: str = "local",
        address: str | None = None,
        resume: bool = False,
        progress: Progress | None = None,
        max_memory: str | int | None = None,
        part: str | Share | None = None,
    ) -> Study:
        """Runs the study.

        Results depend neither on the engine nor on the number of workers, nor on whether `gather` joins them from parts.

        Args:
            out: folder to store it in; a temporary one, which is removed with the result, unless given.
            workers: processes; as many as there are processors unless given. A cluster at an address has its own.
            engine: `local` (processes of this machine) or `dask`.
            address: of a Dask scheduler; without one, `dask` starts a cluster on this machine.
            resume: continue the study in the folder, if there is one: finished runs are not repeated, failed ones are.
            progress: called with (runs done, runs in all as far as is known, runs that failed).
            max_memory: bytes, or a size such as "4GB", that the runs of all workers may take together; three quarters of each
                worker's machine unless given. A run that takes more than its part has failed.
            part: make only this part of the runs, such as "3/64"; `headgate.gather` joins the folders of all parts. With a stopping
                rule, parts make the fewest runs, and the study in the joined folder is continued with `resume`.

        Raises:
            ScenarioError: a value of an axis makes no valid scenario.
            CodeError: the study names code that was not allowed to run.
            HeadgateError: the folder holds another study, or cannot be written.
            KeyboardInterrupt: Ctrl-C or SIGTERM; finished runs are stored.
        """
        if engine not in ENGINES:
            raise HeadgateError(
                f"engine {cut(repr(engine))}; expected one of {', '.join(ENGINES)}{nearest(engine, ENGINES)}"
            )
        if address is not None and engine != "dask":
            raise HeadgateError(f"address {cut(address)}: expected engine dask beside it, found {engine}")
        if workers is not None and workers < 1:
            raise HeadgateError(f"workers {workers}; expected at least 1")
        most = None if max_memory is None else share(max_memory, 1)
        if isinstance(part, str):
            part = read_part(part, "part")
        if part is not None and out is None:
            raise HeadgateError(f"part {part}: expected a folder for it beside it")
        self.whole().require_code()
        store = Store(tempfile.mkdtemp(prefix="headgate-") if out is None else out)
        try:
            start = partial(_engine, engine, address, workers)
            return self._run(store, start, resume, progress, most, part, temporary=out is None)
        except BaseException:
            if out is None:
                shutil.rmtree(store.folder, ignore_errors=True)
            raise

    def _run(
        self,
        store: Store,
        start: Callable[[], Engine],
        resume: bool,
        progress: Progress | None,
        most: int | None,
        part: Share | None,
        temporary: bool,
    ) -> Study:
        self._meet(store, resume, part)
        checks = self.check()
        with interrupts(_report) as stopped:
            try:
                finished = self._work(store, checks, start, stopped, progress, most, part)
            finally:
                store.close()
            if not finished or stopped():
                raise Interrupted(stopped())
        return Study(store.folder, temporary)

    def _meet(self, store: Store, resume: bool, part: Share | None) -> None:
        """Checks the contents of the folder before long work."""
        if re.search("[\ud800-\udfff]", str(store.folder)):
            # The library that reads tables takes no other names.
            raise HeadgateError(f"study {str(store.folder)!a}: expected the name of a folder in UTF-8")
        require_folder(store.folder, "study")
        if store.exists:
            if not resume:
                raise HeadgateError(
                    f"{store.folder}: holds a study already; expected --resume to continue it, or another folder"
                )
            same_study(store.open(mend=True), self._manifest(part))
        elif store.folder.is_dir() and any(
            f.name != ".lock" and not f.name.startswith(".manifest") for f in store.folder.iterdir()
        ):
            raise HeadgateError(f"{store.folder}: expected an empty or absent folder, or that of a study")

    def _manifest(self, part: Share | None = None) -> dict[str, Any]:
        manifest = {
            "kind": "study",
            "format": FORMAT,
            "headgate": __version__,
            "scenario": self.scenario.data,
            "sweep": self.table,
            "seed": self.seed,
            "variants": len(self._variants),
            "axes": [
                {"name": a.name, "place": a.place, "paths": list(a.paths), "columns": a.columns} for a in self.axes
            ],
            "generation": 0,
            "complete": False,
            "files": {},
            **({} if part is None else {"part": str(part)}),
        }
        whole: dict[str, Any] = json.loads(json.dumps(manifest, default=str))
        return whole

    def _work(
        self,
        store: Store,
        checks: list[Check],
        start: Callable[[], Engine],
        stopped: Callable[[], int],
        progress: Progress | None,
        most: int | None,
        part: Share | None,
    ) -> bool:
        store.lock()
        if store.exists:
            same_study(store.open(mend=True), self._manifest(part))
            for mended in store.mend(axis_columns(self._variants)):
                _report(mended)
        else:
            store.write_manifest(self._manifest(part))
        store.clean()
        before = bool(store.manifest["complete"]) if part is None else begin(store, part)
        plan, past = self._plan(store, checks, part)
        engine: Engine | None = None
        try:
            first = plan.next(1)
            plan.put_back(first)
            if first:
                if part is not None and before:
                    mark_done(store, part, False)
                engine = start()
                keys = [check.key or "" for check in checks]
                driver = Driver(engine, store, plan, self._texts.of, keys, self.seed, self._metric, progress, most)
                driver.done = past
                finished = driver.run(stopped)
            else:
                finished = True
        except BaseException:
            if engine is not None:
                engine.close()
            raise
        if engine is not None:
            engine.close()
        if first or not before:
            # A part alone is never the whole study.
            store.merge(finished and part is None, plan.keep(), axis_columns(self._variants))
            if part is not None and finished:
                mark_done(store, part, True)
        return finished

    def _plan(self, store: Store, checks: list[Check], part: Share | None) -> tuple[Plan, int]:
        """The remaining runs, and the number of runs that are done. Invalid variants are recorded once."""
        # The library that reads tables takes a while to load; meanwhile the first runs can be made.
        tables: list[Any] = [() if store.empty else store.read(name) for name in ("runs", "failures")]
        runs, failed = tables
        known = set(failed["variant"].to_pylist()) if len(failed) else set()
        if part is not None and any(check.error is not None for check in checks):
            # Another part has the others.
            known |= {*range(len(checks))} - {
                p // self._least for p in part.positions(self.least_runs) if p % self._least == 0
            }
        bad = [
            (v, 0, check.error, self._texts.of(v))
            for v, check in enumerate(checks)
            if check.error is not None and v not in known
        ]
        if bad:
            empty = pyarrow().table({})
            none = dict.fromkeys(TABLES, empty)
            store.write_chunk({**none, "failures": failures(bad, self.seed)})
        done = list(zip(runs["variant"].to_pylist(), runs["replication"].to_pylist(), strict=True)) if len(runs) else []
        good = [v for v, check in enumerate(checks) if check.error is None]
        if self._metric is None or part is not None:
            return Fixed(good, len(checks), self._least, done, part), len(done)
        values = [np.nan if x is None else x for x in runs["value"].to_pylist()] if len(runs) else []
        past = dict(zip(done, values, strict=True))
        return Until(good, len(checks), self._checked["stop"], past), len(done)


def _metric(stop: Mapping[str, Any] | None, origin: str) -> Watched | None:
    if stop is None:
        return None
    table = "flows" if stop["link"] is None else "links"
    name, known = stop["metric"], rows.measured(table)
    if name not in known:
        import difflib

        near = difflib.get_close_matches(name, known, 1, 0.4)
        raise wrong(
            "sweep.stop.metric",
            f"expected a measured column of the table of {table}",
            name,
            near[0] if near else None,
            origin,
        )
    return Watched(name, table, (stop["flow"] if table == "flows" else stop["link"]) or "*", stop["over"])


def _engine(name: str, address: str | None, workers: int | None) -> Engine:
    return Local(workers) if name == "local" else Dask(address, workers)


def _report(text: str) -> None:
    import sys

    print(text, file=sys.stderr, flush=True)
