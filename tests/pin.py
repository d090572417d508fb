"""Writes the digests of tests/digests anew, after a model was changed on purpose."""

from __future__ import annotations

import json
from pathlib import Path

import headgate

for file in sorted((Path(__file__).parent / "digests").glob("*.json")):
    pinned = json.loads(file.read_text())
    digest = headgate.Scenario(pinned["scenario"]).run().digest
    print(file.stem, pinned["digest"], "->", digest)
    file.write_text(json.dumps({"digest": digest, "scenario": pinned["scenario"]}, indent=1) + "\n")
