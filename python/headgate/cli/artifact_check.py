"""Whether an artifact can be made again: its runs are made here, and everything is compared."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..scenario.scenario import Scenario
from .artifacts import SCENARIO, Commission, names_in, read_manifest, results_of, sha256, versions


@dataclass(frozen=True)
class Unequal:
    """Something in which an artifact and what was made here differ.

    Attributes:
        name: what.
        found: what was made, or is in the folder.
        expected: what the artifact says.
    """

    name: str
    found: str
    expected: str

    def __str__(self) -> str:
        return f"{self.name}: found {self.found}; expected {self.expected}"


@dataclass
class Checked:
    """The result of a check.

    Attributes:
        compared: how many digests, tables and figures were compared.
        differences: in them, and in the files of the folder.
        versions: of what took part, those that differ: the artifact's and that here.
        notes: what was not compared, and why.
    """

    compared: dict[str, int]
    differences: list[Unequal] = field(default_factory=list)
    versions: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def agrees(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


def checked(
    folder: Path, permit: Callable[[Scenario], None], workers: int | None = None, max_memory: str | None = None
) -> Checked:
    """Makes the runs of an artifact again and compares.

    Args:
        folder: that of the artifact.
        permit: asked before any code of the scenario runs.
        workers: processes or threads.
        max_memory: memory that the runs may take together.

    Raises:
        HeadgateError: it is no artifact, or its scenario is not there or is wrong.
        ScenarioError: its scenario is wrong.
    """
    said = read_manifest(folder)
    scenario = Scenario.from_file(folder / SCENARIO)
    permit(scenario)
    here = versions()
    result = Checked({"digests": 0, "tables": 0, "figures": 0})
    names = {*said["versions"], *here}
    result.versions = {
        name: (said["versions"].get(name), here.get(name))
        for name in sorted(names)
        if said["versions"].get(name) != here.get(name)
    }
    result.differences += _changed(folder, said["files"])
    wanted = Commission(scenario, said["replications"], tuple(said["metrics"]), workers, max_memory, str(said["title"]))
    with tempfile.TemporaryDirectory(prefix="headgate-") as name:
        again = Path(name)
        digests, _ = results_of(wanted, again)
        result.differences += _other_digests(said["digests"], digests)
        result.compared["digests"] = len(digests)
        for kind in ("tables", "figures"):
            if kind == "figures" and "matplotlib" in result.versions:
                drawn, now = result.versions["matplotlib"]
                result.notes.append(
                    f"figures were not compared: they were drawn by matplotlib {drawn}, and here is {now or 'none'}"
                )
                continue
            recorded = {file: digest for file, digest in said["files"].items() if _is_of(kind, file)}
            made = {file: sha256(again / file) for file in names_in(again) if _is_of(kind, file)}
            result.compared[kind] = len(recorded)
            result.differences += _other_files(recorded, made)
    return result


def _is_of(kind: str, file: str) -> bool:
    # Beside the tables, a run writes its summary and its manifest, which name the version.
    return file.startswith(f"{kind}/") and not file.endswith(".json")


def _changed(folder: Path, files: dict[str, str]) -> Iterator[Unequal]:
    """Files that are not those which were written."""
    there = set(names_in(folder))
    for file, digest in files.items():
        if file not in there:
            yield Unequal(file, "none in the artifact", "this file")
        elif (found := sha256(folder / file)) != digest:
            yield Unequal(file, f"SHA-256 {found[:16]} in the artifact", f"{digest[:16]}, as it was written")


def _other_digests(recorded: list[dict[str, Any]], made: list[dict[str, Any]]) -> Iterator[Unequal]:
    def by_run(rows: list[dict[str, Any]]) -> dict[tuple[str, str], str]:
        return {(str(row["variant"]), str(row["replication"])): str(row["digest"]) for row in rows}

    before, now = by_run(recorded), by_run(made)
    for run in [*before, *(run for run in now if run not in before)]:
        if before.get(run) != now.get(run):
            name = f"digest of variant {run[0]}, replication {run[1]}"
            yield Unequal(name, now.get(run, "no such run"), before.get(run, "none in the artifact"))


def _other_files(recorded: dict[str, str], made: dict[str, str]) -> Iterator[Unequal]:
    for file in [*recorded, *(file for file in made if file not in recorded)]:
        if recorded.get(file) != made.get(file):
            found = f"SHA-256 {made[file][:16]} when it is made again" if file in made else "none when it is made again"
            yield Unequal(file, found, f"{recorded[file][:16]}" if file in recorded else "none, as in the artifact")
