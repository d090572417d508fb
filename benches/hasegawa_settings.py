"""What the claims of hasegawa2001 say with random delays and a smaller quantum over longer runs, or with more of them.

    python benches/hasegawa_settings.py [SECONDS] [SEEDS] [FOLDER]

`headgate reproduce hasegawa2001` compares the settings in four runs each that measure 1000 s. Here they last SECONDS (5000, as the paper's
own), of which the first tenth does not count, and there are SEEDS runs (3) besides the first. Prints the item's tables of settings. The
runs are kept in FOLDER (.cache/runs).
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from headgate.papers.hasegawa2001.settings import SETTINGS
from headgate.papers.load import load_paper
from headgate.papers.model import Variant
from headgate.papers.runner import reproduce_items
from headgate.papers.runs import open_work

KEPT = Path(__file__).parent.parent / ".cache/runs"


def lasting(variant: Variant, seconds: str) -> Variant:
    """A variant of one of the settings with runs of this length; others as they are."""
    of_setting = variant.name.split()[0] in SETTINGS and "duration" in variant.settings
    lengths = {"duration": f"{seconds}s", "interval": f"{int(seconds) // 10}s"}
    return replace(variant, settings={**variant.settings, **lengths}) if of_setting else variant


def main(seconds: str = "5000", seeds: str = "3", folder: str = str(KEPT)) -> None:
    """Runs and prints."""
    paper = load_paper("hasegawa2001")
    item = paper.item("figures")
    item = replace(item, seeds=int(seeds), variants=tuple(lasting(v, seconds) for v in item.variants))
    with open_work(resume=folder) as work:
        (found,) = reproduce_items(paper, [item], work=work).items
    assert found.study is not None
    for section in found.study.sections:
        if "setting" in " ".join((section.title, *section.headings)):
            print(f"\n## {section.title}\n")
            for row in (section.headings, *section.rows):
                print(" | ".join(row))


if __name__ == "__main__":
    main(*sys.argv[1:])
