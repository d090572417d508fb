"""The work of a worker process: one run of one case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ... import _core, plugins
from ...base.errors import HeadgateError
from ...plugins import programs, remote
from . import score
from .suite import SuiteCase

#: Flows of a case with a control of their own at a time, by its kind: 0 for as many as the case says; transfers overlap.
FLOWS = {"alone": 1, "beside": 1, "call": 1, "itself": 0, "incast": 0, "transfers": remote.MOST}

#: What was registered in this process: the contents of the file, and whether its flow controls are in processes of their own.
_ready: tuple[Any, bool] | None = None


@dataclass(frozen=True)
class WantedRun:
    """A run that is wanted: of the case at a place of the suite, with the control that is judged, or with one that is `listed`."""

    place: int
    listed: str
    case: SuiteCase
    control: dict[str, Any]
    number: int
    entry: Any
    apart: bool


def one(asked: WantedRun) -> dict[str, Any]:
    """Makes a run, in a process of workers."""
    return do(asked.case, asked.control, asked.number, asked.entry, asked.apart)


def prepare(entry: Any, apart: bool) -> None:
    """Registers the flow controls of a file, once in a process."""
    global _ready
    if entry is None or _ready == (entry, apart):
        return
    plugins.unload()
    _ready = None
    if apart:
        remote.register(entry)
    else:
        plugins.ensure_given([entry])
    _ready = (entry, apart)


def do(case: SuiteCase, control: Any, number: int, entry: Any, apart: bool) -> dict[str, Any]:
    """The measures of a run; or `{"fault": text}` if the control failed, `{"wrong": text}` if it cannot be run at all."""
    try:
        prepare(entry, apart)
        remote.divide(FLOWS[case.kind] or case.flows)
        programs.take(control)
        return score.run(case, control, number)
    except _core.PluginError as e:
        return {"fault": str(e)}
    except (_core.ScenarioError, HeadgateError) as e:
        # Not all exceptions can be sent from process to process.
        return {"wrong": str(e)}
