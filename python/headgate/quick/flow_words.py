"""Words of a line that belong to a flow: when it begins and ends, its own round trip, its size; and tests of Flent, which are several."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .flows import counted, is_flow, name_of
from .services import taken
from .vocabulary import counted_text, is_time, seconds_of

_VERBS = (
    "starts",
    "starting",
    "start",
    "begins",
    "beginning",
    "joins",
    "joining",
    "join",
    "enters",
    "arrives",
    "arriving",
)
_ENDS = ("stops", "stop", "stopping", "ends", "end", "ending", "leaves", "leaving", "until", "till")
_AT = ("at", "after", "from", "@", "in", "to")

#: Flows that are downloads, and words for a file.
_FILES = ("download", "bulk", "transfer", "file", "ftp")


def of_flows(words: Sequence[str], said: list[str]) -> list[str]:
    """The words of a line with those of each flow as one; `said` gets sentences on what is taken for something else.

    >>> of_flows(["20Mbit/s", "40ms", "cubic", "bbr", "joins", "at", "10s"], [])
    ['20Mbit/s', '40ms', 'cubic', 'bbr:start=10s']
    >>> of_flows(["50Mbit/s", "cubic", "10ms", "cubic", "100ms"], [])
    ['50Mbit/s', 'cubic:rtt=10ms', 'cubic:rtt=100ms']
    >>> of_flows(["cubic", "x", "2", "tcp_8down", "download", "10MB"], [])
    ['cubic*2', 'download*8', 'ping', 'transfer:10MB']
    """
    found = [part for word in _taken(words, said) for part in _test(word, said)]
    if sum(part == "ping" for part in found) > 1 and any(_test(word, []) != [word] for word in words):
        # The test has it already.
        found = [part for i, part in enumerate(found) if part != "ping" or "ping" not in found[:i]]
    return _starts(_trips(_sizes(_counts(found))))


def _taken(words: Sequence[str], said: list[str]) -> list[str]:
    """Flows in whose place others are taken, where the line does not name both."""
    bare = [counted(re.split(r"[:,@]", word)[0])[0] for word in words]
    names = [name_of(name) for name in bare]
    found = []
    for word, name in zip(words, bare, strict=True):
        instead, told = taken(word)
        if told and name.lower() in ("bbr2", "bbrv2") and "bbr" in [n and n.rstrip("13") for n in names]:
            found.append(word)
            continue
        found.append(instead)
        said += [told] if told and told not in said else []
    return found


def _test(word: str, said: list[str]) -> list[str]:
    """The flows of a test of Flent."""
    lower = word.lower()
    if lower in ("rrul", "rrul_be", "rrul_noclassification"):
        left = "the classes of service and the UDP streams" if lower == "rrul" else "the UDP streams"
        said.append(f"{word} is taken as four downloads, four uploads and ping: {left} of Flent's test are left out.")
        return ["download*4", "upload*4", "ping"]
    test = re.fullmatch(r"tcp_(\d{1,3})?(up|down)(?:load)?", lower)
    if test is None:
        return [word]
    number = f"*{int(test[1])}" if test[1] and int(test[1]) > 1 else ""
    return [f"{test[2]}load{number}", "ping"]


def _counts(words: Sequence[str]) -> list[str]:
    """`cubic x 2` as cubic*2."""
    found = list(words)
    for i in range(len(found) - 3, -1, -1):
        if is_flow(found[i]) and found[i + 1].lower() in ("x", "×", "*") and re.fullmatch(r"\d{1,6}", found[i + 2]):
            after = found[i + 3] if i + 3 < len(found) else ""
            if not (is_flow(after) and ":" not in found[i] and i and re.fullmatch(r"\d{1,6}", found[i - 1])):
                found[i : i + 3] = [f"{found[i]}*{found[i + 2]}"]
    return found


def _sizes(words: Sequence[str]) -> list[str]:
    """`10MB download` and `download of 10MB` as a transfer of this size."""
    found = list(words)
    for i in range(len(found) - 1, -1, -1):
        if re.fullmatch(r"\d{1,9}(\.\d{1,9})?[kKMGT]i?B", found[i]) is None:
            continue
        of = i >= 2 and found[i - 1].lower() == "of"
        before = i - 2 if of else i - 1
        if before >= 0 and found[before].lower() in _FILES:
            found[before : i + 1] = [f"transfer:{found[i]}"]
        elif i + 1 < len(found) and found[i + 1].lower() in _FILES:
            more = 2 if [w.lower() for w in found[i + 1 : i + 3]] in (["file", "download"], ["file", "transfer"]) else 1
            found[i : i + 1 + more] = [f"transfer:{found[i]}"]
    return found


def _trips(words: Sequence[str]) -> list[str]:
    """Times after or before each flow, or after `rtt` behind each, as round trips of their own."""
    found = list(words)
    flows = [i for i, word in enumerate(found) if is_flow(word)]
    own = [
        i
        for i in flows
        if re.fullmatch(r"rtt[=:]?", "".join(found[i + 1 : i + 2]), re.IGNORECASE) and _is_trip(found, i + 2)
    ]
    if len(own) > 1:
        for i in own[::-1]:
            found[i : i + 3] = [_with(found[i], f"rtt={found[i + 2]}")]
        return found
    named = {
        i: m[1] for i in flows if (m := re.fullmatch(r"rtt[=:](\S+)", "".join(found[i + 1 : i + 2]), re.IGNORECASE))
    }
    if len(named) > 1:
        for i in sorted(named)[::-1]:
            found[i : i + 2] = [_with(found[i], f"rtt={named[i]}")]
        return found
    if (both := _pair(found, flows)) is not None:
        return both
    number = sum(int(counted(re.split(r"[:,]", found[i])[0])[1] or 1) for i in flows)
    for i, word in enumerate(found):
        times_ = word.split(",")
        if len(times_) > 1 and len(times_) != number and all(is_time(time) and seconds_of(time) < 5 for time in times_):
            # As many as flows they may be one for each.
            found[i] = f"rtt={word}"
    times = [i for i, word in enumerate(found) if _is_trip(found, i)]
    if len(times) < 2 or len(times) != len(flows) or any("rtt=" in found[i] for i in flows):
        return found
    if [i - 1 for i in times] == flows or [i + 1 for i in times] == flows:
        for flow, time in sorted(zip(flows, times, strict=True))[::-1]:
            low = min(flow, time)
            found[low : low + 2] = [_with(found[flow], f"rtt={found[time]}")]
    return found


def _pair(words: Sequence[str], flows: Sequence[int]) -> list[str] | None:
    """`10ms,100ms cubic cubic`: as many round trips as there are flows, which are alike."""
    for at, word in enumerate(words):
        times = word.split(",")
        names = {words[i] for i in flows}
        if (
            len(times) == len(flows) > 1
            and len(names) == 1
            and all(is_time(time) and seconds_of(time) < 5 for time in times)
        ):
            found = [_with(w, f"rtt={times[flows.index(i)]}") if i in flows else w for i, w in enumerate(words)]
            return [*found[:at], *found[at + 1 :]]
    return None


def _starts(words: Sequence[str]) -> list[str]:
    """`bbr joins at 10s`, `cubic until 20s`, `bbr 10s later`, `cubic start=10s`."""
    found: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        key, sign, value = word.partition("=")
        key = key.lower()
        if found and sign and key in ("start", "stop", "begin", "end", "until") and is_flow(found[-1]):
            found[-1] = _with(found[-1], f"{'start' if key in ('start', 'begin') else 'stop'}={value}")
            continue
        found.append(word)
        while is_flow(found[-1]):
            taken_ = _time_of(words, at)
            if taken_ is None:
                break
            found[-1] = _with(found[-1], taken_[0])
            at += taken_[1]
    return found


def _time_of(words: Sequence[str], at: int) -> tuple[str, int] | None:
    """The start or the end that words say of the flow before them, and how many words they are."""
    lower = [word.lower() for word in words[at : at + 3]]
    key = "start" if lower[:1] and lower[0] in _VERBS else "stop" if lower[:1] and lower[0] in _ENDS else ""
    size = 1 if key else 0
    if lower[size : size + 1] and lower[size] in _AT:
        size += 1
    time = words[at + size] if at + size < len(words) else ""
    if re.fullmatch(r"0+(?:\.0*)?(?:s|sec|ms)?", time):
        return (f"{key or 'start'}=0s", size + 1) if size else None
    if not is_time(time):
        return None
    if not size:
        return (f"start={time}", 2) if lower[1:2] == ["later"] else None
    if not key and lower[0] in ("to", "till") and seconds_of(time) >= 1:
        key = "stop"
    return (f"{key or 'start'}={time}", size + 1) if key or seconds_of(time) >= 1 else None


def _is_trip(words: Sequence[str], i: int) -> bool:
    """Whether a word is a time that may be a round trip, without the name of anything else beside it."""
    beside = [word.lower().rstrip(":=") for word in (*words[max(i - 1, 0) : i], *words[i + 1 : i + 2])]
    others = ("ping", "latency", "delay", "buffer", "duration", "time", "target", "interval", "jitter", "queue")
    return i < len(words) and is_time(words[i]) and seconds_of(words[i]) < 5 and not any(w in others for w in beside)


def _with(flow: str, key: str) -> str:
    flow = counted_text(flow)
    return f"{flow}{',' if ':' in flow else ':'}{key}"
