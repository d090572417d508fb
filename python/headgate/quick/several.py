"""Several values of one option in a line: `--queue fcfs,cake`, `--buffer 0.5,1,2bdp`, `--seed 1..5`. Each of them is a run by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..base.errors import HeadgateError, cut
from ..base.typed import NUMBER
from ..scenario.subjects import divided, is_own
from .flows import split
from .queues import known_as
from .tc import WORDS, nothing

#: Options that may have several values.
AXES = ("rate", "up", "rtt", "queue", "up_queue", "shaper", "buffer", "loss", "seed")

#: Most values of an option.
MOST = 100

_BETWEEN = re.compile(r"\s+(?:vs\.?|versus|and|or|against)\s+", re.IGNORECASE)


def listed(name: str, text: str) -> list[str]:
    """The values of an option, as they were written; one where it is no list.

    >>> listed("queue", "fifo,fq_codel limit 1000 ecn,red,ecn"), listed("seed", "1..3"), listed("buffer", "0.5,1,2bdp")
    (['fifo', 'fq_codel limit 1000 ecn', 'red,ecn'], ['1', '2', '3'], ['0.5bdp', '1bdp', '2bdp'])
    >>> listed("shaper", "none,90%,cake"), listed("rtt", "10ms vs 80ms"), listed("queue", "fq:aqm=red,buffer=9KB")
    (['none', '90%:cake'], ['10ms', '80ms'], ['fq:aqm=red,buffer=9KB'])
    """
    if name not in AXES:
        return [text]
    option = f"--{name.replace('_', '-')}"
    found = _each(name, text.strip(), option)
    found = list(dict.fromkeys(found))
    if len(found) > MOST:
        raise HeadgateError(f"{option}: found {len(found)} values; expected at most {MOST}")
    return found or [text]


def _each(name: str, text: str, option: str) -> list[str]:
    if name == "seed":
        span = re.fullmatch(r"(\d{1,18})\s*(?:\.\.\.?|-|:|to)\s*(\d{1,18})", text)
        if span is not None and 0 < int(span[2]) - int(span[1]) < 10 * MOST:
            return [str(seed) for seed in range(int(span[1]), int(span[2]) + 1)]
    elif (decimal := re.fullmatch(r"(\d{1,9}),(\d{1,9})\s*(\D*)", text)) is not None:
        # Much of the world writes a decimal so.
        one, other, unit = decimal[1], decimal[2], decimal[3].strip()
        expected = f"{one}.{other}{unit}, or {one}{unit} and {other}{unit} as {one}{unit},{other}{unit},"
        if unit and name not in ("queue", "up_queue"):
            raise HeadgateError(f"{option}: found {cut(repr(text))}; expected {expected.removesuffix(',')}")
    items = [item for part in _BETWEEN.split(text) for item in split(part, option)]
    if name in ("queue", "up_queue"):
        return _queues(items)
    if name == "shaper":
        return _shapers(items)
    last = re.fullmatch(rf"{NUMBER}\s*([^\d.].*)", items[-1]) if items else None
    return [f"{item}{last[1]}" if last and re.fullmatch(NUMBER, item) and float(item) else item for item in items]


def _queues(items: Sequence[str]) -> list[str]:
    """Queues, each with the parameters that follow it."""
    found: list[str] = []
    for item in items:
        own = is_own(divided(item, "discipline")[0])
        first = re.split(r"[:\s]", item)[0]
        word = first.lower().replace("-", "_")
        parameter = "=" in first or word in WORDS or nothing(first)
        if found and not own and parameter and known_as(first) is None:
            found[-1] += f"{',' if re.search('[:,]', found[-1]) or ' ' not in found[-1] else ' '}{item}"
        elif "/" in item and not own and all(known_as(part) for part in item.split("/")):
            found += item.split("/")
        else:
            found.append(item)
    return found


def _shapers(items: Sequence[str]) -> list[str]:
    """Rates of a shaper, each with the queue and its parameters that follow it."""
    found: list[str] = []
    for item in items:
        name = re.split(r"[:\s=]", item)[0]
        queue = found and item not in ("off", "none", "0") and not re.match(r"[\d.]", item) and item != "sweep"
        if queue and found[-1] not in ("off", "none", "0"):
            found[-1] += f"{',' if ':' in found[-1] else ':'}{item}"
        elif queue:
            raise HeadgateError(
                f"--shaper: found {cut(repr(name))} after {found[-1]}; expected a rate before a queue, as in 90%:cake"
            )
        else:
            found.append(item)
    return found
