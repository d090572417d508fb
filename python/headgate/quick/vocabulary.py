"""The words of a line that people type: names of options, words that say nothing, and rates and times by their units."""

from __future__ import annotations

import re

from .. import _core
from ..base.catalogue import parameter_names
from ..base.errors import HeadgateError
from ..base.short_names import shorthands
from ..base.typed import NUMBER, same_name
from .amounts import read
from .flows import MAIN, counted, is_flow, name_of
from .presets import PRESETS
from .services import line_rate, path_of

#: Words that are the name of an option, before or after its value.
NAMED = {
    "rate": "rate", "bandwidth": "rate", "bw": "rate", "speed": "rate", "capacity": "rate", "down": "rate", "downstream": "rate",
    "up": "up", "upstream": "up", "rtt": "rtt", "ping": "rtt", "latency": "rtt", "queue": "queue", "qdisc": "queue", "aqm": "queue",
    "buffer": "buffer", "buffers": "buffer", "loss": "loss", "duration": "duration", "time": "duration", "seed": "seed",
    "runs": "replications", "replications": "replications", "download": "rate", "upload": "up", "preset": "preset",
    "shaper": "shaper", "sqm": "shaper", "jitter": "jitter",
    "download_rate": "rate", "upload_rate": "up", "queue_size": "buffer", "qlen": "buffer", "seeds": "seed",
    "uplink": "up", "downlink": "rate", "length": "duration",
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
DIRECTIONS = ("down", "downstream", "downlink", "up", "upstream", "uplink", "download", "upload")

TWO_RATES = re.compile(
    rf"({NUMBER})\s*([a-zA-Z]*?(?:bit/s|b/s|bps|[a-zA-Z]*)?)\s*/\s*({NUMBER})\s*([a-zA-Z]+(?:/s(?:ec)?)?)?",
    re.IGNORECASE,
)


def parts_of(word: str) -> list[str]:
    """The words of one that was in quotes; those with parameters stay whole."""
    word = word.rstrip(":;,")
    if (spread := re.fullmatch(rf"({NUMBER}[mu]?s)(?:±|\+/-|\+-)({NUMBER}[mu]?s)", word, re.IGNORECASE)) is not None:
        return [spread[1], f"jitter={spread[2]}"]
    two = re.fullmatch(rf"({NUMBER}[a-z]+(?:/s)?)[@/]({NUMBER}[a-zµ]+)", word, re.IGNORECASE)
    if two is not None and rate_of(two[1]) is not None and is_time(two[2]):
        return [two[1], two[2]]
    if (
        "," in word
        and all(re.match(r"\w+=", part) for part in word.split(","))
        and word.partition("=")[0].lower() in NAMED
    ):
        return word.split(",")
    if "," in word and all(is_time(part) for part in word.split(",")):
        return [word]
    if re.search(r"[\[{\"':=]", word):
        return [word]
    if "," in word and not re.search(r"\d,\d", word) and not all(is_flow(part) for part in word.split(",")):
        word = word.replace(",", " ")
    return [stripped for part in word.split() if (stripped := part.strip(",;"))] or [word]


def counted_text(word: str) -> str:
    """A flow as other tools and people write it, with its number and its parameters as files have them.

    >>> counted_text("udp=2M"), counted_text("tcp/reno"), counted_text("reno=2"), counted_text("cubic:2"), counted_text("cubic,start=0")
    ('cbr:2M', 'reno', 'reno*2', 'cubic*2', 'cubic:start=0')
    >>> counted_text("2xcubic@10s"), counted_text("bbr@5"), counted_text("cubic/20ms"), counted_text("prague:10ms")
    ('2xcubic:start=10s', 'bbr:start=5s', 'cubic:rtt=20ms', 'prague:rtt=10ms')
    >>> counted_text("cubic+ecn"), counted_text("cubic start=0 stop=9s"), counted_text("download:10MB"), counted_text("reno:10MB")
    ('cubic:transport.ecn=true', 'cubic:start=0,stop=9s', 'transfer:10MB', 'transfer:10MB,control=reno')
    """
    word = re.sub(r"^udp[:=@](?=\S)", "cbr:", word.replace("ns3::", ""), flags=re.IGNORECASE)
    word = "bbr1" if word == "TcpBbr" else re.sub(r"^udp[-_](?=\d)", "cbr:", word, flags=re.IGNORECASE)
    if (number := re.fullmatch(r"(\d{1,5})\s+([A-Za-z][^:]*)(:.*)?", word)) is not None and is_flow(number[2]):
        return f"{number[2]}*{number[1]}{number[3] or ''}"
    if (tcp := re.match(r"tcp[:/](?=[^\W\d])", word, re.IGNORECASE)) and is_flow(word[tcp.end() :]):
        word = word[tcp.end() :]
    for pattern, form in _FORMS:
        found = re.fullmatch(pattern, word, re.IGNORECASE)
        if (
            found is not None
            and is_flow(found[1])
            and not (form in (_counted, _sized, _tripped) and _has_main(found[1]))
        ):
            word = form(found)
    return word


def _keyed(flow: str, key: str) -> str:
    """A flow with a further parameter."""
    return f"{flow}{',' if ':' in flow else ':'}{key}"


def _counted(found: re.Match[str]) -> str:
    return f"{found[1]}*{found[2]}"


def _sized(found: re.Match[str]) -> str:
    """A flow that ends after some bytes."""
    name = name_of(found[1]) or found[1]
    if name == "upload":
        return f"upload:workload.kind=transfer,workload.bytes={found[2]}"
    return f"transfer:{found[2]}" + (
        f",control={name}" if name in parameter_names("flow-controls") or name == "bbr" else ""
    )


def _controlled(found: re.Match[str]) -> str:
    """A short name of what is sent with a flow control, as `upload:bbr`."""
    control = name_of(found[2]) or ""
    short = shorthands().get(name_of(found[1].partition("*")[0]) or "")
    known = control in parameter_names("flow-controls") or control == "bbr"
    if short is None or short.key == "control" or not known or "control" in short.entry:
        return found[0]
    return f"{found[1]}:control={shorthands()['bbr'].kind if control == 'bbr' else control}{found[3]}"


def _tripped(found: re.Match[str]) -> str:
    """A flow with a round trip of its own."""
    return _keyed(found[1], f"rtt={found[2]}")


def _started(found: re.Match[str]) -> str:
    return _keyed(found[1], f"start={found[2]}{'' if re.search('[a-z]', found[2]) else 's'}")


def _has_main(flow: str) -> bool:
    """Whether a number after a colon is the main parameter of a flow."""
    name = name_of(counted(flow)[0]) or flow
    return shorthands()[name].kind in MAIN if name in shorthands() else name in MAIN


_TIME = r"\d{1,6}(?:\.\d{1,6})?\s*"

#: Forms of a flow, each with what it is as files have it.
_FORMS = (
    (r"([\w+-]+)=(\d{1,6})", _counted),
    (r"([\w+-]+):\s*x?(\d{1,4})", _counted),
    (rf"(.+)@({_TIME})s?\s*(?:-|\.\.|to)\s*({_TIME})s?", lambda m: _keyed(m[1], f"start={m[2]}s,stop={m[3]}s")),
    (r"([\w*]+):([a-z]\w*)((?:,.*)?)", _controlled),
    (rf"(.+)@({_TIME}(?:s|secs?|seconds?|min)?)", _started),
    (rf"([\w+*-]+)\s*[:/]\s*({_TIME}[mu]s)", _tripped),
    (rf"([\w+*-]+)\s*[(\[]\s*(?:rtt\s*=?\s*)?({_TIME}[mu]s)\s*[)\]]", _tripped),
    (r"([\w*]+)[+:/_-]ecn", lambda m: _keyed(m[1], "transport.ecn=true")),
    (r"([\w*]+)[+:/_-]no-?ecn", lambda m: _keyed(m[1], "transport.ecn=false")),
    (r"(\w+):\s*(\d{1,9}(?:\.\d{1,9})?\s*[kKMGT]i?B)", _sized),
    (
        r"([\w+*-]+)[\s,]+((?:\w[\w.]*\s*=\s*[^\s,]+[\s,]*)+)",
        lambda m: _keyed(m[1], ",".join(re.split(r"[\s,]+", m[2].strip(" ,")))),
    ),
)


def preset_of(word: str) -> str | None:
    """The sort of path that a word names, in any letters."""
    return word if word in PRESETS else path_of(word) or same_name(word, list(PRESETS))


def rate_of(word: str) -> str | None:
    """A rate with its unit, as files have it; None if the word is none."""
    if (named := line_rate(word)) is not None:
        return named
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
