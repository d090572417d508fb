"""What people type after `headgate quick`: units of other tools, short names, presets, losses and the other direction."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import jsonschema
import pytest

from headgate import Scenario, ScenarioError, _core, quick
from headgate.base.errors import HeadgateError, nearest
from headgate.base.short_names import other_queues, shorthands
from headgate.quick import amounts

from ..conftest import Cli

ASKED = ("quick", "--rate", "20Mbit/s", "--rtt", "30ms")


def of(flows: str, **more: Any) -> Scenario:
    return quick.scenario(**{"rate": "20Mbit/s", "rtt": "30ms", "flows": flows, **more})


@pytest.mark.parametrize(
    ("option", "given", "meant"),
    [
        ("--rate", "50Mbps", "50Mbit/s"),
        ("--rate", "50mbit", "50Mbit/s"),
        ("--rate", "50Mbit", "50Mbit/s"),
        ("--rate", "50M", "50Mbit/s"),
        ("--rate", "50", "50Mbit/s"),
        ("--rate", "50/5", "50Mbit/s --up 5Mbit/s"),
        ("--rate", "1G", "1Gbit/s"),
        ("--rate", "100Mb", "100Mbit/s"),
        ("--rate", "2 gigabit", "2Gbit/s"),
        ("--up", "5Mbps", "5Mbit/s"),
        ("--rtt", "30", "30ms"),
        ("--rtt", "30 msec", "30ms"),
        ("--rtt", ".03s", "0.03s"),
        ("--buffer", "1.5bdp", "1.5BDP"),
        ("--buffer", "2xBDP", "2BDP"),
        ("--buffer", "100", "100pkt"),
        ("--buffer", "64k", "64KB"),
        ("--duration", "10", "10s"),
        ("--loss", "1", "1%"),
        ("--queue", "cake:bandwidth=18mbit", "cake:rate=18Mbit/s"),
        ("--queue", "fq_codel limit 1000 ecn", "fq_codel:buffer=1000pkt,mark=true"),
        ("--queue", "tbf rate 9mbit burst 10k limit 30000", "tbf:rate=9Mbit/s,burst=10KB,buffer=30000B"),
    ],
)
def test_units_and_names_of_other_tools_are_read_and_shown(option: str, given: str, meant: str, cli: Cli) -> None:
    base = {"--rate": "20Mbit/s", "--rtt": "30ms", "--flows": "cubic"} | {option: given}
    done = cli("quick", *(f"{name}={value}" for name, value in base.items()), "--print")
    assert (done.returncode, done.stderr) == (0, "")
    line = done.stdout.splitlines()[0]
    assert line.startswith("# Read as: headgate quick ") and f"{option} {meant} " in line
    # What it was read as is the same scenario, and is as the options have it.
    again = cli("quick", *shlex.split(line.removeprefix("# Read as: headgate quick ")), "--print")
    assert done.stdout == f"{line}\n{again.stdout}"


@pytest.mark.parametrize(("option", "kind"), [("--rate", "bps"), ("--rtt", "s"), ("--duration", "s"), ("--loss", "")])
def test_what_is_refused_is_never_suggested(option: str, kind: str) -> None:
    def read(text: str) -> str:
        return amounts.read(option, text, kind) if kind else amounts.read_share(option, text)

    for number in ("0", "0.0", "0.5", "1.2.3", "999999999", "99999999999999999999"):
        for unit in ("", "Mbps", "MB/s", "TB/s", "msec", "hours", "k", "packets", "%"):
            try:
                read(number + unit)
            except HeadgateError as e:
                said = str(e)
                two = re.findall(r"expected (\S+), or (\S+) if B is bytes", said)
                for hint in [*re.findall(r"did you mean `(.*?)`", said), *(text for pair in two for text in pair)]:
                    read(hint)


@pytest.mark.parametrize(
    ("option", "given"), [("--rate", "20MBpm"), ("--rate", "fast"), ("--rtt", "3m"), ("--loss", "-1%")]
)
def test_what_may_mean_two_things_gets_no_hint(option: str, given: str, cli: Cli) -> None:
    said = cli(*ASKED, "--flows", "cubic", f"{option}={given}").stderr
    assert "expected" in said and "did you mean" not in said


@pytest.mark.parametrize(
    ("option", "name", "due"),
    [
        (
            "--queue",
            "hhf",
            "headgate does not have the Heavy-Hitter Filter; nearest in kind: `fred`, which also drops more from flows",
        ),
        ("--queue", "hfsc", "headgate does not have HFSC; nearest in kind: `htb` and `hrr`"),
        ("--flows", "htcp", "headgate does not have H-TCP"),
        ("--flows", "westwood", "headgate does not have Westwood; nearest in kind: `newreno`, from which it comes"),
        ("--flows", "gcc", "headgate does not have Google Congestion Control; nearest in kind: `scream`"),
        ("--queue", "fq_codle", 'Did you mean "fq_codel"?'),
        ("--flows", "cubik", 'Did you mean "cubic"?'),
    ],
)
def test_a_scheme_that_is_not_here_is_named_as_such(option: str, name: str, due: str, cli: Cli) -> None:
    done = cli(*ASKED, *(() if option == "--flows" else ("--flows", "cubic")), option, name)
    said = " ".join(done.stderr.split())
    assert done.returncode == 2 and due in said
    assert ("Did you mean" in said) == due.startswith("Did you mean")
    # The hint is before the list.
    assert said.index(due) < said.index(" one of ")


def test_a_hint_needs_likeness() -> None:
    for name, known in (("web", ["netblt"]), ("video", ["kim_reno"]), ("hfsc", ["wf2q_plus"]), ("x", ["y"])):
        assert nearest(name, known) == ""


@pytest.mark.parametrize("name", list(shorthands()))
def test_short_names_mean_the_same_in_quick_and_in_files(name: str) -> None:
    line = of(name).resolve()
    short = shorthands()[name]
    data = of(name).data
    ends = ("d1", "s1") if short.up else ("s1", "d1")
    entry = {"name": name, "from": ends[0], "to": ends[1], "start_spread": "300ms", short.key: name}
    in_file = Scenario({**data, "flows": [entry]}).resolve()
    assert in_file["flows"] == line["flows"]
    assert Scenario(data).set(f"flows.{name}.{short.key}", name).resolve()["flows"] == line["flows"]
    # The engine and the schema know them, too.
    as_it_stands = {**data, "flows": [entry]}
    assert json.loads(_core.check(json.dumps(as_it_stands)))["flows"] == line["flows"]
    validator = jsonschema.Draft202012Validator(json.loads(_core.schema()))
    validator.validate(as_it_stands)
    validator.validate({**data, "flows": [{**entry, short.key: {"kind": name}}]})
    assert not validator.is_valid({**data, "flows": [{**entry, short.key: f"{name}x"}]})


def test_an_entry_may_change_what_a_short_name_stands_for() -> None:
    assert of("web:500KB").data["flows"][0]["workload"]["bytes"] == "500KB"
    assert of("call:packet=60B,rate=24kbit/s").data["flows"][0]["workload"]["rate"] == "24kbit/s"
    flow = {"name": "a", "from": "s1", "to": "d1", "workload": {"kind": "web", "bytes": "1MB"}, "control": "reno"}
    changed = Scenario({**of("bulk").data, "flows": [flow]}).data["flows"][0]
    assert (changed["workload"]["bytes"], changed["control"], changed["arrivals"]["mean"]) == ("1MB", "reno", "5s")
    with pytest.raises(HeadgateError, match="video: found '8Mbit/s'; expected KEY=VALUE"):
        of("video:8Mbit/s")


def test_short_names_send_what_they_say() -> None:
    found = {f.flow: f.goodput_bps.mean for f in of("video,call,game", duration="40s").run().flow_summaries()}
    assert found["video"] == pytest.approx(5e6, rel=0.15)
    assert found["call"] == pytest.approx(80e3, rel=0.02)
    assert found["game"] == pytest.approx(64e3, rel=0.02)
    web = of("web", duration="400s").run()
    assert web.flow_summaries()[0].goodput_bps.mean == pytest.approx(2e6 * 8 / 5, rel=0.35)
    assert shorthands()["bbr"].kind == "bbr3"


def test_the_terminal_says_what_short_names_send(cli: Cli) -> None:
    text = " ".join(cli(*ASKED, "--flows", "call,game:packet=60B", "--duration", "5s").stdout.split())
    assert "call sends 50 packets of 200 bytes a second, 80 kbit/s, without flow control." in text
    assert "game sends" not in text
    listed = cli("list", "short-names").stdout
    assert all(f"\n{name} " in listed for name in shorthands())
    one = " ".join(cli("list", "short-names", "call").stdout.split())
    assert 'stands for: packet = "200B", workload = { kind = "cbr", rate = "80kbit/s" }' in one


def test_other_names_of_a_queue_mean_the_same(cli: Cli) -> None:
    for name in other_queues():
        assert of("bulk", queue=name).data == of("bulk", queue="fcfs").data
    assert of("bulk", queue="fifo:buffer=30KB").data["topology"]["line"]["queue"] == {"kind": "fcfs", "buffer": "30KB"}
    listed = cli("list", "short-names").stdout
    assert all(f"\n{name} " in listed for name in other_queues())
    with pytest.raises(ScenarioError, match="did you mean `fcfs`"):
        of("bulk").set("topology.line.queue", "droptail")


def test_sizes_are_bytes_in_quick_and_in_files() -> None:
    for flows in ("transfer:100KB", "transfer:size=100KB", 'transfer:size="100KB"', "transfer:bytes=100KB"):
        assert of(flows).resolve()["flows"][0]["workload"]["bytes"] == "100KB"
    # 100 KB are 100,000 bytes: a hundred packets of 1000.
    assert of("transfer:100KB").run().flows["unique"].tolist() == [100]
    asked = of('requests:object={size="100KB"}').data["flows"][0]
    assert asked["workload"]["object"] == {"bytes": "100KB"}
    assert of("transfer:9KB,size=pareto").resolve()["flows"][0]["workload"]["size"]["kind"] == "pareto"


def test_transfers_are_measured(cli: Cli) -> None:
    alone = " ".join(cli(*ASKED, "--flows", "transfer:100KB").stdout.split())
    assert "transfer had one transfer in the measured part of the run, and it took " in alone
    both = of("cubic,transfer:100KB")
    assert (both.data["flows"][1]["start"], both.resolve()["warm_up"]) == ("4.286s", "4285714285.714ns")
    beside = " ".join(cli(*ASKED, "--flows", "cubic,transfer:100KB", "--no-phase").stdout.split())
    assert "transfer had one transfer in the measured part of the run, and it took " in beside
    many = " ".join(cli(*ASKED, "--flows", "web:20KB").stdout.split())
    assert "that were complete at the end took" in many


def test_losses() -> None:
    link = of("cubic", loss="1%").data["topology"]["line"]
    assert link["loss"] == {"kind": "bernoulli", "probability": 0.01}
    assert of("cubic", loss="0.01").data == of("cubic", loss="1%").data
    assert "loss" not in of("cubic", loss="0").data["topology"]["line"]
    lost = of("cbr:8Mbit/s", loss="10%", duration="20s").run().flows
    assert lost["lost"].sum() / lost["sent"].sum() == pytest.approx(0.1, abs=0.01)


def test_the_other_direction_has_its_rate_and_its_flows() -> None:
    asked = of("cubic", up="2Mbit/s", up_flows="bulk*2,cbr:64kbit/s", queue="fq")
    link = asked.resolve()["links"][0]
    assert (link["rate"]["forward"], link["rate"]["reverse"]) == ("20Mbit/s", "2Mbit/s")
    # Each direction has the bandwidth-delay product of its rate, and at least 10 KB.
    assert (link["queue"]["buffer"], link["reverse_queue"]["buffer"]) == ("75KB", "10KB")
    flows = asked.resolve()["flows"]
    assert [(f["name"], f["from"], f["to"]) for f in flows] == [
        ("cubic", "s1", "d1"), ("bulk_up1", "d2", "s2"), ("bulk_up2", "d3", "s3"), ("cbr_up", "d4", "s4"),
    ]  # fmt: skip
    ports = {port.link: port.utilisation.mean for port in asked.run().link_summaries()}
    assert ports["bottleneck:reverse"] > 0.95
    assert of("cubic", up="20Mbit/s").run().flows["unique"].tolist() == of("cubic").run().flows["unique"].tolist()
    with pytest.raises(HeadgateError, match="--up-flows: found 'x'"):
        of("cubic", up_flows="x")


@pytest.mark.parametrize("name", list(quick.PRESETS))
def test_presets(name: str, cli: Cli) -> None:
    asked = quick.scenario(flows="bulk,game", **quick.preset(name))
    # The bulk flow fills the link, as a preset that promised a rate that nothing reaches would not let it.
    results = asked.set("duration", "60s" if name == "satellite" else "500ms" if name == "datacentre" else "10s").run()
    bps = float(results.links["rate_bps"][0])
    assert results.flow_summaries()[0].goodput_bps.mean > 0.85 * bps
    printed = cli("quick", "--preset", name, "--flows", "bulk", "--rate", "12Mbit/s", "--print").stdout
    assert "12Mbit/s" in printed
    listed = " ".join(cli("quick", "--presets").stdout.split())
    assert f"{name} {quick.PRESETS[name].options}" in listed
    assert name in [p["name"] for p in json.loads(cli("quick", "--presets", "--json").stdout)]


@pytest.mark.parametrize(
    ("args", "due"),
    [
        (["--preset", "home"], "--flows: expected at least one flow"),
        (["20Mbit/s", "30ms"], "--flows: expected at least one flow"),
        (
            ["--preset", "datacentr", "--flows", "bulk"],
            "--preset: found 'datacentr'. Did you mean \"datacentre\"? Expected one of home",
        ),
        (["--preset", "home", "--flows", "bulk", "--loss", "100%"], "--loss: found '100%'; expected a share below 1"),
    ],
)
def test_what_is_missing_or_wrong_is_said(args: list[str], due: str, cli: Cli) -> None:
    done = cli("quick", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert due in " ".join(done.stderr.split())


def test_a_file_says_what_is_wrong_with_a_name_too() -> None:
    with pytest.raises(
        ScenarioError, match='found "bbr2"; headgate does not have BBR version 2; nearest in kind: `bbr3` and `bbr1`'
    ):
        of("cubic").set("flows.cubic.control", "bbr2")


def test_words_without_options_are_a_path_and_flows(cli: Cli) -> None:
    """A sort of path, or a rate and a round trip, and then flows; they mean what the options mean."""
    same = [
        ("20Mbit/s 30ms cubic bbr", "--rate 20Mbit/s --rtt 30ms --flows cubic,bbr"),
        ("20Mbit/s --rtt 30ms cubic", "--rate 20Mbit/s --rtt 30ms --flows cubic"),
        ("home bulk,game call", "--preset home --flows bulk,game,call"),
        ("lte 1Mbit/s 10ms bulk", "--preset lte --rate 1Mbit/s --rtt 10ms --flows bulk"),
        ("--rate 20Mbit/s --rtt 30ms reno*2", "--rate 20Mbit/s --rtt 30ms --flows reno*2"),
    ]
    for words, options in same:
        outputs = [cli("quick", *text.split(), "--print").stdout for text in (words, options)]
        assert outputs[0] == outputs[1] != "", words
    for words, due in (
        ("home bulk --preset lte", "found 'home' beside --preset lte; expected one of them"),
        ("home", "--flows: expected at least one flow"),
        (
            "home cubik bulk qubic",
            "2 faults found 'cubik'. Did you mean \"cubic\"? found 'qubic'. Did you mean \"cubic\"?",
        ),
        ("home bulk --flows cubik,brb --queue fsfs --loss 200", "3 faults --loss: found '200'"),
        (
            "home bulk --flows cubik,brb",
            "found 'cubik' Did you mean \"cubic\"? 'brb' Did you mean \"bbr\"? Expected for each",
        ),
        (
            "20Mbit/s 30ms fifo codel bulk 1bdp,2bdp",
            "found several values of --queue and of --buffer; expected them of one option: headgate matrix runs all pairs",
        ),
        ("20Mbit/s 2 cubic", "found '2' before cubic; expected --rtt 2ms for a round trip, or cubic*2"),
        ("20Mbit/s 20ms 200ms cubic", "a buffer is --buffer 200ms, a duration --duration 200ms"),
    ):
        done = cli("quick", *words.split())
        assert (done.returncode, done.stdout) == (2, "")
        assert due in " ".join(done.stderr.split()), words


def test_flows_that_send_now_and_then_are_watched_for_a_minute() -> None:
    assert [of(flows).data["duration"] for flows in ("bulk,game", "bulk,video", "web")] == ["30s", "70s", "70s"]
    assert of("web", duration="5s").data["duration"] == "5s"
    home = quick.scenario(flows="video", **quick.preset("home")).run().flow_summaries()[0]
    # Fifteen segments of 2.5 MB in a minute.
    assert home.goodput_bps.mean == pytest.approx(5e6, rel=0.02)


def test_the_summary_names_losses_and_groups_plainly(cli: Cli) -> None:
    said = " ".join(
        cli("quick", "1Gbit/s", "5ms", "call*10", "cubic", "--loss", "0.01%", "--duration", "2s").stdout.split()
    )
    assert "each 80.3 kbit/s; their packets waited" in said
    assert "cubic got" in said and "; its packets waited" in said
    assert "The link itself lost " in said
    filled = " ".join(cli("quick", "1Gbit/s", "5ms", "cubic*10", "--duration", "2s").stdout.split())
    assert "got 1 Gbit/s together, 100 % of the max-min share of 1 Gbit/s" in filled and "e+" not in filled
    assert "The link itself" not in filled


@pytest.mark.parametrize(
    ("flows", "due"),
    [
        ("web,video", "web and video have the flow control cubic, which flows have unless they name another one"),
        ("web,web", "web has the flow control cubic, which flows have unless they name another one"),
        ("web*2", "web*2 have the flow control cubic, which flows have unless they name another one"),
        ("web,web,cbr:9kbit/s", "web has the flow control cubic, since no flow beside it has a modern one"),
        (
            "web*2,video,bulk,ftp:name=x,reno",
            "web*2, video, bulk and 1 more have the flow control reno, as the flow beside them",
        ),
    ],
)
def test_notes_name_the_flows(flows: str, due: str) -> None:
    notes = quick.notes("30ms", flows)
    assert any(
        note.startswith(due) and note.endswith("web:control=reno, for example, names another one.") for note in notes
    )


def test_numbers_make_no_other_scheme_of_a_name() -> None:
    names = [f["name"] for f in of("bbr*2,bbr,reno").resolve()["flows"]]
    assert names == ["bbr_1", "bbr_2", "bbr_3", "reno"]
    assert [f["name"] for f in of("bbr,cubic*2").resolve()["flows"]] == ["bbr", "cubic1", "cubic2"]


@pytest.mark.parametrize(
    ("words", "due"),
    [
        (["cabel", "game"], "found 'cabel'. Did you mean \"cable\"?"),
        (["home", "uplod"], "found 'uplod'. Did you mean \"upload\"?"),
        (
            ["home", "bulk", "frobnicate"],
            "found 'frobnicate'; expected a flow, a queue, a sort of path, a rate or a time",
        ),
        (["home", "bulk", "--duration", "60Mbps"], "expected a time such as 60s"),
    ],
)
def test_words_that_mean_nothing_are_named(words: list[str], due: str, cli: Cli) -> None:
    done = cli("quick", *words)
    assert done.returncode == 2 and due in " ".join(done.stderr.split())
