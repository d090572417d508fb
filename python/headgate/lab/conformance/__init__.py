"""Whether a flow control or discipline of one's own keeps the contract that the engine's own keep.

>>> from headgate import plugins
>>> found = conform(plugins.example("aimd"))
>>> found.passed, [check.name for check in found.checks][:3]
(True, ['parameters', 'determinism', 'other hash seed'])
>>> plugins.forget("my_aimd")
"""

from __future__ import annotations

import os

from ..._core import PluginError, ScenarioError
from ...base.errors import HeadgateError
from ...base.parallel import Progress
from ...plugins.calls import story
from ...scenario.fitting import require_parameters
from ...scenario.subjects import Scheme, read_all
from . import controls, disciplines
from .report import Conformance, Report

__all__ = ["Conformance", "Report", "conform"]


def conform(subject: str | os.PathLike[str], name: str = "", progress: Progress | None = None) -> Report:
    """Runs the conformance tests for a flow control or a discipline, or for all that a file has.

    Args:
        subject: as all commands take one: a file, `module:Class`, a shared object, a table, a program, or a name of the list.
        name: of one of the file's; all unless given.
        progress: called with (share done, tests done, tests in all).

    Raises:
        HeadgateError: there is no such subject, it does not take its parameters, or the file has nothing of this name.
    """
    text = os.fspath(subject)
    chosen = read_all(text, name=name)
    for kind, each in chosen:
        require_parameters(each, kind, "FILE")
    works = [
        (each, check)
        for kind, each in chosen
        for check in (controls.CHECKS if kind == "control" else disciplines.CHECKS)
    ]
    checks: list[Conformance] = []
    for each, (title, work) in works:
        if progress is not None:
            progress(len(checks) / len(works), len(checks), len(works))
        checks.append(_checked(each, title, work))
    if progress is not None:
        progress(1.0, len(works), len(works))
    return Report(text, checks)


def _checked(subject: Scheme, title: str, work: controls.Work) -> Conformance:
    try:
        text = work(subject)
    except (PluginError, ScenarioError, HeadgateError) as e:
        return Conformance(subject.name, title, False, str(e), story(e))
    return Conformance(subject.name, title, not text, text or "", "")
