"""The scenarios in which a contract is measured: one flow or two with a deep buffer, with losses, or with a delay of one flow alone."""

from __future__ import annotations

from typing import Any

from ...scenario.baselines import PLAIN
from ..frame.part import Place
from ..frame.places import PACKET, contents, dumbbell, flow, rate_text, time_text
from ..frame.subjects import Judged, null_flow

#: Buffers of the lines whose delay is measured, in bandwidth-delay products.
DEEP = 10.0

#: Rates of the line before, over the rate that is measured: an equilibrium reached from below, and one from above.
FROM = (0.25, 4.0)

#: How often the delay of one flow is absent, so that its least round trip stays known, and for how long beyond the delay, in s. Controls
#: that forget do so after 10 s; three round trips of 40 ms are enough for a sample. No packet overtakes those that are still delayed.
EVERY, ABSENT = 9.0, 0.12


def place(
    control: Judged,
    rate: float,
    rtt: float,
    length: float,
    *,
    flows: int = 1,
    buffer: float = DEEP,
    loss: float = 0.0,
    delay: float = 0.0,
    before: float = 1.0,
) -> tuple[dict[str, Any], Place]:
    """The contents of a scenario, and what the metrics have to know of it.

    Args:
        control: of all flows.
        rate: of the line, in bit/s.
        rtt: propagation round trip, in s.
        length: of the run, in s; the first third is not measured.
        flows: how many, all over equal paths.
        buffer: in bandwidth-delay products.
        loss: share of the packets that the line loses at random.
        before: how many times this rate the line has in the first sixth of the run.
        delay: of the first flow's packets beside the propagation, in s: there but for `ABSENT`, and its own length, in each `EVERY`.
    """
    packets = max(20, round(buffer * rate * rtt / 8 / PACKET))
    hosts: dict[str, dict[str, Any]] = {}
    made: list[dict[str, Any]] = []
    for i in range(1, flows + 1):
        hosts[f"near{i}"] = {}
        # Starts differ, so that no two flows run in step.
        start = time_text((i - 1) * 0.7 * rtt)
        own = flow(f"own{i}", f"near{i}", control.table, control.transport, start=start)
        made.append(null_flow(own, control.null, min(rate, 1e7), rtt) if control.null else own)
    line: dict[str, Any] = {"rate": rate_text(before * rate), "delay": time_text(rtt / 2)}
    line["queue"] = {"kind": PLAIN, "buffer": f"{packets}pkt"}
    if loss:
        line["loss"] = {"forward": {"kind": "bernoulli", "probability": loss}}
    events = [
        {"at": time_text(k * EVERY + since), "link": "access-near1", "direction": "forward", "delay": time_text(extra)}
        for k in range(int(length / EVERY) + 1 if delay else 0)
        for since, extra in ((ABSENT + delay, delay), (EVERY, 0.0))
        if k * EVERY + since < length
    ]
    if before != 1.0:
        events = [{"at": time_text(length / 6), "link": "line", "rate": rate_text(rate)}]
    where = Place(length, length / 3, [(0.0, rate)])
    # The noise is a packet time of the rate that is measured: "1pkt" is one of the rate before.
    return contents(
        "contract", where, max(0.1, length / 400), dumbbell(hosts, line, rate_text(10 * rate * max(1.0, before))), made,
        noise=time_text(8 * PACKET / rate), events=events, plugins=control.plugins,
    ), where  # fmt: skip
