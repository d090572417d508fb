"""Parts of a study, a matrix or a game: each run is in one of them, and joined they are what one machine makes, to the byte."""

from __future__ import annotations

import itertools
import json
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headgate
from headgate.base.errors import HeadgateError
from headgate.base.parts import Share, read_part
from headgate.sweep.engines import Outcome
from headgate.sweep.store import Store

from ..conftest import Cli, wait_for
from ..studies import Here, plain, results_of, run_here, sweep_of, write

TABLE = {"axes": {"links.slow.rate": "40kbit/s ... 80kbit/s step 10kbit/s"}, "replications": 3}
RUNS = 5 * 3


class Killed(BaseException):
    """What a kill leaves: finished chunks, and no word from the process."""


class Dying(Here):
    """An engine whose process is killed after some chunks."""

    def __init__(self, chunks: int) -> None:
        super().__init__(runs=1, slots=1)
        self.left = chunks

    def outcomes(self, timeout: float) -> list[Outcome]:
        self.left -= 1
        if self.left < 0:
            raise Killed
        return super().outcomes(timeout)


@pytest.fixture(autouse=True)
def nothing_waits_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headgate.base.atomic._sync", lambda _: None)


Make = Callable[..., list[Path]]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes parts of a study."""

    def parts(sweep: headgate.Sweep, of: int, numbers: Any = None, name: str = "parts", **more: Any) -> list[Path]:
        folders = []
        for number in numbers or range(1, of + 1):
            folders.append(tmp_path / name / f"{number}")
            run_here(sweep, monkeypatch, out=folders[-1], part=f"{number}/{of}", **more)
        return folders

    return parts


def require_equal(study: headgate.Study, whole: headgate.Study) -> None:
    """The same files, but for those that hold times."""
    assert results_of(study.folder) == results_of(whole.folder)
    keys = {"files", "sha256"}
    assert {k: v for k, v in study.manifest.items() if k not in keys} == {
        k: v for k, v in whole.manifest.items() if k not in keys
    }
    files = [{k: v for k, v in s.manifest["files"].items() if k != "times"} for s in (study, whole)]
    assert files[0] == files[1]
    assert {f.name for f in study.folder.iterdir()} == {f.name for f in whole.folder.iterdir()}
    columns = ["variant", "replication"]
    assert plain(study.times.select(columns)) == plain(whole.times.select(columns))


@pytest.mark.parametrize("of", [1, 4, 16])
def test_parts_joined_are_what_one_machine_makes(
    of: int, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = sweep_of({**TABLE, "seed": 3})
    whole = run_here(sweep, monkeypatch, out=tmp_path / "whole")
    folders = make(sweep, of)
    counts = [len(headgate.open_study(folder).runs) for folder in folders]
    assert sum(counts) == RUNS and max(counts) - min(counts) <= 1
    # A part alone is a study that is not complete.
    first = headgate.open_study(folders[0])
    assert not first.complete and first.missing == RUNS - counts[0]
    study = headgate.gather(folders[::-1], tmp_path / "out/joined")
    assert study.complete and study.missing == 0
    require_equal(study, whole)


def test_a_killed_part_goes_on_and_one_that_is_done_does_nothing(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = sweep_of(TABLE)
    whole = run_here(sweep, monkeypatch, out=tmp_path / "whole")
    folders = make(sweep, 4, (1, 4))
    for number in (2, 3):
        with pytest.raises(Killed):
            run_here(sweep, monkeypatch, Dying(2), out=tmp_path / f"parts/{number}", part=f"{number}/4")
    folders += [tmp_path / "parts/2", tmp_path / "parts/3"]
    with pytest.raises(HeadgateError, match=rf"not finished: 2 \({tmp_path}/parts/2\), 3 \({tmp_path}/parts/3\);"):
        headgate.gather(folders, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    engine = Here()
    run_here(sweep, monkeypatch, engine, out=tmp_path / "parts/2", part="2/4", resume=True)
    assert len(engine.ran) == 2
    # The third part is repeated from its beginning elsewhere.
    (again,) = make(sweep, 4, (3,), "again")
    before = {f: f.read_bytes() for f in folders[0].rglob("*") if f.is_file()}
    engine = Here()
    run_here(sweep, monkeypatch, engine, out=folders[0], part="1/4", resume=True)
    assert engine.ran == [] and {f: f.read_bytes() for f in folders[0].rglob("*") if f.is_file()} == before
    require_equal(headgate.gather([*folders, again], tmp_path / "out"), whole)


def test_an_incomplete_study_is_joined_and_continued(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = sweep_of(TABLE)
    whole = run_here(sweep, monkeypatch, out=tmp_path / "whole")
    folders = make(sweep, 4, (1, 3))
    with pytest.raises(Killed):
        run_here(sweep, monkeypatch, Dying(1), out=tmp_path / "parts/2", part="2/4")
    folders.append(tmp_path / "parts/2")
    with pytest.raises(HeadgateError, match=r"not finished: 2 .*; missing: 4; expected all of them"):
        headgate.gather(folders, tmp_path / "out")
    study = headgate.gather(folders, tmp_path / "out", incomplete=True)
    # Of the second part one run was finished.
    shares = [len([*Share(n, 4).positions(RUNS)]) for n in (1, 3)]
    assert not study.complete and len(study.runs) == sum(shares) + 1
    engine = Here()
    study = run_here(sweep, monkeypatch, engine, out=tmp_path / "out", resume=True)
    assert len(engine.ran) == RUNS - sum(shares) - 1
    assert results_of(study.folder) == results_of(whole.folder)
    assert study.complete


def test_wrong_variants_are_recorded_once(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    axes = {"links.slow.queue": [{"kind": "fcfs", "buffer": "600B"}, "fq"], "flows.*.packet": ["500B", "1000B"]}
    sweep = sweep_of({"axes": axes, "replications": 3})
    whole = run_here(sweep, monkeypatch, out=tmp_path / "whole")
    folders = make(sweep, 5)
    assert sum(len(headgate.open_study(folder).failures) for folder in folders) == 1
    require_equal(headgate.gather(folders, tmp_path / "out"), whole)


def test_a_stopping_rule_has_its_least_from_parts_and_the_rest_afterwards(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = {"metric": "goodput_bps", "over": "total", "share": 0.03, "least": 3, "most": 9}
    axes = {"links.slow.rate": ["40kbit/s", "80kbit/s"], "flows.*.start_spread": ["1s", "130s"]}
    sweep = sweep_of({"axes": axes, "stop": stop})
    whole = run_here(sweep, monkeypatch, out=tmp_path / "whole")
    wanted = Counter(whole.runs["variant"].to_pylist())
    assert {3} < {*wanted.values()}, "some need the least, and some need more"
    folders = make(sweep, 3)
    assert sum(len(headgate.open_study(f).runs) for f in folders) == 4 * 3
    study = headgate.gather(folders, tmp_path / "out")
    assert not study.complete
    study = run_here(sweep, monkeypatch, out=tmp_path / "out", resume=True)
    assert study.complete and results_of(study.folder) == results_of(whole.folder)
    # Where the least is enough, it is complete at once.
    easy = sweep_of({"axes": axes, "stop": {**stop, "share": 0.3}})
    assert headgate.gather(make(easy, 3, name="easy"), tmp_path / "easily").complete


def test_every_run_is_in_one_part() -> None:
    for of, count in itertools.product((1, 2, 3, 8, 64, 100), (0, 1, 7, 64, 1000)):
        shares = [list(Share(n, of).positions(count)) for n in range(1, of + 1)]
        assert sorted(itertools.chain(*shares)) == list(range(count))
        assert {len(s) for s in shares} <= {count // of, -(-count // of)}
        assert all(s == sorted(s) for s in shares)


#: Lengths of axes, the last of which varies fastest; the last number is that of replications.
SHAPES = [(64, 16, 1), (16, 64, 1), (8, 8, 16), (63, 16, 1), (16, 63, 1), (65, 10, 2), (2, 512, 1), (128, 8, 1), (32, 32, 1),
          (4, 4, 4, 16), (10, 10, 10), (1000, 1), (5, 7, 11, 3), (256, 4)]  # fmt: skip


def longest(positions: Callable[[int, int, int], Any], of: int, shape: tuple[int, ...]) -> list[float]:
    """One value of an axis makes all the work: of each value, how many times its share of this the busiest part has."""
    points = np.indices(shape).reshape(len(shape), -1)
    owner = np.empty(points.shape[1], dtype=int)
    for n in range(of):
        owner[list(positions(n, of, len(owner)))] = n
    counts = [
        np.bincount(owner[points[axis] == value], minlength=of)
        for axis, length in enumerate(shape[:-1])
        for value in range(length)
    ]
    return [count.max() / count.mean() for count in counts if count.mean() >= 1]


def test_long_variants_spread_over_all_parts() -> None:
    """By position modulo N, a part has all of them where N is a multiple of an axis' length."""
    cases = [*itertools.product((4, 8, 10, 16, 63, 64), SHAPES)]
    found = [longest(lambda n, of, count: Share(n + 1, of).positions(count), *case) for case in cases]
    plain = [longest(lambda n, of, count: range(n, count, of), *case) for case in cases]
    ours, theirs = (np.array([*itertools.chain(*ratios)]) for ratios in (found, plain))
    assert theirs.max() == 16.0 and theirs.mean() > 1.7
    assert ours.max() <= 3.0 and ours.mean() < 1.3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0/4", "expected 1/4 to 4/4; parts are counted from 1: add 1 to a number that is counted from 0"),
        ("5/4", "expected 1/4 to 4/4"),
        ("3", "expected a part such as 3/64"),
        ("-1/4", "expected a part such as 3/64"),
        ("1/0", "expected a part such as 3/64"),
        ("1/2000000", "of at most 1000000"),
        ("a/b", "found 'a/b'"),
    ],
)
def test_a_part_that_is_none(text: str, words: str, tmp_path: Path, cli: Cli) -> None:
    with pytest.raises(HeadgateError, match=words):
        read_part(text)
    write(tmp_path / "a.json", TABLE)
    done = cli("sweep", "a.json", "--part", text, "--out", "p")
    assert done.returncode == 2 and words in done.stderr and not (tmp_path / "p").exists()


def test_folders_that_do_not_belong_together(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = sweep_of(TABLE)
    one, two = make(sweep, 2)
    run_here(sweep, monkeypatch, out=tmp_path / "whole")
    (other,) = make(sweep_of({**TABLE, "replications": 4}), 2, (2,), "other")
    (third,) = make(sweep, 3, (2,), "third")
    (tmp_path / "empty").mkdir()

    def changed(**values: Any) -> Path:
        """A copy of the second part whose mark says something else."""
        shutil.rmtree(tmp_path / "changed", ignore_errors=True)
        shutil.copytree(two, tmp_path / "changed")
        mark = tmp_path / "changed/part.json"
        mark.write_text(json.dumps({**json.loads(mark.read_text()), **values}))
        return tmp_path / "changed"

    for folder, words in (
        (other, rf"other/2: is a part of another study than {one}: sweep.replications is 3 there and 4 here"),
        (third, r"third/2: is a part of another division than .*: one of 3, not one of 2"),
        (tmp_path / "whole", r"whole: expected the folder of a part, .*found no part.json"),
        (tmp_path / "none", r"none: expected the folder of a part, .*found no such folder"),
        (changed(build="0.1.0 abc"), r"changed: is a part made by another build of headgate than .*: 0.1.0 abc"),
    ):
        with pytest.raises(HeadgateError, match=words):
            headgate.gather([one, folder], tmp_path / "out")
    for values, words in (
        ({"kind": "attack"}, "changed: is a part of another command"),
        ({"plan": "0"}, "changed: is a part of another plan"),
        ({"format": 9}, r"changed/part.json: expected form 1, found form 9"),
        ({"part": "2"}, r"changed/part.json: expected what --part writes, found another file"),
    ):
        with pytest.raises(HeadgateError, match=words):
            headgate.gather([one, changed(**values)], tmp_path / "out")
    with pytest.raises(HeadgateError, match=r"whole: expected an empty or absent folder"):
        headgate.gather([one, two], tmp_path / "whole")
    assert not (tmp_path / "out").exists()
    # And the other way round: a part is continued as the same part only.
    for out, part, words in (
        (one, None, 'part is "1/2" there and absent here'),
        (one, "2/2", 'part is "1/2" there and "2/2" here'),
        (tmp_path / "whole", "1/2", 'part is absent there and "1/2" here'),
    ):
        with pytest.raises(HeadgateError, match=words):
            run_here(sweep, monkeypatch, out=out, part=part, resume=True)
    begun = changed(build="0.1.0 abc")
    with pytest.raises(HeadgateError, match=r"changed: holds another part: its build is 0.1.0 abc"):
        run_here(sweep, monkeypatch, out=begun, part="2/2", resume=True)
    with pytest.raises(HeadgateError, match="part 1/2: expected a folder"):
        sweep.run(part="1/2")
    with pytest.raises(HeadgateError, match="expected the folders of parts, found none"):
        headgate.gather([], tmp_path / "out")


def test_nothing_is_left_of_what_was_stopped(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = sweep_of(TABLE)
    folders, merge = make(sweep, 2), Store._merge_table

    def stopped(self: Store, name: str, *more: Any) -> Any:
        if name == "links":
            raise KeyboardInterrupt
        return merge(self, name, *more)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "_merge_table", stopped)
        with pytest.raises(KeyboardInterrupt):
            headgate.gather(folders, tmp_path / "out")
        assert sorted(f.name for f in tmp_path.iterdir()) == ["parts"]
    # A kill leaves a folder that nobody takes for the study, and the next call replaces it.
    (tmp_path / ".out.gather/flows").mkdir(parents=True)
    (tmp_path / ".out.gather/flows/part-0.parquet").write_text("half")
    with Locked(tmp_path / ".out.gather"), pytest.raises(HeadgateError, match="another process is at work"):
        headgate.gather(folders, tmp_path / "out")
    (tmp_path / "out").mkdir()
    assert headgate.gather(folders, tmp_path / "out").complete
    assert sorted(f.name for f in tmp_path.iterdir()) == ["out", "parts"]


class Locked:
    """A folder at which another process is at work."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(folder)

    def __enter__(self) -> None:
        self.store.lock()

    def __exit__(self, *_: object) -> None:
        self.store.close()


def test_a_part_that_is_being_made_is_not_joined(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = sweep_of(TABLE)
    folders = make(sweep, 2, (1,))
    with pytest.raises(Killed):
        run_here(sweep, monkeypatch, Dying(1), out=tmp_path / "parts/2", part="2/2")
    folders.append(tmp_path / "parts/2")
    with Locked(folders[1]), pytest.raises(HeadgateError, match=r"parts/2: another process is at work"):
        headgate.gather(folders, tmp_path / "out", incomplete=True)
    assert sorted(f.name for f in tmp_path.iterdir()) == ["parts"]


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
