"""Prints the pinned lines of `headgate quick` as scenarios, one in each line, for the tests of the page without a server."""

import json
import sys
from pathlib import Path

from headgate.scenario.links import scenario_in

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from installed import LINES, headgate_here

if __name__ == "__main__":
    for each in LINES.read_text().splitlines():
        digest, _, words = each.partition(" ")
        link = next(word for word in headgate_here(f"quick {words} --link").split() if "#s=" in word)
        print(json.dumps({"name": words, "digest": digest, "scenario": scenario_in(link.partition("#s=")[2])}))
