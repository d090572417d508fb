"""A common question without a file: some flows over one link between two gateways."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from .. import _core
from ..base.catalogue import parameter_names
from ..base.errors import HeadgateError, cut, unknown
from ..base.short_names import shorthands
from ..scenario.baselines import PLAIN
from ..scenario.scenario import Scenario
from .amounts import quantity, read, read_buffer, read_share, share, text_of, together
from .defaults import SAME, TRANSPORTS, complete
from .flows import GRAMMAR, Flows, is_flow, parse
from .presets import PRESETS, Preset, preset
from .queues import back_queue, has_size, plain, queue_of
from .reader import read_line
from .shaper import BUFFER, QUEUE, SWEEP, in_the_modem, network, shaper_of, too_fast

if TYPE_CHECKING:
    from ..base.parallel import Progress
    from .sweeping import ShaperSweep

__all__ = [
    "PRESETS",
    "Flows",
    "Preset",
    "finely",
    "is_flow",
    "notes",
    "parse",
    "preset",
    "read_line",
    "scenario",
    "shaper_said",
    "shaper_sweep",
]


#: Picoseconds that a run goes on behind the last start or end of a flow, unless its duration is given.
LATER = 10 * 10**12


def scenario(
    rate: str,
    rtt: str,
    flows: str | Sequence[str],
    queue: str = PLAIN,
    buffer: str | None = None,
    duration: str | None = None,
    seed: int | None = None,
    noise: str = "1pkt",
    *,
    up: str | None = None,
    up_queue: str | None = None,
    up_flows: str | Sequence[str] = (),
    loss: str | None = None,
    jitter: str | None = None,
    shaper: str | None = None,
    transport: str = SAME,
    link: Mapping[str, Any] | None = None,
) -> Scenario:
    """Flows over one link between two gateways, each between its own hosts.

    Transfers that end, and have no start time, start where the measured part of the run begins.

    Args:
        rate: of the link; the links of hosts are ten times as fast.
        rtt: the round-trip time without queueing and transmission; a flow may have another one.
        flows: as `jk_reno*2,cbr:64kbit/s`: names of flow controls, workloads or short names (`headgate list short-names`), each with its
            number and its parameters.
        queue: the discipline of the link, as `fq`, `red:max_p=0.1,gentle=true` or `fq:aqm=red`.
        buffer: of the discipline; a bandwidth-delay product, and at least 10 packets of 1000 bytes, unless given.
        duration: simulated time; 1000 round trips, and at least 10 s, or 70 s with `web` or `video`, unless given.
        seed: of all random streams.
        noise: of the hosts, as `1pkt` or `50us` or a bare number of packet times; `0` for none.
        up: the rate in the other direction, in which acknowledgements return; that of the link unless given.
        up_queue: the discipline of the other direction; that of `queue`, without a rate of its own, unless given.
        up_flows: flows whose data go in the other direction, as uploads do.
        loss: the share of packets and of acknowledgements that the link loses, as `1%` or `0.01`.
        jitter: how much less or more than usual the delay of packets in the direction of the data is, uniformly; they keep their order.
        shaper: the rate to which a router before the modem holds packets, and its queue, as `19Mbit/s:fq_codel`, `45/9` (down and
            up) or `95%`; the link's queues are those of the modem and the provider then, with buffers of 100 ms unless given.
        transport: `same` for one transport of all flow controls that stand beside each other, `own` for that of each, or a preset of the
            transport for all; flows that name one keep it.
        link: other keys of the link, as in a scenario file.

    Raises:
        HeadgateError: an argument is not valid; the error names the place and what was expected.

    >>> scenario("20Mbit/s", "30ms", "jk_reno*2,cbr:64kbit/s", "fq").data["flows"][1]
    {'name': 'cbr', 'from': 's3', 'to': 'd3', 'start_spread': '300ms', 'workload': {'kind': 'cbr', 'rate': '64kbit/s'}, 'control': 'none'}
    """
    together(
        lambda: read("--rate", rate, "bps"),
        lambda: up is None or read("--up", up, "bps"),
        lambda: read("--rtt", rtt, "s"),
        lambda: duration is None or read("--duration", duration, "s"),
        lambda: loss is None or read_share("--loss", loss),
        lambda: jitter is None or read("--jitter", jitter, "s"),
        lambda: _groups(flows, up_flows),
        lambda: queue_of(queue, buffer, 0),
        lambda: up_queue is None or queue_of(up_queue, None, 0, "--up-queue"),
        lambda: _noise(noise),
        lambda: _known_transport(transport),
    )
    rate, rtt = read("--rate", rate, "bps"), read("--rtt", rtt, "s")
    up = None if up is None else read("--up", up, "bps")
    duration = None if duration is None else read("--duration", duration, "s")
    loss = None if loss is None else read_share("--loss", loss)
    buffer = None if buffer is None else read_buffer(buffer)
    bps = quantity("--rate", rate, "bps")
    back_bps = bps if up is None else quantity("--up", up, "bps")
    groups, base, trips = _read(rtt, flows, up_flows)
    router = None if shaper is None else shaper_of(shaper, rate, up, groups)
    if router is not None and buffer is None and not has_size(queue):
        buffer = BUFFER
    least = min(trips)
    seconds = max(shorthands()[g.name].lasts_s if g.name in shorthands() else 10 for g in groups)
    if duration is None:
        length = max(1000 * max(trips), seconds * 10**12, _last(groups) + LATER)
    else:
        length = quantity("--duration", duration, "s")
    data: dict[str, Any] = {"name": "quick", "duration": duration or text_of("s", length)}
    if seed is not None:
        data["seed"] = seed
    hosts = _noise(noise)
    if hosts is not None:
        data["hosts"] = {"noise": hosts}
    line = {
        "rate": rate if up is None else {"forward": rate, "reverse": up},
        "delay": text_of("s", least // 2),
        "queue": queue_of(queue, buffer, bps * base // (8 * 10**12)),
    }
    back = back_queue(queue, up_queue, buffer, back_bps * base // (8 * 10**12))
    line |= {"reverse_queue": back} if back != line["queue"] else {}
    if loss is not None and (probability := share("--loss", loss)):
        line["loss"] = {"kind": "bernoulli", "probability": probability}
    if jitter is not None:
        line |= _jitter(read("--jitter", jitter, "s"), least)
    line |= link or {}
    fast: dict[str, Any] = {"rate": text_of("bps", min(10 * max(bps, back_bps), 2**64 - 1))}
    if router is not None:
        data |= network(line, fast["rate"], [trip - least for trip in trips], [g.count for g in groups], router)
    else:
        data["topology"] = {"kind": "dumbbell", "hosts": sum(g.count for g in groups), "line": line, "access": fast}
        if max(trips) > least:
            delays = [
                text_of("s", (trip - least) // 2) for g, trip in zip(groups, trips, strict=True) for _ in range(g.count)
            ]
            data["topology"] |= {"access": {**fast, "delay": delays}, "exit": fast}
    complete(groups, trips, transport)
    ending = [g for g in groups if _ends(g)]
    if len(ending) == len(groups):
        data["warm_up"] = "0s"
    else:
        for group in ending:
            # The warm-up is a seventh of the run; the next millisecond reads better.
            unit = 10**9 if length > 10**11 else 1
            group.entry["start"] = text_of("s", -(-length // 7 // unit) * unit)
    data["flows"] = _entries(groups, text_of("s", 10 * max(trips)))
    if stops := _stops(groups, data["flows"], length):
        data["events"] = stops
    made = Scenario(data, "quick")
    made.load_plugins()
    return made


def notes(rtt: str, flows: str | Sequence[str], up_flows: str | Sequence[str] = (), transport: str = SAME) -> list[str]:
    """Sentences about what `scenario` chose for flows that do not set it themselves: short names, flow controls, and Linux's transport.

    >>> notes("20ms", "cubic*2,transfer:1MB")
    ['transfer has the flow control cubic, as the flows beside it; transfer:control=reno, for example, names another one.']
    """
    groups, _, trips = _read(rtt, flows, up_flows)
    known = shorthands()
    plain = dict.fromkeys(g.name for g in groups if g.name in known and g.entry == known[g.name].entry)
    return [f"{name} sends {known[name].sends}." for name in plain] + complete(groups, trips, transport)


def _known_transport(transport: str) -> None:
    if transport not in TRANSPORTS:
        raise HeadgateError(f"--transport: {unknown(transport, 'one of ' + ', '.join(TRANSPORTS), TRANSPORTS)}")


def shaper_said(
    flows: str | Sequence[str], up_flows: str | Sequence[str] = (), **given: Any
) -> tuple[list[str], list[str]]:
    """A sentence on the shaper of a scenario with these arguments, and warnings about its rates.

    Where only the link's own queue has a rate, the sentence says that no router is before it.
    """
    up = given.get("up")
    if given.get("shaper") is None:
        return in_the_modem(given.get("queue"), given.get("up_queue")), []
    found = shaper_of(given["shaper"], given["rate"], up, _groups(flows, up_flows))
    return [found.sentence()], too_fast(found, given["rate"], up)


def shaper_sweep(
    flows: str | Sequence[str],
    up_flows: str | Sequence[str] = (),
    *,
    shaper: str = SWEEP,
    progress: Progress | None = None,
    **given: Any,
) -> ShaperSweep:
    """Whether a shaper would help flows, and at which rate: a run without one, and some with it.

    Args:
        flows: as for `scenario`.
        up_flows: those in the other direction.
        shaper: `sweep`, and a queue after a colon.
        progress: called with (share done, runs completed, runs in all).
        given: other arguments of `scenario`, such as its rate and its round trip.

    Raises:
        HeadgateError: an argument is not valid.
    """
    from .sweeping import sweep

    queue = shaper.partition(":")[2]
    groups, _, trips = _read(read("--rtt", given["rtt"], "s"), flows, up_flows)
    rate, up = read("--rate", given["rate"], "bps"), given.get("up")
    make = partial(scenario, flows=flows, up_flows=up_flows, **given)
    return sweep(
        lambda text: make(shaper=text), groups, trips, rate, up, plain(queue, "--shaper") if queue else QUEUE, progress
    )


def _ends(flow: Flows) -> bool:
    """Whether flows are a single transfer each, over which the warm-up must not pass."""
    workload = flow.entry.get("workload")
    kind = workload.get("kind") if isinstance(workload, dict) else workload
    return kind == "transfer" and not {"start", "arrivals"} & flow.entry.keys()


def finely(scenario: Scenario) -> Scenario:
    """The same run in a hundred intervals, for a figure; the warm-up is as long."""
    resolved = scenario.resolve()
    every = _core.quantity(resolved["duration"])[1]
    return scenario.put("warm_up", resolved["warm_up"]).put("interval", text_of("s", max(every // 100, 1)))


def _read(rtt: str, flows: str | Sequence[str], up_flows: str | Sequence[str]) -> tuple[list[Flows], int, list[int]]:
    """The flows, the round trip of those without their own, and that of each, in picoseconds."""
    groups = _groups(flows, up_flows)
    base = quantity("--rtt", rtt, "s")
    return groups, base, [base if g.rtt is None else quantity("--flows: rtt", g.rtt, "s") for g in groups]


def _groups(flows: str | Sequence[str], up_flows: str | Sequence[str]) -> list[Flows]:
    """The flows of both directions."""
    groups: list[Flows] = []
    for option, texts in (("--flows", flows), ("--up-flows", up_flows)):
        found = [group for text in ([texts] if isinstance(texts, str) else texts) for group in parse(text, option)]
        for group in found:
            group.back |= option == "--up-flows"
        groups += found
        if not groups:
            raise HeadgateError(f"--flows: expected at least one flow, as {GRAMMAR}, such as bulk or cubic*2")
    return groups


def _entries(groups: list[Flows], spread: str) -> list[dict[str, Any]]:
    """The entries of the file: hosts are numbered consecutively, and flows by their name."""
    upwards = [name for name, short in shorthands().items() if short.up]
    labels = [g.label or (f"{g.name}_up" if g.back and g.name not in upwards else g.name) for g in groups]
    # Numbers must not make another scheme of a name, as the flows of bbr*2 would be bbr1 and bbr2.
    labels = [f"{label}_" if f"{label}1" in parameter_names("flow-controls") else label for label in labels]
    several, seen, before = Counter(labels), Counter[str](), 0
    entries = []
    for label, group in zip(labels, groups, strict=True):
        # The index is that of the flow among those of its name.
        first, offset = seen[label] + 1, before - seen[label]
        entry: dict[str, Any] = {}
        source, sink = ("d", "s") if group.back else ("s", "d")
        if group.count > 1:
            host = "{i}" if offset == 0 else f"{{i+{offset}}}"
            entry |= {"name": f"{label}{{i}}", "from": f"{source}{host}", "to": f"{sink}{host}", "count": group.count}
            if first > 1:
                entry["first"] = first
        else:
            name = label.removesuffix("_") if several[label] == 1 else f"{label}{first}"
            entry |= {"name": name, "from": f"{source}{before + 1}", "to": f"{sink}{before + 1}"}
        if "start" not in group.entry:
            entry["start_spread"] = spread
        entries.append(entry | group.entry)
        seen[label] += group.count
        before += group.count
    return entries


def _jitter(jitter: str, trip: int) -> dict[str, Any]:
    """The keys of a link whose delay in one direction differs by a time, with the same mean."""
    spread = quantity("--jitter", jitter, "s")
    if 2 * spread > trip:
        raise HeadgateError(
            f"--jitter: found {jitter}; expected at most {text_of('s', trip // 2)}, half of the round trip"
        )
    delay = {"forward": text_of("s", trip // 2 - spread), "reverse": text_of("s", trip // 2)}
    return {"delay": delay, "jitter": {"forward": {"mean": jitter, "law": "uniform"}}}


def _last(groups: list[Flows]) -> int:
    """When the last flow begins or ends that says when, in picoseconds; 0 without one."""
    times = [text for group in groups for text in (group.stop, group.entry.get("start")) if isinstance(text, str)]
    return max((_core.quantity(text, "s")[1] for text in times), default=-LATER)


def _stops(groups: list[Flows], entries: list[dict[str, Any]], length: int) -> list[dict[str, Any]]:
    """The events that end flows before the run does, in the order of time."""
    found = []
    for group, entry in zip(groups, entries, strict=True):
        first = entry.get("first", 1)
        names = [entry["name"].replace("{i}", str(first + i)) for i in range(group.count)]
        found += [(quantity("--flows: stop", group.stop, "s"), name) for name in names if group.stop is not None]
    return [
        {"at": text_of("s", at), "stop": name} for at, name in sorted(found, key=lambda stop: stop[0]) if at < length
    ]


def _noise(text: str) -> str | None:
    """The noise of hosts as files write it; None for none."""
    found = f"{text}pkt" if re.fullmatch(r"[0-9.]+", text.strip()) else text
    # Whole packet times are such a noise whatever else may be one.
    if not re.fullmatch("[0-9]+pkt", found.strip()) and not re.search(_noise_pattern(), found.strip()):
        raise HeadgateError(
            f"--noise: found {cut(repr(text))}; expected a number of packet times such as 1 or 0.1, or a time such as 50us"
        )
    return found.strip() if re.search("[1-9]", found) else None


@cache
def _noise_pattern() -> str:
    """What the schema expects of a noise; making the schema takes longer than all else here."""
    return str(json.loads(_core.schema())["$defs"]["Hosts"]["properties"]["noise"]["pattern"])
