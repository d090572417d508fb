"""What people call the traffic of a program, a console or a service: names of several words, pictures by their lines, senders."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..base.typed import joined
from .flows import all_names, name_of
from .presets import PRESETS
from .queues import known_as
from .services import path_of, service
from .vocabulary import preset_of, rate_of

#: What the last word of a phrase carries, by the flow.
_CARRIES = {
    "download": "download downloads downloading update updates updating patch install installing",
    "upload": "upload uploads uploading backup backups sync syncing photos",
    "call": "call calls voice",
    "zoom": "videocall meeting meetings conference",
    "video": "stream streams streaming video videos movie movies show film episode",
    "game": "game gaming match",
    "web": "browsing browser page pages website",
}  # fmt: skip
_CARRY = {word: flow for flow, words in _CARRIES.items() for word in words.split()}

#: Consoles, shops and stores: a word that says what they carry is no flow of its own beside them.
_BRANDED = (
    "ps3 ps4 ps5 playstation xbox nintendo nintendoswitch switch steam windows windowsupdate icloud dropbox onedrive gdrive "
    "googledrive google googlephotos backblaze crashplan carbonite nextcloud epicgames epic apple ios macos android "
    "appstore playstore iphone ipad mac linux ubuntu steamdeck gog origin battlenet ubisoft amazon aws s3 nas timemachine"
)
_BRANDS = frozenset(_BRANDED.split())

#: Words that say whose a flow is, or what for.
_OWNERS = "kids kid's my the a work family wife's husband's mom's dad's online background living room bedroom school office one"
_WHOSE = frozenset(_OWNERS.split())

#: Services whose calls are voice alone or have a picture, and those that show pictures.
_CALLS = {
    "whatsapp": "call",
    "telegram": "call",
    "signal": "call",
    "viber": "call",
    "slack": "zoom",
    "discord": "call",
    "facetime": "zoom",
}
_VIDEOS = ("netflix", "youtube", "twitch", "disney", "disney+", "disneyplus", "hulu", "primevideo", "hbo", "hbomax", "video", "movie",
           "stream", "streaming", "tv", "videos", "vimeo", "appletv", "plex", "peacock")  # fmt: skip

#: Rates of pictures in Mbit/s by their lines, with their sources. Neither page could be read as it is today: Netflix's 720, 1080 and 4k are
#: quoted by others (a copy of the page from before has 5 for HD and 25 for Ultra HD), YouTube's four rates by USA Today.
_NETFLIX = (
    "help.netflix.com/en/node/306, as others quote it",
    {"720p": 3, "1080p": 5, "hd": 5, "fullhd": 5, "fhd": 5, "4k": 15, "uhd": 15, "2160p": 15},
)
_YOUTUBE = ("its system requirements, as USA Today quoted them on 25 March 2020",
            {"480p": 1.1, "720p": 2.5, "1080p": 5, "hd": 5, "fullhd": 5, "fhd": 5, "4k": 20, "uhd": 20, "2160p": 20})  # fmt: skip
_SOURCES = {"youtube": ("YouTube", *_YOUTUBE)}
_LINES = r"(480p|720p|1080p|2160p|[48]k|uhd|hd|full-?hd|fhd)(?:60|30)?"

#: Programs that send, each with what it sends without a rate of its own, and what is said.
_SENDERS = {"obs": "6Mbit/s", "obsstudio": "6Mbit/s", "streamlabs": "6Mbit/s", "livestream": "6Mbit/s"}


def phrases(words: Sequence[str], said: list[str], more: list[str]) -> list[str]:
    """The words of a line with names of several words as the flows that are meant; `more` gets flows in the other direction.

    >>> said, more = [], []
    >>> phrases(["cable", "call of duty", "ps5 download", "google", "drive", "upload", "netflix 4k"], said, more)
    ['cable', 'game', 'download', 'upload', 'netflix:on=60ms,off=3940ms']
    >>> phrases(["home", "game", "obs", "6000kbps", "icloud-backup"], [], more), more
    (['home', 'game', 'upload'], ['cbr:6000kbit/s'])
    """
    found: list[str] = []
    for word in words:
        found += _quoted(word, said, more)
    return _torrents(_adjacent(_senders(found, said, more), said), said)


def _bare(words: Sequence[str]) -> str:
    return re.sub(r"[_\s-]", "", "".join(words).lower())


def _quoted(word: str, said: list[str], more: list[str]) -> list[str]:
    """An argument of several words in quotes, or with hyphens, as one flow if it names one."""
    if re.search(r"\s", word.strip()) and (short := service(word)) is not None:
        return [short]
    if (
        re.search(r"[:=,]", word)
        or not re.search(r"[\s_-]", word.strip())
        or name_of(word)
        or known_as(word)
        or preset_of(word)
    ):
        return [word]
    parts = [part for part in re.split(r"[\s_-]+", word.strip()) if part]
    if len(parts) < 2 or (
        not re.search(r"\s", word) and not all(re.fullmatch(r"[a-z][a-z]+\d?|\d+[kp]", p, re.IGNORECASE) for p in parts)
    ):
        return [word]
    if parts[0].lower() in _SENDERS:
        return _senders(joined(parts), said, more)
    pictured = _picture(parts, said)
    if pictured is not None:
        return [pictured]
    last = _CARRY.get(parts[-1].lower())
    if all(part.lower() in _WHOSE for part in parts[:-1]) and (flow := service(parts[-1]) or name_of(parts[-1])):
        return [flow]
    lower = [part.lower() for part in parts[:-1]]
    if parts[-1].lower() in ("call", "calls") and lower[-1:] == ["video"]:
        last, lower = "zoom", lower[:-1]
    if last is None or len(parts) > 4 or not all(re.fullmatch(r"[a-z+'][\w+']*", part) for part in lower):
        return [word]
    before = _bare(lower)
    known = [
        part
        for part in lower
        if part in PRESETS or path_of(part) or known_as(part) or rate_of(part) or part in ("and", "vs", "with", "for")
    ]
    short = service(before) or (name_of(before) if before in all_names() else None)
    if (
        before
        in (*(() if last in ("download", "upload") else ("video", "game")), "web", "bulk", "tcp", "udp", "two", "three")
        or known
        or (short is None and name_of(before) is not None)
    ):
        return [word]
    if short is None and len(lower) == 1 and lower[0] not in _BRANDS and name_of(lower[0]):
        return [word]
    flow = _carried(before, short, last)
    if short is None and before not in _BRANDS:
        said.append(f"{word} is taken as {flow}.")
    return [flow]


def _carried(before: str, short: str | None, last: str) -> str:
    """The flow of a service and a word for what it carries."""
    if last == "call":
        return _CALLS.get(before) or (short if short in ("zoom", "call") else "call")
    if last == "video" and short in ("netflix", "youtube", "video"):
        return short
    return "game" if last == "game" and short == "game" else last


def _adjacent(words: Sequence[str], said: list[str]) -> list[str]:
    """Names of three and four words, pictures by their lines, and a brand with what it carries, as one word each."""
    found: list[str] = []
    at = 0
    while at < len(words):
        for size in (4, 3):
            part = words[at : at + size]
            if (
                len(part) == size
                and all(re.fullmatch(r"[^\W\d][\w'.]*|\d{1,2}", w) for w in part)
                and (short := service(_bare(part)))
            ):
                found.append(short)
                break
        else:
            size = 1
            for two in (3, 2):
                part = list(words[at : at + two])
                if len(part) == two and (flow := _of_brand(part, said)) is not None:
                    found.append(flow)
                    size = two
                    break
            else:
                found.append(words[at])
        at += size
    return found


def _of_brand(part: Sequence[str], said: list[str]) -> str | None:
    """A brand with what it carries, or a picture with its lines; None if the words are no such."""
    if not all(re.fullmatch(r"[\w+'-]+", word) for word in part):
        return None
    if len(part) == 2 and (picture := _picture(part, said)) is not None:
        return picture
    before, last = _bare(part[:-1]), _CARRY.get(part[-1].lower())
    if last is None or part[-1].lower() in ("photos",):
        return None
    if before in _CALLS and last in ("call", "zoom"):
        return _CALLS[before]
    if service(before) in ("call", "zoom") and last in ("call", "zoom") and before not in all_names():
        return service(before)
    if last == "call" and len(part) == 3 and part[1].lower() == "video" and _bare(part[:1]) in _CALLS:
        return "zoom"
    if before not in _BRANDS or (before in all_names()) or last in ("call", "zoom", "web"):
        return None
    if last == "game":
        return "game" if service(before) == "game" else None
    if last == "video" and service(before) == "game":
        return None
    flow = last
    both = " ".join(part)
    if service(before) not in (flow, None):
        said.append(f"{both} is taken as one {flow}.")
    return flow


def _picture(parts: Sequence[str], said: list[str]) -> str | None:
    """`netflix 4k`, `1080p video` as video at the rate that the service recommends; None if the words are no such."""
    lines = [m for part in parts if (m := re.fullmatch(_LINES, part, re.IGNORECASE))]
    names = [part.lower() for part in parts if re.fullmatch(_LINES, part, re.IGNORECASE) is None]
    names = (
        names[:-1]
        if len(names) == 2 and names[1] in ("stream", "streaming", "video", "movie") and names[0] in _VIDEOS
        else names
    )
    if len(lines) != 1 or len(names) != 1 or names[0] not in _VIDEOS:
        return None
    short = name_of(names[0]) or "video"
    short = short if short in ("netflix", "youtube") else "video"
    who, source, rates = _SOURCES.get(short, ("Netflix", *_NETFLIX))
    size = lines[0][1].lower().replace("-", "")
    rate = rates.get(size)
    if rate is None:
        return None
    told = f"{' '.join(parts)} is taken as {short} at {rate} Mbit/s, what {who} recommends ({source}): "
    told += f"segments of {rate / 2:g} MB every 4 s."
    if told not in said:
        said.append(told)
    if rate == 5:
        return short
    on = rate * 4
    return f"{short}:on={on:g}ms,off={4000 - on:g}ms"


def _senders(words: Sequence[str], said: list[str], more: list[str]) -> list[str]:
    """`obs 6000kbps` as a constant stream in the other direction."""
    found: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word.lower() not in _SENDERS:
            found.append(word)
            continue
        while rest and rest[0].lower() in ("studio", "at", "@", "stream", "streaming"):
            rest.pop(0)
        rate = rate_of(rest[0]) if rest else None
        if rate is not None:
            rest.pop(0)
        said.append(
            f"{word} is taken as a constant stream up of {rate or _SENDERS[word.lower()]}"
            + ("" if rate else ", the most of what Twitch recommends (help.twitch.tv, Broadcast Requirements of 2017)")
            + ": a real one goes over TCP."
        )
        more.append(f"cbr:{rate or _SENDERS[word.lower()]}")
    return found


def _torrents(words: Sequence[str], said: list[str]) -> list[str]:
    """A torrent as four flows with the flow control of BitTorrent, RFC 6817."""
    found: list[str] = []
    for word in words:
        if word.lower() in ("torrent", "torrents", "bittorrent", "torrenting", "utorrent", "qbittorrent"):
            said.append(
                f"{'each of ' if word.endswith('s') else ''}{word}"
                " is taken as four flows of ledbat, the flow control of BitTorrent (RFC 6817): download*4 are four with "
                "the usual one."
            )
            found.append("ledbat*4")
        elif found and found[-1] == "ledbat*4" and word.lower() in ("download", "downloads", "downloading"):
            continue
        else:
            found.append(word)
    return found
