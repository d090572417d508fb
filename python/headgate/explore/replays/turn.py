"""One replay for the page: from its settings to the lines of its views and its summary."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _core
from ...errors import HeadgateError
from ..store import Finished
from ..wire import StoppedError
from .coarse import Coarse
from .packets import ReplayedPackets
from .rows import ALL, Filling
from .settings import Settings
from .summary import PORT, summary
from .views import Slots, views

#: Packets whose rows are all kept; the pictures of a longer trace are made of intervals.
MOST = 2_000_000

#: Bytes that a packet takes in the engine while it waits, that its delay takes, and that a flow takes at most for its delays.
WAITING, DELAY, DELAYS = 200, 8, 8 * 1024

#: Seconds after which a first part is shown, and the part of the trace that may have passed by then.
FIRST_S, FIRST = 0.1, 0.5

#: Fewer packets than this are shown at once.
FEW = 100_000


def replayed(
    settings: Settings, control: _core.Control, most_bytes: int, first: Callable[[Finished], None] = lambda part: None
) -> Finished:
    """Replays a trace.

    Args:
        settings: of the replay.
        control: stops it, and hears how much is done.
        most_bytes: that it may take.
        first: called with the first part of a long replay.

    Raises:
        StoppedError: the control stopped it.
        HeadgateError: something in the settings is wrong, or the replay takes more memory than it may.
        TraceError: the trace cannot be read.
    """
    began = time.perf_counter()
    engine, how = settings.engine, settings.reading

    def reading(share: float) -> None:
        if control.stopped:
            raise StoppedError
        control.report(share)

    found = settings.trace.read(how, reading)
    about = {"settings": settings, "disciplines": settings.resolved["queues"]}
    _require(
        sum(np.minimum(DELAY * found.flow_packets, DELAYS).tolist()), most_bytes, "a classify that gives fewer flows"
    )
    bps = float(_core.quantity(settings.resolved["rate"])[2])
    slots = Slots.of_trace(found)
    core = _core.Replay(engine)
    core.follow(0, 0.0, float("inf"), 2**62)
    fine = found.packets <= min(MOST, most_bytes // ALL)
    rows = Filling(found.packets) if fine else None
    # What is left when the last packet came takes the line this time at most.
    coarse = None if fine else Coarse(slots, found.span + 8.0 * found.bytes / bps)
    said = False

    def finished(until: float, whole: float, part: bool) -> Finished:
        held = None if rows is None else rows.rows()
        shown = views(held, slots, until, bps, found.longest) if held is not None else coarse.views(until)  # type: ignore[union-attr]
        name = secrets.token_hex(8)
        packets = ReplayedPackets(settings, held, until, most_bytes)
        note = None if fine else _note(found.packets)
        done: dict[str, Any] = {
            "run": name, "kind": "replay", "digest": "" if held is None or part else held.digest, "seed": settings.resolved["seed"],
            "events": core.packets, "duration": whole, "until": until, "seconds": time.perf_counter() - began, "note": note,
            **summary(settings, core, found, slots, until), "views": [view.head() for view in shown],
        }  # fmt: skip
        return Finished(
            name, settings.data, {}, int(done["seed"]), [PORT], found.names, until, done, shown, {(0, 0): None}, [(bps, 0.0)],
            {**about, "packets": packets, "size": packets.size, "key": "" if part else settings.key},
        )  # fmt: skip

    for share in settings.trace.steps(core, how):
        reading(share)
        _require(WAITING * core.waiting(0), most_bytes, "a smaller buffer")
        batch = core.followed(0)
        if rows is not None:
            rows.take(batch)
            early = share < FIRST and found.packets > FEW and rows.count > 0
            if early and not said and time.perf_counter() - began > FIRST_S:
                said = True
                first(finished(float(rows.rows().arrived[-1]), found.span, True))
        elif coarse is not None:
            coarse.take(batch)
    span = float(np.asarray(core.all(0)["span_s"])[0])
    end = max(span, found.span)
    return finished(end, end, False)


def _require(taken: float, most: int, less: str) -> None:
    if taken > most:
        raise HeadgateError(
            f"expected a replay that takes at most {most / 1e6:.0f} MB of memory, found {taken / 1e6:.0f} MB; {less} takes less, "
            "and --max-memory allows more"
        )


def _note(packets: int) -> str:
    return (
        f"The trace has {packets} packets, more than are kept one by one: the pictures are made of {Coarse.BINS} intervals over all of "
        "it. Single packets are those at its beginning."
    )
