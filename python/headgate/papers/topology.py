"""The drawing of a scenario's network: nodes, lines with rate, delay and buffer, and who sends what."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _core
from ..base.palette import BLUE, GREEN, GRID, INK, PALE, PURPLE, VERMILION
from ..plots.canvas import blank
from .model import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

Place = tuple[float, float]

#: Colour of a source by its workload; a source without flow control is drawn as ill-behaved.
_COLOUR = {"ftp": BLUE, "telnet": GREEN, "poisson": PURPLE}
_ILL = VERMILION

#: Distances, in units of the drawing: between gateways, from a gateway to its hosts, and between hosts.
_STEP, _ARM, _GAP = 3.0, 2.2, 0.85

#: Largest number of hosts drawn one by one at an end of the row, and of things of one colour in the legend.
_FAN = 8


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
        buffered = {n for link in scenario.get("links", []) if "queue" in link for n in _names(link)}
        gateways = tuple(n["name"] for n in whole["nodes"] if n["kind"] == "gateway")
        if "queue" in scenario.get("topology", {}).get("line", {}):
            buffered |= {x["name"] for x in whole["links"] if {x["from"], x["to"]} <= set(gateways)}
        return cls(gateways, tuple(whole["links"]), tuple(whole["flows"]), frozenset(buffered))

    def sources(self, host: str) -> list[Table]:
        """The flows that start at a host."""
        return [f for f in self.flows if f["from"] == host]

    def kind(self, host: str) -> str:
        """What starts or ends at a host, in words."""
        return next((_kind_text(f) for f in self.flows if host in (f["from"], f["to"])), "")

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
    """Draws the network of any scenario whose gateways lie in a row: hosts left, right, above (sources) and below (sinks).

    Hosts alike at an inner gateway are drawn as one, and so are those at an end if there are many.
    """
    net = Network.of(scenario)
    places, groups = _layout(net)
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
        _node(axes, net, groups.get(name, [name]), x, y, inner=min(xs) < x < max(xs), below=below)
    _legend(axes, net)
    return drawing


def _layout(net: Network) -> tuple[dict[str, Place], dict[str, list[str]]]:
    """Gateways in a row by their distance from the first, hosts around them; and for each host drawn those that it stands for."""
    depth = dict.fromkeys(net.gateways, 0)
    for _ in net.gateways:
        for link in net.links:
            if link["from"] in depth and link["to"] in depth:
                depth[link["to"]] = max(depth[link["to"]], depth[link["from"]] + 1)
    places: dict[str, Place] = {g: (_STEP * d, 0.0) for g, d in depth.items()}
    groups: dict[str, list[str]] = {}
    around: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for host in dict.fromkeys(n for link in net.links for n in (link["from"], link["to"]) if n not in depth):
        around[net.gateway(host)].append(host)
    last = max(depth.values(), default=0)
    for (gateway, upstream), hosts in around.items():
        x, edge = places[gateway][0], depth[gateway] == (0 if upstream else last)
        if not edge or len(hosts) > _FAN:
            alike: dict[str, list[str]] = defaultdict(list)
            for host in hosts:
                alike[net.kind(host)].append(host)
            groups |= {same[0]: same for same in alike.values()}
            hosts = [same[0] for same in alike.values()]
        for i, host in enumerate(hosts):
            off = _GAP * ((len(hosts) - 1) / 2 - i)
            if edge:
                places[host] = (x - _ARM if upstream else x + (_STEP if len(hosts) == 1 else _ARM), off)
            else:
                places[host] = (x - 1.6 * off, 1.6 if upstream else -1.6)
    return places, groups


def _lines(axes: Axes, net: Network, places: dict[str, Place]) -> None:
    """Lines, each labelled with its rate; of lines alike into or out of one gateway only the first is labelled."""
    seen = set()
    for link in net.links:
        if link["from"] not in places or link["to"] not in places:
            continue
        (x, y), (u, v) = places[link["from"]], places[link["to"]]
        slow = link["name"] in net.buffered
        axes.plot([x, u], [y, v], color=INK if slow else PALE, lw=2.2 if slow else 1.0, zorder=1)
        rate, delay = _forward(link["rate"]), _forward(link["delay"])
        parts = [_quantity(rate) if isinstance(rate, str) else "rate trace"]
        if _core.quantity(delay)[2] > 0:
            parts.append(f"{_quantity(delay)} delay")
        if slow:
            parts.append(_buffer(link["queue"]["buffer"]))
        gateway = link["to"] if link["from"] not in net.gateways else link["from"]
        far = link["from"] if gateway == link["to"] else link["to"]
        key = (gateway, link["from"] == gateway, far in net.gateways, *parts)
        if key not in seen:
            seen.add(key)
            _label(axes, (x, y), (u, v), parts)


def _forward(value: Any) -> Any:
    """The value in the direction of the data, where a link has two.

    >>> _forward("1Mbit/s"), _forward({"forward": "1Mbit/s", "reverse": "2Mbit/s"})
    ('1Mbit/s', '1Mbit/s')
    """
    return value["forward"] if isinstance(value, dict) and "forward" in value else value


def _label(axes: Axes, start: Place, end: Place, parts: list[str]) -> None:
    (x, y), (u, v) = start, end
    flat, up = abs(v - y) < 0.3, x != u and v > y
    # In a fan nearer to the host, where the lines are apart.
    at = 0.5 if flat or x == u else 0.55 if up else 0.3
    axes.text(
        x + at * (u - x) + (0 if flat else -0.1 if up else 0.15),
        y + at * (v - y) + (0.12 if flat else 0.35 * (y + v) / 2 if x == u else 0.06),
        ("\n" if flat or up or x == u else ", ").join(parts),
        ha="center" if flat else "right" if up else "left",
        va="center" if x == u else "bottom",
        fontsize=8,
        linespacing=1.15,
        zorder=3,
        bbox={"fc": "white", "ec": "none", "pad": 0.6, "alpha": 0.8},
    )


def _node(axes: Axes, net: Network, names: list[str], x: float, y: float, *, inner: bool, below: bool) -> None:
    """A gateway is a box; a host, or several alike, a circle with the flows beside it."""
    if names[0] in net.gateways:
        axes.plot(x, y, marker="s", ms=17, mfc=GRID, mec=INK, zorder=2)
        side = (-0.12, "right") if below else (-0.17, "left")
        axes.text(x + side[0], y - 0.34, names[0], ha=side[1], va="top", fontsize=9)
        return
    flows = [f for name in names for f in net.sources(name)]
    if flows:
        window = flows[0]["control"].get("window")
        text = _span([f["name"] for f in flows]) + (f", w {window}" if window is not None else "")
        colour = _colour(flows[0])
    else:
        ends = [f["name"] for f in net.flows if f["to"] in names]
        text, colour = (
            ("sink" if len(ends) == len(net.flows) else f"sink of{chr(10) if len(ends) > 2 else ' '}{_span(ends)}"),
            INK,
        )
    axes.plot(x, y, marker="o", ms=11, mfc="white", mec=colour, mew=1.6, zorder=2)
    if inner:
        above = y > 0
        axes.text(x, y + (0.26 if above else -0.26), text, ha="center", va="bottom" if above else "top", fontsize=9)
    else:
        left = bool(flows)
        axes.text(x + (-0.26 if left else 0.26), y, text, ha="right" if left else "left", va="center", fontsize=9)


def _span(names: list[str]) -> str:
    """Names in a row, or the first and the last of many."""
    return f"{names[0]} to {names[-1]}" if len(names) > 2 else ", ".join(names)


def _colour(flow: Table) -> str:
    kind = flow["workload"]["kind"]
    return _COLOUR.get(kind, _ILL if flow["control"]["kind"] == "none" else INK)


def _legend(axes: Axes, net: Network) -> None:
    """What the colours mean, for the sources that there are."""
    kinds: dict[tuple[str, str], list[str]] = defaultdict(list)
    for f in net.flows:
        kinds[_colour(f), _kind_text(f)].append(f["name"])
    colours = [colour for colour, _ in kinds]
    for colour in dict.fromkeys(colours):
        entries = [(names, text) for (own, text), names in kinds.items() if own == colour]
        # Where one colour stands for several things, the names say which; of many the first and the last are shown.
        for names, text in entries if len(entries) <= _FAN else (entries[0], entries[-1]):
            label = f"{_span(names)}: {text}" if len(entries) > 1 else text
            axes.plot([], [], marker="o", ls="", mfc="white", mec=colour, mew=1.6, label=label)
    axes.legend(
        frameon=False,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        ncols=1 if len(colours) > len(set(colours)) else 2,
        fontsize=8,
    )


def _kind_text(flow: Table) -> str:
    """A workload in words: its kind and its parameters."""
    work = flow["workload"]
    told = {
        "telnet": lambda: f"every {_quantity(work['mean'])} on average",
        "poisson": lambda: f"every {_quantity(work['mean'])} on average",
        "cbr": lambda: f"at {_quantity(work['rate'])}, no flow control",
        "background": lambda: (
            f"at {_quantity(work['rate'])}; on, off, on for {', '.join(map(_quantity, work['schedule']))}"
        ),
    }
    extra = told.get(work["kind"], lambda: "always something to send")()
    name = {"ftp": "FTP", "telnet": "Telnet", "poisson": "Poisson", "cbr": "constant rate"}.get(
        work["kind"], work["kind"]
    )
    return f"{name}: {_length(flow['packet'])}, {extra}"


def _length(packet: str | Table) -> str:
    """The length of a flow's packets, or the mean of its distribution."""
    if isinstance(packet, str):
        return _quantity(packet)
    return f"{_quantity(packet['mean'])} on average" if "mean" in packet else f"lengths {packet['kind']}"


def _quantity(text: str) -> str:
    """A quantity with a space before its unit.

    >>> _quantity("500ms"), _quantity("1ms"), _quantity("80kbit/s"), _quantity("1Gbit/s"), _quantity("1000B")
    ('0.5 s', '1 ms', '80 kbit/s', '1 Gbit/s', '1000 bytes')
    """
    kind, _, value = _core.quantity(text)
    if kind == "s":
        return f"{1000 * value:g} ms" if 0 < value < 0.01 else f"{value:g} s"
    if kind == "bps":
        scale, unit = next((x for x in ((1e9, "Gbit/s"), (1e6, "Mbit/s")) if value >= x[0]), (1e3, "kbit/s"))
        return f"{value / scale:g} {unit}"
    return f"{value:g} {'bytes' if kind == 'bytes' else 'packets'}"


def _buffer(text: str) -> str:
    """A buffer in words.

    >>> _buffer("20pkt"), _buffer("64KB"), _buffer("50ms")
    ('20 buffers', 'buffer of 64 KB', 'buffer of 0.05 s')
    """
    if text.endswith("pkt"):
        return f"{text.removesuffix('pkt')} buffers"
    kind, _, value = _core.quantity(text)
    return f"buffer of {f'{value / 1000:g} KB' if kind == 'bytes' and value >= 1000 else _quantity(text)}"
