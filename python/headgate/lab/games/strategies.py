"""What a selfish source may do instead of what its flow control says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from ...base.catalogue import catalogue
from ...base.errors import HeadgateError, cut, nearest
from ...base.forms import CLOSED, listed
from ...quick.amounts import quantity, text_of
from ...quick.flows import split
from ...quick.lists import discipline_of, transports_said
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

#: Bytes of the packets of flows.
_PACKET = 1000


@dataclass(frozen=True)
class Strategy:
    """A strategy of one source among honest ones; `strategies.toml` says what its fields are."""

    __pydantic_config__: ClassVar[Any] = CLOSED

    name: str
    what: str
    kind: str = BEHAVIOUR
    flow: str = "{honest}"
    keys: str = ""
    connections: int = 1
    reads: str = ""


@cache
def all_strategies() -> Mapping[str, Strategy]:
    """All strategies by their names, read when they are first asked for."""
    return {strategy.name: strategy for strategy in listed(Strategy, __file__, "strategies")}


def read_strategies(text: str) -> list[Strategy]:
    """The strategies of `--strategies`; `all` are all.

    Raises:
        HeadgateError: one is none, or stands twice.

    >>> [s.name for s in read_strategies("flood,null")], len(read_strategies("all")) == len(all_strategies())
    (['flood', 'null'], True)
    """
    every = all_strategies()
    if text.strip() == "all":
        return list(every.values())
    found = split(text, "--strategies")
    for i, name in enumerate(found):
        if name not in every:
            known = ", ".join(every)
            raise HeadgateError(
                f"--strategies: found {cut(repr(name))}; expected all, or some of {known}.{nearest(name, list(every))}"
            )
        if name in found[:i]:
            raise HeadgateError(f"--strategies: found {name} twice; expected each once")
    if not found:
        raise HeadgateError("--strategies: expected at least one, such as flood")
    return [every[name] for name in found]


def applies(strategy: Strategy, cell: GameCell) -> bool:
    """Whether a strategy means anything to a discipline: a claim only where it is read.

    >>> applies(all_strategies()["label"], GameCell("csfq", "1Mbit/s", "40ms", "1bdp")), applies(
    ...     all_strategies()["label"], GameCell("fq", "1Mbit/s", "40ms", "1bdp"))
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

    >>> flow_of(all_strategies()["flood"], "reno", GameCell("fq", "20Mbit/s", "40ms", "1bdp"), 10, 1e5)
    'cbr:rate=40Mbit/s'
    >>> flow_of(all_strategies()["window"], "reno", GameCell("fq", "20Mbit/s", "40ms", "1bdp"), 10, 1e5)
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

    >>> transports_of([all_strategies()["flood"], all_strategies()["aimd4"]], "reno", GameCell("fq", "20Mbit/s", "40ms", "1bdp"), 10)[:41]
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
