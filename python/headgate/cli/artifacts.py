"""Artifacts: a folder or a zip with a scenario or a study, what came of it, and the command that makes it again and compares.

    artifact.json     versions, the digest of every run, and the digest of every other file
    scenario.json     the scenario, or the study with its table `sweep`, whole
    tables/           of a scenario what `run --out` writes; of a study its tables
    figures/          what is drawn from them
    references.bib    how to cite headgate and the schemes in use
    README.md         what is in it; `reproduce.sh` has the command

Nothing in it depends on when it was made, so that the same versions give the same bytes again.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import secrets
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..base.atomic import atomic
from ..base.build import build
from ..base.errors import HeadgateError, cut

if TYPE_CHECKING:
    from ..scenario.scenario import Scenario
    from ..sweep import Study

#: The file that makes a folder an artifact, and the scenario in it.
MANIFEST, SCENARIO = "artifact.json", "scenario.json"

#: The number of this form.
FORMAT = 1

#: Libraries that take part in what an artifact has.
LIBRARIES = ("numpy", "pyarrow", "matplotlib")

#: The tables of a study that have results; `times` are those of a machine.
_STUDY = ("runs", "flows", "links", "failures")

#: The time of every file in a zip, which knows none before it.
_TIME = (1980, 1, 1, 0, 0, 0)

_README = """# {title}

This artifact was made by headgate {headgate}. `scenario.json` is {what}. `tables` has what came of it,
`figures` what is drawn from the tables, and `references.bib` whom to cite. `artifact.json` has the
versions, the digest of each run and the digest of each file.

With headgate {headgate} installed, this command makes all of it again and compares:

    headgate artifact --check .

`reproduce.sh` is that command. It prints what differs, and exits with 0 only if nothing does.
Figures are compared only with the same version of matplotlib, which draws them.
"""

_SCRIPT = """#!/bin/sh
# Makes the runs of this artifact again, and compares: exits with 0 only if everything agrees.
cd "$(dirname "$0")" && exec headgate artifact --check . "$@"
"""


@dataclass(frozen=True)
class Commission:
    """What an artifact is of.

    Attributes:
        scenario: with its table `sweep`, of a study.
        replications: runs of a scenario; a study says this itself.
        metrics: those that are drawn of a study, each in a figure; of a scenario, any makes its figure.
        workers: processes or threads.
        max_memory: memory that the runs may take together.
        title: what people call it.
    """

    scenario: Scenario
    replications: int = 1
    metrics: tuple[str, ...] = ()
    workers: int | None = None
    max_memory: str | None = None
    title: str = "artifact"

    @property
    def is_study(self) -> bool:
        """Whether it has variants."""
        return "sweep" in self.scenario.data


def versions() -> dict[str, str | None]:
    """What took part in results here."""
    found: dict[str, str | None] = {
        "headgate": __version__,
        "engine": build().partition(" ")[2],
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None
    return found


def fill(wanted: Commission, folder: Path) -> dict[str, Any]:
    """Makes the runs and writes an artifact into an empty folder; gives its manifest.

    Raises:
        HeadgateError: something is wrong with the scenario or with the folder.
        ScenarioError: something is wrong with the scenario.
    """
    from ..base.bibliography import file_text, own
    from .schemes_used import references, schemes_of

    digests, undrawn = results_of(wanted, folder)
    found = references(schemes_of([wanted.scenario]))
    what = "a study, with its variants in the table `sweep`" if wanted.is_study else "its scenario"
    texts = {
        SCENARIO: json.dumps(wanted.scenario.data, indent=1, ensure_ascii=False) + "\n",
        "references.bib": file_text([own(), *found]),
        "README.md": _README.format(title=wanted.title, headgate=__version__, what=what),
        "reproduce.sh": _SCRIPT,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "reproduce.sh").chmod(0o755)
    manifest = {
        "kind": "artifact",
        "format": FORMAT,
        "title": wanted.title,
        "versions": versions(),
        "replications": wanted.replications,
        "metrics": list(wanted.metrics),
        "digests": digests,
        "undrawn": undrawn,
        "files": {name: sha256(folder / name) for name in names_in(folder)},
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return manifest


def results_of(wanted: Commission, folder: Path) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Makes the runs; writes their tables and figures. Gives the digest of each run, and why figures could not be drawn."""
    return _study(wanted, folder) if wanted.is_study else _run(wanted, folder)


def _run(wanted: Commission, folder: Path) -> tuple[list[dict[str, Any]], dict[str, str]]:
    from .terminal import progress

    with progress(f"running {wanted.title}") as callback:
        results = wanted.scenario.run(
            None, wanted.replications, wanted.workers, callback, wanted.max_memory, folder / "tables"
        )
    undrawn = {}
    if wanted.metrics:
        from ..plots import timeline

        undrawn = _drawn("timeline", lambda file: timeline(results, file), folder)
    return [{"variant": 0, "replication": run.run, "digest": run.digest} for run in results.runs], undrawn


def _study(wanted: Commission, folder: Path) -> tuple[list[dict[str, Any]], dict[str, str]]:
    from ..sweep import Sweep
    from .studies import bar

    runs = folder / ".study"
    try:
        with bar(f"running {wanted.title}") as callback:
            study = Sweep.of(wanted.scenario).run(runs, wanted.workers, progress=callback, max_memory=wanted.max_memory)
        for name in _STUDY:
            if len(study.table(name)):
                _save(study, name, folder / "tables" / f"{name}.csv")
        undrawn: dict[str, str] = {}
        if wanted.metrics:
            from ..plots import plot

            for metric in wanted.metrics:
                undrawn |= _drawn(metric, lambda file, of=metric: plot(study, of, file), folder)
        rows = study.runs.select(["variant", "replication", "digest"]).to_pylist()
    finally:
        shutil.rmtree(runs, ignore_errors=True)
    return rows, undrawn


def _save(study: Study, name: str, file: Path) -> None:
    """Writes a table of a study in the form of the tables of a run."""
    import numpy as np

    from ..results.tables import Table
    from ..sweep.arrow import pyarrow, to_numpy

    types, found = pyarrow().types, study.table(name)
    columns = {
        column: to_numpy(found[column])
        if types.is_integer(found[column].type) or types.is_floating(found[column].type)
        else np.array(found[column].to_pylist(), dtype=object)
        for column in found.column_names
    }
    Table(columns).save(file)


def _drawn(name: str, draw: Any, folder: Path) -> dict[str, str]:
    """Draws a figure; gives why it could not be drawn, which ends no artifact: the tables have the numbers."""
    try:
        (folder / "figures").mkdir(exist_ok=True)
        draw(folder / "figures" / f"{name}.svg")
    except HeadgateError as e:
        return {name: str(e)}
    return {}


def names_in(folder: Path) -> list[str]:
    """The files of an artifact but its manifest, by their names in it."""
    found = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if not file.is_dir())
    return [name for name in found if name != MANIFEST]


def sha256(file: Path) -> str:
    """The digest of a file."""
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of an artifact.

    Raises:
        HeadgateError: the folder is none, or one in another form.
    """
    file = folder / MANIFEST
    try:
        found: Any = json.loads(file.read_text("utf-8"))
    except OSError as e:
        raise HeadgateError(f"{folder}: expected an artifact, with {MANIFEST} in it; {e.strerror or e}") from None
    except (ValueError, RecursionError):
        raise HeadgateError(f"{file}: is damaged; expected the manifest of an artifact") from None
    if not isinstance(found, dict) or found.get("kind") != "artifact":
        raise HeadgateError(f"{file}: expected the manifest of an artifact, found another file")
    if found.get("format") != FORMAT:
        raise HeadgateError(f"{file}: found form {cut(found.get('format'))}; expected form {FORMAT} of this version")
    wrong = next((key for key, holds in _KEYS.items() if not holds(found.get(key))), None)
    if wrong is not None:
        raise HeadgateError(f"{file}: {wrong}: found {cut(found.get(wrong))}; expected what headgate artifact wrote")
    return found


def _list(said: Any, inner: Any) -> bool:
    return isinstance(said, list) and all(isinstance(value, inner) for value in said)


def _object(said: Any, inner: Any) -> bool:
    return isinstance(said, dict) and all(isinstance(value, inner) for value in said.values())


#: What a manifest has to have, so that what reads it need not ask.
_KEYS: dict[str, Callable[[Any], bool]] = {
    "title": lambda said: isinstance(said, str),
    "versions": lambda said: _object(said, str | None),
    "replications": lambda said: isinstance(said, int) and said > 0,
    "metrics": lambda said: _list(said, str) and all(map(is_metric, said)),
    "digests": lambda said: _list(said, dict) and all({"variant", "replication", "digest"} <= set(r) for r in said),
    "undrawn": lambda said: _object(said, str),
    "files": lambda said: _object(said, str),
}


def is_metric(name: str) -> bool:
    """Whether a name may be that of a metric, and so of the file of a figure."""
    return re.fullmatch(r"\w+", name, re.ASCII) is not None


def require_place(out: Path) -> None:
    """Whether an artifact may be written there, checked before the runs.

    Raises:
        HeadgateError: something else is there, or the place cannot be written to.
    """
    from ..base import atomic as places

    if out.suffix == ".zip":
        if out.exists():
            with opened(out):
                pass
        elif not out.parent.is_dir():
            places.require_folder(out.parent, "--out")
        else:
            places.require_place(out)
        return
    places.require_folder(out, "--out")
    if out.is_dir() and any(out.iterdir()):
        try:
            known = set(read_manifest(out)["files"])
        except HeadgateError:
            raise HeadgateError(f"--out {out}: expected an empty or absent folder, or one with an artifact") from None
        if more := [name for name in names_in(out) if name not in known]:
            raise HeadgateError(
                f"--out {out}: found {cut(more[0])}, which is not of the artifact there; expected nothing else"
            )


@contextmanager
def replacing(out: Path) -> Iterator[Path]:
    """Gives an empty folder, which becomes the artifact if the block ends without an exception; else nothing remains of it."""
    out.parent.mkdir(parents=True, exist_ok=True)
    folder = out.absolute().parent / f".{out.name}.{secrets.token_hex(4)}"
    try:
        folder.mkdir()
        yield folder
        if out.suffix == ".zip":
            with atomic(out) as file:
                _pack(folder, file)
        else:
            old = folder.with_name(f"{folder.name}.old")
            if out.exists():
                out.rename(old)
            folder.rename(out)
            shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _pack(folder: Path, file: Path) -> None:
    """Writes a zip that depends on the contents alone."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out:
        for name in [*names_in(folder), MANIFEST]:
            entry = zipfile.ZipInfo(name, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, which has the permissions.
            entry.external_attr = (0o100755 if os.access(folder / name, os.X_OK) else 0o100644) << 16
            out.writestr(entry, (folder / name).read_bytes())


@contextmanager
def opened(place: Path) -> Iterator[Path]:
    """Gives the folder of an artifact; that of a zip lasts as long as the block.

    Raises:
        HeadgateError: it is no artifact.
    """
    import tempfile

    if place.is_dir():
        read_manifest(place)
        yield place
        return
    with tempfile.TemporaryDirectory(prefix="headgate-") as name:
        try:
            with zipfile.ZipFile(place) as file:
                file.extractall(name)
        except OSError as e:
            raise HeadgateError(f"{place}: expected an artifact; {e.strerror or e}") from None
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError):
            raise HeadgateError(f"{place}: expected an artifact, found a file that is no whole zip") from None
        try:
            read_manifest(Path(name))
        except HeadgateError as e:
            raise HeadgateError(f"{place}: {str(e).replace(f'{name}/', '').replace(name, 'it')}") from None
        yield Path(name)
