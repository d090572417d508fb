"""What a line says of itself as a whole, before its words are read and after: lists, the shaper's queue, and what it leaves out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..base.catalogue import parameter_names
from ..base.errors import HeadgateError, cut, nearest
from ..base.typed import NUMBER
from ..scenario.baselines import PLAIN
from ..scenario.subjects import divided, is_own
from .amounts import quantity, read
from .flows import all_names, counted, is_flow, parse
from .presets import PRESETS
from .queues import parameter, plain
from .shaper import OFF
from .tc import nothing, one_way, said_of
from .vocabulary import BETWEEN, NUMBERS, is_time, rate_of

if TYPE_CHECKING:
    from .line import TypedLine

#: Rate and round trip of a line that names none, as those of `headgate matrix` and `headgate game`.
RATE, RTT = "20Mbit/s", "40ms"


def list_of(word: str) -> str:
    """A list of buffers or of three and more rates as the option that has several values."""
    items = word.split(",")
    if len(items) < 2 or not all(items) or re.search(r"[\s:=]", word):
        return word
    last = re.search(r"[^\d.].*$", items[-1])
    full = [item + last[0] if last and re.fullmatch(NUMBER, item) else item for item in items]
    if all(re.fullmatch(rf"{NUMBER}x?(bdp|pkts?|[kM]i?B)", item, re.IGNORECASE) for item in full) and not all(
        rate_of(item) for item in full
    ):
        return f"buffer={','.join(full)}"
    if all(map(is_time, full)):
        return ",".join(full)
    return f"rate={','.join(full)}" if len(full) > 2 and all(rate_of(item) for item in full) else word


def counting(parts: Sequence[str], i: int) -> str:
    """A number in words as one in digits, which says how many there are of a flow after it."""
    number = NUMBERS.get(parts[i].lower())
    flow = i + 1 < len(parts) and is_flow(parts[i + 1]) and parts[i + 1].lower() not in BETWEEN
    return parts[i] if number is None else f"{number}x" if flow else number


def sqm(line: TypedLine, path: bool) -> None:
    """`--queue sqm`: a router with cake before the modem, at the rate of the shaper, or below that of the line."""
    options = line.options
    name = str(options.get("queue", "")).lower()
    sqm = name in ("sqm", "smart", "smart queue", "smartqueue", "sqm-scripts", "openwrt")
    if not sqm and name not in ("piece_of_cake", "piece-of-cake", "piece_of_cake.qos"):
        return
    if "shaper" in options:
        line.said.append(
            f"The {options.pop('queue')} of OpenWrt is a router with cake before the modem, as --shaper has it."
        )
        line.read = True
    elif sqm and path:
        shaped(line, options.pop("queue"))


def shaped(line: TypedLine, word: str) -> None:
    """A shaper that is asked for without its rate."""
    line.options["shaper"] = "95%:cake"
    line.read = True
    line.said.append(
        f"{word} is taken as a router with cake before the modem at 95 % of the line's rates; --shaper sweep tries rates."
    )


def of_shaper(line: TypedLine) -> None:
    """A queue beside a shaper that names none is that of the shaper: a modem has no queue to choose."""
    shaper = str(line.options.get("shaper", ""))
    queue = line.options.get("queue")
    if (
        not shaper
        or ":" in shaper
        or shaper in OFF
        or queue is None
        or queue.partition(":")[0] == PLAIN
        or line.axis in ("queue", "shaper")
    ):
        return
    del line.options["queue"]
    line.options["shaper"] = f"{shaper}:{queue}"
    line.read = True
    line.said.append(
        f"The queue {queue} is taken as that of the shaper; --shaper {shaper}:cake --queue {queue} is a line that has it, too."
    )


def of_queue(line: TypedLine, word: str, following: str) -> int | None:
    """Adds a parameter as tc has it to the queue of `--queue`.

    Returns:
        How many words after it belong to it; None if it is no such parameter.
    """
    queue = line.options.get("queue")
    if queue is None or line.axis == "queue" or is_own(divided(queue, "discipline")[0]):
        return None
    name = queue.partition(":")[0]
    key, sign, value = word.partition("=")
    taken = 0
    if not sign and (parameter(name, key) is not None or (name == "cake" and nothing(key))):
        text = key
    elif re.match(r"\.?\d", value or following) and parameter(name, key, value or following) is not None:
        text = f"{key}={value or following}"
        taken = int(not sign)
    else:
        return None
    line.said += said_of(f"{name} {text}")
    line.options["queue"] = plain(f"{queue}{',' if ':' in queue else ':'}{text}")
    line.read = True
    return taken


def defaults(line: TypedLine) -> None:
    """The rate and the round trip of a line that names none."""
    options = line.options
    if options.pop("symmetric", None) and "rate" in options:
        options.setdefault("up", options["rate"])
    if "preset" in options or not (line.flows or line.up_flows):
        return
    if "rtt" not in options and (own := _longest(line)):
        options["rtt"] = own
        line.read = True
        line.said.append(f"Each flow has a round trip of its own: that of the line is the longest of them, {own}.")
    if "rate" not in options and (own := _own_rate(line)):
        options["rate"] = own
        line.read = True
        line.said.append(f"The line names no rate: that of its queue, {own}, is taken.")
    missing = [name for name in ("rate", "rtt") if name not in options]
    for name in missing:
        options[name] = RATE if name == "rate" else RTT
    if missing:
        line.read = True
        what = " and ".join("rate" if name == "rate" else "round trip" for name in missing)
        line.said.append(
            f"The line names no {what}: {' and '.join(options[name] for name in missing)} "
            f"{'are' if len(missing) > 1 else 'is'} what headgate matrix and game have, too."
        )


def _own_rate(line: TypedLine) -> str:
    """The rate of the queue, if that has one: tbf beside netem is the bottleneck of a test bed; empty otherwise."""
    texts = line.values if line.axis == "queue" else [str(line.options.get("queue", ""))]
    rates = [re.search(r"(?:^|[:,])rate=([^,]+)", text) for text in texts if not one_way(text)]
    own = [found[1] for found in rates if found]
    return max(own, key=lambda rate: quantity("--queue", rate, "bps")) if own else ""


def bloated(line: TypedLine, words: Sequence[str]) -> None:
    """A test for bufferbloat that names no flows: a load down and up beside a ping."""
    lower = " ".join(words).lower()
    asked = re.search(r"bufferbloat|buffer bloat|bloat test|waveform|dslreports", lower)
    if line.flows or line.up_flows or not asked:
        return
    line.flows, line.read = ["download", "upload", "ping"], True
    line.said.append("A test for bufferbloat is taken as a download, an upload and ping.")


def root(line: TypedLine) -> None:
    """A buffer of a bandwidth-delay product over the root of the number of flows: Appenzeller, Keslassy and McKeown 2004."""
    found = re.fullmatch(
        r"(\d*\.?\d*)\s*[x*]?\s*bdps?\s*/\s*(?:sqrt|√)\s*\(?\s*(n|\d{1,6})\s*\)?",
        str(line.options.get("buffer", "")),
        re.IGNORECASE,
    )
    if found is None or line.axis == "buffer":
        return
    number = found[2]
    if number.lower() == "n":
        number = str(sum(flow.count for text in [*line.flows, *line.up_flows] for flow in parse(text)))
    line.read = True
    line.said.append(f"The buffer is taken as that of Appenzeller et al. 2004 with N = {number}.")
    line.options["buffer"] = f"{float(found[1] or 1) / float(number) ** 0.5:.3f}".rstrip("0").rstrip(".") + "BDP"


def _longest(line: TypedLine) -> str:
    """The longest round trip, if each flow has one of its own; empty otherwise."""
    try:
        groups = [group for text in [*line.flows, *line.up_flows] for group in parse(text)]
        trips = [group.rtt or "" for group in groups]
        return "" if not all(trips) else max(trips, key=lambda trip: quantity("--flows: rtt", trip, "s"))
    except HeadgateError:
        return ""


def meaning_nothing(word: str, following: str) -> tuple[str, str]:
    """What is said of a word that means nothing, and what was probably meant; empty if nothing is near it."""
    known = [*PRESETS, *all_names(), *parameter_names("disciplines")]
    bare = counted(re.split(r"[:,]", word)[0])[0]
    near = nearest(bare, known)
    if word[:1].isdigit() or re.match(r"\.\d", word):
        try:
            read("--rate", word, "bps")
            why = "expected a flow after it, or nothing"
        except HeadgateError as e:
            both = re.search(r"expected (\S+, or .* if B is bytes)", str(e))
            why = f"expected {both[1]}" if both else "expected a rate such as 20Mbit/s or a time such as 30ms"
        if following.lower() in ("streams", "stream") and word.isdigit():
            why = f"expected bulk*{word} for endless transfers, or video*{word}"
        return f"found {cut(repr(word))}; {why}", ""
    meant = re.search(r'Did you mean "([^"]+)"|nearest in kind: `([^`]+)`', near)
    if near:
        return f"found {cut(repr(word))}.{near}", word.replace(bare, meant[1] or meant[2], 1) if meant else ""
    return (
        f"found {cut(repr(word))}; expected a flow, a queue, a sort of path, a rate or a time, such as game, fq_codel, "
        "home, 20Mbit/s or 30ms. headgate list has flow-controls, workloads, short-names and disciplines; headgate quick "
        "--presets the paths.",
        "",
    )
