"""The work of a worker process: one run of one candidate."""

from __future__ import annotations

import time
from typing import Any

from ..frame import work
from ..frame.work import RunJob


def do(job: RunJob) -> dict[str, Any]:
    """As the referee's work, with the processor time in s; a run in which the engine itself fails is a fault as well."""
    before = time.process_time()
    try:
        found = work.do(job)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as e:
        # A panic of the engine is no Exception.
        found = {"fault": f"{type(e).__name__}: {e}"}
    return {**found, "cpu": round(time.process_time() - before, 6)}
