"""The work of a worker process: one run of one case."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from ... import _core, plugins
from ...base.errors import HeadgateError
from ...plugins import programs, remote
from ..frame.store import key_of
from . import score
from .build import seconds
from .suite import SuiteCase

#: Flows of a case with a control of their own at a time, by its kind: 0 for as many as the case says; transfers overlap.
FLOWS = {"alone": 1, "beside": 1, "call": 1, "itself": 0, "incast": 0, "transfers": remote.MOST}

#: What was registered in this process: the contents of the file, and whether its flow controls are in processes of their own.
_ready: tuple[Any, bool] | None = None

#: Held while a run is made.
_one = threading.Lock()


@dataclass(frozen=True)
class WantedRun:
    """A run that is wanted: of a case with a control, the `number`th one; for a control of a file, the file and whether it runs apart."""

    case: SuiteCase
    control: dict[str, Any]
    number: int
    entry: Any = None
    apart: bool = False
    name: str = ""

    @cached_property
    def key(self) -> str:
        """Names the run: equal for equal ones."""
        return key_of(asdict(self.case), self.control, self.number, self.entry, self.apart)

    @property
    def size(self) -> float:
        """Bits that the line can carry; each acknowledgement that goes to a process of its own takes several times as long."""
        return self.case.rate * seconds(self.case) * (6 if self.apart else 1)


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


def do(wanted: WantedRun) -> dict[str, Any]:
    """The measures of a run; or `{"fault": text}` if the control failed, `{"wrong": text}` if it cannot be run at all."""
    try:
        # What is registered is that of the whole process, which a worker of a cluster may share among threads.
        with _one:
            prepare(wanted.entry, wanted.apart)
            remote.divide(FLOWS[wanted.case.kind] or wanted.case.flows)
            programs.take(wanted.control)
            return score.run(wanted.case, wanted.control, wanted.number)
    except _core.PluginError as e:
        return {"fault": str(e)}
    except (_core.ScenarioError, HeadgateError) as e:
        # Not all exceptions can be sent from process to process.
        return {"wrong": str(e)}
