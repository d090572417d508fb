"""Runs and their views."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from .start import ErrorBody


class FlowResult(TypedDict):
    """What a flow got."""

    name: str
    control: str
    workload: str | None
    #: Its place among all flows, which chooses its colour.
    colour: int
    weight: float | None
    goodput_bps: float | None
    share: float | None
    max_min_bps: float | None
    ideal_share: float | None
    rtt_ms: float | None
    queueing_ms: float | None
    lost: float | None
    marks: float | None
    retransmissions: float | None
    #: Of a replay: what came, how many packets were sent, and the 99 % quantile and the maximum of the queueing delay.
    packets: NotRequired[int]
    bytes: NotRequired[int]
    sent: NotRequired[int]
    p99_ms: NotRequired[float | None]
    max_ms: NotRequired[float | None]


class ClassDelay(TypedDict):
    """The delay of a class of flows: of its worst flow."""

    name: Literal["sparse", "bulk"]
    flows: int
    worst: str | None
    queueing_ms: float | None


class TransferResult(TypedDict):
    """The completion times of a class of transfers that began after the warm-up, in s; the slowdown is over the least possible time."""

    name: str
    started: int
    finished: int
    mean_s: float | None
    p50_s: float | None
    p95_s: float | None
    p99_s: float | None
    slowdown: float | None


class PortResult(TypedDict):
    """What a port of a gateway did."""

    name: str
    rate_bps: float | None
    discipline: str
    utilisation: float | None
    drops: float | None
    marks: float | None
    mean_queue: float | None
    queueing_ms: float | None


class NetNode(TypedDict):
    """A node of the picture of the network, with its place from 0 to 1."""

    name: str
    kind: Literal["host", "hosts", "gateway"]
    x: float
    y: float


NetLink = TypedDict("NetLink", {"name": str, "from": str, "to": str, "rate": float | None, "port": str | None})


class NetworkPicture(TypedDict):
    """The network of a scenario as a picture."""

    nodes: list[NetNode]
    links: list[NetLink]


class SeriesName(TypedDict):
    """A line of a view, and the flow that it is about."""

    name: str
    flow: str | None


class ViewInfo(TypedDict):
    """A picture of a run over time: `steps` says that a value holds until the next point, `stacked` that values add up."""

    name: str
    title: str
    unit: str
    stacked: bool
    steps: bool
    series: list[SeriesName]


class RunDone(TypedDict):
    """A finished run, or the first part of one."""

    run: str
    kind: NotRequired[Literal["replay"]]
    digest: str
    seed: int
    #: Of a simulation: the number of the run among those with this seed.
    replication: NotRequired[int]
    events: int
    duration: float
    #: The time up to which it reaches: that of a first part is less than `duration`.
    until: float
    #: Seconds that it took.
    seconds: float
    note: str | None
    #: Of a simulation: a line that says which host noise it had; empty if it had none.
    noise: NotRequired[str]
    flows: list[FlowResult]
    #: Flows that are not listed one by one.
    more_flows: int
    ports: list[PortResult]
    #: Of a simulation: the delay of each class of flows, and completion times, if there are transfers.
    delays: NotRequired[list[ClassDelay]]
    transfers: NotRequired[list[TransferResult]]
    jain_of_max_min: float | None
    sentences: list[str]
    network: NetworkPicture
    views: list[ViewInfo]
    #: Of a replay: what a packet waits on average, sentences about the trace, its packets so far, the 99 % quantile of the queueing delay,
    #: and whether the discipline drew random numbers.
    delay_under_load_ms: NotRequired[float | None]
    about: NotRequired[list[str]]
    packets: NotRequired[int]
    p99_ms: NotRequired[float | None]
    random: NotRequired[bool]


class FlowPhaseResult(TypedDict):
    """A flow with each level of host noise: its part of all goodput and the mean wait of its packets, and by how much they move."""

    flow: str
    shares: list[float]
    share_moves: float
    queueing_s: list[float | None]
    queueing_moves_s: float | None
    #: Its share depends on the phase of arrivals.
    depends: bool


class PhaseDone(TypedDict):
    """Whether the shares of a run depend on the phase of arrivals."""

    #: Flows may keep in step with a queue; otherwise nothing was run, and nothing depends on the phase.
    in_step: bool
    noise: list[str]
    depends: bool
    #: What that means; empty if nothing depends on it.
    sentence: str
    flows: list[FlowPhaseResult]
    #: Flows that are not listed, whose shares move less.
    more_flows: int


class PhaseLine(TypedDict):
    """A line of the answer to a phase check: one of these."""

    progress: NotRequired[float]
    done: NotRequired[PhaseDone]
    error: NotRequired[ErrorBody]


class RunLine(TypedDict):
    """A line of the answer to a run: one of these."""

    progress: NotRequired[float]
    preview: NotRequired[RunDone]
    done: NotRequired[RunDone]
    error: NotRequired[ErrorBody]


class SeriesPoints(TypedDict):
    """The points of a line, reduced."""

    name: str
    t: list[float]
    y: list[float | None]


SeriesData = TypedDict(
    "SeriesData",
    {
        "view": str,
        "unit": str,
        "from": float,
        "to": float,
        "series": list[SeriesPoints],
        #: Of a rate: the length in s of the intervals that its values are means of.
        "interval": NotRequired[float],
    },
)
