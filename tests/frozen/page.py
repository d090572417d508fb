"""Prints as JSON what no command prints: answers of the explorer's server, the help of all commands, the lists of Python.

python -m tests.frozen.page catalogue|help|start|run|lessons|compare|replay|study
    python -m tests.frozen.page packets DISCIPLINE
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.explorer import Page, scenario

#: Keys of answers that differ from run to run: the name of a run, and how long it took.
VARIES = ("run", "seconds")


def catalogue() -> Any:
    """The lists of algorithms as Python has them."""
    import headgate
    from headgate.cli.commands.list import KINDS

    kinds = [kind for kind in KINDS if kind != "short-names"]
    return {kind: {name: repr(entry) for name, entry in headgate.catalogue(kind).items()} for kind in kinds}


def help_of() -> Any:
    """What every command says of itself."""
    from click.testing import CliRunner

    from headgate.cli.group import cli

    return {name: CliRunner().invoke(cli, [name, "--help"]).output.splitlines() for name in cli.commands}


def start() -> Any:
    """The page of a scenario: its beginning, a control that is changed, a wrong value, the start page, a line of `headgate quick`."""
    from headgate.explore.subject import subject_of

    page = Page(subject_of(Path("scenarios/two-sources.toml")))
    found = page.get("/api/start").json()
    data = found["scenario"]
    setting = {"scenario": data, "path": "links.slow.rate"}
    return {
        "start": found,
        "set": page.post("/api/set", setting | {"value": "40kbit/s"}).json(),
        "wrong": page.post("/api/set", setting | {"value": "fast"}).json(),
        "front": page.get("/api/front").json(),
        "quick": page.post("/api/quick", {"given": {}, "path": "rtt", "value": "50ms"}).json(),
        "link": page.post("/api/link", {"scenario": data}).json(),
    }


def packets(kind: str) -> Any:
    """Of a run under a discipline: packets, and the stories of some that were dropped and of some that came."""
    page = Page()
    done = page.run(under(kind))
    run = f"/api/run/{done['run']}"
    listed = {which: page.get(f"{run}/packets", port="slow", kind=which, limit=3).json() for which in ("drop", "all")}
    found = [packet["id"] for one in listed.values() for packet in one["packets"][-1:]]
    return {"packets": listed, "stories": [page.get(f"{run}/packet/slow/{number}").json() for number in found]}


def run_of() -> Any:
    """A run: its summary and its charts, the queues at a moment, exports."""
    page = Page()
    done = page.run(under("red"))
    run = f"/api/run/{done['run']}"
    texts = {form: page.get(f"{run}/export", form=form).text.splitlines() for form in ("toml", "python")}
    csv = page.get(f"{run}/export", form="csv", view="backlog").text.splitlines()
    return {"done": done, "network": page.get(f"{run}/network", at=30).json(), "csv": csv, **texts}


def under(kind: str) -> dict[str, Any]:
    """The scenario of the explorer's tests under a discipline."""
    data = scenario()
    data["links"][1]["queue"] = {"kind": kind, "buffer": "15pkt"}
    return data


def lessons() -> Any:
    """The list of lessons, each lesson, and the answers of some."""
    from headgate.explore.controls import with_value
    from headgate.explore.lesson import lessons as known
    from headgate.scenario.scenario import Scenario

    page = Page()
    answers = {}
    for name in ("window", "weights", "game"):
        lesson = known()[name]
        body = {"scenario": with_value(Scenario(lesson.scenario), lesson.change, lesson.to).data, "answer": 1}
        answers[name] = page.lines(f"/api/lessons/{name}/answer", body)[-1]
    shown = {name: page.get(f"/api/lessons/{name}").json() for name in known()}
    return {"lessons": page.get("/api/start").json()["lessons"], "shown": shown, "answers": answers}


def compare() -> Any:
    """Two scenarios held against each other, and whether shares depend on the phase of arrivals."""
    page, other = Page(), scenario()
    other["links"][1]["queue"] = {"kind": "fcfs", "buffer": "15pkt"}
    return {
        "compare": page.lines("/api/compare", {"a": {"scenario": scenario()}, "b": {"scenario": other}, "seeds": 2})[
            -1
        ],
        "phase": page.lines("/api/phase", {"scenario": other, "seed": 1, "replication": 0})[-1],
    }


def replay() -> Any:
    """A replay on the page."""
    from headgate.explore.subject import subject_of

    page = Page(
        subject_of(Path("scenarios/office.csv"), {"queue": ["fq", "fcfs"], "rate": "2Mbit/s", "buffer": "64KB"})
    )
    begun = page.get("/api/start").json()
    return {"start": begun, "done": page.run(begun["scenario"], 1)}


def study() -> Any:
    """A study on the page."""
    from headgate.explore.subject import subject_of

    page = Page(subject_of(Path("out/queues")))
    return {
        "study": page.get("/api/study").json(),
        "grid": page.get("/api/study/grid", metric="goodput", x="rate", y="queue").json(),
        "variant": page.get("/api/study/variant/3").json(),
        "wrong": page.get("/api/study/grid", metric="nothing", x="rate").json(),
    }


PARTS: dict[str, Callable[..., Any]] = {
    "catalogue": catalogue, "help": help_of, "start": start, "run": run_of, "packets": packets, "lessons": lessons, "compare": compare,
    "replay": replay, "study": study,
}  # fmt: skip


def plain(value: Any) -> Any:
    """A value without what differs from run to run."""
    if isinstance(value, dict):
        return {k: "#" if k in VARIES else plain(v) for k, v in value.items()}
    return [plain(v) for v in value] if isinstance(value, list) else value


if __name__ == "__main__":
    print(json.dumps(plain(PARTS[sys.argv[1]](*sys.argv[2:])), indent=1))
