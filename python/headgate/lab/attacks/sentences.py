"""The sentence of a finding: what happens to whom, where, and what the references get there."""

from __future__ import annotations

from ...base.counts import counted, verb
from .build import Setting
from .finding import FoundBreak
from .genome import Candidate


def sentence(at: Setting, finding: FoundBreak) -> str:
    """One sentence on a break."""
    objective = at.objective
    length = at.length(finding.candidate) - at.warm_up(finding.candidate)
    fault = next((j.fault for j in finding.judgements if j.fault), "")
    if fault:
        return f"{at.subject.name}: it fails with an error when {place(finding.candidate, at)}: {fault.splitlines()[0]}"
    happens = objective.phrase.format(objective.amount(finding.value), time=f"{length:.0f} s")
    text = f"{at.subject.name}: {happens} when {place(finding.candidate, at)}"
    best = objective.best(list(finding.references.values()))
    if best is not None:
        name = next(n for n, v in finding.references.items() if v == best)
        text += f"; in the same place {name} has {objective.amount(best)}"
    return f"{text} ({finding.failed} of {counted(len(finding.judgements), 'run')} with other seeds)."


def place(c: Candidate, at: Setting) -> str:
    """A scenario in words."""
    flows = round(c["flows"])
    queue = at.queue.name if at.queue else c.queue
    whose = "aggressor" if at.objective.judges == "queue" else at.subject.name
    line = f"{rate(c['rate'])} with {time(c['rtt'])} of round trip and a {queue} queue of {c['buffer']:g} BDP"
    parts = [
        f"{counted(flows, 'flow')} of {'the ' * (whose == 'aggressor')}{whose} {verb(flows, 'uses', 'share')} {line}"
    ]
    if c["burst_rate"]:
        on = time(c["period"] * c["burst_length"])
        parts.append(f"bursts of {on} at {c['burst_rate']:.2g} times the rate come every {time(c['period'])}")
    if c.pattern != "none":
        parts.append(_delay(c, at))
    if c["loss"]:
        parts.append(f"the line loses {100 * c['loss']:.2g} % of the packets")
    if c["ack_aggregation"]:
        parts.append(f"acknowledgements arrive in bursts every {time(c['ack_aggregation'])}")
    if c["offset"] and flows > 1:
        parts.append(f"each flow starts {time(at.offset(c))} after the one before")
    if c["ratio"] != 1 and (flows > 1 or whose == "aggressor"):
        parts.append(f"the others are {c['ratio']:g} times as far away")
    if at.noise in ("0", "0s"):
        parts.append("hosts have no noise")
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]


def _delay(c: Candidate, at: Setting) -> str:
    bound = time(c["delay"])
    first = "the first flow's packets" if c["flows"] > 1 else "packets"
    if c.pattern == "uniform":
        return f"{first} are delayed by a random time of at most {bound}"
    if c.pattern == "sawtooth":
        return f"{first} wait for the next multiple of {bound}"
    if c.pattern == "on-off":
        return f"{first} are delayed by {bound} in every other half of {time(c['period'])}"
    times = [t for t in c.times if t < at.length(c)]
    if len(times) == 1:
        return f"{first} are delayed by {bound} from {times[0]:g} s on"
    turns = ", ".join(f"{t:g} s" for t in times[:4]) + (" and so on" if len(times) > 4 else "")
    return f"{first} are delayed by {bound} from the first to the second of these times, and so on: {turns}"


def rate(bps: float) -> str:
    """A rate.

    >>> rate(1.5e6), rate(2e9), rate(64000)
    ('1.5 Mbit/s', '2 Gbit/s', '64 kbit/s')
    """
    for unit, size in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if bps >= size:
            return f"{bps / size:.3g} {unit}"
    return f"{bps:.3g} bit/s"


def time(seconds: float) -> str:
    """A time.

    >>> time(0.04), time(2.5), time(0.00005)
    ('40 ms', '2.5 s', '50 us')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{1e9 * seconds:.3g} ns"
