"""Single packets, and what waits at ports."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict


class Packet(TypedDict):
    """A packet at a port."""

    id: int
    flow: str
    seq: int | None
    arrived: float
    #: When its transmission began and ended; null if it was dropped or still waits.
    started: float | None
    left: float | None
    dropped: float | None
    reason: str | None
    bytes: int
    marked: bool
    port: NotRequired[str]


#: The part of a run in which packets are followed, in s.
Followed = TypedDict("Followed", {"from": float, "to": float})


class PacketList(TypedDict):
    """The first packets of a range."""

    packets: list[Packet]
    more: bool
    followed: Followed


class PacketsOfFlow(TypedDict):
    """How many packets of a flow wait."""

    flow: str
    packets: int


class Amount(TypedDict):
    """A number of a decision, by its name."""

    name: str
    value: float | str | None
    unit: str | None
    #: What it means, in a sentence.
    about: str


class Taken(TypedDict):
    """A decision about a packet at one moment, with its numbers."""

    moment: Literal["arrival", "departure"]
    at: float
    decision: Literal["queued", "marked", "dropped", "sent"]
    #: Of a drop.
    reason: str | None
    numbers: list[Amount]


class Decision(TypedDict):
    """What a discipline decided about a packet, as it arrived and as it left."""

    rule: str
    #: What is known of the packet besides the numbers of `taken`.
    numbers: list[Amount]
    #: In the order in which they were taken.
    taken: list[Taken]


class PacketStory(TypedDict):
    """A packet's way through a port."""

    packet: Packet
    waited_behind: list[PacketsOfFlow]
    decision: Decision | None
    story: list[str]
    followed: Followed


class QueueState(TypedDict):
    """What waits at a port."""

    port: str
    packets: int
    by_flow: list[PacketsOfFlow]


class NetworkState(TypedDict):
    """What waits at each port at a time; single packets are followed up to `until`."""

    queues: list[QueueState]
    until: float
    followed: Followed
