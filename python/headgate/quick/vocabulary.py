"""The words of a line that people type: names of options, words that say nothing, and rates and times by their units."""

from __future__ import annotations

import re

from .. import _core
from ..base.errors import HeadgateError
from ..base.typed import NUMBER, same_name
from .amounts import read
from .flows import is_flow
from .presets import PRESETS

#: Words that say nothing of their own.
FILLERS = frozenset(
    {
        "a", "an", "the", "and", "with", "plus", "on", "over", "through", "via", "at", "of", "in", "for", "to", "vs", "vs.", "versus",
        "against", "beside", "compare", "flow", "flows", "connection", "connections", "stream", "streams", "link", "line", "path",
        "bottleneck", "using", "use", "while", "when", "during", "my", "i", "is", "are", "have", "has", "watching", "playing", "running",
        "sharing", "share", "shared", "together", "both", "modem", "router", "internet", "network", "gateway", "parallel", "tcp", "&", "+",
        "|", "-", "from", "by", "some", "headgate", "quick", "test", "simulate", "only", "alone", "someone", "else",
        "/", "bloat", "bufferbloat", "unfairness", "fairness", "netem", "students", "users", "clients", "people", "players",
    }
)  # fmt: skip

#: Words that are the name of an option, before or after its value.
NAMED = {
    "rate": "rate", "bandwidth": "rate", "bw": "rate", "speed": "rate", "capacity": "rate", "down": "rate", "downstream": "rate",
    "up": "up", "upstream": "up", "rtt": "rtt", "ping": "rtt", "latency": "rtt", "queue": "queue", "qdisc": "queue", "aqm": "queue",
    "buffer": "buffer", "buffers": "buffer", "loss": "loss", "duration": "duration", "time": "duration", "seed": "seed",
    "runs": "replications", "replications": "replications", "download": "rate", "upload": "up", "preset": "preset",
    "shaper": "shaper", "sqm": "shaper",
}  # fmt: skip

#: Words between a number and its flow.
BETWEEN = (
    "x",
    "×",
    "*",
    "flows",
    "flow",
    "connections",
    "streams",
    "parallel",
    "of",
    "tcp",
    "students",
    "users",
    "clients",
    "people",
    "players",
)

#: Numbers in words.
NUMBERS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
    "single": "1",
}  # fmt: skip

#: Names of the two directions.
DIRECTIONS = ("down", "downstream", "up", "upstream", "download", "upload")

TWO_RATES = re.compile(
    rf"({NUMBER})\s*([a-zA-Z]*?(?:bit/s|b/s|bps|[a-zA-Z]*)?)\s*/\s*({NUMBER})\s*([a-zA-Z]+(?:/s(?:ec)?)?)?",
    re.IGNORECASE,
)


def parts_of(word: str) -> list[str]:
    """The words of one that was in quotes; those with parameters stay whole."""
    word = word.rstrip(":;,")
    if re.search(r"[\[{\"':=]", word):
        return [word]
    if "," in word and not re.search(r"\d,\d", word) and not all(is_flow(part) for part in word.split(",")):
        word = word.replace(",", " ")
    return [stripped for part in word.split() if (stripped := part.strip(",;"))] or [word]


def counted_text(word: str) -> str:
    """A flow as other tools write it: `udp:2M` is `cbr:2M`, `tcp:reno` is `reno`, and `reno=2` is `reno*2`.

    >>> counted_text("udp=2M"), counted_text("tcp/reno"), counted_text("reno=2"), counted_text("reno:packet=2KB")
    ('cbr:2M', 'reno', 'reno*2', 'reno:packet=2KB')
    """
    word = re.sub(r"^udp[:=@](?=\S)", "cbr:", word, flags=re.IGNORECASE)
    word = re.sub(r"^tcp[:/](?=[^\W\d])", "", word, flags=re.IGNORECASE)
    return re.sub(r"^([\w+-]+)=(\d{1,6})$", lambda m: f"{m[1]}*{m[2]}" if is_flow(m[1]) else m[0], word)


def preset_of(word: str) -> str | None:
    """The sort of path that a word names, in any letters."""
    return word if word in PRESETS else same_name(word, list(PRESETS))


def rate_of(word: str) -> str | None:
    """A rate with its unit, as files have it; None if the word is none."""
    if not re.match(rf"{NUMBER}\s*[^\W\d]", word):
        return None
    try:
        return read("--rate", word, "bps")
    except HeadgateError:
        return None


def is_time(word: str) -> bool:
    """Whether a word is a time with its unit."""
    if not re.match(rf"{NUMBER}\s*[^\W\d]", word) or rate_of(word) is not None:
        return False
    try:
        read("--rtt", word, "s")
    except HeadgateError:
        return False
    return True


def seconds_of(word: str) -> float:
    """A time in seconds."""
    return float(_core.quantity(read("--rtt", word, "s"), "s")[2])


def two_rates(two: re.Match[str]) -> tuple[str, str]:
    """The rates down and up of `50/10`, `50/10 Mbps` or `50M/10M`."""
    unit = two[4] or two[2] or "Mbit/s"
    return read("--rate", f"{two[1]}{two[2] or unit}", "bps"), read("--up", f"{two[3]}{unit}", "bps")
