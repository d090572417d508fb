"""The drawing of a scenario's network: nodes, lines with rate, delay and buffer, and who sends what."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _core
from ..plots.canvas import blank
from .model import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

Place = tuple[float, float]

#: Colour of a source by its workload; a source without flow control is drawn as ill-behaved.
_COLOUR = {"ftp": "#1f5fa8", "telnet": "#2f7d3b", "poisson": "#7a4fa3"}
_ILL = "#b3401f"

#: Distances, in units of the drawing: between gateways, from a gateway to its hosts, and between hosts.
_STEP, _ARM, _GAP = 3.0, 2.2, 0.85


@dataclass(frozen=True)
class Network:
    """What is drawn of a scenario, counts expanded."""

    gateways: tuple[str, ...]
    links: tuple[Table, ...]
    flows: tuple[Table, ...]
    buffered: frozenset[str]

    @classmethod
    def of(cls, scenario: Table) -> Network:
        """Reads a scenario; a buffer counts where the scenario itself gives the link a queue."""
        whole = json.loads(_core.check(json.dumps(scenario)))
        buffered = {n for link in scenario["links"] if "queue" in link for n in _names(link)}
        gateways = tuple(n["name"] for n in whole["nodes"] if n["kind"] == "gateway")
        return cls(gateways, tuple(whole["links"]), tuple(whole["flows"]), frozenset(buffered))

    def sources(self, host: str) -> list[Table]:
        """The flows that start at a host."""
        return [f for f in self.flows if f["from"] == host]

    def gateway(self, host: str) -> tuple[str, bool]:
        """A host's gateway, and whether the host is upstream of it."""
        for link in self.links:
            if link["from"] == host:
                return link["to"], True
        return next(link["from"] for link in self.links if link["to"] == host), False


def _names(link: Table) -> Iterable[str]:
    first = link.get("first", 1)
    return (link["name"].replace("{i}", str(i)) for i in range(first, first + link.get("count", 1)))


def draw_topology(scenario: Table) -> Drawing:
    """Draws the network of any scenario whose gateways lie in a row: hosts left, right, above (sources) and below (sinks)."""
    net = Network.of(scenario)
    places = _layout(net)
    xs, ys = [x for x, _ in places.values()], [y for _, y in places.values()]
    width, height = max(xs) - min(xs) + 3.4, max(ys) - min(ys) + 1.6
    drawing = blank(width=min(9.6, 0.95 * width), height=max(2.2, min(5.6, 0.85 * height)))
    axes = drawing.add_subplot()
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_xlim(min(xs) - 1.7, max(xs) + 1.7)
    axes.set_ylim(min(ys) - 0.8, max(ys) + 0.8)
    _lines(axes, net, places)
    for name, (x, y) in places.items():
        below = any(u == x and v < y for u, v in places.values())
        _node(axes, net, name, x, y, inner=min(xs) < x < max(xs), below=below)
    _legend(axes, net)
    return drawing


def _layout(net: Network) -> dict[str, Place]:
    """Gateways in a row by their distance from the first, hosts around them."""
    depth = dict.fromkeys(net.gateways, 0)
    for _ in net.gateways:
        for link in net.links:
            if link["from"] in depth and link["to"] in depth:
                depth[link["to"]] = max(depth[link["to"]], depth[link["from"]] + 1)
    places: dict[str, Place] = {g: (_STEP * d, 0.0) for g, d in depth.items()}
    around: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for host in dict.fromkeys(n for link in net.links for n in (link["from"], link["to"]) if n not in depth):
        around[net.gateway(host)].append(host)
    last = max(depth.values(), default=0)
    for (gateway, upstream), hosts in around.items():
        x, edge = places[gateway][0], depth[gateway] == (0 if upstream else last)
        for i, host in enumerate(hosts):
            off = _GAP * ((len(hosts) - 1) / 2 - i)
            if edge:
                places[host] = (x - _ARM if upstream else x + (_STEP if len(hosts) == 1 else _ARM), off)
            else:
                places[host] = (x - 1.4 * off, 1.6 if upstream else -1.6)
    return places


def _lines(axes: Axes, net: Network, places: dict[str, Place]) -> None:
    """Lines, each labelled with its rate; of lines alike into or out of one gateway only the first is labelled."""
    seen = set()
    for link in net.links:
        (x, y), (u, v) = places[link["from"]], places[link["to"]]
        slow = link["name"] in net.buffered
        axes.plot([x, u], [y, v], color="#222222" if slow else "#999999", lw=2.2 if slow else 1.0, zorder=1)
        parts = [link["rate"].replace("bit/s", " bit/s").replace("k ", " k").replace("M ", " M")]
        if not link["delay"].startswith("0"):
            parts.append(f"{link['delay'].replace('s', ' s')} delay")
        if slow:
            parts.append(f"{link['queue']['buffer'].removesuffix('pkt')} buffers")
        gateway = link["to"] if link["from"] not in net.gateways else link["from"]
        far = link["from"] if gateway == link["to"] else link["to"]
        key = (gateway, link["from"] == gateway, far in net.gateways, *parts)
        if key not in seen:
            seen.add(key)
            _label(axes, (x, y), (u, v), parts)


def _label(axes: Axes, start: Place, end: Place, parts: list[str]) -> None:
    (x, y), (u, v) = start, end
    flat, up = abs(v - y) < 0.3, x != u and v > y
    axes.text(
        (x + u) / 2 + (0 if flat else -0.1 if up else 0.15),
        (y + v) / 2 + (0.12 if flat else 0.06),
        "\n".join(parts),
        ha="center" if flat else "right" if up else "left",
        va="center" if x == u else "bottom",
        fontsize=8,
        linespacing=1.15,
        zorder=3,
    )


def _node(axes: Axes, net: Network, name: str, x: float, y: float, *, inner: bool, below: bool) -> None:
    """A gateway is a box; a host is a circle with its flows beside it."""
    if name in net.gateways:
        axes.plot(x, y, marker="s", ms=17, mfc="#dddddd", mec="#222222", zorder=2)
        side = (-0.12, "right") if below else (-0.17, "left")
        axes.text(x + side[0], y - 0.34, name, ha=side[1], va="top", fontsize=9)
        return
    flows = net.sources(name)
    if flows:
        text, colour = ", ".join(_flow_text(f) for f in flows), _colour(flows[0])
    else:
        ends = [f["name"] for f in net.flows if f["to"] == name]
        text, colour = (f"sink of {ends[0]}" if len(ends) == 1 else "sink"), "#444444"
    axes.plot(x, y, marker="o", ms=11, mfc="white", mec=colour, mew=1.6, zorder=2)
    if inner:
        above = y > 0
        axes.text(x, y + (0.26 if above else -0.26), text, ha="center", va="bottom" if above else "top", fontsize=9)
    else:
        left = bool(flows)
        axes.text(x + (-0.26 if left else 0.26), y, text, ha="right" if left else "left", va="center", fontsize=9)


def _flow_text(flow: Table) -> str:
    """A flow's name, and its window where it has one."""
    window = flow["control"].get("window")
    return flow["name"] if window is None else f"{flow['name']}, w {window}"


def _colour(flow: Table) -> str:
    return (
        _ILL
        if flow["control"]["kind"] == "none" and flow["workload"]["kind"] not in _COLOUR
        else _COLOUR.get(flow["workload"]["kind"], _ILL)
    )


def _legend(axes: Axes, net: Network) -> None:
    """What the colours mean, for the sources that there are."""
    kinds: dict[str, str] = {}
    for f in net.flows:
        kinds.setdefault(_colour(f), _kind_text(f))
    for colour, text in kinds.items():
        axes.plot([], [], marker="o", ls="", mfc="white", mec=colour, mew=1.6, label=text)
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2, fontsize=8)


def _kind_text(flow: dict[str, Any]) -> str:
    """A workload in words: its kind and what it is told by."""
    work = flow["workload"]
    size = flow["packet"].removesuffix("B") + " bytes"
    told = {
        "telnet": lambda: f"every {work['mean'].replace('s', ' s')} on average",
        "poisson": lambda: f"every {work['mean'].replace('s', ' s')} on average",
        "cbr": lambda: f"at {work['rate'].replace('kbit/s', ' kbit/s')}, no flow control",
        "background": lambda: (
            f"at {work['rate'].replace('kbit/s', ' kbit/s')}; on, off, on for "
            + ", ".join(t.replace("s", " s") for t in work["schedule"])
        ),
    }
    extra = told.get(work["kind"], lambda: "always something to send")()
    name = {"ftp": "FTP", "telnet": "Telnet", "poisson": "Poisson", "cbr": "malicious"}.get(work["kind"], work["kind"])
    return f"{name}: {size}, {extra}"
