"""Runs that are shorter than timeouts, and how long a lost retransmission makes a flow wait."""

from __future__ import annotations

from typing import Any

import pytest

from headgate.base.catalogue import catalogue, has_transport

from .test_effects import chain, said


def test_short_runs() -> None:
    half = "a lost retransmission stops it for more than half of the run."
    assert said("reno", duration="0.2s") == [
        "The run of 0.2 s is shorter than the least retransmission timeout of flow reno (1 s): a lost retransmission ends its transfer."
    ]
    assert said("reno", duration="1s") == [
        f"The run of 1 s is shorter than two of the least retransmission timeouts of flow reno (1 s): {half}"
    ]
    assert said("reno", duration="1999ms") and not said("reno", duration="2s")
    assert said("reno:transport.min_timeout=200ms", duration="400ms") == []
    assert len(said("reno:transport.min_timeout=200ms", duration="399ms")) == 1
    assert said("jk_reno,generic,cbr:1Mbit/s,bbr1,cubic_linux,cubic:transport.preset=linux", duration="400ms") == []
    together = said("reno,jk_reno,cubic*3", duration="0.1s", transport="own")
    assert [text.split(" timeout of ")[1].split(":")[0] for text in together] == [
        "flows reno, cubic1 and 2 more (1 s)", "flow jk_reno (0.2 s)",
    ]  # fmt: skip


CONTROLS = [name for name in catalogue("flow-controls") if has_transport(name)]


@pytest.mark.parametrize(
    ("control", "transport"),
    [
        *((name, {}) for name in CONTROLS),
        *(("reno", {"preset": preset}) for preset in ("rfc", "bsd_1988", "ns2_1998", "linux")),
        ("reno", {"preset": "linux", "recovery": "sack"}),
        ("reno", {"recovery": "rack"}),
        ("bbr1", {"preset": "rfc"}),
        ("bbr1", {"recovery": "newreno"}),
        ("jk_reno", None),
        ("jk_tahoe", None),
    ],
    ids=str,
)
def test_a_lost_retransmission_waits_for_the_least_timeout(control: str, transport: dict[str, str] | None) -> None:
    """The 20th packet is lost, and so is its retransmission: the transfer ends after that timeout, or earlier with RACK."""
    flow: dict[str, Any] = {"workload": {"kind": "transfer", "packets": 200}, "control": control}
    scenario = chain(flow | ({} if transport is None else {"transport": transport}), "fcfs", "fcfs").set(
        "duration", "60s"
    )
    scenario = (
        scenario.set("interval", "60s")
        .set("warm_up", "0s")
        .set("links.*.rate", "100Mbit/s")
        .set("links.middle.delay", "5ms")
    )
    least = scenario.resolve().facts.flow(0).least_timeout_ps / 1e12

    def took(*lost: int) -> float:
        wire = {"reverse": {"kind": "packets", "packets": list(lost)}}
        return float(scenario.set("links.last.loss", wire).run().flows["fct_mean_s"][0])

    # Which number the retransmission has on the wire depends on the window: each is tried.
    longest = max(took(20, second) for second in range(21, 90))
    # A control that grows slowly uses the wait: all else has arrived when the timer runs out.
    assert longest >= 0.95 * least
    if least == 0:
        # Swift opens by a packet a round trip from where the two cuts left it, SCReAM by 0.16 of one over 10 ms.
        assert longest - took(10**6) < {"swift": 0.3, "scream": 0.4}.get(control, 0.15)
