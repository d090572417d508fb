"""Judges every mutant and its original by all cases.

A case notices a mutant if one of its verdicts is fail or invalid, or worse, where that of the original is not.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from headgate.referee import judge
from headgate.referee.case import Case
from headgate.referee.files import cases
from headgate.referee.report import RefereeReport

from .mutants import MUTANTS, Mutant

#: Share of pairs of a mutant and a case that names its rule in which the case is to notice the mutant.
DUE = 0.9

_BAD = ("fail", "invalid", "worse")


def bad(report: RefereeReport, case: Case) -> set[tuple[str, str, str]]:
    """Which verdicts of a case are bad."""
    return {(e.place, e.kind, e.key) for e in report.of(case.name) if e.verdict in _BAD}


def applies(report: RefereeReport, case: Case) -> bool:
    """Whether the subject has what the case needs."""
    return any(entry.verdict != "n/a" for entry in report.of(case.name))


def noticed(report: RefereeReport, original: RefereeReport, case: Case) -> bool:
    """Whether a case tells a mutant from its original."""
    if any(entry.verdict == "invalid" for entry in report.of(case.name)):
        return True
    return bool(bad(report, case) - bad(original, case))


def judged(mutant: Mutant, chosen: list[Case], folder: Path, runs: int | None) -> RefereeReport:
    """The verdicts of a mutant, all in this process."""
    (folder / "controls").mkdir(parents=True, exist_ok=True)
    return judge(mutant.subject(folder / "controls"), chosen, out=folder, runs=runs, more=False, workers=0)


def compared(
    mutant: Mutant, families: list[str] | None, folder: Path, runs: int | None, naming: bool
) -> dict[str, bool]:
    """Which cases notice a mutant; those that do not apply to it are left out, and with `naming` those that do not name its rule."""
    chosen = [case for case in controls(families) if mutant.rule in case.rules or not naming]
    if not chosen:
        return {}
    original, report = judged(mutant.original, chosen, folder, runs), judged(mutant, chosen, folder, runs)
    return {case.name: noticed(report, original, case) for case in chosen if applies(original, case)}


def controls(families: list[str] | None) -> list[Case]:
    """The cases for controls, of some families or all."""
    return [case for case in cases() if case.judges == "control" and case.family in (families or [case.family])]


def main() -> int:
    """Prints a line for each mutant, and the two shares; exit code 1 if too few are noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--family", action="append", help="cases of this family only; may be given again")
    parser.add_argument("--only", action="append", help="mutants whose names begin with this; may be given again")
    parser.add_argument("--runs", type=int, default=2, help="runs of each cell")
    parser.add_argument("--naming", action="store_true", help="only by the cases that name the mutant's rule")
    parser.add_argument("--workers", type=int, help="processes; one per processor unless given")
    parser.add_argument("--out", help="folder in which runs are kept")
    parser.add_argument("--json", help="file for who noticed whom")
    options = parser.parse_args()
    chosen = controls(options.family)
    mutants = [mutant for mutant in MUTANTS if mutant.name.startswith(tuple(options.only or [""]))]
    found: dict[str, dict[str, bool]] = {}
    with TemporaryDirectory() as temporary, ProcessPoolExecutor(options.workers, get_context("spawn")) as pool:
        folder = Path(options.out or temporary)
        shared = (options.family, folder, options.runs, options.naming)
        if not options.naming:
            # The originals first: their runs, and those of the baselines, are kept for all others.
            originals = list(dict.fromkeys(mutant.original for mutant in mutants))
            list(pool.map(compared, originals, *([x] * len(originals) for x in shared)))
        done = pool.map(compared, mutants, *([x] * len(mutants) for x in shared))
        for mutant, noticing in zip(mutants, done, strict=True):
            found[mutant.name] = noticing
            print(line(mutant, noticing, chosen), flush=True)
    return conclude(mutants, found, chosen, options.json)


def line(mutant: Mutant, found: dict[str, bool], chosen: list[Case]) -> str:
    """A mutant: by how many of the cases that name its rule it is noticed, and by how many others."""
    naming = {case.name for case in chosen if mutant.rule in case.rules} & set(found)
    missed = sorted(name for name in naming if not found[name])
    others = set(found) - naming
    text = f"{mutant.name:40} {mutant.rule:18} {len(naming) - len(missed):3} of {len(naming):3}"
    text += f"   others {sum(found[name] for name in others):3} of {len(others):3}"
    return text + (f"   missed by {', '.join(missed)}" if missed else "")


def conclude(mutants: list[Mutant], found: dict[str, dict[str, bool]], chosen: list[Case], file: str | None) -> int:
    """The two shares."""
    rules = {case.name: case.rules for case in chosen}
    naming = [v for m in mutants for name, v in found[m.name].items() if m.rule in rules[name]]
    others = [v for m in mutants for name, v in found[m.name].items() if m.rule not in rules[name]]
    share = sum(naming) / max(len(naming), 1)
    print(f"{len(mutants)} mutants, {len(chosen)} cases")
    print(f"pairs of a mutant and a case that names its rule: {len(naming)}, noticed {share:.1%}")
    print(f"other pairs: {len(others)}, as the original {1 - sum(others) / max(len(others), 1):.1%}")
    if never := [m.name for m in mutants if not any(found[m.name].values())]:
        print(f"not noticed at all: {', '.join(never)}")
    if file:
        Path(file).write_text(
            json.dumps({m.name: {"rule": m.rule, "base": m.base, "noticed": found[m.name]} for m in mutants})
        )
    return int(share < DUE)
