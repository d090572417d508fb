"""Whether a flow control or discipline of one's own keeps the contract that the engine's own keep.

>>> from headgate import plugins
>>> found = conform(plugins.example("aimd"))
>>> found.passed, [check.name for check in found.checks][:3]
(True, ['parameters', 'determinism', 'other hash seed'])
>>> plugins.forget("my_aimd")
"""

from __future__ import annotations

import os

from .. import plugins
from .._core import PluginError, ScenarioError
from ..base.errors import HeadgateError, cut, nearest
from ..base.parallel import Progress
from ..plugins.calls import story
from . import controls, disciplines
from .report import Conformance, Report

__all__ = ["Conformance", "Report", "conform"]


def conform(file: str | os.PathLike[str], name: str = "", progress: Progress | None = None) -> Report:
    """Runs the conformance tests for what a file registers.

    Args:
        file: in Python, or `module:Class`.
        name: of one of its flow controls or disciplines; all unless given.
        progress: called with (share done, tests done, tests in all).

    Raises:
        HeadgateError: the file cannot be loaded, or has nothing of this name.
    """
    entries = plugins.load(file)
    found = plugins.kinds(entries)
    if name and name not in found:
        raise HeadgateError(f"{cut(name)}: expected one of {', '.join(found)}.{nearest(name, found)}")
    chosen = {name: found[name]} if name else found
    works = [
        (each, check)
        for each, kind in chosen.items()
        for check in (controls.CHECKS if kind == "control" else disciplines.CHECKS)
    ]
    checks: list[Conformance] = []
    for each, (title, work) in works:
        checks.append(_checked(each, title, work, entries))
        if progress is not None:
            progress(len(checks) / len(works), len(checks), len(works))
    return Report(os.fspath(file), checks)


def _checked(name: str, title: str, work: controls.Work, entries: list[plugins.Entry]) -> Conformance:
    try:
        text = work(name, entries)
    except (PluginError, ScenarioError, HeadgateError) as e:
        return Conformance(name, title, False, str(e), story(e))
    return Conformance(name, title, not text, text or "", "")
