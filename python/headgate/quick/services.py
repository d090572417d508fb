"""Names of programs, services, games and lines as people say them, by the flows, rates and sorts of paths that are meant."""

from __future__ import annotations

import re

from .. import _core

#: What each short name of a flow is called, too.
_FLOWS = {
    "game": "fortnite minecraft valorant csgo cs2 counterstrike roblox overwatch apexlegends pubg cod callofduty warzone dota dota2 "
    "leagueoflegends worldofwarcraft wow fallguys amongus rainbowsix rainbowsixsiege clashofclans clashroyale genshinimpact "
    "finalfantasyxiv animalcrossing mariokart supersmashbros streetfighter granturismo forzahorizon escapefromtarkov tarkov pathofexile "
    "deadbydaylight seaofthieves thefinals helldivers helldivers2 eldenring eafc easportsfc mortalkombat blackops reddeadonline splatoon "
    "granturismo7 worldoftanks teamfortress2 gtav gta5 gtavonline grandtheftauto counterstrike2 starcraft starcraft2 diablo diablo4 "
    "hearthstone battlefield overwatch2 deadlock marvelrivals palworld lostark ffxiv gta gtaonline rocketleague fifa quake halo "
    "destiny2 fps esports ps3 ps4 ps5 playstation xbox nintendo nintendoswitch videogame onlinegaming "
    "callofdutywarzone callofdutymobile callofdutymodernwarfare codwarzone xboxseriesx xboxseriess xboxone playstation4 playstation5 "
    "ps5pro nintendoswitchonline",
    "video": "twitch disney disney+ disneyplus hulu primevideo amazonprime amazonprimevideo appletv tiktok vimeo iplayer bbciplayer hbo "
    "hbomax peacock plex crunchyroll tv smarttv dash hls movies series videostream",
    "zoom": "microsoftteams msteams meet googlemeet facetime hangouts jitsi bluejeans whatsappvideo videomeeting onlinemeeting webinar",
    "call": "whatsapp telegram viber discord sip volte wificalling teamspeak mumble",
    "download": "steam wget curl update updates windowsupdate softwareupdate appstore playstore patch",
    "upload": "icloud dropbox onedrive gdrive googledrive googlephotos backblaze crashplan carbonite nextcloud cloudsync photobackup "
    "onlinebackup",
    "bulk": "speedtest ookla netperf elephant elephants",
    "web": "chrome firefox safari facebook reddit wikipedia webpages websites",
    "ping": "icmp latencyprobe",
}  # fmt: skip

#: Flows with a picture.
VIDEOS = ("video", "netflix", "youtube", "zoom")

#: Names of sorts of paths.
_PATHS = {
    "cable": "comcast xfinity docsis3 docsis31 docsis3.1 hfc",
    "fiber": "fios gfast xgspon xgs-pon",
    "wifi": "802.11n wifi4 802.11",
    "lte": "cellular mobile",
    "satellite": "satcom vsat",
    "dsl": "adsl2plus",
}

#: What is not here as such, by the flow that is taken for it, the keys of that, and what is said.
TAKEN = {
    "quic": (
        "cubic",
        "name=quic",
        "QUIC is taken as a flow with CUBIC, which quiche and MsQuic have unless told otherwise: the packets, acknowledgements and "
        "streams of QUIC itself are not simulated. quic:bbr is one with BBR.",
    ),
    "webrtc": (
        "zoom",
        "name=webrtc",
        "A call of WebRTC is taken as zoom, which sends at a constant rate: a real one lowers its rate where that does not get through.",
    ),
    "bbr2": (
        "bbr3",
        "",
        "headgate does not have BBR version 2: bbr3, the version that succeeded it, is taken.",
    ),
}
TAKEN |= {"http3": TAKEN["quic"], "h3": TAKEN["quic"], "bbrv2": TAKEN["bbr2"]}

#: Sorts of paths that stand for something near, with what is said.
NEAR_PATHS = {
    name: (
        "wifi",
        f"{name} is taken as the sort wifi, whose bursts are those of 802.11n: type --rate for its own rate.",
    )
    for name in ("802.11ac", "802.11ax", "802.11be", "wifi5", "wifi6", "wifi6e", "wifi7")
}

#: Rates by the names of lines: ITU-T G.703 and G.707, ANSI T1.107, IEEE 802.3.
_RATES = {
    "t1": "1.544Mbit/s", "ds1": "1.544Mbit/s", "e1": "2.048Mbit/s", "t3": "44.736Mbit/s", "ds3": "44.736Mbit/s", "e3": "34.368Mbit/s",
    "oc3": "155.52Mbit/s", "stm1": "155.52Mbit/s", "oc12": "622.08Mbit/s", "oc48": "2488.32Mbit/s", "oc192": "9953.28Mbit/s",
    "stm4": "622.08Mbit/s", "stm16": "2488.32Mbit/s", "stm64": "9953.28Mbit/s", "fddi": "100Mbit/s",
    "gige": "1Gbit/s", "gbe": "1Gbit/s", "gigabit": "1Gbit/s", "gigabitethernet": "1Gbit/s", "gig": "1Gbit/s", "fastethernet": "100Mbit/s",
}  # fmt: skip


def _bare(name: str) -> str:
    return re.sub(r"[_\s-]", "", name.lower())


SERVICES = {name: flow for flow, names in _FLOWS.items() for name in names.split()}
_SORTS = {_bare(name): path for path, names in _PATHS.items() for name in names.split()}


def service(name: str) -> str | None:
    """The short name of a flow for a service, a program or a game, in any letters.

    >>> service("Fortnite"), service("Prime Video"), service("cubic")
    ('game', 'video', None)
    """
    return SERVICES.get(_bare(name))


def path_of(name: str) -> str | None:
    """The sort of path for a provider or a technique.

    >>> path_of("DOCSIS-3.1"), path_of("game")
    ('cable', None)
    """
    found = NEAR_PATHS.get(name.lower().replace(" ", ""))
    return found[0] if found else _SORTS.get(_bare(name))


def line_rate(name: str) -> str | None:
    """The rate of a line that has a name, as files have it.

    >>> line_rate("T1"), line_rate("10GbE"), line_rate("100BASE-TX"), line_rate("cable")
    ('1.544Mbit/s', '10Gbit/s', '100Mbit/s', None)
    """
    bare = _bare(name)
    if (
        ethernet := re.fullmatch(r"(\d{1,3}(?:\.\d)?)(?:gbe|gige|ge|gigabitethernet|gbase[a-z0-9]*)", bare)
    ) is not None:
        return f"{ethernet[1]}Gbit/s"
    if (base := re.fullmatch(r"(\d{2,4})base[a-z0-9]*", bare)) is not None:
        return _core.quantity_text("bps", int(base[1]) * 10**6)
    return _RATES.get(bare)


def taken(text: str) -> tuple[str, str]:
    """A flow in whose place another one is taken, and what is said of it; the text itself and nothing for others.

    >>> taken("2xquic:rtt=20ms")[0], taken("quic:bbr*2")[0], taken("webrtc")[0], taken("cubic")
    ('2xcubic:name=quic,rtt=20ms', 'bbr*2:name=quic', 'zoom:name=webrtc', ('cubic', ''))
    """
    names = "|".join(sorted(TAKEN, key=len, reverse=True))
    found = re.fullmatch(
        rf"(\d+\s*[x*×]?\s*)?({names})([*x×(@+\s][^:]*)?(?:[:/-](.*))?", text, re.IGNORECASE | re.DOTALL
    )
    if found is None:
        return text, ""
    flow, key, said = TAKEN[found[2].lower()]
    rest, more = found[4] or "", found[3] or ""
    own = re.fullmatch(r"([a-z][\w+]*)(\*\d+)?(?:[:,](.*))?", rest, re.IGNORECASE | re.DOTALL)
    if own is not None and "=" not in rest.partition(",")[0]:
        flow, more, rest = own[1], more + (own[2] or ""), own[3] or ""
        said = re.sub("CUBIC, which.*?otherwise", flow, said).replace(" quic:bbr is one with BBR.", "")
    keys = ",".join(filter(None, (key, rest)))
    return f"{found[1] or ''}{flow}{more}{':' if keys else ''}{keys}", said
