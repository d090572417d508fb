"""Lines of `headgate quick` as people type them: which are read, how, and what is said of the others."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

import headgate.cli.commands.quick as cli_quick
from headgate import quick
from headgate.cli.command import to_click
from headgate.cli.quick_runs import given_of
from headgate.explore.front import builder
from headgate.quick import read_line

from ..conftest import Cli
from .test_quick_words import ASKED, of


def typed() -> list[tuple[str, str]]:
    """Lines as people type them, and what they are: a command, nothing where they are as the options have it, or an error after `!`."""
    text = (Path(__file__).parents[1] / "data/quick-lines.txt").read_text("utf-8")
    pairs = [line.partition(" =>") for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.strip(), due.strip()) for line, _, due in pairs]


@pytest.mark.parametrize(("line", "due"), typed())
def test_lines_as_people_type_them(line: str, due: str, cli: Cli) -> None:
    due, *more = due.split(" | ")
    if due.startswith("+"):
        several(line, due[1:].strip(), more)
        return
    done = cli("quick", *shlex.split(line), "--print")
    if due.startswith("!"):
        assert done.returncode == 2 and due[1:].strip() in " ".join(done.stderr.split())
        return
    assert (done.returncode, done.stderr) == (0, "")
    said = [text.removeprefix("# ") for text in done.stdout.splitlines() if text.startswith("# ")]
    read = [text for text in said if text.startswith("Read as: ")]
    assert read == ([f"Read as: headgate quick {due}"] if due else [])
    assert [text for text in said if text in more or not text.startswith(("Read as: ", *SAID_OF_DEFAULTS))] == more


#: Sentences that the lines of the file leave out: what a line does not name, and that flows have no ECN.
SAID_OF_DEFAULTS = ("The line names no ", "A latency of ")


def several(line: str, due: str, more: list[str]) -> None:
    """A line with several values of an option: each is a scenario."""
    given = to_click(cli_quick.QuickCommand, "quick").make_context("quick", shlex.split(line)).params
    options = {k: v for k, v in given.items() if k in OPTIONS} | {"preset": given["sort"]}
    read = read_line(given["words"], options, given["flows"], given["up_flows"])
    assert read.axis and len(read.each()) == len(read.values) > 1
    assert read.sentences() == ([f"Read as: headgate quick {due}"] if due else []) + more
    for one in read.each():
        values, _ = given_of(one)
        quick.scenario(flows=one.flows, up_flows=one.up_flows, **values).resolve()
    if due:
        # The reading is a line that is read as itself.
        assert gave(due) == (read.options, ",".join(read.flows), ",".join(read.up_flows), read.values)


def gave(line: str) -> tuple[Any, ...]:
    given = to_click(cli_quick.QuickCommand, "quick").make_context("quick", shlex.split(line)).params
    options = {k: v for k, v in given.items() if k in OPTIONS} | {"preset": given["sort"]}
    read = read_line(given["words"], options, given["flows"], given["up_flows"])
    assert not read.read
    return read.options, ",".join(read.flows), ",".join(read.up_flows), read.values


#: Options of a line.
OPTIONS = (
    "rate", "up", "rtt", "loss", "queue", "up_queue", "shaper", "buffer", "jitter", "transport",
    "duration", "seed", "noise", "replications",
)  # fmt: skip


@pytest.mark.parametrize(
    ("line", "due"),
    [
        # A size of a picture is no rate up.
        ("20Mbit/s 30ms netflix 8k", "! found '8k'"),
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


def test_several_values_are_runs_of_their_own(cli: Cli) -> None:
    """Each row is the run of its value alone, and cautions name the value."""
    args = ("20Mbit/s", "30ms", "cubic", "call", "--duration", "4s", "--no-phase")
    done = cli("quick", *args, "--queue", "fifo", "--queue", "FQ-CoDel")
    text = " ".join(done.stdout.split())
    assert text.startswith(
        "Read as: headgate quick --rate 20Mbit/s --rtt 30ms --queue fcfs,fq_codel --duration 4s --flows cubic,call"
    )
    assert "--queue flows goodput Mbit/s rtt ms rtt p99 ms queueing ms drops" in text
    together = json.loads(cli("quick", *args, "--queue", "fifo,fq_codel", "--json").stdout)
    alone = [json.loads(cli("quick", *args, "--queue", queue, "--json").stdout) for queue in ("fcfs", "fq_codel")]
    assert (together["option"], [run["value"] for run in together["runs"]]) == ("--queue", ["fcfs", "fq_codel"])
    assert [run["digest"] for run in together["runs"]] == [run["digest"] for run in alone]
    assert all(said.startswith("--queue ") for said in together["cautions"])
    seeds = json.loads(cli("quick", *args, "--seed", "1..2", "--json").stdout)["runs"]
    assert [run["seed"] for run in seeds] == [1, 2] and seeds[0]["digest"] == alone[0]["digest"] != seeds[1]["digest"]
    for more, due in (
        (["--print", "--figure", "a.png"], "--figure: found several values of --queue; expected one, as --queue fcfs"),
        (["--figure", "a.png"], "--figure: found several values of --queue"),
        (["--shaper", "90%,95%"], "found several values of --queue and of --shaper; expected them of one option"),
    ):
        refused = cli("quick", *args, "--queue", "fifo,cake", *more)
        assert refused.returncode == 2 and due in " ".join(refused.stderr.split())


def test_several_values_are_printed_each_as_a_file(cli: Cli, tmp_path: Path) -> None:
    done = cli("quick", "20Mbit/s", "30ms", "cubic", "--queue", "fifo,fq_codel", "--print")
    assert (done.returncode, done.stderr) == (0, "")
    _, *files = done.stdout.split('name = "quick"')
    assert [f"{i} of 2, each a file by itself: --queue {q}" in done.stdout for i, q in ((1, "fcfs"), (2, "fq_codel"))]
    for text, queue in zip(files, ("fcfs", "fq_codel"), strict=True):
        (tmp_path / "a.toml").write_text(f'name = "quick"{text}', "utf-8")
        alone = cli("quick", "20Mbit/s", "30ms", "cubic", "--queue", queue, "--print").stdout
        assert text.partition("# Read as")[0].strip() == alone.partition('name = "quick"')[2].strip()
        assert cli("check", str(tmp_path / "a.toml")).returncode == 0


def test_a_shaper_takes_the_queue_beside_it() -> None:
    """A modem has no queue to choose: a queue beside a shaper that names none is the router's."""

    def options(**given: str) -> dict[str, Any]:
        return read_line(["home", "game", "upload"], given).options

    assert options(shaper="sweep", queue="cake") == {"preset": "home", "shaper": "sweep:cake"}
    assert options(shaper="auto", queue="sqm") == {"preset": "home", "shaper": "95%"}
    kept = {"preset": "home", "shaper": "9M:fq_codel", "queue": "cake"}
    assert options(shaper="9M:fq_codel", queue="cake") == kept
    assert options(shaper="9M", queue="fifo") == {"preset": "home", "shaper": "9M", "queue": "fcfs"}


def test_flows_end_when_they_say() -> None:
    """Between 10 s and 20 s of 40 s a flow of 8 Mbit/s sends a quarter of what the link carries, and a whole flow has the rest."""
    made = of("cbr:8Mbit/s,start=10s,stop=20s", duration="40s", rate="20Mbit/s")
    assert made.data["events"] == [{"at": "20s", "stop": "cbr"}]
    flows = made.run().flows
    assert flows["sent"].sum() * 8000 / 8e6 == pytest.approx(10, abs=0.1)
    # Each of several ends; one that would end behind the run does not.
    two = of("cubic*2:stop=3s,bbr:stop=9s", duration="5s").data
    assert [event["stop"] for event in two["events"]] == ["cubic1", "cubic2"]
    # The run is long enough for the last one that begins or ends.
    assert of("cubic:start=50s").data["duration"] == "60s"


def test_ecn_names_no_transport() -> None:
    """Flows with ECN beside each other have one transport as those without it, and packets are marked, not dropped."""
    made = of("cubic:transport.ecn=true,bbr3:transport.ecn=true", queue="codel:mark=true", duration="10s")
    cubic = made.data["flows"][0]
    assert (cubic["transport"], cubic["receiver"]) == ({"preset": "linux", "ecn": True}, {"every": 1})
    alone = of("cubic:transport.ecn=true", queue="codel:mark=true", duration="10s").run().flows
    assert alone["marks"].sum() > 0 and alone["drops"].sum() == 0


def test_a_line_with_a_spelling_error_is_shown_whole(cli: Cli) -> None:
    done = cli("quick", "20Mbit/s", "40ms", "cubc", "brb", "--que", "fq-codel")
    due = "Type, if so: headgate quick --rate 20Mbit/s --rtt 40ms --queue fq_codel --flows cubic,bbr"
    assert done.returncode == 2 and due in " ".join(done.stderr.split())
    # What is shown can be typed.
    assert cli(*shlex.split(due.removeprefix("Type, if so: headgate ")), "--print").returncode == 0


def test_an_option_that_stands_twice_is_not_forgotten(cli: Cli) -> None:
    base = ("quick", "20Mbit/s", "40ms", "cubic", "--print")
    assert cli(*base, "--duration", "9s", "--time", "9s").returncode == 0
    refused = cli(*base, "--duration", "9s", "--time", "8s")
    assert refused.returncode == 2 and "--duration: found 9s and 8s; expected one of them" in refused.stderr


def test_jitter_keeps_the_mean_and_the_order() -> None:
    """Packets that are far apart take the round trip on average, and at most the jitter more."""
    made = of("cbr:80kbit/s", jitter="10ms", rtt="40ms", duration="100s")
    link = made.data["topology"]["line"]
    assert link["delay"] == {"forward": "10ms", "reverse": "20ms"}
    assert link["jitter"] == {"forward": {"mean": "10ms", "law": "uniform"}}
    found, usual = (
        made.run().flow_summaries()[0],
        of("cbr:80kbit/s", rtt="40ms", duration="100s").run().flow_summaries()[0],
    )
    # A packet each 100 ms: none is near another one. 860 of them with a spread of 5.8 ms have a mean within 0.6 ms at three deviations.
    assert found.rtt_s.mean == pytest.approx(usual.rtt_s.mean, abs=0.0006)
    assert found.rtt_quantiles_s["p99"] == pytest.approx(usual.rtt_s.mean + 0.0098, abs=0.002)


@pytest.mark.parametrize(
    "answers",
    [
        {"queue": "fifo,cake"},
        {"queue": "fq:aqm={"},
        {"buffer": "1bdp,2bdp"},
        {"rate": "1,5Mbit/s"},
        {"rtt": "10ms,20ms"},
    ],
)
def test_the_page_asks_for_one_value(answers: dict[str, str]) -> None:
    """A question of the page has one answer: a list is refused, with the question that it belongs to."""
    with pytest.raises(builder.AnswerError) as e:
        builder.built(answers)
    assert e.value.path == next(iter(answers))
