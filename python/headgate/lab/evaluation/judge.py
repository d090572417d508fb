"""The evaluation: cases and seeds over all processors, until the sum is known well enough."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import os
import statistics
from collections.abc import Callable, Mapping
from typing import Any, Unpack

from ... import plugins
from ...base.errors import HeadgateError
from ...plugins import remote
from ...scenario.fitting import require_parameters
from ...scenario.subjects import Scheme, read
from ...stats import mean_of
from ..frame.jobs import Runner, Where, started
from . import score, work
from .suite import SuiteCase, named, suite

#: Rounds of all cases: at least, and at most; and half of the interval of the sum, in points, that is narrow enough.
LEAST, MOST, ENOUGH = 3, 5, 1.0


def evaluate(
    control: str | os.PathLike[str],
    suite_name: str = "internet-1",
    key: str = "",
    *,
    name: str = "",
    parameters: dict[str, Any] | None = None,
    rounds: int | None = None,
    trusted: bool = False,
    **where: Unpack[Where],
) -> dict[str, Any]:
    """Judges a flow control: one of the list by its name, or one of your own by its file.

    A file is not run in this process: each flow that it controls has a process of its own, which may use memory and nothing else.

    >>> evaluate("reno", "smoke", rounds=1)["combined_score"] > 50
    True

    Args:
        control: as all commands take one: a name such as `cubic`, a table, or a file; a shared object, a class of a module and a
            program only if they are trusted.
        suite_name: `internet-1` (40 cases), `smoke` (4), or a file of your own whose name ends in `.toml`.
        key: draws the hidden suite; without one, the open suite. A secret of at least 32 characters.
        name: which of the file's flow controls, if it has several.
        parameters: of the control.
        rounds: how often each case is run, with other seeds; 3 to 5, until the interval of the sum is narrow enough, unless given.
        trusted: the file is run within the simulator's processes: several times as fast, and without any protection.
        where: the folder, workers and engine of runs, and what is told of their progress; see `headgate.lab.frame.jobs.Where`.

    Returns:
        `combined_score` (0 for an idle sender, up to 100), `combined_score_half` (half of its 95 % interval), `beside` (the scores of an
        idle sender, of reno and of cubic), a number from 0 to 1 for each aspect, `rounds`, `faults` (of how many runs), and `cases`: of
        each its scores, goodput and queueing delay.

    Raises:
        HeadgateError: there is no such control, file or suite, the key is short, the file cannot be loaded, or the folder is another one's.
    """
    suite(suite_name, key)
    subject = _chosen(os.fspath(control), name, parameters or {}, trusted)
    if subject.transport:
        raise HeadgateError("control: transport: expected none: the suite says which transport flows have")
    entry = next(iter(subject.plugins), None)
    cases = suite(suite_name, key, _fingerprint(entry, subject.table))
    asked = {
        "control": subject.name,
        "table": subject.table,
        "suite": named(suite_name),
        "key": key and hmac.new(key.encode("utf-8", "surrogateescape"), b"folder", hashlib.sha256).hexdigest()[:20],
    }
    # A new program each: what is judged shares nothing with this one.
    where["workers"] = where.get("workers") or None
    with started("evaluate", asked, work.do, where, {} if where.get("part") else _kept, lost=None) as runner:
        apart = entry is not None and not trusted
        found = _Rounds(runner, cases, lambda case, number: work.WantedRun(case, subject.table, number, entry, apart))
        found.make(min(max(rounds or LEAST, 1), 99))
        while rounds is None and len(found) < MOST and found.half() > ENOUGH:
            found.make(1)
        return found.answer(suite_name, bool(key), subject.name)


def _fingerprint(entry: Any, table: dict[str, Any]) -> str:
    """A hash of what is judged: the contents of its file, and its parameters."""
    text = json.dumps([entry, table], sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _chosen(control: str, name: str, parameters: Mapping[str, Any], trusted: bool) -> Scheme:
    """The control, of whose file nothing is run in this process unless it is trusted."""
    if trusted:
        trusted_one = read(control, "control", place="control", name=name, option="name", parameters=parameters)
        require_parameters(trusted_one, "control", "control")
        return trusted_one
    found = read(control, "control", place="control", name=name, option="name", parameters=parameters, register=_apart)
    if found.table["kind"] == "process":
        raise HeadgateError(
            "control: found a program; expected a file in Python, or --trusted: a program has all rights of its user, so that it could "
            "read the suite and the key"
        )
    require_parameters(found, "control", "control")
    return found


def _apart(entry: plugins.Entry) -> dict[str, str]:
    """The flow controls of a file, which runs in a process of its own."""
    if isinstance(entry, str) or not entry["name"].endswith(".py"):
        what = "a class of a module" if isinstance(entry, str) else "a shared object"
        raise HeadgateError(
            f"found {what}; expected a file in Python, or --trusted: only one file of Python can run in a process without rights"
        )
    return dict.fromkeys(remote.register(entry), "control")


#: Runs of controls of the list, by their keys: many evaluations ask for the same ones.
_kept: dict[str, dict[str, Any]] = {}

#: Runs that are kept at most.
_MOST_KEPT = 5000


class _Rounds:
    """The runs, and what they gave."""

    def __init__(
        self, runner: Runner, cases: list[SuiteCase], judged: Callable[[SuiteCase, int], work.WantedRun]
    ) -> None:
        self._runner, self._cases, self._judged = runner, cases, judged
        #: Of each round and each case the runs of what is judged, which has no name, and of controls of the list, by their tables.
        self._jobs: list[list[dict[str, work.WantedRun]]] = []

    def __len__(self) -> int:
        return len(self._jobs)

    def make(self, count: int) -> None:
        """Runs all cases so many times more, each time with other seeds."""
        new = [[self._wanted(case, len(self) + k) for case in self._cases] for k in range(count)]
        jobs = [(name, job) for row in new for wanted in row for name, job in wanted.items()]
        self._runner.make(job for _, job in jobs)
        for name, job in jobs:
            found = self._runner.get(job)
            if name and "fault" in found:
                raise HeadgateError(f"{job.case.name}: {job.control['kind']}: {found['fault']}")
            if name and len(_kept) < _MOST_KEPT:
                _kept[job.key] = found
        self._jobs += new

    def _wanted(self, case: SuiteCase, number: int) -> dict[str, work.WantedRun]:
        tables = [*score.BESIDE.values(), *([{"kind": case.other}] if score.needs_known(case) else [])]
        return {"": self._judged(case, number), **{json.dumps(t): work.WantedRun(case, t, number) for t in tables}}

    def _run(self, number: int, i: int, name: str = "") -> dict[str, Any]:
        return self._runner.get(self._jobs[number][i][name])

    def _scored(self, number: int, name: str = "") -> list[dict[str, float]]:
        """The scores of a round by case: of what is judged, or of a control of the list."""
        out = []
        for i, case in enumerate(self._cases):
            run = self._run(number, i, name)
            known = self._run(number, i, json.dumps({"kind": case.other})) if score.needs_known(case) else None
            out.append(score.scores(case, None if "fault" in run else run, known))
        return out

    def _points(self, name: str = "") -> list[float]:
        """The sum of each round, above that of an idle sender."""
        idle = json.dumps(score.BESIDE["idle"])
        sums = [[score.total(self._scored(k, n))[0] for n in (name, idle)] for k in range(len(self))]
        return [score.rescaled(own, nothing) for own, nothing in sums]

    def half(self) -> float:
        """Half of the 95 % interval of the sum, over the rounds."""
        half = mean_of(self._points()).half
        return math.inf if math.isnan(half) else half

    def answer(self, suite_name: str, hidden: bool, chosen: str) -> dict[str, Any]:
        """The whole as plain data."""
        rounds = [self._scored(number) for number in range(len(self))]
        mean = [
            {aspect: math.fsum(r[i][aspect] for r in rounds) / len(rounds) for aspect in rounds[0][i]}
            for i in range(len(self._cases))
        ]
        _, aspects = score.total(mean)
        half = self.half()
        runs = [self._run(number, i) for number in range(len(self)) for i in range(len(self._cases))]
        return {
            # One that does worse than nothing has no less than nothing.
            "combined_score": max(statistics.fmean(self._points()), 0.0),
            "combined_score_half": half if math.isfinite(half) else None,
            "beside": {name: statistics.fmean(self._points(json.dumps(table))) for name, table in score.BESIDE.items()},
            **aspects,
            "control": chosen,
            "suite": suite_name,
            "hidden": hidden,
            "rounds": len(rounds),
            "faults": sum("fault" in run for run in runs),
            "cases": [self._case(i, mean[i]) for i in range(len(self._cases))],
        }

    def _case(self, i: int, scored: dict[str, float]) -> dict[str, Any]:
        runs = [self._run(number, i) for number in range(len(self))]
        sound = [run for run in runs if "fault" not in run]
        return {
            "name": self._cases[i].name,
            "scores": scored,
            "goodput_bps": statistics.fmean(run["goodput"] for run in sound) if sound else None,
            "queueing_s": _finite(statistics.fmean(run["queueing"] for run in sound)) if sound else None,
            "digests": [run.get("digest") for run in runs],
            "fault": next((run["fault"] for run in runs if "fault" in run), None),
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
