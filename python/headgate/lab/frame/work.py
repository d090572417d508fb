"""The work of a worker process: one run of one cell, or the steps of a case."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ... import _core
from ...base.errors import HeadgateError
from ...base.parallel import run_once
from ...plugins.load import ensure_text
from .metrics import measure
from .part import Place, Run, Wanted
from .store import key_of


@dataclass(frozen=True)
class RunJob:
    """One run: the scenario as JSON, the seed, and what is measured."""

    text: str
    seed: int
    measured: tuple[Wanted, ...]
    place: Place

    @property
    def key(self) -> str:
        """Names the run and its measurements: equal for equal ones."""
        keys = [entry.key() for entry in self.measured]
        return key_of(self.text, self.seed, keys)

    @property
    def name(self) -> str:
        """That of the scenario."""
        return str(json.loads(self.text)["name"])

    @property
    def size(self) -> float:
        """Bits that the line can carry meanwhile."""
        return self.place.capacity(0, self.place.duration)


def do(job: RunJob) -> dict[str, Any]:
    """`{values, digest}`; or `{fault: text}` if the subject failed, `{wrong: text}` if the scenario is none."""
    try:
        ensure_text(job.text)
        result = run_once(job.text, job.seed, 0)
        run = Run(result, job.place)
        # Six digits are beyond what any verdict looks at.
        values = [measure(run, entry) for entry in job.measured]
        return {"values": [None if v is None else float(f"{v:.6g}") for v in values], "digest": result.digest}
    except _core.PluginError as e:
        return {"fault": str(e)}
    except (_core.ScenarioError, HeadgateError) as e:
        # Not all exceptions can be sent from process to process.
        return {"wrong": str(e)}
