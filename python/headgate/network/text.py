"""A network in the terminal, at most 80 columns wide."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from .graph import Network

#: Columns of the picture.
WIDTH = 80

#: Maximum number of stations in a row, of other ones, and of lines between these, that are drawn one by one.
_ROW, _STATIONS, _EDGES = 24, 12, 16

#: Maximum number of kinds of flows that are listed.
_FLOWS = 12

_GATEWAY, _HOST = "■", "○"


def picture(net: Network) -> str:
    """The stations from above, each with its hosts and its lines to those below it; then the flows.

    Stations in a row have their lines between them. Where there are many, each layer is drawn as one.
    """
    net = net.within(_ROW, _STATIONS, _EDGES)
    return "\n".join([*_stations(net), "", *_flows(net.flows)]) + "\n"


def _stations(net: Network) -> Iterator[str]:
    """All stations, from the first layer on, or from the one farthest from the hosts."""
    layers = list(reversed(net.layers)) if net.stages else net.layers
    order = [name for layer in layers for name in layer]
    place = {name: i for i, name in enumerate(order)}
    for i, name in enumerate(order):
        following = order[i + 1] if i + 1 < len(order) else None
        edges = [(other, edge) for edge in net.edges for other in _others(edge.ends, name)]
        below = [(other, edge) for other, edge in edges if place[other] >= i]
        # The line to the next station is drawn downwards to it, if no other station is attached here.
        onward = [edge for other, edge in below if other == following]
        if [other for other, _ in below if other != name] != [following]:
            onward = []
        hung = [(f"{_HOST} {group.name}", group.words) for group in net.hosts(name)]
        hung += [(_called(net, o) if o != name else "among them", e.words) for o, e in below if e not in onward]
        yield from _beside("", _called(net, name))
        for k, (what, words) in enumerate(hung):
            corner, side = ("└──", "     ") if k == len(hung) - 1 and not onward else ("├──", "│    ")
            yield from _beside(corner, what)
            yield from _beside(side, ", ".join(words))
        for edge in onward:
            yield "│"
            yield from _beside("│  ", ", ".join(edge.words))
            yield "│"
        if not onward and following is not None:
            yield ""


def _others(ends: tuple[str, str], name: str) -> list[str]:
    """The other end of a line, if one end is this station."""
    return [ends[1] if ends[0] == name else ends[0]] if name in ends else []


def _called(net: Network, name: str) -> str:
    return f"{_GATEWAY if name in net.gateways else _HOST} {net.stations[name]}"


def _beside(start: str, text: str) -> Iterator[str]:
    """Words after a start; the rest is printed below."""
    rest = start.replace("─", " ").replace("├", "│").replace("└", " ")
    yield from textwrap.wrap(text, WIDTH, initial_indent=start, subsequent_indent=f"{rest}  ")


def _flows(flows: Sequence[str]) -> Iterator[str]:
    """The kinds of flows."""
    yield "flows"
    for flow in flows[:_FLOWS]:
        yield from textwrap.wrap(flow, WIDTH, initial_indent="  ", subsequent_indent="    ")
    if len(flows) > _FLOWS:
        yield f"  and {len(flows) - _FLOWS} more kinds"
