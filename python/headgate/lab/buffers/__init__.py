"""The smallest buffer with which a link stays busy, beside two rules: runs with buffers of a grid, then with some between two of them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from itertools import takewhile
from typing import Any, Unpack

from ...base.errors import HeadgateError
from ...stats.means import finite, mean_of
from ..frame.jobs import Where, started
from ..frame.part import Place, Wanted
from ..frame.places import PACKET, contents, dumbbell, flow, rate_text, time_text
from ..frame.subjects import Judged, takes_buffer
from ..frame.work import RunJob, do

#: What is measured of each run, by the key of the answer.
MEASURED = {"utilisation": Wanted("utilisation"), "wait_s": Wanted("queueing_mean"), "loss": Wanted("loss")}

#: The rules: a bandwidth-delay product over this power of the number of flows; and their sources.
RULES = {"1 BDP": (0.0, "Villamizar and Song 1994"), "BDP/sqrt(n)": (0.5, "Appenzeller, Keslassy and McKeown 2004")}

#: Powers of two of the grid: the first of the lesser rule, the last of one product. And packets that a buffer has at least.
FIRST, LAST, PACKETS = -6, 2, 2

#: Buffers between the answer of the grid and the next smaller one; and from how many times the answer on a rule asks for more than needed.
BETWEEN, MORE = 3, 2.0

#: A run has so many sawteeth of Reno, or round trips, with at most so many packets, but so many round trips in any case.
TEETH, TRIPS, LONGEST, LEAST = 15, 500, 400_000, 50

#: A buffer: its size in `packets` and in `bdps`, and of what is measured the mean and half of its 95 % interval.
Point = dict[str, Any]


def buffer(
    rate: float, rtt: float, control: Judged, queue: Judged, flows: int = 1, busy: float = 0.98, seeds: int = 3, **where: Unpack[Where]
) -> dict[str, Any]:  # fmt: skip
    """Finds the smallest buffer with which a link stays busy: with it, and with each larger one that was tried.

    The rate is in bit/s, the round trip without queues in s. All flows have one flow control, and send all the time. The link is busy
    from the utilisation `busy` on. Each buffer has a run for each seed; `where` is that of `headgate.lab.frame.jobs`.

    Raises:
        HeadgateError: an argument is out of its range, or a run fails.
    """
    product = rate * rtt / 8 / PACKET
    if not 0.01 <= busy <= 0.9999:
        raise HeadgateError(f"--busy: found {busy:g}; expected 0.01 to 0.9999")
    if "buffer" in queue.table or not takes_buffer(queue):
        raise HeadgateError(f"--queue: found {queue.text}; expected a discipline that takes a buffer, and none in it")
    if not product >= 1:
        raise HeadgateError(f"RATE, RTT: found a path of {product:.2g} packets of {PACKET} bytes; expected at least 1")
    seconds = max(min(max(TEETH * 1.5 * product / flows, TRIPS) * rtt, LONGEST * 8 * PACKET / rate), LEAST * rtt)
    place = Place(seconds, seconds / 3, [(0.0, rate)])
    sizes = {name: _size(product / flows**power) for name, (power, _) in RULES.items()}
    first = FIRST - math.ceil(math.log2(flows) / 2)
    found: dict[int, Point] = {}

    def job(packets: int, seed: int) -> RunJob:
        # Flows begin within ten round trips.
        starts = [time_text(10 * rtt * (i * 0.618034 % 1)) for i in range(flows)]
        own = [flow(f"own{i}", f"near{i}", control.table, control.transport, start=t) for i, t in enumerate(starts)]
        port = {"queue": {**queue.table, "buffer": f"{packets}pkt"}}
        line = {"rate": rate_text(rate), "delay": time_text(rtt / 2), **port}
        parts = dumbbell({f"near{i}": {} for i in range(flows)}, line, rate_text(10 * rate))
        text = json.dumps(
            contents("buffer", place, seconds / 60, parts, own, plugins=[*control.plugins, *queue.plugins])
        )
        return RunJob(text, seed, tuple(MEASURED.values()), place)

    def make(wanted: Iterable[int]) -> None:
        jobs = {packets: [job(packets, seed) for seed in range(1, seeds + 1)] for packets in wanted}
        runner.make(each for row in jobs.values() for each in row)
        for packets, row in jobs.items():
            runs = [runner.get(each) for each in row]
            if fault := next((run["fault"] for run in runs if "fault" in run), None):
                raise HeadgateError(f"{packets} packets: {fault}")
            found[packets] = {"packets": packets, "bdps": packets / product}
            for name, values in zip(MEASURED, zip(*(run["values"] for run in runs), strict=True), strict=True):
                mean = mean_of([math.nan if value is None else value for value in values])
                found[packets][name] = [finite(mean.mean), finite(mean.half)]

    asked = {"rate": rate, "rtt": rtt, "flows": flows, "control": control.table, "queue": queue.table}
    with started("buffer", asked, do, where) as runner:
        make({_size(product * 2.0**k) for k in range(first, LAST + 1)} | {*sizes.values()})
        best = smallest(found.values(), busy)
        if best is not None and (less := max((size for size in found if size < best["packets"]), default=0)):
            step = (best["packets"] / less) ** (1 / (BETWEEN + 1))
            make({_size(less * step**k) for k in range(1, BETWEEN + 1)} - {*found})
            best = smallest(found.values(), busy)
    return {
        "rate_bps": rate, "rtt_s": rtt, "flows": flows, "control": control.text, "queue": queue.text, "busy": busy,
        "bdp_packets": product, "duration_s": seconds, "runs": seeds * len(found), "smallest": best,
        "rules": [
            {"name": name, "source": RULES[name][1], "verdict": verdict(found[size], best, busy), "buffer": found[size]}
            for name, size in sizes.items()
        ],
        "buffers": [found[size] for size in sorted(found)],
    }  # fmt: skip


def smallest(points: Iterable[Point], busy: float) -> Point | None:
    """The smallest buffer from which on the mean utilisation is at least `busy`."""
    downwards = sorted(points, key=lambda point: -point["packets"])
    return next(reversed([*takewhile(lambda point: point["utilisation"][0] >= busy, downwards)]), None)


def verdict(rule: Point, best: Point | None, busy: float) -> str:
    """What the buffer of a rule is on this link; open if the interval of the utilisation has `busy` in it."""
    mean, half = rule["utilisation"]
    if abs(mean - busy) < (half or 0.0):
        return "not decided"
    if best is None or rule["packets"] < best["packets"]:
        return "too little"
    return "more than needed" if rule["packets"] >= MORE * best["packets"] else "enough"


def _size(packets: float) -> int:
    return max(PACKETS, round(packets))
