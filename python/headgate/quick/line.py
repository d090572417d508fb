"""What a line means, and the part of reading it that goes by the names of options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from ..base.errors import HeadgateError, cut
from ..base.typed import NUMBER
from ..scenario.baselines import PLAIN
from .amounts import OF_ALL, read, read_buffer, read_share, value_of
from .fillers import FILLERS
from .flows import all_names, is_flow
from .forms import of_option
from .queues import known_as, plain
from .services import NEAR_PATHS
from .several import listed
from .shaper import SWEEPS
from .tc import one_way, said_of
from .vocabulary import DIRECTIONS, NAMED, TWO_RATES, is_time, preset_of, rate_of, seconds_of, two_rates


@dataclass
class TypedLine:
    """What a line means.

    Attributes:
        options: their values by their names; of one with several values the first.
        flows: lists of flows.
        up_flows: those in the other direction.
        read: whether it is not as it was typed.
        said: sentences on what is not as it was typed.
        axis: the option that has several values, each of which is a run by itself; empty if none has.
        values: of that option.
    """

    options: dict[str, Any] = field(default_factory=dict)
    flows: list[str] = field(default_factory=list)
    up_flows: list[str] = field(default_factory=list)
    read: bool = False
    said: list[str] = field(default_factory=list)
    axis: str = ""
    values: list[str] = field(default_factory=list)

    def each(self) -> list[TypedLine]:
        """A line for each value of the option that has several; the line itself if none has."""
        if not self.axis:
            return [self]
        return [
            TypedLine({**self.options, self.axis: value}, list(self.flows), list(self.up_flows))
            for value in self.values
        ]

    def command(self) -> str:
        """The line in the words of the options."""
        words = ["headgate", "quick"]
        order = (
            "preset",
            "rate",
            "up",
            "rtt",
            "queue",
            "up_queue",
            "shaper",
            "buffer",
            "loss",
            "jitter",
            "duration",
            "seed",
            "noise",
            "transport",
            "replications",
        )
        for name in order:
            if self.options.get(name) is not None:
                text = ",".join(self.values) if name == self.axis else str(self.options[name])
                words += [f"--{name.replace('_', '-')}", text]
        for name, texts in (("--flows", self.flows), ("--up-flows", self.up_flows)):
            words += [name, ",".join(texts)] if texts else []
        return shlex.join(words)

    def sentences(self) -> list[str]:
        """How the line was read; nothing where it is as it was typed."""
        return [*([f"Read as: {self.command()}"] if self.read else []), *self.said]


class Named:
    """A line that is read from the left: `at` is the next of its words, and `strange` has what is said of those that mean nothing."""

    def __init__(self, line: TypedLine, words: Sequence[str]) -> None:
        """Takes the line so far, with the values that options gave it."""
        self.line, self.words, self.at = line, list(words), 0
        self.strange: list[str] = []
        self.duration = ""
        self.whole: dict[str, str] = {}
        self.marked = False

    def _flow(self, word: str) -> bool:
        """Flows of a list."""
        raise NotImplementedError

    def _flow_text(self, text: str) -> str:
        """A list of flows with names and numbers as files have them."""
        raise NotImplementedError

    def _given(self, flows: Sequence[str], up_flows: Sequence[str]) -> None:
        """Values of options, each as files have it. Those that cannot be read stay, for the error that names them all."""
        line = self.line
        for name, text in list(line.options.items()):
            told = of_option(name, text, line.said) if isinstance(text, str) else text
            line.read |= told != text
            self._several(name, told)
        typed, up_typed = flows, up_flows
        flows = [of_option("flows", text, line.said) for text in flows]
        up_flows = [of_option("up_flows", text, line.said) for text in up_flows]
        line.flows = [self._flow_text(text) for text in flows]
        line.up_flows = [self._flow_text(text) for text in up_flows]
        line.read |= line.flows != list(typed) or line.up_flows != list(up_typed)

    def _several(self, name: str, text: Any) -> bool:
        """Sets an option to a value, or to several; whether these are all of one option."""
        line = self.line
        values = listed(name, text) if isinstance(text, str) else [text]
        found = list(dict.fromkeys(self._value(name, value) for value in values))
        line.options[name] = found[0]
        if len(values) > 1:
            line.read |= ",".join(map(str, found)) != text
            if line.axis not in ("", name):
                self.strange.append(
                    f"found several values of --{line.axis} and of --{name}; expected them of one option: headgate matrix runs all pairs"
                )
            line.axis, line.values = name, [str(value) for value in found]
        return True

    def _value(self, name: str, text: Any) -> Any:
        """The value of an option as files have it."""
        if not isinstance(text, str):
            return text
        if name in ("queue", "up_queue"):
            self.line.said += [sentence for sentence in said_of(text) if sentence not in self.line.said]
            if name == "queue" and one_way(text):
                self.line.options.setdefault("up_queue", PLAIN)
        if name == "rate" and (two := TWO_RATES.fullmatch(text.strip())) is not None and two[4] != "s":
            down, up = two_rates(two)
            self.line.options.setdefault("up", up)
            self.line.read = True
            return down
        readers = {
            "rate": lambda: read("--rate", text, "bps"), "up": lambda: read("--up", text, "bps"), "rtt": lambda: read("--rtt", text, "s"),
            "duration": lambda: read("--duration", text, "s"), "jitter": lambda: read("--jitter", text, "s"),
            "loss": lambda: read_share("--loss", text),
            "buffer": lambda: read_buffer(text), "queue": lambda: plain(text), "up_queue": lambda: plain(text, "--up-queue"),
            "preset": lambda: self._path(text) or text, "shaper": lambda: self._shaper(text),
            "seed": lambda: str(int(text)) if text.strip().isdigit() else text,
        }  # fmt: skip
        if name not in readers:
            return text
        try:
            found = readers[name]()
        except HeadgateError:
            return text
        self.line.read |= found != text.strip()
        return found

    def _shaper(self, text: str) -> str:
        """The rate of a shaper and its queue."""
        given, colon, queue = text.partition(":")
        given = SWEEPS.get(given.strip().lower(), given.strip())
        if not colon:
            return given
        if one_way(queue) and not re.search(r"\d", queue):
            # Its rate is that of the shaper.
            self.line.said += said_of(queue)
            return f"{given}:tbf:buffer=1pkt"
        self.line.said += [sentence for sentence in said_of(queue) if sentence not in self.line.said]
        return f"{given}:{plain(queue, '--shaper')}"

    def _path(self, word: str) -> str | None:
        """The sort of path that a word names, with a sentence if it is another one than its name says."""
        found, near = preset_of(word), NEAR_PATHS.get(word.lower())
        if near is not None and near[1] not in self.line.said:
            self.line.said.append(near[1])
        return found

    def _times(self) -> None:
        """Which of the times without a name is the round trip, and which the duration."""
        plain_times = [w for i, w in enumerate(self.words) if is_time(w) and not self._has_name(i)]
        self.duration = ""
        if "duration" in self.line.options:
            return
        long = [w for w in plain_times if seconds_of(w) >= 5]
        if len(long) == 1 and (len(plain_times) == 2 or "rtt" in self.line.options or len(plain_times) == 1):
            self.duration = long[0]

    def _has_name(self, i: int) -> bool:
        """Whether the word before or after is the name of an option."""
        before, after = self.words[i - 1 : i] if i else [], self.words[i + 1 : i + 2]
        if re.match(NUMBER, "".join(self.words[i + 2 : i + 3])) and self.words[i + 1].lower() != "ping":
            # The name is that of the value after it, as in `10s buffer 20`.
            after = []
        if i > 1 and before[0].lower() in ("rtt", "ping") and is_time(self.words[i - 2]):
            # The name is that of the value before it, as in `50ms ping 10s`.
            before = []
        return any(
            w.lower().rstrip(":=") in ("rtt", "ping", "latency", "duration", "time", "buffer", "delay", "jitter")
            for w in before + after
        )

    def _set(self, name: str, value: str, word: str, told: bool = True) -> bool:
        """A value of an option."""
        options = self.line.options
        if name in options and options[name] == value:
            self.line.read = True
            return True
        if name in options:
            # The default of the queue is one that was not given.
            self.strange.append(f"found {cut(repr(word))} beside --{name} {cut(options[name])}; expected one of them")
            return True
        options[name] = value
        self.line.read |= told
        return True

    def _option(self, word: str) -> bool:
        """`rtt=20ms`, `rtt 20ms`, `queue fq`, or a word that says nothing."""
        lower, following = word.lower(), self.words[self.at] if self.at < len(self.words) else ""
        key, sign, value = word.partition("=")
        key = key.lower().strip("-")
        if not sign and re.fullmatch(r"[a-z]+:\.?\d.*", lower):
            key, sign, value = word.partition(":")
            key = key.lower() if key.lower() in NAMED and not is_flow(word) else ""
        if (
            sign
            and key in (*NAMED, *OF_ALL, "delay", "owd", "cc", "flows", "control")
            and not (key == "packet" and is_flow(word))
        ):
            return self._named(key, value, word)
        if lower in ("symmetric", "symmetrical"):
            self.line.options["symmetric"] = self.line.read = True
            return True
        if lower in ("ecn", "noecn", "no-ecn"):
            self.whole["ecn"] = "on" if lower == "ecn" else "off"
            return True
        if word == "|" and following.lower() in ("less", "more", "head", "tail", "tee", "jq", "cat", "grep", "wc"):
            self.line.said.append(f"{cut(' '.join(self.words[self.at - 1 :]))} is for a shell: nothing is started.")
            self.at, self.line.read = len(self.words), True
            return True
        if re.match(r"[12&]?>", word):
            # A shell that takes it does not show it to the program.
            told = " ".join(self.words[self.at - 1 : self.at + (word in (">", ">>"))])
            self.at += word in (">", ">>")
            self.line.said.append(f"{cut(told)} is for a shell: no file is written.")
            self.line.read = True
            return True
        key = lower.rstrip(":=")
        if key == "delay" and following[:1].isdigit():
            self.at += 1
            return self._named(key, following, f"{word} {following}")
        rate = "".join(self.words[self.at + 1 : self.at + 2])
        if key in ("shaper", "sqm") and known_as(following) is not None and rate_of(rate) is not None:
            self.at += 2
            return self._set("shaper", f"{rate_of(rate)}:{plain(following)}", f"{word} {following} {rate}")
        if key in DIRECTIONS and self._after():
            following = ""
        if key in NAMED and following and self._fits(NAMED[key], following, key):
            self.at += 1
            if following.lower() in ("=", ":", "of", "is") and self.at < len(self.words):
                following = self.words[self.at]
                self.at += 1
            return self._named(key, following, f"{word} {following}")
        # `tcp cubic` is cubic, and `tcp` alone a flow.
        bare = lower == "tcp" and not (is_flow(following) and following.lower() not in ("tcp", "udp"))
        # A plugin may have any name.
        if (lower in FILLERS and not bare and (lower == "tcp" or word not in all_names())) or (
            key in ("queue", "qdisc", "buffer", "rtt") and self.at > 1 and not is_flow(word)
        ):
            self.line.read = True
            return True
        return False

    def _after(self) -> bool:
        """Whether the names of directions stand after the rates, as in `50 down 10 up`."""
        lower = [w.lower() for w in self.words]
        first = next((i for i, w in enumerate(lower) if w in DIRECTIONS), len(lower))
        return any(rate_of(w) is not None or re.fullmatch(NUMBER, w) for w in lower[:first])

    def _fits(self, name: str, value: str, key: str) -> bool:
        """Whether a word is a value of an option whose name stands before it."""
        if name in ("rate", "up"):
            # `download 50Mbps` is a rate where the other direction has one, too; else `download` is a flow.
            pair = key not in ("download", "upload") or all(
                w in [x.lower() for x in self.words] for w in ("download", "upload")
            )
            return pair and (rate_of(value) is not None or re.fullmatch(NUMBER, value) is not None)
        if name == "duration" and re.match(r"\d", value):
            return self._value(name, value) != value or is_time(value) or re.fullmatch(NUMBER, value) is not None
        if name in ("rtt", "duration", "jitter"):
            return is_time(value) or re.fullmatch(NUMBER, value) is not None
        if name == "queue":
            return known_as(re.split(r"[:,]", value)[0]) is not None
        if name == "loss":
            return re.fullmatch(rf"{NUMBER}\s*(%|percent)?", value) is not None
        if name == "preset":
            return preset_of(value) is not None
        if name == "shaper":
            return value[:1].isdigit() or value == "sweep"
        return value[:1].isdigit() or (name == "buffer" and value.lower() == "bdp")

    def _named(self, key: str, value: str, word: str) -> bool:
        """A value whose option is named in the line."""
        if key in OF_ALL:
            try:
                self.whole[OF_ALL[key]] = value_of(OF_ALL[key], value)
            except HeadgateError as e:
                self.strange.append(str(e))
            return True
        if key == "owd":
            once = read("--rtt", value, "s")
            return self._set("rtt", _core.quantity_text("s", 2 * _core.quantity(once, "s")[1]), word)
        if key == "delay":
            try:
                once = read("--rtt", value, "s")
            except HeadgateError:
                return False
            twice = _core.quantity_text("s", 2 * _core.quantity(once, "s")[1])
            # netem's second time is the jitter.
            after = "".join(self.words[self.at : self.at + 1])
            more, also = (f" {after}", f" --jitter {after}") if is_time(after) and seconds_of(after) < 5 else ("", "")
            self.at += bool(more)
            self.line.said.append(
                f"{cut(word + more)} is taken as one way: the round trip is {twice}. --rtt {once}{also} if that is there and back."
            )
            if more:
                self._set("jitter", read("--jitter", after, "s"), after)
            self._law()
            return self._set("rtt", twice, word)
        if key in ("cc", "flows", "control"):
            return self._flow(value)
        name = NAMED[key]
        if name == "replications":
            return value.isdigit() and self._set(name, str(int(value)), word)
        if name == "rate" and (two := TWO_RATES.fullmatch(value)) is not None:
            return self._rates(two, word)
        if key == "latency":
            twice = _core.quantity_text("s", 2 * _core.quantity(read("--rtt", value, "s"), "s")[1])
            self.line.said.append(
                f"A latency of {cut(value)} is taken as the round trip; if it is one way, type --rtt {twice}."
            )
        if name not in self.line.options and len(listed(name, value)) > 1:
            self.line.read = True
            return self._several(name, value)
        return self._set(name, self._value(name, value), word)

    def _law(self) -> None:
        """What netem says of jitter besides its size: how the delays of packets depend on each other, and their distribution."""
        rest = [word.lower() for word in self.words[self.at : self.at + 3]]
        size = int(bool(rest) and re.fullmatch(rf"{NUMBER}%", rest[0]) is not None and "loss" not in rest[1:2])
        if rest[size : size + 1] == ["distribution"]:
            size += 2
        if size:
            told = " ".join(self.words[self.at : self.at + size])
            self.line.said.append(f"The jitter is uniform and independent here: {cut(told)} is left out.")
            self.at += size

    def _rates(self, two: re.Match[str], word: str) -> bool:
        down, up = two_rates(two)
        return self._set("rate", down, word) and self._set("up", up, word)
