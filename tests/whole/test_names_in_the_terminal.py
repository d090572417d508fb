"""Names reach the terminal as text: no emoji, no markup, no sequence that it acts upon."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import headgate
from headgate.base import documents

from ..conftest import ROOT, Cli, dumbbell

#: The title of the window, markup of rich, codes of emoji, and a mark that turns text around.
HOSTILE = "\x1b]0;owned\x07[red]x[/] :x: a:b:1 \u202e \x9b2J"
SHOWN = "\\x1b]0;owned\\x07[red]x[/] :x: a:b:1 \\u202e \\x9b2J"


def named(name: str) -> dict[str, Any]:
    scenario = dumbbell(duration="10s", interval="2s")
    scenario["name"] = name
    scenario["flows"][0]["name"] = name
    scenario["links"][0]["name"] = name
    return scenario


@pytest.mark.parametrize(
    "args",
    [
        ("run", "a.json"),
        ("run", "a.json", "--phase"),
        ("run", "a.json", "--wide"),
        ("diff", "a.json", "b.json"),
        ("show", "a.json"),
        ("show", "a.json", "--links"),
        ("run", "a.json", "--set", "flows.0.x=1"),
        ("replay", "t.csv", "--queue", "fq", "--rate", "1Mbit/s"),
        ("replay", "t.csv", "--queue", "fq", "--queue", "fcfs", "--rate", "1Mbit/s"),
        ("quick", "--rate", "1Mbit/s", "--rtt", "10ms", "--duration", "5s", "--flows", f"reno:name={HOSTILE},reno"),
    ],
)
def test_names_are_shown_and_not_acted_upon(args: tuple[str, ...], cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(named(HOSTILE)))
    (tmp_path / "b.json").write_text(json.dumps(named(HOSTILE) | {"seed": 7}))
    (tmp_path / "t.csv").write_text(f"time_s,flow,size_bytes\n0,{HOSTILE},100\n1,b,100\n")
    done = cli(*args)
    for text in (done.stdout, done.stderr):
        assert not set(text) & {"\x1b", "\x07", "\x9b", "\u202e"}, ascii(text)
        assert "🅱" not in text and "❌" not in text


def test_a_name_is_whole(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(named(HOSTILE)))
    # A long name is broken over lines.
    assert SHOWN in cli("run", "a.json", "--wide").stdout
    (tmp_path / "a.json").write_text(json.dumps(named("[2001:db8:a:b::1]")))
    assert "[2001:db8:a:b::1]" in cli("run", "a.json").stdout


LONG = ".".join(["a"] * 20_000)


@pytest.mark.parametrize(
    "text",
    [
        f"{LONG} = 1",
        f"[{LONG}]",
        f"[[{LONG}]]",
        f"x = {{ {LONG} = 1 }}",
        LONG.replace(".", " . ") + " = 1",
        '"a".' * 20_000 + "b = 1",
        "'a'." * 20_000 + "b = 1",
        f'x = """\n"""\n{LONG} = 1',
        f'x = """a""""\n{LONG} = 1',
        f"x = '''a'''''\n{LONG} = 1",
        f'# """\n{LONG} = 1',
        f"x = '\"'\n{LONG} = 1\ny = '\"'",
        f'x = "\\""\n{LONG} = 1 # "',
    ],
)
def test_a_key_of_many_parts_is_refused_before_it_takes_memory(text: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="expected keys of at most 50 parts, found a longer one"):
            documents.loads(text)
        assert tracemalloc.get_traced_memory()[1] < 10 * len(text) + 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "text", [f"x = '{LONG}'", f'x = "{LONG}"', f"x = '''\n{LONG}\n'''", f'x = """\n{LONG}"""', f"x = 1 # {LONG}"]
)
def test_dots_that_are_no_key_are_left_alone(text: str) -> None:
    assert len(documents.loads(text)) == 1


def test_a_key_of_fifty_parts() -> None:
    assert documents.loads(".".join(["a"] * 50) + " = 1")
    with pytest.raises(ValueError, match=r"at line 2"):
        documents.loads("x = 1\n" + ".".join(["a"] * 51) + " = 1")


def test_files_and_options_have_the_bound(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "d.toml").write_text(f"{LONG} = 1\n")
    for command in ("check", "run", "sweep"):
        done = cli(command, "d.toml")
        assert done.returncode == 2
        assert "d.toml: expected" in done.stderr and "at most 50 parts" in done.stderr
    (tmp_path / "a.json").write_text(json.dumps(dumbbell()))
    # No value of TOML, so it is a text, and no rate.
    done = cli("run", "a.json", "--set", f"links.slow.rate={{{LONG}=1}}")
    assert done.returncode == 2 and len(done.stderr) < 1000


def test_a_place_of_brackets_that_stand_alone_is_found() -> None:
    """The search for the line of such a place never ended."""
    with pytest.raises(headgate.ScenarioError):
        headgate.Scenario.from_file(ROOT / "scenarios/game.toml").set("]a[", 1).resolve()
