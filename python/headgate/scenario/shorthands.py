"""Short names of flows, each for a flow control or a workload with fitting parameters, and of queues in `headgate quick`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from .. import _core
from ..base.catalogue import catalogue as engine_list
from ..base.toml import value_text
from .baselines import MODERN

#: Simulated time in seconds for flows that send now and then: a minute after the warm-up of a seventh.
SEVERAL_S = 70


@dataclass(frozen=True)
class Shorthand:
    """A short name: the keys of a flow that it stands for, what that sends, and why it fits the name."""

    name: str
    entry: Mapping[str, Any]
    sends: str
    why: str
    #: Least simulated time in seconds in which `quick` sees enough of it.
    lasts_s: int = 10
    #: Whether `quick` sends it in the other direction, as `--up-flows` does; in a file `from` and `to` say it.
    up: bool = False

    @property
    def key(self) -> str:
        """Its main part: `control` or `workload`."""
        return "workload" if "workload" in self.entry else "control"

    @property
    def kind(self) -> str:
        """The flow control or the workload that it stands for."""
        choice = self.entry[self.key]
        return str(choice["kind"] if isinstance(choice, dict) else choice)


#: A segment of 2.5 MB every 4 s.
_SEGMENTS = {"kind": "on_off", "rate": "1Gbit/s", "on": "20ms", "off": "3980ms", "spans": {"kind": "fixed"}}

#: 50 packets a second.
_VOICE = {"packet": "200B", "workload": {"kind": "cbr", "rate": "80kbit/s"}, "control": "none"}

#: Other names of disciplines that `headgate list short-names` has; `headgate quick --queue` takes all that their cards have.
_QUEUES = ("droptail", "fifo")


@cache
def queues() -> dict[str, str]:
    """Those names, each with the one that the discipline has here.

    >>> queues()
    {'droptail': 'fcfs', 'fifo': 'fcfs'}
    """
    named = {alias: entry.name for entry in engine_list("disciplines").values() for alias in entry.aliases}
    return {name: named[name] for name in _QUEUES}


@cache
def shorthands() -> dict[str, Shorthand]:
    """All short names.

    >>> shorthands()["call"].entry["packet"], shorthands()["bbr"].kind
    ('200B', 'bbr3')
    """
    # The one that is called so by people who name no version.
    bbr = next(entry.name for entry in engine_list("flow-controls").values() if "bbr" in entry.aliases)
    known = [
        Shorthand(
            "bbr",
            {"control": bbr},
            f"endless data under {bbr}, the newest version of BBR here",
            f"A later release may have a newer one: write {bbr} where numbers are to stay.",
        ),
        Shorthand(
            "bulk",
            {"workload": {"kind": "ftp"}},
            "endless data",
            "A download or an upload that takes longer than the run, such as a backup or an update.",
        ),
        Shorthand(
            "download",
            {"workload": {"kind": "ftp"}},
            "endless data, as bulk",
            "As bulk.",
        ),
        Shorthand(
            "upload",
            {"workload": {"kind": "ftp"}},
            "endless data in the other direction",
            "As bulk, such as a backup; `headgate quick` sends it as --up-flows does, and in a file `from` and `to` say the direction.",
            up=True,
        ),
        Shorthand(
            "web",
            {
                "workload": {"kind": "transfer", "bytes": "2MB", "size": {"kind": "lognormal"}},
                "arrivals": {"kind": "poisson", "mean": "5s"},
            },
            "pages of 2 MB in the mean, lognormally distributed, each over a connection of its own, one every 5 s in the mean, at random",
            "A reader who opens pages of several sites: the median page had about 2 MB in 2022 (HTTP Archive, Web Almanac). "
            "Pages are opened whether or not the last one is complete.",
            SEVERAL_S,
        ),
        Shorthand(
            "video",
            {"workload": _SEGMENTS},
            "a segment of 2.5 MB every 4 s, 5 Mbit/s in the mean",
            "A player of recorded video at 1080 lines that fetches segments of 4 s, with its buffer full. It does not change to a lower "
            "rate: where 5 Mbit/s do not get through, segments wait in the source.",
            SEVERAL_S,
        ),
        Shorthand(
            "call",
            _VOICE,
            "50 packets of 200 bytes a second, 80 kbit/s, without flow control",
            "A voice call with G.711: 64 kbit/s of voice in packets of 20 ms (RFC 3551), each with 40 bytes of headers. Codecs of today "
            "send less.",
        ),
        Shorthand(
            "voip",
            _VOICE,
            "80 kbit/s as call: 50 packets of 200 bytes a second, without flow control",
            "As call.",
        ),
        Shorthand(
            "zoom",
            {"packet": "1200B", "workload": {"kind": "cbr", "rate": "1200kbit/s"}, "control": "none"},
            "125 packets of 1200 bytes a second, 1.2 Mbit/s, without flow control",
            "One direction of a video call between two at 720 lines: what Zoom asks for (its system requirements, as others quote them), "
            "up and down; --up-flows zoom is what you send. A real call lowers its rate where it does not get through.",
        ),
        Shorthand(
            "netflix",
            {"workload": _SEGMENTS},
            "5 Mbit/s as Netflix recommends: a segment of 2.5 MB every 4 s",
            "As video: 5 Mbit/s is the speed that Netflix recommends for HD (help.netflix.com/en/node/306).",
            SEVERAL_S,
        ),
        Shorthand(
            "youtube",
            {"workload": _SEGMENTS},
            "5 Mbit/s as YouTube recommends: a segment of 2.5 MB every 4 s",
            "As video: 5 Mbit/s is what YouTube asks for with 1080 lines (its system requirements, as USA Today quoted them on 25 March "
            "2020).",
            SEVERAL_S,
        ),
        Shorthand(
            "ping",
            {"packet": "84B", "ack": "84B", "workload": {"kind": "cbr", "rate": "3360bit/s"}, "control": "none"},
            "5 packets of 84 bytes a second, each answered by as many",
            "An ICMP echo of 56 bytes of data every 0.2 s, as Flent's tests have it; its round trips are the ping under load.",
        ),
        Shorthand(
            "game",
            {"packet": "100B", "workload": {"kind": "cbr", "rate": "64kbit/s"}, "control": "none"},
            "80 packets of 100 bytes a second, 64 kbit/s, without flow control",
            "A game of action sends small updates at a steady rate, whatever the network does; what counts is how long they wait.",
        ),
    ]
    return {shorthand.name: shorthand for shorthand in known}


def catalogue() -> list[dict[str, Any]]:
    """All short names as `headgate list` has them: what each stands for is its source, and `kind` the scheme among it."""
    return [
        {
            "name": s.name,
            "source": ", ".join(f"{key} = {value_text(value)}" for key, value in s.entry.items()),
            "parameters": [],
            "summary": f"{s.sends[0].upper()}{s.sends[1:]}. {s.why}",
            "deviations": [],
            "kind": s.kind,
        }
        for s in shorthands().values()
    ] + [
        {
            "name": name,
            "source": f"--queue {kind}",
            "parameters": [],
            "summary": f"The queueing discipline {kind}, which others call {name}. Only --queue of headgate quick knows this name.",
            "deviations": [],
            "kind": kind,
        }
        for name, kind in queues().items()
    ]


def spell_out(flows: object) -> None:
    """Replaces short names in the entries of flows of a scenario file by their meaning, in place; other values are kept.

    Keys that an entry has itself are kept. A size of transfers may be a number of bytes too: `size = "100KB"` is `bytes = "100KB"`.

    >>> flows = [{"workload": "call", "packet": "60B"}, {"workload": {"kind": "transfer", "size": "100KB"}}]
    >>> spell_out(flows)
    >>> flows[0]["workload"]["rate"], flows[0]["packet"], flows[1]
    ('80kbit/s', '60B', {'workload': {'kind': 'transfer', 'bytes': '100KB'}})
    """
    for flow in flows if isinstance(flows, list) else []:
        if isinstance(flow, dict):
            for key in ("control", "workload"):
                _spell_out(flow, key)
            workload = flow.get("workload")
            if isinstance(workload, dict):
                _size(workload)
                _size(workload.get("object"))


def _spell_out(flow: dict[str, Any], key: str) -> None:
    choice = flow.get(key)
    name = choice.get("kind") if isinstance(choice, dict) else choice
    shorthand = shorthands().get(name) if isinstance(name, str) else None
    if shorthand is None or shorthand.key != key:
        return
    entry = json.loads(json.dumps(shorthand.entry))
    if isinstance(choice, dict):
        own = entry[key] if isinstance(entry[key], dict) else {"kind": entry[key]}
        entry[key] = own | {k: v for k, v in choice.items() if k != "kind"}
    flow[key] = entry.pop(key)
    if key == "workload":
        flow.setdefault("control", entry.get("control", MODERN))
    for other, value in entry.items():
        flow.setdefault(other, value)


def _size(transfer: object) -> None:
    """A size that is a number of bytes under the key of such sizes."""
    if not isinstance(transfer, dict) or not isinstance(transfer.get("size"), str) or "bytes" in transfer:
        return
    try:
        _core.quantity(transfer["size"], "bytes")
    except ValueError:
        return
    transfer["bytes"] = transfer.pop("size")
