"""The buffer of a link in the form of all judges: the answer, the two rules, all buffers, and the figure of the page."""

from __future__ import annotations

from typing import Any

from ...base.counts import counted
from ...base.palette import BLUE, GREY, VERMILION
from ..frame.places import PACKET
from ..frame.report import FailedLine, JudgeReport, ReportFigure, ReportPart, ReportTable
from . import Point

HEADS = ("packets", "BDP", "utilisation", "wait, ms", "lost, %")


def answer(found: dict[str, Any], subject: str, drawn: bool) -> JudgeReport:
    """The report; `subject` names the link and its flows, and with `drawn` it has the figure."""
    best, busy, failed, notes = found["smallest"], found["busy"], [], []
    if best is None:
        last = found["buffers"][-1]
        failed = [FailedLine(f"utilisation with {_size(last)}", _cells(last)[2], f"{busy:g} or more", "ours")]
        said = f"no buffer of up to {_size(last)} keeps the link busy"
    else:
        _, _, utilisation, wait, lost = _cells(best)
        said = (
            f"a buffer of {_size(best)} keeps the link busy: utilisation {utilisation}. A packet waits "
            f"{wait} ms, and {lost} % are lost"
        )
    if (teeth := found["duration_s"] / (1.5 * found["bdp_packets"] / found["flows"] * found["rtt_s"])) < 5:
        notes += [f"A run is short: a Reno flow that loses a packet when the queue is full does so {teeth:.1f} times."]
    made = (
        f"Busy from {busy:g} on; {counted(found['runs'], 'run')} of {found['duration_s']:.3g} s, a third of it warm-up."
    )
    rules = [[r["name"], r["verdict"], *_cells(r["buffer"])] for r in found["rules"]]
    return JudgeReport(
        "buffer", subject, f"{subject}: {said}.", failed=failed, notes=[*notes, made],
        tables=[
            ReportTable("Rules", ("rule", "is", *HEADS), rules, (0, 1), [f"{r['name']}: {r['source']}" for r in found["rules"]]),
            ReportTable("Buffers", HEADS, [_cells(point) for point in found["buffers"]], ()),
        ],
        parts=[_figure(found)] if drawn else [],
    )  # fmt: skip


def _figure(found: dict[str, Any]) -> ReportPart:
    from ...plots.canvas import blank, to_svg

    sheet, points = blank(6.4, 4.6), found["buffers"]
    above, below = sheet.subplots(2, 1, sharex=True)
    for axes, name, factor, colour in ((above, "utilisation", 1, BLUE), (below, "wait_s", 1e3, VERMILION)):
        values, halves = ([factor * (point[name][i] or 0.0) for point in points] for i in (0, 1))
        axes.errorbar([point["bdps"] for point in points], values, yerr=halves, color=colour, marker="o", ms=4, lw=1.2)
        for rule, line in zip(found["rules"], ("--", ":"), strict=True):
            axes.axvline(rule["buffer"]["bdps"], color=GREY, lw=0.9, ls=line, label=rule["name"])
    above.axhline(found["busy"], color=GREY, lw=0.6)
    above.set(xscale="log", ylabel="utilisation")
    above.legend(fontsize=7.5, frameon=False)
    below.set(ylabel="mean wait (ms)", xlabel="buffer (bandwidth-delay products)")
    below.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    caption = "Utilisation and mean wait over the buffer, with 95 % intervals; vertical lines show the rules, the horizontal one the bound."
    return ReportPart("Figure", figures=[ReportFigure(caption, to_svg(sheet, caption))])


def _size(point: Point) -> str:
    return f"{counted(point['packets'], 'packet')} of {PACKET} bytes ({point['bdps']:.2g} BDP)"


def _cells(point: Point) -> list[str]:
    means = []
    for name, factor, form in (("utilisation", 1, ".4f"), ("wait_s", 1e3, ".2f"), ("loss", 100, ".2g")):
        mean, half = (None if value is None else f"{factor * value:{form}}" for value in point[name])
        means.append((mean or "-") + (f" ± {half}" if half and name != "loss" else ""))
    return [str(point["packets"]), f"{point['bdps']:.2g}", *means]
