"""A router that shapes before a modem: two queues in series, so that packets wait in the one that has a good queue.

A home's router sends as fast as its cable, and the modem behind it as fast as the line. So packets wait in the modem, whose buffer is plain
and large, unless the router holds them to less than the line's rate: SQM of OpenWrt, and CAKE's `bandwidth`, do that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _core
from ..base.catalogue import shapes
from ..base.errors import HeadgateError, cut
from ..scenario.baselines import PLAIN
from ..scenario.subjects import spelled
from .amounts import quantity, read, text_of
from .flows import Flows
from .queues import name_of, plain, queue_of

#: The queue of a shaper that names none.
QUEUE = "cake"

#: The buffer of a modem whose buffer is not given: that of the preset `home`.
BUFFER = "100ms"

#: What stands for all rates of a sweep, and for a router that holds nothing back.
SWEEP, OFF = "sweep", ("off", "none", "0")

#: Words that ask for the best rate.
SWEEPS = dict.fromkeys(("auto", "best", "optimal", "find", "tune", "search"), SWEEP)

#: The names of the links of a home: the line between the two ends of the modem's connection, and the router's cable to the modem.
LINE, ROUTER = "bottleneck", "router"


@dataclass(frozen=True)
class Shaper:
    """The rates to which a router holds packets, each None where that direction is not shaped, and its queue."""

    down: str | None
    up: str | None
    queue: str = QUEUE

    def sentence(self) -> str:
        """What it does.

        >>> Shaper(None, "19Mbit/s").sentence()
        'A router before the modem holds the upload to 19Mbit/s (cake).'
        """
        if self.down is None and self.up is None:
            return "A router before the modem holds nothing back."
        held = [f"the {what} to {rate}" for what, rate in (("download", self.down), ("upload", self.up)) if rate]
        return f"A router before the modem holds {' and '.join(held)} ({self.queue})."


def shaper_of(text: str, rate: str, up: str | None, groups: Sequence[Flows]) -> Shaper:
    """The shaper of `--shaper RATE[:QUEUE]`.

    One rate is that of the direction in which flows with endless data go, which is down where there are none. A share, as `95%`, is one of
    the line's rate, in both directions. Two rates, as `45/9`, are those down and up.

    Raises:
        HeadgateError: it is no rate, no such queue, or one rate for endless data in both directions.
    """
    if text.strip() in OFF:
        return Shaper(None, None)
    given, _, queue = text.strip().partition(":")
    queue = plain(queue, "--shaper") if queue.strip() else QUEUE
    share = re.fullmatch(r"(\d{1,3}(?:\.\d{1,3})?)\s*%", given)
    if share is not None and float(share[1]) > 0:
        return at_share(float(share[1]) / 100, queue, rate, up, ("down", "up"))
    two = re.fullmatch(r"([\d.]+\s*[a-zA-Z]*(?:it/s|/s)?)\s*/\s*([\d.]+\s*[a-zA-Z]*(?:/s)?)", given)
    if two is not None and two[2][:1].isdigit():
        unit = re.sub(r"[\d.\s]", "", two[2])
        down = two[1] if re.search(r"[a-zA-Z]", two[1]) else f"{two[1]}{unit}"
        return Shaper(read("--shaper", down, "bps"), read("--shaper", two[2], "bps"), queue)
    try:
        one = read("--shaper", given, "bps")
    except HeadgateError:
        example = (
            "a rate such as 19Mbit/s, two as 45/9 (down and up), a share as 95%, or sweep, and a queue after a colon"
        )
        raise HeadgateError(f"--shaper: found {cut(repr(text))}; expected {example}, as in 19Mbit/s:fq_codel") from None
    ways = directions(groups)
    if len(ways) > 1:
        down = text_of("bps", quantity("--rate", rate, "bps") * 95 // 100)
        other = text_of("bps", quantity("--up", up or rate, "bps") * 95 // 100)
        raise HeadgateError(
            f"--shaper: found {cut(repr(text))} with endless data in both directions; expected the rates down and up, such as "
            f"{down}/{other}, or a share of both, such as 95%"
        )
    return Shaper(one if ways == ("down",) else None, one if ways == ("up",) else None, queue)


def at_share(share: float, queue: str, rate: str, up: str | None, ways: Sequence[str]) -> Shaper:
    """A shaper at a share of the line's rate in these directions."""
    rates = {
        way: text_of("bps", round(quantity(f"--{name}", value, "bps") * share))
        for way, name, value in (("down", "rate", rate), ("up", "up", up or rate))
    }
    return Shaper(rates["down"] if "down" in ways else None, rates["up"] if "up" in ways else None, queue)


def directions(groups: Sequence[Flows]) -> tuple[str, ...]:
    """The directions in which flows with endless data go, or else those that fill a line at times; down where there are none."""
    for kinds in (("ftp",), ("ftp", "transfer", "on_off", "requests")):
        found = {"up" if g.back else "down" for g in groups if _kind(g) in kinds}
        if found:
            return tuple(way for way in ("down", "up") if way in found)
    return ("down",)


def endless(group: Flows) -> bool:
    """Whether flows have endless data."""
    return _kind(group) == "ftp"


def _kind(group: Flows) -> str:
    """The workload of flows; a flow control alone has endless data."""
    workload = group.entry.get("workload", "ftp")
    return str(workload.get("kind") if isinstance(workload, dict) else workload)


def network(
    line: Mapping[str, Any], fast: str, trips: Sequence[int], counts: Sequence[int], shaper: Shaper | None
) -> dict[str, Any]:
    """The nodes and links of a home: servers, the provider, the modem, the router, and the home's hosts.

    Args:
        line: the link between the provider and the modem, as a file has it; its `queue` is the provider's, and `reverse_queue` the modem's.
        fast: the rate of all other links.
        trips: the round trip of each group of flows beyond that of the line, in picoseconds.
        counts: the number of flows of each group.
        shaper: of the router; None for a router that holds nothing back.
    """
    total = sum(counts)
    nodes = [
        {"name": "s{i}", "kind": "host", "count": total}, {"name": "provider"}, {"name": "modem"}, {"name": "router"},
        {"name": "d{i}", "kind": "host", "count": total},
    ]  # fmt: skip
    links: list[dict[str, Any]] = [{"name": LINE, "from": "provider", "to": "modem", **line}]
    down = _shaped(None if shaper is None else shaper.down, fast, shaper)
    back = _shaped(None if shaper is None else shaper.up, fast, shaper)
    cable: dict[str, Any] = {"name": ROUTER, "from": "modem", "to": "router"}
    cable["rate"] = down[0] if down[0] == back[0] else {"forward": down[0], "reverse": back[0]}
    cable |= {"queue": down[1], **({"reverse_queue": back[1]} if back[1] != down[1] else {})}
    links.append(cable)
    before = 0
    runs: list[list[int]] = []
    for trip, count in zip(trips, counts, strict=True):
        if runs and runs[-1][0] == trip:
            runs[-1][1] += count
        else:
            runs.append([trip, count])
    for trip, count in runs:
        host = "{i}" if before == 0 else f"{{i+{before}}}"
        delay = {"delay": text_of("s", trip // 2)} if trip else {}
        links.append({"from": f"s{host}", "to": "provider", "count": count, "rate": fast, **delay})
        links.append({"from": "router", "to": f"d{host}", "count": count, "rate": fast})
        before += count
    return {"nodes": nodes, "links": links}


def _shaped(rate: str | None, fast: str, shaper: Shaper | None) -> tuple[str, dict[str, Any]]:
    """The rate of a direction of the router's cable, and its queue.

    A queue with a rate of its own holds packets to that. Under any other one the cable itself has the rate: packets leave the queue as an
    HTB class without a burst would let them.
    """
    if rate is None or shaper is None:
        return fast, {"kind": PLAIN, "buffer": "1000pkt"}
    kind = name_of("--shaper", shaper.queue)
    if kind == "htb":
        classes = [{"name": "all", "rate": rate}]
        return fast, {"kind": "htb", "classes": classes}
    queue = queue_of(shaper.queue, None, 0, "--shaper")
    if "buffer" not in shaper.queue:
        # Its own default: the product of a line that it does not see says nothing.
        queue.pop("buffer", None)
        if kind == PLAIN:
            queue["buffer"] = "1000pkt"
    if shapes(kind):
        if "rate" in queue:
            raise HeadgateError(f"--shaper: found a rate beside that of {kind}; expected one of them")
        return fast, {**queue, "rate": rate}
    return rate, queue


def too_fast(shaper: Shaper, rate: str, up: str | None) -> list[str]:
    """Warnings about rates at or above that of the line: packets wait in the modem then, not in the router.

    >>> too_fast(Shaper(None, "21Mbit/s"), "50Mbit/s", "20Mbit/s")[0][:56]
    'The router holds the upload to 21Mbit/s, and the line ha'
    """
    found = []
    for what, held, line in (("download", shaper.down, rate), ("upload", shaper.up, up or rate)):
        if held is None:
            continue
        ours, theirs = _core.quantity(held, "bps")[1], _core.quantity(line, "bps")[1]
        if ours > theirs:
            found.append(
                f"The router holds the {what} to {held}, and the line has {line}: packets wait in the modem, and the shaper does nothing. "
                "Take less than the line."
            )
        elif ours == theirs:
            found.append(
                f"The router holds the {what} to {held}, all that the line has: a real line has less at times, and then packets wait in "
                "the modem. Take less than the line."
            )
    return found


def in_the_modem(queue: str | None, up_queue: str | None) -> list[str]:
    """A sentence on queues of the link that have a rate of their own: they are in the modem, where a home has no other queue to choose.

    >>> in_the_modem("cake:rate=18Mbit/s", None)[0][:67]
    'The queue of the link itself has a rate here (cake:rate=18Mbit/s), '
    """
    given = [
        q
        for q in (queue, up_queue)
        if q is not None and shapes(name_of("--queue", spelled(q, "discipline", "--queue")))
    ]
    rates = {q: str(rate) for q in given if (rate := queue_of(q, None, 0).get("rate"))}
    if not rates:
        return []
    first = next(iter(rates.values()))
    return [
        f"The queue of the link itself has a rate here ({', '.join(rates)}), as if the modem had it; --shaper {first} is that of a router "
        "before a modem with a plain buffer."
    ]
