"""Paths of known sorts: values for the options of `quick`. They are typical, not those of any one network; each can be changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..base.errors import HeadgateError, cut, nearest


@dataclass(frozen=True)
class Preset:
    """A sort of path: the values of arguments of `headgate.quick.scenario`, and where they come from."""

    name: str
    values: Mapping[str, Any]
    what: str

    @property
    def options(self) -> str:
        """The values as options of the command."""
        texts = {k: v for k, v in self.values.items() if isinstance(v, str)}
        return " ".join(f"--{key} {value}" for key, value in texts.items())


PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "home",
            {"rate": "50Mbit/s", "up": "10Mbit/s", "rtt": "20ms", "buffer": "100ms"},
            "A home on VDSL2 or cable, and a server in the same country. The buffers of the modem hold 100 ms of packets in each "
            "direction, five round trips: the bloat that Gettys and Nichols 2011 describe.",
        ),
        Preset(
            "wifi",
            {
                "rate": "100Mbit/s",
                "rtt": "20ms",
                "link": {"aggregation": {"packets": 48, "every": "4ms"}},
            },
            "A laptop on a wireless network that is the slowest link of its path. Packets leave in bursts of up to 48, every 4 ms, as the "
            "aggregation of IEEE 802.11n sends them. Nobody else uses the channel, and the radio loses nothing.",
        ),
        Preset(
            "lte",
            {"rate": "30Mbit/s", "up": "10Mbit/s", "rtt": "50ms", "buffer": "500ms"},
            "A telephone in a cell that is not crowded. The base station has a deep queue for each telephone, here 500 ms, and repairs "
            "losses of the radio itself (Winstein et al. 2013). The rate is constant; real cells change theirs.",
        ),
        Preset(
            "satellite",
            {"rate": "50Mbit/s", "up": "5Mbit/s", "rtt": "600ms", "duration": "120s"},
            "A geostationary satellite: 4 times 36,000 km take 480 ms or more (RFC 2488), and the rest of the path the remainder. No proxy "
            "splits the connections.",
        ),
        Preset(
            "datacentre",
            {"rate": "10Gbit/s", "rtt": "100us", "buffer": "700KB", "duration": "1s"},
            "A port of a switch with shared memory, of which one port gets up to 700 KB (Alizadeh et al. 2010, Data Center TCP, section "
            "2.3). Flows have Linux's transport, since round trips are below 1 ms.",
        ),
    )
}


def preset(name: str) -> dict[str, Any]:
    """The arguments of `headgate.quick.scenario` of a sort of path.

    Raises:
        HeadgateError: there is none of this name.

    >>> preset("lte")["rtt"]
    '50ms'
    """
    if name not in PRESETS:
        raise HeadgateError(
            f"--preset: found {cut(repr(name))}; expected one of {', '.join(PRESETS)}.{nearest(name, PRESETS)}"
        )
    return dict(PRESETS[name].values)


def placed(words: Sequence[str], options: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Words without the name of an option: a sort of path, or a rate and a round trip, and then flows.

    Args:
        words: as they were typed.
        options: the values that were given by name.

    Returns:
        All values by name, and the flows.

    Raises:
        HeadgateError: a value is given twice.

    >>> placed(["20Mbit/s", "30ms", "cubic", "bbr"], {"queue": "fq"})
    ({'queue': 'fq', 'rate': '20Mbit/s', 'rtt': '30ms'}, ['cubic', 'bbr'])
    >>> placed(["home", "bulk"], {})
    ({'preset': 'home'}, ['bulk'])
    """
    given, rest = dict(options), list(words)
    for name in ("preset", "rate", "rtt"):
        if rest and (rest[0] in PRESETS if name == "preset" else rest[0][:1].isdigit()):
            if name in given:
                raise HeadgateError(
                    f"found {cut(repr(rest[0]))} beside --{name} {cut(given[name])}; expected one of them"
                )
            given[name] = rest.pop(0)
    return given, rest
