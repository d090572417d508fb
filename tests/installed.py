"""Whether an installed headgate, and nothing else, runs, replays, sweeps and reproduces: `python tests/installed.py`, from any folder.

The workflow that builds wheels runs it in an empty environment on every system. It needs no library, and no file of the checkout.
"""

import json
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

COMMANDS = [
    "--version",
    "examples",
    "examples --all --out scenarios",
    "run scenarios/game.toml --out out/game --format parquet",
    "run scenarios/lossy-links.toml --json",
    "replay scenarios/office.csv --queue fcfs --queue fq --rate 2Mbit/s --buffer 20KB",
    "sweep scenarios/queues-and-rates.toml --out out/queues --workers 2",
    "compare out/queues --metric p99_delay --flow telnet --by queue",
    "reproduce demers1989 scenario-2 --json",
]


def headgate(words: str, folder: str) -> str:
    """Runs the installed command; gives what it printed."""
    script = Path(sysconfig.get_path("scripts")) / ("headgate.exe" if sys.platform == "win32" else "headgate")
    done = subprocess.run([script, *words.split()], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, f"headgate {words}: {done.stderr.decode('utf-8', 'replace')}"
    return done.stdout.decode("utf-8", "replace")


def main() -> None:
    """Runs every command in an empty folder."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for words in COMMANDS:
            printed = headgate(words, folder)
            assert printed.strip(), f"headgate {words}: printed nothing"
            if "--json" in words:
                json.loads(printed)
            print(f"headgate {words}: {len(printed.splitlines())} lines")
        assert (Path(folder) / "out/game/flows.parquet").stat().st_size > 0


if __name__ == "__main__":
    main()
