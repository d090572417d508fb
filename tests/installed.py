"""Whether an installed headgate, and nothing else, runs, replays, sweeps and reproduces: `python tests/installed.py`, from any folder.

The workflow that builds wheels runs it in an empty environment on every system. It needs no library, and no file of the checkout.
"""

import json
import subprocess
import sys
import sysconfig
import tempfile
from importlib import metadata
from pathlib import Path, PurePosixPath

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


#: Texts of licences that every wheel has: ours, those of the crates in the engine, and those of the libraries in the explorer's page.
LICENSES = ("LICENSE-MIT", "LICENSE-APACHE", "LICENSES-CRATES.yml", "python/headgate/explore/static/LICENSES.md")


def licenses() -> None:
    """Whether the texts of all licences came with the wheel."""
    files = {str(PurePosixPath(file)): file for file in metadata.files("headgate") or []}
    for name in LICENSES:
        (found,) = [file for path, file in files.items() if path.endswith(f".dist-info/licenses/{name}")]
        assert found.read_text("utf-8").strip(), f"{name} is empty"
        print(f"{name}: there")


def main() -> None:
    """Runs every command in an empty folder."""
    licenses()
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
