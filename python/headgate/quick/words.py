"""A line as people type it: words in any order, with the units and names of other tools.

Only what means one thing is read. What a line was read as is shown in the words of the options, so that nobody has to guess.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..base.catalogue import parameter_names
from ..base.errors import HeadgateError, cut
from ..base.typed import NUMBER, joined, same_name
from ..scenario.subjects import divided, is_own
from .all_flows import apply
from .amounts import read, read_buffer, read_share
from .flows import all_names, counted, is_flow, name_of, split
from .line import Named, TypedLine
from .phrases import hint, together
from .presets import PRESETS
from .queues import known_as
from .services import VIDEOS, line_rate, path_of, service, taken
from .vocabulary import (
    BETWEEN,
    DIRECTIONS,
    NAMED,
    TWO_RATES,
    counted_text,
    is_time,
    parts_of,
    preset_of,
    rate_of,
)
from .wholes import counting, defaults, list_of, meaning_nothing, of_queue, of_shaper, sqm


def read_line(
    words: Sequence[str], options: Mapping[str, Any], flows: Sequence[str] = (), up_flows: Sequence[str] = ()
) -> TypedLine:
    """The meaning of a line.

    Args:
        words: as they were typed, without those of options.
        options: the values that were given by name; `None` unless given.
        flows: those of `--flows`.
        up_flows: those of `--up-flows`.

    Raises:
        HeadgateError: a word means nothing, or may mean two things; the error has all of them.

    >>> read_line(["100Mbps", "20", "2", "cubic", "vs", "BBR"], {}).command()
    "headgate quick --rate 100Mbit/s --rtt 20ms --flows 'cubic*2,bbr'"
    >>> read_line(["20Mbit/s", "30ms", "cubic", "bbr"], {"queue": "fq"}).sentences()
    []
    """
    return _Reader(words, options, flows, up_flows).line


#: A share in per cent without a name is one of losses up to this.
MOST_LOSS = 10


class _Reader(Named):
    """Reads amounts, flows, queues and sorts of paths."""

    def __init__(
        self, words: Sequence[str], options: Mapping[str, Any], flows: Sequence[str], up_flows: Sequence[str]
    ) -> None:
        listed_ = [list_of(word) for word in words]
        parts = [part for word in listed_ for part in parts_of(word)]
        found = joined([counting(parts, i) for i in range(len(parts))])
        for at in [i for i, part in enumerate(found) if part == "=" and 0 < i < len(found) - 1][::-1]:
            found[at - 1 : at + 2] = [f"{found[at - 1]}={found[at + 1]}"]
        given = {k: v for k, v in options.items() if v is not None}
        said: list[str] = []
        found = together(found, given, said)
        super().__init__(TypedLine(given, read=found != list(words), said=said), found)
        self.by_option = "rate" in given
        sqm(self.line)
        self._given(flows, up_flows)
        #: What was probably meant for words that mean nothing, by their places.
        self.instead: dict[int, str] = {}
        self._times()
        while self.at < len(self.words):
            word = self.words[self.at]
            self.at += 1
            word = self._of_two(word)
            if not (self._option(word) or self._amount(word) or self._name(word) or self._of_queue(word)):
                self._unknown(word)
        if not self.strange:
            of_shaper(self.line)
            self.strange += apply(self.line, self.whole, self.marked)
        if self.strange:
            lines = list(dict.fromkeys(self.strange))
            lines += self._typed(options, flows, up_flows) if len(self.instead) == len(lines) else []
            several = len(set(self.strange)) > 1
            raise HeadgateError("\n  ".join([f"{len(set(self.strange))} faults", *lines] if several else lines))
        defaults(self.line)

    def _of_queue(self, word: str) -> bool:
        """A parameter of the queue of `--queue`."""
        more = of_queue(self.line, word, "".join(self.words[self.at : self.at + 1]))
        self.at += more or 0
        return more is not None

    def _typed(self, options: Mapping[str, Any], flows: Sequence[str], up_flows: Sequence[str]) -> list[str]:
        """The line with what was probably meant for each word that means nothing."""
        words = list(self.words)
        for at, word in self.instead.items():
            # What is in the line already is not said twice.
            words[at] = "" if is_flow(word) and name_of(word) in map(name_of, words) else word
        words = list(filter(None, words))
        try:
            return [f"Type, if so: {_Reader(words, options, flows, up_flows).line.command()}"]
        except HeadgateError:
            return []

    def _of_two(self, word: str) -> str:
        """A name of two words, such as `video call`, as one."""
        following = self.words[self.at] if self.at < len(self.words) else ""
        both = f"{word}_{following}"
        if re.fullmatch(r"[^\W\d][\w-]*", word) and re.fullmatch(r"[^\W\d][\w-]*", following):
            known = [*PRESETS, *all_names(), *parameter_names("disciplines")]
            found = service(both) or path_of(both) or same_name(both, known) or (both if line_rate(both) else None)
            # `TCP Cubic` is a name of two words by itself, `two downloads` is none.
            if found is not None and not (word.lower() == "tcp" and is_flow(following)):
                self.at += 1
                self.line.read = True
                return found
        return word

    def _amount(self, word: str) -> bool:
        """A word that begins with a digit: a rate, a time, a share, a buffer, a number."""
        if not re.match(r"\.?\d", word):
            return False
        options = self.line.options
        if "/" in word and all(is_time(part) for part in word.split("/")):
            return False
        chosen = self._path(word)
        if chosen is not None and not self._is_rate(word):
            return self._set("preset", chosen, word, chosen != word)
        if (two := TWO_RATES.fullmatch(word)) is not None and word.lower().count("/s") < word.count("/"):
            return self._rates(two, word)
        if re.fullmatch(NUMBER, word):
            return self._number(word)
        following = self.words[self.at].lower().rstrip(",") if self.at < len(self.words) else ""
        named = NAMED.get(following)
        found = rate_of(word)
        if re.fullmatch(r"[248]k", word, re.IGNORECASE) and any(name_of(w) in VIDEOS for w in self.words):
            # The size of a picture.
            return False
        if found is not None and named == "shaper" and "shaper" not in options and not self._value_after():
            self.at += 1
            return self._set("shaper", found, word)
        if found is not None:
            if named in ("rate", "up") and self._names_this(following):
                self.at += 1
                return self._set(named, found, word)
            if self._after_flow(word):
                return True
            if "rate" not in options:
                return self._set("rate", found, word, found != word)
            if self.by_option and "up" not in options:
                self.strange.append(
                    f"found {cut(repr(word))} beside --rate {options['rate']}; expected --up {found} if it is that of the other direction"
                )
                return True
            if not re.search(r"b", word, re.IGNORECASE):
                # `4k` beside a rate may be the size of a picture.
                return False
            self.line.read = True
            return self._set("up" if "up" not in options else "rate", found, word)
        if is_time(word):
            if named is not None and word == self.duration and self._value_after():
                named = None
            if named in ("rtt", "duration", "jitter") or (named == "buffer" and not self._value_after()):
                self.at += 1
                return self._set(named, self._value(named, word), word)
            name = "duration" if word == self.duration else "rtt"
            if name == "rtt" and "rtt" in options:
                self.strange.append(
                    f"found {cut(repr(word))} beside --rtt {options['rtt']}; expected one round trip: a buffer is --buffer {cut(word)}, "
                    f"a duration --duration {cut(word)}, and a flow has one of its own as cubic:rtt={cut(word)}"
                )
                return True
            value = read(f"--{name}", word, "s")
            return self._set(name, value, word, value != word or name == "duration")
        if re.fullmatch(rf"{NUMBER}\s*(%|percent)", word, re.IGNORECASE):
            if named != "loss" and float(re.sub(r"\D+$", "", word)) > MOST_LOSS:
                self.strange.append(
                    f"found {cut(repr(word))}; expected --loss {word} for losses, or --shaper {word} for a shaper"
                )
                return True
            self.at += named == "loss"
            return self._set("loss", read_share("--loss", word), word)
        if re.fullmatch(rf"{NUMBER}[x*]?(bdps?|p|pkts?|packets?)", word, re.IGNORECASE) or named == "buffer":
            self.at += named == "buffer" or (named == "queue" and not self._value_after())
            return self._set("buffer", read_buffer(word), word)
        if re.fullmatch(r"\d{1,6}(pairs?|x|\*)", word, re.IGNORECASE) and following and is_flow(following):
            self.at += 1
            number = re.sub(r"\D+$", "", word)
            name = self.words[self.at - 1]
            return self._flow(name if int(number) == 1 else f"{name}*{number}")
        return is_flow(word) and self._flow(word)

    def _after_flow(self, word: str) -> bool:
        """Whether a rate stands after a flow beside another rate: it may be the flow's, and the line cannot say so."""
        back = 3 if self.at > 2 and self.words[self.at - 2].lower() in ("at", "with", "@", "of") else 2
        before = self.words[self.at - back] if self.at >= back else ""
        others = "rate" in self.line.options or any(rate_of(w) or TWO_RATES.fullmatch(w) for w in self.words[self.at :])
        if not self.line.flows or not is_flow(before) or not others or not re.search("b", word, re.IGNORECASE):
            return False
        rate = rate_of(word)
        self.strange.append(
            f"found {cut(repr(word))} after a flow, beside another rate; expected cbr:{rate} for a flow that sends at that rate, "
            f"--rate {rate} for the link, or --up {rate} for its other direction"
        )
        return True

    def _value_after(self) -> bool:
        """Whether the name of an option that follows has a value of its own after it."""
        after = self.words[self.at + 1] if self.at + 1 < len(self.words) else ""
        return bool(after) and self._fits(
            NAMED[self.words[self.at].lower().rstrip(",")], after, self.words[self.at].lower()
        )

    def _names_this(self, following: str) -> bool:
        """Whether the word after a rate says its direction: `50Mbps down`, and with both directions `50Mbps download`."""
        if following in DIRECTIONS and not self._after():
            return False
        lower = [w.lower() for w in self.words]
        return following not in ("download", "upload") or {"download", "upload"} <= set(lower)

    def _is_rate(self, word: str) -> bool:
        """Whether `5G` or `4G` is a rate: in capitals, with a round trip beside it and no other rate."""
        others = [w for w in self.words if w != word and (rate_of(w) is not None or TWO_RATES.fullmatch(w))]
        times = "rtt" in self.line.options or any(is_time(w) and w != self.duration for w in self.words)
        return re.fullmatch(r"[45]G", word) is not None and times and not others and "rate" not in self.line.options

    def _number(self, word: str) -> bool:
        """A number alone: a rate, a round trip, or how many flows of the next word."""
        options, rest = self.line.options, self.words[self.at :]
        following = rest[0] if rest else ""
        named = NAMED.get(following.lower())
        if named in ("rate", "up") and self._names_this(following.lower()) and named not in options:
            self.at += 1
            return self._set(named, read(f"--{named}", word, "bps"), word)
        if named in ("replications", "seed"):
            self.at += 1
            return word.isdigit() and self._set(named, word, word)
        times = sum(1 for _ in itertools.takewhile(lambda w: w.lower() in BETWEEN, rest))
        following = rest[times] if times < len(rest) else ""
        if not is_flow(following) and "tcp" in (w.lower() for w in rest[:times]):
            # Three TCP flows name no control of their own.
            times, following = [w.lower() for w in rest].index("tcp"), "tcp"
        if (times and is_flow(following)) or (is_flow(following) and self._no_path_left()):
            self.at += 1 + times
            name = self.words[self.at - 1]
            self.line.read = True
            return word.isdigit() and self._flow(f"{name}*{word}" if word != "1" else name)
        if "".join(rest[:1]).lower() in ("flows", "connections") and word.isdigit() and not is_flow("".join(rest[1:2])):
            self.at += 1
            self.line.read = True
            return self._flow(f"bulk*{word}")
        if "rate" not in options and not any(rate_of(w) or TWO_RATES.fullmatch(w) for w in rest):
            if "preset" in options and not re.match(NUMBER, following):
                return False
            return self._set("rate", read("--rate", word, "bps"), word)
        if "rtt" not in options and "preset" not in options and not any(is_time(w) for w in rest):
            if (
                is_flow(following)
                and "".join(rest[1:2]).lower() in ("flows", "connections", "streams")
                and word.isdigit()
            ):
                self.at += 2
                return self._flow(f"{following}*{word}")
            if is_flow(following) and float(word) < 5:
                name = counted(following)[0]
                self.strange.append(
                    f"found {cut(repr(word))} before {cut(name)}; expected --rtt {cut(word)}ms for a round trip, or {cut(name)}*{cut(word)}"
                )
                self.at += 1
                return True
            return self._set("rtt", read("--rtt", word, "s"), word)
        return "preset" in options and "rtt" not in options and self._set("rtt", read("--rtt", word, "s"), word)

    def _no_path_left(self) -> bool:
        """Whether a number before a flow can only be how many there are: the rate and the round trip are elsewhere in the line."""
        options, rest = self.line.options, self.words[self.at :]
        rate = "rate" in options or any(rate_of(w) is not None or TWO_RATES.fullmatch(w) for w in rest)
        trip = "rtt" in options or any(is_time(w) and w != self.duration for w in rest)
        preset = "preset" in options or any(preset_of(w) for w in rest)
        return preset or (rate and trip)

    def _name(self, word: str) -> bool:
        """A sort of path, a flow, or a queue."""
        options = self.line.options
        if word in PRESETS or ((chosen := preset_of(word)) is not None and not is_flow(word)):
            chosen = self._path(word) or word
            first = self.at == 1 and not self.line.flows
            return self._set("preset", chosen, word, not first or chosen != word)
        if (rate := line_rate(word)) is not None and not is_flow(word):
            return self._set("rate", rate, word)
        if is_flow(text := counted_text(word)):
            self.marked |= "transport.ecn=true" in text and "transport" not in word
            self.line.read |= text != word
            return self._flow(text)
        parts = [p for p in re.split(r"[,+/;&|]|[-_ ]vs\.?[-_ ]", word) if p.strip()]
        if (
            len(parts) > 1
            and not re.search(r"[:=]", word)
            and all(is_flow(p) or known_as(p) or preset_of(p) for p in parts)
        ):
            self.words[self.at : self.at] = parts
            self.line.read = True
            return True
        if known_as(re.split(r"[:,]", word)[0]) is not None:
            queue = self._value("queue", word)
            known = self.line.values if self.line.axis == "queue" else [options["queue"]] if "queue" in options else []
            if queue in known:
                return True
            self._several("queue", ",".join([*known, queue]))
            self.line.read = True
            return True
        return False

    def _flow(self, word: str) -> bool:
        """Flows, with a number after them if the line goes on so: `cubic x2`, `cubic 2 bbr 3`."""
        text, rest = self._flow_text(word), self.words[self.at :]
        after = re.fullmatch(r"[x×](\d{1,6})", rest[0], re.IGNORECASE) if rest else None
        if after is not None and ":" not in text and "*" not in text:
            self.at += 1
            text = f"{text}*{after[1]}"
        self.line.read |= text != word
        self.line.flows.append(text)
        return True

    def _flow_text(self, text: str) -> str:
        """A list of flows with names and numbers as files have them; parameters stay."""
        try:
            items = [self._taken(item) for item in split(text, "--flows")]
        except HeadgateError:
            return text
        text = ",".join(items) if items != split(text, "--flows") else text
        if any(is_own(divided(item)[0]) for item in items):
            return text
        if not any(re.search(r"[\s+]", item.partition(":")[0].strip()) for item in items) and all(
            re.match(r"[\w.]+\s*=", item) or item.partition(":")[0].partition("*")[0].strip() in all_names()
            for item in items
        ):
            return text
        found = []
        for item in items:
            if re.match(r"[\w.]+\s*=", item):
                found.append(item)
                continue
            head, colon, rest = item.partition(":")
            words = [
                w for w in re.split(r"\s+", head) if w.lower() not in ("and", "vs", "vs.", "versus", "with", "+", "&")
            ]
            whole = counted(" ".join(words))
            several = [" ".join(words)] if name_of(whole[0]) or not all(is_flow(w) for w in words) else words
            for i, each in enumerate(several):
                name, count = counted(each)
                known = name_of(name) or name
                tail = f"{colon}{rest}" if i == len(several) - 1 else ""
                found.append(known + (f"*{count}" if count and count != "1" else "") + tail)
        return ",".join(found)

    def _taken(self, item: str) -> str:
        """A flow of a list with its number and parameters; a sentence is said of one in whose place another one is taken."""
        if is_own(divided(item)[0]):
            return item
        if not is_flow(counted_text(item)) and len(parts := re.split(r"[+&/]", item)) > 1 and all(map(is_flow, parts)):
            return ",".join(map(self._taken, parts))
        found, said = taken(item)
        self.line.said += [said] if said and said not in self.line.said else []
        ours = counted_text(found)
        self.marked |= "transport.ecn=true" in ours and "transport" not in item
        return ours

    def _unknown(self, word: str) -> None:
        """What is said of a word that means nothing."""
        if (said := hint(self.words, self.at - 1)) is not None:
            self.strange.append(said[0])
            self.at += said[1]
            return
        text, instead = meaning_nothing(word, "".join(self.words[self.at : self.at + 1]))
        self.strange.append(text)
        if instead:
            self.instead[self.at - 1] = instead
