"""Writes what follows from CITATION.cff and the bibliography, as a part of `cargo xtask write`.

That is the citation which the installed package knows, the metadata of the archive, and the references of the paper and of the
statement of need. `--check` compares instead.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import yaml

from headgate.base.bibliography import Reference, file_text, reference

ROOT = Path(__file__).resolve().parents[1]
CFF = ROOT / "CITATION.cff"
PACKAGE = ROOT / "python/headgate/base/citation.json"
ZENODO = ROOT / ".zenodo.json"
PAPER = ROOT / "paper.md"
NEED = ROOT / "docs/statement-of-need.md"

#: The references of the statement of need: between a mark of the name and the next end.
LISTS = {
    "papers": "demers1989 floyd1991 keshav1991 kim1994 stoica1998 hasegawa2001 kuzmanovic2003 arun2022",
    "tools": "riley2010 netravali2015 hoiland2017 yan2018 htsim",
}


def cited(text: str) -> list[str]:
    """The keys that a paper in Markdown cites, in the order of the alphabet."""
    return sorted(set(re.findall(r"(?<![\w.])@([a-z]\w*)", text)))


def named(author: dict[str, str]) -> str:
    """An author of CITATION.cff, a person or a group."""
    return author["name"] if "name" in author else f"{author['family-names']}, {author['given-names']}"


def own(said: dict[str, Any]) -> str:
    """What the package knows of it; the version it knows by itself."""
    found: dict[str, Any] = {"title": said["title"], "authors": [named(author) for author in said["authors"]]}
    if "date-released" in said:
        found["year"] = int(str(said["date-released"])[:4])
    links = {"doi": said.get("doi"), "url": said.get("repository-code")}
    return dumped(found | {key: link for key, link in links.items() if link})


def archive(said: dict[str, Any]) -> str:
    """The metadata of Zenodo."""
    return dumped(
        {
            "upload_type": "software",
            "title": f"{said['title']} {said['version']}",
            "version": str(said["version"]),
            "description": f"<p>{' '.join(said['abstract'].split())}</p>",
            "creators": [{"name": named(author)} for author in said["authors"]],
            "license": said["license"][0].lower(),
            "notes": f"Licensed under {' or '.join(said['license'])}, at your choice.",
            "keywords": said["keywords"],
            "access_right": "open",
        }
    )


def dumped(value: Any) -> str:
    """A file of JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def listed(found: Reference) -> str:
    """A reference as an item of a list, in lines of at most 100."""
    return "\n".join(
        textwrap.wrap(f"- {found.text()}", 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    )


def need(text: str) -> str:
    """The statement of need with its references."""
    for name, keys in LISTS.items():
        inside = "\n".join(listed(reference(key)) for key in keys.split())
        text = re.sub(
            rf"(<!-- references of {name} -->\n).*?(<!-- end -->)",
            lambda m, i=inside: f"{m[1]}\n{i}\n\n{m[2]}",
            text,
            flags=re.DOTALL,
        )
    return text


def files() -> dict[Path, str]:
    """What is written, and where."""
    said = yaml.safe_load(CFF.read_text("utf-8"))
    found = {PACKAGE: own(said), ZENODO: archive(said), NEED: need(NEED.read_text("utf-8"))}
    keys = cited(PAPER.read_text("utf-8"))
    return found | {PAPER.with_suffix(".bib"): file_text(reference(key) for key in keys)}


def main() -> int:
    """Writes or checks."""
    found = files()
    if "--check" in sys.argv[1:]:
        stale = [
            str(p.relative_to(ROOT)) for p, text in found.items() if not p.exists() or p.read_text("utf-8") != text
        ]
        if stale:
            print(
                f"{', '.join(stale)}: not what CITATION.cff and the bibliography say; run `cargo xtask write`",
                file=sys.stderr,
            )
        return int(bool(stale))
    for path, text in found.items():
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
