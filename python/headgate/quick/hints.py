"""What is said of words of a line that mean nothing: what to write in their place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..base.catalogue import parameter_names
from ..base.errors import cut
from ..base.typed import NUMBER
from .flows import counted, name_of
from .queues import parameter
from .tc import HINTS
from .vocabulary import is_time

#: Mobile networks that are no sorts of paths here, and are written as rates.
GENERATIONS = ("2g", "3g", "6g")

#: What is to be typed for a word that has no meaning here.
_HINTS = {
    **{
        name: f"expected {name[0]}Gbit/s for a rate, or lte or 5g for a telephone: headgate has no other mobile network"
        for name in GENERATIONS
    },
    **dict.fromkeys(
        ("stadia", "geforce", "xcloud", "luna"),
        "headgate has no cloud gaming as such: game is the packets of an online game, and "
        "cbr:20Mbit/s a picture at that rate",
    ),
    **dict.fromkeys(("scp", "rsync", "sftp"), "expected download or upload, by the direction of the data"),
    **dict.fromkeys(("sqm", "shaper"), HINTS["sqm"]),
    **dict.fromkeys(
        ("geforce-now", "geforcenow", "cloud"),
        "headgate has no cloud gaming as such: cbr:20Mbit/s is a picture at that rate",
    ),
    **dict.fromkeys(
        ("2k", "4k", "8k"),
        "expected a flow at the rate of the picture, such as cbr:16Mbit/s, or video, which has 5 Mbit/s",
    ),
    **dict.fromkeys(("no", "not", "without", "except", "but"), "expected the line without what it leaves out"),
    "or": "expected a line for each; several queues are --queue fifo,cake",
    "all": "expected the names of flow controls, such as cubic,bbr,reno: headgate list flow-controls has them",
    **dict.fromkeys(
        (
            "kids",
            "children",
            "child",
            "kid",
            "family",
            "work",
            "office",
            "wife",
            "husband",
            "roommate",
            "neighbour",
            "neighbor",
        ),
        "expected what they do, such as netflix, zoom, game, web, download or upload",
    ),
    **dict.fromkeys(
        ("spotify", "music", "radio", "podcast"), "expected cbr:320kbit/s for a stream of music at that rate"
    ),
    **dict.fromkeys(("camera", "cctv", "doorbell"), "expected --up-flows cbr:2Mbit/s for a picture at that rate"),
    **dict.fromkeys(
        (
            "sprout",
            "verus",
            "remy",
            "pcp",
            "nimbus",
            "indigo",
            "aurora",
            "orca",
            "c2tcp",
            "yeah",
            "scalable",
            "compound",
            "cdg",
            "lp",
        ),
        "headgate does not have this flow control: headgate list flow-controls has those that it has, such as copa, vivace, bbr3 and cubic",
    ),
    "slow": "expected a flow control: slow start is a part of each, such as reno or cubic",
    "byte": "expected --mtu 1500 for packets of this size",
    "bytes": "expected --mtu 1500 for packets of this size",
    "ecn": "expected a queue that marks, such as fq_codel:mark=true or red:mark=true",
}

#: Words that only make sense after one of those.
_AFTER = {"slow": ("start",), "geforce": ("now",), "cloud": ("gaming", "game")}


def hint(words: Sequence[str], at: int) -> tuple[str, int] | None:
    """What is said of a word that means nothing, and how many words after it belong to it; None if there is nothing to say.

    Args:
        words: of the line.
        at: the place of the word.
    """
    word = words[at]
    lower, after = word.lower(), [w.lower() for w in words[at + 1 : at + 2]]
    value = bool(after) and re.match(r"\.?\d", after[0]) is not None
    if lower in _HINTS:
        size = int(bool(after) and after[0] in _AFTER.get(lower, ()))
        return f"found {cut(repr(' '.join(words[at : at + 1 + size])))}; {_HINTS[lower]}", size
    two = re.fullmatch(rf"({NUMBER}[a-zµ]+)/({NUMBER}[a-zµ]+)", lower)
    if two is not None and is_time(two[1]) and is_time(two[2]):
        names = [n for w in words if (n := name_of(counted(re.split(r"[:,]", w)[0])[0])) is not None] or ["cubic"]
        flows = f"{names[0]},{names[-1]}:rtt={two[2]}"
        return (
            f"found {cut(repr(word))}; expected one round trip, and after a flow its own: --rtt {two[1]} --flows {flows}",
            0,
        )
    trips = word.split(",")
    if len(trips) > 1 and all(is_time(trip) for trip in trips):
        named = [n for w in words if (n := name_of(counted(re.split(r"[:,]", w)[0])[0])) is not None]
        own = ",".join(f"{flow}:rtt={trip}" for flow, trip in zip(named, trips, strict=False))
        return (
            f"found {cut(repr(word))}; expected --rtt {cut(word)} for a run with each, or for each flow its own: --flows {cut(own)}",
            0,
        )
    key, sign, given = word.partition("=")
    given = given if sign else after[0] if value else ""
    having = [queue for queue in parameter_names("disciplines") if parameter(queue, key, given or "1") is not None]
    if having and given:
        size = int(not sign)
        shown = having[:3] if len(having) > 3 else having
        queue = next((q for q in ("fq_codel", "codel", "red") if q in having), having[0])
        shown = [queue, *(q for q in shown if q != queue)][:3]
        found = cut(repr(" ".join(words[at : at + 1 + size])))
        return (
            f"found {found}; expected it after a queue that has it, such as {', '.join(shown)}: {queue}:{key}={given}",
            size,
        )
    return None
