"""The example scenarios that come with the package: the list, and copies of them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from .. import _core
from ..base.atomic import require_folder, write_text
from ..base.documents import loads
from ..base.errors import HeadgateError, cut, nearest
from ..base.walks import texts
from .scenario import Scenario

#: Folder of the examples. In a checkout the folder `scenarios` at the top is a link to it.
FOLDER = Path(__file__).parent.parent / "scenarios"

#: The examples that are no scenario but a trace to replay, with what they hold.
RECORDED = {
    "office.csv": "Three seconds of an office's uplink, to be replayed: `headgate replay office.csv --queue fq --rate 2Mbit/s`."
}

#: The file that the first line of a copy names, so that editors complete and check it.
SCHEMA = "scenario.schema.json"
_DIRECTIVE = "#:schema "


@dataclass(frozen=True)
class Example:
    """An example: the name that `example` takes, its file, and what it shows."""

    name: str
    file: Path
    about: str

    @property
    def files(self) -> list[Path]:
        """Its file, and those that it names."""
        named = set(texts(loads(self.file.read_text("utf-8")))) if self.name not in RECORDED else set[str]()
        return [self.file, *(f for f in sorted(FOLDER.iterdir()) if f.suffix == ".trace" and f.name in named)]


def examples() -> list[Example]:
    """All examples by name.

    >>> [e.name for e in examples()][:3], examples()[-1].about
    (['cross-traffic', 'csfq', 'fat-tree'], 'Two file transfers and a typing user share a slow link. Change `queue` to see who suffers.')
    """
    found = [Example(file.stem, file, about(file.read_text("utf-8"))) for file in sorted(FOLDER.glob("*.toml"))]
    return sorted([*found, *(Example(n, FOLDER / n, about) for n, about in RECORDED.items())], key=lambda e: e.name)


def example(name: str) -> Scenario:
    """An example scenario, ready to run: `headgate.example("two-sources").run()`.

    Raises:
        HeadgateError: there is no such example, or it is a trace.

    >>> example("game").set("duration", "10s").run(seed=1).flows["flow"].tolist()
    ['game', 'download']
    """
    found = _find(name)
    if found.name in RECORDED:
        raise HeadgateError(
            f"example {name}: found a trace; expected a scenario. Replay it: headgate.replay({str(found.file)!r}, ...)"
        )
    return Scenario.from_file(found.file)


def copy(names: list[str], folder: str | os.PathLike[str] = ".") -> list[Path]:
    """Copies examples, with the files that they name, into a folder; gives the copies. No file is overwritten.

    The schema of scenario files is put beside them, for editors.

    Raises:
        HeadgateError: there is no such example, a file of that name is there, or the folder cannot be written.
    """
    place = Path(folder)
    require_folder(place, "out")
    texts = {file.name: file.read_text("utf-8") for name in names for file in _find(name).files}
    for name in texts:
        if (place / name).exists():
            raise HeadgateError(f"{place / name}: the file is there already; expected another folder or another name")
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            write_text(place / name, _with_schema_beside(text))
        if any(text.startswith(_DIRECTIVE) for text in texts.values()):
            write_text(place / SCHEMA, json.dumps(json.loads(_core.schema()), indent=1) + "\n")
    except OSError as e:
        raise HeadgateError(f"{place}: cannot be written; {e.strerror or e}") from None
    return [place / name for name in texts]


def _with_schema_beside(text: str) -> str:
    first, _, rest = text.partition("\n")
    return f"{_DIRECTIVE}{SCHEMA}\n{rest}" if first.startswith(_DIRECTIVE) else text


def _find(name: str) -> Example:
    known = {e.name: e for e in examples()}
    short = name.removesuffix(".toml") if name not in known else name
    if short not in known:
        raise HeadgateError(
            f"example {cut(repr(name))}: there is none of this name; expected one of {', '.join(known)}.{nearest(name, known)}"
        )
    return known[short]


def about(text: str) -> str:
    r"""The description in a scenario file: the comment at its beginning, up to the command that it suggests, or its name.

    >>> about('# Two flows.\n# Try another queue.\nname = "two"'), about('name = "two"')
    ('Two flows.', 'two')
    """
    lines = []
    for line in text.splitlines():
        if not line.startswith("# ") or line.startswith(("# Try", "# Compare", "# Look", "# Run")):
            if line.startswith(_DIRECTIVE):
                continue
            break
        lines.append(line[2:].strip())
    return " ".join(lines) or str(loads(text).get("name", ""))
