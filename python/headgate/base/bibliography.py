"""References: of headgate itself and of the sources that the cards of schemes name. Each stands once, in `bibliography.toml`.

The reference of headgate comes from `CITATION.cff` in the root of the repository: docs/citation.py writes `citation.json` from it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from .. import __version__

#: The key of headgate's own reference.
OWN = "headgate"

_HERE = Path(__file__).parent

#: Where something appeared: the first of these fields that a reference has.
_VENUES = ("booktitle", "journal", "school", "institution", "howpublished", "publisher")

#: Fields that BibTeX takes letter by letter.
_VERBATIM = ("doi", "url")

#: Of a card, the numbers of RFCs, as in `RFC 5681 and 6582`.
_RFCS = re.compile(r"\bRFC (\d+) and (\d+)")


@dataclass(frozen=True)
class Reference:
    """A reference.

    Attributes:
        key: by which it is cited.
        type: of BibTeX, such as `article`.
        authors: as `Surname, First names`, or the name of a group.
        title: its title.
        fields: the other fields of BibTeX, such as `year` and `doi`.
        cited: how the cards of schemes name it.
    """

    key: str
    type: str
    authors: tuple[str, ...]
    title: str
    fields: Mapping[str, str] = field(default_factory=dict)
    cited: tuple[str, ...] = ()

    def text(self) -> str:
        """It in a line, for people.

        >>> print(reference("floyd1993").text())
        S. Floyd and V. Jacobson. Random Early Detection Gateways for Congestion Avoidance. IEEE/ACM Transactions on Networking 1(4), \
pages 397-413, 1993. https://doi.org/10.1109/90.251892
        """
        found = self.fields
        venue = next((found[name] for name in _VENUES if name in found), "")
        if self.type == "phdthesis":
            venue = f"PhD thesis, {venue}"
        if "volume" in found:
            venue += f" {found['volume']}({found['number']})"
        elif "number" in found:
            venue += f", {found['number']}"
        pages = f"pages {found['pages']}" if "pages" in found else ""
        where = ", ".join(filter(None, (venue, pages, found.get("year", ""))))
        parts = (_joined([_short(name) for name in self.authors]), self.title, where, found.get("note", ""))
        link = f"https://doi.org/{found['doi']}" if "doi" in found else found.get("url", "")
        return " ".join(filter(None, [*(f"{part}." for part in parts if part), link]))

    def bibtex(self) -> str:
        """It as an entry of a file of BibTeX, in UTF-8.

        >>> print(reference("rfc8289").bibtex())
        @techreport{rfc8289,
          author = {Nichols, Kathleen and Jacobson, Van and McGregor, Andrew and Iyengar, Janardhan},
          title = {{Controlled Delay Active Queue Management}},
          institution = {RFC Editor},
          number = {RFC 8289},
          year = {2018},
          doi = {10.17487/RFC8289},
        }
        """
        # Braces keep the name of a group in one piece, and the capitals of a title.
        authors = " and ".join(_escaped(name) if "," in name else f"{{{_escaped(name)}}}" for name in self.authors)
        rest = {
            k: v if k in _VERBATIM else _escaped(v).replace("-", "--") if k == "pages" else _escaped(v)
            for k, v in self.fields.items()
        }
        given = {"author": authors, "title": f"{{{_escaped(self.title)}}}", **rest}
        lines = [f"  {name} = {{{value}}},\n" for name, value in given.items() if value]
        return f"@{self.type}{{{self.key},\n{''.join(lines)}}}"

    def to_dict(self) -> dict[str, Any]:
        """As `headgate cite --json` prints it."""
        year = self.fields.get("year")
        return {
            "key": self.key,
            "authors": list(self.authors),
            "title": self.title,
            "year": None if year is None else int(year),
            "doi": self.fields.get("doi"),
            "text": self.text(),
            "bibtex": self.bibtex(),
        }


def own() -> Reference:
    """The reference of this version of headgate.

    >>> own().title, own().authors
    ('headgate', ('The headgate developers',))
    """
    said = json.loads((_HERE / "citation.json").read_text("utf-8"))
    more = {name: str(said[name]) for name in ("year", "doi", "url") if name in said}
    return Reference(
        OWN,
        "misc",
        tuple(said["authors"]),
        said["title"],
        {"howpublished": "Software", "note": f"Version {__version__}", **more},
    )


@cache
def bibliography() -> Mapping[str, Reference]:
    """All references of sources and of other tools, by their keys."""
    said = tomllib.loads((_HERE / "bibliography.toml").read_text("utf-8"))
    return {key: _reference(key, dict(entry)) for key, entry in said.items()}


def reference(key: str) -> Reference:
    """The reference with a key: headgate's own, or one of the bibliography.

    Raises:
        KeyError: there is none.
    """
    return own() if key == OWN else bibliography()[key]


def sources(source: str) -> list[Reference]:
    """The references that the source of a card names, in the order of its words.

    >>> [found.key for found in sources("RFC 5681 and 6582")]
    ['rfc5681', 'rfc6582']
    >>> [found.key for found in sources("Linux, sch_fq_pie")], sources("given times")
    (['linux_fq_pie'], [])
    """
    text = _RFCS.sub(r"RFC \1; RFC \2", source)
    places: dict[str, int] = {}
    for found in bibliography().values():
        if at := [place for words in found.cited if (place := _place(words, text)) >= 0]:
            places[found.key] = min(at)
    return [bibliography()[key] for key in sorted(places, key=lambda key: places[key])]


def file_text(references: Iterable[Reference]) -> str:
    """A file of BibTeX with these references."""
    return "\n\n".join(found.bibtex() for found in references) + "\n"


def _place(words: str, text: str) -> int:
    """Where words stand in a text, not as a part of others; -1 if they do not."""
    found = re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-])", text)
    return -1 if found is None else found.start()


def _reference(key: str, said: dict[str, Any]) -> Reference:
    """An entry of the file, with what its short fields stand for."""
    cited = said.pop("cited", [])
    if "rfc" in said:
        name = f"RFC {said['rfc']}"
        doi = f"10.17487/RFC{said.pop('rfc'):04}"
        said = {"type": "techreport", "institution": "RFC Editor", "number": name, **said, "doi": doi}
        cited = name
    elif "draft" in said:
        cited = said.pop("draft")
        url = f"https://datatracker.ietf.org/doc/{cited}/"
        said = {"type": "misc", "howpublished": f"Internet-Draft {cited}", **said, "url": url}
    elif "linux" in said:
        file = said.pop("linux")
        url = f"https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/{file}"
        said = {
            "type": "misc",
            "authors": ["The Linux kernel developers"],
            "title": f"Linux kernel, {file}",
            "howpublished": "Software",
            "url": url,
        }
        cited = [Path(file).stem, Path(file).name]
    kind, authors, title = (said.pop(name, None) for name in ("type", "authors", "title"))
    fields = {name: str(value) for name, value in said.items()}
    return Reference(
        key, kind, tuple(authors or ()), title, fields, (cited,) if isinstance(cited, str) else tuple(cited)
    )


def _short(name: str) -> str:
    """An author with initials.

    >>> _short("Chiu, Dah-Ming"), _short("Godfrey, P. Brighten"), _short("L4STeam")
    ('D.-M. Chiu', 'P. B. Godfrey', 'L4STeam')
    """
    surname, _, first = name.partition(", ")
    initials = ["-".join(f"{part[0]}." for part in word.split("-")) for word in first.split()]
    return " ".join([*initials, surname])


def _joined(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _escaped(text: str) -> str:
    """A text without what has a meaning of its own in TeX."""
    return re.sub(r"([&%$#_])", r"\\\1", text)
