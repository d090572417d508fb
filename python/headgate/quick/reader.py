"""A line as people type it: words in any order, with the units and names of other tools.

Only what means one thing is read. What a line was read as is shown in the words of the options, so that nobody has to guess.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..base.catalogue import parameter_names
from ..base.errors import HeadgateError
from ..base.typed import joined, same_name
from ..scenario.subjects import divided, is_own
from .all_flows import apply
from .amounts import read_buffer
from .flows import all_names, counted, is_flow, name_of, split
from .forms import rewritten
from .hints import GENERATIONS, hint
from .line import TypedLine
from .numbers import Numbered
from .phrases import together
from .presets import PRESETS
from .queues import known_as
from .services import line_rate, path_of, service, taken
from .vocabulary import (
    TWO_RATES,
    counted_text,
    parts_of,
    preset_of,
    rate_of,
)
from .wholes import bloated, counting, defaults, list_of, meaning_nothing, of_queue, of_shaper, root, shaped, sqm


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


class _Reader(Numbered):
    """Reads amounts, flows, queues and sorts of paths."""

    def __init__(
        self, words: Sequence[str], options: Mapping[str, Any], flows: Sequence[str], up_flows: Sequence[str]
    ) -> None:
        said, more = list[str](), list[str]()
        listed_ = [list_of(word) for word in rewritten(words, options, said, more)]
        parts = [part for word in listed_ for part in parts_of(word)]
        #: Words that stand beside each other as they were typed: only these are names of two words.
        self.pairs = set(itertools.pairwise(parts))
        found = joined([counting(parts, i) for i in range(len(parts))])
        for at in [i for i, part in enumerate(found) if part == "=" and 0 < i < len(found) - 1][::-1]:
            found[at - 1 : at + 2] = [f"{found[at - 1]}={found[at + 1]}"]
        given = {k: v for k, v in options.items() if v is not None}
        found = together(found, given, said)
        super().__init__(TypedLine(given, read=found != list(words), said=said), found)
        self.by_option = "rate" in given
        path = any(preset_of(w) or rate_of(w) or TWO_RATES.fullmatch(w) for w in found)
        sqm(self.line, path or "rate" in given or "preset" in given)
        self._given(flows, [*up_flows, *more])
        #: What was probably meant for words that mean nothing, by their places.
        self.instead: dict[int, str] = {}
        self._times()
        while self.at < len(self.words):
            word = self.words[self.at]
            self.at += 1
            word = self._of_two(word)
            # A rate or a mobile network: what may mean two things is not read.
            if word.lower() in GENERATIONS:
                self._unknown(word)
                continue
            read = self._option(word) or self._amount(word) or self._name(word) or self._of_queue(word)
            if not (read or self._limit(word) or self._smart(word)):
                self._unknown(word)
        if not self.strange:
            bloated(self.line, found)
            root(self.line)
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

    def _smart(self, word: str) -> bool:
        """`sqm` and `smart queue` without a rate, and `shaper on`."""
        lower, after = word.lower(), "".join(self.words[self.at : self.at + 1]).lower()
        options = self.line.options
        on = after in ("on", "yes", "enabled", "auto", "active")
        alone = lower in ("sqm", "sqm-scripts") or (
            lower in ("smart", "shaper") and (on or after in ("queue", "queueing", "queuing"))
        )
        if not alone or "shaper" in options or after in ("off", "no") or not ({"preset", "rate"} & options.keys()):
            return False
        more = on or (lower == "smart") or after in ("queue", "qos")
        self.at += more
        shaped(self.line, f"{word} {after}" if more else word)
        return True

    def _limit(self, word: str) -> bool:
        """`limit 1000`, as netem has it: the buffer, where no queue has a limit."""
        key, sign, value = word.partition("=")
        size = value if sign else "".join(self.words[self.at : self.at + 1])
        if key.lower() != "limit" or not re.fullmatch(r"\d{1,9}(p|pkts?|packets?|[kM]i?B)?", size, re.IGNORECASE):
            return False
        self.at += not sign
        return self._set("buffer", read_buffer(size), f"{word} {size}" if not sign else word)

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
        if (word, following) == ("video", "game") and (word, following) in self.pairs:
            self.line.said.append("video and game are two flows here; videogame is a game.")
            return word
        names = re.fullmatch(r"[^\W\d][\w-]*", word) and re.fullmatch(r"[^\W\d][\w-]*", following)
        if names and (word, following) in self.pairs:
            known = [*PRESETS, *all_names(), *parameter_names("disciplines")]
            found = service(both) or path_of(both) or same_name(both, known) or (both if line_rate(both) else None)
            # `TCP Cubic` is a name of two words by itself, `two downloads` is none.
            if found is not None and not (word.lower() == "tcp" and is_flow(following)):
                self.at += 1
                self.line.read = True
                if found not in (word, following) and is_flow(word) and is_flow(following):
                    self.line.said.append(
                        f"{word} {following} is taken as one flow, {found}; {word},{following} is two flows."
                    )
                return found
        return word

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
