"""Letters of papers and names of simulators before a sign, as `C=10Mbps` and `max_queue_size=200`, by the options that they are."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..base.typed import NUMBER
from .flows import is_flow
from .queues import known_as
from .vocabulary import is_time, rate_of, seconds_of

#: Names by what each is where its value has the unit for it. What has one letter is looked up as it is, and longer ones in any letters.
_NAMES = {
    "rate": "C c mu μ µ BW B R r cap capacity datarate linkrate bottleneckrate bottleneckbw bandwidth linkbandwidth linkcapacity "
    "bottleneckbandwidth linkspeed bottleneck btlbw",
    "rtt": "RTT T R tau τ Tp RTprop tprop minrtt basertt rttmin R0 T0 rtt0 roundtrip roundtriptime proprtt",
    "delay": "d D delay propdelay linkdelay propagationdelay bottleneckdelay pathdelay",
    "owd": "owd onewaydelay",
    "buffer": "B b Q q buf buffer buffersize maxqueuesize maxqueue queuesize queuelength queuelimit queuelen maxsize maxpackets qsize "
    "qlimit qlen qmax Bmax bufsize limit",
    "parallel": "N n flows nflows numflows nflow Nflows numberofflows connections senders nsenders numsenders",
    "loss": "p loss plr per lossrate lossprob ploss errorrate droprate packetlossrate",
    "duration": "T t time duration simtime stoptime simulationtime runtime tmax tend simulationduration",
    "queue": "q Q queue qdisc queuedisc aqm queuetype queuediscipline",
    "control": "cc tcp alg algo algorithm congestioncontrol tcpvariant variant cca protocol transportprot",
    "seed": "seed rngrun rngseed randomseed",
}  # fmt: skip

#: Units of numbers alone, and what is said of each.
_BARE = {
    "rate": ("Mbit/s", "{0} is taken as {1}Mbit/s."),
    "rtt": ("ms", "{0} is taken as {1}ms."),
    "delay": ("ms", ""),
    "owd": ("ms", ""),
    "buffer": ("pkt", "{0} is taken as {1} packets."),
    "duration": ("s", ""),
}


def _bare(name: str) -> str:
    return name if len(name) == 1 else re.sub(r"[_\s.-]", "", name).lower()


_MEANT: dict[str, list[str]] = {}
for _option, _words in _NAMES.items():
    for _word in _words.split():
        _MEANT.setdefault(_bare(_word), []).append(_option)


def _fits(option: str, value: str) -> bool:
    """Whether a value has the unit of an option, or is a number that may be one."""
    if option == "rate":
        return rate_of(value) is not None
    if option in ("rtt", "delay", "owd"):
        return is_time(value) and seconds_of(value) < 5
    if option == "duration":
        return is_time(value) and seconds_of(value) >= 5
    if option == "buffer":
        return (
            re.fullmatch(
                rf"({NUMBER}|)\s*[x*]?\s*(bdps?|p|pkts?|packets?|[kM]i?B|B|bytes|[mu]s)(/\S+)?", value, re.IGNORECASE
            )
            is not None
        )
    if option == "loss":
        return re.fullmatch(rf"{NUMBER}\s*%|0?\.\d+|\d(\.\d+)?e-\d+|10\^-\d+", value, re.IGNORECASE) is not None
    if option in ("parallel", "seed"):
        return re.fullmatch(r"\d{1,9}", value) is not None
    return known_as(re.split(r"[:,]", value)[0]) is not None if option == "queue" else is_flow(value)


def spelled_out(word: str, words: Sequence[str], said: list[str]) -> str:
    """A word with a letter or a simulator's name before a sign as one with the name of an option; others stay.

    >>> said = []
    >>> [spelled_out(word, [], said) for word in ("C=10Mbps", "B=2BDP", "N=4", "Tp=50ms", "bw=50", "DataRate=10Mbps", "p=0.01")]
    ['rate=10Mbps', 'buffer=2BDP', 'parallel=4', 'rtt=50ms', 'rate=50Mbit/s', 'rate=10Mbps', 'loss=1%']
    >>> said
    ['bw=50 is taken as 50Mbit/s.']
    """
    found = re.fullmatch(r"([^\W\d][\w.-]*?)\s*[=≈]\s*([^\s=]+)", word)
    if found is None or is_flow(word) or word.startswith("--"):
        return word
    name, value = found[1], found[2]
    options = _MEANT.get(_bare(name)) or (["rate"] if name.lower() == "bw" else [])
    option = next((o for o in options if _fits(o, value)), None)
    if option is None and options and re.fullmatch(NUMBER, value):
        option = next((o for o in options if o in _BARE and o not in _named(words, word)), None)
        if option is not None:
            unit, sentence = _BARE[option]
            said += [told] if (told := sentence.format(word, value)) and name.lower() not in ("rtt", "rate") else []
            value += unit
    if option is None:
        return word
    if option == "loss":
        value = percent(value)
    return f"{'cc' if option == 'control' else option}={value}"


def is_key(word: str) -> bool:
    """Whether a word begins with a name of these before a sign."""
    return _bare(re.split("[=:]", word)[0]) in _MEANT


def _named(words: Sequence[str], word: str) -> set[str]:
    """What the other words of a line are without a doubt."""
    found: set[str] = set()
    for other in words:
        value = other.rpartition("=")[2]
        if other == word:
            continue
        if rate_of(value) is not None:
            found.add("rate")
        elif is_time(value) and "=" not in other:
            found.add("rtt")
        elif "=" in other and (options := _MEANT.get(_bare(other.partition("=")[0]), [])) and len(options) == 1:
            found.add(options[0])
        elif "=" in other and other.partition("=")[0] in ("C", "RTT", "mu"):
            found.add({"C": "rate", "mu": "rate", "RTT": "rtt"}[other.partition("=")[0]])
    return found | ({"rtt"} if "delay" in found else set())


def percent(text: str) -> str:
    """A share in powers of ten or below one in per cent.

    >>> percent("1e-5"), percent("10^-4"), percent("2x10^-3"), percent("0.01"), percent("1%")
    ('0.001%', '0.01%', '0.2%', '1%', '1%')
    """
    found = re.fullmatch(r"(?:(\d(?:\.\d{1,6})?)\s*[x*×·]\s*)?10\s*(?:\^|\*\*)\s*\(?-(\d{1,2})\)?", text.strip())
    if found is not None:
        text = f"{found[1] or 1}e-{found[2]}"
    if re.fullmatch(r"\d(?:\.\d{1,6})?e-\d{1,2}|0?\.\d{1,9}", text.strip(), re.IGNORECASE) is None:
        return text
    return f"{float(text) * 100:.12f}".rstrip("0").rstrip(".") + "%"
