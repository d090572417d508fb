"""What a replay gave in sentences: the flows that are sparse under each queue, the others, and what no replay knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..base.counts import counted, listed, verb
from ..base.units import percent, rate_text, time_text
from .sparse import QueueRank

#: Queues that have a sentence, and flows that are named.
MOST, NAMED = 6, 3

#: What no replay knows.
SENDERS = (
    "A replay does not know how the senders would have reacted: they send as they did when the trace was recorded, whatever is dropped, "
    "marked or delayed here."
)


def sentences(
    names: Sequence[str], few: Sequence[str], ranks: Sequence[QueueRank], queues: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    """The sentences, the queue with the least delay of sparse flows first.

    Args:
        names: of all flows.
        few: those of the sparse ones.
        ranks: what the queues did to these, or to all flows where each is sparse or none is.
        queues: the rows of the summary by the names of queues.
    """
    if 0 < len(few) < len(names):
        are, they, their = ("is", "it asks", "its") if len(few) == 1 else ("are", "they ask", "their")
        yield f"Sparse {are} {listed(few, NAMED)}: {they} for no more than {their} fair share of the link."
        subject = f"the packets of {listed(few, NAMED)}" if len(few) <= NAMED else "the packets of sparse flows"
    elif len(names) > 1:
        more = "no more than its" if few else "more than its"
        yield f"Every flow asks for {more} fair share of the link: the queues stand in the order of the delay of all packets."
        subject = "all packets"
    else:
        subject = f"the packets of {names[0]}"
    for rank in ranks[:MOST]:
        yield _of_queue(rank, subject, queues[rank.queue])
    if len(ranks) > MOST:
        rest = len(ranks) - MOST
        yield f"{counted(rest, 'other queue')} {verb(rest, 'comes', 'come')} after these."
    yield SENDERS


def _of_queue(rank: QueueRank, subject: str, got: Mapping[str, Any]) -> str:
    if not rank.delay_s >= 0:
        waited = f"{subject} were all dropped"
    else:
        share = percent(rank.drops / rank.packets)
        dropped = (
            f"{rank.drops:,} of {rank.packets:,} ({share}) {verb(rank.drops, 'was', 'were')} dropped"
            if rank.drops
            else "none was dropped"
        )
        waited = f"{subject} waited {time_text(rank.delay_s)} on average, and {dropped}"
    carried = (
        f"the link carried {rate_text(got['throughput_bps'])}, {percent(min(got['utilisation'], 1.0))} of what it could"
    )
    return f"Under {rank.queue} {waited}; {carried}."
