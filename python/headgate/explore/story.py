"""One packet at a port, in numbers and in sentences: which packets waited before it, what was decided about it, and by which rule.

The engine's library (`crates/view/src/packets/story.rs`) tells it.
"""

from __future__ import annotations

import json
from typing import Any

from .. import _core
from .packets import Followed, place_of
from .store import Finished
from .wire import RequestError

#: The engine's numbers are no larger.
MOST = 2**63 - 1


def story_of(run: Finished, part: Followed, port: str, number: int) -> dict[str, Any]:
    """A packet at a port.

    Raises:
        RequestError: no such port or packet.
    """
    place = place_of("port", port, run.ports)
    window = next((view.core for view in run.views if view.name == "window"), None)
    rtt_ms = [(flow["name"], flow.get("rtt_ms")) for flow in run.done["flows"]]
    try:
        text = part.at(place).core.story(
            min(number, MOST), port, run.flows, _discipline(run, place), (part.start, part.until), run.until, window, rtt_ms,
            run.done.get("kind") == "replay",
        )  # fmt: skip
    except LookupError as e:
        raise RequestError(404, str(e)) from None
    found: dict[str, Any] = json.loads(text)
    return found


def _discipline(run: Finished, port: int) -> str:
    """The discipline of a port with its parameters, as the resolved scenario has them: JSON text."""
    if "disciplines" in run.more:
        return json.dumps(run.more["disciplines"][port])
    known: dict[int, str] = run.more.setdefault("discipline", {})
    if port not in known:
        known[port] = _core.discipline(json.dumps(run.as_run), port)
    return known[port]
