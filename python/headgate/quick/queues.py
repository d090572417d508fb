"""A queue in one option: `fq`, `red:max_p=0.1,gentle=true`, or as tc writes it, `cake bandwidth 18mbit`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .. import _core
from ..base.catalogue import parameter_names, shapes
from ..base.documents import parse_value
from ..base.errors import HeadgateError, cut, unknown
from ..base.toml import put
from ..base.typed import same_name
from ..scenario.subjects import divided, is_own, spelled
from .amounts import read_buffer, text_of, with_unit
from .flows import split
from .tc import KEYS, WORDS, lacks, meant, nothing, weight

#: Disciplines whose `limit` tc counts in bytes.
_BYTES = ("tbf", "red", "choke")

#: Parameters that say how much a queue holds, of which one is enough.
_SIZES = ("buffer", "latency")

#: Those whose thresholds are an average of packets that have arrived.
_AVERAGED = ("red", "choke")


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
    if (lacking := lacks(text)) and _parted(text)[0] not in parameter_names("disciplines"):
        raise HeadgateError(f"{option}: found {cut(repr(text.strip()))}; {lacking}")
    name = _parted(meant(text))[0]
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
    if name not in known:
        name = meant(name).partition(":")[0]
    return name if name in known else same_name(name, list(known))


def plain(text: str, option: str = "--queue") -> str:
    """A queue as `NAME:KEY=VALUE,...`, the form in which every command takes it.

    >>> plain("cake bandwidth 18mbit besteffort"), plain("FQ-CoDel:limit=1000"), plain("red:gentle=true")
    ('cake:rate=18Mbit/s,diffserv=besteffort', 'fq_codel:buffer=1000pkt', 'red:gentle=true')
    """
    if is_own(divided(text, "discipline")[0]):
        return text.strip()
    name_of(option, text)
    text = meant(text)
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
    name_of(option, text)
    text = meant(text)
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
    if buffer is not None and (named := next((key for key in _SIZES if key in queue), None)):
        own = "that" if named == "buffer" else f"the {named}"
        raise HeadgateError(f"--buffer: expected none beside {own} of {option}")
    if "latency" in queue:
        # It gives the buffer.
        return queue
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
            key: value for key, value in queue.items() if key not in ("rate", "peak_rate") or not shapes(queue["kind"])
        }
    # A queue without a buffer has none, whatever the one of the first direction has.
    own = spelled(own, "discipline", "--up-queue")
    given = (
        buffer
        if "buffer" in parameter_names("disciplines")[name_of("--up-queue", own)] and not has_size(own, "--up-queue")
        else None
    )
    return queue_of(own, given, product, "--up-queue")


def has_size(text: str, option: str = "--queue") -> bool:
    """Whether a queue says itself how much it holds.

    >>> has_size("fcfs:limit=100"), has_size("tbf:rate=1Mbit/s,latency=400ms"), has_size("codel:target=5ms")
    (True, True, False)
    """
    return any(key in _SIZES for key, _ in _given(spelled(text, "discipline", option), option))


def _given(text: str, option: str) -> list[tuple[str, str]]:
    """The parameters under their names here, with their values as files have them."""
    text = meant(text)
    name, (_, rest, sign) = name_of(option, text), _parted(text)
    known = parameter_names("disciplines")[name]
    listed = split(rest, option) if sign in (":", ",") and rest.strip() else [rest]
    items = [item for part in listed for item in (_words(part, known) if not re.search(r"[\[{\"']", part) else [part])]
    found: dict[str, str] = {}
    for item in items:
        key, equal, value = (part.strip() for part in item.partition("="))
        if not equal and nothing(key):
            continue
        word = None if equal else _word(key, known)
        if word is not None:
            found |= word
            continue
        if not equal and known_as(key) is not None:
            both = f"{name},{known_as(key)}"
            raise HeadgateError(
                f"{option}: found {cut(repr(text))}; expected one queue: headgate matrix --queues {both} compares queues"
            )
        if not equal and (main := _main(key, known)):
            key, value = main, key
        ours = _ours(key, known)
        if key == "bandwidth" and ours not in known and name in _AVERAGED:
            continue
        if ours == "buffer" and key != "limit" and "buffer" in found:
            # tc counts the memory of packets besides their number.
            continue
        found |= _valued(name, key, ours, value, spaced=sign.isspace())
    if name in _AVERAGED and found.get("min_threshold", "") == found.get("max_threshold"):
        number, unit = re.fullmatch(r"([\d.]+)\s*(\D*)", found["max_threshold"]).groups()  # type: ignore[union-attr]
        found["max_threshold"] = f"{float(number) + 1:g}{unit}"
    if name in _AVERAGED and "burst" in found:
        found["weight"] = _weight(found, found.pop("burst"), option)
    return list(found.items())


def _main(value: str, known: Sequence[str]) -> str:
    """The parameter that a value alone is: a rate, a target or a buffer, as in `cake:18mbit`, `codel:5ms` and `fifo:100`; empty if none."""
    if re.fullmatch(r"[\d.]+\s*[kMG]?(bit|bps|bit/s)", value, re.IGNORECASE):
        return "rate" if "rate" in known else ""
    if re.fullmatch(r"[\d.]+\s*[mu]s(ec)?", value, re.IGNORECASE):
        return "target" if "target" in known else ""
    return (
        "buffer"
        if re.fullmatch(r"\d+\s*(p|pkts?|packets?|[kM]i?B)?", value, re.IGNORECASE) and "buffer" in known
        else ""
    )


def _ours(key: str, known: Sequence[str]) -> str:
    """The name here of a parameter that has another name in tc; itself if a queue has none of either."""
    if key in known:
        return key
    lower = key.lower()
    return next((k for k in (lower, KEYS.get(lower, "")) if k in known), "burst" if lower == "burst" else key)


def _words(text: str, known: Sequence[str]) -> list[str]:
    """Parameters as tc has them, with spaces between: `limit 1000 target 5ms ecn`."""
    words, items = text.split(), list[str]()
    while words:
        first = words.pop(0)
        alone = "=" in first or not words or _word(first, known) is not None or nothing(first)
        items.append(first if alone else f"{first}={words.pop(0)}")
    return items


def _valued(name: str, written: str, key: str, value: str, spaced: bool) -> dict[str, str]:
    """A parameter with its value as files have it.

    A number alone is bytes in the limits and thresholds of tc, but for those of queues that count packets; `perturb` is in seconds,
    and `alpha` and `beta` of PIE are in sixteenths (tc-pie(8), sch_pie.c).
    """
    bare = re.fullmatch(r"\d{1,12}", value) is not None
    if key == "buffer" and value:
        return {key: f"{value}B" if bare and written.lower() != "buffer" and name in _BYTES else read_buffer(value)}
    if key in ("min_threshold", "max_threshold") and value:
        return {key: f"{value}B" if bare and int(value) >= _PACKET else read_buffer(value)}
    if key == "mark" and value.lower() in _SWITCH:
        return {key: _SWITCH[value.lower()]}
    if written.lower() == "step_thresh":
        # A step, where a ramp is the default of RFC 9332.
        return {key: with_unit(key, value), "ramp": "0s"}
    if written.lower() == "classic_protection" and re.fullmatch(r"\d{1,2}%?", value):
        return {key: f"{int(value.rstrip('%')) / 100:g}"}
    if key == "burst" and name in _AVERAGED:
        return {key: value}
    if key == "burst" and (bits := re.fullmatch(r"(\d{1,6})\s*([km])bit", value, re.IGNORECASE)) is not None:
        # tc(8) has sizes in bits, too.
        return {key: f"{int(bits[1]) * (1000 if bits[2] in 'kK' else 10**6) // 8}B"}
    if key in ("mean_packet", "max_packet", "quantum", "initial_quantum", "burst", "mtu") and bare:
        return {key: f"{value}B"}
    if key == "perturb" and bare:
        return {key: f"{value}s"}
    if spaced and key in ("alpha", "beta") and name in ("pie", "fq_pie") and re.fullmatch(r"\d{1,2}", value):
        return {key: f"{int(value) / 16:g}"}
    return {key: with_unit(key, value)}


#: What switches a parameter on and off.
_SWITCH = {**dict.fromkeys(("1", "on", "yes", "true"), "true"), **dict.fromkeys(("0", "off", "no", "false"), "false")}

#: A threshold below this number is one of packets: no packet is shorter.
_PACKET = 1000


def _weight(found: dict[str, str], burst: str, option: str) -> str:
    """The weight of RED's average that tc has for a burst of so many packets."""
    least, packet = found.get("min_threshold", "5pkt"), found.get("mean_packet", "1000B")
    try:
        size = _core.quantity(packet, "bytes")[2]
        low = float(least.removesuffix("pkt")) * size if least.endswith("pkt") else _core.quantity(least, "bytes")[2]
        return weight(low, float(burst), size)
    except ValueError:
        expected = "a number of packets, at least the lower threshold over a typical packet, as tc-red(8) has it"
        raise HeadgateError(f"{option}: burst: found {cut(repr(burst))}; expected {expected}") from None


def _word(word: str, known: Sequence[str]) -> dict[str, str] | None:
    """The parameters and their values that a word of tc is, if this discipline has them."""
    found = WORDS.get(word.lower().replace("-", "_"))
    return dict(found) if found is not None and found[0][0] in known else None


def parameter(queue: str, key: str, value: str = "") -> tuple[str, str] | None:
    """The parameter of a discipline that a word of tc is, alone or with a value; None if the discipline has none of that name.

    >>> parameter("fq_codel", "limit", "1000"), parameter("fq_codel", "ecn"), parameter("fcfs", "target", "5ms")
    (('buffer', '1000'), ('mark', 'true'), None)
    """
    known = parameter_names("disciplines").get(queue, ())
    if not value:
        found = _word(key, known)
        return next(iter(found.items())) if found else None
    name = _ours(key, known)
    return (name, value) if name in known else None
