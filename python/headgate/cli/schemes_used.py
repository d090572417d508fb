"""The schemes that scenarios use: disciplines, AQMs, flow controls and workloads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..base.bibliography import Reference, sources
from ..base.catalogue import catalogue

if TYPE_CHECKING:
    from ..scenario.scenario import Scenario

#: The lists of schemes, by the keys of a resolved scenario under which their entries stand.
PLACES = {
    "queue": "disciplines",
    "reverse_queue": "disciplines",
    "aqm": "aqms",
    "control": "flow-controls",
    "workload": "workloads",
}


class UsedScheme(NamedTuple):
    """An entry of a list.

    Attributes:
        list: of which list.
        name: its name there.
        source: where it was published, in the words of its card; empty for a scheme that is not headgate's own.
        references: the references that these words name.
    """

    list: str
    name: str
    source: str
    references: tuple[Reference, ...]


def schemes_of(scenarios: Iterable[Scenario]) -> list[UsedScheme]:
    """The schemes that scenarios use, of a study those of all variants, in the order of the lists. None of their code is run.

    Raises:
        HeadgateError: as for `Scenario.resolve`, and for studies.
        ScenarioError: likewise.
    """
    used = {pair for scenario in scenarios for one in _each(scenario) for pair in _in(one.resolve(), "")}
    return entries(used)


def entries(used: Iterable[tuple[str, str]]) -> list[UsedScheme]:
    """Schemes by their lists and names, in the order of the lists; one that is in none comes last in its list."""
    lists = list(dict.fromkeys(PLACES.values()))
    order = {kind: list(catalogue(kind)) for kind in lists}

    def place(pair: tuple[str, str]) -> tuple[int, int, str]:
        known = order[pair[0]]
        return lists.index(pair[0]), known.index(pair[1]) if pair[1] in known else len(known), pair[1]

    return [_entry(kind, name) for kind, name in sorted(used, key=place)]


def _entry(kind: str, name: str) -> UsedScheme:
    listed = catalogue(kind)
    source = listed[name].source if name in listed and not listed[name].plugin else ""
    return UsedScheme(kind, name, source, tuple(sources(source)))


def references(schemes: Iterable[UsedScheme]) -> list[Reference]:
    """The references of schemes, each once, in the order of their keys."""
    found = {one.key: one for scheme in schemes for one in scheme.references}
    return [found[key] for key in sorted(found)]


def named(words: Iterable[str]) -> list[tuple[str, str]] | None:
    """The lists and names of schemes that words name, in each list that has them; None if a word is no such name."""
    found = []
    for word in words:
        lists = [kind for kind in dict.fromkeys(PLACES.values()) if word in catalogue(kind)]
        if not lists:
            return None
        found += [(kind, word) for kind in lists]
    return found


def is_file(word: str) -> bool:
    """Whether a word names the file of a scenario, or is a link that holds one.

    >>> is_file("mine.toml"), is_file("#s=q1YqVrKqBgA"), is_file("mine.py"), is_file("cubic")
    (True, True, False, False)
    """
    from ..scenario.links import is_link

    return is_link(word) or Path(word).suffix in (".toml", ".json")


def _each(scenario: Scenario) -> Iterator[Scenario]:
    """A scenario, or of a study each variant that is valid."""
    if "sweep" not in scenario.data:
        yield scenario
        return
    from ..sweep import Sweep

    study = Sweep.of(scenario)
    for number, check in enumerate(study.check()):
        if check.error is None:
            yield study.variant(number)


def _in(value: Any, key: str) -> Iterator[tuple[str, str]]:
    """The lists and names of schemes in a part of a resolved scenario that stands under a key."""
    if isinstance(value, dict):
        if key in PLACES and isinstance(value.get("kind"), str):
            yield PLACES[key], value["kind"]
        for name, inner in value.items():
            yield from _in(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _in(inner, key)
