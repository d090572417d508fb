"""The outcome of every claim by the text alone, and with settings that the text does not have: random delays, a smaller quantum.

An outcome rests on the mean of all runs. Beside it is how many of the runs say the same by themselves, and whether it stays as it is
whichever run is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..claims import Result, Runs
from ..measure import Floats
from ..model import Published, Table
from ..verdict import Sample, judge
from .equations import stated
from .measures import BELOW, Early, Exchanged, FairShares, Measured
from .statements import CLAIMS, TESTS, Test, skill

#: The settings, by what tables call them: the names of their runs in `paper.toml`.
SETTINGS: dict[str, tuple[str, ...]] = {
    "text": (),
    "jitter": ("jitter",),
    "quantum": ("quantum",),
    "both": ("both", "jitter"),
}


#: What tables call them, and the part of the runs of the text alone that is as long as those with a setting.
NAMES = {
    "text": "the text alone",
    "early": "1000 s of it",
    "jitter": "jitter of 20 ms",
    "quantum": "quantum of 250 bytes",
    "both": "both",
}


class Part(Measured):
    """Some of the runs; `taken` are the variants that were looked at."""

    def __init__(self, whole: Measured, chosen: Sequence[int] | None = None) -> None:
        """Takes all runs, and the numbers of those that count; all unless given."""
        super().__init__(whole._runs, *whole._settings)
        self._whole, self._chosen = whole, chosen
        self.taken: set[str] = set()

    def variant(self, case: str, line: int) -> str:
        """That of all runs."""
        return self._whole.variant(case, line)

    def every(self, case: str, line: int) -> dict[str, Floats]:
        """Those of the chosen runs."""
        self.taken.add(f"{self._whole.name} {self.variant(case, line)}")
        every = self._whole.every(case, line)
        return every if self._chosen is None else {k: v[list(self._chosen)] for k, v in every.items()}


@dataclass(frozen=True)
class Outcome:
    """Whether a claim holds with a setting, and the measured value in words.

    `alone` of the `runs` say the same by themselves; `firm` if it also stays without any one of them. There are no runs where it looks at
    the equations or at one trace. `same` says that none of the runs is another one than by the text alone.
    """

    holds: bool
    measured: str
    alone: int
    runs: int
    firm: bool
    same: bool

    def __str__(self) -> str:
        """How tables write it."""
        if self.same:
            return "="
        of = f" {self.alone}/{self.runs}{'' if self.firm else ' ~'}" if self.runs else ""
        return f"{'holds' if self.holds else 'fails'}{of}"


def outcomes(test: Test, measured: dict[str, Measured], runs: int) -> dict[str, Outcome]:
    """The outcome of a claim with each of the settings, the first of which is the text alone."""
    found: dict[str, Outcome] = {}
    first: set[str] | None = None
    for name, m in measured.items():
        whole = Part(m)
        holds, text = _tested(test, whole)
        number = runs if whole.taken else 0
        alone = [_tested(test, Part(m, [k]))[0] for k in range(number)]
        without = [_tested(test, Part(m, [i for i in range(number) if i != k]))[0] for k in range(number) if number > 1]
        same = whole.taken == first
        first = whole.taken if first is None else first
        found[name] = Outcome(holds, text, alone.count(holds), number, all(w == holds for w in without), same)
    return found


def _tested(test: Test, m: Measured) -> Result:
    with np.errstate(all="ignore"):
        holds, text = test(m)
    return bool(holds), text


def _number(runs: Runs, number: Published) -> Test:
    """A number of the text as a test, judged as its verdict is."""
    rule = runs.paper.rule(runs.item.name, number)

    def test(m: Measured) -> Result:
        value = stated(m)[number.metric, number.row, number.source]
        return judge(number, rule, Sample(value, np.zeros(0))).verdict == "match", f"{value:.3f}"

    return test


def tests(runs: Runs) -> dict[tuple[str, str], Test]:
    """Every claim and every number of the text, by its name and what it states."""
    numbers = [n for n in runs.item.numbers if n.table == "statements"]
    return {
        **{(c.id, c.text): TESTS[c.id] for c in CLAIMS.all},
        **{("", f"{n.row}: {n.metric.replace('_', ' ')} {n.value:g}"): _number(runs, n) for n in numbers},
    }


def runs_each(runs: Runs) -> int:
    """How many runs an outcome rests on: the first one and those that every variant has that is not a trace; one where none has others."""
    others = [len(more) for more in runs.seeds.values() if more]
    return 1 + (min(runs.item.seeds, *others) if others else 0)


def all_outcomes(runs: Runs) -> dict[tuple[str, str], dict[str, Outcome]]:
    """The outcomes of every claim and statement."""
    text, *others = ((name, Measured.of(runs, *of)) for name, of in SETTINGS.items())
    measured = dict([text, ("early", Early.of(runs)), *others])
    return {key: outcomes(test, measured, runs_each(runs)) for key, test in tests(runs).items()}


def compared(runs: Runs, found: dict[tuple[str, str], dict[str, Outcome]]) -> list[Table]:
    """A row for each claim, with what two models that know nothing of disciplines say of it."""
    known = tests(runs)
    rows: list[Table] = []
    for key, of in found.items():
        nulls = {m.name: "holds" if _tested(known[key], m.of(runs))[0] else "fails" for m in (FairShares, Exchanged)}
        cells = {name: str(outcome) for name, outcome in of.items()}
        rows.append(
            {
                "claim": key[0],
                "states": key[1],
                "fair": nulls["fair shares"],
                "other": nulls["another discipline"],
                **cells,
            }
        )
    return rows


def moved(found: dict[tuple[str, str], dict[str, Outcome]]) -> list[Table]:
    """A row for each claim and setting with which its outcome is another one than by the text alone, or that fails with one of them."""
    return [
        {"claim": key[0] or key[1], "setting": NAMES[name], "outcome": str(outcome), "measured": outcome.measured}
        for key, of in found.items()
        if not all(o.holds for o in of.values())
        for name, outcome in of.items()
        if not outcome.same
    ]


def skills(runs: Runs, found: dict[tuple[str, str], dict[str, Outcome]]) -> list[Table]:
    """How many claims hold with each setting, and for two models that know nothing of disciplines."""
    rows = [{"setting": NAMES[name], **skill(runs, *of)} for name, of in SETTINGS.items()]
    early = [of["early"].holds for key, of in found.items() if key[0]]
    none = dict.fromkeys(("fair", "other", "only"))
    return [rows[0], {"setting": NAMES["early"], "claims": len(early), "ours": sum(early), **none}, *rows[1:]]


def indices(runs: Runs, case: str, setting: str) -> Table | None:
    """Jain's indices of a discipline with a setting."""
    m = Measured.of(runs, *SETTINGS[setting])
    return {"jain": m.jains(case, BELOW[::2])}
