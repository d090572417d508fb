"""`headgate quick`: what its flows and options become, and what is said of those that mean nothing."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headgate import Scenario, ScenarioError, _core, quick
from headgate.base.documents import parse_value
from headgate.base.errors import HeadgateError
from headgate.base.toml import file_text, value_text

from ..conftest import Cli


def of(flows: str, **more: Any) -> Scenario:
    return quick.scenario("20Mbit/s", "30ms", flows, **more)


def test_the_file_that_is_printed_is_the_one_that_runs(cli: Cli, tmp_path: Path) -> None:
    args = ("quick", "--rate", "2Mbit/s", "--rtt", "30ms", "--flows", "jk_reno*2,cbr:64kbit/s", "--queue", "fq")
    printed = cli(*args, "--duration", "5s", "--seed", 7, "--print")
    assert printed.returncode == 0, printed.stderr
    (tmp_path / "mine.toml").write_text(printed.stdout)
    by_file, at_once = cli("run", "mine.toml", "--json"), cli(*args, "--duration", "5s", "--seed", 7, "--json")
    assert by_file.stdout == at_once.stdout
    assert [f["flow"] for f in json.loads(at_once.stdout)["flows"]] == ["jk_reno1", "jk_reno2", "cbr"]
    # In the terminal too it is what `run` prints, and then a summary.
    assert cli(*args, "--duration", "5s", "--seed", 7).stdout.startswith(cli("run", "mine.toml").stdout)


def test_the_line_and_its_hosts() -> None:
    links = of("jk_reno", queue="fq").resolve()["links"]
    assert [link["rate"] for link in links] == ["20Mbit/s", "200Mbit/s", "200Mbit/s"]
    assert [link["delay"] for link in links] == ["15ms", "0ps", "0ps"]
    # 20 Mbit/s times 30 ms.
    assert (links[0]["queue"]["kind"], links[0]["queue"]["buffer"]) == ("fq", "75KB")
    assert of("jk_reno").data["duration"] == "30s"
    assert quick.scenario("20Mbit/s", "1ms", "jk_reno").data["duration"] == "10s"
    small = quick.scenario("1Mbit/s", "1ms", "jk_reno", buffer=None).resolve()["links"][0]
    assert small["queue"]["buffer"] == "10KB"
    assert of("jk_reno", buffer="2BDP").resolve()["links"][0]["queue"]["buffer"] == "150KB"
    assert of("jk_reno", buffer="9pkt").resolve()["links"][0]["queue"]["buffer"] == "9pkt"


def test_round_trips_are_what_is_measured() -> None:
    # Each alone on its way: the round trip of the shortest samples is the one asked for, and the time to send.
    base = of("jk_reno:rtt=100ms,window=1;jk_reno".replace(";", ","), queue="fq", duration="20s", noise="0")
    flows = base.set("flows.1.control", {"kind": "jk_reno", "window": 1}).run().flow_summaries()
    sent = (1000 * 8 / 20e6 + 2 * 1000 * 8 / 200e6) + (40 * 8 / 20e6 + 2 * 40 * 8 / 200e6)
    assert flows[0].rtt_s.mean == pytest.approx(0.1 + sent, rel=2e-3)
    assert flows[1].rtt_s.mean == pytest.approx(0.03 + sent, rel=6e-3)


def test_flows_of_one_name_are_numbered_through() -> None:
    resolved = of("jk_reno*2,cbr:64kbit/s,jk_reno:window=9,jk_reno*2,telnet*2:name=user").resolve()
    assert [(f["name"], f["from"], f["to"]) for f in resolved["flows"]] == [
        ("jk_reno1", "s1", "d1"), ("jk_reno2", "s2", "d2"), ("cbr", "s3", "d3"), ("jk_reno3", "s4", "d4"),
        ("jk_reno4", "s5", "d5"), ("jk_reno5", "s6", "d6"), ("user1", "s7", "d7"), ("user2", "s8", "d8"),
    ]  # fmt: skip


def test_parameters_are_those_of_the_name_or_of_the_flow() -> None:
    text = 'jk_reno:window=9,packet={kind="uniform", min="40B"},weight=3, transfer:9KB,size=pareto,control.kind=generic,control.window=4'
    one, two = of(text).resolve()["flows"]
    assert (one["control"]["window"], one["packet"]["kind"], one["weight"]) == (9, "uniform", 3)
    assert (two["workload"]["bytes"], two["workload"]["size"]["kind"]) == ("9KB", "pareto")
    assert (two["control"]["kind"], two["control"]["window"]) == ("generic", 4)
    assert of("reno:transport.initial_window=3,receiver.every=2").data["flows"][0]["transport"] == {"initial_window": 3}
    assert of("cbr:start=2s").data["flows"][0].get("start_spread") is None
    queue = of("jk_reno", queue="red:max_p=0.1,gentle=true,buffer=50pkt").resolve()["links"][0]["queue"]
    assert (queue["max_p"], queue["gentle"], queue["buffer"]) == (0.1, True, "50pkt")


@pytest.mark.parametrize(
    "name", [e["name"] for k in ("flow-controls", "workloads") for e in json.loads(_core.catalogue(k))]
)
def test_every_name_of_the_lists_is_a_flow(name: str) -> None:
    text = "none:workload=cbr" if name == "none" else f"{name}*2"
    assert of(text, duration="10s").resolve()["flows"]


@pytest.mark.parametrize("name", [e["name"] for e in json.loads(_core.catalogue("disciplines"))])
def test_every_discipline_is_a_queue(name: str) -> None:
    assert of("jk_reno", queue=name).resolve()["links"][0]["queue"]["kind"] == name


@pytest.mark.parametrize(
    ("flows", "parts"),
    [
        ("", ["--flows", "at least one flow, as NAME[*COUNT][:KEY=VALUE,...]"]),
        ("jk_reno,,cbr", ["'jk_reno,,cbr'", "between commas"]),
        ("jk*2", ["'jk'", "one of bbr", "cbr", 'Did you mean "jk_tahoe"?']),
        ("jk_reno*0", ["'jk_reno*0'", "1 to 400000"]),
        ("jk_reno*-1", ["'jk_reno*-1'", "1 to 400000"]),
        ("jk_reno*1e3", ["1 to 400000"]),
        ("jk_reno*" + "9" * 5000, ["1 to 400000"]),
        ("window=5", ["'window=5'", "a flow first"]),
        ("jk_reno:fast", ["jk_reno: found 'fast'", "KEY=VALUE"]),
        ("jk_reno:", ["jk_reno: found ''", "KEY=VALUE"]),
        ("jk_reno:windw=5", ["'windw'", "window", 'Did you mean "window"?']),
        ("jk_reno:packet.=5", ["'packet.'"]),
        ("jk_reno:packet=[1", ["bracket"]),
        ('jk_reno:packet="a', ["bracket and quote"]),
        ("jk_reno:rtt=fast", ["--flows: rtt: found 'fast'", "such as 30ms"]),
        ("jk_reno:rtt=0s", ["found '0s'"]),
        ("cbr:64", ["flows[0].workload.rate: found 64"]),
        ("jk_reno,cbr:rate=1B", ["flows[1].workload.rate", "1B"]),
        ("jk_reno*2,cbr:name=jk_reno1", ["flows[1].name", "duplicate name"]),
    ],
)  # fmt: skip
def test_wrong_flows(flows: str, parts: list[str], cli: Cli) -> None:
    done = cli("quick", "--rate", "20Mbit/s", "--rtt", "30ms", "--flows", flows)
    assert (done.returncode, done.stdout) == (2, "")
    said = " ".join(done.stderr.split())
    assert all(part in said for part in parts), said
    assert len(said) < 700


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["--rate", "20ms"], ["--rate: found '20ms'; expected a rate such as 20Mbit/s"]),
        (["--rate", "20Z"], ["--rate: found '20Z'"]),
        (["--rtt", "1Mbit/s"], ["--rtt: found '1Mbit/s'; expected a time such as 30ms"]),
        (["--rtt", "0s"], ["--rtt: found '0s'"]),
        (["--queue", "fsfs"], ["--queue: found 'fsfs'. Did you mean \"fcfs\"? Expected a discipline: one of fcfs, fq"]),
        (["--queue", "fq:bufer=3pkt"], ["--queue: fq: found 'bufer=3pkt'", 'Did you mean "buffer"?']),
        (["--queue", "fq:buffer=3pkt", "--buffer", "4pkt"], ["--buffer: expected none beside that of --queue"]),
        (["--buffer", "many"], ["topology.line.queue.buffer", "many"]),
        (["--duration", "soon"], ["duration", "soon"]),
    ],
)  # fmt: skip
def test_wrong_options(args: list[str], parts: list[str], cli: Cli) -> None:
    done = cli("quick", "--rate", "20Mbit/s", "--rtt", "30ms", "--flows", "jk_reno", *args)
    assert (done.returncode, done.stdout) == (2, "")
    said = " ".join(done.stderr.split())
    assert all(part in said for part in parts), said


@given(st.text("jk_reno*2:,=cbr[]{}'\". \x00é", max_size=40))
@example("2,2=")
def test_any_text_is_flows_or_an_error(text: str) -> None:
    try:
        of(text).resolve()
    except (HeadgateError, ScenarioError) as e:
        assert str(e)


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
PLAIN = st.recursive(
    st.booleans() | NUMBERS | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=9,
)


@given(st.dictionaries(NAMES, PLAIN, max_size=4))
def test_what_is_written_as_toml_is_read_back(data: dict[str, Any]) -> None:
    assert tomllib.loads(file_text(data)) == data
    for value in data.values():
        assert parse_value(value_text(value)) == value


def test_the_summary_has_the_shares_and_the_delays(cli: Cli) -> None:
    args = ("quick", "--rate", "20Mbit/s", "--rtt", "30ms", "--flows", "cubic*2,cbr:64kbit/s")
    text = cli(*args).stdout.split("\ncubic1 got ")[1]
    results = of("cubic*2,cbr:64kbit/s").run()
    words = " ".join(f"cubic1 got {text}".split())
    for flow in results.flow_summaries():
        share = 100 * flow.goodput_bps.mean / flow.max_min_bps
        high = flow.owd_quantiles_s["p95"] - flow.owd_s.mean + flow.queueing_s.mean
        start, due = (
            words.index(f"{flow.flow} got "),
            [f"{share:.1f} % of the max-min share of", f"waited {1e3 * flow.queueing_s.mean:.3g} ms"],
        )
        sentence = words[start:].split("ms. ")[0]
        for part in [*due, f"less than {1e3 * high:.3g} ms", f"round trips took {1e3 * flow.rtt_s.mean:.3g}"]:
            assert part in sentence, sentence
    # A line that is never idle has a queue whose waits no flow exceeds, within the precision of the quantiles.
    assert high < 1.03 * 75e3 * 8 / 20e6
    port = next(x for x in results.link_summaries() if x.link == "bottleneck")
    assert f"dropped {sum(port.drops.values())} packets" in words
    assert f"is {results.fairness()['jain_of_max_min']:.3f};" in words


def test_many_flows_are_described_together(cli: Cli) -> None:
    done = cli(
        "quick",
        "--rate",
        "20Mbit/s",
        "--rtt",
        "30ms",
        "--flows",
        "jk_reno*40,cbr:64kbit/s",
        "--duration",
        "5s",
        "--no-phase",
    )
    text = " ".join(done.stdout.split())
    assert "jk_reno1..jk_reno40, 40 flows, got " in text and "jk_reno7 got" not in text and " cbr got " in text
    assert len(done.stdout.splitlines()) <= 34


@pytest.mark.slow
def test_a_figure_of_a_quick_question(cli: Cli, tmp_path: Path) -> None:
    args = ("quick", "--rate", "20Mbit/s", "--rtt", "30ms", "--duration", "5s")
    with_figure = cli(*args, "--flows", "jk_reno*2,cbr:64kbit/s", "--figure", "shares.svg")
    assert with_figure.returncode == 0, with_figure.stderr
    # The numbers are those without the figure, though that is cut finer.
    alone = cli(*args, "--flows", "jk_reno*2,cbr:64kbit/s").stdout
    assert with_figure.stdout == f"{alone}figure: shares.svg\n"
    drawn = (tmp_path / "shares.svg").read_text()
    for text in ("jk_reno1", "jk_reno2", "cbr", "goodput (Mbit/s)", "time (s)", "warm-up"):
        assert f">{text}<" in drawn
    cli(*args, "--flows", "jk_reno*40,cbr:64kbit/s", "--figure", "many.svg")
    assert "jk_reno1..jk_reno40" in (tmp_path / "many.svg").read_text()
    assert cli(*args, "--flows", "cbr", "--figure", "shares.gif").returncode == 2
    fine = quick.finely(of("jk_reno")).resolve()
    assert (fine["interval"], fine["warm_up"]) == ("300ms", of("jk_reno").resolve()["warm_up"])


def test_a_transfer_that_ended_before_the_measured_part_says_so(cli: Cli) -> None:
    done = cli(
        "quick", "--rate", "100Mbit/s", "--rtt", "30ms", "--flows", "cubic*2,transfer:1MB,start=1s", "--no-phase"
    )
    text = " ".join(done.stdout.split())
    assert "transfer had sent all that it had before the measured part of the run began." in text
    assert "nothing through" not in text
    # The others share the line by two, and the index is that of two.
    assert text.count("of the max-min share of 50 Mbit/s") == 2
    late = cli(
        "quick",
        "--rate",
        "1Mbit/s",
        "--rtt",
        "30ms",
        "--flows",
        "reno,transfer:start=99s",
        "--duration",
        "30s",
        "--no-phase",
    )
    assert "transfer had nothing to send in the measured part of the run." in " ".join(late.stdout.split())


def test_arrivals_ask_for_what_came() -> None:
    web = "transfer:100KB,arrivals.kind=poisson,arrivals.mean=300ms"
    flows = of(f"cubic,{web}").run().flow_summaries()
    # 100 KB each 0.3 s are 2.7 Mbit/s, and the rest of 20 Mbit/s is for the other flow.
    assert flows[1].max_min_bps == pytest.approx(2.7e6, rel=0.3)
    assert flows[0].max_min_bps == pytest.approx(20e6 - flows[1].max_min_bps)


def test_short_paths_have_the_transport_that_serves_them() -> None:
    def transport(flows: str, rtt: str) -> list[object]:
        return [f.get("transport") for f in quick.scenario("10Gbit/s", rtt, flows).data["flows"]]

    linux = {"preset": "linux"}
    assert transport("dctcp,cubic*4", "50us") == [linux, linux]
    assert transport("cubic*2,cubic", "1ms") == [None, None]
    # By its own round trip; others say it themselves, have no such transport, or none at all.
    assert transport("reno,reno:rtt=20ms", "50us") == [linux, None]
    assert transport("dctcp:transport.preset=rfc,jk_reno,packet_pair,cbr:1Gbit/s,transfer:9KB", "50us") == [
        {"preset": "rfc"},
        *[None] * 3,
        linux,
    ]


def test_four_flows_of_a_data_centre_share_the_line() -> None:
    fair = quick.scenario("10Gbit/s", "50us", "cubic*4", duration="200ms").run().fairness()["jain"]
    rfc = quick.scenario("10Gbit/s", "50us", "cubic*4:transport.preset=rfc", duration="200ms").run().fairness()["jain"]
    assert fair is not None and rfc is not None
    assert fair > 0.95 > rfc
