"""The results of a run in sentences: the share of each flow, and the waiting time of packets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..base.catalogue import catalogue
from ..base.counts import counted, listed, verb
from ..base.units import LEAST_TIME, percent, rate_text, time_text
from .acknowledgements import Acknowledgements
from .groups import MOST, groups
from .metrics import GOODPUT

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

#: A share that is off the flow's due by more than this part rests on few events with fewer round trips, or losses and marks, than these;
#: losses do not count for a flow control by delay.
OFF, TRIPS, LOSSES = 0.2, 200, 20

#: A flow whose control slows down when the delay of its packets grows is starved if it gets less than this part of its share, the same in
#: both halves of at least so many round trips: it reacts in each of them.
STARVED, REACTIONS = 0.5, 50

#: Acknowledgements are told of where they took more than this part of a line, and their waits where these are more than that part of a
#: round trip.
ACKS, BACK = 0.02, 0.1

#: The high waits of a flow are told where the quantile is at least this part of what is said, or exact: of so many packets.
KNOWN, EXACT = 0.5, 32

#: Workloads whose rate is another one over any time than in the long run, though their share of a line goes by that.
RANDOM = ("on_off", "poisson", "telnet")

#: More than its share a flow has that gets this many times as much: means of intervals that have an unequal length are off by less.
ROUNDED = 1.0005

#: Ports that sent nothing and have a sentence each.
MOST_BLOCKED = 3


def sentences(results: Results, whole_s: float | None = None) -> Iterator[str]:
    """Sentences about the flows, one by one or, if they are many, by groups; about transfers, ports, and fairness.

    Args:
        results: of a run.
        whole_s: the duration of the whole run in s, where these results are of its first part: the sentences say so.
    """
    yet = "" if whole_s is None else " so far"
    if whole_s is not None:
        end = float(results.flows["end_s"].max(initial=0.0))
        yield f"The run goes on: these are the numbers so far, of the first {time_text(end)} of {time_text(whole_s)}."
    if results.flow_count <= FEW:
        back = Acknowledgements(results)
        for i, flow in enumerate(results.flow_summaries()):
            yield _of_flow(flow, results, (back.wait_s(i), back.share(i)), yet)
    else:
        yield from (_of_group(group, yet) for group in groups(results)[:MOST])
    yield from (_of_class(found, yet) for found in results.class_summaries()[:MOST])
    if whole_s is None:
        yield from unsettled(results)
    yield from _of_ports(results, yet)
    jain = results.fairness()["jain_of_max_min"]
    if jain is not None and results.flow_count > 1:
        yield (
            f"Jain's index of the goodputs over their max-min shares is {jain:.3f}{yet}; it is 1 if all got the same part of their share."
        )


def _of_flow(flow: FlowSummary, results: Results, acknowledged: tuple[float, float], yet: str) -> str:
    """`acknowledged`: the mean wait of its acknowledgements, and the share of its line that those of other flows took."""
    back_s, acks = acknowledged
    if flow.goodput_bps.mean == 0 and flow.max_min_bps == 0:
        intervals = results.intervals
        before = int(intervals["unique_bytes"][intervals["flow"] == flow.flow].sum())
        if before:
            return f"{flow.flow} had sent all that it had before the measured part of the run began."
        return f"{flow.flow} had nothing to send in the measured part of the run."
    if flow.goodput_bps.mean == 0:
        return f"{flow.flow} got nothing through{yet}."
    due = flow.max_min_bps
    got = f"{flow.flow} got {rate_text(flow.goodput_bps.mean)}{yet}{_share(flow.goodput_bps.mean, due)}"
    if flow.workload in RANDOM and flow.goodput_bps.mean > ROUNDED * due and math.isclose(due, _asked(flow, results)):
        # No share of a line holds it to that.
        got = f"{flow.flow} got {rate_text(flow.goodput_bps.mean)}{yet}; in the long run it asks for {rate_text(due)}"
    if acks >= ACKS and flow.goodput_bps.mean < (1 - ACKS) * due < math.inf:
        got += f" ({percent(acks)} of its line went to acknowledgements of data in the other direction, which the share does not count)"
    wait = flow.queueing_s.mean
    if not wait >= 0:
        return f"{got}."
    waited = f"its packets waited {time_text(wait)} on average"
    high = _high_wait(flow)
    if high > wait and high >= LEAST_TIME:
        waited += f", 95 % of them less than {time_text(high)}"
    trip = f", and its round trips took {time_text(flow.rtt_s.mean)}" if flow.rtt_s.mean >= 0 else ""
    if trip and back_s >= BACK * flow.rtt_s.mean:
        trip += f", of which its acknowledgements waited {time_text(back_s)} in queues on the way back"
    return f"{got}; {waited}{trip}."


def _asked(flow: FlowSummary, results: Results) -> float:
    """What a flow asks for in bit/s, as a mean over the runs."""
    return float(results.flows["demand_bps"][results.flows["flow"] == flow.flow].mean())


def _high_wait(flow: FlowSummary) -> float:
    """The 95 % quantile of the waits of a flow's packets; nan where it is not known to half of it.

    It is that of the delays less what a packet takes without waiting, which is the same for all of one length. Delays are counted in
    buckets of a part of the whole delay, so a quantile that is far shorter than the way itself is mostly the width of a bucket.
    """
    without, quantile = flow.owd_s.mean - flow.queueing_s.mean, flow.owd_quantiles_s["p95"]
    if not math.isfinite(quantile) or quantile <= 0:
        return math.nan
    # 32 buckets to the octave, which begins with a power of 2 of picoseconds.
    width = 2.0 ** (math.frexp(quantile * 1e12)[1] - 6) * 1e-12
    exact = flow.received <= EXACT
    least = quantile if exact else math.floor(quantile / width - 1e-6) * width
    return quantile - without if least - without >= KNOWN * (quantile - without) else math.nan


def unsettled(results: Results) -> Iterator[str]:
    """Sentences about flows with endless data whose shares may be others in a longer run, and about those that are starved and stay so.

    Of many flows some always change.
    """
    if results.flow_count > FEW:
        return
    halves = halves_bps(results)
    moved = {name: abs(b - a) for name, (a, b) in halves.items() if abs(b - a) > CHANGES * (a + b)}
    if moved:
        first, *others = sorted(moved, key=lambda name: -moved[name])
        before, after = map(rate_text, halves[first])
        too = (
            f"; {verb(len(others), 'that', 'those')} of {listed(others)} {verb(len(others), 'does', 'do')} too"
            if others
            else ""
        )
        yield (
            f"The goodput of {first} changes within the run: {before} in the first half of the measured time, {after} in the "
            f"second{too}. A longer run shows where this leads."
        )
    runs = len(results.runs)
    measured = float((results.flows["end_s"] - results.flows["start_s"]).mean())
    few: list[tuple[bool, str]] = []
    starved = False
    by_delay = {name for name, entry in catalogue("controls").items() if entry.by_delay}
    for flow in results.flow_summaries():
        got, due, trip = flow.goodput_bps.mean, flow.max_min_bps, flow.rtt_s.mean
        if flow.flow not in halves or flow.flow in moved or not trip > 0 or abs(got - due) <= OFF * due:
            continue
        trips, losses = round(measured / trip), (flow.drops + flow.lost + flow.marks) // runs
        if flow.control in by_delay and got < due and trips >= REACTIONS:
            # It slows down for the delay that it measures in each round trip, and loses few packets because it does.
            if got < STARVED * due:
                starved = True
                yield (
                    f"{flow.flow} is starved: {flow.control} slows down when packets wait, and the others keep them waiting. It got about "
                    f"the same in both halves of the measured time, {percent(got / due)} of its share, so a longer run will hardly give "
                    "more."
                )
        elif trips < TRIPS or losses < LOSSES:
            had = (
                f"{flow.flow} had {counted(trips, 'round trip')} in the measured time{' of a run' * (runs > 1)}, and {losses} of its "
                f"packets {verb(losses, 'was', 'were')} dropped, lost or marked"
            )
            few.append((got > due, had))
    # What a starved flow leaves, the others have.
    told = [had for more, had in few if not (more and starved)]
    if told:
        its = verb(len(told), "its share rests", "their shares rest")
        other = verb(len(told), "another one", "others")
        yield f"{'; '.join(told)}: {its} on few events, and a longer run may give {other}."


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
    count = int(measured.sum()) // 2
    if count < 2:
        return {}
    endless = np.isinf(flows["demand_bps"]) & (flows["sends_from_s"] == flows["start_s"])
    endless &= flows["sends_until_s"] == flows["end_s"]
    # Of an odd number the middle one belongs to neither half.
    goodput = GOODPUT({name: column[:, measured] for name, column in intervals.items()})
    first, second = (part.mean(axis=(0, 1)) for part in (goodput[:, :count], goodput[:, -count:]))
    return {str(flows["flow"][i]): (float(first[i]), float(second[i])) for i in np.flatnonzero(endless)}


def _of_group(group: FlowGroup, yet: str) -> str:
    if group.flows == 1:
        got = f"{group.name} got {rate_text(group.goodput_bps.mean)}{yet}{_share(group.goodput_bps.mean, group.max_min_bps)}"
    else:
        least, most = rate_text(group.least_bps), rate_text(group.most_bps)
        got = (
            f"{group.name}, {counted(group.flows, 'flow')}, got {rate_text(group.goodput_bps.mean)} together{yet}"
            f"{_share(group.goodput_bps.mean, group.max_min_bps)}, each {least if least == most else f'from {least} to {most}'}"
        )
    wait, pronoun = group.queueing_s.mean, verb(group.flows, "its", "their")
    return f"{got}; {pronoun} packets waited {time_text(wait)} on average." if wait >= 0 else f"{got}."


def _of_class(found: ClassSummary, yet: str) -> str:
    within = f"in the measured part of the run{yet}"
    if found.started == 0:
        return f"{found.name} began no transfer {within}."
    if found.started == 1:
        end = f"it took {time_text(found.fct_s['mean'])}" if found.finished else "it was not complete at the end"
        return f"{found.name} had one transfer {within}, and {end}."
    had = f"{found.name} had {counted(found.started, 'transfer')} {within}"
    if found.finished == 0:
        return f"{had}, of which none was complete at the end."
    mean, high = time_text(found.fct_s["mean"]), time_text(found.fct_s["p95"])
    if found.finished == 1:
        return f"{had}; the one that was complete at the end took {mean}."
    return f"{had}; the {found.finished} that were complete at the end took {mean} on average, and 95 % of them at most {high}."


def _of_ports(results: Results, yet: str) -> Iterator[str]:
    """The busiest port, that with most drops, and those that sent nothing."""
    ports = results.active_ports()
    if not ports:
        return
    busiest, lossy = max(ports, key=lambda x: x.utilisation.mean), max(ports, key=lambda x: x.dropped)
    chosen = [busiest, *([lossy] if lossy.dropped else []), *[x for x in ports if x.blocked][:MOST_BLOCKED]]
    for port in {x.link: x for x in chosen}.values():
        yield _of_port(port, results, yet)


def _of_port(port: LinkSummary, results: Results, yet: str) -> str:
    own = results.links["link"] == port.link
    drops, sent = port.dropped, int(results.links["sent"][own].sum())
    dropped = f"dropped {counted(drops, 'packet')}" if drops else "dropped none"
    lost = f" The link itself lost {counted(port.lost, 'packet')}." if port.lost else ""
    if port.blocked:
        what = f"The link {port.link} sent nothing in the measured part of the run{yet}"
    elif bool((results.links["capacity_bps"][own] != results.links["rate_bps"][own]).any()) or _is_traced(
        port, results
    ):
        what = f"The link {port.link} used {percent(port.utilisation.mean)} of what it offered"
    else:
        what = f"The link {port.link} was busy {percent(port.utilisation.mean)} of the time"
    if drops and sent:
        dropped += f", {percent(drops / (drops + sent))} of those that came{yet}"
    held = f"held {port.backlog.mean:.1f} packets on average, {port.backlog_max} at most"
    return f"{what}; its queue ({port.queue}) {held}, and {dropped}.{lost}"


def _is_traced(port: LinkSummary, results: Results) -> bool:
    """Whether the rate of the port's line follows a trace."""
    name, way = port.link.removesuffix(":reverse"), "reverse" if port.link.endswith(":reverse") else "forward"
    rate = next((link["rate"] for link in results.scenario["links"] if link["name"] == name), "")
    if isinstance(rate, dict) and "kind" not in rate:
        rate = rate[way]
    return isinstance(rate, dict)


def _share(got: float, due: float) -> str:
    return f", {percent(got / due)} of the max-min share of {rate_text(due)}" if due > 0 and math.isfinite(due) else ""
