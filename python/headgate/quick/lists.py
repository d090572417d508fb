"""Lists in options: flow controls, queues, rates, times and buffers between commas, for commands that run a line many times."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from .. import _core
from ..base.catalogue import has_transport, in_layers, parameter_names, preset_of
from ..base.errors import HeadgateError, cut, unknown
from ..base.typed import same_name
from ..scenario.subjects import several, spelled
from ..scenario.transports import by_recovery, differing
from .amounts import quantity, read_buffer
from .flows import parse, split
from .queues import known_as, plain

#: The least buffer that a bandwidth-delay product makes, as in `headgate quick`: ten packets of 1000 bytes.
LEAST_BUFFER = 10_000


def read_controls(text: str) -> list[str]:
    """The flow controls of `--controls`, each with its parameters.

    Raises:
        HeadgateError: one is no flow control, or stands twice.

    >>> read_controls("cubic, dctcp:transport.initial_window=4,packet=500B, BBR")
    ['cubic', 'dctcp:transport.initial_window=4,packet=500B', 'bbr']
    """
    found = [spelled(item, "control", "--controls") for item in several(text, "--controls")]
    known = ["bbr", *(c for c in parameter_names("flow-controls") if c != "none" and not in_layers(c))]
    entries: list[str] = []
    for i, control in enumerate(found):
        name = re.split(r"[:*]", control)[0].strip()
        same = name if name in known else same_name(name, known)
        if same is None:
            raise HeadgateError(f"--controls: {unknown(name, 'flow controls: of ' + ', '.join(known), known)}")
        control = found[i] = same + control[len(name) :]
        (flow,) = parse(control, "--controls")
        if "*" in control or flow.rtt is not None or flow.label or "workload" in flow.entry:
            what = "without a number, a round trip, a name or a workload: --flows and --ratio hold for all"
            raise HeadgateError(f"--controls: found {cut(repr(control))}; expected a flow control {what}")
        entries.append(json.dumps(flow.entry, sort_keys=True))
        if entries.index(entries[-1]) < len(entries) - 1:
            other = found[entries.index(entries[-1])]
            raise HeadgateError(
                f"--controls: found {cut(control)} beside {cut(other)}; expected each flow control once"
            )
    if not found:
        raise HeadgateError("--controls: expected at least one flow control, such as cubic,reno")
    return found


def transports_said(controls: Sequence[str], remedy: bool = True) -> str:
    """A sentence if these flow controls differ in their transport, too, with what gives them one if `remedy`; empty otherwise.

    >>> transports_said(["bbr1", "bbr3"]), transports_said(["cubic", "bbr3"])[:40]
    ('', 'cubic and bbr3 have different transports')
    """
    groups = [flow for control in controls for flow in parse(control, "--controls")]
    said = differing(groups)
    others = [
        g.name
        for g in groups
        if not {"transport", "receiver"} & g.entry.keys() and has_transport(g.name) and preset_of(g.name) != "linux"
    ]
    if not said or not remedy or not others or all(map(by_recovery, others)):
        return said
    return f"{said} {others[0]}:transport.preset=linux,receiver.every=1 has Linux's."


def read_queues(text: str) -> list[str]:
    """The queues of `--queues`, each with its parameters.

    Raises:
        HeadgateError: one is no discipline, or stands twice.

    >>> read_queues("FIFO,red:gentle=true,max_p=0.1,fq:aqm=codel")
    ['fcfs', 'red:gentle=true,max_p=0.1', 'fq:aqm=codel']
    """
    found = [spelled(item, "discipline", "--queues") for item in several(text, "--queues")]
    found = [plain(queue, "--queues") for queue in found]
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
    for item in found:
        _buffer(item)
    _once("--buffer", found)
    return found or _none("--buffer", "1bdp")


def _buffer(text: str) -> None:
    """Whether a text is a buffer above zero; what is in other units the engine says."""
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s*([A-Za-z]+)", text)
    if text.lower() != "unlimited" and (found is None or not float(found[1]) > 0):
        raise HeadgateError(
            f"--buffer: found {cut(repr(text))}; expected buffers above zero, such as 0.5bdp, 64KB, 100pkt or 50ms"
        )


def discipline_of(queue: str) -> str:
    """The discipline of a queue with parameters; a short name is that of its discipline.

    >>> discipline_of("red:gentle=true")
    'red'
    """
    name = queue.partition(":")[0].strip()
    return known_as(name) or name


def buffer_of(queue: str, rate: str, rtt: str, buffer: str) -> str | None:
    """The buffer of a queue as a scenario has it; None where the queue has none, or sets its own.

    A bandwidth-delay product, as `1bdp`, is that of the rate and the round trip; other buffers stay as they are.

    >>> buffer_of("fcfs", "20Mbit/s", "40ms", "2bdp"), buffer_of("fq:buffer=9pkt", "1Mbit/s", "1s", "1bdp")
    ('200KB', None)
    """
    if "buffer" not in parameter_names("disciplines")[discipline_of(queue)] or re.search(r"[:,]\s*buffer\s*=", queue):
        return None
    buffer = read_buffer(buffer)
    found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?)BDP", buffer)
    if found is None:
        return buffer
    product = quantity("--rate", rate, "bps") * quantity("--rtt", rtt, "s") / (8 * 10**12)
    return _core.quantity_text("bytes", max(LEAST_BUFFER, round(float(found[1]) * product)))


def flows_text(control: str, label: str, count: int, more: str = "") -> str:
    """Flows of a control of `read_controls` as `--flows` writes them; `more` are keys such as `,rtt=80ms`.

    >>> flows_text("dctcp:packet=500B", "a", 3, ",rtt=80ms")
    'dctcp*3:name=a,rtt=80ms,packet=500B'
    """
    name, colon, rest = control.partition(":")
    number = f"*{count}" if count > 1 else ""
    return f"{name.strip()}{number}:name={label}{more}{',' if colon else ''}{rest}"


def _none(option: str, example: str) -> list[str]:
    raise HeadgateError(f"{option}: expected at least one, such as {example}")


def _once(option: str, items: Sequence[str]) -> None:
    for i, item in enumerate(items):
        if item in items[:i]:
            raise HeadgateError(f"{option}: found {cut(item)} twice; expected each once")
