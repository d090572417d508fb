"""What mentions a word that is the name of nothing: schemes and keys of scenarios, so that a question leads on to names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..base.errors import HeadgateError
from ..cli.commands.list import KINDS, catalogue
from ..cli.tables.lists import first_sentence
from . import keys

#: How deep keys are looked for: `flows.transport.ecn` is three deep.
_DEEP = 3


def mentions(word: str) -> Iterator[tuple[str, str]]:
    """Names that mention a word as a whole, by themselves or in their descriptions, each with a sentence; those of schemes come first.

    >>> [name for name, _ in mentions("ecn")][:1], list(mentions("cubik"))
    (['flows.receiver.ecn'], [])
    """
    whole = re.compile(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", re.IGNORECASE)
    for kind in KINDS:
        for entry in catalogue(kind, more=True):
            if whole.search(entry["name"]) or whole.search(entry["summary"]):
                yield entry["name"], first_sentence(entry["summary"])
    for part in keys.parts():
        for path, meaning in _keys(part, _DEEP - 1):
            if whole.search(path.rpartition(".")[2]) or whole.search(meaning):
                yield path, first_sentence(meaning)


def _keys(path: str, deep: int) -> Iterator[tuple[str, str]]:
    """The keys of a part and of the tables in it that have one form."""
    try:
        found = keys.part(path)
    except HeadgateError:
        return
    for key in found.keys:
        yield f"{path}.{key.name}", key.meaning
        if deep > 1 and key.type == "table":
            yield from _keys(f"{path}.{key.name}", deep - 1)
