"""The work of a worker process: one conformance test of a flow control or a discipline."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from ... import plugins
from ..._core import PluginError, ScenarioError
from ...base.errors import HeadgateError
from ...plugins import programs
from ...plugins.calls import story
from ...plugins.native import ENDS
from ...scenario.subjects import Scheme
from ..frame.store import key_of
from . import controls, disciplines

#: The tests of a flow control and of a discipline, by their titles.
CHECKS = {"control": dict(controls.CHECKS), "discipline": dict(disciplines.CHECKS)}


@dataclass(frozen=True)
class WantedCheck:
    """A test that is wanted, of one of the subjects that a user named."""

    kind: str
    subject: Scheme
    title: str
    name: str = ""
    size: float = 1.0

    @cached_property
    def entries(self) -> list[plugins.Entry]:
        """The files of the subject."""
        return [*(self.subject.plugins or plugins.used(self.subject.table))]

    @property
    def native(self) -> bool:
        """Whether it is a shared object, which may end the process."""
        return any(isinstance(entry, dict) and entry["name"].endswith(ENDS) for entry in self.entries)

    @cached_property
    def key(self) -> str:
        """Names the test: equal for equal ones."""
        return key_of(asdict(self.subject), self.entries, self.title)


def do(wanted: WantedCheck) -> dict[str, Any]:
    """`{found, traceback}` of a test: what is wrong, if anything, and where the subject's own code failed."""
    try:
        plugins.ensure_given(wanted.entries)
        programs.take(wanted.subject.table)
        return {"found": CHECKS[wanted.kind][wanted.title](wanted.subject) or "", "traceback": ""}
    except (PluginError, ScenarioError, HeadgateError) as e:
        return {"found": str(e), "traceback": story(e)}
