"""How many verdicts of the papers change when each packet leaves its host later by up to 0.1 packet time.

    python benches/paper_noise.py [NOISE] [PAPER ...]

Each paper is reproduced as its folder says, and once more with host noise in all scenarios of its items; studies that build scenarios of
their own from scratch have none. What changes is counted: numbers (tested ones, printed and others apart)
and claims. The runs are kept in .cache/noisy.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from headgate.papers.load import load_paper
from headgate.papers.model import Item, Paper
from headgate.papers.reproduction import Reproduction
from headgate.papers.runner import reproduce_items
from headgate.papers.runs import open_work

PAPERS = ("demers1989", "keshav1991", "stoica1998", "hasegawa2001", "kim1994")

#: Runs are kept here.
KEPT = Path(__file__).parent.parent / ".cache/noisy"


def noisy(item: Item, noise: str) -> Item:
    """The item with host noise in the scenarios of all its variants."""

    def hosts(scenario: dict[str, Any] | None) -> dict[str, Any] | None:
        return None if scenario is None else {**scenario, "hosts": {**scenario.get("hosts", {}), "noise": noise}}

    variants = tuple(replace(v, scenario=hosts(v.scenario)) for v in item.variants)
    return replace(item, scenario=hosts(item.scenario), variants=variants)


def reproduced(paper: Paper, noise: str) -> Reproduction:
    """All items of a paper, each of which is dropped once its verdicts are known."""
    items = [noisy(i, noise) for i in paper.items] if noise else list(paper.items)
    with open_work(resume=KEPT) as work:
        return reproduce_items(paper, items, work=work)


def judge(name: str, noise: str) -> None:
    """Prints what changes in a paper."""
    paper = load_paper(name)
    plain = reproduced(paper, "")
    if name == "kim1994":
        from headgate.papers.kim1994 import grid

        grid._KNOWN.clear()
    with_noise = reproduced(paper, noise)
    changes: Counter[str] = Counter()
    tested: Counter[str] = Counter()
    for a, b in zip(plain.items, with_noise.items, strict=True):
        of: Counter[str] = Counter()
        for x, y in zip(a.numbers, b.numbers, strict=True):
            kind = "printed" if x.published.printed else "others"
            tested[kind] += x.judgement.tested
            if x.verdict != y.verdict:
                of[f"{kind}: {x.verdict} to {y.verdict}"] += 1
        for f, g in zip(a.findings, b.findings, strict=True):
            tested["claims"] += f.holds is not None
            if f.holds != g.holds:
                of[f"claim {f.id}: {f.holds} to {g.holds}"] += 1
        changes += of
        if of:
            print(f"  {name} {a.item.name}: " + ", ".join(f"{n} {what}" for what, n in sorted(of.items())), flush=True)
    numbers = {
        kind: sum(n for what, n in changes.items() if what.startswith(f"{kind}:")) for kind in ("printed", "others")
    }
    claims = sum(n for what, n in changes.items() if what.startswith("claim"))
    before, after = (
        sum(n.verdict == "match" for i in r.items for n in i.numbers if n.published.printed)
        for r in (plain, with_noise)
    )
    print(
        f"{name}, noise of {noise}: {numbers['printed']} of {tested['printed']} verdicts of printed numbers change "
        f"({before} match without noise, {after} with it), {numbers['others']} of {tested['others']} of others, "
        f"{claims} of {tested['claims']} of claims",
        flush=True,
    )


if __name__ == "__main__":
    given = sys.argv[1:]
    amount = given.pop(0) if given and given[0][:1].isdigit() else "0.1pkt"
    for each in given or PAPERS:
        judge(each, amount)
