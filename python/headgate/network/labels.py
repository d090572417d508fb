"""The words beside nodes, lines and flows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from .. import _core
from ..base.errors import cut

#: Keys of a line that are shown elsewhere, or not at all.
_SHOWN = ("name", "from", "to", "rate", "delay", "queue", "reverse_queue", "classify")

#: Units by the kind of a quantity, and the maximum number of digits that are not rounded.
_UNITS: dict[str, list[tuple[float, str]]] = {
    "s": [(1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")],
    "bps": [(1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1, "bit/s")],
    "bytes": [(1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1, "B")],
    "pkt": [(1, "pkt")],
}
_DIGITS = 5

#: Maximum number of names that are written one by one.
NAMES = 3


def shown(name: str) -> str:
    r"""A name as pictures have it: neither too long nor with characters that cannot be printed.

    >>> shown("r1"), shown("a\x1b[2Jb")
    ('r1', 'a?[2Jb')
    """
    return "".join(c if c.isprintable() else "?" for c in cut(name))


def span(names: Sequence[str]) -> str:
    """Names in a row, or the first and the last of many.

    >>> span(["s1", "s2"]), span(["s1", "s2", "s3", "s4"]), span(["a", "b", "x", "z"]), span([])
    ('s1, s2', 's1 to s4', 'a, b ... z', 'none')
    """
    if len(names) <= NAMES:
        return ", ".join(map(shown, names)) or "none"
    parts = [re.fullmatch(r"(.*?)(\d*)", name, re.DOTALL) for name in names]
    ends = [(m[1], int(m[2][-18:] or -1)) for m in parts if m]
    if all(a[0] == b[0] and b[1] == a[1] + 1 for a, b in pairwise(ends)):
        return f"{shown(names[0])} to {shown(names[-1])}"
    return f"{shown(names[0])}, {shown(names[1])} ... {shown(names[-1])}"


def quantity(text: str) -> str:
    """A quantity with a space before its unit, and with four digits if it has many.

    >>> quantity("20Mbit/s"), quantity("0ps"), quantity("unlimited"), quantity("1504B"), quantity("7709186.825ns")
    ('20 Mbit/s', '0 s', 'unlimited', '1504 B', '7.709 ms')
    """
    found = re.fullmatch(r"([\d.]+)([a-zA-Z/]+)", text.replace(" ", ""))
    if found is None:
        return text
    if len(found[1]) <= _DIGITS and text != "0ps":
        return f"{found[1]} {found[2]}"
    kind, _, value = _core.quantity(text)
    scale, unit = next((s, u) for s, u in _UNITS[kind] if value >= s or s == _UNITS[kind][-1][0])
    return f"{value / scale:.4g} {unit}" if value else f"0 {_UNITS[kind][0][1]}"


def line(links: Sequence[Mapping[str, Any]], end: str | None = None) -> list[str]:
    """The properties of some lines, in parts: rate and delay, disciplines, and the rest; `end` is the gateway of lines of hosts.

    >>> line([{"rate": "9Mbit/s", "delay": "5ms", "queue": {"kind": "fq", "buffer": "9pkt"}, "from": "a", "to": "b"}])
    ['9 Mbit/s, 5 ms', 'fq 9 pkt']
    """
    rates, delays = (_range([link[key] for link in links]) for key in ("rate", "delay"))
    queues = dict.fromkeys(_queues(link, end) for link in links)
    more = dict.fromkeys(text for link in links for text in _more(link))
    first = rates if delays == "0 s" else f"{rates}, {delays}"
    return [first, " or ".join(list(queues)[:NAMES]) + (" ..." if len(queues) > NAMES else ""), *more]


def _queues(link: Mapping[str, Any], end: str | None) -> str:
    """The disciplines of the ports: of one end, or of both where they differ."""
    there = _queue(link["queue"])
    back = _queue(link.get("reverse_queue") or link["queue"])
    if end is not None:
        return there if link["from"] == end else back
    return there if there == back else f"{there} →, {back} ←"


def _queue(queue: Mapping[str, Any]) -> str:
    buffer = queue.get("buffer")
    parts = [queue["kind"], queue.get("role"), None if buffer is None else quantity(buffer)]
    return " ".join(part for part in parts if part)


def _more(link: Mapping[str, Any]) -> Iterable[str]:
    """Losses, jitter and whatever else a line has."""
    for key, value in link.items():
        if key == "unlabel":
            one_way = isinstance(value, Mapping)
            yield "labels off" + (f" {'→' if value['forward'] else '←'}" if one_way else "")
        elif key not in _SHOWN and value is not None:
            yield f"{key} {_brief(value)}".strip()


def _brief(value: Any) -> str:
    """The kind of a choice, or a plain value."""
    if not isinstance(value, Mapping):
        return quantity(str(value))
    if "kind" in value:
        return str(value["kind"])
    directions = {
        direction: _brief(value[direction]) for direction in ("forward", "reverse") if value.get(direction) is not None
    }
    if directions:
        return ", ".join(f"{text} {'→' if direction == 'forward' else '←'}" for direction, text in directions.items())
    return " ".join(f"{k} {_brief(v)}" for k, v in value.items() if not isinstance(v, list | Mapping | bool))


def _range(values: Sequence[Any]) -> str:
    """Values that are equal, or the least and the greatest."""
    texts = list(dict.fromkeys(quantity(v) if isinstance(v, str) else _brief(v) for v in values))
    if len(texts) == 1:
        return texts[0]
    amounts = sorted({_core.quantity(v)[1]: v for v in values if isinstance(v, str)}.items())
    if len(amounts) < 2 or not all(isinstance(v, str) for v in values):
        return " or ".join(texts[:NAMES]) + (" ..." if len(texts) > NAMES else "")
    return f"{quantity(amounts[0][1])} to {quantity(amounts[-1][1])}"


def flow(entry: Mapping[str, Any]) -> str:
    """A flow in words: its flow control, workload and length of packets.

    >>> flow({"control": {"kind": "jk_reno"}, "workload": {"kind": "cbr", "rate": "1Mbit/s"}, "packet": "1000B"})
    'jk_reno, cbr 1 Mbit/s, 1000 B'
    """
    control, work, packet = entry["control"]["kind"], entry["workload"], entry["packet"]
    amount = next((quantity(work[k]) for k in ("rate", "mean", "bytes") if isinstance(work.get(k), str)), "")
    parts = [control if control != "none" else "no flow control", f"{work['kind']} {amount}".strip(), _brief(packet)]
    return ", ".join(parts)
