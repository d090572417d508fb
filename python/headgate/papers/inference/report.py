"""What `headgate infer` prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ...base.counts import counted
from .conclusions import Conclusion
from .result import Answer, Block, Inference

#: What the table says of each outcome.
_WORDS = {
    "found": "found",
    "confirmed": "confirmed",
    "undetermined": "undetermined",
    "held": "not examined",
    "one row": "one row only",
    "no effect": "no effect",
}

_SETTINGS = {"text": "by the text alone", "default": "as the folder has it", "inferred": "with what was found"}


def print_inference(found: Inference, out: Console, figure: Path | None) -> None:
    """Prints the answers, block by block, and what they rest on."""
    out.print(f"[bold]{escape(found.paper)}[/]: what its numbers say of what its text leaves open", soft_wrap=True)
    for block in found.blocks:
        out.print()
        _block(block, out)
    if found.counts:
        out.print()
        out.print("Printed numbers that match:")
        for c in found.counts:
            out.print(f"  {_SETTINGS[c.setting]:<22} {c.match} of {c.judged}")
    out.print()
    out.print(f"{counted(found.runs, 'run')}, up to {counted(found.starts, 'start')} of a setting, seed {found.seed}")
    if figure is not None:
        out.print(f"figure: {escape(str(figure))}", soft_wrap=True)


def print_conclusions(found: Sequence[Conclusion], out: Console) -> None:
    """Prints the claims that depend on an unknown: for each level whether they hold and at what share of starts, the folder's first."""
    if not found:
        out.print("No claim depends on an unknown.")
    for unknown in dict.fromkeys(c.unknown.name for c in found):
        own = [c for c in found if c.unknown.name == unknown]
        out.print(f"[bold]{escape(unknown)}[/]: {escape(own[0].unknown.about)}", soft_wrap=True)
        for c in own:
            out.print(f"  {escape(c.claim)} ({escape(c.item)}): {escape(c.text)}", soft_wrap=True)
            for holds, word in ((True, "holds"), (False, "fails")):
                levels = ", ".join(f"{level} ({x:.2g})" for level, x in c.shares.items() if (x > 0.5) is holds)
                out.print(f"    {word} with {escape(levels)}", soft_wrap=True)


def _block(block: Block, out: Console) -> None:
    table = Table(box=None, pad_edge=False, show_edge=False)
    table.add_column("unknown", overflow="fold")
    table.add_column("folder", overflow="fold")
    table.add_column("answer")
    table.add_column("level", overflow="fold")
    table.add_column("prob.", justify="right")
    table.add_column("unseen", justify="right")
    table.add_column("null", justify="right")
    for a in block.answers:
        table.add_row(*(escape(cell) for cell in _cells(a)))
    out.print(table)
    rows = sum(len(part) for part in block.rows)
    if rows:
        out.print(f"{rows} rows in {len(block.rows)} parts, {block.settings} settings{_gains(block)}")
    for kind, value in block.climbed.items():
        out.print(f"climbing for {'the paper' if kind == 'paper' else kind}: gain {value:.1f}")
    for a in block.answers:
        for row, loss in a.against:
            out.print(
                f"against {escape(a.unknown.name)} = {escape(a.words)}: {escape(row)} loses {loss:.1f}", soft_wrap=True
            )


def _cells(a: Answer) -> tuple[str, ...]:
    u = a.unknown
    judged = a.outcome in ("found", "confirmed", "undetermined")
    top = int(a.posterior.argmax()) if len(a.posterior) else -1
    level = a.words or ("" if top < 0 else f"({u.levels[top].name})")
    probability = f"{a.posterior[top]:.2f}" if top >= 0 else ""
    return (
        u.name,
        u.levels[u.default].name,
        _WORDS[a.outcome],
        level,
        probability,
        f"{a.unseen:.1f}" if judged else "",
        f"{a.null:.1f}" if judged else "",
    )


def _gains(block: Block) -> str:
    if block.gains is None:
        return ""
    nulls = sorted(g.unseen for kind, of in block.nulls.items() if kind != "default" for g in of)
    limit = nulls[int(0.95 * (len(nulls) - 1))] if nulls else float("nan")
    beyond = "beyond" if block.beyond else "not beyond"
    return f"; gain on seen rows {block.gains.seen:.1f}, on unseen {block.gains.unseen:.1f}, {beyond} that of the null papers ({limit:.1f})"
