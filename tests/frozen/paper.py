"""Makes a paper whose numbers our own runs made, into the folder `paper`: `python -m tests.frozen.paper`."""

from __future__ import annotations

from pathlib import Path

from tests.synthetic import BUFFER, make, print_numbers

if __name__ == "__main__":
    print_numbers(make(Path("./paper").resolve(), BUFFER), {"buffer": 0}, run=500)
