"""Parts of a study, a matrix or a game: each run is in one of them, and joined they are what one machine makes, to the byte."""

from __future__ import annotations

import itertools
import json
import shutil
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

from ..conftest import Cli
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
