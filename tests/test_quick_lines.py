"""Lines of `headgate quick` as people type them: which are read, how, and what is said of the others."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from .conftest import Cli
from .test_quick_words import ASKED, of


def typed() -> list[tuple[str, str]]:
    """Lines as people type them, and what they are: a command, nothing where they are as the options have it, or an error after `!`."""
    text = (Path(__file__).parent / "data/quick-lines.txt").read_text("utf-8")
    pairs = [line.partition(" =>") for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.strip(), due.strip()) for line, _, due in pairs]


@pytest.mark.parametrize(("line", "due"), typed())
def test_lines_as_people_type_them(line: str, due: str, cli: Cli) -> None:
    done = cli("quick", *shlex.split(line), "--print")
    if due.startswith("!"):
        assert done.returncode == 2 and due[1:].strip() in " ".join(done.stderr.split())
        return
    assert (done.returncode, done.stderr) == (0, "")
    said = [text for text in done.stdout.splitlines() if text.startswith("# Read as: ")]
    assert said == ([f"# Read as: headgate quick {due}"] if due else [])


@pytest.mark.parametrize(
    ("line", "due"),
    [
        # A size of a picture is no rate up.
        ("20Mbit/s 30ms netflix 4k", "! found '4k'"),
        ("50Mbps 10Mbps 20ms game", "--rate 50Mbit/s --up 10Mbit/s --rtt 20ms --flows game"),
        ("cable download 3 netflix", "--preset cable --flows 'download,netflix*3'"),
        ("20Mbit/s 30ms 2reno queue = codel", "--rate 20Mbit/s --rtt 30ms --queue codel --flows 'reno*2'"),
        ("geo satellite bulk", "--preset satellite --flows bulk"),
        ("5G 20ms cubic", "--rate 5Gbit/s --rtt 20ms --flows cubic"),
        ("5G cubic", "--preset 5g --flows cubic"),
        ("home bulk game 60s", "--preset home --duration 60s --flows bulk,game"),
        ("home 2 bulk 5 runs seed 7", "--preset home --seed 7 --replications 5 --flows 'bulk*2'"),
    ],
)
def test_words_of_two_meanings(line: str, due: str, cli: Cli) -> None:
    test_lines_as_people_type_them(line, due, cli)


def test_most_lines_run() -> None:
    lines = typed()
    assert len(lines) >= 100 and sum(due.startswith("!") for _, due in lines) <= len(lines) / 5


def test_the_output_says_how_a_line_was_read(cli: Cli) -> None:
    args = ("20", "30", "2*CUBIC", "--duration", "5", "--no-phase")
    text = cli("quick", *args)
    first = "Read as: headgate quick --rate 20Mbit/s --rtt 30ms --duration 5s --flows 'cubic*2'\n\n"
    assert text.stdout.startswith(first)
    exact = cli("quick", *shlex.split(first.removeprefix("Read as: headgate quick ")), "--no-phase").stdout
    assert text.stdout == first + exact
    assert json.loads(cli("quick", *args, "--json").stdout)["read_as"] == [first.strip()]
    bare = " ".join(cli("quick", "cubic", "--duration", "5s").stdout.split())
    assert (
        "The line names no rate and round trip: 20Mbit/s and 40ms are what headgate matrix and game have, too." in bare
    )


def test_an_upload_goes_the_other_way() -> None:
    by_name, by_option = of("game,upload").data, of("game", up_flows="upload").data
    assert by_name == by_option
    assert [(f["name"], f["from"], f["to"]) for f in by_name["flows"]] == [("game", "s1", "d1"), ("upload", "d2", "s2")]


def test_a_queue_is_that_of_its_direction(cli: Cli) -> None:
    """A rate of its own is that of one direction: the other one is not held to it."""
    line = of("bulk", up="10Mbit/s", queue="cake:rate=18Mbit/s", buffer="50KB").data["topology"]["line"]
    assert line["queue"] == {"kind": "cake", "rate": "18Mbit/s", "buffer": "50KB"}
    assert line["reverse_queue"] == {"kind": "cake", "buffer": "50KB"}
    line = of("bulk", up="10Mbit/s", queue="fcfs", up_queue="cake:rate=9Mbit/s").data["topology"]["line"]
    assert (line["queue"]["kind"], line["reverse_queue"]) == (
        "fcfs",
        {"kind": "cake", "rate": "9Mbit/s", "buffer": "37.5KB"},
    )
    # The same in both is written once.
    assert "reverse_queue" not in of("bulk", queue="fq", up_queue="fq").data["topology"]["line"]
    assert "--up-queue: found 'fqq'." in cli(*ASKED, "--flows", "bulk", "--up-queue", "fqq").stderr
