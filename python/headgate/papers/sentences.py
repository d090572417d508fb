"""Sentences about the results of a reproduction, which the terminal and the report share."""

from __future__ import annotations

from collections.abc import Sequence

from .claims import Held
from .model import Paper, Published
from .rows import Row
from .skill import Skill

#: What a null model says of a claim.
NULL_SAYS = {True: "holds", False: "fails", None: "-"}


def best_starts(rows: Sequence[Row], number: Published, name: str) -> dict[int, dict[str, float]]:
    """Values of a number's measure by source at the best starts of a row of its table, but for the base run, which stands there already.

    A row that no run matches as a whole has its own best start, and so have those of its sources that are alike.
    """
    found: dict[int, dict[str, float]] = {}
    for row in rows:
        if (row.table, row.row) == (number.table, name) and row.best != row.base:
            values = {source: value for (metric, source), value in row.values.items() if metric == number.metric}
            found.setdefault(row.best, {}).update(values)
    return found


def base_text(paper: Paper) -> str:
    """What the base run of a paper's items is, in words."""
    over = [i.over_starts for i in paper.items if any(v.seeds for v in i.variants)]
    at_once, start = "all sources start at once", "the first of the starts at random"
    if over and all(over):
        return f"the base run, {start}"
    return f"the base run, {start}, or in which {at_once}" if any(over) else f"the base run, in which {at_once}"


def skill_text(skill: Skill) -> str:
    """What a count of matches says, in a sentence."""
    text = (
        f"{skill.tested} tested ours matches {skill.ours}, the trivial model {skill.trivial}, the best wrong pair {skill.wrong_pair}; "
        f"{skill.only_ours} only ours"
    )
    wide = f"{skill.wide} may be off by more than a quarter" if skill.wide else ""
    kinds = [what for what in (f"{skill.zeros} are of a 0" if skill.zeros else "", wide) if what]
    if kinds:
        text += f"; of our matches {' and '.join(kinds)}"
    if not skill.says_nothing:
        return text
    other = "the trivial model" if skill.trivial >= skill.ours else "a wrong pair"
    return f"{text}: {other} does as well"


def nulls_text(held: Held) -> str:
    """How many claims hold for the null models, in a sentence; nothing where these have no say."""
    said = [
        f"{holds} of {of} hold for {who}"
        for who, holds, of in (
            ("the trivial model", held.trivial, held.trivial_of),
            ("the best wrong pair", held.wrong_pair, held.wrong_pair_of),
        )
        if of
    ]
    return f"of the claims on which these have a say, {', '.join(said)}; {held.only_ours} only for ours" if said else ""


def row_text(row: Row) -> str:
    """The result of a row as a whole."""
    name = f"{row.row}, sources {', '.join(row.sources)}"
    which = "the base run" if row.best == row.base else f"start {row.best}"
    if row.hits:
        return f"{name}: all {row.cells} cells come out at {row.hits} of {row.starts} starts, such as {which}"
    return f"{name}: never whole in {row.starts} starts; {row.met} of {row.cells} cells at the best, {which}"
