"""From a case and a cell to a scenario."""

from __future__ import annotations

import copy
import math
import re
from typing import Any

from ... import _core
from ...base.catalogue import has_transport
from ...base.errors import HeadgateError, cut
from ...base.times import seconds
from ...plugins import trust
from ...scenario.baselines import PLAIN
from ...scenario.scenario import Scenario
from ..frame.metrics import METRICS
from ..frame.part import Place
from ..frame.places import PACKET, dumbbell
from ..frame.subjects import Judged, null_flow, rtt_of, takes_buffer, takes_marks
from .case import Case, label

#: What stands for the subject in a case: the flow control of a flow, or the queue of a line.
SUBJECT = "subject"


def scenario(case: Case, cell: dict[str, Any], subject: Judged) -> tuple[Scenario, Place]:
    """The scenario of a cell with a subject in its place: a flow control or a queue, as a scenario writes them.

    Raises:
        HeadgateError: the case makes no scenario; the error names the case.
        CodeError: the case names code that was not allowed to run.
    """
    place = case.file or case.name
    place += f" ({label(cell)})" if cell else ""
    data: dict[str, Any] = {}
    try:
        data = _filled(case.scenario, cell) if case.scenario else _line(case, cell)
        data = _with_subject(data, subject, case.judges, *_rate_and_trip(data))
        data.setdefault("name", case.name)
        data.setdefault("duration", case.duration)
        data.setdefault("warm_up", case.warm_up)
        data.setdefault("interval", case.interval)
        data.setdefault("hosts", {"noise": "1pkt"})
        traces = {t for entry in case.measured() for t in METRICS[entry.metric].traces}
        # What `during` names are gauges.
        traces |= {"estimates" for entry in case.measured() if entry.during}
        if traces:
            data["traces"] = sorted(traces)
        if subject.plugins:
            data["plugins"] = [*data.get("plugins", []), *subject.plugins]
        # The subject is what the user named; a case may be anybody's.
        trust.allow(trust.codes({"control": subject.table, "plugins": list(subject.plugins)}))
        made = Scenario(data)
        made.require_code()
        # All that is wrong is found before anything is run.
        names = [flow["name"] for flow in made.resolve()["flows"]]
        found = _place(case, data)
        for entry in case.measured():
            own = entry.of or found.subject
            if not any(name.startswith(own) for name in names):
                raise ValueError(
                    f"{entry.metric}: of: found {own!r}; expected how a flow's name begins: {cut(', '.join(names))}"
                )
        return made, found
    except trust.CodeError as e:
        raise trust.CodeError(f"{place}: ", e.codes) from None
    except _core.ScenarioError as e:
        raise HeadgateError(f"{place}: {_in_case(str(e), case, data)}") from None
    except RecursionError:
        raise HeadgateError(f"{place}: found too many tables or lists within each other") from None
    except (HeadgateError, ValueError) as e:
        raise HeadgateError(f"{place}: {_in_case(str(e), case, data)}") from None


def _in_case(error: str, case: Case, data: dict[str, Any]) -> str:
    """The text of an error, with the line of the case for the link that stands for it."""
    names = [link["name"] for link in data.get("links", [])] if case.line else []
    return error.replace(f"links[{names.index('line')}]", "line") if "line" in names else error


def _filled(value: Any, cell: dict[str, Any]) -> Any:
    """A value with the names of the cell replaced: `"$rate"`, also within a text."""
    if isinstance(value, dict):
        return {key: _filled(entry, cell) for key, entry in value.items()}
    if isinstance(value, list):
        return [_filled(entry, cell) for entry in value]
    if isinstance(value, str) and "$" in value:
        if value[1:] in cell and value[0] == "$":
            return copy.deepcopy(cell[value[1:]])

        def replaced(match: re.Match[str]) -> str:
            if match[1] not in cell:
                raise ValueError(f"found {cut(repr(value))}; expected a name under `cells` after $")
            return str(cell[match[1]])

        return re.sub(r"\$(\w+)", replaced, value)
    return value


def _line(case: Case, cell: dict[str, Any]) -> dict[str, Any]:
    """Hosts with a line of their own to a gateway, the line to another one, and a sink behind it."""
    line = dict(_filled(case.line, cell))
    if "rate" not in line:
        raise ValueError("line.rate: missing; expected a rate such as 10Mbit/s")
    events = [{"link": "line", **event} if "stop" not in event else dict(event) for event in _filled(case.events, cell)]
    rtt = _time(line.pop("rtt", "40ms"), "line.rtt")
    buffer, queue = line.pop("buffer", None), line.pop("queue", SUBJECT if case.judges == "aqm" else PLAIN)
    if queue == SUBJECT:
        queue = {"kind": SUBJECT}
    queue = dict(queue) if isinstance(queue, dict) else {"kind": queue}
    if buffer is not None:
        queue["buffer"] = buffer
    forward = line.get("rate")
    forward = forward["forward"] if isinstance(forward, dict) and "forward" in forward else forward
    line.setdefault("delay", f"{round(rtt / 2 * 1e12)}ps")
    fastest = max([_bps(forward), *(_bps(e["rate"]) for e in events if e.get("rate"))])
    access = f"{min(round(10 * fastest), 10**12)}bit/s"
    flows, hosts = [], {}
    for number, flow in enumerate(_filled(case.flows, cell)):
        made, host, own = _flow(dict(flow), number, rtt)
        flows.append(made)
        hosts[host] = {"delay": own, **({"count": made.get("count", 1)} if "{i}" in host else {})}
    parts = dumbbell(hosts, {"rtt": f"{round(rtt * 1e12)}ps", **line, "queue": queue}, access)
    data: dict[str, Any] = {**parts, "flows": flows}
    if events:
        data["events"] = events
    return data


def _bps(rate: Any) -> float:
    # Of a trace in a file, the file says how fast; a bound is enough here. What is no rate the engine says.
    if isinstance(rate, dict) and isinstance(rate.get("steps"), list):
        return max((_bps(step[-1]) for step in rate["steps"] if isinstance(step, list) and step), default=1e9)
    try:
        return _core.quantity(rate, "bps")[1] if isinstance(rate, str) else 1e9
    except ValueError:
        return 1e9


def _time(value: Any, place: str) -> float:
    try:
        return seconds(value)
    except ValueError as e:
        raise ValueError(f"{place}: {e}") from None


def _flow(flow: dict[str, Any], number: int, rtt: float) -> tuple[dict[str, Any], str, str]:
    """A flow, the name of its host, and the delay of its own line."""
    control = flow.setdefault("control", SUBJECT)
    kind = control.get("kind") if isinstance(control, dict) else control
    name = flow.setdefault("name", f"{'own' if kind == SUBJECT else 'other'}{number or ''}")
    own = flow.pop("rtt", None)
    longer = 0.0 if own is None else _time(own, f"flows[{number}].rtt") - rtt
    if longer < 0:
        raise ValueError(f"flows[{number}].rtt: found {cut(own)}; expected at least that of the line")
    delay = f"{round(longer / 2 * 1e12)}ps"
    many = isinstance(flow.get("count", 1), int) and flow.get("count", 1) > 1
    if many and isinstance(name, str) and "{i}" not in name:
        flow["name"] = f"{name}{'-' if name[-1:].isdigit() else ''}{{i}}"
    host = f"h{number}-{{i}}" if many else f"h{number}"
    back = flow.pop("back", False)
    ends = {"from": "sink", "to": host} if back else {"from": host, "to": "sink"}
    packet = {} if "packet" in flow else {"packet": f"{PACKET}B"}
    if isinstance(kind, str) and has_transport(kind):
        flow.setdefault("transport", {"preset": "linux"})
    return {**flow, **ends, **packet}, host, delay


def _rate_and_trip(data: dict[str, Any]) -> tuple[float, float]:
    """Rate (bit/s) and round trip (s) of the line at the start."""
    links = _lines(data)
    if not links:
        return 1e6, 0.05
    rate = links[0].get("rate")
    try:
        trip = rtt_of(links[0])
    except ValueError:
        trip = 0.05
    return _bps(rate["forward"] if isinstance(rate, dict) and "forward" in rate else rate), trip


def _lines(data: dict[str, Any]) -> list[dict[str, Any]]:
    links = data.get("links", [])
    links = links if isinstance(links, list) else []
    return [link for link in links if isinstance(link, dict) and link.get("name") == "line"]


def _with_subject(value: Any, subject: Judged, judges: str, rate: float, rtt: float) -> Any:
    """The subject in its place; its flows have the transport of Linux, if they take one."""
    if isinstance(value, list):
        return [_with_subject(entry, subject, judges, rate, rtt) for entry in value]
    if not isinstance(value, dict):
        return value
    out = {key: _with_subject(entry, subject, judges, rate, rtt) for key, entry in value.items()}
    control, queue = out.get("control"), out.get("queue")
    if judges == "control" and _is_subject(control):
        if subject.null:
            return null_flow(out, subject.null, rate, rtt)
        own = {k: v for k, v in control.items() if k != "kind"} if isinstance(control, dict) else {}
        out["control"] = {**own, **subject.table}
        transport = out.pop("transport", {})
        if has_transport(str(subject.table["kind"])):
            out["transport"] = (
                {"preset": "linux", **transport, **subject.transport} if isinstance(transport, dict) else transport
            )
    if judges == "aqm" and _is_subject(queue):
        # Whether it marks counts only where it can.
        own = {k: v for k, v in queue.items() if k != "mark" or takes_marks(subject)} if isinstance(queue, dict) else {}
        if "buffer" in own and not takes_buffer(subject):
            raise HeadgateError(
                f"{subject.name}: found no parameter `buffer`; expected one for packets or bytes that may wait, since the case sets it"
            )
        out["queue"] = {**own, **subject.table}
        if subject.null == "short":
            out["queue"]["buffer"] = tenth(own.get("buffer", "1BDP"), rate, rtt)
    return out


def tenth(buffer: Any, rate: float, rtt: float) -> Any:
    """A tenth of a buffer, and at least a packet or two, on a line of this rate (bit/s) and round trip (s); what is no buffer stays.

    >>> tenth("1BDP", 8e6, 0.1), tenth("1BDP", 8e5, 0.1), tenth("50ms", 8e6, 0.1), tenth("64KB", 8e6, 0.1)
    ('10000B', '3000B', '5000B', '6400B')
    >>> tenth("167pkt", 8e6, 0.1), tenth("4pkt", 8e6, 0.1), tenth("unlimited", 8e6, 0.1)
    ('17pkt', '1pkt', 'unlimited')
    """
    found = re.fullmatch(r"([\d.]+) *(\w+)", buffer) if isinstance(buffer, str) else None
    if not found:
        return buffer
    try:
        if found[2] == "pkt":
            return f"{max(1, round(float(found[1]) / 10))}pkt"
        if found[2] == "BDP":
            size = float(found[1]) * rtt * rate / 8
        elif found[2].endswith("B"):
            size = _core.quantity(buffer, "bytes")[1]
        else:
            size = seconds(buffer) * rate / 8
    except ValueError:
        return buffer
    return f"{max(2 * PACKET, round(size / 10))}B"


def _is_subject(value: Any) -> bool:
    return value == SUBJECT or (isinstance(value, dict) and value.get("kind") == SUBJECT)


def _place(case: Case, data: dict[str, Any]) -> Place:
    """What the metrics have to know."""
    links = _lines(data)
    rates: list[tuple[float, float]] = []
    duration = seconds(data["duration"])
    if links:
        rate = links[0]["rate"]
        rate = rate["forward"] if isinstance(rate, dict) and "forward" in rate else rate
        rates += _steps(rate, duration) or [(0.0, _bps(rate))]
        up = rates[0][1]
        for event in sorted(data.get("events", []), key=lambda e: seconds(e["at"])):
            if event.get("link") != "line" or event.get("direction") == "reverse":
                continue
            if event.get("rate"):
                up = _bps(event["rate"])
                rates.append((seconds(event["at"]), up))
            if "up" in event:
                rates.append((seconds(event["at"]), up if event["up"] else 0.0))
    # Of a queue all flows count: none is the subject's.
    return Place(duration, seconds(data["warm_up"]), rates, subject="" if case.judges == "aqm" else "own")


def _steps(rate: Any, duration: float) -> list[tuple[float, float]]:
    """Times and rates of a rate in steps, until the end of the run; empty for others and for steps in a file."""
    if not isinstance(rate, dict) or rate.get("kind") != "steps" or not rate.get("steps"):
        return []
    once = [(seconds(at), _bps(bps)) for at, bps in rate["steps"]]
    period = seconds(rate["period"]) if rate.get("period") else math.inf
    turns = 1 if math.isinf(period) else min(math.ceil(duration / period), 1_000_000)
    return [(turn * period + at if turn else at, bps) for turn in range(turns) for at, bps in once]
