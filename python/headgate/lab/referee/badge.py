"""A badge: how many lines a subject passes, by where they come from, as a small picture."""

from __future__ import annotations

from html import escape

from .report import RefereeReport

#: Width of a character in the font of badges, in pixels.
_WIDTH = 6.6


def svg(report: RefereeReport) -> str:
    """The picture: the passes of lines that are in documents and follow from them, and of all other lines, never added up."""
    found = {"documents": [0, 0], "others": [0, 0]}
    for entry in report.entries:
        if entry.verdict in ("pass", "fail"):
            group = found["documents" if entry.origin in ("document", "derived") else "others"]
            group[0] += entry.verdict == "pass"
            group[1] += 1
    words = ", ".join(f"{name} {passed}/{of}" for name, (passed, of) in found.items() if of) or "nothing to pass"
    good = all(passed == of for passed, of in found.values())
    left, right = f"headgate referee: {report.subject}", words
    a, b = (round(len(part) * _WIDTH) + 12 for part in (left, right))
    # White on both grounds has a contrast above 4.5.
    ground = "#2a7236" if good else "#9a3412"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{a + b}" height="20" role="img" aria-label="{escape(left)}: {escape(right)}">'
        f"<title>{escape(left)}: {escape(right)}</title>"
        f'<rect width="{a}" height="20" fill="#444"/><rect x="{a}" width="{b}" height="20" fill="{ground}"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{a / 2:g}" y="14">{escape(left)}</text><text x="{a + b / 2:g}" y="14">{escape(right)}</text></g></svg>\n'
    )
