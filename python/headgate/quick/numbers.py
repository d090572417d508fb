"""Words of a line that begin with a digit: rates, times, shares, buffers, and how many flows there are."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from ..base.errors import cut
from ..base.typed import NUMBER
from .amounts import read, read_buffer, read_share
from .flows import counted, is_flow, name_of
from .line import Named
from .services import VIDEOS
from .vocabulary import BETWEEN, DIRECTIONS, NAMED, TWO_RATES, is_time, preset_of, rate_of

#: A share in per cent without a name is one of losses up to this.
MOST_LOSS = 10


#: The size of a picture.
_LINES = r"[248]k|(144|240|360|480|720|1080|1440|2160|4320)p"


def times_of(flow: str, number: str) -> str:
    """A flow so many times.

    >>> times_of("cubic", "2"), times_of("netflix:on=60ms", "2"), times_of("ledbat*4", "2"), times_of("game", "1")
    ('cubic*2', 'netflix*2:on=60ms', 'ledbat*8', 'game')
    """
    name, colon, rest = flow.partition(":")
    name, _, count = name.partition("*")
    several = int(number) * int(count or 1)
    return f"{name}{f'*{several}' if several != 1 else ''}{colon}{rest}"


class Numbered(Named):
    """Reads amounts with their units, and numbers alone."""

    #: Whether the rate was given by its option.
    by_option: bool

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
        if re.fullmatch(_LINES, word, re.IGNORECASE) and any(name_of(w) in VIDEOS for w in self.words):
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
            return self._flow(times_of(name, number))
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
        if named == "rtt" and self._no_trip(rest[1:]):
            # `15 ping`: the flow would have a number of pings before it.
            self.at += 1
            return self._set("rtt", read("--rtt", word, "s"), word)
        times = sum(1 for _ in itertools.takewhile(lambda w: w.lower() in BETWEEN, rest))
        following = rest[times] if times < len(rest) else ""
        if not is_flow(following) and "tcp" in (w.lower() for w in rest[:times]):
            # Three TCP flows name no control of their own.
            times, following = [w.lower() for w in rest].index("tcp"), "tcp"
        if (times and is_flow(following)) or (is_flow(following) and self._no_path_left()):
            self.at += 1 + times
            name = self.words[self.at - 1]
            self.line.read = True
            return word.isdigit() and self._flow(times_of(name, word))
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

    def _no_trip(self, rest: Sequence[str]) -> bool:
        """Whether the line has a rate, and no round trip besides a number before its name."""
        others = any(is_time(w) and w != self.duration for w in rest)
        return "rate" in self.line.options and "rtt" not in self.line.options and not others

    def _no_path_left(self) -> bool:
        """Whether a number before a flow can only be how many there are: the rate and the round trip are elsewhere in the line."""
        options, rest = self.line.options, self.words[self.at :]
        rate = "rate" in options or any(rate_of(w) is not None or TWO_RATES.fullmatch(w) for w in rest)
        trip = "rtt" in options or any(is_time(w) and w != self.duration for w in rest)
        preset = "preset" in options or any(preset_of(w) for w in rest)
        return preset or (rate and trip)
