"""What commands that judge have in common: runs that are kept, a folder that belongs to one question, engines."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import headgate
from headgate.base.build import build, short
from headgate.base.counts import counted
from headgate.base.errors import HeadgateError
from headgate.base.parts import read_mark, write_mark
from headgate.lab.conformance.work import CHECKS
from headgate.lab.frame import jobs
from headgate.lab.frame.store import QUESTION, RunStore, hold
from headgate.sweep.lock import lock

from ..conftest import Cli
from ..own_plugins import control, put

#: A small question of each command, and another one for the same folder.
ASKED = {
    "evaluate": (("evaluate", "reno", "--suite", "smoke", "--rounds", 1), ("evaluate", "cubic", "--suite", "smoke")),
    "referee": (
        ("referee", "cubic", "--set", "beta=0.6", "--case", "small.case"),
        ("referee", "cubic", "--set", "beta=0.5", "--case", "small.case"),
    ),
    "attack": (
        ("attack", "bbr1", "--objective", "loss", "--preset", "small.toml", "--candidates", 50, "--findings", 1),
        ("attack", "bbr1", "--objective", "loss", "--preset", "small.toml", "--seed", 2),
    ),
    "contract": (("contract", "aimd", "--quick", "--seeds", 1), ("contract", "vegas", "--quick")),
    "conform": (("conform", "aimd"), ("conform", "vegas")),
}

#: The tests of conform that are made here.
TESTS = ("determinism", "marks", "reaction to loss", "time of the start")

FILES = {
    "small.case": """title = "Small"
source = "nobody"
duration = "6s"
warm_up = "1s"
line = { rate = "2Mbit/s", rtt = "30ms", buffer = "$buffer" }
flows = [{ name = "own1" }, { name = "own2", start = "1s" }]
cells = { buffer = ["1BDP", "4BDP"] }
runs = 2
must = [{ metric = "jain", at_least = 0.9, origin = "ours" }]
better_than = [{ metric = "jain", baseline = "reno" }]
""",
    "small.toml": """queues = ["fcfs"]
patterns = ["none", "uniform"]
burst_share = 0.2
[ranges]
rate = ["1Mbit/s", "2Mbit/s"]
rtt = ["10ms", "40ms"]
ratio = [1, 4]
buffer = [0.2, 2]
flows = [1, 2]
delay = ["1ms", "20ms"]
period = ["100ms", "1s"]
burst_length = [0.02, 0.5]
burst_rate = [0.1, 1]
loss = 0
ack_aggregation = ["1ms", "10ms"]
offset = ["10ms", "1s"]
""",
}

#: What differs from call to call.
TIMES = ("cpu_s", "wall_s", "candidates_per_cpu_hour")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys of the runs that are made."""
    keys: list[str] = []
    take = jobs.Runner._take

    def noted(self: jobs.Runner, job: Any, *more: Any) -> None:
        keys.append(job.key)
        take(self, job, *more)

    monkeypatch.setattr(jobs.Runner, "_take", noted)
    monkeypatch.setattr("headgate.lab.evaluation.judge._kept", {})
    return keys


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of small questions; runs of a contract are short and slow, and say little."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    for name, value in {
        "LENGTH": 2.0,
        "LONG": 2.0,
        "LONGEST": 2,
        "LOSS_LINE": 5e6,
        "LOSSES": (1e-3, 3e-2),
        "DELAYS": (0.01, 0.04),
    }.items():
        monkeypatch.setattr(f"headgate.lab.contracts.run.{name}", value)
    monkeypatch.setitem(CHECKS, "control", {title: CHECKS["control"][title] for title in TESTS})


@pytest.fixture
def ask(cli: Cli) -> Callable[..., Any]:
    """What a command prints as JSON."""

    def call(*words: object) -> Any:
        done = cli(*words, "--workers", 1, "--json")
        assert done.returncode in (0, 1), done.stderr
        return {k: v for k, v in json.loads(done.stdout).items() if k not in TIMES}

    return call


@pytest.mark.parametrize("command", ASKED)
def test_runs_are_kept_and_a_folder_belongs_to_one_question(
    command: str, ask: Callable[..., Any], cli: Cli, made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, others = ASKED[command]
    whole = ask(*words)
    count = len(made)
    assert count == len(set(made))
    monkeypatch.setattr("headgate.lab.evaluation.judge._kept", {})
    file = tmp_path / "out/runs.jsonl"
    assert ask(*words, "--out", "out") == whole
    lines = file.read_text().splitlines(keepends=True)
    assert len(lines) == count
    # It was killed after half of the runs, in the middle of a line.
    file.write_text("".join(lines[: count // 2]) + lines[-1][:20])
    made.clear()
    monkeypatch.setattr("headgate.lab.evaluation.judge._kept", {})
    assert ask(*words, "--out", "out", "--resume") == whole
    assert len(made) == count - count // 2 and set(made) == {json.loads(line)["key"] for line in lines[count // 2 :]}
    said = cli(*others, "--out", "out")
    # The referee looks at the page in the folder before.
    assert said.returncode == 2 and re.search(
        "out: holds the runs of another question: .*; expected the same|found the report of", said.stderr
    )


@pytest.mark.parametrize("command", ASKED)
def test_options_that_belong_to_others_are_refused_without_them(command: str, cli: Cli, tmp_path: Path) -> None:
    words, _ = ASKED[command]
    for more, text in (
        (("--resume",), "--resume: expected --out with the folder beside it"),
        (("--address", "tcp://x:1"), "--address: expected --engine dask beside it"),
        (("--part", "1/2"), "--part: expected --out with a folder of its own beside it"),
        (("--part", "0/2", "--out", "x"), "--part: found '0/2'; expected 1/2 to 2/2"),
    ):
        done = cli(*words, *more)
        assert done.returncode == 2 and text in done.stderr and not done.stdout
    assert {file.name for file in tmp_path.iterdir()} == {*FILES}


def test_what_a_folder_says_of_its_question_names_the_difference(tmp_path: Path) -> None:
    asked = {"subject": "reno", "table": {"kind": "reno", "beta": 0.5}}
    hold(tmp_path, "attack", asked)
    before = (tmp_path / QUESTION).read_bytes()
    hold(tmp_path, "attack", asked)
    for kind, other, text in (
        ("referee", asked, 'holds the runs of another question: kind is "attack" there and "referee" here'),
        ("attack", {**asked, "table": {"kind": "reno", "beta": 0.6}}, "table.beta is 0.5 there and 0.6 here"),
        ("attack", {"subject": "reno"}, 'table is {"kind": "reno", "beta": 0.5} there and absent here'),
    ):
        with pytest.raises(HeadgateError) as caught:
            hold(tmp_path, kind, other)
        assert text in str(caught.value)
    assert (tmp_path / QUESTION).read_bytes() == before
    (tmp_path / QUESTION).write_text("[")
    with pytest.raises(
        HeadgateError, match=r"question\.json: expected whose the runs beside it are, found something else"
    ):
        hold(tmp_path, "attack", asked)


@pytest.mark.parametrize("command", ASKED)
def test_parts_that_are_joined_and_finished_answer_as_one_machine(
    command: str, ask: Callable[..., Any], cli: Cli, made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, _ = ASKED[command]
    whole = ask(*words)
    monkeypatch.setattr("headgate.lab.evaluation.judge._kept", {})
    wanted = set(made)
    folders = [f"parts/{n}" for n in (1, 2, 3)]
    shares = []
    for n, folder in enumerate(folders, 1):
        made.clear()
        said = ask(*words, "--part", f"{n}/3", "--out", folder)
        assert said == {
            "version": headgate.__version__,
            "runs": len(made),
            "folder": folder,
            "rest": "headgate gather DIR... --out OUT",
        }
        shares.append([*made])
    assert sum(map(len, shares)) == len(set().union(*shares)) and max(map(len, shares)) - min(map(len, shares)) <= 1
    # What is known before any result: all runs, but for those of attacks that follow from others, and some that need not be made again.
    assert command == "attack" or set().union(*shares) <= wanted
    # The second one is killed in the middle of a line, and repeated.
    file = tmp_path / "parts/2/runs.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:1]) + lines[-1][:20])
    mark = read_mark(tmp_path / "parts/2")
    write_mark(mark.folder, mark.part, mark.plan, False)
    done = cli("gather", *folders, "--out", "out")
    assert done.returncode == 2 and "not finished: 2 (parts/2)" in done.stderr and not (tmp_path / "out").exists()
    made.clear()
    ask(*words, "--part", "2/3", "--out", "parts/2", "--resume")
    assert len(made) == len(shares[1]) - 1
    done = cli("gather", *reversed(folders), "--out", "out")
    assert done.returncode == 0
    count = counted(sum(map(len, shares)), "run")
    assert done.stdout.startswith(f"{count} in out; the rest, and the answer, come from: ")
    made.clear()
    monkeypatch.setattr("headgate.lab.evaluation.judge._kept", {})
    assert ask(*words, "--out", "out", "--resume") == whole
    assert not set(made) & set().union(*shares)


def test_a_part_of_another_question_is_refused(cli: Cli, tmp_path: Path) -> None:
    small = ("evaluate", "--suite", "smoke", "--rounds", 1, "--workers", 1)
    for name, judged, more in (("a", "reno", ()), ("b", "vegas", ()), ("c", "reno", ("--rounds", 2))):
        assert cli(*small, judged, *more, "--part", "1/40" if name == "a" else "2/40", "--out", name).returncode == 0
    done = cli("gather", "a", "b", "--out", "out")
    assert (
        done.returncode == 2
        and 'b: is a part of another question than a: control is "reno" there and "vegas" here' in done.stderr
    )
    done = cli("gather", "a", "c", "--out", "out")
    assert done.returncode == 2 and "c: is a part of another plan than a" in done.stderr
    done = cli("gather", "a", "--out", "out")
    assert done.returncode == 2 and "missing: 2-40; expected all of them" in done.stderr
    done = cli(*small, "reno", "--out", "a")
    assert done.returncode == 2 and "a: holds a part; expected --part 1/40, or another folder" in done.stderr
    done = cli(*small, "reno", "--part", "2/40", "--out", "a")
    assert done.returncode == 2 and "a: holds another part: its part is 1/40, found 2/40" in done.stderr
    assert not (tmp_path / "out").exists()
    done = cli("gather", "a", "--out", "out", "--incomplete")
    assert done.returncode == 0 and len((tmp_path / "out/runs.jsonl").read_text().splitlines()) == 1
    done = cli("gather", "a", "--out", "out", "--incomplete")
    assert done.returncode == 2 and "--out out: expected an empty or absent folder" in done.stderr


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("command", ASKED)
def test_a_cluster_gives_what_this_machine_gives(
    command: str, ask: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    words, _ = ASKED[command]
    if command == "evaluate":
        # A control that is not trusted has its processes there, too.
        put(tmp_path, control("        self.window = 20.0"))
        words = (command, "mine.py", *words[2:])
    here = ask(*words)
    monkeypatch.setattr("headgate.lab.evaluation.judge._kept", {})
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        assert ask(*words, "--engine", "dask", "--address", cluster.scheduler_address) == here


def test_one_process_at_a_time_in_a_folder(cli: Cli, tmp_path: Path) -> None:
    words = ("evaluate", "--suite", "smoke", "--rounds", "1", "--workers", "1", "reno", "--out", "out")
    with closing(RunStore(tmp_path / "out", ("evaluate", {}))):
        done = cli(*words)
    assert (done.returncode, done.stderr) == (2, "error: out: another process is at work on these runs\n")
    (tmp_path / "out/question.json").unlink()
    # A process that was killed leaves the file of its lock, and no lock.
    program = "import pathlib; from headgate.sweep.lock import lock; lock(pathlib.Path('out'), ''); print(flush=True); input()"
    killed = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, stdin=-1, stdout=-1)
    assert killed.stdin is not None and killed.stdout is not None
    killed.stdout.readline()
    assert "another process is at work" in cli(*words).stderr
    killed.kill()
    killed.communicate()
    assert (tmp_path / "out/.lock").exists() and cli(*words).returncode == 0
    assert cli(*words, "--resume").returncode == 0


def test_parts_that_are_being_made_or_of_two_builds_are_not_joined(cli: Cli, tmp_path: Path) -> None:
    small = ("evaluate", "--suite", "smoke", "--rounds", 1, "--workers", 1, "reno")
    for number in (1, 2):
        assert cli(*small, "--part", f"{number}/40", "--out", f"p/{number}").returncode == 0
    mark = tmp_path / "p/2/part.json"
    data = json.loads(mark.read_text())
    mark.write_text(json.dumps({**data, "build": "0.1.0 0123456789abcdef"}))
    done = cli("gather", "p/1", "p/2", "--out", "out", "--incomplete")
    assert done.returncode == 2 and (
        f"p/2: is a part made by another build of headgate than p/1: 0.1.0 01234567, not {short(build())}; expected parts of one "
        "headgate evaluate; make one of them again with the build of the others" in " ".join(done.stderr.split())
    )
    mark.write_text(json.dumps({**data, "done": False}))
    held = lock(mark.parent, "")
    done = cli("gather", "p/1", "p/2", "--out", "out", "--incomplete")
    os.close(held)
    assert done.returncode == 2 and "p/2: another process is at work on these runs" in done.stderr
    assert not (tmp_path / "out").exists()
    # Nor does a judge go on where another build was at work.
    question = mark.parent / QUESTION
    question.write_text(question.read_text().replace(build(), "0.1.0 0123456789abcdef"))
    done = cli(*small, "--part", "2/40", "--out", "p/2")
    assert done.returncode == 2 and 'another question: build is "0.1.0 0123456789abcdef" there' in done.stderr


@pytest.mark.parametrize("words", [("train", "--out", "x.py"), ("infer", "demers1989")])
def test_a_search_cannot_be_shared_out_and_says_what_to_do_instead(words: tuple[str, ...], cli: Cli) -> None:
    done = cli(*words, "--part", "3/8")
    assert done.returncode == 2
    assert "--part: found '3/8'; expected --engine dask to use several machines" in " ".join(done.stderr.split())
    assert "--part" not in cli(words[0], "--help").stdout
