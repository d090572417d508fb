"""What a line says of all of its flows: their packets, their first window, ECN, and how many they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..base.catalogue import has_transport, is_marked, parameter_names
from ..base.errors import HeadgateError
from ..scenario.baselines import MODERN
from .flows import Flows, parse, split
from .queues import known_as, plain

if TYPE_CHECKING:
    from .line import TypedLine


def apply(line: TypedLine, whole: Mapping[str, str], marked: bool) -> list[str]:
    """Sets what is said of all flows in each of them; faults are returned.

    Args:
        line: with its flows and its queue.
        whole: values by the keys of `OF_ALL`.
        marked: whether a flow was typed with ECN, for which a queue has to mark.
    """
    faults = []
    if "parallel" in whole:
        texts = [*line.flows, *line.up_flows]
        if not texts:
            line.flows.append(MODERN)
        if len(texts) > 1 or any("*" in text or len(split(text, "--flows")) > 1 for text in texts):
            several = ",".join(f"{flow.name}*{whole['parallel']}" for text in texts for flow in parse(text))
            faults.append(
                f"found {whole['parallel']} parallel flows beside several; expected a number for each, as {several}"
            )
        else:
            own = line.flows or line.up_flows
            name, colon, rest = own[0].partition(":")
            own[0] = f"{name}{'*' + whole['parallel'] if whole['parallel'] != '1' else ''}{colon}{rest}"
    if "mtu" in whole:
        _each(line, f"packet={whole['mtu']}B", lambda f: "packet" not in f.entry and f.entry.get("control") != "none")
    if "iw" in whole:
        _each(line, f"transport.initial_window={whole['iw']}", _windowed)
    ecn = whole.get("ecn", "on" if marked else "")
    if ecn in ("on", "true", "yes", "1"):
        if not marked:
            _each(line, "transport.ecn=true", lambda f: _windowed(f) and not is_marked(_control(f)))
        if not _mark(line, "true"):
            faults.append("found 'ecn'; expected a queue that marks, such as fq_codel:mark=true or red:mark=true")
    elif ecn:
        _each(line, "transport.ecn=false", _windowed)
        _mark(line, "false")
    line.read |= bool(whole) or marked
    if not faults and not ecn and _typed_marks(line):
        line.said.append("No flow here has ECN, so that the queue marks no packet: --ecn gives it to all of them.")
    return faults


def _typed_marks(line: TypedLine) -> bool:
    """Whether a queue is to mark, and no flow has ECN."""
    if not any("mark=true" in str(line.options.get(name, "")) for name in ("queue", "up_queue")):
        return False
    try:
        groups = [flow for text in [*line.flows, *line.up_flows] for flow in parse(text)]
    except HeadgateError:
        return False
    return not any(is_marked(_control(flow)) or "ecn" in str(flow.entry.get("transport")) for flow in groups)


def _mark(line: TypedLine, value: str) -> bool:
    """Lets the queues of a line mark or not; whether one of them can."""
    marks = False
    for name in ("queue", "up_queue"):
        texts = line.values if line.axis == name else [line.options[name]] if line.options.get(name) else []
        found = []
        for text in texts:
            kind = known_as(re.split(r"[:,]", text)[0]) or ""
            marks |= kind in ("cake", "dualpi2") or "mark" in parameter_names("disciplines").get(kind, ())
            able = "mark" in parameter_names("disciplines").get(kind, ()) and not re.search(r"\bmark=", text)
            found.append(plain(f"{text}{',' if ':' in text else ':'}mark={value}") if able else text)
        if found:
            line.options[name] = found[0]
            if line.axis == name:
                line.values = found
    return marks


def _each(line: TypedLine, key: str, fits: Callable[[Flows], bool]) -> None:
    """Adds a key to the flows that it fits and that do not have it."""
    for texts, option in ((line.flows, "--flows"), (line.up_flows, "--up-flows")):
        for at, text in enumerate(texts):
            groups: list[list[str]] = []
            for item in split(text, option):
                if groups and re.match(r"[\w.]+\s*=", item):
                    groups[-1].append(item)
                else:
                    groups.append([item])
            for group in groups:
                (flow,) = parse(",".join(group), option)
                if fits(flow) and key.partition("=")[0] not in re.split(r"[:,=]", ",".join(group)):
                    group[-1] += f"{',' if ':' in group[0] else ':'}{key}"
            texts[at] = ",".join(item for group in groups for item in group)


def _windowed(flow: Flows) -> bool:
    """Whether a flow has a transport, as those with a flow control of today have and those that get one."""
    return has_transport(_control(flow)) or "control" not in flow.entry


def _control(flow: Flows) -> str:
    control = flow.entry.get("control", "")
    return str(control.get("kind", "") if isinstance(control, dict) else control)
