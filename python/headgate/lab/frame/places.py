"""The line at which a scheme is judged: hosts, each with a link of its own to a gateway, the line to another one, and a sink behind it.

The engine's `topology = dumbbell` has a destination for each source; here all flows end at one sink, and the texts of scenarios, by which
runs are kept, name it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ... import _core
from ...base.catalogue import has_transport
from .part import Place

#: Length of the packets of all flows unless a judge says otherwise, in bytes.
PACKET = 1500


def dumbbell(hosts: Mapping[str, Mapping[str, Any]], line: Mapping[str, Any], access: str) -> dict[str, Any]:
    """Nodes and links.

    Args:
        hosts: by their names, what the link of each has beside its rate; a `count` is of the host, too.
        line: what the line has.
        access: rate of the links of hosts, and of that to the sink.

    >>> made = dumbbell({"near": {"delay": "1ms"}}, {"rate": "1Mbit/s"}, "10Mbit/s")
    >>> [node["name"] for node in made["nodes"]], made["links"][0]
    (['g', 'h', 'sink', 'near'], {'name': 'access-near', 'from': 'near', 'to': 'g', 'rate': '10Mbit/s', 'delay': '1ms'})
    """
    nodes: list[dict[str, Any]] = [{"name": "g"}, {"name": "h"}, {"name": "sink", "kind": "host"}]
    links: list[dict[str, Any]] = []
    for host, own in hosts.items():
        nodes.append({"name": host, "kind": "host", **{key: own[key] for key in own if key == "count"}})
        links.append({"name": f"access-{host}", "from": host, "to": "g", "rate": access, **own})
    links.append({"name": "line", "from": "g", "to": "h", **line})
    links.append({"name": "exit", "from": "h", "to": "sink", "rate": access})
    return {"nodes": nodes, "links": links}


def flow(
    name: str, host: str, control: Mapping[str, Any], transport: Mapping[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """A flow from a host to the sink; with the transport of Linux, beside its own, if its flow control takes one."""
    made = {"name": name, "from": host, "to": "sink", "packet": f"{PACKET}B", "control": control, **more}
    if has_transport(str(control["kind"])):
        made["transport"] = {"preset": "linux", **(transport or {})}
    return made


def call(host: str, **more: Any) -> dict[str, Any]:
    """A voice call of 64 kbit/s from a host to the sink."""
    load = {"kind": "cbr", "rate": "64kbit/s", **more}
    return {"name": "call", "from": host, "to": "sink", "packet": "160B", "workload": load, "control": "none"}


def contents(
    name: str,
    place: Place,
    interval: float,
    parts: Mapping[str, Any],
    flows: list[dict[str, Any]],
    *,
    noise: str = "1pkt",
    events: Sequence[dict[str, Any]] = (),
    plugins: Iterable[Any] = (),
) -> dict[str, Any]:
    """The contents of a scenario.

    Args:
        name: of the scenario.
        place: of which the run's length and warm-up are.
        interval: between two rows of the intervals, in s.
        parts: nodes and links.
        flows: all.
        noise: of hosts; none if it is zero.
        events: in any order.
        plugins: of the schemes.
    """
    data: dict[str, Any] = {"name": name, "duration": time_text(place.duration), "warm_up": time_text(place.warm_up)}
    data |= {"interval": time_text(interval), "hosts": {"noise": noise}, **parts, "flows": flows}
    if noise in ("0", "0s"):
        del data["hosts"]
    if events:
        data["events"] = sorted(events, key=lambda event: _core.quantity(event["at"], "s")[1])
    if plugins := list(plugins):
        data["plugins"] = plugins
    return data


def time_text(seconds: float) -> str:
    """A time as a file has it, to a nanosecond.

    >>> time_text(0.02), time_text(1 / 3)
    ('20ms', '333333.333us')
    """
    return _core.quantity_text("s", 1000 * round(seconds * 1e9))


def rate_text(bps: float) -> str:
    """A rate as a file has it, to a bit a second."""
    return _core.quantity_text("bps", round(bps))
