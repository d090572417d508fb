"""Whether a flow control or discipline of one's own keeps the contract that the engine's own keep.

>>> from headgate import plugins
>>> found = conform(plugins.example("aimd"))
>>> found.passed, [check.name for check in found.checks][:3]
(True, ['parameters', 'determinism', 'other hash seed'])
>>> plugins.forget("my_aimd")
"""

from __future__ import annotations

import os
from typing import Unpack

from ...plugins import registry
from ...scenario.fitting import require_parameters
from ...scenario.subjects import read_all
from ..frame.jobs import Where, started
from .report import Conformance, Report
from .work import CHECKS, WantedCheck, do

__all__ = ["Conformance", "Report", "conform"]


def conform(subject: str | os.PathLike[str], name: str = "", **where: Unpack[Where]) -> Report:
    """Runs the conformance tests for a flow control or a discipline, or for all that a file has.

    In processes of their own, which those of a shared object have, a test that ends its process has failed, and all others go on.

    Args:
        subject: as all commands take one: a file, `module:Class`, a shared object, a table, a program, or a name of the list.
        name: of one of the file's; all unless given.
        where: the folder, workers and engine of tests, and what is told of their progress; see `headgate.lab.frame.jobs.Where`. But for
            a shared object, all tests run in this process unless `workers` is given.

    Raises:
        HeadgateError: there is no such subject, it does not take its parameters, the file has nothing of this name, or the folder is
            another one's.
    """
    text = os.fspath(subject)
    chosen = read_all(text, name=name)
    for kind, each in chosen:
        require_parameters(each, kind, "SUBJECT")
    jobs = [WantedCheck(kind, each, title) for kind, each in chosen for title in CHECKS[kind]]
    if where.get("workers") is None and where.get("engine", "local") == "local":
        # To start a process takes longer than most tests; what may end its process has one.
        where["workers"] = None if any(job.native for job in jobs) else 0
    own = {*registry.names()} - {"process"}
    if any(job.subject.table["kind"] in own and not job.entries for job in jobs):
        # What was defined in this process is known nowhere else.
        where["workers"] = 0
    with started("conform", {"subjects": [each.table for _, each in chosen]}, do, where, lost=None) as runner:
        runner.make(jobs)
        return Report(text, [_checked(job, runner.get(job)) for job in jobs])


def _checked(job: WantedCheck, found: dict[str, str]) -> Conformance:
    text = found.get("fault") or found["found"]
    return Conformance(job.subject.name, job.title, not text, text, found.get("traceback", ""))
