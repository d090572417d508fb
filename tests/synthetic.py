"""Synthetic papers: folders whose numbers our own runs made with a setting that the search is not told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from headgate.papers.build import build_scenario
from headgate.papers.levels import Setting
from headgate.papers.load import load_paper
from headgate.papers.measure import TABLES, Outcome
from headgate.papers.runs import run_all
from headgate.papers.settings import with_setting

SCENARIO = """
duration = "{duration}"
interval = "20s"
warm_up = "20s"
nodes = [{{ name = "s{{i}}", kind = "host", count = {n} }}, {{ name = "g" }}, {{ name = "sink", kind = "host" }}]
links = [
    {{ name = "access{{i}}", from = "s{{i}}", to = "g", rate = "800kbit/s", delay = "{delay}", count = {n} }},
    {{ name = "slow", from = "g", to = "sink", rate = "80kbit/s", queue = {{ kind = "fcfs", buffer = "10pkt" }} }},
]
flows = [{{ name = "f{{i}}", from = "s{{i}}", to = "sink", control = {{ kind = "jk_tahoe" }}, count = {n} }}]
"""

PAPER = """
title = "Synthetic"
authors = "Nobody"
reference = "none"
phase = "2s"
seeds = 2
[metrics]
throughput = {{ counts = ["received", "-retransmissions"], per_second = true }}
delay = {{ mean = "rtt_mean_s" }}
drop_rate = {{ counts = ["drops"], per_second = true }}
[pairs."JK/FCFS"]
controls = {{ "*" = {{ kind = "jk_tahoe" }} }}
queue = {{ kind = "fcfs" }}
[pairs."JK/FQ"]
controls = {{ "*" = {{ kind = "jk_tahoe" }} }}
queue = {{ kind = "fq" }}
[pairs."G/FCFS"]
controls = {{ "*" = {{ kind = "generic", window = 5 }} }}
queue = {{ kind = "fcfs" }}
[pairs."G/FQ"]
controls = {{ "*" = {{ kind = "generic", window = 5 }} }}
queue = {{ kind = "fq" }}
{unknowns}
"""

ITEM = """
[[items]]
name = "{name}"
title = "{name}"
scenario = "{name}.toml"
pairs = ["JK/FCFS", "JK/FQ", "G/FCFS", "G/FQ"]
tables = [{{ name = "table {name}", file = "{name}.csv" }}]
"""

#: Items: sources and propagation delay of their access lines.
ITEMS = {"near": (3, "0ms"), "far": (3, "400ms"), "many": (5, "20ms")}

#: An unknown that decides nearly all numbers, and one that changes them less than starts do.
BUFFER = """
[unknowns.buffer]
about = "Buffers"
allowed = "nothing is said"
sets = ["links.slow.queue.buffer"]
values = ["6pkt", "8pkt", "10pkt", "13pkt"]
default = "10pkt"
"""
FIRST = """
[unknowns.first]
about = "JK's first timeout"
allowed = "nothing is said"
sets = ["control.jk_tahoe.initial_timeout"]
values = ["2s", "3s", "5s"]
default = "3s"
"""


def make(folder: Path, unknowns: str, duration: str = "120s") -> Path:
    """A paper whose tables are still to be written."""
    folder.mkdir(parents=True, exist_ok=True)
    text = PAPER.format(unknowns=unknowns)
    for name, (n, delay) in ITEMS.items():
        (folder / f"{name}.toml").write_text(SCENARIO.format(n=n, delay=delay, duration=duration))
        (folder / f"{name}.csv").write_text("variant,source,metric,value,mark\nJK/FQ,1,throughput,1,STATED\n")
        text += ITEM.format(name=name)
    (folder / "paper.toml").write_text(text)
    return folder


def print_numbers(folder: Path, hidden: Setting, run: int, scatter: float = 0.0) -> None:
    """Writes the numbers of a run under a hidden setting into the tables, to two decimals.

    `scatter` multiplies each with a random factor, so that no setting explains it.
    """
    paper = load_paper(str(folder))
    rng = np.random.default_rng(run)
    for item in paper.items:
        changed = [with_setting(item, v, paper.unknowns, hidden) for v in item.variants]
        jobs = [(json.dumps(build_scenario(i, v, phases=True)), None, run) for i, v in changed]
        found = run_all(jobs, lambda _, result: Outcome(result), TABLES)
        lines = ["variant,source,metric,value,mark"]
        for v, outcome in zip(item.variants, found, strict=True):
            for source in range(1, ITEMS[item.name][0] + 1):
                for metric in paper.metrics.values():
                    value = outcome.value(metric, str(source)).mean * float(np.exp(scatter * rng.standard_normal()))
                    if not np.isnan(value):
                        lines.append(f"{v.name},{source},{metric.name},{value:.2f},STATED")
        (folder / f"{item.name}.csv").write_text("\n".join(lines) + "\n")
