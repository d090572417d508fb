"""A common question without a file: some flows over one line between two gateways."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from . import _core
from .errors import HeadgateError, cut, nearest
from .scenario import Scenario
from .toml import parse_value

#: Keys of a flow that follow from its place in the list.
_SET = {"name", "from", "to", "via", "count", "first"}

#: The parameter that may be given without its name.
MAIN = {
    "cbr": "rate", "on_off": "rate", "background": "rate", "poisson": "mean", "telnet": "mean", "transfer": "bytes",
    "generic": "window", "decbit": "window",
}  # fmt: skip

#: Workloads with their own rate: without a flow control they are sent as they come.
OPEN = ("cbr", "on_off", "background", "poisson", "layers")

#: Round trips in seconds below which flows have Linux's transport unless they say otherwise. The least timeout of RFC 6298, 1 s, is a
#: thousand of them or more, and a flow whose retransmission is lost waits for it; Linux finds such losses by time (RACK), and its least
#: timeout is 0.2 s.
SHORT_S = 0.001

#: The flow control of workloads that name none, where no other flow has a modern one.
MODERN = "cubic"

#: Maximum number of flows of one kind.
MOST = 400_000

GRAMMAR = "NAME[*COUNT][:KEY=VALUE,...]"


@dataclass
class Flows:
    """Equal flows, as `jk_reno*2:window=50` writes them."""

    name: str
    count: int = 1
    rtt: str | None = None
    label: str = ""
    entry: dict[str, Any] = field(default_factory=dict)


def scenario(
    rate: str,
    rtt: str,
    flows: str | Sequence[str],
    queue: str = "fcfs",
    buffer: str | None = None,
    duration: str | None = None,
    seed: int | None = None,
    noise: str = "1pkt",
) -> Scenario:
    """Flows over one line between two gateways, each between its own hosts.

    Args:
        rate: of the line; the lines of hosts are ten times as fast.
        rtt: the round-trip time without queueing and transmission; a flow may have another one.
        flows: as `jk_reno*2,cbr:64kbit/s`: names of flow controls or workloads, each with its number and its parameters.
        queue: the discipline of the line, as `fq` or `red:max_p=0.1,gentle=true`.
        buffer: of the discipline; a bandwidth-delay product, and at least 10 packets of 1000 bytes, unless given.
        duration: simulated time; 1000 round trips, and at least 10 s, unless given.
        seed: of all random streams.
        noise: of the hosts, as `1pkt` or `50us` or a bare number of packet times; `0` for none.

    Raises:
        HeadgateError: an argument is not valid; the error names the place and what was expected.

    >>> scenario("20Mbit/s", "30ms", "jk_reno*2,cbr:64kbit/s", "fq").data["flows"][1]
    {'name': 'cbr', 'from': 's3', 'to': 'd3', 'start_spread': '300ms', 'workload': {'kind': 'cbr', 'rate': '64kbit/s'}, 'control': 'none'}
    """
    bps = _quantity("--rate", rate, "bps", "a rate such as 20Mbit/s")
    groups, base, trips = _read(rtt, flows)
    least = min(trips)
    data: dict[str, Any] = {"name": "quick", "duration": duration or _text("s", max(1000 * max(trips), 10 * 10**12))}
    if seed is not None:
        data["seed"] = seed
    hosts = _noise(noise)
    if hosts is not None:
        data["hosts"] = {"noise": hosts}
    line = {"rate": rate, "delay": _text("s", least // 2), "queue": _queue(queue, buffer, bps * base // (8 * 10**12))}
    fast: dict[str, Any] = {"rate": _text("bps", min(10 * bps, 2**64 - 1))}
    data["topology"] = {"kind": "dumbbell", "hosts": sum(g.count for g in groups), "line": line, "access": fast}
    if max(trips) > least:
        delays = [
            _text("s", (trip - least) // 2) for g, trip in zip(groups, trips, strict=True) for _ in range(g.count)
        ]
        data["topology"] |= {"access": {**fast, "delay": delays}, "exit": fast}
    _complete(groups, trips)
    data["flows"] = _entries(groups, _text("s", 10 * max(trips)))
    return Scenario(data, "quick")


def notes(rtt: str, flows: str | Sequence[str]) -> list[str]:
    """Sentences about what `scenario` chose for flows that do not say it themselves: flow controls, and Linux's transport.

    >>> notes("20ms", "cubic*2,transfer:1MB")
    ['transfer has the flow control cubic, as the flows beside it; KEY control names another one.']
    """
    groups, _, trips = _read(rtt, flows)
    return _complete(groups, trips)


def finely(scenario: Scenario) -> Scenario:
    """The same run in a hundred intervals, for a figure; the warm-up stays as long."""
    resolved = scenario.resolve()
    every = _core.quantity(resolved["duration"])[1]
    return scenario.set("warm_up", resolved["warm_up"]).set("interval", _text("s", max(every // 100, 1)))


def parse(text: str) -> list[Flows]:
    """The flows of a list.

    Raises:
        HeadgateError: an entry is no flow; the error shows it.

    >>> [(f.name, f.count, f.entry) for f in parse("jk_reno*2:window=50,packet=500B, none:workload=cbr")]
    [('jk_reno', 2, {'control': {'kind': 'jk_reno', 'window': 50}, 'packet': '500B'}), ('none', 1, {'control': 'none', 'workload': 'cbr'})]
    """
    flows: list[Flows] = []
    for item in _split(text):
        if re.match(r"[\w.]+\s*=", item):
            if not flows:
                raise HeadgateError(f"--flows: found {cut(repr(item))}; expected a flow first, as {GRAMMAR}")
            _set(flows[-1], item)
            continue
        head, colon, first = item.partition(":")
        name, star, count = (part.strip() for part in head.partition("*"))
        flow = Flows(name)
        flow.entry = _start(name)
        if star:
            if not re.fullmatch(r"0*[1-9]\d{0,6}", count) or int(count) > MOST:
                raise HeadgateError(f"--flows: found {cut(repr(item))}; expected a number from 1 to {MOST} after *")
            flow.count = int(count)
        flows.append(flow)
        if colon:
            _set(flow, first.strip())
    return flows


def _split(text: str) -> list[str]:
    """The parts between commas; those within brackets or quotes do not count."""
    items, depth, quote = [""], 0, ""
    for sign in text:
        if sign == "," and depth == 0 and not quote:
            items.append("")
            continue
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        else:
            depth += (sign in "[{") - (sign in "]}")
        items[-1] += sign
    items = [item.strip() for item in items]
    if quote or depth:
        raise HeadgateError(f"--flows: found {cut(repr(text))}; expected every bracket and quote to be closed")
    if "" in items and text.strip():
        raise HeadgateError(
            f"--flows: found {cut(repr(text))}; expected a flow, as {GRAMMAR}, or a KEY=VALUE between commas"
        )
    return [item for item in items if item]


@cache
def _list(name: str) -> dict[str, list[str]]:
    """The entries of a list, each with the names of its parameters."""
    entries = json.loads(_core.catalogue(name))
    return {entry["name"]: [p["name"] for p in entry["parameters"]] for entry in entries}


@cache
def _keys() -> list[str]:
    """Keys of a flow besides the parameters of its flow control or workload."""
    return [key for key in json.loads(_core.schema())["$defs"]["Flow"]["properties"] if key not in _SET]


def _start(name: str) -> dict[str, Any]:
    """The entry of a flow of this name before any parameter."""
    controls, workloads = _list("flow-controls"), _list("workloads")
    if name == "rlm":
        return {"control": name, "workload": "layers"}
    if name in controls:
        return {"control": name}
    if name in workloads:
        return {"workload": name, **({"control": "none"} if name in OPEN else {})}
    known = [*controls, *workloads]
    raise HeadgateError(
        f"--flows: found {cut(repr(name))}; expected a flow control or a workload: one of {', '.join(known)}.{nearest(name, known)}"
    )


def _set(flow: Flows, text: str) -> None:
    """Sets a parameter of flows: `KEY=VALUE`, or the value of the main one alone."""
    what = "control" if flow.name in _list("flow-controls") else "workload"
    own = _list("flow-controls" if what == "control" else "workloads")[flow.name]
    key, sign, value = (part.strip() for part in text.partition("="))
    if not sign:
        if flow.name not in MAIN or not text:
            raise HeadgateError(f"--flows: {flow.name}: found {cut(repr(text))}; expected KEY=VALUE")
        key, value = MAIN[flow.name], text
    first, dot, rest = key.partition(".")
    keys = _keys()
    if key == "rtt":
        flow.rtt = value
    elif key == "name":
        flow.label = value
    elif key in own:
        _table(flow.entry, what)[key] = parse_value(value)
    elif first in keys and not dot:
        flow.entry[key] = parse_value(value)
    elif first in keys and rest:
        _table(flow.entry, first)[rest] = parse_value(value)
    else:
        known = [*own, "rtt", "name", *keys]
        raise HeadgateError(
            f"--flows: {flow.name}: found the key {cut(repr(key))}; expected one of {', '.join(known)}.{nearest(key, known)}"
        )


def _read(rtt: str, flows: str | Sequence[str]) -> tuple[list[Flows], int, list[int]]:
    """The flows, the round trip of those without their own, and that of each, in picoseconds."""
    groups = [group for text in ([flows] if isinstance(flows, str) else flows) for group in parse(text)]
    if not groups:
        raise HeadgateError(f"--flows: expected at least one flow, as {GRAMMAR}")
    expected = "a time such as 30ms"
    base = _quantity("--rtt", rtt, "s", expected)
    return groups, base, [base if g.rtt is None else _quantity("--flows: rtt", g.rtt, "s", expected) for g in groups]


def _complete(groups: list[Flows], trips: list[int]) -> list[str]:
    """Chooses what the flows do not say themselves, and says so.

    Workloads without a rate have the first modern flow control of the list, one that the transport serves, or `MODERN`. Flows over a short
    path have Linux's transport, if their flow control may have one.
    """
    beside = next((_control(g) for g in groups if _control(g) in _served()), None)
    without = [g for g in groups if "control" not in g.entry]
    for group in without:
        group.entry["control"] = beside or MODERN
    said = []
    if without:
        why = "as the flows beside it" if beside else "since none beside it has a modern one"
        if _number(without) > 1:
            why = why.replace("beside it", "beside them")
        said.append(
            f"{_names(without)} {_have(without)} the flow control {beside or MODERN}, {why}; KEY control names another one."
        )
    short = [
        g
        for g, trip in zip(groups, trips, strict=True)
        if trip < SHORT_S * 10**12 and _control(g) in _served() and "transport" not in g.entry
    ]
    for group in short:
        group.entry["transport"] = {"preset": "linux"}
    if short:
        said.append(
            f"{_names(short)} {_have(short)} Linux's transport (transport.preset=linux), since round trips are below 1 ms; "
            "transport.preset=rfc is that of the RFCs, with timeouts of at least 1 s."
        )
    return said


def _control(flow: Flows) -> str:
    """The name of a flow's control; empty if it says none."""
    control = flow.entry.get("control", "")
    return str(control.get("kind", "") if isinstance(control, dict) else control)


def _number(groups: list[Flows]) -> int:
    return sum(group.count for group in groups)


def _have(groups: list[Flows]) -> str:
    return "has" if _number(groups) == 1 else "have"


def _names(groups: list[Flows]) -> str:
    """Flows as they stand in the list."""
    texts = list(dict.fromkeys(cut(g.label or g.name) + (f"*{g.count}" if g.count > 1 else "") for g in groups))
    return ", ".join(texts[:3]) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")


@cache
def _served() -> frozenset[str]:
    """The flow controls of which a flow may say how they are served."""
    return frozenset(entry["name"] for entry in json.loads(_core.catalogue("flow-controls")) if entry["transport"])


def _table(entry: dict[str, Any], key: str) -> dict[str, Any]:
    """The choice under a key as a table with its kind."""
    value = entry.get(key)
    if not isinstance(value, dict):
        value = entry[key] = {} if value is None else {"kind": value}
    return value


def _entries(groups: list[Flows], spread: str) -> list[dict[str, Any]]:
    """The entries of the file: hosts are numbered consecutively, and flows by their name."""
    labels = [g.label or g.name for g in groups]
    several, seen, before = Counter(labels), Counter[str](), 0
    entries = []
    for label, group in zip(labels, groups, strict=True):
        # The index is that of the flow among those of its name.
        first, offset = seen[label] + 1, before - seen[label]
        entry: dict[str, Any] = {}
        if group.count > 1:
            host = "{i}" if offset == 0 else f"{{i+{offset}}}"
            entry |= {"name": f"{label}{{i}}", "from": f"s{host}", "to": f"d{host}", "count": group.count}
            if first > 1:
                entry["first"] = first
        else:
            name = label if several[label] == 1 else f"{label}{first}"
            entry |= {"name": name, "from": f"s{before + 1}", "to": f"d{before + 1}"}
        if "start" not in group.entry:
            entry["start_spread"] = spread
        entries.append(entry | group.entry)
        seen[label] += group.count
        before += group.count
    return entries


def _queue(text: str, buffer: str | None, product: int) -> dict[str, Any]:
    """The discipline with its parameters; `product` is the bandwidth-delay product in bytes."""
    name, colon, rest = (part.strip() for part in text.partition(":"))
    known = _list("disciplines")
    if name not in known:
        raise HeadgateError(
            f"--queue: found {cut(repr(name))}; expected a discipline: one of {', '.join(known)}.{nearest(name, known)}"
        )
    queue: dict[str, Any] = {"kind": name}
    for item in _split(rest) if colon else []:
        key, sign, value = (part.strip() for part in item.partition("="))
        if not sign or key not in known[name]:
            expected = f"expected KEY=VALUE with one of {', '.join(known[name])}.{nearest(key, known[name])}"
            raise HeadgateError(f"--queue: {name}: found {cut(repr(item))}; {expected}")
        queue[key] = parse_value(value)
    if "buffer" in queue and buffer is not None:
        raise HeadgateError("--buffer: expected none beside that of --queue")
    if "buffer" in known[name]:
        queue.setdefault("buffer", buffer or _text("bytes", max(product, 10_000)))
    elif buffer is not None:
        raise HeadgateError(f"--buffer: expected none, since {name} has no parameter `buffer`")
    return queue


def _noise(text: str) -> str | None:
    """The noise of hosts as files write it; None for none."""
    found = f"{text}pkt" if re.fullmatch(r"[0-9.]+", text.strip()) else text
    pattern = json.loads(_core.schema())["$defs"]["Hosts"]["properties"]["noise"]["pattern"]
    if not re.search(pattern, found.strip()):
        raise HeadgateError(
            f"--noise: found {cut(repr(text))}; expected a number of packet times such as 1 or 0.1, or a time such as 50us"
        )
    return found.strip() if re.search("[1-9]", found) else None


def _quantity(where: str, text: str, kind: str, expected: str) -> int:
    """The base units of a quantity of a kind."""
    try:
        found, amount, _ = _core.quantity(text)
    except ValueError:
        found, amount = "", 0
    if found != kind or amount == 0:
        raise HeadgateError(f"{where}: found {cut(repr(text))}; expected {expected}")
    return amount


def _text(kind: str, amount: int) -> str:
    # Only times may be zero.
    return _core.quantity_text(kind, min(amount, 2**64 - 1)) if amount else "0s"
