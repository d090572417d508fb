"""The cells of a matrix: which flows meet in which queue, and the scenario of each."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .. import _core
from ..base.errors import HeadgateError, cut, nearest
from ..quick import parse
from ..quick import scenario as of_quick
from ..quick.amounts import quantity, text_of
from ..quick.flows import names_of, split
from ..scenario.scenario import Scenario
from ..scenario.shorthands import QUEUES

#: Sparse flows that may stand beside, by their short names.
SPARSE = ("call", "game")

#: The least buffer that a bandwidth-delay product makes, as in `headgate quick`: ten packets of 1000 bytes.
_LEAST = 10_000


@dataclass(frozen=True)
class Condition:
    """Where flows meet: a queue, a rate, a round trip, a buffer, and how many times as far away B is as A."""

    queue: str
    rate: str
    rtt: str
    buffer: str
    ratio: float

    def __str__(self) -> str:
        far = f", B {self.ratio:g} times as far" if self.ratio != 1 else ""
        return f"{self.queue}, {self.rate}, {self.rtt}, {self.buffer}{far}"


@dataclass(frozen=True)
class Cell:
    """A and B in a condition, or A alone; `variant` is the number of its scenario in the study.

    `far` says that A alone is as far away as B: such a cell is what B beside another is compared with.
    """

    condition: Condition
    a: str
    b: str | None
    far: bool = False
    variant: int = field(default=0, compare=False)

    def __str__(self) -> str:
        who = f"{self.a} alone{', as far as B' if self.far else ''}" if self.b is None else f"{self.a} and {self.b}"
        return f"{who}: {self.condition}"


@dataclass(frozen=True)
class Beside:
    """What every cell has: how many flows of each control, and what else is on the link."""

    flows: int = 1
    sparse: str | None = "call"
    web: bool = False
    duration: str = "60s"
    warm_up: str = "15s"
    noise: str = "1"


def read_controls(text: str) -> list[str]:
    """The flow controls of `--controls`, each with its parameters.

    Raises:
        HeadgateError: one is no flow control, or stands twice.

    >>> read_controls("cubic, dctcp:transport.initial_window=4,packet=500B, bbr")
    ['cubic', 'dctcp:transport.initial_window=4,packet=500B', 'bbr']
    """
    found: list[str] = []
    for item in split(text, "--controls"):
        if found and re.match(r"[\w.]+\s*=", item):
            found[-1] += f",{item}"
        else:
            found.append(item)
    known = [*(c for c in names_of("flow-controls") if c not in ("none", "rlm")), "bbr"]
    entries: list[str] = []
    for control in found:
        name = re.split(r"[:*]", control)[0].strip()
        if name not in known:
            raise HeadgateError(
                f"--controls: found {cut(repr(name))}; expected flow controls: of {', '.join(known)}.{nearest(name, known)}"
            )
        (flow,) = parse(control, "--controls")
        if "*" in control or flow.rtt is not None or flow.label or "workload" in flow.entry:
            what = "without a number, a round trip, a name or a workload: --flows and --ratio hold for all"
            raise HeadgateError(f"--controls: found {cut(repr(control))}; expected a flow control {what}")
        entries.append(json.dumps(flow.entry, sort_keys=True))
        if entries.index(entries[-1]) < len(entries) - 1:
            same = found[entries.index(entries[-1])]
            raise HeadgateError(f"--controls: found {cut(control)} beside {cut(same)}; expected each flow control once")
    if not found:
        raise HeadgateError("--controls: expected at least one flow control, such as cubic,reno")
    return found


def read_queues(text: str) -> list[str]:
    """The queues of `--queues`, each with its parameters.

    Raises:
        HeadgateError: one is no discipline, or stands twice.

    >>> read_queues("fcfs,red:gentle=true,max_p=0.1,fq:aqm=codel")
    ['fcfs', 'red:gentle=true,max_p=0.1', 'fq:aqm=codel']
    """
    found: list[str] = []
    for item in split(text, "--queues"):
        if found and re.match(r"[\w.]+\s*=", item):
            found[-1] += f",{item}"
        else:
            found.append(item)
    known = names_of("disciplines")
    for queue in found:
        name = _discipline(queue)
        if name not in known:
            raise HeadgateError(
                f"--queues: found {cut(repr(name))}; expected disciplines: of {', '.join(known)}.{nearest(name, known)}"
            )
    _once("--queues", found)
    return found or _none("--queues", "fcfs,fq_codel")


def read_list(option: str, text: str, kind: str) -> list[str]:
    """Rates or times between commas.

    Raises:
        HeadgateError: one is none, or stands twice.
    """
    found = split(text, option)
    for item in found:
        quantity(option, item, kind)
    _once(option, found)
    return found or _none(option, "20Mbit/s" if kind == "bps" else "40ms")


def read_buffers(text: str) -> list[str]:
    """Buffers between commas, each as `headgate quick` has them; `1bdp` may be small letters."""
    found = split(text, "--buffer")
    _once("--buffer", found)
    return found or _none("--buffer", "1bdp")


def read_ratios(text: str) -> list[float]:
    """How many times as far away B is as A, without 1, which is always there.

    >>> read_ratios("4,1,0.5"), read_ratios("")
    ([4.0, 0.5], [])
    """
    found: list[float] = []
    for item in split(text, "--ratio") if text.strip() else []:
        if not re.fullmatch(r"\d{1,3}(\.\d{1,6})?", item) or not 0.01 <= float(item) <= 100:
            raise HeadgateError(f"--ratio: found {cut(repr(item))}; expected numbers from 0.01 to 100, such as 4")
        if float(item) != 1 and float(item) not in found:
            found.append(float(item))
    return found


def _none(option: str, example: str) -> list[str]:
    raise HeadgateError(f"{option}: expected at least one, such as {example}")


def _once(option: str, items: Sequence[str]) -> None:
    for i, item in enumerate(items):
        if item in items[:i]:
            raise HeadgateError(f"{option}: found {cut(item)} twice; expected each once")


def _discipline(queue: str) -> str:
    name = queue.partition(":")[0].strip()
    return QUEUES.get(name, name)


def count(controls: int, ratios: int) -> int:
    """The number of cells of a queue, a rate, a round trip and a buffer.

    >>> count(3, 0), count(3, 1)
    (9, 24)
    """
    return controls * (controls + 1) // 2 + controls + ratios * (controls * controls + 2 * controls)


def cells_of(condition: Condition, controls: Sequence[str]) -> list[Cell]:
    """The cells of a condition: pairs in both orders where B is further away, and once where both are alike; and each alone."""
    equal = condition.ratio == 1
    out = [Cell(condition, a, b) for i, a in enumerate(controls) for j, b in enumerate(controls) if not equal or i <= j]
    out += [Cell(condition, a, None) for a in controls]
    return out if equal else out + [Cell(condition, a, None, far=True) for a in controls]


def scenario(cell: Cell, beside: Beside, seed: int) -> Scenario:
    """The scenario of a cell, as `headgate quick` makes it, with its warm-up.

    Raises:
        HeadgateError: the queue or the buffer is not valid.
    """
    c = cell.condition
    far = text_of("s", round(quantity("--rtt", c.rtt, "s") * c.ratio))
    # Equal scenarios are the same run: a round trip is written only where it is another one.
    near_trip, far_trip = "", f",rtt={far}" if c.ratio != 1 else ""
    groups = [_flows(cell.a, "a", beside.flows, far_trip if cell.far else near_trip)]
    if cell.b is not None:
        groups.append(_flows(cell.b, "b", beside.flows, far_trip))
    if beside.sparse is not None:
        groups.append(f"{beside.sparse}:name=sparse")
    if beside.web:
        groups.append("web:name=web,control=cubic")
    try:
        made = of_quick(
            c.rate,
            c.rtt,
            groups,
            c.queue,
            _buffer(c),
            beside.duration,
            seed,
            beside.noise,
        )
    except HeadgateError as e:
        raise HeadgateError(str(e).replace("--queue:", "--queues:")) from None
    return Scenario({**made.data, "name": "matrix", "description": str(cell), "warm_up": beside.warm_up}, "matrix")


def _flows(control: str, label: str, count: int, trip: str) -> str:
    name, colon, rest = control.partition(":")
    number = f"*{count}" if count > 1 else ""
    return f"{name.strip()}{number}:name={label}{trip}{',' if colon else ''}{rest}"


def _buffer(condition: Condition) -> str | None:
    """The buffer as a scenario has it: a bandwidth-delay product is that of the nearer flows, whatever is further away beside."""
    kind = _discipline(condition.queue)
    if "buffer" not in names_of("disciplines")[kind] or re.search(r"[:,]\s*buffer\s*=", condition.queue):
        return None
    found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?)\s*bdp", condition.buffer.strip(), re.IGNORECASE)
    if found is None:
        return condition.buffer
    product = quantity("--rate", condition.rate, "bps") * quantity("--rtt", condition.rtt, "s") / (8 * 10**12)
    return _core.quantity_text("bytes", max(_LEAST, round(float(found[1]) * product)))
