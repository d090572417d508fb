"""Pictures of networks: what they show, what they fold, and that they stay legible and small."""

from __future__ import annotations

import math
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from headgate import Scenario
from headgate.network import Network, draw, picture
from headgate.network import figure as on_paper
from headgate.plots.canvas import to_svg

from ..conftest import ROOT, Cli

EXAMPLES = sorted((ROOT / "scenarios").glob("*.toml"))


def net(topology: Any = None, flows: list[tuple[str, str]] | None = None, **more: Any) -> Network:
    flows = flows or [("h1", "h2")]
    streams = [{"name": f"f{i}", "from": a, "to": b} for i, (a, b) in enumerate(flows)]
    network = {} if topology is None else {"topology": topology}
    return Network.of(Scenario({"duration": "1s", "flows": streams, **network, **more}))


def by_hand(links: list[tuple[str, str]], hosts: str = "", **more: Any) -> Network:
    """A network of these lines; the flow runs from the first to the last node."""
    names = list(dict.fromkeys(name for link in links for name in link))
    nodes = [{"name": n, "kind": "host" if n in hosts.split() else "gateway"} for n in names]
    lines = [{"name": f"l{i}", "from": a, "to": b, "rate": "1Mbit/s", **more} for i, (a, b) in enumerate(links)]
    return net(None, [(names[0], names[-1])], nodes=nodes, links=lines)


def words(drawing: Any) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", to_svg(drawing))


def test_a_dumbbell_in_the_terminal() -> None:
    line = {"rate": "20Mbit/s", "delay": "10ms", "queue": {"kind": "fq", "buffer": "64KB"}}
    topology = {"kind": "dumbbell", "hosts": 4, "line": line, "access": {"rate": "1Gbit/s", "delay": "1234567ns"}}
    flows = [(f"s{i}", f"d{i}") for i in (1, 2, 3, 4)]
    assert (
        picture(net(topology, flows))
        == """\
■ r1
├──○ s1 to s4 (4 hosts)
│    1 Gbit/s, 1.235 ms, fcfs 100 pkt
│
│  bottleneck, 20 Mbit/s, 10 ms, fq 64 KB
│
■ r2
└──○ d1 to d4 (4 hosts)
     1 Gbit/s, 1.235 ms, fcfs 100 pkt

flows
  f0 to f3 (4): s1 to s4 → d1 to d4; jk_reno, ftp, 1000 B
"""
    )


def test_lines_that_lead_elsewhere_stand_at_their_first_end() -> None:
    ring = by_hand([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("a", "b")])
    assert (
        picture(ring)
        == """\
■ a
├──■ b
│    2 lines, 1 Mbit/s, fcfs 100 pkt
└──■ d
     l3, 1 Mbit/s, fcfs 100 pkt

■ b
└──■ c
     l1, 1 Mbit/s, fcfs 100 pkt

■ d
│
│  l2, 1 Mbit/s, fcfs 100 pkt
│
■ c

flows
  f0: a → d; jk_reno, ftp, 1000 B
"""
    )


def test_what_a_line_has_is_said() -> None:
    more = {
        "rate": {"forward": "2Mbit/s", "reverse": "1Mbit/s"}, "queue": {"kind": "csfq", "role": "core"}, "reverse_queue": "fq",
        "loss": {"kind": "bernoulli", "probability": 0.1}, "framing": "ethernet",
    }  # fmt: skip
    text = picture(by_hand([("a", "b"), ("b", "c")], **more))
    for part in ("2 Mbit/s →, 1 Mbit/s ←", "csfq core 64 KB →, fq 100 pkt ←", "loss bernoulli", "framing ethernet"):
        assert part in " ".join(text.replace("│", " ").split())
    # Of the line of a host counts the port at the gateway.
    hosts = picture(by_hand([("x", "g"), ("g", "y")], "x y", queue="red", reverse_queue="fq"))
    assert hosts.index("fq 100 pkt") < hosts.index("○ y") < hosts.index("red 100 pkt")


def test_a_large_network_is_folded_in_the_terminal() -> None:
    text = picture(net({"kind": "fat_tree", "k": 8}))
    assert "■ c0.0, c0.1 ... c3.3 (16 gateways)" in text
    assert "○ h1 to h128 (128 hosts)" in text
    assert text.count("128 lines, 10 Mbit/s, 1 ms, fcfs 100 pkt") == 2
    # What is folded keeps the discipline of the gateway's port.
    both = {"rate": "1Mbit/s", "queue": "red", "reverse_queue": "fq"}
    assert "     1 Mbit/s, fq 100 pkt\n" in picture(net({"kind": "fat_tree", "k": 8, "access": both}))
    chain = picture(net({"kind": "chain", "gateways": 1000}))
    assert "■ r9 to r992 (984 gateways)" in chain
    assert "983 lines" in chain
    assert len(chain.splitlines()) < 150


def test_eighty_gateways_are_drawn_one_by_one() -> None:
    drawing = draw(net({"kind": "fat_tree", "k": 8}))
    said = words(drawing)
    gateways = [f"{row}{pod}.{i}" for row in "ea" for pod in range(8) for i in range(4)]
    gateways += [f"c{i}.{j}" for i in range(4) for j in range(4)]
    assert all(said.count(name) == 1 for name in gateways)
    assert said.count("4 hosts") == 32
    assert "256 lines: 10 Mbit/s, 1 ms, fcfs 100 pkt" in said
    assert "128 lines of hosts: 10 Mbit/s, 1 ms, fcfs 100 pkt" in said


@pytest.mark.parametrize("topology", [{"kind": "fat_tree", "k": 8}, {"kind": "random", "gateways": 80, "degree": 3}])
def test_stations_stand_apart(topology: dict[str, Any]) -> None:
    network = net(topology)
    plan = on_paper._stages(network) if network.stages else on_paper._columns(network)
    assert len(plan.places) == 80
    # A mark is a ninth of an inch wide, and a name stands beside it.
    assert min(math.dist(a, b) for a, b in combinations(plan.places.values(), 2)) > 0.6


def test_colours_are_not_needed() -> None:
    line = {"rate": ["1Mbit/s", "2Mbit/s", "3Mbit/s"]}
    drawing = draw(net({"kind": "random", "gateways": 20, "line": line}))
    looks = [str(line._dash_pattern) for line in drawing.lines + drawing.artists]  # type: ignore[attr-defined]
    assert len(looks) == len(set(looks)) == 3
    said = words(drawing)
    for rate in (1, 2, 3):
        assert any(re.fullmatch(rf"\d+ lines: {rate} Mbit/s, fcfs 100 pkt", text) for text in said)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda f: f.stem)
def test_every_example_can_be_drawn(file: Path) -> None:
    network = Network.of(Scenario.from_file(file))
    text = picture(network)
    assert max(map(len, text.splitlines())) <= 80
    svg = to_svg(draw(network))
    for name in network.stations:
        # In the terminal more than a dozen that are not in a row are folded.
        assert f"■ {name}" in text or f"○ {name}" in text or len(network.stations) > 12
        assert f">{name}<" in svg
    assert svg == to_svg(draw(network))


def test_names_of_any_kind() -> None:
    long = "x" * 300
    network = by_hand(
        [("a$_{^$ &<b>", "g"), ("g", "\x1b[31m\n"), ("g", long), ("g", "last")], f"a$_{{^$ &<b> {long} last"
    )
    text = picture(network)
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert "&lt;b&gt;" in to_svg(draw(network))


@pytest.mark.parametrize(
    "links", [[("a", "b")], [("a", "b"), ("c", "d"), ("b", "a")], [("a", "b"), ("b", "c"), ("c", "a"), ("x", "a")]]
)
@pytest.mark.parametrize("hosts", ["", "a b", "x"])
def test_small_networks(links: list[tuple[str, str]], hosts: str) -> None:
    network = by_hand(sorted(links, key=lambda ends: "c" in ends and "d" in ends), hosts) if len(links) != 3 else None
    if network is None:
        # Two parts: the flow stays in the first.
        nodes = [{"name": n, "kind": "host" if n in hosts.split() else "gateway"} for n in "abcd"]
        lines = [{"name": f"l{i}", "from": a, "to": b, "rate": "1Mbit/s"} for i, (a, b) in enumerate(links)]
        network = net(None, [("a", "b")], nodes=nodes, links=lines)
    names = {name for link in links for name in link}
    assert all(f" {name}" in picture(network) for name in names)
    assert set(words(draw(network))) >= names - {"x"}


def test_the_command(cli: Cli, tmp_path: Path) -> None:
    file = ROOT / "scenarios/islands.toml"
    shown = cli("show", file)
    assert shown.returncode == 0, shown.stderr
    assert "hop3, 10 Mbit/s, 1 ms, csfq edge 64 KB, labels off" in shown.stdout
    assert "hop4, 10 Mbit/s, 1 ms, csfq edge 64 KB\n" in shown.stdout
    one_way = cli("show", file, "--set", 'islands=[{gateways=["r1", "r2"]}]').stdout
    assert "hop2, 10 Mbit/s, 1 ms, csfq edge 64 KB →, fcfs 64 KB ←, labels off ←" in one_way
    # The sixth hop is in no island.
    assert "hop6, 10 Mbit/s, 1 ms, fcfs 64 KB" in cli("show", file, "--set", "topology.hops=6").stdout
    done = cli("show", file, "--figure", "net.svg")
    assert (done.returncode, done.stdout) == (0, "figure: net.svg\n")
    assert "csfq edge 64 KB" in (tmp_path / "net.svg").read_text()
    # Of a study it is the scenario.
    assert cli("show", ROOT / "scenarios/queues-and-rates.toml").returncode == 0
    for args, part in (
        (["--figure", "net.txt"], "ends in .png, .svg or .pdf"),
        (["--set", "topology.hops=0"], "topology.hops"),
    ):
        wrong = cli("show", file, *args)
        assert (wrong.returncode, wrong.stdout) == (2, "")
        assert part in " ".join(wrong.stderr.split())
