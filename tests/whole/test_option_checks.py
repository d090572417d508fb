"""Values of options that are wrong in a way of their own: numbers that are none, texts that are none, tables without an end."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

import click
import pytest

from headgate.base.documents import document
from headgate.base.errors import HeadgateError
from headgate.cli.group import cli as commands
from headgate.cli.numbers import Number

from ..conftest import Cli, dumbbell

OPTIONS = [(name, option) for name, command in commands.commands.items() for option in command.params]


def test_all_numbers_of_options_have_one_type() -> None:
    """A number of click's own takes `nan`, which compares with nothing."""
    own = [(name, p.name) for name, p in OPTIONS if isinstance(p.type, click.types.FloatParamType | click.FloatRange)]
    assert [(name, p.name) for name, p in OPTIONS if isinstance(p.type, Number)] == own
    assert ("attack", "limit") in own and ("infer", "budget") in own and ("train", "delay") in own


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "NaN", "Infinity", "1e999"])
@pytest.mark.parametrize(
    "words",
    [
        *(("attack", "reno", f"--{name}") for name in ("limit", "margin", "budget")),
        ("infer", "demers1989", "--budget"),
        *(("train", "--out", "a.py", f"--{name}") for name in ("seconds", "delay", "loss")),
        ("contract", "reno", "--ratio"),
        ("compare", "study", "--by", "queue", "--metric", "rtt", "--alpha"),
    ],
    ids=" ".join,
)
def test_numbers_are_finite(words: tuple[str, ...], value: str, cli: Cli) -> None:
    done = cli(*words, value)
    assert done.returncode == 2 and not done.stdout
    assert f"Invalid value for '{words[-1]}': found '{value}'; expected a finite number" in done.stderr


@pytest.mark.parametrize("value", ["nan", "inf", "1e999", "-1", ""])
@pytest.mark.parametrize(
    "words",
    [
        ("quick", "1Mbit/s", "10ms", "reno", "--loss"),
        ("quick", "1Mbit/s", "10ms", "reno", "--noise"),
        ("quick", "1Mbit/s", "10ms", "reno", "--duration"),
        ("quick", "1Mbit/s", "10ms", "reno", "--buffer"),
        ("matrix", "--controls", "reno", "--dry-run", "--ratio"),
        ("matrix", "--controls", "reno", "--dry-run", "--buffer"),
        ("matrix", "--controls", "reno", "--dry-run", "--limit"),
        ("matrix", "--controls", "reno", "--dry-run", "--warm-up"),
        ("game", "--controls", "reno,cubic", "--dry-run", "--tolerance"),
        ("game", "--controls", "reno,cubic", "--dry-run", "--buffer"),
        ("run", "a.json", "--max-memory"),
    ],
    ids=lambda words: f"{words[0]} {words[-1]}",
)
def test_amounts_are_no_such_texts(words: tuple[str, ...], value: str, cli: Cli, tmp_path: Path) -> None:
    if (words[0], words[-1], value) == ("quick", "--buffer", "inf"):
        pytest.skip("it is a buffer without a limit")
    if value == "" and words[-1] == "--ratio":
        pytest.skip("no ratio is what it has unless one is given")
    (tmp_path / "a.json").write_text(json.dumps(dumbbell(duration="7s", interval="1s")))
    done = cli(*words, value)
    assert done.returncode == 2 and "expected" in done.stderr and "Traceback" not in done.stderr, done


@pytest.mark.parametrize("buffer", ["0bdp", "0BDP", "0.0bdp", "0pkt", "0B", "0ms", "x", "1", "-1bdp", "nanbdp"])
@pytest.mark.parametrize("command", ["matrix", "game"])
def test_buffers_are_above_zero(command: str, buffer: str, cli: Cli) -> None:
    done = cli(command, "--controls", "reno,cubic", "--queues", "fcfs", "--buffer", f"1bdp,{buffer}", "--dry-run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: --buffer: found '{buffer}'; expected buffers above zero"), done.stderr


DEEP = {
    "lists.toml": "x = " + "[" * 5000,
    "closed.toml": "x = " + "[" * 5000 + "]" * 5000,
    "tables.toml": "x = " + "{a=" * 3000 + "1" + "}" * 3000,
    "dotted.toml": "a." * 1000 + "a = 1",
    "lists.json": "[" * 50_000,
    "tables.json": '{"a":' * 50_000,
}


@pytest.mark.parametrize("name", DEEP)
def test_a_document_that_is_too_deep(name: str) -> None:
    with pytest.raises(HeadgateError, match=r"^x: expected a case in (TOML|JSON); .*(deep|Unclosed)"):
        document(DEEP[name], "x", "a case", "JSON" if name.endswith("json") else "TOML")


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("attack", "reno", "--preset", "{}.toml"), "{}.toml"),
        (("check", "{}.toml"), "{}.toml"),
        (("check", "{}.json"), "{}.json"),
        (("sweep", "{}.toml"), "{}.toml"),
        (("referee", "reno", "--case", "{}.case"), "{}.case"),
        (("infer", "./{}"), "{}/paper.toml"),
        (("reproduce", "./{}"), "{}/paper.toml"),
        (("diff", "{}", "{}"), "{}/manifest.json"),
        (("compare", "{}", "--by", "a", "--metric", "rtt"), "{}/manifest.json"),
        (("plot", "{}", "--out", "a.svg"), "{}/manifest.json"),
        (("explore", "{}.toml", "--no-browser"), "{}.toml"),
        (("explore", "--lessons", "{}", "--no-browser"), "{}/one.toml"),
        (("referee", "reno", "--out", "{}", "--only", "s-01"), "{}/runs.jsonl"),
        (("conform", "TEXT"), "x"),
        (("replay", "t.csv", "--rate", "1Mbit/s", "--queue", "TEXT"), "x"),
        (("control", "TEXT", "--stdio"), "x"),
        (("attack", "TEXT"), "x"),
        (("referee", "reno", "--set", "beta=TEXT"), "x"),
        (("quick", "1Mbit/s", "10ms", "TEXT"), "x"),
        (("matrix", "--controls", "TEXT"), "x"),
        (("train", "--out", "a.py", "--range", "control=TEXT", "--generations", "1", "--episodes", "0"), "x"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_every_reader_bounds_depth(words: tuple[str, ...], name: str, cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / name.replace("{}", "deep")
    file.parent.mkdir(exist_ok=True)
    file.write_text(DEEP["tables.json" if file.suffix in (".json", ".jsonl") else "lists.toml"])
    (tmp_path / "t.csv").write_text("time_s,flow,size_bytes\n0,a,1500\n")
    text = '{"kind":' + "[" * 5000
    done = cli(*(word.replace("{}", "deep").replace("TEXT", text) for word in words))
    assert done.returncode == 2 and "Traceback" not in done.stderr and done.stderr.startswith("error: "), done.stderr[
        -500:
    ]
    assert len(done.stderr) < 700


#: Commands in a form that ends at once, to which one option more is given. Those without one here have no texts as options.
BASES = {
    "run": ("a.json",), "quick": ("1Mbit/s", "10ms", "reno", "--duration", "1s"), "check": ("a.json",), "show": ("a.json",),
    "sweep": ("s.json",), "matrix": ("--controls", "reno", "--dry-run"), "game": ("--controls", "reno,cubic", "--dry-run"),
    "replay": ("t.csv", "--rate", "1Mbit/s"),
    "evaluate": ("nobody",), "referee": ("nobody",), "attack": ("nobody",), "contract": ("nobody",), "conform": ("nobody",),
    "buffer": ("1bit/s", "1ms"),
    "compare": ("a", "--by", "b", "--metric", "c"), "plot": ("a", "--out", "a.svg"), "infer": ("nothing",), "reproduce": ("nothing",),
    "control": ("nobody", "--stdio"), "train": ("--out", "a.txt"), "explore": ("nothing.toml", "--no-browser"), "diff": ("a", "b"),
    "gather": ("nothing",),
    "course": ("nothing",), "trust": ("nothing",), "list": (), "examples": (), "new": ("control", "9"), "schema": (),
    "bench": ("--repeats", "0"), "bdp": ("1Mbit/s", "10ms"), "mcp": ("--allow-path", "nowhere"),
    "cite": ("reno",), "artifact": ("a.json",),
}  # fmt: skip
TEXTS = [
    (name, p) for name, p in OPTIONS
    if isinstance(p, click.Option) and not p.is_flag and not isinstance(p.type, click.IntRange | click.FloatRange | click.Choice)
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "option"), TEXTS, ids=lambda value: value if isinstance(value, str) else value.opts[0]
)
def test_bytes_that_are_no_text(name: str, option: click.Option, cli: Cli, tmp_path: Path) -> None:
    r"""A shell may give any bytes, as `--name $'\xff'`; Python makes surrogates of them (PEP 383)."""
    good = json.dumps(dumbbell(duration="7s", interval="1s"))
    (tmp_path / "a.json").write_text(good)
    (tmp_path / "s.json").write_text(
        json.dumps({**json.loads(good), "sweep": {"axes": {"links.slow.queue": ["fcfs", "fq"]}}})
    )
    (tmp_path / "t.csv").write_text("time_s,flow,size_bytes\n0,a,1500\n")
    with patch("headgate.lab.frame.study.expected_seconds", lambda *_: 1.0):
        done = cli(name, *BASES[name], option.opts[0], "\udcff")
    assert done.returncode in (0, 1, 2) and "Traceback" not in done.stderr, ascii(done.stderr[-500:])


@pytest.mark.parametrize(
    "name", [n for n, c in commands.commands.items() if any(isinstance(p, click.Argument) for p in c.params)]
)
def test_bytes_that_are_no_text_as_arguments(name: str, cli: Cli) -> None:
    done = cli(name, "\udcff", *(("--by", "b", "--metric", "c") if name == "compare" else ()))
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr[-500:]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--out", "learned.txt"), "--out: found 'learned.txt'; expected a file in Python, such as learned.py"),
        (("--out", "learned"), "--out: found 'learned'; expected a file in Python"),
        (("--out", "none/learned.py"), "none/learned.py: cannot be written; expected a folder that exists"),
        (("--out", "taken.py"), "taken.py: expected a file, found a folder"),
        (("--out", "a.py", "--name", "A"), "name: found 'A'; expected lower-case letters"),
        (("--out", "a.py", "--name", "reno"), "name: found reno; expected a name that no flow control of headgate has"),
        (("--out", "a.py", "--name", "bulk"), "name: found bulk, a short name of headgate"),
        (("--out", "a.py", "--name", "a" * 65), "at most 64 characters"),
        (("--out", "a.py", "--name", "\udcff"), "expected lower-case letters"),
    ],
)  # fmt: skip
def test_train_looks_before_it_learns(words: tuple[str, ...], why: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "taken.py").mkdir()
    with patch("headgate.lab.training.learning.learn", side_effect=AssertionError("it learned")):
        done = cli("train", *words)
    assert done.returncode == 2 and why in done.stderr, done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["taken.py"]


def test_conform_without_a_test_is_an_error(cli: Cli) -> None:
    done = cli("conform", "json:loads")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "error: SUBJECT: json:loads: expected @headgate.control(...) or @headgate.discipline(...) at a class\n"
    )
