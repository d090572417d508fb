"""The tool `explain`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from ...base.catalogue import ALIASES
from ...base.catalogue import catalogue as engine_list
from ...base.errors import HeadgateError, cut, unknown
from ...cli.commands.list import KINDS, MORE, catalogue
from ...cli.tables.lists import print_entry
from ...cli.terminal import captured
from .. import keys
from ..answers import WIDTH, Answer
from ..arguments import Schema, text
from ..calls import Call
from ..mentions import mentions
from ..tool import Tool

#: Things of one name that are described in one answer.
MOST = 3

#: Things that mention a word, which are listed where it is the name of none.
MENTIONS = 20


class ExplainTool(Tool):
    """What a name means."""

    name = "explain"
    title = "Explain a name"
    about = (
        "Says what a name means: a scheme with its source, its deviations from it and all its parameters (codel, bbr3, dumbbell, "
        "gilbert_elliott); a parameter (codel.target, red.max_p); a metric or a column of results (goodput_bps, max_min_bps, "
        "jain_of_max_min, queueing_mean_s); a short name (game, web); a sort of path (home, lte); a key of scenarios (links.delay, "
        "flows.weight); a paper (demers1989). A word that is no name, such as ecn, gives the names that mention "
        "it. For the bandwidth-delay product of a path, give both as `bdp 155Mbit/s 70ms`."
    )
    required = ("what",)

    @property
    def properties(self) -> Mapping[str, Schema]:
        return {"what": text("The name.", "codel", "codel.target", "max_min_bps", "bdp 50Mbit/s 40ms")}

    def answer(self, given: Mapping[str, Any], call: Call) -> Answer:
        """All that is known under the name."""
        what = " ".join(given["what"].split())
        found = list(_found(what))[:MOST]
        if not found and (near := list(islice(mentions(what), MENTIONS))):
            lines = [f"Nothing is called {cut(repr(what))}. What mentions it, each to be explained by its name:", ""]
            lines += [f"{name}: {about}" for name, about in near]
            return Answer("\n".join(lines), {"found": [], "mentioned_by": [name for name, _ in near]})
        if not found:
            raise HeadgateError(
                f"what: {unknown(what, 'the name of a scheme, a parameter, a metric or a key', sorted(names()))}"
            )
        data = [{"kind": kind, "name": name} for kind, name, _, _ in found]
        commands = [command for _, _, _, command in found if command]
        return Answer("\n\n".join(text_ for _, _, text_, _ in found), {"found": data}, commands[0] if commands else "")


def _found(what: str) -> Iterator[tuple[str, str, str, str]]:
    """What a name may mean: of what kind it is, its own name, the text, and the command that shows it."""
    if match := re.fullmatch(r"(?:bdp|BDP)\s+(\S+)\s+(\S+)", what):
        yield "path", "bdp", *_bdp(match[1], match[2])
        return
    plain = re.sub(r"[\s-]+", "_", what).lower()
    whole, _, parameter = plain.rpartition(".")
    # To read all papers takes a second.
    for kind in (*KINDS, *(kind for kind, module in MORE.items() if plain in module.load().names())):
        for entry in catalogue(kind, more=True):
            if plain in _names_of(kind, entry["name"]):
                with captured(WIDTH) as text_:
                    print_entry(kind, entry)
                yield (
                    kind,
                    entry["name"],
                    f"{kind}: {text_.getvalue().rstrip()}",
                    f"headgate list {kind} {entry['name']}",
                )
            elif whole and whole in _names_of(kind, entry["name"]):
                own = [p for p in entry["parameters"] if p["name"] == parameter]
                if own:
                    with captured(WIDTH) as text_:
                        print_entry(kind, entry | {"parameters": own, "deviations": [], "gauges": []})
                    yield (
                        kind,
                        f"{entry['name']}.{parameter}",
                        text_.getvalue().rstrip(),
                        f"headgate list {kind} {entry['name']}",
                    )
    yield from _presets(plain)
    yield from _columns(plain)
    if re.fullmatch(r"[\w.\[\]*]+", what):
        try:
            part = keys.part(what)
        except HeadgateError:
            return
        if what in keys.parts() or "." in what:
            yield "scenario", what, part.text(), ""


def _names_of(kind: str, name: str) -> set[str]:
    """The names of an entry: its own, and those under which it is known."""
    entry = engine_list(kind).get(name) if kind not in ("short-names", *MORE) else None
    others = [] if entry is None else [re.sub(r"[\s-]+", "_", alias).lower() for alias in entry.aliases]
    return {name, *others}


def _presets(what: str) -> Iterator[tuple[str, str, str, str]]:
    from ...quick import PRESETS

    if what in PRESETS:
        preset = PRESETS[what]
        yield "preset", what, f"{what}: {preset.options}\n{preset.what}", "headgate quick --presets"


def _columns(what: str) -> Iterator[tuple[str, str, str, str]]:
    """Metrics and columns of tables, each once, by their names, with or without the unit, and by their headings."""
    from ...results.columns import columns
    from ...results.metrics import METRICS

    said: dict[str, list[str]] = {}
    told = dict[str, str]()
    for table in ("flows", "links", "classes", "intervals", "replay-summary", "replay-flows"):
        for name, column in columns(table).items():
            if what in (name, column.stem):
                said.setdefault(name, []).append(table)
                told.setdefault(name, f"{column.help}{f' Unit: {column.unit}.' if column.unit else ''}")
    for name, tables in said.items():
        yield "column", name, f"{name} (tables {', '.join(tables)}): {told[name]}", ""
    for metric in METRICS:
        column_name = metric.column or metric.name
        heading = re.sub(r"[\s-]+", "_", metric.heading).lower()
        if what in (metric.name, heading) and column_name not in said and metric.name not in said:
            known = columns(metric.table).get(column_name)
            meaning = metric.help or (known.help if known else "")
            yield "metric", metric.name, f"{metric.name} (better: {metric.better}): {meaning}", ""


def _bdp(rate: str, rtt: str) -> tuple[str, str]:
    """The bandwidth-delay product of a path, and the command."""
    from ...cli.commands.bdp import BdpCommand

    with captured(WIDTH) as text_:
        BdpCommand(rate=rate, rtt=rtt, flows=100, packet="1500B", initial_window=10).run()
    return text_.getvalue().rstrip(), f"headgate bdp {rate} {rtt}"


def names() -> set[str]:
    """All names that there are, for hints."""
    from ...quick import PRESETS
    from ...results.columns import columns

    schemes = {e["name"] for kind in KINDS for e in catalogue(kind)}
    return (
        schemes
        | set(PRESETS)
        | {name for table in ("flows", "links", "classes") for name in columns(table)}
        | set(keys.parts())
        | set(ALIASES)
    )
