"""A contract in the form of all judges: what starves a flow, what the loss rate does, and the waits behind that."""

from __future__ import annotations

import math

from ...base.counts import counted
from ..frame.report import FailedLine, JudgeReport, ReportFigure, ReportPart, ReportTable
from .places import DEEP, FROM
from .result import FAILED, Contract, DelayPoint

#: Where the prediction comes from.
_SOURCE = "Arun, Alizadeh, Balakrishnan: Starvation in End-to-End Congestion Control, 2022"


def answer(found: Contract, see: str = "", key: str = "") -> JudgeReport:
    """The report; `see` is the command that draws the contract, `key` the control with its parameters."""
    predicted = f"none ({found.reason})" if found.predicted is None else f"{1e3 * found.predicted:.1f} ms"
    if found.predicted is not None and not found.rests:
        predicted += " (from waits that drift)"
    seen = "none" if found.seen is None else f"{1e3 * found.seen[0]:g} to {1e3 * found.seen[1]:g} ms"
    slope, half = found.slope
    exponent = "" if math.isnan(slope) else f"{slope:.3f}" + ("" if math.isnan(half) else f" ± {half:.3f}")
    failed = []
    if found.law is not None and found.keeps_law is False:
        bound = max(0.0 if math.isnan(half) else half, 0.1 * abs(found.law.exponent))
        failed.append(
            FailedLine(
                "exponent of the goodput in the loss rate", exponent, f"{found.law.exponent:g} ± {bound:.2g}", "document",
                found.law.source, see,
            )
        )  # fmt: skip
    if found.verdict in FAILED:
        bound_text = predicted + (" within a factor of two" if found.predicted is not None else "")
        failed.append(FailedLine("delay that starves, as seen,", seen, bound_text, "derived", _SOURCE, see))
    return JudgeReport(
        "contract",
        found.control,
        f"{found.control}: the delay of one flow that starves it ({found.ratio:g} times): predicted {predicted}, seen {seen}: "
        f"{found.verdict}.",
        notes=[_law(found, exponent), *_delay(found), f"{counted(found.runs, 'run')}."],
        failed=failed,
        see=[("drawn", see)] if see else [],
        tables=[_waits(found), _losses(found), _starving(found)],
        key=key,
    )


def parts(found: Contract) -> list[ReportPart]:
    """The figure of the page."""
    from ...plots.canvas import to_svg
    from .picture import draw

    caption = "Rate by delay, rate by loss, and what a delay of one of two flows does to both."
    return [ReportPart("Figure", figures=[ReportFigure(caption, to_svg(draw(found).matplotlib, caption))])]


def _law(found: Contract, exponent: str) -> str:
    text = (
        f"Goodput by loss rate: exponent {exponent}"
        if exponent
        else "Too few loss rates for an exponent of the goodput"
    )
    if found.law is not None:
        word = {True: "holds", False: "does not hold", None: "cannot be judged"}[found.keeps_law]
        text += f"; theory {found.law.exponent:g} ({found.law.source}) {word}"
    return f"{text}; a fixed window {found.null_slope:.3f}."


def _delay(found: Contract) -> list[str]:
    if found.fills:
        return ["It fills a buffer of any depth: its delay is no signal."]
    if math.isnan(found.delay_slope):
        return []
    return [f"Wait of two flows by their rate: exponent {found.delay_slope:.2f} (-1: packets, 0: time)."]


def _waits(found: Contract) -> ReportTable:
    of = {(p.flows, p.line / p.flows, p.before): p for p in found.delays if p.buffer == DEEP}
    rows = []
    for rate in sorted({rate for _, rate, _ in of}):
        alone = of[1, rate, 1.0]
        two = [_wait(of[2, rate, before]) for before in FROM]
        rows.append([f"{rate / 1e6:g} Mbit/s", _wait(alone), f"{_ms(alone.p5)} to {_ms(alone.p95)}", *two])
    drifting = [p.seconds for p in found.delays if not p.settled]
    notes = [f"drifts: not settled after {max(drifting):g} s"] if drifting else []
    heads = ("flow's rate", "alone", "5 to 95 %", "two, from below", "two, from above")
    return ReportTable("Wait in the queue (ms)", heads, rows, (), notes)


def _losses(found: Contract) -> ReportTable:
    rows = [
        [f"{one.loss:g}", f"{sum(one.goodput) / len(one.goodput) / 1e6:.2f}", "yes" if one.counts else ""]
        for one in found.losses
    ]
    return ReportTable("Goodput by loss rate", ("loss rate", "goodput, Mbit/s", "counted"), rows, (2,))


def _starving(found: Contract) -> ReportTable:
    rows = [
        [f"{1e3 * delay:g}", f"{'drifts ' if delay in found.drifting else ''}{ratio:.2g}"]
        for delay, ratio in ((0.0, found.without), *found.ratios)
    ]
    heads = ("delay of one flow, ms", "goodput of the other over its own")
    return ReportTable("A delay of one of two flows", heads, rows, ())


def _wait(point: DelayPoint) -> str:
    """The mean wait, and whether it still drifts."""
    return f"{'' if point.settled else 'drifts '}{_ms(point.mean)}"


def _ms(seconds: float) -> str:
    return "-" if math.isnan(seconds) else f"{1e3 * seconds:.1f}"
