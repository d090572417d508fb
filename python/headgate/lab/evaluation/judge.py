"""The evaluation: cases and seeds over all processors, until the sum is known well enough."""

from __future__ import annotations

import hashlib
import json
import math
import os
import statistics
from collections.abc import Callable, Mapping
from typing import Any

from ... import plugins
from ...base.errors import HeadgateError
from ...plugins import remote
from ...scenario.fitting import require_parameters
from ...scenario.subjects import Scheme, read
from ...stats import mean_of
from ...sweep.engines import Local, work_off
from . import score, work
from .suite import SuiteCase, suite

#: Rounds of all cases: at least, and at most; and half of the interval of the sum, in points, that is narrow enough.
LEAST, MOST, ENOUGH = 3, 5, 1.0

#: Called with (share done at most, runs done, runs at most).
Progress = Callable[[float, int, int], object]


def evaluate(
    control: str | os.PathLike[str],
    suite_name: str = "internet-1",
    key: str = "",
    *,
    name: str = "",
    parameters: dict[str, Any] | None = None,
    rounds: int | None = None,
    workers: int | None = None,
    trusted: bool = False,
    progress: Progress | None = None,
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
        workers: processes; one per processor unless given.
        trusted: the file is run within the simulator's processes: several times as fast, and without any protection.
        progress: called several times a second.

    Returns:
        `combined_score` (0 for an idle sender, up to 100), `combined_score_half` (half of its 95 % interval), `beside` (the scores of an
        idle sender, of reno and of cubic), a number from 0 to 1 for each aspect, `rounds`, `faults` (of how many runs), and `cases`: of
        each its scores, goodput and queueing delay.

    Raises:
        HeadgateError: there is no such control, file or suite, the key is short, or the file cannot be loaded.
    """
    suite(suite_name, key)
    subject = _chosen(os.fspath(control), name, parameters or {}, trusted)
    if subject.transport:
        raise HeadgateError("control: transport: expected none: the suite says which transport flows have")
    entry = next(iter(subject.plugins), None)
    cases = suite(suite_name, key, _fingerprint(entry, subject.table))
    most = min(max(rounds or MOST, 1), 99)
    jobs = _Jobs(cases, subject.table, entry, not trusted, most, progress)
    # A new program each: what is judged shares nothing with this one.
    with Local(workers or os.cpu_count() or 1, work.one) as pool:
        for number in range(most):
            jobs.round(pool, number)
            if rounds is None and number + 1 >= LEAST and jobs.half() <= ENOUGH:
                break
    return jobs.answer(suite_name, bool(key), subject.name)


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


#: The measures of runs of controls of the list, by case, control and number: many evaluations ask for the same ones.
_kept: dict[tuple[SuiteCase, str, int], dict[str, Any]] = {}

#: Runs that are kept at most.
_MOST_KEPT = 5000


class _Jobs:
    """The runs, and what they gave."""

    def __init__(
        self, cases: list[SuiteCase], table: Any, entry: Any, apart: bool, most: int, progress: Progress | None
    ) -> None:
        self._cases, self._table, self._entry, self._apart = cases, table, entry, apart
        self._progress = progress
        self._most, self._done, self._each = most, 0, 0
        #: Of each round the runs of what is judged, by case, and those of controls of the list, by case and control.
        self._own: list[list[dict[str, Any]]] = []
        self._listed: list[dict[tuple[int, str], dict[str, Any]]] = []

    def round(self, pool: Local, number: int) -> None:
        """Runs all cases with seeds of this number."""
        # Long ones first, so that no processor waits at the end.
        order = sorted(range(len(self._cases)), key=lambda i: -self._cases[i].rate)
        wanted: dict[tuple[int, str], work.WantedRun] = {}
        own: list[Any] = [None] * len(self._cases)
        listed: dict[tuple[int, str], dict[str, Any]] = {}
        for i in order:
            case = self._cases[i]
            wanted[i, ""] = work.WantedRun(i, "", case, self._table, number, self._entry, self._apart)
            for table in [*score.BESIDE.values(), *([{"kind": case.other}] if score.needs_known(case) else [])]:
                name = json.dumps(table)
                if (kept := _kept.get((case, name, number))) is not None:
                    listed[i, name] = kept
                else:
                    wanted[i, name] = work.WantedRun(i, name, case, table, number, None, False)
        self._each = max(self._each, len(wanted))
        for ended in work_off(pool, wanted.values()):
            for job, found, how in ended:
                self._done += 1
                if found is None:
                    found = {"fault": f"the process of its run ended by itself ({how})"}
                if "wrong" in found:
                    raise HeadgateError(found["wrong"])
                if not job.listed:
                    own[job.place] = found
                elif "fault" in found:
                    raise HeadgateError(f"{job.case.name}: {job.control['kind']}: {found['fault']}")
                else:
                    listed[job.place, job.listed] = found
                    if len(_kept) < _MOST_KEPT:
                        _kept[job.case, job.listed, number] = found
            if self._progress is not None:
                most = self._each * self._most
                self._progress(self._done / most, self._done, most)
        self._own.append(own)
        self._listed.append(listed)

    def _scored(self, number: int, name: str = "") -> list[dict[str, float]]:
        """The scores of a round by case: of what is judged, or of a control of the list."""
        listed = self._listed[number]
        out = []
        for i, case in enumerate(self._cases):
            run = listed[i, name] if name else self._own[number][i]
            known = listed.get((i, json.dumps({"kind": case.other}))) if score.needs_known(case) else None
            out.append(score.scores(case, None if "fault" in run else run, known))
        return out

    def _points(self, name: str = "") -> list[float]:
        """The sum of each round, above that of an idle sender."""
        idle = json.dumps(score.BESIDE["idle"])
        sums = [[score.total(self._scored(k, n))[0] for n in (name, idle)] for k in range(len(self._own))]
        return [score.rescaled(own, nothing) for own, nothing in sums]

    def half(self) -> float:
        """Half of the 95 % interval of the sum, over the rounds."""
        half = mean_of(self._points()).half
        return math.inf if math.isnan(half) else half

    def answer(self, suite_name: str, hidden: bool, chosen: str) -> dict[str, Any]:
        """The whole as plain data."""
        rounds = [self._scored(number) for number in range(len(self._own))]
        mean = [
            {aspect: math.fsum(r[i][aspect] for r in rounds) / len(rounds) for aspect in rounds[0][i]}
            for i in range(len(self._cases))
        ]
        _, aspects = score.total(mean)
        half = self.half()
        runs = [own for numbered in self._own for own in numbered]
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
        runs = [numbered[i] for numbered in self._own]
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
