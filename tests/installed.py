"""Whether an installed headgate, and nothing else, runs, replays, sweeps and reproduces: `python tests/installed.py`, from any folder.

The workflow that builds wheels runs it in an empty environment on every system, and `make release-check` where it can. It needs no
library, and of the checkout the pinned digests alone, in the folder `digests` beside it. With `--here` it starts no process: an
emulator of another processor is then enough.
"""

import contextlib
import io
import json
import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
from importlib import metadata
from pathlib import Path, PurePosixPath

DIGESTS = Path(__file__).resolve().parent / "digests"
#: A digest and the words of `headgate quick` that give it, in each line: `python tests/pin.py` writes them.
LINES = DIGESTS / "lines.txt"

COMMANDS = [
    "quick home bulk game",
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
    """Runs the installed command in its own process; gives what it printed."""
    script = Path(sysconfig.get_path("scripts")) / ("headgate.exe" if sys.platform == "win32" else "headgate")
    done = subprocess.run([script, *words.split()], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, f"headgate {words}: {done.stderr.decode('utf-8', 'replace')}"
    return done.stdout.decode("utf-8", "replace")


def headgate_here(words: str, folder: str | None = None) -> str:
    """The same in this process, which an emulator has loaded already."""
    from headgate.cli.group import call

    printed, said, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["headgate", *words.split()]
    try:
        # Warnings of what a line makes no use of, such as marks without a queue that sets any, are not the subject.
        with (
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(said),
            contextlib.chdir(folder) if folder else contextlib.nullcontext(),
        ):
            code = call()
    finally:
        sys.argv = before
    assert not code, f"headgate {words}: {said.getvalue()}"
    return printed.getvalue()


#: Texts of licences that every wheel has: ours, those of the crates in the engine, and those of the libraries in the explorer's page.
LICENSES = ("LICENSE-MIT", "LICENSE-APACHE", "LICENSES-CRATES.yml", "python/headgate/explore/static/LICENSES.md")


def licenses() -> None:
    """Whether the texts of all licences came with the wheel."""
    files = {str(PurePosixPath(file)): file for file in metadata.files("headgate") or []}
    for name in LICENSES:
        (found,) = [file for path, file in files.items() if path.endswith(f".dist-info/licenses/{name}")]
        assert found.read_text("utf-8").strip(), f"{name} is empty"
        print(f"{name}: there")


def digest_of_line(words: str) -> str:
    """The digest that `headgate quick` prints for these words."""
    found = re.search(r"digest ([0-9a-f]{16})\b", headgate_here(f"quick {words}"))
    assert found, f"headgate quick {words}: printed no digest"
    return found[1]


def digests() -> int:
    """How many pinned digests came out; all others are named."""
    import headgate

    differ, count = [], 0
    for file in sorted(DIGESTS.glob("*.json")):
        pinned = json.loads(file.read_text("utf-8"))
        got, count = headgate.Scenario(pinned["scenario"]).run().digest, count + 1
        differ += [] if got == pinned["digest"] else [f"{file.name}: {got}, not {pinned['digest']}"]
    for line in LINES.read_text("utf-8").splitlines():
        due, _, words = line.partition(" ")
        got, count = digest_of_line(words), count + 1
        differ += [] if got == due else [f"headgate quick {words}: {got}, not {due}"]
    assert not differ, f"{len(differ)} of {count} digests differ:\n" + "\n".join(differ)
    return count


def main() -> None:
    """Compares the digests, and runs every command in an empty folder."""
    licenses()
    print(
        f"{digests()} pinned digests are equal on {platform.system()} {platform.machine()}, Python {platform.python_version()}"
    )
    here = "--here" in sys.argv[1:]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for words in COMMANDS:
            # One worker is this process.
            one = words.replace("--workers 2", "--workers 1")
            printed = headgate_here(one, folder) if here else headgate(words, folder)
            assert printed.strip(), f"headgate {words}: printed nothing"
            if "--json" in words:
                json.loads(printed)
            print(f"headgate {words}: {len(printed.splitlines())} lines")
        assert (Path(folder) / "out/game/flows.parquet").stat().st_size > 0


if __name__ == "__main__":
    main()
