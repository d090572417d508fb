"""A queue in one option: `fq`, `red:max_p=0.1,gentle=true`, or as tc writes it, `cake bandwidth 18mbit`."""

from __future__ import annotations

import re
from typing import Any

from ..base.catalogue import parameter_names
from ..base.errors import HeadgateError, cut, unknown
from ..base.toml import parse_value, put
from ..base.typed import same_name
from ..scenario.shorthands import QUEUES
from ..scenario.subjects import divided, is_own, spelled
from .amounts import read_buffer, text_of, with_unit
from .flows import split

#: Parameters under the names that tc has for them, by what they are called here. tc-cake(8), tc-fq_codel(8), tc-codel(8), tc-pie(8).
_KEYS = {"bandwidth": "rate", "limit": "buffer", "flows": "queues", "memlimit": "buffer", "memory_limit": "buffer"}

#: Words of tc that are a parameter and its value.
_WORDS = {
    "ecn": ("mark", "true"), "noecn": ("mark", "false"),
    **{word: ("diffserv", word) for word in ("besteffort", "precedence", "diffserv3", "diffserv4")},
    **{word: ("isolation", word) for word in ("flowblind", "srchost", "dsthost", "hosts", "flows", "dual_srchost", "dual_dsthost")},
    "triple_isolate": ("isolation", "triple_isolate"),
    "ingress": ("ingress", "true"),
}  # fmt: skip

#: Disciplines that hold packets to a rate of their own.
SHAPERS = ("cake", "tbf")

#: Disciplines whose `limit` tc counts in bytes.
_BYTES = ("tbf", "red", "choke")


def _parted(text: str) -> tuple[str, str, str]:
    """The name as it was written, what follows it, and the sign between them: a colon, a comma or a space."""
    found = re.fullmatch(r"\s*([^:,\s]+)(\s*[:,]|\s*)(.*)", text, re.DOTALL)
    if found is None:
        return text.strip(), "", ""
    both = re.match(r"\s*([^:,\s]+\s+[^:,\s=]+)", text)
    if both is not None and known_as(both[1]) is not None:
        # A name of two words, such as `FQ CoDel`.
        rest = text[both.end() :].strip()
        colon = rest[:1] in (":", ",") and rest != ""
        return both[1], rest[1:] if colon else rest, rest[0] if colon else " "
    return found[1], found[3], found[2].strip() or found[2][:1]


def name_of(option: str, text: str) -> str:
    """The discipline of a queue with parameters, under its name here.

    Raises:
        HeadgateError: there is none.

    >>> name_of("--queue", "FQ-CoDel:target=5ms"), name_of("--queue", "droptail"), name_of("--queue", "FQ CoDel")
    ('fq_codel', 'fcfs', 'fq_codel')
    """
    name = _parted(text)[0]
    found = known_as(name)
    if found is None:
        known = parameter_names("disciplines")
        own = "One of your own is its file, such as mine.py"
        raise HeadgateError(
            f"{option}: {unknown(name, 'a discipline: one of ' + ', '.join(known) + '. ' + own, known)}"
        )
    return found


def known_as(name: str) -> str | None:
    """The name here of a discipline, in any letters; None if there is none."""
    known = parameter_names("disciplines")
    short = QUEUES.get(name.lower(), name)
    return short if short in known else same_name(name, list(known))


def plain(text: str, option: str = "--queue") -> str:
    """A queue as `NAME:KEY=VALUE,...`, the form in which every command takes it.

    >>> plain("cake bandwidth 18mbit besteffort"), plain("FQ-CoDel:limit=1000"), plain("red:gentle=true")
    ('cake:rate=18Mbit/s,diffserv=besteffort', 'fq_codel:buffer=1000pkt', 'red:gentle=true')
    """
    if is_own(divided(text, "discipline")[0]):
        return text.strip()
    name, given = name_of(option, text), _given(text, option)
    items = [f"{key}={value}" for key, value in given]
    return ":".join([name, ",".join(items)] if items else [name])


def read_queue(text: str, option: str = "--queue") -> dict[str, Any]:
    """The discipline with the parameters that the text has, as a file has it.

    >>> read_queue("cake:rate=9Mbit/s"), read_queue("fq_codel")
    ({'kind': 'cake', 'rate': '9Mbit/s'}, {'kind': 'fq_codel'})

    Raises:
        HeadgateError: the text is no discipline, or has a parameter that this one has not; the error names the option.
    """
    text = spelled(text, "discipline", option)
    name, known = name_of(option, text), parameter_names("disciplines")
    queue: dict[str, Any] = {"kind": name}
    for key, value in _given(text, option):
        if key.partition(".")[0] not in known[name]:
            expected = f"KEY=VALUE with one of {', '.join(known[name])}"
            raise HeadgateError(
                f"{option}: {name}: {unknown(key, expected, known[name], f'{key}={value}' if value else key)}"
            )
        put(queue, key, parse_value(value))
    return queue


def queue_of(text: str, buffer: str | None, product: int, option: str = "--queue") -> dict[str, Any]:
    """The discipline with its parameters, as a file has it.

    Args:
        text: a name and parameters.
        buffer: of `--buffer`; None unless given.
        product: the bandwidth-delay product in bytes, which is the buffer unless there is another.
        option: that has the text, for errors.

    Raises:
        HeadgateError: the text is no discipline, or has a parameter that this one has not.
    """
    queue, known = read_queue(text, option), parameter_names("disciplines")
    name = queue["kind"]
    if "buffer" in queue and buffer is not None:
        raise HeadgateError(f"--buffer: expected none beside that of {option}")
    if "buffer" in known[name]:
        queue.setdefault("buffer", text_of("bytes", max(product, 10_000)) if buffer is None else buffer)
    elif buffer is not None:
        raise HeadgateError(f"--buffer: expected none, since {name} has no parameter `buffer`")
    return queue


def back_queue(text: str, own: str | None, buffer: str | None, product: int) -> dict[str, Any]:
    """The discipline of the other direction: its own, or that of the first one without a rate, which is that of one direction.

    >>> back_queue("cake:rate=18Mbit/s", None, "10KB", 0), back_queue("fq", "fcfs", "10KB", 0)
    ({'kind': 'cake', 'buffer': '10KB'}, {'kind': 'fcfs', 'buffer': '10KB'})
    """
    if own is None:
        queue = queue_of(text, buffer, product)
        return {
            key: value
            for key, value in queue.items()
            if key not in ("rate", "peak_rate") or queue["kind"] not in SHAPERS
        }
    # A queue without a buffer has none, whatever the one of the first direction has.
    own = spelled(own, "discipline", "--up-queue")
    given = (
        buffer
        if "buffer" in parameter_names("disciplines")[name_of("--up-queue", own)] and not _has_buffer(own)
        else None
    )
    return queue_of(own, given, product, "--up-queue")


def _has_buffer(text: str) -> bool:
    return any(key == "buffer" for key, _ in _given(text, "--up-queue"))


def _given(text: str, option: str) -> list[tuple[str, str]]:
    """The parameters under their names here, with their values as files have them."""
    name, (_, rest, sign) = name_of(option, text), _parted(text)
    known = parameter_names("disciplines")[name]
    items = split(rest, option) if sign in (":", ",") and rest.strip() else []
    if sign.isspace():
        words = rest.split()
        while words:
            first = words.pop(0)
            alone = "=" in first or _word(first, known) is not None or not words
            items.append(first if alone else f"{first}={words.pop(0)}")
    found: list[tuple[str, str]] = []
    for item in items:
        key, equal, value = (part.strip() for part in item.partition("="))
        word = None if equal else _word(key, known)
        if word is not None:
            found.append(word)
            continue
        if not equal and known_as(key) is not None:
            both = f"{name},{known_as(key)}"
            raise HeadgateError(
                f"{option}: found {cut(repr(text))}; expected one queue: headgate matrix --queues {both} compares queues"
            )
        written, key = key, _KEYS.get(key, key) if key not in known and _KEYS.get(key) in known else key
        if key == "buffer" and value:
            count = re.fullmatch(r"\d{1,12}", value)
            value = f"{value}B" if count and written != "buffer" and name in _BYTES else read_buffer(value)
        found.append((key, with_unit(key, value)))
    return found


def _word(word: str, known: tuple[str, ...]) -> tuple[str, str] | None:
    """The parameter and its value that a word of tc is, if this discipline has it."""
    found = _WORDS.get(word.lower().replace("-", "_"))
    return found if found is not None and found[0] in known else None


def parameter(queue: str, key: str, value: str = "") -> tuple[str, str] | None:
    """The parameter of a discipline that a word of tc is, alone or with a value; None if the discipline has none of that name.

    >>> parameter("fq_codel", "limit", "1000"), parameter("fq_codel", "ecn"), parameter("fcfs", "target", "5ms")
    (('buffer', '1000'), ('mark', 'true'), None)
    """
    known = parameter_names("disciplines").get(queue, ())
    if not value:
        return _word(key, known)
    name = key.lower() if key.lower() in known else _KEYS.get(key.lower())
    return (name, value) if name is not None and name in known else None
