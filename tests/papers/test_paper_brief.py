"""The verdict on a paper in three lines: `headgate reproduce --brief`."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from rich.console import Console

from headgate.papers.skill import Skill
from headgate.papers.terminal import print_brief
from headgate.papers.verdict import VERDICTS

from ..conftest import Cli
from .test_paper_folders import paper

if TYPE_CHECKING:
    from headgate.papers.reproduction import Reproduction

__all__ = ["paper"]


def test_in_brief_the_verdict_is_three_lines(paper: Path, cli: Cli) -> None:
    of = len(json.loads(cli("reproduce", "./mypaper", "--json").stdout)["items"][0]["numbers"])
    done = cli("reproduce", "./mypaper", "--brief")
    met, simpler, claims = done.stdout.splitlines()
    assert met == f"Of {of} numbers of the paper our runs match {of} and miss 0; 0 are undecided."
    assert re.fullmatch(r"A trivial model matches \d+, a wrong control and queue \d+; \d+ match ours alone\.", simpler)
    assert claims == "Of 2 claims of the paper 2 hold."
    # A number that the paper prints otherwise is missed, and the three lines are those of the whole report.
    table = paper / "table_1.csv"
    stated = table.read_text()
    table.write_text(stated.replace("delay,s,0.40", "delay,s,0.60"))
    found = json.loads(cli("reproduce", "./mypaper", "--json").stdout)
    met, simpler, _ = cli("reproduce", "./mypaper", "--brief").stdout.splitlines()
    assert met == f"Of {of} numbers of the paper our runs match {of - 1} and miss 1; 0 are undecided."
    skill = found["skill"]
    assert len({skill["trivial"], skill["wrong_pair"], skill["only_ours"]}) == 3
    assert simpler == (
        f"A trivial model matches {skill['trivial']}, a wrong control and queue {skill['wrong_pair']}; "
        f"{skill['only_ours']} match ours alone."
    )
    table.write_text(stated)
    assert "--brief: expected no --json" in cli("reproduce", "./mypaper", "--brief", "--json").stderr
    table.write_text(stated.replace("STATED", "RECALLED"))
    assert cli("reproduce", "./mypaper", "--brief").stdout.startswith("The paper prints no numbers here.\n")


def test_each_number_in_brief_is_the_one_that_its_sentence_names() -> None:
    counts = {v: n for n, v in enumerate(VERDICTS, start=1)}
    skill = Skill(tested=21, ours=1, trivial=30, wrong_pair=40, only_ours=50, zeros=0, wide=0)
    held = {"claims": [True, True, False, None], "statements in tables": [True, False]}
    whole = SimpleNamespace(counts=lambda: counts, skill=skill, held=lambda: held)
    console = Console(file=StringIO(), width=200)
    print_brief(cast("Reproduction", whole), console)
    assert cast("StringIO", console.file).getvalue().splitlines() == [
        f"Of {sum(counts.values())} numbers of the paper our runs match {counts['match']} and miss {counts['miss']}; "
        f"{sum(counts.values()) - counts['match'] - counts['miss']} are undecided.",
        "A trivial model matches 30, a wrong control and queue 40; 50 match ours alone.",
        "Of 6 claims of the paper 3 hold.",
    ]
