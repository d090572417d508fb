"""Makes the page of the matrix again: `python docs/matrix.py`, from the root of a checkout.

It runs `headgate matrix` once, some minutes on two cores, and keeps what it found in docs/_generated/matrix.json; the page's tables
are written from that. With `--write` only these are written; with `--check` it fails if they are not those of what was found, or if the
predictions or the options are not those that it was found with.

The predictions were written before the first run. They stay as they were, right or wrong.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "docs/_generated/matrix.json"
PAGE = ROOT / "docs/_generated/matrix.md"
IMAGES = ROOT / "docs/images"

#: What is run.
OPTIONS: dict[str, Any] = {
    "controls": "cubic,reno,bbr1,vegas",
    "queues": "fcfs,fq,csfq,drr_plus,fq_codel,dualpi2",
    "rate": "20Mbit/s",
    "rtt": "40ms",
    "buffer": "1bdp",
    "ratio": "4",
    "web": True,
    "duration": "60s",
    "runs": 5,
}

#: Measures that the page shows, and those of which it has a figure.
SHOWN = ("share", "harm", "sparse_p95", "delay_p95", "utilisation")
DRAWN = ("share", "sparse_p95")

QUEUES = OPTIONS["queues"].split(",")
CONTROLS = OPTIONS["controls"].split(",")

#: A mean by measure, queue, ratio, A and B; B is None where A is alone.
Means = dict[tuple[str, str, float, str, str | None], tuple[float, float | None]]


def pairs(means: Means, measure: str, queue: str, ratio: float = 1.0) -> list[float]:
    """A measure of all pairs of a queue, each once where round trips are equal."""
    return [
        means[measure, queue, ratio, a, b][0]
        for i, a in enumerate(CONTROLS)
        for j, b in enumerate(CONTROLS)
        if ratio != 1 or i <= j
    ]


def between(values: Iterable[float], scale: float = 1.0, digits: int = 2) -> str:
    """The extremes of some values."""
    scaled = [v * scale for v in values]
    return f"{min(scaled):.{digits}f} to {max(scaled):.{digits}f}"


def off(values: list[float]) -> float:
    """How far shares are from a half, in the mean."""
    return sum(abs(v - 0.5) for v in values) / len(values)


def p1(means: Means) -> tuple[bool, str]:
    fq, codel = pairs(means, "share", "fq"), pairs(means, "share", "fq_codel")
    good = all(0.45 <= v <= 0.55 for v in [*fq, *codel])
    return good, f"FQ {between(fq)}, FQ-CoDel {between(codel)}"


def p2(means: Means) -> tuple[bool, str]:
    fq, codel = pairs(means, "sparse_p95", "fq"), pairs(means, "sparse_p95", "fq_codel")
    fcfs = [means["sparse_p95", "fcfs", 1.0, "cubic", b][0] for b in CONTROLS]
    good = max(*fq, *codel) <= 0.022 and min(fcfs) >= 0.040
    text = f"FQ {between(fq, 1e3, 1)} ms, FQ-CoDel {between(codel, 1e3, 1)} ms, FCFS beside cubic {between(fcfs, 1e3, 1)} ms"
    return good, text


def p3(means: Means) -> tuple[bool, str]:
    fq, codel = (means["delay_p95", q, 1.0, "cubic", "cubic"][0] for q in ("fq", "fq_codel"))
    return fq >= 0.045 and codel <= 0.035, f"FQ {fq * 1e3:.1f} ms, FQ-CoDel {codel * 1e3:.1f} ms"


def p4(means: Means) -> tuple[bool, str]:
    csfq, fq = pairs(means, "share", "csfq"), pairs(means, "share", "fq")
    good = all(0.35 <= v <= 0.65 for v in csfq) and off(csfq) >= 2 * off(fq)
    return good, f"CSFQ {between(csfq)}; from a half in the mean {off(csfq):.3f}, FQ {off(fq):.3f}"


def p5(means: Means) -> tuple[bool, str]:
    csfq = [means["sparse_p95", "csfq", 1.0, "cubic", b][0] for b in CONTROLS]
    return min(csfq) >= 0.035, f"{between(csfq, 1e3, 1)} ms"


def p6(means: Means) -> tuple[bool, str]:
    shares, delays = pairs(means, "share", "drr_plus"), pairs(means, "sparse_p95", "drr_plus")
    good = all(0.45 <= v <= 0.55 for v in shares) and max(delays) <= 0.0225
    return good, f"shares {between(shares)}, delay {between(delays, 1e3, 1)} ms"


def p7(means: Means) -> tuple[bool, str]:
    plus, fq = (means["utilisation", q, 1.0, "cubic", "cubic"][0] for q in ("drr_plus", "fq"))
    return plus < 0.97 and fq > 0.985, f"DRR+ {plus:.1%}, FQ {fq:.1%}"


def p8(means: Means) -> tuple[bool, str]:
    share = means["share", "dualpi2", 1.0, "bbr1", "reno"][0]
    dual, fq = pairs(means, "sparse_p95", "dualpi2"), pairs(means, "sparse_p95", "fq")
    good = share >= 0.75 and all(a > b for a, b in zip(dual, fq, strict=True))
    return good, f"share of bbr1 {share:.2f}; sparse flow {between(dual, 1e3, 1)} ms, FQ {between(fq, 1e3, 1)} ms"


def p9(means: Means) -> tuple[bool, str]:
    worst = {q: max(means["harm", q, 1.0, a, b][0] for a in CONTROLS for b in CONTROLS) for q in ("fq", "fcfs")}
    return worst["fq"] <= 0.55 and worst["fcfs"] >= 0.8, f"FQ {worst['fq']:.2f}, FCFS {worst['fcfs']:.2f}"


def p10(means: Means) -> tuple[bool, str]:
    fq, fcfs, plus = (off(pairs(means, "share", q, 4.0)) for q in ("fq", "fcfs", "drr_plus"))
    return fq < fcfs and fq < plus, f"from a half in the mean: FQ {fq:.3f}, FCFS {fcfs:.3f}, DRR+ {plus:.3f}"


def p11(means: Means) -> tuple[bool, str]:
    fq, fcfs, codel = (means["web_p95", q, 1.0, "cubic", "cubic"][0] for q in ("fq", "fcfs", "fq_codel"))
    good = fq <= fcfs and abs(codel - fq) <= 0.2 * fq
    return good, f"FQ {fq:.2f} s, FCFS {fcfs:.2f} s, FQ-CoDel {codel:.2f} s"


#: The predictions, as they stood before the run, with what holds them against it.
PREDICTIONS: list[tuple[str, Callable[[Means], tuple[bool, str]]]] = [
    (
        "FQ of 1989 shares the line as FQ-CoDel does: with equal round trips every pair has between 0.45 and 0.55 "
        "under both.",
        p1,
    ),
    (
        "FQ keeps the call as short as FQ-CoDel: 95 % of its packets take at most 22 ms in every pair; FCFS "
        "beside cubic 40 ms or more.",
        p2,
    ),
    (
        "What FQ lacks is an answer to a flow's own queue: cubic beside cubic takes 45 ms or more (95 %), with "
        "FQ-CoDel at most 35 ms.",
        p3,
    ),
    (
        "CSFQ of 1998 shares less well: every pair between 0.35 and 0.65, but at least twice as far from a half "
        "as FQ in the mean.",
        p4,
    ),
    (
        "CSFQ has one queue, so the call waits in it: 35 ms or more (95 %) beside cubic and anything.",
        p5,
    ),
    (
        "DRR+ of 2001 isolates as FQ does: shares between 0.45 and 0.55, and the call at most 22.5 ms.",
        p6,
    ),
    (
        "DRR+ pays with throughput: its thresholds of 5 and 15 KB leave cubic beside cubic below 97 % of the "
        "line, where FQ has 98.5 %.",
        p7,
    ),
    (
        "DualPI2 protects no classic flow from another: bbr1 has 0.75 or more beside reno, and the call waits "
        "longer than under FQ in every pair.",
        p8,
    ),
    (
        "No harm to goodput is above 0.55 under FQ with equal round trips, where 0.5 is a fair half; FCFS has one "
        "of 0.8 or more.",
        p9,
    ),
    (
        "With B four times as far, FQ is nearer to equal shares than FCFS in the mean, and than DRR+, whose short "
        "queues starve long paths.",
        p10,
    ),
    (
        "Pages beside two cubic flows come no later (95 %) with FQ than with FCFS, and FQ-CoDel is within 20 % of FQ.",
        p11,
    ),
]


def ask() -> None:
    """Runs the matrix, draws its figures, and keeps what was found."""
    from headgate.matrix import Matrix
    from headgate.matrix.figures import draw

    matrix = Matrix(**OPTIONS)
    result = matrix.run(ROOT / ".cache/matrix", resume=True)
    for measure in DRAWN:
        draw(result, measure, result.conditions[: len(QUEUES)]).save(IMAGES / f"matrix-{measure}.svg")
    measures = [*SHOWN, "delay_p50", "goodput", "loss", "sparse_loss", "harm_delay", "web_p50", "web_p95"]
    means = []
    for condition in result.conditions:
        for a in CONTROLS:
            for b in (*CONTROLS, None):
                for measure in measures:
                    if b is None and measure in ("share", "harm", "harm_delay"):
                        continue
                    mean = result.at(measure, condition, a, b).to_dict()
                    half = None if mean["ci95"] is None else mean["ci95"][1] - mean["mean"]  # type: ignore[index,operator]
                    means.append([measure, condition.queue, condition.ratio, a, b, _short(mean["mean"]), _short(half)])
    surprises = {
        k: [[str(s.cell), _short(s.value.mean), _short(s.value.half)] for s in found]
        for k, found in result.surprises.items()
    }
    kept = {
        "options": OPTIONS,
        "predictions": [text for text, _ in PREDICTIONS],
        "version": result.to_dict()["version"],
        "runs": matrix.runs,
        "minutes": round(sum(result.study.times["cpu_s"].to_pylist()) / 60, 1),
        "surprises": surprises,
        "means": means,
    }
    KEPT.parent.mkdir(exist_ok=True)
    rows = ",\n  ".join(json.dumps(row) for row in kept.pop("means"))
    KEPT.write_text(json.dumps(kept, indent=1)[:-2] + f',\n "means": [\n  {rows}\n ]\n}}\n', "utf-8")


def _short(value: Any) -> float | None:
    return None if value is None else float(f"{value:.4g}")


def page() -> str:
    """The tables of the page."""
    from headgate.matrix import MEASURES

    kept = json.loads(KEPT.read_text("utf-8"))
    means: Means = {(m, q, x, a, b): (mean, half) for m, q, x, a, b, mean, half in kept["means"]}
    lines = ["<!-- Generated by docs/matrix.py; do not edit. -->", "", "## The predictions", ""]
    lines += ["| | prediction | measured |", "| --- | --- | --- |"]
    outcomes = [judge(means) for _, judge in PREDICTIONS]
    for i, ((text, _), (held, found)) in enumerate(zip(PREDICTIONS, outcomes, strict=True), 1):
        lines.append(f"| {i}, {'right' if held else '**wrong**'} | {text} | {found} |")
    right = sum(held for held, _ in outcomes)
    lines += ["", f"{right} of {len(PREDICTIONS)} were right.", ""]
    for measure in SHOWN:
        known = MEASURES[measure]
        lines += [f"## {known.heading[0].upper()}{known.heading[1:]}", ""]
        if measure in DRAWN:
            lines += [f"![{known.heading}, controls by controls, for six queues](images/matrix-{measure}.svg)", ""]
        for ratio in (1.0, float(OPTIONS["ratio"])):
            where = "Equal round trips" if ratio == 1 else f"B {ratio:g} times as far as A"
            lines += [f"{where}:", "", _row(["queue", "A", *(f"beside {b}" for b in CONTROLS)])]
            lines.append(_row(["---", "---", *["---:"] * len(CONTROLS)]))
            for queue in QUEUES:
                for i, a in enumerate(CONTROLS):
                    cells = [_cell(means[measure, queue, ratio, a, b], known) for b in CONTROLS]
                    lines.append(_row([f"`{queue}`" if i == 0 else "", a, *cells]))
            lines.append("")
    lines += ["## What stands out", ""]
    for measure, found in kept["surprises"].items():
        lines += [f"{MEASURES[measure].heading[0].upper()}{MEASURES[measure].heading[1:]}:", ""]
        lines += [f"- {cell}: {_cell((mean, half), MEASURES[measure])}" for cell, mean, half in found] + [""]
    lines += [f"{kept['runs']} runs, {kept['minutes']:g} minutes of processor time, headgate {kept['version']}."]
    return "\n".join(lines) + "\n"


def _cell(value: tuple[float | None, float | None], measure: Any) -> str:
    mean, half = value
    if mean is None:
        return "-"
    spread = "" if half is None else f" ± {half * measure.scale:.{measure.decimals}f}"
    return f"{mean * measure.scale:.{measure.decimals}f}{spread}"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def check() -> str:
    """What is not as it was found; nothing if all is."""
    kept = json.loads(KEPT.read_text("utf-8"))
    if kept["options"] != OPTIONS:
        return "the options are not those of the run"
    if kept["predictions"] != [text for text, _ in PREDICTIONS]:
        return "the predictions are not those that stood before the run"
    return "" if PAGE.read_text("utf-8") == page() else "the page is not that of the run"


def main() -> int:
    """Runs, writes or checks."""
    if "--check" in sys.argv:
        wrong = check()
        if wrong:
            print(f"docs/matrix.py: {wrong}; run `make matrix`", file=sys.stderr)
        return 1 if wrong else 0
    if "--write" not in sys.argv:
        ask()
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
