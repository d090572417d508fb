"""Words of a line that belong together, such as a queue and its parameters, and what is said of words that mean nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..base.catalogue import parameter_names
from ..base.errors import cut
from ..base.typed import NUMBER
from .flows import all_names, counted, is_flow, name_of
from .queues import known_as, parameter
from .vocabulary import BETWEEN, NAMED, TWO_RATES, is_time, preset_of, rate_of, seconds_of

#: Names of programs and services, by the flow that is meant.
_MEANT = {
    "meet": "zoom", "discord": "call", "twitch": "video", "speedtest": "bulk", "steam": "download",
}  # fmt: skip

#: Words that only say what the flow before them carries, by those flows.
_ONE: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("call", "calls", "meeting", "chat"), ("zoom", "discord", "meet")),
    "voice": ("discord",),
    **dict.fromkeys(("video", "videos", "movie"), ("netflix", "youtube", "twitch")),
    **dict.fromkeys(("download", "downloads"), ("steam",)),
}

#: Flows of which each is a stream by itself: the word says nothing beside them.
_STREAMS = ("video", "netflix", "youtube", "call", "voip", "cbr", "on_off", "poisson", "background")

#: What is to be typed for a word that has no meaning here.
_HINTS = {
    **dict.fromkeys(
        ("stadia", "geforce", "xcloud", "luna"),
        "headgate has no cloud gaming as such: game is the packets of an online game, and "
        "cbr:20Mbit/s a picture at that rate",
    ),
    **dict.fromkeys(
        ("torrent", "torrents", "bittorrent"),
        "expected download*4 for four downloads at a time, or ledbat*4 with the flow control of BitTorrent",
    ),
    "jitter": "quick has no option for the jitter of a link: --print writes the line as a scenario file, and its link may have jitter",
    "slow": "expected a flow control: slow start is a part of each, such as reno or cubic",
    "mtu": "expected packet= after a flow, such as cubic:packet=1500B",
    "byte": "expected packet= after a flow, such as cubic:packet=1500B",
    "bytes": "expected packet= after a flow, such as cubic:packet=1500B",
    "ecn": "expected a queue that marks, such as fq_codel:mark=true or red:mark=true",
}

#: Words that only make sense after one of those.
_AFTER = {"slow": ("start",), "geforce": ("now",), "byte": ("packet", "packets"), "bytes": ("packet", "packets")}


def together(words: Sequence[str], options: Mapping[str, Any]) -> list[str]:
    """The words of a line, those that belong together as one.

    >>> together(["10Mbit/s", "codel", "target", "5ms", "cubic", "2%", "packet", "loss"], {})
    ['10Mbit/s', 'codel:target=5ms', 'cubic', '2%', 'loss']
    >>> together(["zoom", "stream", "upload"], {}), together(["one", "cubic", "stream"], {})
    (['zoom', 'video', 'upload'], ['one', 'cubic', 'stream'])
    """
    return _queues(_streams(_rates(_losses(_services(words)), options)), options)


def _services(words: Sequence[str]) -> list[str]:
    """Names of services as the flows that are meant, without a word that only says what they carry: `zoom call`, `steam download`."""
    found: list[str] = []
    known = all_names()
    for i, word in enumerate(words):
        lower, before = word.lower(), words[i - 1].lower() if i else ""
        if word in known and lower not in ("call", "video", "download"):
            found.append(word)
            continue
        after = words[i + 1].lower() if i + 1 < len(words) else ""
        flows = _ONE.get(lower, ())
        # Two short names as they are, such as zoom and call, are two flows.
        said = (before in flows or name_of(before) in flows) and not (before in known and lower in known)
        if not said and not (lower == "speedtest" and after in ("download", "upload")):
            found.append(word if before == "google" else _MEANT.get(lower, word))
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
        if lower[i] in ("packet", "packets") and after.lower() == "loss":
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
        while at < len(words):
            taken = _parameter(queue, words, at, found, options)
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
    return _marked(found)


def _parameter(
    queue: str, words: list[str], at: int, before: list[str], options: Mapping[str, Any]
) -> tuple[str, int] | None:
    """The parameter of a queue that the words from here on are, and how many they are."""
    if at >= len(words):
        return None
    key, sign, value = words[at].partition("=")
    size = 1 if sign else 2
    if not sign and (set_ := parameter(queue, key)) is not None and key.lower() not in BETWEEN:
        return f"{set_[0]}={set_[1]}", 1
    value = value if sign else "".join(words[at + 1 : at + 2])
    known = parameter(queue, key, value)
    if known is None or not re.match(r"\.?\d", value):
        return None
    others = [*before, *words[at + size :]]
    named = NAMED.get(key.lower())
    if named == "rate" and (rate_of(value) is None or not _has("rate", others, options)):
        return None
    if named == "rtt" and (not is_time(value) or not _has("rtt", others, options)):
        return None
    if named not in (None, "rate", "rtt"):
        return None
    return f"{key.lower()}={value}", size


def _has(name: str, words: list[str], options: Mapping[str, Any]) -> bool:
    """Whether a line has a rate or a round trip among these words."""
    if options.get(name) is not None:
        return True
    values = [word.rpartition("=")[2] for word in words]
    if name == "rtt":
        return any(is_time(value) and seconds_of(value) < 5 for value in values)
    preset = options.get("preset") is not None or any(preset_of(word) for word in words)
    return preset or any(rate_of(value) is not None or TWO_RATES.fullmatch(value) for value in values)


def _marked(words: list[str]) -> list[str]:
    """`ecn` elsewhere in the line as a parameter of its queue, if that can mark."""
    if "ecn" not in (lower := [word.lower() for word in words]):
        return words
    for i, word in enumerate(words):
        queue = known_as(re.split(r"[:,]", word)[0])
        if queue is not None and not is_flow(word) and "mark" in parameter_names("disciplines")[queue]:
            found = [*words]
            found[i] = f"{word}{',' if ':' in word else ':'}mark=true"
            del found[lower.index("ecn")]
            return found
    return words


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
        size = int(bool(after) and (after[0] in _AFTER.get(lower, ()) or (lower in ("jitter", "mtu") and value)))
        return f"found {cut(repr(' '.join(words[at : at + 1 + size])))}; {_HINTS[lower]}", size
    if re.fullmatch(NUMBER, word) and after and after[0] in ("byte", "bytes"):
        size = 1 + sum(1 for w in words[at + 2 : at + 3] if w.lower() in _AFTER["bytes"])
        return (
            f"found {cut(repr(' '.join(words[at : at + 1 + size])))}; expected packet= after a flow: cubic:packet={word}B",
            size,
        )
    two = re.fullmatch(rf"({NUMBER}[a-zµ]+)/({NUMBER}[a-zµ]+)", lower)
    if two is not None and is_time(two[1]) and is_time(two[2]):
        names = [n for w in words if (n := name_of(counted(re.split(r"[:,]", w)[0])[0])) is not None] or ["cubic"]
        flows = f"{names[0]},{names[-1]}:rtt={two[2]}"
        return (
            f"found {cut(repr(word))}; expected one round trip, and after a flow its own: --rtt {two[1]} --flows {flows}",
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
