"""What `headgate infer` says, in the form of all judges: what is settled, what is uncertain and why, and on the page the rest."""

from __future__ import annotations

import math
import shlex
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ...base.counts import counted, listed, verb
from ...lab.frame.report import FailedLine, JudgeReport, ReportFigure, ReportPart, ReportTable
from .conclusions import Conclusion
from .method import AGAINST, BY_CHANCE
from .posterior import ODDS, SURE, quantile
from .result import Answer, Block, Inference

#: What the tables say of an outcome where it is not its name.
_WORDS = {"held": "not examined", "one row": "one row only"}

_SETTINGS = {"text": "by the text alone", "default": "as the folder has it", "inferred": "with what was found"}

#: The heading of what is uncertain.
UNCERTAIN = "uncertain"

_ANSWERS = ("unknown", "folder", "answer", "level", "prob.", "unseen", "null")


def answer(found: Inference, paper: str, figure: Path | None, key: str, drawn: bool) -> JudgeReport:
    """The report.

    Args:
        found: what was inferred.
        paper: as the user names it.
        figure: the file that was drawn, if one was.
        key: the paper with what was asked of it.
        drawn: whether the report has the figure, for a page.
    """
    settled = ((name, found.answer(name).unknown.levels[level].name) for name, level in found.found.items())
    words = [word for name, level in settled for word in ("--unknown", f"{name}={level}")]
    see = [("the numbers with what was found", _line("reproduce", paper, words))] if words else []
    if figure is not None:
        see.append(("probabilities of all levels", shlex.quote(str(figure))))
    counts = [[_SETTINGS[c.setting], str(c.match), str(c.judged)] for c in found.counts]
    tables = [ReportTable("Printed numbers that match", ("setting", "match", "judged"), counts)] if counts else []
    made = f"{counted(found.runs, 'run')}, up to {counted(found.starts, 'start')} of a setting, seed {found.seed}."
    return JudgeReport(
        "infer", found.paper, _sentence(found), notes=[made], beside=(UNCERTAIN, uncertain(found, paper)), see=see,
        tables=[*tables, ReportTable("Answers", _ANSWERS, [_cells(a) for a in found.answers], range(4), _NOTES)],
        asked=len(tables), parts=_parts(found) if drawn else [], key=key,
    )  # fmt: skip


_NOTES = (
    "prob.: of the level, by all rows; in brackets one that is not settled. unseen: how much more likely rows that were not seen are "
    "with the level than without, as a logarithm; null: what 95 % of the null papers stay below.",
)


def _sentence(found: Inference) -> str:
    outcomes = [a.outcome for a in found.answers]
    settled = [
        f"{a.unknown.name} is {a.words}, where the folder has {_default(a)}"
        for a in found.answers
        if a.outcome == "found"
    ]
    settled += [f"{a.unknown.name} is {a.words}, as in the folder" for a in found.answers if a.outcome == "confirmed"]
    said = (
        f"The numbers of {found.paper} settle {len(settled)} of {counted(len(outcomes), 'unknown')}"
        f"{': ' if settled else ''}{'; '.join(settled)}."
    )
    if idle := outcomes.count("no effect"):
        said += f" {counted(idle, 'unknown')} {verb(idle, 'changes', 'change')} no row."
    return said


def uncertain(found: Inference, paper: str) -> list[FailedLine]:
    """What the rows do not settle, with the number that decided so, and rows that contradict the most probable level."""
    return [line for block in found.blocks for line in _uncertain(block, paper)]


def _uncertain(block: Block, paper: str) -> Iterator[FailedLine]:
    for a in block.answers:
        u = a.unknown
        if a.outcome in ("undetermined", "one row"):
            # What the numbers would be with the level that rivals the folder's.
            rivals = [k for k in np.argsort(-a.posterior, kind="stable").tolist() if k != u.default]
            see = _line("reproduce", paper, ["--unknown", f"{u.name}={u.levels[rivals[0]].name}"])
            name, value, bound, rule = _why(a, block)
            yield FailedLine(f"{u.name}: {name}", value, bound, "ours", f"how-to/infer, rule {rule}", see)
    if held := [a.unknown.name for a in block.answers if a.outcome == "held"]:
        see = _line("infer", paper, [word for name in held for word in ("--unknown", name)])
        what, bound = "not examined", f"all combinations to be at most {block.settings}, or more --settings"
        said = f"{listed(held)}: {what}; expected {bound} (ours, how-to/infer, rule 3)"
        yield FailedLine(listed(held), what, bound, "ours", "how-to/infer, rule 3", see, said)
    items = sorted({row.split(" ", 1)[0] for part in block.rows for row in part}, key=len, reverse=True)
    for a in block.answers:
        level = a.unknown.levels[int(a.posterior.argmax())].name if a.against else ""
        for row, loss in a.against:
            item = next(name for name in items if row.startswith(f"{name} "))
            changed = [] if level == _default(a) else ["--unknown", f"{a.unknown.name}={level}"]
            yield FailedLine(
                f"{a.unknown.name} = {level}: loss of likelihood in {row}", f"{loss:.1f}", f"at most {AGAINST:g}", "ours",
                "how-to/infer, below rule 5", _line("reproduce", paper, [item, *changed]),
            )  # fmt: skip


def _why(a: Answer, block: Block) -> tuple[str, str, str, int]:
    """Why an unknown is not settled: what decided so, its number and its bound, and which rule says so."""
    limit = _limit(block)
    gain = float("nan") if block.gains is None else block.gains.unseen
    return {
        "one row": ("number of rows that depend on it", "1", "at least 2", 4),
        "turns": ("level that all parts of the rows agree on", "none", f"one of probability {SURE:g} in each", 4),
        "odds": ("gain on unseen rows", f"{a.unseen:.1f}", f"at least {math.log(ODDS):.1f}", 4),
        "null": ("gain on unseen rows", f"{a.unseen:.1f}", f"more than {a.null:.1f} as of null papers", 5),
        "beyond": ("gain of the setting on unseen rows", f"{gain:.1f}", f"more than {max(limit, 0):.1f} as of null papers", 5),
        "chance": ("share of our own runs that settle another level", f"{a.by_chance:.2f}", f"at most {BY_CHANCE:g}", 5),
    }["one row" if a.outcome == "one row" else a.why]  # fmt: skip


def _limit(block: Block) -> float:
    """What 95 % of the null papers' gains on unseen rows stay below."""
    return quantile([g.unseen for kind, of in block.nulls.items() if kind != "default" for g in of], 0.95)


def _line(command: str, paper: str, words: Sequence[str]) -> str:
    return shlex.join(["headgate", command, paper, *words])


def _default(a: Answer) -> str:
    return a.unknown.levels[a.unknown.default].name


def _cells(a: Answer) -> list[str]:
    judged = a.outcome in ("found", "confirmed", "undetermined")
    top = int(a.posterior.argmax()) if len(a.posterior) else -1
    level = a.words or ("" if top < 0 else f"({a.unknown.levels[top].name})")
    numbers = [
        f"{a.posterior[top]:.2f}" if top >= 0 else "",
        *(f"{x:.1f}" if judged else "" for x in (a.unseen, a.null)),
    ]
    return [a.unknown.name, _default(a), _WORDS.get(a.outcome, a.outcome), level, *numbers]


def _parts(found: Inference) -> list[ReportPart]:
    """The rest of the page: the figure, and of each block what it rests on."""
    from ...plots.canvas import to_svg
    from .figure import draw

    caption = "Probabilities of the levels of each unknown that changes a row."
    figure = ReportPart("Probabilities", figures=[ReportFigure(caption, to_svg(draw(found), caption))])
    return [figure, *(_part(block) for block in found.blocks)]


def _part(block: Block) -> ReportPart:
    rows = sum(map(len, block.rows))
    text = [f"{rows} rows in {len(block.rows)} parts, {block.settings} settings{_gains(block)}."] if rows else []
    for kind, value in block.climbed.items():
        text.append(f"A climb for {'the paper' if kind == 'paper' else kind} gained {value:.1f}.")
    allowed = [
        [a.unknown.name, a.unknown.about, a.unknown.allowed, a.unknown.levels[a.unknown.text].name]
        for a in block.answers
    ]
    levels = [
        [a.unknown.name if not k else "", level.name, f"{level.prior:.2f}", f"{p:.2g}"]
        for a in block.answers
        for k, (level, p) in enumerate(zip(a.unknown.levels, a.posterior, strict=bool(len(a.posterior))))
    ]
    nulls = [
        [kind, str(len(of)), *(f"{np.quantile([g.unseen for g in of], q):.1f}" for q in (0.5, 0.95, 1))]
        for kind, of in block.nulls.items()
    ]
    tables = [
        ReportTable("What the text allows", ("unknown", "about", "allowed", "by the text alone"), allowed, range(4)),
        ReportTable("Levels", ("unknown", "level", "before", "probability"), levels, (0, 1)),
        ReportTable("Gains of null papers on unseen rows", ("papers", "how many", "median", "95 %", "most"), nulls),
        ReportTable(
            "Rows", ("part", "rows"), [[str(k), ", ".join(part)] for k, part in enumerate(block.rows, 1)], range(2)
        ),
    ]
    names = listed([a.unknown.name for a in block.answers], 6)
    return ReportPart(
        f"{'Rows that depend on' if rows else 'Without effect:'} {names}", text, [t for t in tables if t.rows]
    )


def _gains(block: Block) -> str:
    if block.gains is None:
        return ""
    beyond = "beyond" if block.beyond else "not beyond"
    return (
        f"; gain on seen rows {block.gains.seen:.1f}, on unseen {block.gains.unseen:.1f}, {beyond} that of the null papers "
        f"({_limit(block):.1f})"
    )


def dependent(found: Sequence[Conclusion], subject: str, paper: str, key: str) -> JudgeReport:
    """The report on claims that depend on an unknown: for each level whether they hold and at what share of starts, the folder's first."""
    names = [c.unknown.name for c in found]
    count = len(dict.fromkeys((c.item, c.claim) for c in found))
    said = (
        f"{counted(count, 'claim')} of {subject} {verb(count, 'depends', 'depend')} on {listed(list(dict.fromkeys(names)))}."
        if found
        else f"No claim of {subject} depends on an unknown."
    )
    return JudgeReport(
        "infer", subject, said,
        notes=["In brackets: the share of starts at which a claim holds."] if found else [],
        beside=("claims that depend on an unknown", [_depends(c, paper) for c in sorted(found, key=lambda c: names.index(c.unknown.name))]),
        key=key,
    )  # fmt: skip


def _depends(c: Conclusion, paper: str) -> FailedLine:
    of = [
        (word, ", ".join(f"{level} ({x:.2g})" for level, x in c.shares.items() if (x > 0.5) is holds))
        for holds, word in ((True, "holds"), (False, "fails"))
    ]
    levels = [f"{word} with {them}" for word, them in of]
    default = c.unknown.levels[c.unknown.default].name
    other = next(x for x in c.shares if (c.shares[x] > 0.5) != (c.shares.get(default, 0.0) > 0.5))
    return FailedLine(
        f"{c.claim} ({c.item}): {c.text}", "; ".join(levels), f"the same with all levels of {c.unknown.name}",
        see=_line("reproduce", paper, [c.item, "--unknown", f"{c.unknown.name}={other}"]), said=f"{c.claim} ({c.item}): {c.text}",
        detail=tuple(row for each in levels for row in textwrap.wrap(f"{c.unknown.name}: {each}", 74)),
    )  # fmt: skip
