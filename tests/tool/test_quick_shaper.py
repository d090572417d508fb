"""A router that shapes before a modem: where packets wait, which rate helps, and what is said of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import headgate
from headgate import Scenario, quick
from headgate.base.errors import HeadgateError
from headgate.quick.shaper import Shaper, shaper_of
from headgate.scenario.effects import warnings

from ..conftest import Cli

HOME: dict[str, Any] = {"rate": "50Mbit/s", "up": "20Mbit/s", "rtt": "20ms", "buffer": "100ms"}


def of(flows: str, **more: Any) -> Scenario:
    return quick.scenario(flows=flows, **{**HOME, **more})


@pytest.mark.parametrize(
    ("text", "flows", "due"),
    [
        ("19Mbit/s", "game,upload", Shaper(None, "19Mbit/s")),
        ("19mbit:fq_codel", "game,upload", Shaper(None, "19Mbit/s", "fq_codel")),
        ("45", "game,bulk", Shaper("45Mbit/s", None)),
        ("45", "game", Shaper("45Mbit/s", None)),
        ("45Mbit/s:FQ-CoDel", "bulk", Shaper("45Mbit/s", None, "fq_codel")),
        ("45/19", "bulk,upload", Shaper("45Mbit/s", "19Mbit/s")),
        ("45M/19M:tbf", "game", Shaper("45Mbit/s", "19Mbit/s", "tbf")),
        ("45Mbit/s/19Mbit/s", "game", Shaper("45Mbit/s", "19Mbit/s")),
        ("90%", "game", Shaper("45Mbit/s", "18Mbit/s")),
        ("off", "game", Shaper(None, None)),
    ],
)
def test_a_rate_is_that_of_the_direction_of_the_bulk(text: str, flows: str, due: Shaper) -> None:
    assert shaper_of(text, HOME["rate"], HOME["up"], quick.parse(flows)) == due


@pytest.mark.parametrize(
    ("text", "flows", "part"),
    [
        ("19Mbit/s", "bulk,upload", "in both directions; expected the rates down and up, such as 47.5Mbit/s/19Mbit/s"),
        ("fast", "bulk", "--shaper: found 'fast'; expected a rate such as 19Mbit/s"),
        ("0%", "bulk", "--shaper: found '0%'"),
        ("19Mbit/s:caek", "bulk", "--shaper: found 'caek'. Did you mean \"cake\"?"),
        ("19Mbit/s:cake:rate=9Mbit/s", "bulk", "--shaper"),
    ],
)
def test_what_is_no_shaper_is_said(text: str, flows: str, part: str) -> None:
    with pytest.raises(HeadgateError) as error:
        of(flows, shaper=text)
    assert part in str(error.value)


def test_router_and_modem_are_in_series() -> None:
    data = of("game,upload", shaper="19Mbit/s").data
    line, cable, *hosts = data["links"]
    assert [node["name"] for node in data["nodes"]] == ["s{i}", "provider", "modem", "router", "d{i}"]
    assert (line["from"], line["to"], line["queue"]) == ("provider", "modem", {"kind": "fcfs", "buffer": "100ms"})
    # The upload comes from the home's hosts, so that its shaper is the router's queue to the modem.
    assert (cable["from"], cable["to"]) == ("modem", "router")
    assert cable["reverse_queue"] == {"kind": "cake", "rate": "19Mbit/s"}
    assert cable["queue"]["kind"] == "fcfs" and cable["rate"] == "500Mbit/s"
    assert [(link["from"], link["to"]) for link in hosts] == [("s{i}", "provider"), ("router", "d{i}")]
    # Without a rate of its own a queue stands before a cable of that rate.
    cable = of("bulk", shaper="45Mbit/s:fq_codel").data["links"][1]
    assert (cable["rate"], cable["queue"]) == ({"forward": "45Mbit/s", "reverse": "500Mbit/s"}, {"kind": "fq_codel"})
    # The modem's buffer is large where none is given.
    assert of("bulk", buffer=None, shaper="45Mbit/s").data["links"][0]["queue"]["buffer"] == "100ms"


def test_flows_keep_their_round_trips() -> None:
    links = of("bulk,upload*2:rtt=60ms,game", shaper="40/15").data["links"][2:]
    assert [(link["from"], link.get("delay")) for link in links[::2]] == [
        ("s{i}", None), ("s{i+1}", "20ms"), ("s{i+3}", None),
    ]  # fmt: skip
    trips = [flow.rtt_s.mean for flow in of("game,game:rtt=60ms,name=far", shaper="40/15").run().flow_summaries()]
    assert trips == pytest.approx([0.02, 0.06], rel=0.02)


def rtt_ms(shaper: str) -> float:
    made = of("game,upload", shaper=shaper, duration="10s")
    return 1e3 * made.run().flow_summaries()[0].rtt_s.mean


def test_packets_wait_in_the_modem_from_the_line_s_rate_on() -> None:
    """Below the line's 20 Mbit/s the path's 20 ms are all; above it the modem's buffer of 100 ms fills, whatever the shaper's queue is."""
    assert rtt_ms("19Mbit/s") == pytest.approx(20, abs=1.5)
    assert rtt_ms("19Mbit/s:fq_codel") == pytest.approx(20, abs=1.5)
    assert rtt_ms("21Mbit/s") > 50
    assert rtt_ms("off") > 50


def test_the_goodput_is_that_of_the_shaper() -> None:
    # Packets of 1000 bytes; CAKE charges for all of their bytes.
    for shaper in ("15Mbit/s", "15Mbit/s:tbf", "15Mbit/s:htb", "15Mbit/s:fcfs"):
        got = of("upload", shaper=shaper, duration="10s").run().flow_summaries()[0].goodput_bps.mean
        assert got == pytest.approx(15e6, rel=0.03), shaper


def test_a_rate_that_is_not_below_the_line_warns(cli: Cli) -> None:
    args = ("quick", "home", "game", "--up-flows", "bulk", "--up", "20Mbit/s", "--duration", "5s", "--shaper")
    above, equal, below = (cli(*args, rate) for rate in ("21Mbit/s", "20Mbit/s", "19Mbit/s"))
    assert (
        "The router holds the upload to 21Mbit/s, and the line has 20Mbit/s: packets wait in the modem" in above.stderr
    )
    assert "all that the line has" in equal.stderr and below.stderr == ""
    assert "A router before the modem holds the upload to 19Mbit/s (cake)." in " ".join(below.stdout.split())


def test_a_sweep_says_which_rate_helps_and_what_it_costs(cli: Cli) -> None:
    args = ("quick", "home", "game", "--up-flows", "bulk", "--up", "20Mbit/s", "--duration", "10s", "--shaper", "sweep")
    done = cli(*args)
    assert (done.returncode, done.stderr) == (0, "")
    said = " ".join(done.stdout.split())
    assert "Above 20Mbit/s nothing helps: 21Mbit/s leaves" in said
    assert "With 19Mbit/s (cake) they take 20.3 ms; that costs" in said
    found = json.loads(cli(*args, "--json").stdout)
    points = {p["shaper"]: p for p in found["points"]}
    assert (found["advised"], found["watched"], found["fillers"], found["directions"]) == (
        "19Mbit/s",
        "game",
        "bulk_up",
        ["up"],
    )
    # A shaper of 95 % costs 5 % of what the line carries, and what the start of the run costs.
    assert points["19Mbit/s"]["cost"] == pytest.approx(0.05, abs=0.03)
    assert points[None]["rtt_s"] > 0.07 > 0.022 > points["19Mbit/s"]["rtt_s"]
    # A point is the same run as the command with that rate.
    alone = json.loads(cli(*args[:-1], "19Mbit/s", "--json").stdout)
    assert alone["flows"][0]["rtt_s"]["mean"] == points["19Mbit/s"]["rtt_s"]


def test_where_nothing_waits_a_sweep_says_so(cli: Cli) -> None:
    said = " ".join(cli("quick", "home", "game", "call", "--duration", "5s", "--shaper", "sweep").stdout.split())
    assert "There is no queue that a shaper of the download could take away." in said and "costs" not in said


def test_a_sweep_is_no_file(cli: Cli) -> None:
    done = cli("quick", "home", "game", "bulk", "--shaper", "sweep", "--print")
    assert done.returncode == 2 and "expected one rate, since a file is one scenario" in " ".join(done.stderr.split())


def test_a_queue_s_own_rate_that_the_line_does_not_reach_warns() -> None:
    """The shaper of CAKE and of tbf acts below the rate of its own link only; with overhead it charges for more than is sent."""
    due = "Link bottleneck has a queue that holds packets to {}, and sends 50Mbit/s at most: that rate changes nothing."
    for queue, said in (
        ("cake:rate=50Mbit/s", due.format("50Mbit/s")), ("cake:rate=60Mbit/s", due.format("60Mbit/s")),
        ("tbf:rate=60Mbit/s", due.format("60Mbit/s")), ("cake:rate=49Mbit/s", ""), ("cake", ""), ("fq", ""),
        ("cake:rate=50Mbit/s,overhead=44", ""), ("cake:rate=50Mbit/s,framing=atm", ""),
    ):  # fmt: skip
        found = warnings(of("bulk", queue=queue).resolve())
        assert [text.split(" Where ")[0] for text in found] == ([said] if said else []), queue
    up = warnings(of("bulk", queue="fcfs", up_queue="cake:rate=21Mbit/s").resolve())
    assert up[0].startswith(
        "Link bottleneck:reverse has a queue that holds packets to 21Mbit/s, and sends 20Mbit/s at most"
    )
    # A link that another one follows is no slower than its cable: the warning of the command is about the line behind.
    assert warnings(of("upload", shaper="21Mbit/s").resolve()) == []


def test_a_rate_of_the_link_s_own_queue_is_said_to_be_in_the_modem(cli: Cli) -> None:
    args = ("quick", "home", "game", "--up-flows", "bulk", "--up", "20Mbit/s", "--duration", "3s", "--no-phase")
    said = " ".join(cli(*args, "--queue", "cake:rate=40Mbit/s").stdout.split())
    assert "has a rate here (cake:rate=40Mbit/s), as if the modem had it; --shaper 40Mbit/s is that of a router" in said
    assert "as if the modem" not in cli(*args, "--queue", "cake").stdout


def test_the_example_shapes_as_quick_does() -> None:
    """19 of 20 Mbit/s in the router: the game has the path's 20 ms; at 21 Mbit/s it waits in the modem."""
    example = headgate.example("sqm").set("duration", "15s")
    below, above = (
        example.set("links.router.reverse_queue.rate", rate).run().flow_summaries()[0].rtt_s.mean
        for rate in ("19Mbit/s", "21Mbit/s")
    )
    assert below == pytest.approx(0.0204, abs=0.001) and above > 0.06
