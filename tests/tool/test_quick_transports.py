"""Flow controls beside each other differ by themselves alone: one transport, and a sentence where that is not so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headgate import Scenario, quick
from headgate.base.catalogue import catalogue
from headgate.scenario.transports import by_recovery, of_scenario

from ..conftest import Cli
from ..studies import sweep_of

LINUX = {"transport": {"preset": "linux"}, "receiver": {"every": 1}}


def of(flows: str, **more: Any) -> Scenario:
    return quick.scenario("50Mbit/s", "40ms", flows, **more)


def given(flows: str, **more: Any) -> list[dict[str, Any]]:
    """What each flow has of a transport and a receiver."""
    return [{k: f[k] for k in ("transport", "receiver") if k in f} for f in of(flows, **more).data["flows"]]


@pytest.mark.parametrize(
    ("flows", "due"),
    [
        ("reno,cubic,bbr", [LINUX, LINUX, {}]),
        ("cubic,dctcp", [LINUX, LINUX]),
        # What is Linux's of its own stays, and so does one flow control alone, with what takes it.
        ("bbr,bbr1,prague", [{}, {}, {}]),
        ("reno*2,reno:rtt=80ms,web,call", [{}, {}, {}, {}]),
        # These differ by their recovery alone.
        ("tahoe,reno,newreno,sack", [{}, {}, {}, {}]),
        # What belongs to the flow control stays.
        ("copa,bbr", [{"transport": {"preset": "linux", "paced": True}, "receiver": {"every": 1}}, {}]),
        ("ledbat,bbr", [{"transport": {"preset": "linux", "initial_window": 2}, "receiver": {"every": 1}}, {}]),
        # What a flow says itself stays.
        ("reno:transport.preset=rfc,cubic", [{"transport": {"preset": "rfc"}}, LINUX]),
    ],
)
def test_flow_controls_beside_each_other_have_one_transport(flows: str, due: list[dict[str, Any]]) -> None:
    assert given(flows) == due
    assert all(each == {} for each in given(flows, transport="own") if each != {"transport": {"preset": "rfc"}})


def test_a_preset_for_all() -> None:
    assert given("reno,bbr,call", transport="rfc") == [{"transport": {"preset": "rfc"}}] * 2 + [{}]
    assert given("reno", transport="linux") == [{"transport": {"preset": "linux"}}]


def test_short_paths_have_one_transport_too() -> None:
    def short(flows: str) -> list[dict[str, Any]]:
        found = quick.scenario("10Gbit/s", "50us", flows).data["flows"]
        return [{k: f[k] for k in ("transport", "receiver") if k in f} for f in found]

    assert short("dctcp,cubic") == [{"transport": {"preset": "linux"}}] * 2
    assert short("dctcp,swift") == [LINUX, {}]


def test_the_same_rules_on_one_transport_give_the_same_run() -> None:
    """Reno and NewReno have one congestion avoidance (RFC 5681), and differ by their recovery, which is that of the transport here."""
    runs = [of(f"{c}:name=x", transport="linux", buffer="60pkt").run().flow_summaries()[0] for c in ("reno", "newreno")]
    assert runs[0].drops > 3
    assert runs[0].goodput_bps.mean == runs[1].goodput_bps.mean
    assert (runs[0].retransmissions, runs[0].timeouts) == (runs[1].retransmissions, runs[1].timeouts)


def test_a_timeout_of_a_second_is_no_part_of_a_comparison() -> None:
    """With the RFCs' recovery reno waits for timeouts of 1 s beside bbr, which has none."""
    own, one = (of("reno,cubic,bbr", transport=t).run().flow_summaries()[0] for t in ("own", "same"))
    assert own.timeouts > 0 == one.timeouts
    assert one.goodput_bps.mean > 1.5 * own.goodput_bps.mean


@pytest.mark.parametrize(
    ("flows", "more", "due"),
    [
        (
            "reno,cubic,bbr",
            "same",
            "reno and cubic have Linux's transport (transport.preset=linux, receiver.every=1), so that the",
        ),
        ("reno,cubic,bbr", "own", "reno, cubic and bbr have different transports (recovery, timers, acknowledgements)"),
        (
            "reno:transport.preset=rfc,cubic",
            "same",
            "cubic has Linux's transport (transport.preset=linux, receiver.every=1); --transport own",
        ),
        (
            "reno,newreno",
            "same",
            "reno and newreno differ in how they repair losses: each has the recovery that it is named for.",
        ),
        ("jk_reno,cubic", "same", "jk_reno repairs losses by rules of its own, not by the transport of the others"),
        (
            "jk_reno,cubic,bbr",
            "own",
            "jk_reno repairs losses by rules of its own, not by the transport of the others: a difference between them may come from "
            "that. cubic and bbr have different transports",
        ),
        ("jk_reno,decbit", "same", "jk_reno and decbit repair losses by rules of their own"),
        ("cubic,cubic:rtt=80ms", "same", ""),
        ("bbr,bbr1", "own", ""),
        ("cubic,call,web", "own", ""),
    ],
)
def test_what_is_chosen_and_what_differs_is_said(flows: str, more: str, due: str) -> None:
    notes = [n for n in quick.notes("40ms", flows, transport=more) if "transport" in n or "repair" in n]
    assert [n[: len(due)] for n in notes if due][:1] == ([due] if due else []) and bool(notes) == bool(due)


def test_the_terminal_shows_timeouts_that_are_not_zero(cli: Cli) -> None:
    args = ("quick", "50Mbit/s", "40ms", "reno", "cubic", "bbr", "--no-phase", "--duration", "20s", "--transport")
    flows = of("reno,cubic,bbr", transport="own", duration="20s").run().flow_summaries()
    due = ", ".join(f"{f.flow} {f.timeouts}" for f in flows if f.timeouts)
    own = cli(*args, "own").stdout
    assert due and f"\ntimeouts: {due}\n" in own
    same = cli(*args, "same").stdout
    assert "timeouts: " not in same
    said = cli(*args, "smae")
    assert (
        said.returncode == 2
        and "--transport: found 'smae'. Did you mean \"same\"? Expected one of same, own, rfc"
        in " ".join(said.stderr.split())
    )


def test_names_of_recoveries_are_controls_that_differ_by_it() -> None:
    """On one transport all of them are the same congestion avoidance: that is why they keep theirs beside each other."""
    found = {
        of(f"{control}:name=x", transport="linux", buffer="60pkt").run().flow_summaries()[0].goodput_bps.mean
        for control in filter(by_recovery, catalogue("controls"))
        if control != "tahoe"
    }
    assert len(found) == 1


@pytest.mark.parametrize(("values", "more", "due"), [(["reno", "cubic"], {}, True), (["bbr1", "bbr3"], {}, False)])
def test_a_comparison_of_controls_says_that_their_transports_differ(
    values: list[str], more: dict[str, Any], due: bool, cli: Cli, tmp_path: Path
) -> None:
    axis = {"flows.*.control": {"values": values, "column": "control"}}
    sweep_of({"replications": 2, "axes": axis}, **more).run(tmp_path / "s")
    done = cli("compare", tmp_path / "s", "--by", "control", "--metric", "goodput")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stderr.split())
    assert ("reno and cubic have different transports" in said) == due


def test_a_run_of_a_file_says_the_same(tmp_path: Path, cli: Cli) -> None:
    """By the function that quick has, for flows whose data meet at a queue."""
    said = "have different transports (recovery, timers, acknowledgements)"
    for flows, transport, due in (
        ("reno*2,cubic,bbr", "own", f"warning: reno*2, cubic and bbr {said}"),
        ("reno*2,cubic,bbr", "same", ""),
        ("reno,newreno", "own", "warning: reno and newreno differ in how they repair losses"),
        ("jk_reno,cubic", "own", "warning: jk_reno repairs losses by rules of its own"),
        ("reno,call", "own", ""),
    ):
        data = of(flows, transport=transport, duration="1s").resolve()
        (tmp_path / "a.json").write_text(json.dumps(data))
        for words in (["run", "a.json"], ["check", "a.json"]):
            done = cli(*words)
            found = [line for line in done.stderr.splitlines() if "transport" in line or "repair" in line]
            assert done.returncode == 0 and [line[: len(due)] for line in found] == ([due] if due else []), found
        assert any("transport" in text for text in json.loads(cli("run", "a.json", "--json").stdout)["warnings"]) == (
            said in due or "jk_reno" in due
        )


def test_flows_that_never_meet_are_not_compared() -> None:
    """Two lines beside each other; with an event that takes a link down nobody knows which queues flows meet."""
    nodes = [{"name": n, "kind": "host" if n[0] in "sd" else "gateway"} for n in ("s1", "s2", "g1", "g2", "d1", "d2")]
    ends = [("s1", "g1"), ("s2", "g2"), ("g1", "d1"), ("g2", "d2")]
    data: dict[str, Any] = {
        "duration": "1s",
        "nodes": nodes,
        "links": [{"name": a + b, "from": a, "to": b, "rate": "10Mbit/s", "delay": "5ms"} for a, b in ends],
        "flows": [
            {"name": "one", "from": "s1", "to": "d1", "control": "cubic"},
            {"name": "two", "from": "s2", "to": "d2", "control": "bbr3"},
        ],
    }
    assert of_scenario(Scenario(data).resolve()) == ""
    data["links"].append({"name": "g1g2", "from": "g1", "to": "g2", "rate": "10Mbit/s"})
    assert of_scenario(Scenario(data).resolve()) == ""
    down = {**data, "events": [{"at": "500ms", "link": "s1g1", "up": False}]}
    assert of_scenario(Scenario(down).resolve()).startswith("one and two have different transports")
    data["flows"][1]["from"] = "s1"
    data["flows"][1]["to"] = "d1"
    assert of_scenario(Scenario(data).resolve()).startswith("one and two have different transports")


def test_a_game_of_a_selfish_source_says_so_too(cli: Cli) -> None:
    """Its strategies have flow controls of their own, and with them transports."""
    words = (
        "game",
        "--selfish",
        "--controls",
        "reno",
        "--queues",
        "fcfs",
        "--duration",
        "1s",
        "--runs",
        "2",
        "--flows",
        "2",
    )
    for strategies, due in (("aimd4,flood", "reno and aimd have different transports"), ("flood,packets", "")):
        for more in (["--dry-run"], ["--no-figures"]):
            done = cli(*words, "--strategies", strategies, "--out", f"out{strategies}", "--workers", "1", *more)
            assert done.returncode == 0, done.stderr
            said = " ".join(done.stdout.split())
            assert ("transports" in said) == bool(due) and due in said
    said = " ".join(cli(*words, "--strategies", "window", "--dry-run").stdout.split())
    assert "generic repairs losses by rules of its own" in said
