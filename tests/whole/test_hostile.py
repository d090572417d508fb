"""Every command, called in wrong ways: one message, exit code 2, and nothing left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from headgate.cli import main

from ..conftest import dumbbell, signals_kept
from ..studies import run_here, sweep_of

#: Longer than what errors show of a value, and than a file's name may be.
LONG = "x" * 5000
WORDS = "a b " * 1000
NAME = "y" * 300

SWEEP = {"axes": {"links.slow.queue": ["fcfs", "fq"]}, "replications": 2}
COMPARE = ["compare", "study", "--by", "queue", "--metric", "rtt"]

#: Arguments, and words of the message.
CALLS: list[tuple[list[str], str]] = [
    # Paths and values of --set.
    (["run", "a.json", "--set", "a." * 1000 + "a=1"], "at most 50 names"),
    (["run", "a.json", "--set", LONG + "=1"], "a.json: xxx"),
    (["run", "a.json", "--set", LONG], "PATH=VALUE"),
    (["run", "a.json", "--set", f"links.{LONG}.rate=1kbit/s"], "no entry"),
    (["run", "a.json", "--set", f"links.slow.{LONG}=1"], "links[1].xxx"),
    (["run", "a.json", "--set", f'"{WORDS}"=1'], "unknown key"),
    (["run", "a.json", "--set", f'links.slow.queue={{kind="fq",{LONG}=1}}'], "links[1].queue"),
    (["run", "a.json", "--set", f"links.slow.queue={LONG}"], "fcfs"),
    (["run", "a.json", "--set", f'links.slow.queue={{kind="fq",structure="{LONG}"}}'], "expected one of link"),
    (["run", "a.json", "--set", "duration=" + "[" * 5000 + "]" * 5000], "duration"),
    (["run", "a.json", "--set", "duration=" + "[" * 70 + "]" * 70], "deep"),
    (["run", "a.json", "--set", "duration=nan"], "duration: found nan; expected a finite number"),
    (["run", "a.json", "--set", "links.slow.queue={kind='red',max_p=inf}"], "links[1].queue.max_p: found inf"),
    (["run", "a.json", "--set", "seed=" + "9" * 5000], "seed"),
    (["run", "a.json", "--set", "seed=" + "9" * 50], "seed: found 167 bits"),
    (["run", "a.json", "--set", "duration=2020-01-01"], "duration: found date 2020-01-01"),
    (["run", "number.json", "--set", "links.slow.rate=1kbit/s"], "no entry 'slow'"),
    # Files of scenarios.
    (["check", "dotted.toml"], "deep"),
    (["run", "dotted.toml"], "deep"),
    (["sweep", "dotted.toml"], "deep"),
    (["diff", "dotted.toml", "a.json"], "deep"),
    (["check", "lists.toml"], "TOML"),
    (["check", "tables.toml"], "TOML"),
    (["check", "nested.json"], "deep"),
    (["check", "nested-more.json"], "JSON"),
    (["check", "nan.json"], "flows[0].control.window: found nan"),
    (["sweep", "nan.json"], "expected a table"),
    (["check", "digits.json"], "JSON"),
    (["check", "surrogate.json"], "duration: found '\\ud800'"),
    (["check", "latin.toml"], "UTF-8"),
    (["check", "."], "directory"),
    (["check", "/dev/zero"], "8 MB"),
    (["check", "/dev/null"], "duration"),
    (["check", "a.json/a"], "Not a directory"),
    (["check", NAME], "too long"),
    # Studies.
    (["sweep", "s.json", "--dry-run", "--set", "sweep.axes={'links.slow.rate'=[nan]}"], "found nan"),
    (["sweep", "s.json", "--dry-run", "--set", f"sweep.axes={{'links.slow.rate'='{LONG}'}}"], "range"),
    (["sweep", "s.json", "--dry-run", "--set", f"sweep.axes={{'{LONG}'=[1]}}"], "xxx"),
    (["sweep", "s.json", "--dry-run", "--set", f"sweep.axes={{'{'a.' * 1000}a'=[1]}}"], "at most 50 names"),
    (["sweep", "s.json", "--dry-run", "--set", "sweep.axes={'links.slow.rate'='1 ... 1e99999999'}"], "1e300"),
    (["sweep", "s.json", "--dry-run", "--set", "sweep.axes={'links.slow.rate'='1e-999 ... 1 log 5'}"], "1e-300"),
    (["sweep", "s.json", "--dry-run", "--set", "sweep.axes={'links.slow.rate'='1 ... 1e9999999999999999999999'}"], "1e300"),
    (["sweep", "s.json", "--dry-run", "--set", "sweep=3"], "expected a table"),
    (["sweep", "s.json", "--out", NAME], "too long"),
    (["sweep", "s.json", "--out", "/proc/study"], "cannot be written"),
    (["sweep", "s.json", "--out", "a.json"], "found a file"),
    (["sweep", "s.json", "--out", "a.json/study"], "Not a directory"),
    (["sweep", "s.json", "--address", LONG], "engine dask"),
    (["sweep", "s.json", "--engine", LONG], "--engine"),
    (["sweep", "s.json", "--workers", "0"], "--workers"),
    # Tables and figures.
    (["run", "a.json", "--out", NAME], "too long"),
    (["run", "a.json", "--out", "/proc/tables"], "cannot be written"),
    (["run", "a.json", "--out", "a.json/tables"], "Not a directory"),
    (["run", "a.json", "--out", "a.json"], "found a file"),
    (["run", "a.json", "--figure", NAME + ".svg"], "too long"),
    (["run", "a.json", "--figure", "/proc/a.svg"], "cannot be written"),
    (["run", "a.json", "--figure", "a." + LONG], ".png"),
    (["run", "a.json", "--seed", LONG], "--seed"),
    (["run", "a.json", "--" + LONG], "No such option"),
    (["run", "a.json", LONG], "unexpected extra argument"),
    (["run"], "FILE"),
    ([LONG], "No such command"),
    # What looks at studies.
    ([*COMPARE[:-1], LONG], "metric xxx"),
    ([*COMPARE[:-1], WORDS], "metric a b"),
    ([*COMPARE[:-1], "digest"], "metric digest"),
    ([*COMPARE, "--by", LONG], "axis xxx"),
    ([*COMPARE, "--flow", LONG], "flow xxx"),
    ([*COMPARE, "--flow", "[" * 3000], "flow [[["),
    ([*COMPARE, "--link", LONG], "--link"),
    ([*COMPARE, "--against", LONG], "queue xxx"),
    ([*COMPARE, "--where", LONG], "AXIS=VALUE"),
    ([*COMPARE, "--where", LONG + "=1"], "axis xxx"),
    ([*COMPARE, "--where", "queue=" + WORDS], "queue a b"),
    ([*COMPARE, "--alpha", "nan"], "found 'nan'; expected a finite number"),
    ([*COMPARE, "--alpha", "1e-320"], "alpha"),
    (["compare", "/dev/null", *COMPARE[2:]], "manifest"),
    (["compare", NAME, *COMPARE[2:]], "too long"),
    (["compare", ".", *COMPARE[2:]], "manifest.json"),
    (["compare", "tables", *COMPARE[2:]], "found another file"),
    (["compare", "fifo", *COMPARE[2:]], "no ordinary file"),
    (["plot", "study", "--out", NAME + ".svg"], "too long"),
    (["plot", "study", "--out", "a." + LONG], ".svg"),
    (["plot", "study", "--out", "/proc/a.svg"], "cannot be written"),
    (["plot", "study", "--out", "a.svg", "--x", LONG], "axis xxx"),
    (["plot", "study", "--out", "a.svg", "--kind", "heatmap", "--y", LONG], "two axes"),
    (["plot", "study", "--out", "a.svg", "--kind", "utility", "--delay", LONG], "metric xxx"),
    (["plot", "study", "--out", "a.svg", "--metric", "digest"], "metric digest"),
    # The others.
    (["diff", "a.json", "/proc"], "manifest.json"),
    (["diff", "a.json", "a.json", "--run", LONG], "--run"),
    (["diff", NAME, "a.json"], "too long"),
    (["reproduce", LONG], "demers1989"),
    (["reproduce", "../papers"], "demers1989"),
    (["reproduce", "demers1989", LONG], "scenario-1"),
    (["reproduce", "demers1989", "--report", NAME], "too long"),
    (["reproduce", "demers1989", "--report", "/proc/report"], "cannot be written"),
    (["reproduce", "demers1989", "scenario-1", "--seeds", "-1"], "--seeds"),
    (["list", LONG], "disciplines"),
    (["schema", LONG], "unexpected extra argument"),
    (["bench", "--repeats", "0"], "--repeats"),
]  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with scenarios, good and bad ones, and a study."""
    place = tmp_path_factory.mktemp("hostile")
    good = json.dumps(dumbbell(duration="7s", interval="1s"))
    texts = {
        "a.json": good,
        "s.json": json.dumps({**json.loads(good), "sweep": SWEEP}),
        "number.json": good.replace('"name": "slow"', '"name": 3'),
        "nan.json": good.replace('"window": 5', '"window": NaN'),
        "digits.json": good.replace('"window": 5', f'"window": {"9" * 5000}'),
        "surrogate.json": good.replace('"duration": "7s"', '"duration": "\\ud800"'),
        "nested.json": '{"a":' * 60 + "1" + "}" * 60,
        "nested-more.json": '{"a":' * 5000 + "1" + "}" * 5000,
        "dotted.toml": "a." * 1000 + "a = 1\n",
        "lists.toml": "x = " + "[" * 3000 + "]" * 3000,
        "tables.toml": "x = " + "{a=" * 3000 + "1" + "}" * 3000,
    }
    for name, text in texts.items():
        (place / name).write_text(text)
    (place / "latin.toml").write_bytes(b'duration = "\xff"')
    (place / "tables").mkdir()
    (place / "tables/manifest.json").write_text('{"runs": []}')
    (place / "fifo").mkdir()
    os.mkfifo(place / "fifo/manifest.json")
    with pytest.MonkeyPatch.context() as patch:
        run_here(sweep_of(SWEEP, duration="7s", interval="1s"), patch, out=place / "study")
    return place


def listing(place: Path) -> list[tuple[str, int, int]]:
    return sorted((str(f), s.st_size, s.st_mtime_ns) for f in place.rglob("*") for s in [f.lstat()])


@pytest.mark.parametrize("number", range(len(CALLS)), ids=lambda i: f"{i}-{' '.join(CALLS[i][0])[:60]}")
def test_hostile_calls(
    number: int, place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    args, words = CALLS[number]
    monkeypatch.chdir(place)
    monkeypatch.setattr(sys, "argv", ["headgate", *args])
    before = listing(place)
    with signals_kept(), pytest.raises(SystemExit) as ended:
        main()
    out, err = capfd.readouterr()
    assert ended.value.code == 2, (out, err)
    assert out == ""
    assert words in err
    assert "Traceback" not in err and len(err) < 1200
    # Click puts the usage before its errors.
    lines = err.strip().splitlines()
    assert lines[-1].startswith(("error: ", "Error: ")) or lines[0].startswith("Usage: ")
    assert len(lines) == 1 or lines[0].startswith("Usage: ")
    # Values are cut; a file's name is not, as long as there can be one.
    assert "x" * 81 not in err and WORDS[:100] not in err
    assert listing(place) == before
    assert threading.active_count() < 50


#: Runs each command in turn with standard output as it is to be, and writes exit codes and errors to a file.
DRIVER = """
import json, os, sys
from headgate.cli import main
codes = []
for args in json.loads(sys.argv[1]):
    if {sink!r} == "pipe":
        r, w = os.pipe()
        os.close(r)
        os.dup2(w, 1)
        os.close(w)
    elif {sink!r} == "full":
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, 1)
        os.close(full)
    sys.argv = ["headgate", *args]
    try:
        main()
    except SystemExit as e:
        codes.append(e.code)
open("codes.json", "w").write(json.dumps(codes))
"""

#: Every command that prints, and is quick.
PRINT = [
    ["list", "papers"],
    ["list", "disciplines", "--json"],
    ["schema"],
    ["check", "a.json"],
    ["run", "a.json"],
    ["run", "a.json", "--json"],
    ["diff", "a.json", "a.json"],
    ["sweep", "s.json", "--dry-run"],
    ["sweep", "s.json", "--out", "study", "--resume"],
    ["compare", "study", "--by", "queue", "--metric", "rtt"],
    ["plot", "study", "--out", "a.svg"],
    ["reproduce", "demers1989", "preemption"],
    ["replay", "t.csv", "--queue", "fq", "--rate", "1Mbit/s"],
    ["--help"],
    ["run", "--help"],
    ["--version"],
]


@pytest.mark.slow
@pytest.mark.parametrize("sink", ["pipe", "full", "ascii", "closed"])
def test_what_becomes_of_the_output(sink: str, place: Path, tmp_path: Path) -> None:
    for name in ("a.json", "s.json"):
        (tmp_path / name).write_text((place / name).read_text())
    (tmp_path / "t.csv").write_text("time_s,flow,size_bytes\n0,ä,100\n1,b,100\n")
    code = DRIVER.format(sink=sink)
    command = [sys.executable, "-c", code, json.dumps(PRINT)]
    if sink == "closed":
        command = ["sh", "-c", 'exec "$@" >&-', "sh", *command]
    encoding = {"PYTHONIOENCODING": "ascii"} if sink == "ascii" else {}
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, **encoding}, capture_output=True)
    codes = json.loads((tmp_path / "codes.json").read_text())
    expected = 2 if sink == "full" else 0
    assert dict(zip(map(str, PRINT), codes, strict=True)) == {str(args): expected for args in PRINT}, done.stderr
    if sink == "full":
        lines = done.stderr.decode().splitlines()
        assert lines == ["error: standard output: cannot be written; No space left on device"] * len(PRINT)
    else:
        assert done.stderr == b""
    if sink == "ascii":
        assert "?" in done.stdout.decode("ascii")
    assert done.returncode == 0


def test_a_scenario_from_a_pipe_is_read_once(place: Path) -> None:
    """As in `headgate check <(generate)`."""
    text = (place / "s.json").read_text()
    code = "from headgate.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "sweep", "/dev/stdin", "--dry-run"], input=tomlish(text), text=True,
        capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    done = subprocess.run(
        [sys.executable, "-c", code, "check", "/dev/stdin"], input=tomlish(text), text=True, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "sweep" in json.loads(done.stdout)


def tomlish(text: str) -> str:
    """The scenario as TOML, for a file whose name does not end in .json."""

    def value(x: object) -> str:
        if isinstance(x, dict):
            return "{" + ", ".join(f"{json.dumps(k)} = {value(v)}" for k, v in x.items()) + "}"
        if isinstance(x, list):
            return "[" + ", ".join(map(value, x)) + "]"
        return json.dumps(x)

    return "\n".join(f"{k} = {value(v)}" for k, v in json.loads(text).items())
