"""Parameters of queues under the names that tc, ns-3 and others have for them, by what they are here.

tc-cake(8), tc-fq_codel(8), tc-codel(8), tc-pie(8), tc-fq_pie(8), tc-red(8), tc-sfq(8), tc-fq(8), tc-tbf(8), tc-dualpi2(8).
"""

from __future__ import annotations

import re

#: Parameters by the names of tc; a queue has those of them that it knows.
KEYS = {
    "bandwidth": "rate", "limit": "buffer", "flows": "queues", "memlimit": "buffer", "memory_limit": "buffer", "min": "min_threshold",
    "max": "max_threshold", "minth": "min_threshold", "maxth": "max_threshold", "min_th": "min_threshold", "max_th": "max_threshold",
    "thresh_min": "min_threshold", "thresh_max": "max_threshold", "avpkt": "mean_packet", "probability": "max_p", "maxp": "max_p",
    "tupdate": "update", "t_update": "update", "peakrate": "peak_rate", "maxburst": "burst", "divisor": "queues", "maxrate": "max_rate",
    "coupling_factor": "coupling", "step_thresh": "min_delay", "min_qlen_step": "min_packets", "classic_protection": "classic_share",
    "maxpacket": "max_packet", "max_size": "buffer", "maxsize": "buffer", "size": "buffer", "packets": "buffer", "qlen": "buffer",
    "target_delay": "target", "ref_delay": "target", "qdelay_ref": "target", "ecn": "mark", "use_ecn": "mark",
    "useecn": "mark",
}  # fmt: skip

#: Overhead of lines: bytes, least length, cells. tc-cake(8), "Overhead compensation".
_OVERHEADS = {
    "raw": (0, 0, "none"), "conservative": (48, 0, "atm"), "pppoa_vcmux": (10, 0, "atm"), "pppoa_llc": (14, 0, "atm"),
    "pppoe_vcmux": (32, 0, "atm"), "pppoe_llcsnap": (40, 0, "atm"), "bridged_vcmux": (24, 0, "atm"), "bridged_llcsnap": (32, 0, "atm"),
    "ipoa_vcmux": (8, 0, "atm"), "ipoa_llcsnap": (16, 0, "atm"), "pppoe_ptm": (30, 0, "ptm"), "bridged_ptm": (22, 0, "ptm"),
    "docsis": (18, 64, "none"), "ethernet": (38, 84, "none"),
}  # fmt: skip

#: Round trips by the names of distances. tc-cake(8), "Round trip time parameters".
_TRIPS = {
    "datacentre": "100us", "datacenter": "100us", "lan": "1ms", "metro": "10ms", "regional": "30ms", "internet": "100ms",
    "oceanic": "300ms", "satellite": "1000ms",
}  # fmt: skip

#: Words of tc that are parameters and their values.
WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    "ecn": (("mark", "true"),), "noecn": (("mark", "false"),), "no_ecn": (("mark", "false"),),
    **{word: (("diffserv", word),) for word in ("besteffort", "precedence", "diffserv3", "diffserv4", "diffserv8")},
    **{
        word: (("isolation", word),)
        for word in ("flowblind", "srchost", "dsthost", "hosts", "flows", "dual_srchost", "dual_dsthost", "triple_isolate")
    },
    "ingress": (("ingress", "true"),), "egress": (("ingress", "false"),),
    "ack_filter": (("ack_filter", "conservative"),), "ack_filter_aggressive": (("ack_filter", "aggressive"),),
    "no_ack_filter": (("ack_filter", "none"),), "noatm": (("framing", "none"),), "atm": (("framing", "atm"),), "ptm": (("framing", "ptm"),),
    **{word: (("overhead", str(o)), ("mpu", str(m)), ("framing", f)) for word, (o, m, f) in _OVERHEADS.items()},
    **{word: (("rtt", trip),) for word, trip in _TRIPS.items()},
    "adaptive": (("adaptive", "true"),), "gentle": (("gentle", "true"),), "bytemode": (("by_bytes", "true"),),
    "headdrop": (("drop", "head"),), "dq_rate_estimator": (("estimate", "departure_rate"),),
    "no_dq_rate_estimator": (("estimate", "timestamp"),),
}  # fmt: skip

#: Words of tc that change nothing here, by what is said of them.
_NOTHING = {
    "nat": "no address is translated here", "nonat": "no address is translated here",
    "wash": "no code point is read behind the queue", "nowash": "no code point is read behind the queue",
    "split_gso": "packets arrive one by one", "no_split_gso": "packets arrive one by one", "unlimited": "no rate is its default",
    **dict.fromkeys(("harddrop", "nobytemode", "l4s_ect", "drop_dequeue"), "that is so here"),
}  # fmt: skip

#: Queues under the names of other programs, with the parameters that make them.
NAMES = {
    "pfifofast": "fcfs", "noqueue": "fcfs", "schfq": "linux_fq", "none": "fcfs", "noaqm": "fcfs", "dumbfifo": "fcfs",
    "infinite": "fcfs:buffer=unlimited", "infinitefifo": "fcfs:buffer=unlimited",
    "ared": "red:adaptive=true", "adaptivered": "red:adaptive=true", "gentlered": "red:gentle=true",
}  # fmt: skip

#: Queues that are not here as such, by what is taken for them, and what is said.
TAKEN = {
    "fq_codel_fast": (
        "fq_codel",
        "headgate does not have fq_codel_fast, an experiment outside of the kernel: fq_codel, from which it comes, is taken.",
    ),
    "cake_mq": (
        "cake",
        "headgate does not have cake_mq, which is cake on several hardware queues: cake is taken, with one of them.",
    ),
    "docsis_pie": (
        "pie:target=10ms",
        "DOCSIS-PIE is taken as pie with the target of RFC 8034, 10 ms: the estimate of the delay by the grants of the modem is left out.",
    ),
    **{
        name: ("red", f"headgate does not have classes of RED: {name} is taken as red, that of one class.")
        for name in ("wred", "gred", "rio")
    },
    **{
        f"{name}{end}": (queue, f"{name} of OpenWrt is taken as {queue}; --shaper 95% is a shaper as it has.")
        for name, queue in (
            ("layer_cake", "cake:diffserv=diffserv3"),
            ("piece_of_cake", "cake:diffserv=besteffort"),
            ("simple", "fq_codel"),
            ("simplest", "fq_codel"),
            ("simplest_tbf", "fq_codel"),
        )
        for end in ("", ".qos")
    },
}


#: What is said of queues that are not here and have nothing near enough to be taken for them.
HINTS = {
    "airtime": "headgate does not have fairness of airtime; expected --queue fq_codel or --queue cake, which share a line by bytes",
    "sqm": "expected --shaper 95% for a router with cake before the modem, or --shaper sweep, which tries rates",
    "smart": "expected --shaper 95% for a router with cake before the modem",
    "netem": "expected --loss for losses, --rtt for a delay, and a queue such as fcfs",
}

#: A threshold above which a switch marks every packet: Alizadeh et al. 2010 (DCTCP), section 3.1, with RED at its place as in 3.5.
_THRESHOLD = re.compile(
    r"\s*(?:ecn|dctcp|step|marking)?[\s_-]*(?:threshold|thresh|marking|step|mark)[\s:,(]+(?:K|threshold|thresh|kmin)?[\s=]*(\d{1,6})"
    r"\s*(?:p|pkts?|packets?)?\s*\)?\s*$",
    re.IGNORECASE,
)

_POLICER = r"polic(?:e|er|ing)"


def bare(text: str) -> str:
    """The text of a queue without the marks that ns-3 and ns-2 have on names.

    >>> bare("ns3::FqCoDelQueueDisc:target=5ms"), bare("DropTailQueue<Packet>"), bare("fq_codel limit 10")
    ('FqCoDel:target=5ms', 'DropTail', 'fq_codel limit 10')
    """
    return re.sub(r"^\s*(?:ns3::)?([A-Z]\w*?)Queue(?:Disc)?(?:<\w+>)?(?=[:,\s\[]|$)", r"\1", text.replace("ns3::", ""))


def meant(text: str) -> str:
    """The text of a queue with the name and the parameters that it has here.

    >>> meant("ared:ecn"), meant("none"), meant("docsis-pie"), meant("cake bandwidth 9mbit")
    ('red:adaptive=true,ecn', 'fcfs', 'pie:target=10ms', 'cake bandwidth 9mbit')
    """
    if (step := _THRESHOLD.match(text)) is not None:
        least = int(step[1])
        return f"red:min_threshold={least}pkt,max_threshold={least + 1}pkt,max_p=1,weight=1,mark=true"
    text = re.sub(r"^(\s*[\w-]+)(?:[@=](?=\d)|\+(?=(?:no)?ecn\b))", r"\1:", bare(text))
    found = re.match(r"\s*([\w-]+(?:\.qos\b)?)", text)
    if found is None:
        return text
    key = re.sub("[_-]", "", found[1].lower())
    if re.fullmatch(_POLICER, key):
        rest = text[found.end() :].lstrip(" :,")
        rate = re.match(r"(\d[\w./]*)\s*(?:,|$)", rest)
        own = f"rate={rest}" if rate else rest
        spaced = "=" not in own and own != ""
        return f"tbf buffer 1pkt {own}" if spaced else f"tbf:buffer=1pkt{',' if own else ''}{own}"
    chosen = NAMES.get(key) or next((q for name, (q, _) in TAKEN.items() if name.replace("_", "") == key), None)
    if chosen is None:
        return text
    rest = text[found.end() :].strip()
    name, _, own = chosen.partition(":")
    if rest[:1] not in (":", ",") and rest:
        # In the words of tc.
        return f"{name} {own.replace('=', ' ').replace(' true', '')} {rest}" if own else f"{name} {rest}"
    keys = ",".join(filter(None, (own, rest[1:].strip())))
    return f"{name}{':' if keys else ''}{keys}"


def said_of(text: str) -> list[str]:
    """What is said of a queue that is taken for another one, and of words of tc that change nothing here.

    >>> said_of("cake nat wash")
    ['cake: nat (no address is translated here) and wash (no code point is read behind the queue) change nothing.']
    """
    name = re.match(r"\s*([\w-]+(?:\.qos\b)?)", text)
    if name is None:
        return []
    if _THRESHOLD.match(text):
        return [
            "A threshold K is taken as red without an average: it marks every packet that finds more than K packets."
        ]
    if re.fullmatch(_POLICER, name[1].lower()):
        return [
            "A policer is taken as tbf with room for one packet, which waits for its tokens where a policer drops it."
        ]
    said = [said for taken, (_, said) in TAKEN.items() if taken == name[1].lower().replace("-", "_")]
    words = [word for word in re.split(r"[\s,:]+", text)[1:] if _NOTHING.get(word.lower().replace("-", "_"))]
    told = [f"{word} ({_NOTHING[word.lower().replace('-', '_')]})" for word in words]
    if re.match(r"\s*(red|choke)\b.*\bbandwidth\b", text, re.IGNORECASE):
        said.append(f"The bandwidth of {name[1]} is the rate of the link here.")
    ends = [re.search(rf"\b{end}(?:_?th|_threshold)?[\s=]+([\w.]+)", text, re.IGNORECASE) for end in ("min", "max")]
    if re.match(r"\s*(red|choke)\b", text, re.IGNORECASE) and ends[0] and ends[1] and ends[0][1] == ends[1][1]:
        said.append(f"The upper threshold of {name[1]} has to be above the lower one: one more is taken.")
    if told:
        verb = "changes" if len(told) == 1 else "change"
        said.append(f"{name[1]}: {' and '.join(filter(None, [', '.join(told[:-1]), told[-1]]))} {verb} nothing.")
    return said


def lacks(text: str) -> str:
    """What is said of a queue that is not here, or that lacks what it needs; empty for others.

    >>> lacks("policer")[:21], lacks("policer:10M"), lacks("airtime")[:40], lacks("red")
    ('expected its rate, as', '', 'headgate does not have fairness of airti', '')
    """
    name = re.match(r"\s*([\w-]+)", text)
    key = name[1].lower() if name is not None else ""
    if re.fullmatch(_POLICER, key) and not re.search(r"\brate\b|^\s*\w+\s*[:,\s]\s*\d", text):
        return "expected its rate, as in policer:10Mbit/s,burst=100KB"
    return HINTS.get(re.split("[_-]", key)[0], "")


def one_way(text: str) -> bool:
    """Whether a queue is that of one direction alone, as a policer is."""
    return re.match(rf"\s*{_POLICER}\b", text, re.IGNORECASE) is not None


def nothing(word: str) -> bool:
    """Whether a word of tc changes nothing here."""
    return word.lower().replace("-", "_") in _NOTHING


def weight(least: float, burst: float, packet: float) -> str:
    """The weight of an arrival in RED's average for a burst of packets, as tc chooses it.

    Args:
        least: the lower threshold in bytes.
        burst: in packets.
        packet: a typical packet, in bytes.

    Raises:
        ValueError: the burst is too short.

    >>> weight(90_000, 60, 1500), weight(30_000, 55, 1000)
    ('0.5', '0.03125')
    """
    # tc_red_eval_ewma of iproute2, tc/tc_red.c.
    room = burst + 1 - least / packet
    if room < 1:
        raise ValueError
    for log in range(1, 32):
        value = 2.0**-log
        if room <= (1 - (1 - value) ** burst) / value:
            return f"{value:.10g}"
    raise ValueError
