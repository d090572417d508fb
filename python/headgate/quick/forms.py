"""Forms of other tools, papers and people, as words that a line of `quick` has: read before its words are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .. import _core
from ..base.errors import HeadgateError, cut
from ..base.typed import NUMBER
from .amounts import base_units
from .brands import phrases
from .flows import is_flow, name_of
from .letters import is_key, percent, spelled_out
from .queues import known_as
from .tc import meant, said_of
from .vocabulary import TWO_RATES, is_time, rate_of, seconds_of

#: Parameters of queues that stand without their names between brackets, in their order.
_ORDER = {
    "red": ("min_th", "max_th", "maxp"), "choke": ("min_th", "max_th", "maxp"),
    **dict.fromkeys(("codel", "fq_codel", "cobalt"), ("target", "interval")),
    **dict.fromkeys(("pie", "fq_pie", "pi2"), ("target", "tupdate")),
    "fcfs": ("buffer",), "fq": ("buffer",), "sfq": ("buffer",), "linux_fq": ("buffer",), "cake": ("bandwidth",),
}  # fmt: skip


def rewritten(words: Sequence[str], options: Mapping[str, Any], said: list[str], more: list[str]) -> list[str]:
    """The words of a line in forms that it knows.

    Args:
        words: as they were typed.
        options: the values that were given by name.
        said: gets sentences on what was taken for something else.
        more: gets flows in the other direction.

    >>> said = []
    >>> rewritten(["12Mbps/50ms/150pkts", "Agent/TCP/Newreno", "AIMD(1,0.5)"], {}, said, [])
    ['12Mbps', '50ms', '150pkts', 'newreno', 'aimd:increase=1,decrease=0.5']
    >>> rewritten(["mm-delay", "20", "12.5MB/s", "cubic@20ms"], {}, said, [])
    ['delay=20ms', '100Mbit/s', 'cubic:rtt=20ms']
    >>> said[0], said[1][:49]
    ('12.5MB/s is taken as bytes: 100Mbit/s. 12.5Mbit/s if B is bits.', 'cubic@20ms is taken as a round trip of its own; c')
    """
    found = [part for word in _mahimahi(_dashes(words), said) for part in _parts(word)]
    found = [_rate(_shortly(word, found, options, said), said) for word in found]
    return phrases(found, said, more)


def _dashes(words: Sequence[str]) -> list[str]:
    """The words without a bare `--`, which says that options end."""
    return [word for word in words if word != "--"]


def _mahimahi(words: Sequence[str], said: list[str]) -> list[str]:
    """`mm-delay 20` and `mm-loss uplink 0.01` of mahimahi, and `mm-link` before rates."""
    found: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        lower = word.lower()
        if lower == "mm-delay" and rest and re.fullmatch(NUMBER, rest[0]):
            found.append(f"delay={rest.pop(0)}ms")
        elif lower == "mm-loss" and len(rest) > 1 and rest[0] in ("uplink", "downlink"):
            rest.pop(0)
            found.append(f"loss={rest.pop(0)}")
        elif lower == "ce_threshold" and rest and any("codel" in w.lower() for w in words):
            said.append(_LEFT.format(f"{word} {rest.pop(0)}"))
        elif lower not in ("mm-link", "mm-meter"):
            found.append(word)
    return found


def _parts(word: str) -> list[str]:
    """A rate, a round trip and a buffer in one word, with one sign between them, or names with their values."""
    both = re.fullmatch(rf"({NUMBER}[a-z]*/{NUMBER}[a-z]*)[/,@]({NUMBER}[mu]s)", word, re.IGNORECASE)
    if both is not None and TWO_RATES.fullmatch(both[1]):
        return [both[1], both[2]]
    named = word.split(",")
    if len(named) > 1 and not is_flow(word) and all(part.partition("=")[0] != part and is_key(part) for part in named):
        return named
    for sign in ("/", ",", ";", "|", "_"):
        parts = [part.strip() for part in word.split(sign)]
        if sign == "/":
            # The rate itself may have a stroke, as in 12Mbit/s/50ms.
            parts = re.split(r"/(?!s(?:ec)?(?:/|$))", word)
        if len(parts) < 2 or not (rate_of(parts[0]) or TWO_RATES.fullmatch(parts[0])):
            continue
        kinds = [_kind(part) for part in parts[1:]]
        if all(kinds) and len(set(kinds)) == len(kinds) and kinds[0] != "rate":
            return parts
    return [word]


def _kind(part: str) -> str:
    """What an amount in a word of several is: a round trip, a buffer, a loss; empty for others."""
    if is_time(part) and seconds_of(part) < 5:
        return "rtt"
    if re.fullmatch(rf"{NUMBER}\s*x?(bdp|p|pkts?|packets?|[kM]i?B)", part, re.IGNORECASE):
        return "buffer"
    return "loss" if re.fullmatch(rf"{NUMBER}%", part) else ""


def _shortly(word: str, words: Sequence[str], options: Mapping[str, Any], said: list[str]) -> str:
    """One word in a form that a line knows."""
    word = _ns2(word)
    if re.fullmatch(r"[\d.]*\s*[x*]?\s*bdps?\s*/\s*\S+", word, re.IGNORECASE):
        return f"buffer={word}"
    if word.startswith("iperf-b="):
        value = word.partition("=")[2]
        rate = rate_of(value) or value
        said.append(
            f"-b {value} is taken as the rate of the link, since no other is named; cbr:{rate} is a flow at that rate."
        )
        return f"rate={rate}"
    own = re.fullmatch(rf"(.+)@({NUMBER}\s*(?:[munµ]?s|msecs?|secs?|seconds?))", word)
    if own is not None and is_flow(own[1]) and is_time(own[2]):
        return _at(word, own[1], own[2], said)
    if (
        (step := re.fullmatch(r"K\s*=\s*(\d{1,6})(?:p|pkts?|packets?)?", word))
        and options.get("queue") is None
        and not any(map(known_as, words))
    ):
        said += said_of(f"threshold {step[1]}")
        return meant(f"threshold {step[1]}")
    return spelled_out(functional(word, said), words, said)


def _ns2(word: str) -> str:
    """Names of ns-2, such as Agent/TCP/Newreno and Queue/RED."""
    agent = re.fullmatch(r"(?:Agent/TCP|TCP|Queue|Agent|Application)/([A-Za-z_]\w*(?:/\w+)*)(.*)", word.strip())
    if agent is None:
        return word
    name = agent[1].rpartition("/")[2] if agent[1].lower().startswith(("tcp/", "fulltcp/", "linux/")) else agent[1]
    name = {"Sack1": "sack", "FTP": "ftp"}.get(name, name)
    return (name_of(name) or (name if known_as(name) else agent[0])) + agent[2]


def _at(word: str, flow: str, time: str, said: list[str]) -> str:
    """A flow at a time: a round trip below one second, a start above two."""
    seconds = seconds_of(time)
    key = "," if ":" in flow else ":"
    if seconds < 0.3 or (seconds < 1 and re.search("ms|us|µs", time)):
        start = re.sub(r"\s*[a-zµ]+$", "s", time)
        said.append(f"{word} is taken as a round trip of its own; {flow}{key}start={start} is a start.")
        return f"{flow}{key}rtt={time}"
    if seconds <= 2 and not re.search("ms|us", time):
        raise HeadgateError(
            f"found {cut(repr(word))}; expected {flow}{key}start={time} if it begins then, or {flow}{key}rtt={time} "
            "if that is its round trip"
        )
    return word


def functional(text: str, said: list[str]) -> str:
    """Queues and flows with their parameters in brackets as with a colon: `codel(target=5ms)`, `RED(20,80,0.1)`, `AIMD(1,0.5)`.

    >>> functional("PI2(target=15ms, alpha=0.3125)", []), functional("DropTail(100)", []), functional("cubic(2)", [])
    ('PI2:target=15ms,alpha=0.3125', 'DropTail:buffer=100', 'cubic(2)')
    >>> functional("RED(20,80,0.1),codel(5ms)", []), functional("f.py:make(2)", [])
    ('RED:min_th=20,max_th=80,maxp=0.1,codel:target=5ms', 'f.py:make(2)')
    """
    return re.sub(r"(?<![\w:.])([A-Za-z][\w-]*)\s*\(([^()]*)\)", lambda m: _called(m, said), text)


def _called(found: re.Match[str], said: list[str]) -> str:
    name, items = found[1], [item.strip() for item in found[2].split(",") if item.strip()]
    flow, queue = name_of(name), known_as(name)
    if flow == "aimd" and len(items) == 2 and all(re.fullmatch(NUMBER, item) for item in items):
        left = float(items[1])
        if left != 0.5:
            other = f"{1 - left:.6f}".rstrip("0")
            said.append(
                f"{found[0]} is taken as that of Yang and Lam 2000: {items[1]} of a window is left after a loss. If {items[1]} is "
                f"taken from it, type aimd:increase={items[0]},decrease={other}."
            )
        return f"aimd:increase={items[0]},decrease={items[1]}"
    if not items or (queue is None and flow is None) or (flow and len(items) == 1 and "=" not in items[0]):
        return found[0] if items else name
    order = _ORDER.get(queue or "", ())
    bare = [item for item in items if "=" not in item and re.match(r"[\d.]", item)]
    if len(bare) > len(order) or (flow and bare):
        return found[0]
    named = iter(order)
    keys = [f"{next(named)}={item}" if item in bare else re.sub(r"\s*=\s*", "=", item) for item in items]
    return f"{name}:{','.join(keys)}"


def _rate(word: str, said: list[str]) -> str:
    """`12.5MB/s` in bits."""

    def bits(found: re.Match[str]) -> str:
        prefix = found[2].replace("K", "k")
        base = base_units(f"{found[1]}{prefix}bit/s", "bps")
        if not 0 < 8 * base < 2**64:
            return found[0]
        rate = _core.quantity_text("bps", 8 * base)
        sentence = f"{found[0]} is taken as bytes: {rate}. {found[1]}{prefix}bit/s if B is bits."
        if sentence not in said:
            said.append(sentence)
        return rate

    return re.sub(rf"(?<![\w.])({NUMBER})\s*([kKMG])(?:B(?:/s(?:ec)?|ps)|i?bytes?/s(?:ec)?)(?![\w/])", bits, word)


def of_option(name: str, text: str, said: list[str]) -> str:
    """The value of an option in a form that it knows.

    >>> of_option("queue", "codel(target=5ms)", []), of_option("loss", "1e-5", []), of_option("up_flows", "4", [])
    ('codel:target=5ms', '0.001%', 'upload*4')
    """
    if name == "loss":
        return ",".join(percent(part) for part in text.split(",")) if re.search(r"e-|10\s*(\^|\*\*)", text) else text
    if name in ("rate", "up"):
        return _rate(text, said)
    if name == "shaper":
        if text.strip().partition(":")[0].lower() in _ON:
            rest = text.strip().partition(":")[2]
            said.append(f"--shaper {text.strip()} is taken as 95% of the line's rates; --shaper sweep tries rates.")
            return f"95%{':' if rest else ''}{rest}"
        return functional(_rate(text, said), said)
    if name in ("queue", "up_queue"):
        left = re.search(r"[\s,:]+(ce_threshold\w*)[\s=]+([\w./]+)", text)
        if left is not None:
            said.append(_LEFT.format(f"{left[1]} {left[2]}"))
            text = text.replace(left[0], "", 1)
        text = ",".join(
            "fcfs" if part.strip().lower() in _PLAIN else part for part in re.split(r",(?=\s*\w+\s*(?:,|$))", text)
        )
        text = re.sub(
            r"^(?:off|nothing|dumb)(?=\s+(?:vs\.?|versus|or|and)\s)|(?<=\s)(?:off|nothing|dumb)$",
            "fcfs",
            text,
            flags=re.IGNORECASE,
        )
        return functional(",".join(_ns2(part) for part in text.split(",")), said)
    if name not in ("flows", "up_flows"):
        return text
    if re.fullmatch(r"\d{1,5}", text.strip()):
        return f"{'upload' if name == 'up_flows' else 'bulk'}*{int(text)}"
    text = functional(_rate(",".join(map(_ns2, text.split(","))), said), said)
    if name == "up_flows":
        back: list[str] = []
        flows = phrases(text.split() if text.lower().startswith("obs") else [text], said, back)
        return ",".join([*flows, *back])
    return (
        ",".join(_shortly(item, (), {}, said) for item in re.split(r",(?![^{\[]*[}\]])", text)) if "@" in text else text
    )


#: What is said of CoDel's marks above a wait.
_LEFT = "{} is left out: the queue marks by its own rule alone. A step of marks is --queue threshold:65, in packets."

#: Words for a queue that does nothing.
_PLAIN = ("off", "no", "nothing", "plain", "dumb", "default", "disabled", "false")

#: Words that switch a shaper on.
_ON = ("on", "auto", "yes", "true", "enable", "enabled", "default", "sqm")
