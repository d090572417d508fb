"""Paths of known sorts: values for the options of `quick`. They are typical, not those of any one network; each can be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..base.errors import HeadgateError, unknown


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
            "cable",
            {"rate": "200Mbit/s", "up": "20Mbit/s", "rtt": "20ms", "buffer": "250ms"},
            "A cable modem without AQM: under load its delay was 250 ms in the mean of millions of modems at Comcast, and 15 to 30 ms "
            "with DOCSIS-PIE (Flickinger et al. 2021, arXiv 2107.13968). Cable in the United Kingdom had 270 Mbit/s down in 2023 "
            "(Ofcom, Home broadband performance). The rate up and the round trip are round numbers.",
        ),
        Preset(
            "dsl",
            {"rate": "20Mbit/s", "up": "1Mbit/s", "rtt": "30ms", "buffer": "300ms"},
            "ADSL2+, which has up to 20 to 24 Mbit/s down (Ofcom 2023, Home broadband performance) and about 1 Mbit/s up (ITU-T "
            "G.992.5). The round trip, with interleaving, and the buffers are round numbers.",
        ),
        Preset(
            "fiber",
            {"rate": "150Mbit/s", "up": "150Mbit/s", "rtt": "10ms", "buffer": "50ms"},
            "Fibre to the home: 149 Mbit/s down on average in the United Kingdom in 2023 (Ofcom, Home broadband performance), here as "
            "fast up. The round trip and the buffers are round numbers.",
        ),
        Preset(
            "wifi",
            {
                "rate": "100Mbit/s",
                "rtt": "20ms",
                "link": {"aggregation": {"packets": 48, "every": "4ms"}},
            },
            "A laptop on a wireless network that is the slowest link of its path. Packets leave in bursts of up to 48, every 4 ms, as "
            "the aggregation of IEEE 802.11n sends them. Nobody else uses the channel, and the radio loses nothing.",
        ),
        Preset(
            "lte",
            {"rate": "30Mbit/s", "up": "10Mbit/s", "rtt": "50ms", "buffer": "500ms"},
            "A telephone in a cell that is not crowded. The base station has a deep queue for each telephone, here 500 ms, and repairs "
            "losses of the radio itself (Winstein et al. 2013). Mobile networks of the United States had 27 Mbit/s down and 8.6 up in "
            "the mean of 2018 (Ookla). The rate is constant; real cells change theirs.",
        ),
        Preset(
            "5g",
            {"rate": "170Mbit/s", "up": "20Mbit/s", "rtt": "35ms", "buffer": "300ms"},
            "A telephone in a cell of 5G below 6 GHz: 166 Mbit/s down and 21 up were the medians of the world in 2021 (Ookla, State of "
            "5G). The round trip and the queue for each telephone are round numbers. The rate is constant; real cells change theirs.",
        ),
        Preset(
            "starlink",
            {"rate": "100Mbit/s", "up": "15Mbit/s", "rtt": "45ms", "buffer": "200ms"},
            "Satellites in low orbit: 105 Mbit/s down and 15 up were the medians of the United States at the beginning of 2025 (Ookla). "
            "The round trip is 20 ms at best, and was 50 ms in the median to anchors in Europe (Michel et al. 2022, measured in "
            "Belgium). The buffers are a round number: hundreds of ms are reported. Neither the handovers every 15 s nor their losses "
            "are here.",
        ),
        Preset(
            "satellite",
            {"rate": "50Mbit/s", "up": "5Mbit/s", "rtt": "600ms", "duration": "120s"},
            "A geostationary satellite: 4 times 36,000 km take 480 ms or more (RFC 2488), and the rest of the path the remainder. No "
            "proxy splits the connections.",
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
        raise HeadgateError(f"--preset: {unknown(name, 'one of ' + ', '.join(PRESETS), PRESETS)}")
    return dict(PRESETS[name].values)
