"""Judges every mutant and its original by all cases.

A case notices a mutant if one of its verdicts is fail or invalid, or worse, where that of the original is not. A case
that the original fails says nothing of its mutants, and does not count.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from headgate.lab.referee import judge
from headgate.lab.referee.case import Case
from headgate.lab.referee.files import cases
from headgate.lab.referee.report import RefereeReport

from .by_rules import THIRD
from .by_words import SECOND
from .mutants import MUTANTS, Mutant
from .shares import DUE, Found, report

#: The lists of mutants, by name.
LISTS = {"first": MUTANTS, "second": SECOND, "third": THIRD}

_BAD = ("fail", "invalid", "worse")


def bad(judged: RefereeReport, case: Case) -> set[tuple[str, str, str]]:
    """Which verdicts of a case are bad."""
    return {(e.place, e.kind, e.key) for e in judged.of(case.name) if e.verdict in _BAD}


def applies(judged: RefereeReport, case: Case) -> bool:
    """Whether the original has what the case needs, and does not fail it."""
    verdicts = {entry.verdict for entry in judged.of(case.name)}
    return bool(verdicts - {"n/a"}) and not verdicts & {"fail", "invalid"}


def noticed(mutant: RefereeReport, original: RefereeReport, case: Case) -> bool:
    """Whether a case tells a mutant from its original."""
    if any(entry.verdict == "invalid" for entry in mutant.of(case.name)):
        return True
    return bool(bad(mutant, case) - bad(original, case))


def judged(mutant: Mutant, chosen: list[Case], folder: Path, runs: int | None) -> RefereeReport:
    """The verdicts of a mutant, all in this process."""
    (folder / "controls").mkdir(parents=True, exist_ok=True)
    subject = mutant.subject(folder / "controls")
    # A folder has the runs of one subject.
    return judge(subject, chosen, out=folder / subject.name, runs=runs, more=runs is None, workers=0)


def compared(
    mutant: Mutant, families: list[str] | None, folder: Path, runs: int | None, naming: bool
) -> dict[str, bool]:
    """Which cases notice a mutant; those that do not apply to it are left out, and with `naming` those that do not name its rule."""
    chosen = [case for case in controls(families) if mutant.rule in case.rules or not naming]
    if mutant.transport and not mutant.table:
        # Steps drive the control by itself: another transport does not show in them.
        chosen = [case for case in chosen if not case.steps]
    if not chosen:
        return {}
    original, changed = judged(mutant.original, chosen, folder, runs), judged(mutant, chosen, folder, runs)
    return {case.name: noticed(changed, original, case) for case in chosen if applies(original, case)}


def controls(families: list[str] | None) -> list[Case]:
    """The cases for controls, of some families or all."""
    return [case for case in cases() if case.judges == "control" and case.family in (families or [case.family])]


def in_turns(mutants: list[Mutant]) -> list[Mutant]:
    """The first of each rule, then the second of each, and so on: a run that is stopped has had all rules."""
    before: Counter[str] = Counter()
    turns = []
    for mutant in mutants:
        turns.append(before[mutant.rule])
        before[mutant.rule] += 1
    return [mutant for _, mutant in sorted(zip(turns, mutants, strict=True), key=lambda pair: pair[0])]


def main() -> int:
    """Prints a line for each mutant, and the two shares; exit code 1 if too few are noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=LISTS, default="first", help="which list of mutants")
    parser.add_argument("--family", action="append", help="cases of this family only; may be given again")
    parser.add_argument("--only", action="append", help="mutants whose names begin with this; may be given again")
    parser.add_argument(
        "--runs", type=int, help="runs of each cell, and no more; as many as the case asks for unless given"
    )
    parser.add_argument("--naming", action="store_true", help="only by the cases that name the mutant's rule")
    parser.add_argument("--whole", type=int, help="the same but for this many, drawn at random, that all cases judge")
    parser.add_argument("--workers", type=int, help="processes; one per processor unless given")
    parser.add_argument("--out", help="folder in which runs are kept")
    parser.add_argument("--json", help="file for who noticed whom")
    options = parser.parse_args()
    chosen = controls(options.family)
    mutants = in_turns([m for m in LISTS[options.set] if m.name.startswith(tuple(options.only or [""]))])
    found = Found({case.name: case.rules for case in chosen})
    with TemporaryDirectory() as temporary, ProcessPoolExecutor(options.workers, get_context("spawn")) as pool:
        folder = Path(options.out or temporary)
        shared = (options.family, folder, options.runs)
        whole = set(mutants) if options.whole is None else set(random.Random(1).sample(mutants, options.whole))
        naming = [options.naming or mutant not in whole for mutant in mutants]
        if not all(naming):
            # The originals first: their runs, and those of the baselines, are kept for all others.
            originals = list(dict.fromkeys(m.original for m, only in zip(mutants, naming, strict=True) if not only))
            list(pool.map(compared, originals, *([x] * len(originals) for x in (*shared, False))))
        done = pool.map(compared, mutants, *([x] * len(mutants) for x in shared), naming)
        for mutant, noticing in zip(mutants, done, strict=True):
            found.add(mutant, noticing)
            print(found.line(mutant.name), flush=True)
            if options.json:
                found.write(Path(options.json))
    print(report(found))
    return int(found.everywhere().share() < DUE)
