"""Commands that make parts, and `gather`: what they say, and a matrix, a game and 64 parts joined to the bytes of one machine."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import headgate
from headgate.base.parts import Share

from ..conftest import Cli, wait_for
from ..studies import results_of, write
from ..tool.test_parts import RUNS, TABLE, require_equal


@pytest.fixture(autouse=True)
def nothing_waits_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headgate.base.atomic._sync", lambda _: None)


Make = Callable[..., list[Path]]


def test_the_command_and_what_it_says(tmp_path: Path, cli: Cli) -> None:
    write(tmp_path / "a.json", TABLE)
    common = ("sweep", "a.json", "--workers", "1")
    dry = cli(*common, "--part", "2/4", "--dry-run")
    assert "15 runs, seed 1; part 2/4 has 4 of them; nothing was run" in dry.stdout
    assert json.loads(cli(*common, "--part", "2/4", "--dry-run", "--json").stdout)["runs"] == 4
    whole = cli(*common, "--out", "whole", "--json")
    done = cli(*common, "--part", "2/4")
    assert done.stdout == (
        "part 2/4  4 runs, seed 1\n"
        "tables in out/a-parts/2; when all parts are there: headgate gather DIR... --out OUT\n"
    ), done.stderr
    for number in (1, 4):
        runs = len([*Share(number, 4).positions(RUNS)])
        assert json.loads(cli(*common, "--part", f"{number}/4", "--json").stdout) == {
            "version": headgate.__version__, "seed": 1, "complete": True, "runs": runs, "failures": [],
            "folder": f"out/a-parts/{number}", "part": number, "of": 4,
        }  # fmt: skip
    parts = [f"out/a-parts/{n}" for n in (1, 2, 4)]
    missing = cli("gather", *parts, "--out", "out/a")
    assert missing.returncode == 2 and missing.stderr == (
        "error: 4 parts of headgate sweep: missing: 3; expected all of them. Make them with:\n"
        "  headgate sweep a.json --workers 1 --json --part 3/4 --out out/a-parts/3 --resume\n"
        "or join what is there with --incomplete\n"
    )
    half = cli("gather", *parts, "--out", "half", "--incomplete")
    assert half.returncode == 0 and half.stderr == (
        "the study is not complete: 4 runs not there yet. Go on with:\n"
        "  headgate sweep a.json --workers 1 --json --out half --resume\n"
    )
    again = missing.stderr.splitlines()[1].split()[1:]
    assert cli(*again).returncode == 0
    joined = cli("gather", *parts, "out/a-parts/3", "--out", "out/a", "--json")
    assert json.loads(joined.stdout) == {**json.loads(whole.stdout), "folder": "out/a"}
    assert joined.stderr == ""
    assert results_of(tmp_path / "out/a") == results_of(tmp_path / "whole")
    assert cli("gather", *parts, "out/a-parts/3", "--out", "out/b").stdout.endswith("tables in out/b\n")


def test_a_damaged_part_is_named_with_what_repairs_it(tmp_path: Path, cli: Cli) -> None:
    write(tmp_path / "a.json", TABLE)
    for number in (1, 2):
        cli("sweep", "a.json", "--workers", "1", "--part", f"{number}/2", "--out", f"p/{number}")
    (file,) = (tmp_path / "p/2/flows").iterdir()
    file.write_bytes(b"?" + file.read_bytes()[1:])
    done = cli("gather", "p/1", "p/2", "--out", "out")
    command = "headgate sweep a.json --workers 1 --part 2/2 --out p/2 --resume"
    assert (
        done.returncode == 2
        and f"is damaged: its contents are not those that were written; repair it with: {command}" in (done.stderr)
    )
    assert not (tmp_path / "out").exists()
    assert "was damaged; the runs of variants" in cli(*command.split()[1:]).stderr
    assert cli("gather", "p/1", "p/2", "--out", "out").returncode == 0


def test_gather_knows_the_commands_that_make_parts(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "p").mkdir()
    mark = {"format": 1, "part": 1, "of": 1, "plan": "", "build": "", "done": True, "command": [], "given": {}}
    for kind in ("run", "../x", "nothing"):
        (tmp_path / "p/part.json").write_text(json.dumps({**mark, "kind": kind}))
        done = cli("gather", "p", "--out", "out")
        assert done.returncode == 2, done.stderr
        assert f"p/part.json: found parts of {kind!r}; expected a command with --part" in done.stderr
    assert "DIR...: found none" in cli("gather", "--out", "out").stderr


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a matrix or a game but those that hold times."""
    files = (f for f in folder.rglob("*") if f.is_file())
    return {
        str(f.relative_to(folder)): f.read_bytes()
        for f in files
        if "times" not in f.parts and not f.name.startswith(("manifest", "."))
    }


SHORT = ("--duration", "3s", "--rate", "2Mbit/s", "--runs", "2", "--workers", "1")
CAMPAIGNS = {
    "matrix": ("matrix", "--controls", "cubic,reno", "--queues", "fcfs,fq", *SHORT),
    "game": ("game", "--controls", "cubic,reno", "--flows", "2", "--queues", "fq", *SHORT),
    "selfish": ("game", "--selfish", "--controls", "reno", "--flows", "3", "--queues", "fq", "--strategies", "flood", *SHORT),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", CAMPAIGNS)
def test_a_matrix_and_a_game_are_joined_with_all_their_files(name: str, tmp_path: Path, cli: Cli) -> None:
    words = CAMPAIGNS[name]
    whole = cli(*words, "--out", "out/m")
    assert whole.returncode == 0, whole.stderr
    shutil.move(tmp_path / "out/m", tmp_path / "whole")
    planned = [json.loads(cli(*words, "--dry-run", "--json", "--part", f"{n}/3").stdout)["runs"] for n in (1, 2, 3)]
    made = [json.loads(cli(*words, "--part", f"{n}/3", "--out", f"p/{n}", "--json").stdout) for n in (1, 2, 3)]
    assert [m["runs"] for m in made] == planned
    joined = cli("gather", "p/1", "p/2", "p/3", "--out", "out/m")
    assert (joined.returncode, joined.stdout) == (0, whole.stdout), joined.stderr
    assert contents(tmp_path / "out/m") == contents(tmp_path / "whole")


def test_parts_of_a_matrix_without_all_runs_or_with_own_code(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "mine.py").write_text(
        "import headgate\n\n@headgate.control('mine')\nclass Mine:\n    def start(self, now):\n        open('ran', 'w').close()\n"
    )
    words = ("matrix", "--controls", "reno", "--queues", "fq", "--sparse", "none", "--no-report", *SHORT)
    assert cli(*words, "--part", "1/2", "--out", "p/1").returncode == 0
    done = cli("gather", "p/1", "--out", "out/m", "--incomplete", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["complete"], found["runs"]) == (False, 2)
    assert found["rest"] == f"headgate {' '.join(words)} --out out/m --resume"
    assert cli(*found["rest"].split()[1:]).returncode == 0
    # What is wrong leaves no folder, and what is in one stays.
    missing = cli("gather", "p/1", "--out", "out/x")
    assert missing.returncode == 2 and "missing: 2" in missing.stderr and not (tmp_path / "out/x").exists()
    taken = cli("gather", "p/1", "--out", "p", "--incomplete")
    assert taken.returncode == 2 and "--out p: expected an empty or absent folder" in taken.stderr
    # A mark that names a file does not make it run.
    assert cli(*words, "--part", "2/2", "--out", "p/2").returncode == 0
    for number in (1, 2):
        mark = tmp_path / f"p/{number}/part.json"
        data = json.loads(mark.read_text())
        mark.write_text(json.dumps({**data, "given": {**data["given"], "controls": "mine.py"}}))
    done = cli("gather", "p/1", "p/2", "--out", "out/n")
    assert done.returncode == 0 and "What is made of them comes from:" in done.stderr
    assert not (tmp_path / "ran").exists() and (tmp_path / "out/n/study/manifest.json").exists()


#: Calls the command so that chunks have a run each: there are many moments to be killed at.
DRIVER = "import headgate.sweep.driver as d; d.CHUNK_S = 0.0; from headgate.cli import main; main()"


@pytest.mark.slow
def test_64_parts_of_which_three_are_killed(tmp_path: Path, cli: Cli) -> None:
    """On a cluster: three jobs end by `kill -9` in the middle, and are started again."""
    table = {"axes": {"links.slow.rate": "40kbit/s ... 103kbit/s step 1kbit/s"}, "replications": 8}
    write(tmp_path / "a.json", table, duration="7000s", interval="1000s")
    whole = headgate.Sweep.from_file(tmp_path / "a.json").run(tmp_path / "whole")
    of, killed = 64, (1, 17, 64)
    for number in range(1, of + 1):
        words = (
            "sweep",
            "a.json",
            "--part",
            f"{number}/{of}",
            "--out",
            f"parts/{number}",
            "--workers",
            "1",
            "--resume",
        )
        if number in killed:
            command = [sys.executable, "-c", DRIVER, *words]
            process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            wait_for(lambda number=number: list((tmp_path / f"parts/{number}").glob("work-0/chunk-*")), process)
            process.kill()
            process.communicate()
            assert process.returncode == -signal.SIGKILL
            assert not json.loads((tmp_path / f"parts/{number}/part.json").read_text())["done"]
            assert 0 < len(headgate.open_study(tmp_path / f"parts/{number}").runs) < 8
        else:
            assert cli(*words).returncode == 0
    folders = [f"parts/{n}" for n in range(1, of + 1)]
    found = cli("gather", *folders, "--out", "out")
    assert found.returncode == 2 and "not finished: 1 (parts/1), 17 (parts/17), 64 (parts/64);" in found.stderr
    again = [line.split()[1:] for line in found.stderr.splitlines() if line.startswith("  headgate")]
    assert len(again) == 3 and all(cli(*words).returncode == 0 for words in again)
    joined = cli("gather", *folders, "--out", "out")
    assert joined.returncode == 0, joined.stderr
    require_equal(headgate.open_study(tmp_path / "out"), whole)
