"""Words of a line that belong together, such as a queue and its parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..base.catalogue import parameter_names
from .amounts import OF_ALL
from .fillers import FILLERS
from .flow_words import of_flows
from .flows import all_names, counted, is_flow, name_of
from .queues import known_as, parameter
from .services import SERVICES, line_rate, path_of, service
from .tc import nothing
from .vocabulary import BETWEEN, NAMED, TWO_RATES, is_time, preset_of, rate_of, seconds_of

#: Words that only say what the flow before them carries, by those flows.
_ONE: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("call", "calls", "meeting", "chat"), ("zoom", "discord", "meet", "webrtc")),
    "voice": ("discord",),
    **dict.fromkeys(
        ("video", "videos", "movie"),
        ("netflix", "youtube", *(name for name, flow in SERVICES.items() if flow == "video")),
    ),
    **dict.fromkeys(("download", "downloads", "update", "updates"), ("steam", "update", "windowsupdate")),
    **dict.fromkeys(
        ("upload", "uploads", "backup", "sync", "photos"),
        tuple(name for name, flow in SERVICES.items() if flow == "upload"),
    ),
}

#: Flows of which each is a stream by itself: the word says nothing beside them.
_STREAMS = ("video", "netflix", "youtube", "call", "voip", "cbr", "on_off", "poisson", "background")


def together(words: Sequence[str], options: Mapping[str, Any], said: list[str] | None = None) -> list[str]:
    """The words of a line, those that belong together as one; `said` gets sentences on what is taken for something else.

    >>> together(["10Mbit/s", "codel", "target", "5ms", "cubic", "2%", "packet", "loss"], {})
    ['10Mbit/s', 'codel:target=5ms', 'cubic', '2%', 'loss']
    >>> together(["zoom", "stream", "upload"], {}), together(["one", "cubic", "stream"], {})
    (['zoom', 'video', 'upload'], ['one', 'cubic', 'stream'])
    """
    found = _queues(_streams(_rates(_losses(_services(words)), options)), options)
    return of_flows(_packets(found), [] if said is None else said)


def _packets(words: list[str]) -> list[str]:
    """`1500 byte packets`, `mtu 9000`, `iw10` and `initcwnd 10` as a word each."""
    found: list[str] = []
    at = 0
    while at < len(words):
        lower = [word.lower() for word in words[at : at + 3]]
        one = re.fullmatch(r"(?:iw|initcwnd|icwnd)(\d{1,4})", lower[0])
        key = OF_ALL.get(lower[0].rstrip(":"), "")
        if one is not None:
            found.append(f"iw={one[1]}")
        elif key in ("mtu", "iw") and re.fullmatch(r"\d{1,5}", "".join(lower[1:2])) and lower[0] != "packets":
            found.append(f"{key}={lower[1]}")
            at += 1
        elif lower[:2] == ["initial", "window"] and re.fullmatch(r"\d{1,4}", "".join(lower[2:3])):
            found.append(f"iw={lower[2]}")
            at += 2
        elif re.fullmatch(r"\d{2,5}(b|bytes?)?", lower[0]) and (size := _packet_words(lower)):
            found.append(f"mtu={re.sub('[a-z]', '', lower[0])}")
            at += size
        else:
            found.append(words[at])
        at += 1
    return found


def _packet_words(lower: list[str]) -> int:
    """How many words after a number say that it is the size of packets in bytes."""
    if lower[0].isdigit():
        named = lower[1:2] in (["byte"], ["bytes"]) and lower[2:3] in (["packet"], ["packets"])
        return 2 if named else 0
    return 1 if lower[1:2] in (["packet"], ["packets"]) else 0


def _services(words: Sequence[str]) -> list[str]:
    """Names of services as the flows that are meant, without a word that only says what they carry: `zoom call`, `steam download`."""
    found: list[str] = []
    known = all_names()
    words = _of_two(words)
    for i, word in enumerate(words):
        lower, before = word.lower(), words[i - 1].lower() if i else ""
        if word in known and lower not in ("call", "video", "download", "upload"):
            found.append(word)
            continue
        after = words[i + 1].lower() if i + 1 < len(words) else ""
        flows = _ONE.get(lower, ())
        # Two short names as they are, such as zoom and call, are two flows.
        said = (before in flows or name_of(before) in flows) and not (before in known and lower in known)
        # `4 bulk downloads` are four flows, and `bulk download` may be two.
        said |= before == "bulk" and lower in ("downloads", "transfers")
        if not said and not (lower == "speedtest" and after in ("download", "upload")):
            found.append(word if before == "google" else service(word) or word)
    return found


#: What is said with `no` or `without`, by the words that it is.
_WITHOUT = {
    **dict.fromkeys(("aqm", "qdisc", "fq"), "fcfs"), "ecn": "noecn",
    **dict.fromkeys(("sqm", "shaper", "loss", "losses", "jitter", "uploads"), ""),
}  # fmt: skip


def _commands(words: Sequence[str]) -> list[str]:
    """The words without the beginning of a command of tc, as `tc qdisc add dev eth0 root`."""
    lower = [word.lower() for word in words]
    if "tc" not in lower[:-1] or lower[lower.index("tc") + 1] != "qdisc" or "dev" not in lower[:-1]:
        return list(words)
    begin, end = lower.index("tc"), lower.index("dev") + 2
    while end < len(lower) and (lower[end] in ("root", "handle", "parent") or re.fullmatch(r"\d+:\d*", lower[end])):
        end += 1
    return [*words[:begin], *words[end:]]


def _of_two(words: Sequence[str]) -> list[str]:
    """Names of two words as one: services, sorts of paths, rates of lines, and what is left out, as `no aqm`."""
    found: list[str] = []
    words, at = _commands(words), 0
    while at < len(words):
        word, after = words[at], words[at + 1] if at + 1 < len(words) else ""
        both = f"{word}_{after}"
        at += 1
        alone = service(word) and (service(after) or name_of(after) is not None) and not service(both)
        if word.lower() in ("no", "without") and after.lower() in _WITHOUT:
            found += [_WITHOUT[after.lower()]] if _WITHOUT[after.lower()] else []
            at += 1
        elif word.lower() in ("buffer", "queue") and after.lower() in ("size", "length", "limit"):
            found.append("buffer")
            at += 1
        elif (
            after
            and not alone
            and not re.fullmatch(r"\d+", after)
            and (word, after) != ("video", "game")
            and (service(both) or path_of(both) or line_rate(both))
        ):
            found.append(service(both) or both)
            at += 1
        else:
            found.append(word)
    return found


def _rates(words: list[str], options: Mapping[str, Any]) -> list[str]:
    """`udp 3Mbit/s` as cbr:3Mbit/s, where the line has another rate."""
    found: list[str] = []
    for i, word in enumerate(words):
        last = [w.lower() for w in found[-2:]]
        start = next(
            (n for n in (1, 2) if last[-n:][:1] in (["udp"], ["cbr"]) and last[-n:][1:] in ([], ["at"], ["@"])), 0
        )
        if start and rate_of(word) is not None and _has("rate", [*words[: i - start], *words[i + 1 :]], options):
            found[-start:] = [f"cbr:{rate_of(word)}"]
        else:
            found.append(word)
    return found


def _losses(words: list[str]) -> list[str]:
    """`2% packet loss` as `2% loss`, and 1e-4 beside a loss as 0.0001."""
    lower = [word.lower() for word in words]
    if not any(word.startswith("loss") for word in lower):
        return words
    found: list[str] = []
    for i, word in enumerate(words):
        after = words[i + 1] if i + 1 < len(words) else ""
        if lower[i] in ("packet", "packets", "random") and after.lower() in ("loss", "losses", "packet"):
            continue
        if (
            i
            and lower[i - 1] == "loss"
            and lower[i] in ("rate", "ratio", "probability", "of")
            and rate_of(after) is None
        ):
            continue
        if after.lower() == "loss":
            # The unit is no packet here, as in `0.001 packet loss`.
            lower[i] = re.sub(r"(?<=\d)packets?$", "", lower[i])
        share = re.fullmatch(r"(loss=)?((?:\d(?:\.\d{1,6})?e-\d{1,2})|0?\.\d{1,9})", lower[i])
        named = "loss" in lower[max(i - 2, 0) : i][-1 if lower[i - 1] not in ("rate", "ratio", "of") else -2 :]
        if share is not None and (share[1] or after.lower() in ("loss", "packet") or named):
            word = (share[1] or "") + f"{float(share[2]) * 100:.10f}".rstrip("0").rstrip(".") + "%"
        found.append(word)
    return found


def _streams(words: list[str]) -> list[str]:
    """`stream` as video, unless it only says that a flow is one: after a flow control, TCP or UDP, and beside another video."""
    found = list(words)
    for i, word in enumerate(words):
        if word.lower() not in ("stream", "streaming"):
            continue
        before = name_of(counted(re.split(r"[:,=]", words[i - 1])[0])[0]) if i else None
        after = name_of(counted(words[i + 1])[0]) if i + 1 < len(words) else None
        beside = before in _STREAMS[:3] or after in _STREAMS[:3]
        one = before in (*_STREAMS, *parameter_names("flow-controls"), "bbr", "bulk") or (
            i and words[i - 1].lower() == "udp"
        )
        of = i + 1 < len(words) and words[i + 1].lower() == "of"
        found[i] = "stream" if beside or (word.lower() == "stream" and (one or of)) else "video"
    return found


def _queues(words: list[str], options: Mapping[str, Any]) -> list[str]:
    """A queue with its parameters after it, as tc has them: `fq_codel limit 1000 target 5ms`."""
    found: list[str] = []
    at = 0
    while at < len(words):
        word, two = words[at], " ".join(words[at : at + 2])
        at += 1
        size = 2 if at < len(words) and ":" not in two and known_as(two) is not None else 1
        queue = known_as(two if size == 2 else word)
        if queue is None or is_flow(word):
            found.append(word)
            continue
        second = words[at] if size == 2 else ""
        at += size - 1
        own, kept = [], list[str]()
        if parameter(queue, "bandwidth", "1") and [w.lower() for w in words[at : at + 1]] == ["at"]:
            # `cake at 18mbit` is its bandwidth, on a line with a rate of its own.
            named = parameter_at(queue, ["bandwidth", *words[at + 1 : at + 2]], 0, [*found, *words[at + 2 :]], options)
            at += 2 if named else 0
            own += [named[0]] if named else []
        while at < len(words):
            taken = parameter_at(queue, words, at, found, options)
            if taken is not None:
                at += taken[1]
                own.append(taken[0])
            elif words[at].lower() == "bandwidth" and rate_of("".join(words[at + 1 : at + 2])) is not None:
                # The only rate of the line is that of the link.
                kept += words[at : at + 2]
                at += 2
            else:
                break
        found.append(f"{queue}:{','.join(own)}" if own else word)
        found += kept if own or size == 1 else [second, *kept]
    return found


def parameter_at(
    queue: str, words: Sequence[str], at: int, before: Sequence[str], options: Mapping[str, Any]
) -> tuple[str, int] | None:
    """The parameter of a queue that the words from here on are, and how many they are."""
    if at >= len(words):
        return None
    key, sign, value = words[at].partition("=")
    size = 1 if sign else 2
    if not sign and queue == "cake" and nothing(key):
        return key, 1
    if (
        not sign
        and parameter(queue, key) is not None
        and key.lower() not in (*BETWEEN, *FILLERS)
        and preset_of(key) is None
    ):
        return key, 1
    value = value if sign else "".join(words[at + 1 : at + 2])
    known = parameter(queue, key, value)
    if known is None or not re.match(r"\.?\d", value):
        return None
    others = [*before, *words[at + size :]]
    named = NAMED.get(key.lower())
    if named == "rate" and (rate_of(value) is None or not (queue == "tbf" or _has("rate", others, options))):
        return None
    if named == "rtt" and (not is_time(value) or not _has("rtt", others, options)):
        return None
    if named not in (None, "rate", "rtt"):
        return None
    return f"{key.lower()}={value}", size


def after_option(queue: str, words: Sequence[str], before: Sequence[str], whole: bool) -> tuple[list[str], int]:
    """The parameters of a queue that an option names, of the words after it as tc has them, and how many words they are.

    Args:
        queue: as the option has it.
        words: after it.
        before: the other words of the line.
        whole: whether all parameters are looked for, or only rates, which would else be that of the line.

    >>> after_option("cake", ["bandwidth", "9mbit", "cubic"], ["cable"], False), after_option("codel", ["rate", "9mbit"], [], True)
    ((['bandwidth=9mbit'], 2), ([], 0))
    """
    name = known_as(re.split(r"[:\s]", queue.strip())[0])
    own, at = list[str](), 0
    while name is not None and at < len(words):
        found = parameter_at(name, words, at, before, {})
        # `rate` after cake may be that of the line: tc has `bandwidth`.
        if found is None or (words[at].lower() == "rate" and name != "tbf"):
            break
        own.append(found[0])
        at += found[1]
    rates = any(NAMED.get(text.partition("=")[0]) == "rate" for text in own)
    return (own, at) if whole or rates else ([], 0)


def _has(name: str, words: list[str], options: Mapping[str, Any]) -> bool:
    """Whether a line has a rate or a round trip among these words."""
    if options.get(name) is not None:
        return True
    values = [word.rpartition("=")[2] for word in words]
    if name == "rtt":
        return any(is_time(value) and seconds_of(value) < 5 for value in values)
    preset = options.get("preset") is not None or any(preset_of(word) for word in words)
    return preset or any(rate_of(value) is not None or TWO_RATES.fullmatch(value) for value in values)
