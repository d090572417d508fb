"""Reproductions that go on after an interruption: what was finished is not repeated, and the result is the same, byte for byte."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headgate
from headgate import _core
from headgate.base import parallel
from headgate.base.errors import HeadgateError
from headgate.papers.measure import TABLES
from headgate.papers.runs import Store, Work, open_work, run_all, work_here
from headgate.papers.runs.packed import pack, unpack
from headgate.papers.runs.store import key_of
from headgate.results.tables import from_core

from ..conftest import ROOT, Cli, dumbbell
from .test_paper_folders import write_paper

pytestmark = pytest.mark.own_runs

#: A study that runs something by itself.
STUDY = """
import json
from headgate.papers.measure import TABLES, Outcome
from headgate.papers.runs import run_all
from headgate.papers.study import Section, Shown

def study(runs, progress):
    scenario = json.dumps(runs.item.scenario)
    found = run_all([(scenario, None, n) for n in range(3)], lambda _, result: Outcome(result), TABLES)
    return Shown((Section("own runs", ("digest",), tuple((o.digest,) for o in found)),))
"""

#: Runs of the paper: two pairs and two windows, each once and with 20 starts, and three of the study.
RUNS = 4 * 21 + 3


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    folder = write_paper(tmp_path / "mypaper")
    file = folder / "paper.toml"
    item = 'scenario = "line.toml"\n'
    file.write_text(file.read_text().replace(item, f'{item}study = "own"\n'))
    (folder / "own.py").write_text(STUDY)
    return folder


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The replications that the engine has run."""
    numbers: list[int] = []
    real = _core.run

    class Counting:
        def __getattr__(self, name: str) -> Any:
            return getattr(_core, name)

        def run(self, text: str, seed: int | None, run: int, *more: Any) -> Any:
            numbers.append(run)
            return real(text, seed, run, *more)

    monkeypatch.setattr(parallel, "_core", Counting())
    return numbers


def scenario(**more: Any) -> str:
    flows = [{"name": "ftp{i}", "from": "s", "to": "k", "count": 2, "start_spread": "2s", "control": "jk_reno"}]
    return json.dumps({**dumbbell(flows=flows), **more})


def digests(work: Work, numbers: range, text: str = "") -> list[str]:
    with work_here(work):
        return run_all([(text or scenario(), None, n) for n in numbers], lambda _, result: result.digest, ("flows",))


def test_a_result_comes_back_as_it_was() -> None:
    text = scenario(traces=["window", "completions"])
    result = _core.run(text, 7, 3)
    kept = unpack(pack(result, TABLES))
    assert (kept.digest, kept.seed, kept.run) == (result.digest, 7, 3)
    for name in TABLES:
        first, again = (from_core(r.table(name)) for r in (result, kept))
        assert list(first) == list(again)
        for column, cells in first.items():
            assert cells.dtype == again[column].dtype
            np.testing.assert_array_equal(cells, again[column])
    # A result that was kept can be kept again.
    assert pack(kept, TABLES) == pack(result, TABLES)


def test_everything_that_a_result_depends_on_is_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [
        key_of(text, seed, run, tables)
        for text in ("{}", "{ }")
        for seed in (None, 0, 1)
        for run in (0, 1)
        for tables in (("flows",), ("flows", "links"))
    ]
    monkeypatch.setattr("headgate.papers.runs.store.build", lambda: "another engine")
    assert len({*keys, key_of("{}", None, 0, ("flows",))}) == 25


def test_what_is_finished_is_not_repeated(paper: Path, cli: Cli, ran: list[int]) -> None:
    plain = cli("reproduce", "./mypaper", "--json")
    assert (plain.returncode, len(ran)) == (0, RUNS), plain.stderr
    first = cli("reproduce", "./mypaper", "--json", "--resume", "kept")
    assert len(ran) == 2 * RUNS
    again = cli("reproduce", "./mypaper", "--json", "--resume", "kept", "--threads", "1")
    assert len(ran) == 2 * RUNS, "runs that were kept were repeated"
    assert plain.stdout == first.stdout == again.stdout
    assert not list((paper.parent / "kept").glob(".chunk*"))
    # More seeds are new runs, the others are not.
    more = cli("reproduce", "./mypaper", "--json", "--resume", "kept", "--seeds", "22")
    assert (more.returncode, len(ran)) == (0, 2 * RUNS + 4 * 2), more.stderr


def test_another_scenario_is_run(paper: Path, cli: Cli, ran: list[int]) -> None:
    cli("reproduce", "./mypaper", "--resume", "kept")
    line = paper / "line.toml"
    line.write_text(line.read_text().replace('"20pkt"', '"19pkt"'))
    changed = cli("reproduce", "./mypaper", "--json", "--resume", "kept")
    assert len(ran) == 2 * RUNS
    assert changed.stdout == cli("reproduce", "./mypaper", "--json").stdout


def test_from_python(paper: Path, tmp_path: Path, ran: list[int]) -> None:
    texts = [headgate.reproduce(str(paper), resume=tmp_path / "kept").to_json() for _ in range(2)]
    assert texts[0] == texts[1]
    assert len(ran) == RUNS


#: The command with an engine that ends some runs and holds all later ones until they are stopped, so that a signal comes in the middle.
#: Each finished run is kept at once.
HELD = """
import os, sys, threading
from itertools import count
from headgate import _core
from headgate.base import parallel
from headgate.papers.runs import store
number = count()
class Control:
    def __init__(self, most):
        self.real, self.stopped, self.share = _core.Control(most), threading.Event(), 0.0
    def stop(self):
        self.real.stop()
        self.stopped.set()
class Held:
    def __getattr__(self, name):
        return Control if name == "Control" else getattr(_core, name)
    def run(self, text, seed, run, control, *more):
        if next(number) >= 5:
            held()
            control.stopped.wait()
        return _core.run(text, seed, run, control.real, *more)
def held():
    pass
parallel._core = Held()
store.CHUNK_S = 0.0
from headgate.cli import main
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_at_any_time(number: int, paper: Path, cli: Cli, ran: list[int]) -> None:
    command = ["reproduce", "./mypaper", "--json", "--resume", "kept", "--threads", "2"]
    kept = paper.parent / "kept"
    for _ in range(2):
        before = len(list(kept.glob("chunk-*.runs")))
        child = subprocess.Popen(
            [sys.executable, "-c", HELD, *command], cwd=paper.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )  # fmt: skip
        while child.poll() is None and len(list(kept.glob("chunk-*.runs"))) <= before:
            time.sleep(0.01)
        assert child.poll() is None, "it ended before it could be interrupted"
        os.kill(child.pid, number)
        out, err = child.communicate()
        assert out == ""
        if number == signal.SIGINT:
            assert child.returncode == 130
            assert err.startswith("stopped; finished runs are in kept. Go on with:\n  headgate reproduce ./mypaper"), (
                err
            )
    done = cli(*command)
    # In each of the two, at least one chunk was finished.
    assert done.returncode == 0 and len(ran) <= RUNS - 2
    assert done.stderr == ""
    plain = cli("reproduce", "./mypaper", "--json")
    assert done.stdout == plain.stdout


def test_ctrl_c_without_a_folder_says_that_it_stopped(paper: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", HELD.replace("    pass", "    os.write(1, b'.')"), "reproduce", "./mypaper", "--json"],
        cwd=paper.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout is not None
    child.stdout.read(1)
    os.kill(child.pid, signal.SIGINT)
    _, err = child.communicate()
    assert (child.returncode, err) == (130, "stopped\n")


def test_damaged_files_are_removed_and_their_runs_done_again(tmp_path: Path, ran: list[int]) -> None:
    folder, said = tmp_path / "kept", list[str]()
    with Store(folder) as store:
        due = digests(Work(store=store), range(6))
    (file,) = folder.glob("chunk-*.runs")
    whole = file.read_bytes()
    head = int.from_bytes(whole[8:16], "little")
    for damaged in (b"", whole[:20], whole[:-1], b"x" + whole[1:], whole[:60] + b"?" + whole[61:], whole + b"more"):
        file.write_bytes(damaged)
        said.clear()
        before = len(ran)
        with Store(folder, said.append) as store:
            assert digests(Work(store=store), range(6)) == due
        assert len(ran) == before + 6
        assert said == [f"{file}: was damaged; its runs are done again"]
        (file,) = folder.glob("chunk-*.runs")
    # A result in the middle: what stands before it may have been taken.
    place = 48 + head + 200
    file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    said.clear()
    with Store(folder, said.append) as store:
        assert digests(Work(store=store), range(6)) == due
    assert said == [f"{file}: was damaged; its runs are done again"]
    before = len(ran)
    with Store(folder, said.append) as store:
        assert digests(Work(store=store), range(6)) == due
    assert len(ran) <= before + 5 and len(said) == 1


@pytest.mark.slow
def test_folders_that_hold_something_else(tmp_path: Path, cli: Cli) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    for folder, files, expected in (
        ("other", {}, "expected an empty or absent folder, or one in which runs are kept"),
        ("marked", {"kept.json": "nonsense"}, "expected the mark of a folder of runs, found another file"),
        ("study", {"kept.json": '{"kind": "study"}'}, "expected the mark of a folder of runs, found another file"),
        ("later", {"kept.json": '{"kind": "runs", "format": 9}'}, "expected form 1, found form 9"),
        ("other/letter.txt", {}, "expected a folder, found a file"),
    ):
        place = tmp_path / folder
        for name, text in files.items():
            place.mkdir()
            (place / name).write_text(text)
        done = cli("reproduce", "demers1989", "figure-1", "--resume", folder)
        assert done.returncode == 2
        assert expected in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    assert [f.name for f in other.iterdir()] == ["letter.txt"]
    # A file beside the chunks is nobody's affair; one that is called like a chunk is removed.
    with Store(tmp_path / "kept"):
        pass
    for name in ("notes.txt", "chunk-1.runs"):
        (tmp_path / "kept" / name).write_text("mine")
    done = cli("reproduce", "demers1989", "figure-1", "--resume", "kept")
    assert (done.returncode, done.stderr) == (0, "kept/chunk-1.runs: was damaged; its runs are done again\n")
    assert (tmp_path / "kept" / "notes.txt").exists()


@pytest.mark.slow
def test_one_process_at_a_time(tmp_path: Path, cli: Cli) -> None:
    with Store(tmp_path / "kept"):
        done = cli("reproduce", "demers1989", "figure-1", "--resume", "kept")
    assert (done.returncode, done.stderr) == (2, "error: kept: another process is at work on these runs\n")
    assert cli("reproduce", "demers1989", "figure-1", "--resume", "kept").returncode == 0


def test_a_full_disk_is_an_error_that_keeps_what_was_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ran: list[int]
) -> None:
    with Store(tmp_path / "kept") as store:
        digests(Work(store=store), range(2))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, Store(tmp_path / "kept") as store:
        patch.setattr("headgate.papers.runs.store.atomic", full)
        with pytest.raises(HeadgateError, match=r"cannot be written: No space left .*make room and run the same again"):
            digests(Work(store=store), range(4))
    with Store(tmp_path / "kept") as store:
        before = len(ran)
        digests(Work(store=store), range(2))
        assert len(ran) == before


def test_what_was_done_is_counted(tmp_path: Path) -> None:
    with Store(tmp_path / "kept") as store:
        first = Work(store=store)
        digests(first, range(3))
        second, shares = Work(store=store), list[tuple[float, int, int]]()
        second.progress = lambda *done: shares.append(done)
        digests(second, range(5))
        third = Work(store=store)
        digests(third, range(3))
        once = third.elsewhere_s
        digests(third, range(3))
    assert (first.runs, first.kept) == (3, 0)
    assert (second.runs, second.kept) == (5, 3)
    assert second.cpu_s > first.cpu_s > 0
    # What is wanted a second time has cost nothing more.
    assert (third.runs, third.kept) == (6, 6)
    assert third.elsewhere_s == once == third.cpu_s > 0
    assert shares[-1][1:] == (5, 5) and all(done >= 3 for _, done, _ in shares)


@pytest.mark.slow
def test_on_a_cluster(tmp_path: Path, paper: Path, cli: Cli) -> None:
    pytest.importorskip("distributed")
    plain = cli("reproduce", "./mypaper", "--json")
    there = cli("reproduce", "./mypaper", "--json", "--engine", "dask", "--threads", "2", "--resume", "kept")
    assert (there.returncode, there.stdout) == (0, plain.stdout), there.stderr
    with open_work(resume=tmp_path / "kept") as work:
        assert work.store is not None and len(work.store) == RUNS


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--address", "tcp://a:1"], "address tcp://a:1: expected engine dask beside it, found local"),
     (["--engine", "dask", "--address", "nonsense"], "--address nonsense: expected the address of a Dask scheduler")],
)  # fmt: skip
def test_engines_that_do_not_exist(words: list[str], said: str, cli: Cli) -> None:
    pytest.importorskip("distributed")
    done = cli("reproduce", "demers1989", "figure-1", *words)
    assert done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_scenario_that_is_wrong_on_a_cluster() -> None:
    pytest.importorskip("distributed")
    with open_work(1, engine="dask") as work, pytest.raises(HeadgateError, match="duration"):
        digests(work, range(1), scenario(duration="no time"))


def test_workers_of_another_build_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from headgate.papers.runs.cluster import Chunk, run_chunk

    with pytest.raises(HeadgateError, match=r"a worker has headgate .*; expected 9\.9 0123abcd, the same build"):
        run_chunk(Chunk((), (), 1.0, "9.9 0123abcdef"))


def test_old_variables_are_gone() -> None:
    assert "HEADGATE_POINTS" not in "".join(p.read_text() for p in (ROOT / "python").rglob("*.py"))
