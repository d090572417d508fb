"""A flow control of ours beside a second statement of it in plain arithmetic: the same events go into both."""

from __future__ import annotations

import json
from typing import Any

from headgate import _core

US, MS, S = 1000, 1_000_000, 1_000_000_000


class Ours:
    """A flow control of ours, driven as `headgate control --stdio` does it."""

    def __init__(self, window: int, **table: Any) -> None:
        self.steps = _core.Steps(json.dumps(table), window, 1)

    def __call__(self, t: int, ev: str, **more: Any) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.steps.step(json.dumps({"t": t, "ev": ev, **more})))
        return answer
