"""Options under the names that other tools and people have for them: iperf3, tc, mahimahi, ns-3, flent, Mininet."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from ..base.errors import HeadgateError, cut
from ..base.typed import joined
from .phrases import after_option
from .vocabulary import TWO_RATES, preset_of, rate_of

#: Names of options by those here.
_NAMES = {
    "--rate": "bandwidth bw speed down download capacity downlink downrate down-rate link-rate linkrate bottleneck bottleneck-rate bitrate "
    "bottleneck-bw bottleneck-bandwidth downstream data-rate datarate",
    "--up": "uplink upload up-rate uprate upstream reverse-rate upload-rate",
    "--rtt": "ping latency base-rtt min-rtt minrtt rtt-base round-trip rtprop prop-rtt",
    "--queue": "qdisc aqm discipline queues queue-disc queuedisc scheduler sched queue-type qdiscs down-queue",
    "--up-queue": "upqueue up-qdisc reverse-queue",
    "--duration": "time length seconds secs run-time runtime sim-time simtime stop-time stoptime sim-duration",
    "--replications": "runs repeat reps repetitions trials iterations",
    "--seed": "seeds random-seed rng-seed rngseed rngrun",
    "--buffer": "buffer-size buffers queue-size qsize qlen queue-length queue-limit limit max-queue buffersize bufsize buf",
    "--loss": "loss-rate plr packet-loss lossrate drop-rate error-rate",
    "--flows": "flow control controls cc ccs cca ccas congestion congestion-control algo algos algorithm algorithms tcp tcps tcp-variant "
    "traffic app apps workload workloads senders",
    "--up-flows": "upflows upload-flows uploads reverse-flows",
    "--jitter": "delay-variation pdv ipdv rtt-jitter",
    "--shaper": "sqm shape shaper-rate",
    "--preset": "profile path access network line-type line",
}  # fmt: skip
OPTIONS = {f"--{other}": name for name, others in _NAMES.items() for other in others.split()} | {
    "-t": "--duration", "-C": "--flows", "-Z": "--flows", "-J": "--json",
}  # fmt: skip

#: Options whose value the line itself has, as `mtu=9000`.
_IN_LINE = {
    **dict.fromkeys(("--mtu", "--packet-size", "--pktsize", "--packet", "--pkt-size", "--packetsize"), "mtu"),
    **dict.fromkeys(("--iw", "--initcwnd", "--initial-window", "--init-cwnd", "--icwnd"), "iw"),
    **dict.fromkeys(("-P", "--parallel", "--streams", "--num-flows", "--nflows", "--count", "--n-flows"), "parallel"),
    **dict.fromkeys(("--owd", "--one-way-delay", "--oneway-delay", "--prop-delay"), "owd"),
    **dict.fromkeys(("--delay",), "delay"),
    **{f"--{name}": name for name in ("target", "interval", "quantum", "tupdate", "burst", "step-thresh")},
}

#: Options that switch marks on and off.
_ECN = {"--ecn": "on", "--use-ecn": "on", "--no-ecn": "off", "--noecn": "off"}

#: Options of `quick` that have no other names.
_OWN = (
    "--transport", "--noise", "--phase", "--no-phase", "--figure", "--top", "--wide", "--print", "--json", "--presets", "--replications",
    "--plugin", "--help", "--max-memory", "--link", "--site",
)  # fmt: skip

#: Options that mean nothing here, with what to type for them.
_OTHERS = {
    "-b": "--rate {0} for the link, or cbr:{0} for a flow at that rate",
    "-s": "none: the line is the whole path",
    "-R": "a flow in --up-flows for the other direction", "-u": "a flow such as cbr:3Mbit/s for UDP",
    "--trace": "a rate: a recorded link is rate = {{ kind = \"mahimahi\", file = \"{0}\" }} in a file, which --print begins",
    "--fix": "--shaper sweep, which tries rates of a shaper, or --queue cake",
    "--mss": "--mtu with the headers, 40 bytes more",
    **dict.fromkeys(
        ("--warmup", "--warm-up", "--omit", "-O"),
        "none: the first seventh of a run is not measured; warm_up = \"{0}\" says otherwise in a file, which --print begins",
    ),
}  # fmt: skip

#: Options of iperf with a value that say nothing of the path: the host, the port, how often it prints.
_NOTHING = ("-c", "-p", "-i")
_ALONE = ("-R", "-u", "-s")

#: Options that may stand several times: their values are a list, as of `--queue fcfs,cake`.
_LISTS = ("--queue", "--up-queue", "--buffer", "--rate", "--up", "--rtt", "--loss", "--seed", "--shaper")
_ONCE = ("--duration", "--noise", "--transport", "--preset", "--replications", "--top", "--figure", "--site")


def options_of(args: Sequence[str]) -> list[str]:
    """The words of a command line with the options that `headgate quick` has.

    Raises:
        HeadgateError: an option means nothing here, or one of a single value stands twice; the error has what to type.

    >>> options_of(["--bw", "20", "Mbps", "-P", "4", "--ecn", "--queue", "fifo", "--qdisc=cake"])
    ['--rate', '20Mbps', 'parallel=4', 'ecn=on', '--queue=fifo,cake']
    """
    found: list[str] = []
    given = _mahimahi(_udp(joined(args)))
    _misspelt(given)
    while given:
        word = given.pop(0)
        if not re.match(r"-{1,2}[A-Za-z]", word):
            found.append(word)
            continue
        name, sign, value = word.partition("=")
        key = name.lower().replace("_", "-") if name.startswith("--") else name
        if key in _NOTHING:
            del given[: not sign]
        elif key == "--bdp":
            found.append(f"--buffer={value if sign else ''.join(given[:1])}bdp")
            del given[: not sign]
        elif key in _ECN:
            found.append(f"ecn={'off' if value.lower() in ('0', 'off', 'no', 'false') else _ECN[key]}")
        elif key in _IN_LINE and (sign or given):
            found.append(f"{_IN_LINE[key]}={value if sign else given.pop(0)}")
        elif key in _OTHERS:
            following = value if sign else given[0] if given and key not in _ALONE else ""
            expected = _OTHERS[key].format(cut(following or "20Mbit/s"))
            raise HeadgateError(f"found {cut(repr(f'{name} {following}'.strip()))}; expected {expected}")
        else:
            # Other tools have it for the rate; ours has no value.
            rate = key == "--link" and rate_of(value if sign else "".join(given[:1]))
            ours = "--rate" if rate else OPTIONS.get(key) or _begun(key)
            if ours == "--flows" and (number := value if sign else "".join(given[:1])).isdigit():
                found.append(f"parallel={number}")
                del given[: not sign]
            elif ours in ("--queue", "--up-queue") and (sign or given):
                found.append(f"{ours}={_queue_of(ours, value if sign else given.pop(0), found, given)}")
            else:
                found.append(ours + sign + value)
    return _merged(found)


def _queue_of(option: str, queue: str, before: list[str], rest: list[str]) -> str:
    """The queue of an option with the parameters that follow it, which are taken from the rest of the line."""
    own, taken = after_option(queue, rest, before, option == "--up-queue")
    del rest[:taken]
    if not own:
        return queue
    spaced = re.search(r"\s", queue.strip()) is not None
    return (
        " ".join([queue, *(text.replace("=", " ") for text in own)])
        if spaced
        else f"{queue}{',' if ':' in queue else ':'}{','.join(own)}"
    )


def _begun(key: str) -> str:
    """The option that a word begins, if it is one alone, as in `--que`: programs that use getopt_long(3) read that."""
    known = [
        *_NAMES,
        "--transport",
        "--noise",
        "--figure",
        "--replications",
        "--print",
        "--json",
        "--wide",
        "--presets",
    ]
    found = [name for name in known if len(key) > 4 and name.startswith(key)]
    return found[0] if len(found) == 1 and key not in known else key


def _udp(args: list[str]) -> list[str]:
    """Iperf's `-u -b 5M` as a flow at that rate."""
    if "-b" not in args[:-1]:
        return args
    at = args.index("-b")
    if "-u" not in args:
        words = [*args[:at], *args[at + 2 :]]
        others = any(OPTIONS.get(w.partition("=")[0], w.partition("=")[0]) in ("--rate", "--preset") for w in words)
        if others or any(rate_of(w) or TWO_RATES.fullmatch(w) or preset_of(w) for w in words):
            return args
        return [*args[:at], f"iperf-b={args[at + 1]}", *args[at + 2 :]]
    rest = [*args[:at], *args[at + 2 :]]
    rest.remove("-u")
    return [*rest, f"cbr:{args[at + 1]}"]


def _misspelt(args: Sequence[str]) -> None:
    """Refuses an option that is none, if exactly one is near it, with the whole line to type."""
    known = dict.fromkeys([*OPTIONS, *_NAMES, *_IN_LINE, *_ECN, *_OTHERS, *_OWN, "--bdp"])
    line, found = list(args), dict[str, str]()
    for at, word in enumerate(args):
        name, sign, value = word.partition("=")
        key = name.lower().replace("_", "-")
        if not re.fullmatch(r"--[a-z][a-z-]{2,}", key) or key in known or _begun(key) != key or "link-queue" in key:
            continue
        most = 2 if len(key) > 6 else 1
        near = {
            ours
            for other in known
            if other.startswith("--") and _edits(key, other) <= most and (ours := OPTIONS.get(other, other))
        }
        if len(near) != 1:
            continue
        found[name] = near.pop()
        line[at] = found[name] + sign + value
    if found:
        said = "\n  ".join(f"found {cut(repr(name))}. Did you mean {ours}?" for name, ours in found.items())
        raise HeadgateError(f"{said}\n  Type, if so: {shlex.join(['headgate', 'quick', *line])}")


def _edits(one: str, other: str) -> int:
    """How many letters are other ones, missing, too many, or in the place of their neighbour: Damerau 1964, 3 for more than two."""
    if abs(len(one) - len(other)) > 2:
        return 3
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            row.append(min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b)))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                row[-1] = min(row[-1], rows[-2][j - 2] + 1)
        rows.append(row)
    return rows[-1][-1]


def _mahimahi(args: list[str]) -> list[str]:
    """The queue of mm-link: that of the direction in which the data go, and the other one's if both are given."""
    own: dict[str, str] = {}
    rest: list[str] = []
    at = 0
    while at < len(args):
        found = re.fullmatch(r"--((?:up|down)link-queue(?:-args)?)(?:=(.*))?", args[at])
        at += 1
        if found is None:
            rest.append(args[at - 1])
            continue
        if found[2] is None:
            own[found[1]] = args[at] if at < len(args) else ""
            at += 1
        else:
            own[found[1]] = found[2]
    queues = {way: _queue(own, way) for way in ("down", "up") if f"{way}link-queue" in own}
    if len(queues) == 2 and queues["down"] != queues["up"]:
        return [*rest, f"--queue={queues['down']}", f"--up-queue={queues['up']}"]
    return [*rest, *(f"--queue={queue}" for queue in dict.fromkeys(queues.values()))]


def _queue(own: dict[str, str], way: str) -> str:
    """A queue of mahimahi with its arguments: packets, bytes, and times in milliseconds."""
    items = [
        item.strip() for item in re.split(r"[,\s]+", own.get(f"{way}link-queue-args", "").strip("\"' ")) if item.strip()
    ]
    keys = []
    for item in items:
        key, _, value = item.partition("=")
        bare = re.fullmatch(r"\d{1,9}", value) is not None
        unit = {"packets": "pkt", "bytes": "B"}.get(key, "ms") if bare else ""
        keys.append(f"{'buffer' if key in ('packets', 'bytes') else key}={value}{unit}")
    return f"{own[f'{way}link-queue']}{':' if keys else ''}{','.join(keys)}"


def _merged(words: Sequence[str]) -> list[str]:
    """The words with the values of an option that stands several times as a list."""
    found: list[list[str]] = []
    places: dict[str, int] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, sign, value = word.partition("=")
        if name not in (*_LISTS, *_ONCE) or not (sign or rest):
            found.append([word])
            continue
        value = value if sign else rest.pop(0)
        if name not in places:
            places[name] = len(found)
            found.append([f"{name}={value}"] if sign else [name, value])
            continue
        before = found[places[name]][-1].removeprefix(f"{name}=")
        if before == value:
            continue
        if name in _ONCE:
            raise HeadgateError(f"{name}: found {cut(before)} and {cut(value)}; expected one of them")
        found[places[name]] = [f"{name}={before},{value}"]
    return [word for group in found for word in group]
