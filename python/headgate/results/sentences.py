"""The results of a run in sentences: the share of each flow, and the waiting time of packets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..base.units import scale_of
from .groups import MOST, groups

if TYPE_CHECKING:
    from .groups import FlowGroup
    from .results import Results
    from .summaries import ClassSummary, FlowSummary, LinkSummary

#: The columns of flows with the times at which they send in the measured time.
_TIMES = ("start_s", "end_s", "sends_from_s", "sends_until_s")

#: More flows than this are described by their groups.
FEW = 8

#: A flow's goodput changes within the run if its means over the two halves differ by more than this part of their sum.
CHANGES = 0.2

#: A share that is off the flow's due by more than this part rests on few events with fewer round trips, or losses and marks, than these.
OFF, TRIPS, LOSSES = 0.2, 200, 20


def sentences(results: Results) -> Iterator[str]:
    """Sentences about the flows, one by one or, if they are many, by groups; about transfers, the busiest port, and fairness."""
    if results.flow_count <= FEW:
        yield from (_of_flow(flow, results) for flow in results.flow_summaries())
    else:
        yield from (_of_group(group) for group in groups(results)[:MOST])
    yield from (_of_class(found) for found in results.class_summaries()[:MOST])
    yield from _unsettled(results)
    ports = [x for x in results.link_summaries() if x.queue != "host" and x.utilisation.mean > 0]
    if ports:
        yield _of_port(max(ports, key=lambda x: x.utilisation.mean), results)
    jain = results.fairness()["jain_of_max_min"]
    if jain is not None and results.flow_count > 1:
        yield f"Jain's index of the goodputs over their max-min shares is {jain:.3f}; it is 1 if all got the same part of their share."


def _of_flow(flow: FlowSummary, results: Results) -> str:
    if flow.goodput_bps.mean == 0 and flow.max_min_bps == 0:
        intervals = results.intervals
        before = int(intervals["unique_bytes"][intervals["flow"] == flow.flow].sum())
        if before:
            return f"{flow.flow} had sent all that it had before the measured part of the run began."
        return f"{flow.flow} had nothing to send in the measured part of the run."
    if flow.goodput_bps.mean == 0:
        return f"{flow.flow} got nothing through."
    got = f"{flow.flow} got {rate_text(flow.goodput_bps.mean)}{_share(flow.goodput_bps.mean, flow.max_min_bps)}"
    wait = flow.queueing_s.mean
    if not wait >= 0:
        return f"{got}."
    # What a packet takes without waiting is the same for all of one length.
    high = flow.owd_quantiles_s["p95"] - (flow.owd_s.mean - wait)
    waited = f"its packets waited {time_text(wait)} on average"
    if high > wait and math.isfinite(high):
        waited += f", 95 % of them less than {time_text(high)}"
    trip = f", and its round trips took {time_text(flow.rtt_s.mean)}" if flow.rtt_s.mean >= 0 else ""
    return f"{got}; {waited}{trip}."


def _unsettled(results: Results) -> Iterator[str]:
    """Sentences about flows with endless data whose shares may be others in a longer run; of many flows some always change."""
    if results.flow_count > FEW:
        return
    halves = halves_bps(results)
    moved = {name: abs(b - a) for name, (a, b) in halves.items() if abs(b - a) > CHANGES * (a + b)}
    if moved:
        name = max(moved, key=moved.__getitem__)
        first, second = map(rate_text, halves[name])
        others = f"; so do {len(moved) - 1} other flows" if len(moved) > 2 else ""
        yield (
            f"The goodput of {name} changes within the run: {first} in the first half of the measured time, {second} in the "
            f"second{others}. A longer run shows where this leads."
        )
    runs = len(results.runs)
    measured = float((results.flows["end_s"] - results.flows["start_s"]).mean())
    for flow in results.flow_summaries():
        got, due, trip = flow.goodput_bps.mean, flow.max_min_bps, flow.rtt_s.mean
        if flow.flow not in halves or flow.flow in moved or not trip > 0 or abs(got - due) <= OFF * due:
            continue
        trips, losses = round(measured / trip), (flow.drops + flow.lost + flow.marks) // runs
        if trips < TRIPS or losses < LOSSES:
            yield (
                f"{flow.flow} had {trips} round trips in the measured time{' of a run' * (runs > 1)}, and {losses} of its packets were "
                "dropped, lost or marked: its share rests on few events, and a longer run may give another one."
            )
            return


def halves_bps(results: Results) -> dict[str, tuple[float, float]]:
    """The goodput of flows with endless data in the two halves of the measured time, in bits/s, as means over the runs.

    Empty with fewer than four intervals; flows that begin or end in the measured time are left out.
    """
    shape = (len(results.runs), results.flow_count)
    flows = {name: results.flows[name].reshape(shape)[0] for name in ("flow", "demand_bps", *_TIMES)}
    intervals = {
        name: results.intervals[name].reshape(shape[0], -1, shape[1]) for name in ("start_s", "end_s", "unique_bytes")
    }
    spans = (intervals["end_s"] - intervals["start_s"])[0, :, 0]
    # The last one may be a rest.
    measured = (intervals["start_s"][0, :, 0] >= flows["start_s"][0]) & (spans > 0.99 * spans.max(initial=0.0))
    start, end, got = (column[:, measured] for column in intervals.values())
    count = got.shape[1] // 2
    if count < 2:
        return {}
    endless = np.isinf(flows["demand_bps"]) & (flows["sends_from_s"] == flows["start_s"])
    endless &= flows["sends_until_s"] == flows["end_s"]
    # Of an odd number the middle one belongs to neither half.
    goodput = 8 * got / (end - start)
    first, second = (part.mean(axis=(0, 1)) for part in (goodput[:, :count], goodput[:, -count:]))
    return {str(flows["flow"][i]): (float(first[i]), float(second[i])) for i in np.flatnonzero(endless)}


def _of_group(group: FlowGroup) -> str:
    if group.flows == 1:
        got = f"{group.name} got {rate_text(group.goodput_bps.mean)}{_share(group.goodput_bps.mean, group.max_min_bps)}"
    else:
        least, most = rate_text(group.least_bps), rate_text(group.most_bps)
        got = (
            f"{group.name}, {group.flows} flows, got {rate_text(group.goodput_bps.mean)} together"
            f"{_share(group.goodput_bps.mean, group.max_min_bps)}, each {least if least == most else f'from {least} to {most}'}"
        )
    wait, pronoun = group.queueing_s.mean, "its" if group.flows == 1 else "their"
    return f"{got}; {pronoun} packets waited {time_text(wait)} on average." if wait >= 0 else f"{got}."


def _of_class(found: ClassSummary) -> str:
    within = "in the measured part of the run"
    if found.started == 0:
        return f"{found.name} began no transfer {within}."
    if found.started == 1:
        end = f"it took {time_text(found.fct_s['mean'])}" if found.finished else "it was not complete at the end"
        return f"{found.name} had one transfer {within}, and {end}."
    had = f"{found.name} had {found.started} transfers {within}"
    if found.finished == 0:
        return f"{had}, of which none was complete at the end."
    mean, high = time_text(found.fct_s["mean"]), time_text(found.fct_s["p95"])
    return f"{had}; the {found.finished} that were complete at the end took {mean} on average, and 95 % of them at most {high}."


def _of_port(port: LinkSummary, results: Results) -> str:
    drops, sent = sum(port.drops.values()), int(results.links["sent"][results.links["link"] == port.link].sum())
    dropped = (
        f"dropped {drops} packets, {percent(drops / (drops + sent))} of those that came" if drops else "dropped none"
    )
    lost = f" The link itself lost {port.lost} packets." if port.lost else ""
    return (
        f"The link {port.link} was busy {percent(min(port.utilisation.mean, 1.0))} of the time; its queue ({port.queue}) held "
        f"{port.backlog.mean:.1f} packets on average, {port.backlog_max} at most, and {dropped}.{lost}"
    )


def _share(got: float, due: float) -> str:
    return f", {percent(got / due)} of the max-min share of {rate_text(due)}" if due > 0 and math.isfinite(due) else ""


def percent(share: float) -> str:
    """A share in per cent.

    >>> percent(0.9968), percent(0.0123), percent(0.00004)
    ('99.7 %', '1.2 %', 'less than 0.1 %')
    """
    return f"{100 * share:.1f} %".replace(".0 %", " %") if share >= 0.0005 else "less than 0.1 %"


def rate_text(bps: float) -> str:
    """A rate with three digits.

    >>> rate_text(19_970_000), rate_text(999_990_000)
    ('20 Mbit/s', '1 Gbit/s')
    """
    bps = float(f"{bps:.3g}")
    factor, unit = scale_of("bit/s", [bps])
    return f"{bps * factor:.3g} {unit}"


def time_text(s: float) -> str:
    """A time with three digits.

    >>> time_text(0.0123), time_text(0.99999)
    ('12.3 ms', '1 s')
    """
    s = float(f"{s:.3g}")
    factor, unit = scale_of("s", [s])
    return f"{s * factor:.3g} {unit}"
