"""Writes the digests of tests/digests again, after a model was changed on purpose, or after a new entry of a list."""

from __future__ import annotations

import json
from pathlib import Path

import headgate

if __package__:
    from .installed import LINES, digest_of_line
else:
    from installed import LINES, digest_of_line


def lines() -> list[str]:
    """What `tests/digests/lines.txt` pins: a line of `headgate quick` for each entry of the lists that a line can name.

    >>> lines()[0], len(lines()) > 80
    ('home bulk game', True)
    """
    tail = "--duration 5s --no-phase"
    # A source without flow control cannot send without an end.
    controls = ["cbr:6Mbit/s" if name == "none" else name for name in headgate.catalogue("flow-controls")]
    return [
        "home bulk game",
        *(f"10Mbit/s 40ms {name} cubic {tail}" for name in controls),
        *(f"10Mbit/s 40ms cubic reno game --queue {name} {tail}" for name in headgate.catalogue("disciplines")),
        *(f"10Mbit/s 40ms cubic reno game --queue fq:aqm={name} {tail}" for name in headgate.catalogue("aqms")),
        *(
            f"10Mbit/s 40ms {name} bulk --loss 1% --jitter 2ms {tail}"
            for name in ("web", "video", "zoom", "poisson:2ms")
        ),
    ]


def main() -> None:
    """Pins what every scenario and every line gives now."""
    for file in sorted((Path(__file__).parent / "digests").glob("*.json")):
        pinned = json.loads(file.read_text())
        digest = headgate.Scenario(pinned["scenario"]).run().digest
        print(file.stem, pinned["digest"], "->", digest)
        file.write_text(json.dumps({"digest": digest, "scenario": pinned["scenario"]}, indent=1) + "\n")
    LINES.write_text("".join(f"{digest_of_line(line)} {line}\n" for line in lines()))
    print(f"{LINES.name}: see git diff")


# The test runner imports every module here for its examples; that must not pin anything.
if __name__ == "__main__":
    main()
