"""Writes the pictures of the cards on the explorer's start page and the papers' counts, as a part of `make figures`.

Each lesson and each example is run as its file has it. The counts come from the summaries that `make verdicts` wrote.
"""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import verdicts

from headgate import _core
from headgate.explore.engine import run
from headgate.explore.front.cards import FILE
from headgate.explore.lesson import lessons
from headgate.explore.page_scenario import prepared
from headgate.explore.replays.run import replayed
from headgate.explore.runs import finished
from headgate.explore.store import Finished
from headgate.explore.subject import subject_of
from headgate.papers.load import load_paper
from headgate.scenario.examples import RECORDED, examples
from headgate.scenario.scenario import Scenario

#: Points of a line, and lines of a picture.
POINTS, LINES = 40, 4

#: Views of examples; of the others the goodput.
VIEWS = {"game": "queueing", "lossy-links": "rtt", "sqm": "rtt"}


def lines(run: Finished, view: str) -> list[list[int]]:
    """The lines of a view as values from 0 to 100, at equal distances; the median of what lies between two."""
    found = json.loads(run.view(view).points_of(run, 0.0, run.until, 10 * POINTS))["series"][:LINES]
    times = np.linspace(0, run.until, 4 * POINTS, endpoint=False).reshape(POINTS, 4)
    held = [[_at(np.asarray(line["t"]), np.asarray(line["y"], float), part) for part in times] for line in found]
    most = max(chain.from_iterable(held), default=0.0)
    return [[round(100 * y / most) if most > 0 else 0 for y in line] for line in held]


def _at(t: Any, y: Any, times: Any) -> float:
    # A line holds its value until the next point.
    places = np.maximum(np.searchsorted(t, times, "right") - 1, 0)
    known = y[places][np.isfinite(y[places])]
    return float(np.median(known)) if known.size else 0.0


def ran(scenario: Scenario) -> Finished:
    """A run as the explorer shows it."""
    ready = prepared(scenario)
    return finished(scenario, ready, run(ready, None, _core.Control()), 0.0, None)


def papers() -> list[dict[str, Any]]:
    """Each paper with its counts; those of others first, in the order of their years."""
    found = []
    for name in verdicts.names():
        paper, counted = load_paper(name), verdicts.counts(name)
        printed, claims = counted["printed"], counted["claims"]
        found.append(
            {
                "name": name,
                "title": paper.title,
                "reference": paper.reference,
                "ours": paper.ours,
                "tested": printed["tested"],
                "match": printed["match"],
                "trivial": printed["trivial"],
                "hold": claims["hold"],
                "claims": claims["hold"] + claims["fail"],
            }
        )
    return sorted(found, key=lambda x: (x["ours"], x["name"][-4:], x["name"]))


def made() -> str:
    """The text of the file."""
    traced = {name: subject_of(next(e.file for e in examples() if e.name == name)).scenario for name in RECORDED}
    pictures = {
        "lessons": {x.name: lines(ran(Scenario(x.scenario)), x.view) for x in lessons().values()},
        "examples": {
            x.name: lines(ran(Scenario.from_file(x.file).base()), VIEWS.get(x.name, "throughput"))
            for x in examples()
            if x.name not in RECORDED
        }
        | {name: lines(replayed(of, _core.Control(), 10**9), "throughput") for name, of in traced.items()},
    }
    return (
        json.dumps({**pictures, "papers": papers()}, separators=(",", ":"))
        .replace('":{"', '":{\n"')
        .replace("]],", "]],\n")
        + "\n"
    )


def main() -> None:
    """Writes the file."""
    Path(FILE).write_text(made(), "utf-8")


if __name__ == "__main__":
    main()
