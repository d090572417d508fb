"""What a selfish source may do instead of what its flow control says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...base.catalogue import catalogue
from ...base.errors import HeadgateError, cut, nearest
from ...quick.amounts import quantity, text_of
from ...quick.flows import split
from ...quick.lists import discipline_of, transports_said
from ...scenario.effects import LABELS, PRIORITIES
from .cells import GameCell

#: Kinds of strategies: a source that heeds congestion less than it should, another flow control, a claim to be another one or several,
#: and none at all. Another control is apart because it may just be better: by Demers, Keshav and Shenker 1989, section 5, users are to
#: "be rewarded for devising more sophisticated and responsive algorithms".
BEHAVIOUR, CONTROL, IDENTITY, NULL = "behaviour", "control", "identity", "null"

#: The kinds that have verdicts, with their titles.
KINDS = {
    BEHAVIOUR: "by heeding congestion less, with one conversation",
    CONTROL: "by another flow control",
    IDENTITY: "by claims: several connections, a priority, a label",
}

#: Bytes of the packets of flows, and of long ones: the longest that Ethernet carries.
_PACKET, _LONG = 1000, 1500


@dataclass(frozen=True)
class Strategy:
    """A strategy of one source among honest ones.

    Attributes:
        name: as `--strategies` has it.
        what: in words.
        kind: `behaviour`, `control`, `identity` or `null`.
        flow: what stands in the list of flows: `{honest}` is the honest control with its parameters, and other names are those of `values`.
        keys: parameters beside, as `packet=1500B`.
        connections: number of connections, each to another destination.
        reads: the property that a discipline must have for it to mean anything, of `scenario.effects`.
    """

    name: str
    what: str
    kind: str = BEHAVIOUR
    flow: str = "{honest}"
    keys: str = ""
    connections: int = 1
    reads: str = ""


#: All strategies. `cbr` sends without flow control and repairs no loss. A flood at twice the rate of the line is the ill-behaved source of
#: Demers, Keshav and Shenker 1989, scenario 3. That many destinations are many conversations, section 2.1 there says, and that a source
#: with long packets had more of Nagle's proposal. A label below one's rate is what `csfq` trusts.
STRATEGIES: Mapping[str, Strategy] = {
    s.name: s
    for s in (
        Strategy("cbr1.5", "sends at 1.5 times the fair share, whatever is lost", flow="cbr", keys="rate={rate1.5}"),
        Strategy("cbr3", "sends at 3 times the fair share, whatever is lost", flow="cbr", keys="rate={rate3}"),
        Strategy("flood", "sends at twice the rate of the line, whatever is lost", flow="cbr", keys="rate={flood}"),
        Strategy("aimd4", "grows 4 times as fast as Reno, and cuts to 0.9", flow="aimd", keys="increase=4,decrease=0.9"),
        Strategy("uncut", "grows as fast as Reno, and never cuts", flow="aimd", keys="decrease=1"),
        Strategy("window", "has a fixed window, twice its part of what the path holds", flow="generic", keys="window={window}"),
        Strategy("packets", "has packets of 1500 bytes, where others have 1000", keys=f"packet={_LONG}B"),
        Strategy("connections4", "has 4 connections, to 4 destinations", IDENTITY, connections=4),
        Strategy("priority", "claims a priority that others do not", IDENTITY, keys="priority={priority}", reads=PRIORITIES),
        Strategy("label", "claims a tenth of its fair share as its rate", IDENTITY, keys="label={rate0.1}", reads=LABELS),
        Strategy("null", "is honest, under another name", NULL),
    )
}  # fmt: skip


def read_strategies(text: str) -> list[Strategy]:
    """The strategies of `--strategies`; `all` are all.

    Raises:
        HeadgateError: one is none, or stands twice.

    >>> [s.name for s in read_strategies("flood,null")], len(read_strategies("all")) == len(STRATEGIES)
    (['flood', 'null'], True)
    """
    if text.strip() == "all":
        return list(STRATEGIES.values())
    found = split(text, "--strategies")
    for i, name in enumerate(found):
        if name not in STRATEGIES:
            known = ", ".join(STRATEGIES)
            raise HeadgateError(
                f"--strategies: found {cut(repr(name))}; expected all, or some of {known}.{nearest(name, list(STRATEGIES))}"
            )
        if name in found[:i]:
            raise HeadgateError(f"--strategies: found {name} twice; expected each once")
    if not found:
        raise HeadgateError("--strategies: expected at least one, such as flood")
    return [STRATEGIES[name] for name in found]


def applies(strategy: Strategy, cell: GameCell) -> bool:
    """Whether a strategy means anything to a discipline: a claim only where it is read.

    >>> applies(STRATEGIES["label"], GameCell("csfq", "1Mbit/s", "40ms", "1bdp")), applies(
    ...     STRATEGIES["label"], GameCell("fq", "1Mbit/s", "40ms", "1bdp"))
    (True, False)
    """
    return not strategy.reads or strategy.reads in catalogue("disciplines")[discipline_of(cell.queue)].does


def flow_of(strategy: Strategy, honest: str, cell: GameCell, flows: int, buffer_bytes: float) -> str:
    """The flow of a selfish source, as a control with its parameters: what `scenario` takes.

    Args:
        strategy: what it does.
        honest: the control of the others.
        cell: where.
        flows: sources on the line.
        buffer_bytes: of the queue, for the fixed window.

    >>> flow_of(STRATEGIES["flood"], "reno", GameCell("fq", "20Mbit/s", "40ms", "1bdp"), 10, 1e5)
    'cbr:rate=40Mbit/s'
    >>> flow_of(STRATEGIES["window"], "reno", GameCell("fq", "20Mbit/s", "40ms", "1bdp"), 10, 1e5)
    'generic:window=40'
    """
    line = quantity("--rate", cell.rate, "bps")
    holds = line * cell.rtt_s / 8 + buffer_bytes
    values = {
        "flood": text_of("bps", 2 * line),
        "window": str(max(2, round(2 * holds / flows / _PACKET))),
        "priority": str(_priorities(cell)[0]),
        **{f"rate{x}": text_of("bps", round(float(x) * line / flows)) for x in ("0.1", "1.5", "3")},
    }
    name, _, rest = strategy.flow.replace("{honest}", honest).partition(":")
    own = re.sub(r"\{([\w.]+)\}", lambda found: values[found[1]], strategy.keys)
    keys = ",".join(filter(None, [rest, own]))
    return f"{name}:{keys}" if keys else name


def transports_of(strategies: Iterable[Strategy], honest: str, cell: GameCell, flows: int) -> str:
    """A sentence if a strategy gains or loses by another transport than honest flows have, too; empty otherwise.

    >>> transports_of([STRATEGIES["flood"], STRATEGIES["aimd4"]], "reno", GameCell("fq", "20Mbit/s", "40ms", "1bdp"), 10)[:41]
    'reno and aimd have different transports ('
    """
    # Its window says nothing of its transport.
    texts = [honest, *(flow_of(strategy, honest, cell, flows, 0.0) for strategy in strategies)]
    return transports_said(list(dict.fromkeys(texts)), remedy=False)


def honest_of(honest: str, cell: GameCell, of_claims: bool) -> str:
    """The honest flows: where a priority is claimed and the usual one, 0, is not the worst, they have the worst.

    >>> honest_of("reno", GameCell("strict_priority", "1Mbit/s", "40ms", "1bdp"), True)
    'reno:priority=7'
    """
    worst = _priorities(cell)[1] if of_claims else 0
    return f"{honest}{',' if ':' in honest else ':'}priority={worst}" if worst else honest


def _priorities(cell: GameCell) -> tuple[int, int]:
    """The priorities that the discipline serves best and worst; 0, the usual one, where it reads none."""
    return catalogue("disciplines")[discipline_of(cell.queue)].priorities or (0, 0)
