"""Who noticed whom, as a file, and the shares: `python -m tests.referee_mutants.shares FILE` prints them of a file.

Beside them stand two nulls. In the first the words of cases change places among the cases at random, in the second
those of mutants among the mutants. A judge whose words say nothing of rules would have about these shares.
"""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headgate.lab.referee.files import cases

from .mutants import Mutant

#: Share of pairs of a mutant and a case that names its rule in which the case is to notice the mutant.
DUE = 0.9

#: How often words change places for a null.
DRAWS = 1000


@dataclass
class Found:
    """Which case notices which mutant.

    Attributes:
        rules: of each case, the words that it names.
        mutants: by name, `rule`, `also`, `base` and `size` of a mutant and who noticed it: by name of a case that applies, whether it did.
    """

    rules: dict[str, list[str]]
    mutants: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, mutant: Mutant, noticed: dict[str, bool]) -> None:
        """A mutant that was judged."""
        self.mutants[mutant.name] = {
            "rule": mutant.rule,
            "also": list(mutant.also),
            "base": mutant.base,
            "size": mutant.size,
            "noticed": noticed,
        }

    def everywhere(self) -> Found:
        """The mutants that are wrong wherever their rule applies, and not in a part of the situations alone."""
        return Found(self.rules, {name: one for name, one in self.mutants.items() if one["size"] != "part"})

    def naming(self, names: Iterable[str] | None = None) -> list[bool]:
        """Of each pair of a mutant and a case that names its rule, whether the case noticed it."""
        chosen = (self.mutants[name] for name in (self.mutants if names is None else names))
        return [seen for one in chosen for case, seen in one["noticed"].items() if one["rule"] in self.rules[case]]

    def further(self) -> list[bool]:
        """The same of cases that name further rules of the mutant and not the main one."""
        return [
            seen
            for one in self.mutants.values()
            for case, seen in one["noticed"].items()
            if one["rule"] not in self.rules[case] and set(one["also"]) & set(self.rules[case])
        ]

    def others(self) -> list[bool]:
        """The same of cases that name none of its rules."""
        return [
            seen
            for one in self.mutants.values()
            for case, seen in one["noticed"].items()
            if not {one["rule"], *one["also"]} & set(self.rules[case])
        ]

    def whole(self) -> Found:
        """Of the mutants those that were judged by other cases too, and not only by those that name their rule."""

        def more(one: dict[str, Any]) -> bool:
            return any(one["rule"] not in self.rules[case] for case in one["noticed"])

        return Found(self.rules, {name: one for name, one in self.mutants.items() if more(one)})

    def share(self) -> float:
        """Share of pairs of a mutant and a case that names its rule in which the case noticed it."""
        return mean(self.naming())

    def line(self, name: str) -> str:
        """A mutant: by how many of the cases that name its rule it is noticed, and by how many others."""
        one = self.mutants[name]
        naming = {case for case in one["noticed"] if one["rule"] in self.rules[case]}
        missed = sorted(case for case in naming if not one["noticed"][case])
        others = set(one["noticed"]) - naming
        text = f"{name:50} {one['rule']:18} {len(naming) - len(missed):3} of {len(naming):3}"
        text += f"   others {sum(one['noticed'][case] for case in others):3} of {len(others):3}"
        return text + (f"   missed by {', '.join(missed)}" if missed else "")

    def write(self, file: Path) -> None:
        """As JSON, a line for each case and each mutant; a mutant has the cases that `noticed` it and those that `missed` it."""
        lines = {}
        for name, one in self.mutants.items():
            sides: dict[str, list[str]] = {"noticed": [], "missed": []}
            for case in sorted(one["noticed"]):
                sides["noticed" if one["noticed"][case] else "missed"].append(case)
            lines[name] = {**one, **sides}
        parts: list[tuple[str, dict[str, Any]]] = [("rules", self.rules), ("mutants", lines)]
        text = ",\n".join(
            f' "{key}": {{\n' + ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in table.items()) + "\n }"
            for key, table in parts
        )
        file.write_text(f"{{\n{text}\n}}\n")

    @classmethod
    def read(cls, file: Path) -> Found:
        """What `write` wrote."""
        data = json.loads(file.read_text())
        found = cls(data["rules"])
        for name, one in data["mutants"].items():
            seen = {**dict.fromkeys(one["noticed"], True), **dict.fromkeys(one.pop("missed"), False)}
            found.mutants[name] = {**one, "noticed": seen}
        return found


def mean(seen: list[bool]) -> float:
    """Share of true ones; 0 of none."""
    return sum(seen) / max(len(seen), 1)


def groups(found: Found, key: str) -> dict[str, list[str]]:
    """The names of mutants by `size`, `base` or `rule`."""
    out: dict[str, list[str]] = defaultdict(list)
    for name, one in found.mutants.items():
        out[one[key]].append(name)
    return dict(sorted(out.items()))


def nulls(found: Found, draws: int = DRAWS) -> tuple[list[float], list[float]]:
    """Shares of pairs noticed where the words of cases, or those of mutants, have changed places at random; sorted."""
    chance = random.Random(1)
    cases, mutants = list(found.rules), list(found.mutants)
    of_cases, of_mutants = [], []
    for _ in range(draws):
        places = chance.sample(cases, len(cases))
        mixed = {case: found.rules[place] for case, place in zip(cases, places, strict=True)}
        of_cases.append(Found(mixed, found.mutants).share())
        turned = chance.sample(mutants, len(mutants))
        words = {
            name: {**found.mutants[name], "rule": found.mutants[other]["rule"]}
            for name, other in zip(mutants, turned, strict=True)
        }
        of_mutants.append(Found(found.rules, words).share())
    return sorted(of_cases), sorted(of_mutants)


def report(found: Found, draws: int = DRAWS) -> str:
    """All shares as text."""
    everywhere = found.everywhere()
    naming = everywhere.naming()
    out = [f"{len(found.mutants)} mutants, {len(found.rules)} cases"]
    out.append(
        f"{len(everywhere.mutants)} mutants that are wrong wherever their rule applies; pairs with a case that names the rule: "
        f"{len(naming)}, noticed {mean(naming):.1%}"
    )
    # Mutants that were judged by the cases that name their rule alone say nothing of what other words would have given.
    if whole := found.whole().mutants:
        part = Found(found.rules, whole)
        further, others = part.further(), part.others()
        out.append(
            f"of the {len(whole)} mutants that all cases judged: {len(part.naming())}, noticed {part.share():.1%}"
        )
        for text, values in zip(("cases", "mutants"), nulls(part, draws), strict=True):
            low, middle, high = (values[int(share * (len(values) - 1))] for share in (0.025, 0.5, 0.975))
            out.append(f"  with the words of {text} at random: {middle:.1%} (95 % of {draws}: {low:.1%} to {high:.1%})")
        out.append(f"  cases that name another of its rules: {len(further)}, noticed {mean(further):.1%}")
        out.append(f"  other cases: {len(others)}, as the original {1 - mean(others):.1%}")
        never = [name for name, one in whole.items() if not any(one["noticed"].values())]
        out.append(f"  noticed by no case at all: {', '.join(never) or 'none'}")
    steps = {case.name for case in cases() if case.steps}
    for text, wanted in (("steps", True), ("runs", False)):
        seen = [
            seen
            for one in everywhere.mutants.values()
            for case, seen in one["noticed"].items()
            if one["rule"] in found.rules[case] and (case in steps) == wanted
        ]
        out.append(f"of these pairs, cases by {text}: {len(seen)}, noticed {mean(seen):.1%}")
    for key in ("size", "base", "rule"):
        for word, names in groups(found, key).items():
            if not word:
                # The first list does not say how large its faults are.
                continue
            seen = found.naming(names)
            share = f"{mean(seen):6.1%}" if seen else "  none"
            out.append(f"{key} {word:18} {len(names):3} mutants {sum(seen):4} of {len(seen):4} pairs {share}")
    named = [name for name in found.mutants if found.naming([name])]
    missed = [name for name in named if not any(found.naming([name]))]
    out.append(
        f"mutants that have a case which names their rule: {len(named)}; noticed by none of these: {', '.join(missed)}"
    )
    return "\n".join(out)


if __name__ == "__main__":
    print(report(Found.read(Path(sys.argv[1]))))
